/* SPDX-License-Identifier: Apache-2.0 */
/* Reads small files of the kernel; see available.h. */
#include "memory/available.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "bytes.h"

#define MIB           (1ull << 20)
#define CACHE_DEFAULT (256 * MIB)
#define TEXT_BYTES    8192u
#define PATH_BYTES    4096u
#define NO_LIMIT      (1ull << 60) /* larger means unlimited: cgroup v1 uses a number near 2^63 */

/*
 * Returns the number after `name` at the beginning of a line; UINT64_MAX if there is no such line.
 */
static uint64_t field(const char *text, const char *name)
{
    const size_t bytes = strlen(name);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, bytes) == 0 && (line[bytes] == ' ' || line[bytes] == ':')) {
            return strtoull(line + bytes + 1, NULL, 10);
        }
        if (!*line) {
            break;
        }
    }
    return UINT64_MAX;
}

uint64_t lod_available_of_meminfo(const char *text)
{
    uint64_t kib = field(text, "MemAvailable");

    return kib > UINT64_MAX / 1024 ? UINT64_MAX : kib * 1024;
}

uint64_t lod_available_of_group(const char *limit, const char *usage, const char *stat)
{
    char *end;
    uint64_t most = strtoull(limit, &end, 10), used = strtoull(usage, NULL, 10);
    uint64_t file = field(stat, "total_inactive_file"); /* v1: includes child groups */

    if (end == limit || most >= NO_LIMIT) {
        return UINT64_MAX;
    }
    file = file == UINT64_MAX ? field(stat, "inactive_file") : file;
    file = file == UINT64_MAX ? 0 : file;
    used = used > file ? used - file : 0;
    return most > used ? most - used : 0;
}

uint64_t lod_available_cache_bytes(uint64_t available)
{
    uint64_t rest = available > CACHE_DEFAULT ? available - CACHE_DEFAULT : 0;
    uint64_t quarter = available / 4, least = lod_least(CACHE_DEFAULT, rest);
    uint64_t bytes = available == UINT64_MAX ? CACHE_DEFAULT : quarter > least ? quarter : least;

    return bytes < MIB ? MIB : bytes / MIB * MIB;
}

/* Reads a file; the text is empty on failure. */
static bool read_text(const char *path, char text[TEXT_BYTES])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, TEXT_BYTES - 1);

    lod_file_close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* The files of a control group. Its parents are the folders above it, up to `root`. */
struct group_files {
    const char *root, *limit, *usage;
};
static const struct group_files v1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                      "memory.usage_in_bytes"};
static const struct group_files v2 = {"/sys/fs/cgroup", "memory.max", "memory.current"};

static bool read_file(const char *folder, const char *name, char text[TEXT_BYTES])
{
    char path[PATH_BYTES + 64];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return read_text(path, text);
}

static uint64_t of_groups(const struct group_files *files, const char *group)
{
    char folder[PATH_BYTES], limit[TEXT_BYTES], usage[TEXT_BYTES], stat[TEXT_BYTES];
    const size_t root = strlen(files->root);
    uint64_t least = UINT64_MAX;

    if (snprintf(folder, sizeof(folder), "%s%s", files->root, group) >= (int)sizeof(folder)) {
        return UINT64_MAX;
    }
    for (;;) {
        if (read_file(folder, files->limit, limit) && read_file(folder, files->usage, usage)) {
            (void)read_file(folder, "memory.stat",
                            stat); /* on failure the page cache counts as used */
            least = lod_least(least, lod_available_of_group(limit, usage, stat));
        }
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= root || !slash) {
            return least;
        }
        *slash = '\0';
    }
}

/* Parses one line of /proc/self/cgroup: number:controllers:path. Version 2 names no controllers. */
static uint64_t of_line(char *line)
{
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;

    if (!path) {
        return UINT64_MAX;
    }
    *path++ = '\0';
    const bool unified = controllers[1] == '\0';
    if (!unified && !strstr(controllers, "memory")) {
        return UINT64_MAX;
    }
    return of_groups(unified ? &v2 : &v1, strcmp(path, "/") == 0 ? "" : path);
}

static uint64_t of_own_groups(char *text)
{
    uint64_t least = UINT64_MAX;
    char *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        least = lod_least(least, of_line(line));
    }
    return least;
}

static uint64_t groups_bytes(void)
{
    char text[TEXT_BYTES];

    return read_text("/proc/self/cgroup", text) ? of_own_groups(text) : UINT64_MAX;
}

bool lod_available_is_limited(void)
{
    return groups_bytes() != UINT64_MAX;
}

uint64_t lod_available_bytes(void)
{
    char text[TEXT_BYTES];
    uint64_t bytes = read_text("/proc/meminfo", text) ? lod_available_of_meminfo(text) : UINT64_MAX;

    return lod_least(bytes, groups_bytes());
}
