/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of MOUNT/.lodfs. Their size never changes, since a reply that is shorter than st_size
 * would shrink the file for the kernel: the text ends with blanks and a line's end.
 */
#ifndef LOD_CONTROL_FILES_H
#define LOD_CONTROL_FILES_H

#include <pthread.h>
#include <stdint.h>

#include "compiler.h"
#include "control.h"
#include "inode.h"

#define LOD_CONTROL_FILE_BYTES 32768

/* What they said when they were last read from their beginning. */
struct lod_control_files {
    struct lod_control *control;
    pthread_mutex_t lock; /* of text */
    char text[LOD_INODE_FIXED_LAST - LOD_INODE_STATS + 1][LOD_CONTROL_FILE_BYTES];
};

void lod_control_files_init(struct lod_control_files *files, struct lod_control *control);
void lod_control_files_finish(struct lod_control_files *files);

/* st_size: control itself is empty, it takes ioctls. */
uint64_t lod_control_file_bytes(uint32_t number);

/*
 * Exactly the bytes at [offset, offset + *bytes), clipped to the end, into `into`; the new number
 * in *bytes. A read from offset 0 looks anew, others go on in what it saw. -ENOMEM.
 */
LOD_MUST_CHECK int lod_control_file_read(struct lod_control_files *files, uint32_t number,
                                         uint64_t offset, char *into, size_t *bytes);

#endif
