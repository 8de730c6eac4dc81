/* SPDX-License-Identifier: Apache-2.0 */
/* See control_files.h. */
#include "control_files.h"

#include <errno.h>
#include <string.h>

#include "control_metrics.h"
#include "control_text.h"

void lod_control_files_init(struct lod_control_files *files, struct lod_control *control)
{
    files->control = control;
    pthread_mutex_init(&files->lock, NULL);
    memset(files->text, ' ', sizeof(files->text));
}

void lod_control_files_finish(struct lod_control_files *files)
{
    pthread_mutex_destroy(&files->lock);
}

uint64_t lod_control_file_bytes(uint32_t number)
{
    return number >= LOD_INODE_STATS && number <= LOD_INODE_FIXED_LAST ? LOD_CONTROL_FILE_BYTES : 0;
}

static int write_text(struct lod_control *control, uint32_t number, char *text, size_t room)
{
    switch (number) {
    case LOD_INODE_STATS:
        return lod_control_stats_text(control, text, room);
    case LOD_INODE_CONFIG:
        return lod_control_config_text(control, text, room);
    case LOD_INODE_METRICS:
        return lod_control_metrics_text(control, LOD_METRICS_TEXT, text, room);
    default:
        return lod_control_metrics_text(control, LOD_METRICS_OPEN, text, room);
    }
}

/*
 * What stands before and behind the blanks that fill the file: in metrics they have to be a
 * comment, of which OpenMetrics knows no other than these, and it ends with the last line.
 */
static const struct {
    const char *before, *behind;
} fillings[] = {
    [LOD_INODE_STATS] = {"", "\n"},
    [LOD_INODE_METRICS] = {"#", "\n"},
    [LOD_INODE_CONFIG] = {"", "\n"},
    [LOD_INODE_OPENMETRICS] = {"# HELP lodfs_fill Blanks:", ".\n# EOF\n"},
};

#define FILLING_BYTES 64

/* Text that does not fit (a store's path of thousands of odd bytes) is none: "{}", or a comment. */
static int look(struct lod_control_files *files, uint32_t number, char *text)
{
    const char *before = fillings[number].before, *behind = fillings[number].behind;
    int error = write_text(files->control, number, text, LOD_CONTROL_FILE_BYTES - FILLING_BYTES);

    if (error == -E2BIG) {
        strcpy(text, *before ? "" : "{}");
        error = 0;
    }
    size_t used = error ? 0 : strlen(text);
    char *end = text + LOD_CONTROL_FILE_BYTES - strlen(behind);
    memset(text + used, ' ', LOD_CONTROL_FILE_BYTES - used);
    memcpy(text + used, before, strlen(before));
    memcpy(end, behind, strlen(behind));
    return error;
}

int lod_control_file_read(struct lod_control_files *files, uint32_t number, uint64_t offset,
                          char *into, size_t *bytes)
{
    uint64_t size = lod_control_file_bytes(number);
    size_t left = offset < size ? (size_t)(size - offset) : 0;
    int error = 0;

    *bytes = *bytes < left ? *bytes : left;
    if (*bytes == 0) {
        return 0;
    }
    char *text = files->text[number - LOD_INODE_STATS];
    pthread_mutex_lock(&files->lock);
    if (offset == 0 || text[LOD_CONTROL_FILE_BYTES - 1] != '\n') {
        error = look(files, number, text);
    }
    memcpy(into, text + offset, *bytes);
    pthread_mutex_unlock(&files->lock);
    return error;
}
