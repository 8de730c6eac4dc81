/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a record's metadata that stays in memory: rows, hashes, ends of segments. It knows no
 * files.
 */
#ifndef LOD_RECORD_TABLES_H
#define LOD_RECORD_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "index/index.h"

/* All zero: empty. */
struct lod_record_tables {
    uint8_t *rows;         /* items x LOD_ROW_BYTES */
    uint8_t *hashes;       /* frames x u64, as in the file */
    uint32_t *first_frame; /* for each slot, among all frames of the record */
    uint64_t *ends64;      /* with one group: end of each slot's segment; else NULL */
    uint32_t *ends32;      /* with more: the same, group by group; else NULL */
    size_t memory;
};

/*
 * Reads metadata of recd->metadata_bytes bytes whose hash was checked, as `recd` was. Returns
 * -EILSEQ if it is malformed, or -ENOMEM. Call lod_record_tables_finish after an error too.
 */
LOD_MUST_CHECK int lod_record_tables_take(struct lod_record_tables *tables,
                                          const struct lod_record_desc *recd,
                                          const uint8_t *metadata);
void lod_record_tables_finish(struct lod_record_tables *tables);

/* Returns the end of the slot's segment within `group`. */
static inline uint64_t lod_record_tables_end(const struct lod_record_tables *tables,
                                             const struct lod_record_desc *recd, uint32_t slot,
                                             unsigned group)
{
    return tables->ends64 ? tables->ends64[slot]
                          : tables->ends32[(size_t)(group - 1) * recd->items + slot];
}

/* Returns how many frames `bytes` bytes take. */
static inline uint64_t lod_frames_of(uint64_t bytes, unsigned shift)
{
    return (bytes >> shift) + ((bytes & ((1ull << shift) - 1)) != 0);
}

#endif
