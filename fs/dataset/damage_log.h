/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs damage of stored bytes, and translates the error. Each object and kind of error gets at
 * most one line a minute, and each damaged block of the index one line. Of errors that do not
 * concern the store only -EMFILE and -ENFILE are logged.
 */
#ifndef LOD_DAMAGE_LOG_H
#define LOD_DAMAGE_LOG_H

#include <stdint.h>

#include "compiler.h"
#include "index/index.h"
#include "log_limit.h"

struct lod_item;
struct lod_block_failure;
struct lod_store;

#define LOD_DAMAGE_BLOCKS_MAX 256u /* limit of the index blocks that are logged once each */

struct lod_damage_log {
    struct lod_index *index; /* borrowed, like the location of the store */
    const char *location;
    struct lod_store *store;    /* knows why requests failed; NULL: reasons are not logged */
    struct lod_log_limit limit; /* its lock guards the blocks too */
    uint64_t blocks[LOD_DAMAGE_BLOCKS_MAX];
    unsigned blocks_count;
};

/* The place of a failed read. Group 0: the record itself could not be opened. */
struct lod_damage_place {
    const struct lod_item *item;
    unsigned group;
    uint64_t frame, offset;
};

/* Borrows all. `store` may be NULL. */
void lod_damage_log_init(struct lod_damage_log *log, struct lod_index *index, const char *location,
                         struct lod_store *store);

/* Logs how many lines were left out since the last one. */
void lod_damage_log_finish(struct lod_damage_log *log);

/*
 * Logs an error of a row of the index; `what` is "node" or "item". Returns -EIO. 0 and errors of
 * lod_error_is_temporary are returned as they are. -EIO of a row may have been logged
 * already, and is not logged again. Any thread.
 */
LOD_MUST_CHECK int lod_damage_log_row(struct lod_damage_log *log, const char *what, uint32_t number,
                                      int error);
LOD_MUST_CHECK int lod_damage_log_frame(struct lod_damage_log *log,
                                        const struct lod_damage_place *place, int error);

/* Writes the path of the item's node, for a log line. If there is none, the text says so. */
void lod_damage_log_path(struct lod_index *index, const struct lod_item *item,
                         char path[LOD_PATH_MAX + 1]);

/* Writes "the index is damaged: block 16 at offset 65536: its hash differs; ..". Returns `text`. */
#define LOD_DAMAGE_TEXT 192
const char *lod_damage_of_block(const struct lod_block_failure *failure,
                                char text[LOD_DAMAGE_TEXT]);

#endif
