/* SPDX-License-Identifier: Apache-2.0 */
/* See damage_log.h. Names and paths come from the store, so they are escaped. */
#include "dataset/damage_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "dataset/dataset.h"
#include "hash.h"
#include "backend/store.h"
#include "index/blocks.h"
#include "index/manifest.h"
#include "log.h"

/* The kinds of objects in log lines. They keep their numbers apart. */
enum object { INDEX_OBJECT = 1, ROW_OBJECT, RECORD_OBJECT, FRAME_OBJECT };

void lod_damage_log_init(struct lod_damage_log *log, struct lod_index *index, const char *location,
                         struct lod_store *store)
{
    log->store = store;
    log->index = index;
    log->location = location;
    log->blocks_count = 0;
    lod_log_limit_init(&log->limit);
}

void lod_damage_log_finish(struct lod_damage_log *log)
{
    uint64_t left_out = lod_log_limit_left_out(&log->limit);

    if (left_out) {
        lod_log(LOD_LOG_ERROR, "store %pE: %" PRIu64 " more lines were left out", log->location,
                left_out);
    }
    lod_log_limit_finish(&log->limit);
}

/*
 * Returns whether an error is not worth a line. The lack of a free descriptor is worth one: the
 * limit of the process should be raised.
 */
static bool is_silent(int error)
{
    return error == 0 || (lod_error_is_temporary(error) && error != -EMFILE && error != -ENFILE);
}

/* Returns the error that the reader gets after a logged line. */
static int result_of(int error)
{
    return lod_error_is_temporary(error) ? error : -EIO;
}

static const char *cause(int error)
{
    switch (error) {
    case -EBADMSG:
        return "its hash differs: damaged";
    case -EILSEQ:
        return "malformed";
    case -ENOTSUP:
        return "it needs a newer lodfs";
    case -ENOENT:
        return "there is no such file";
    case -EMFILE:
        return "this process has no free file descriptor; raise its limit (ulimit -n)";
    default:
        return strerror(-error);
    }
}

#define MORE_BYTES       64
#define LAST_ERROR_BYTES 320

/* Returns whether a line may be logged. If so, `ret_more` says how many were left out before it. */
static bool may_log(struct lod_damage_log *log, enum object object, uint64_t place, int error,
                    char ret_more[MORE_BYTES])
{
    uint64_t left_out = 0;

    if (!lod_log_limit_pass(&log->limit, (uint64_t)object << 60 ^ place, (uint64_t)-error,
                            lod_clock_ns(), &left_out)) {
        return false;
    }
    ret_more[0] = '\0';
    if (left_out) {
        snprintf(ret_more, MORE_BYTES, " (%" PRIu64 " more lines were left out before)", left_out);
    }
    return true;
}

/* Writes " (WHY)" with the last failure of a request; "" if none failed, or the bytes are wrong. */
static const char *last_error_of(const struct lod_damage_log *log, int error,
                                 char text[LAST_ERROR_BYTES + 4])
{
    char last_error[LAST_ERROR_BYTES];

    text[0] = '\0';
    if (error != -EBADMSG && error != -EILSEQ && log->store &&
        lod_store_last_error(log->store, last_error, sizeof(last_error))) {
        snprintf(text, LAST_ERROR_BYTES + 4, " (%s)", last_error);
    }
    return text;
}

/* Returns whether the block is to be logged. A damaged block is logged once, or once a minute after
 * LOD_DAMAGE_BLOCKS_MAX blocks. */
static bool is_named(struct lod_damage_log *log, uint64_t block)
{
    bool found = false;

    pthread_mutex_lock(&log->limit.lock);
    for (unsigned i = 0; !found && i < log->blocks_count; i++) {
        found = log->blocks[i] == block;
    }
    if (!found && log->blocks_count < LOD_DAMAGE_BLOCKS_MAX) {
        log->blocks[log->blocks_count++] = block;
    }
    pthread_mutex_unlock(&log->limit.lock);
    return found;
}

