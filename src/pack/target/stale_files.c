/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises and removes files of an earlier pack by their names; see stale_files.h. */
#include "pack/target/stale_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "codec.h"
#include "pack/target/journal.h"

#define NUMBER_DIGITS 6 /* minimum in the name of a record's file */

static const char *const own_names[] = {LOD_INDEX_NAME,  "manifest.tmp",  LOD_PLAN_TMP,
                                        LOD_PARTS_NAME,  LOD_JOURNAL_TMP, LOD_PLAN_NAME,
                                        LOD_JOURNAL_NAME}; /* the journal last */

#define OWN_NAMES (sizeof(own_names) / sizeof(own_names[0]))
#define DECISIONS 2u /* at the end of the names: plan and journal */

/* Returns whether the name is six digits or more, a dot, and the name of a codec. */
static bool is_record_name(const char *name)
{
    size_t digits = 0;

    while (isdigit((unsigned char)name[digits])) {
        digits++;
    }
    for (unsigned id = 0; digits >= NUMBER_DIGITS && name[digits] == '.' && id < LOD_CODECS; id++) {
        const struct lod_codec *codec = lod_codec_find(id);
        if (codec && strcmp(name + digits + 1, codec->name) == 0) {
            return true;
        }
    }
    return false;
}

static bool begins(const char *name, const char *beginning)
{
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

static bool is_own_name(const char *name, bool in_records)
{
    bool own = strcmp(name, LOD_RECORDS_NAME) == 0 || begins(name, LOD_PART_FOLDER);

    for (size_t i = 0; i < OWN_NAMES; i++) {
        own = own || strcmp(name, own_names[i]) == 0;
    }
    return in_records ? is_record_name(name) : own;
}

int lod_stale_files_find(int fd, bool in_records, char foreign[LOD_NAME_MAX + 1])
{
    DIR *dir = lod_file_names(fd);
    const struct dirent *entry;
    int error = dir ? 0 : -errno;

    while (!error && (entry = readdir(dir))) {
        bool dots = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (!dots && !is_own_name(entry->d_name, in_records)) {
            snprintf(foreign, LOD_NAME_MAX + 1, "%s", entry->d_name);
            error = -ENOTEMPTY;
        }
    }
    if (dir) {
        closedir(dir);
    }
    return error;
}

void lod_stale_files_name(const struct lod_order *order, uint32_t number,
                          char name[LOD_RECORD_NAME_ROOM])
{
    snprintf(name, LOD_RECORD_NAME_ROOM, "%06" PRIu32 ".%s", number,
             order->records[number - 1].codec->name);
}

static bool is_ordered(const struct lod_order *order, const char *name)
{
    unsigned long number = strtoul(name, NULL, 10);
    char ordered[LOD_RECORD_NAME_ROOM];

    if (number == 0 || number > order->records_count) {
        return false;
    }
    lod_stale_files_name(order, (uint32_t)number, ordered);
    return strcmp(name, ordered) == 0;
}

/* Removes the records that `order` does not name; all if `order` is NULL. */
static void remove_records(int records_fd, const struct lod_order *order)
{
    DIR *dir = lod_file_names(records_fd);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        if (is_record_name(entry->d_name) && !(order && is_ordered(order, entry->d_name))) {
            unlinkat(records_fd, entry->d_name, 0);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

static void remove_part(int dir_fd, const char *name)
{
    int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0) {
        remove_records(fd, NULL);
        close(fd);
        unlinkat(dir_fd, name, AT_REMOVEDIR);
    }
}

void lod_stale_files_remove_parts(int dir_fd, const char *beginning)
{
    DIR *dir = lod_file_names(dir_fd);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        if (begins(entry->d_name, beginning)) {
            remove_part(dir_fd, entry->d_name);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

void lod_stale_files_remove(int dir_fd, int records_fd)
{
    lod_stale_files_remove_parts(dir_fd, LOD_PART_FOLDER);
    if (records_fd >= 0) {
        remove_records(records_fd, NULL);
    }
    for (size_t i = 0; i < OWN_NAMES; i++) {
        unlinkat(dir_fd, own_names[i], 0);
    }
}

void lod_stale_files_prune(int dir_fd, int records_fd, const struct lod_order *order)
{
    lod_stale_files_remove_parts(dir_fd, LOD_PART_FOLDER);
    remove_records(records_fd, order);
    for (size_t i = 0; i + DECISIONS < OWN_NAMES; i++) {
        unlinkat(dir_fd, own_names[i], 0);
    }
}
