/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of MOUNT/.lodfs. Their sizes are constant while mounted, since a reply shorter than
 * st_size would shrink the file for the kernel. So every changing value has a fixed width.
 */
#ifndef LOD_CONTROL_FILES_H
#define LOD_CONTROL_FILES_H

#include <pthread.h>
#include <stdint.h>

#include "mount/control.h"
#include "views/inode.h"

#define LOD_CONTROL_FILE_BYTES 32768 /* limit of each file */
#define LOD_CONTROL_FILES      (LOD_INODE_FIXED_LAST - LOD_INODE_STATS + 1)

/* The texts as of the last read at offset 0. */
struct lod_control_files {
    struct lod_control *control;
    size_t bytes[LOD_CONTROL_FILES]; /* st_size; set at init */
    pthread_mutex_t lock;            /* guards text */
    char text[LOD_CONTROL_FILES][LOD_CONTROL_FILE_BYTES];
};

void lod_control_files_init(struct lod_control_files *files, struct lod_control *control);
void lod_control_files_finish(struct lod_control_files *files);

/* Returns st_size. `control` is empty: it takes ioctls. */
uint64_t lod_control_file_bytes(const struct lod_control_files *files, uint32_t number);

/*
 * Copies exactly the bytes of [offset, offset + *bytes), clipped to the end, and sets *bytes. A
 * read at offset 0 makes a new text; other reads continue in it.
 */
void lod_control_file_read(struct lod_control_files *files, uint32_t number, uint64_t offset,
                           char *into, size_t *bytes);

#endif