const char *lod_damage_of_block(const struct lod_block_failure *failure, char text[LOD_DAMAGE_TEXT])
{
    const bool damaged = failure->error == -EBADMSG;

    snprintf(text, LOD_DAMAGE_TEXT, "the index %s: block %" PRIu64 " at offset %" PRIu64 ": %s",
             damaged ? "is damaged" : "cannot be read", failure->block,
             failure->block * LOD_BLOCK_BYTES,
             damaged ? "its hash differs" LOD_REPAIR_HOW : strerror(-failure->error));
    return text;
}

/* Logs failures of index blocks. If the disk fails, all blocks share one limit of log lines: the
 * number of a block adds no information. */
static void log_blocks(struct lod_damage_log *log)
{
    struct lod_block_failure failure;
    char text[LOD_DAMAGE_TEXT], more[MORE_BYTES], why[LAST_ERROR_BYTES + 4];

    while (log->index && lod_index_failure_take(log->index, &failure)) {
        const bool damaged = failure.error == -EBADMSG;
        if ((!damaged || !is_named(log, failure.block)) &&
            may_log(log, INDEX_OBJECT, damaged ? failure.block + 1 : 0, failure.error, more)) {
            lod_log(LOD_LOG_ERROR, "store %pE: %s%s%s", log->location,
                    lod_damage_of_block(&failure, text), last_error_of(log, failure.error, why),
                    more);
        }
    }
}

int lod_damage_log_row(struct lod_damage_log *log, const char *what, uint32_t number, int error)
{
    char more[MORE_BYTES];

    if (is_silent(error)) {
        return error;
    }
    log_blocks(log);
    if ((error == -EILSEQ || error == -ENOTSUP || error == -E2BIG) &&
        may_log(log, ROW_OBJECT, lod_hash64(what, strlen(what), number), error, more)) {
        lod_log(LOD_LOG_ERROR, "store %pE: index: %s %" PRIu32 ": %s%s", log->location, what,
                number, cause(error), more);
    }
    return result_of(error);
}

void lod_damage_log_path(struct lod_index *index, const struct lod_item *item,
                         char path[LOD_PATH_MAX + 1])
{
    if (item->codec->id == LOD_CODEC_TREE) {
        snprintf(path, LOD_PATH_MAX + 1, "(the tree list)");
    } else if (lod_index_node_path(index, lod_row_own_node(item->row), path)) {
        snprintf(path, LOD_PATH_MAX + 1, "(its path cannot be read)");
    }
}

/* Returns whether a line may be logged. Each damaged frame is an object of its own; any other
 * error belongs to the record. */
static bool may_log_frame(struct lod_damage_log *log, const struct lod_damage_place *place,
                          int error, char more[MORE_BYTES])
{
    const struct lod_item *item = place->item;
    const uint64_t frame[] = {item->number, place->group, place->frame};

    return error == -EBADMSG && place->group
               ? may_log(log, FRAME_OBJECT, lod_hash64(frame, sizeof(frame), 0) >> 4, error, more)
               : may_log(log, RECORD_OBJECT, item->recd.number, error, more);
}

int lod_damage_log_frame(struct lod_damage_log *log, const struct lod_damage_place *place,
                         int error)
{
    const struct lod_item *item = place->item;
    char path[LOD_PATH_MAX + 1], at[96] = "", more[MORE_BYTES], why[LAST_ERROR_BYTES + 4];

    if (is_silent(error)) {
        return error;
    }
    if (!may_log_frame(log, place, error, more)) {
        return result_of(error);
    }
    lod_damage_log_path(log->index, item, path);
    if (place->group) {
        snprintf(at, sizeof(at), " group %u frame %" PRIu64 " offset %" PRIu64, place->group,
                 place->frame, place->offset);
    }
    lod_log(LOD_LOG_ERROR,
            "store %pE: record %s item %" PRIu32 " (slot %" PRIu32 ")%s: %s%s: %pE%s",
            log->location, item->recd.path, item->number, item->number - item->recd.first_item, at,
            cause(error), last_error_of(log, error, why), path, more);
    return result_of(error);
}
