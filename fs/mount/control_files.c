/* SPDX-License-Identifier: Apache-2.0 */
/* See control_files.h. */
#include "mount/control_files.h"

#include <stdbool.h>
#include <string.h>

#include "mount/control_metrics.h"
#include "mount/control_text.h"
#include "text.h"

/*
 * Padding of the texts. OpenMetrics allows only one blank before a value, and comments only in this
 * form. An OpenMetrics text ends with the line "# EOF".
 */
static const char fill[] = "# HELP lodfs_fill Blanks:", end[] = ".\n# EOF\n";
#define FILL_BYTES 64 /* longer than both */

/* Writes the current text. A text that does not fit, such as a path of thousands of escaped bytes,
 * is replaced by "{}". */
static size_t write_text(struct lod_control *control, uint32_t number, char *text, size_t room)
{
    int error = number == LOD_INODE_STATS    ? lod_control_stats_text(control, text, room)
                : number == LOD_INODE_CONFIG ? lod_control_config_text(control, text, room)
                : number == LOD_INODE_METRICS
                    ? lod_control_metrics_text(control, LOD_METRICS_TEXT, text, room)
                    : lod_control_metrics_text(control, LOD_METRICS_OPEN, text, room);

    return error ? lod_format(text, room, "{}\n") : strlen(text);
}

static char *text_of(struct lod_control_files *files, uint32_t number)
{
    return files->text[number - LOD_INODE_STATS];
}

/* Writes the text again, and pads it to the size of the file. */
static void refresh(struct lod_control_files *files, uint32_t number)
{
    const size_t bytes = files->bytes[number - LOD_INODE_STATS];
    char *text = text_of(files, number);
    size_t used = write_text(files->control, number, text, LOD_CONTROL_FILE_BYTES - FILL_BYTES);

    if (number == LOD_INODE_OPENMETRICS) {
        memset(text + used, ' ', bytes - used);
        memcpy(text + used, fill, strlen(fill));
        memcpy(text + bytes - strlen(end), end, strlen(end));
    }
}

/* Writes a text for the first time, which gives the file its size. The numbers of both formats of
 * metrics have equal widths. */
static void begin(struct lod_control_files *files, uint32_t number)
{
    size_t *bytes = &files->bytes[number - LOD_INODE_STATS];

    if (number == LOD_INODE_OPENMETRICS) {
        *bytes = files->bytes[LOD_INODE_METRICS - LOD_INODE_STATS] + FILL_BYTES;
        refresh(files, number);
    } else {
        *bytes = write_text(files->control, number, text_of(files, number),
                            LOD_CONTROL_FILE_BYTES - FILL_BYTES);
    }
}

void lod_control_files_init(struct lod_control_files *files, struct lod_control *control)
{
    files->control = control;
    pthread_mutex_init(&files->lock, NULL);
    for (uint32_t n = LOD_INODE_STATS; n <= LOD_INODE_FIXED_LAST; n++) {
        begin(files, n);
    }
}

void lod_control_files_finish(struct lod_control_files *files)
{
    pthread_mutex_destroy(&files->lock);
}

uint64_t lod_control_file_bytes(const struct lod_control_files *files, uint32_t number)
{
    return number >= LOD_INODE_STATS && number <= LOD_INODE_FIXED_LAST
               ? files->bytes[number - LOD_INODE_STATS]
               : 0;
}

void lod_control_file_read(struct lod_control_files *files, uint32_t number, uint64_t offset,
                           char *into, size_t *bytes)
{
    uint64_t size = lod_control_file_bytes(files, number);
    size_t left = offset < size ? (size_t)(size - offset) : 0;

    *bytes = *bytes < left ? *bytes : left;
    if (*bytes == 0) {
        return;
    }
    pthread_mutex_lock(&files->lock);
    if (offset == 0) {
        refresh(files, number);
    }
    memcpy(into, text_of(files, number) + offset, *bytes);
    pthread_mutex_unlock(&files->lock);
}
