/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the script of --scans: by the name of a built-in one, or from a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "backend/file_io.h"
#include "pack/scans/scans.h"

static int read_text(const char *path, char *text, size_t room, size_t *ret_bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int error = fd < 0 ? -errno : lod_file_read_all(fd, text, room, ret_bytes);

    lod_file_close(fd);
    return error;
}

/* The name of every script from a file, so that a store does not depend on the file's path. */
static const char given_name[] = "file";

int lod_scans_load(const char *wanted, struct lod_script *ret_script, struct lod_why *why)
{
    const struct lod_script *builtin = lod_script_named(wanted);
    char text[LOD_SCRIPT_TEXT_MAX + 1];
    const char *wrong = NULL;
    unsigned line = 0;
    size_t bytes = 0;

    if (builtin) {
        *ret_script = *builtin;
        return 0;
    }
    int error = read_text(wanted, text, sizeof(text), &bytes);
    if (error == -ENOENT) {
        return lod_refuse(why, error, "neither a built-in scan script nor a file");
    }
    if (error == -E2BIG) {
        return lod_refuse(why, error, "too long for a scan script: over %d bytes",
                          LOD_SCRIPT_TEXT_MAX);
    }
    if (error) {
        return error;
    }
    struct lod_span span = {.at = (const uint8_t *)text, .bytes = bytes};
    error = lod_script_parse(given_name, span, ret_script, &line, &wrong);
    return error ? lod_refuse(why, error, "line %u: %s", line, wrong) : 0;
}
