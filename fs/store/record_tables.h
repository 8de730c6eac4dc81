/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an open record keeps of its metadata: rows, hashes, where segments end. Bytes in memory
 * only; knows no files.
 */
#ifndef LOD_RECORD_TABLES_H
#define LOD_RECORD_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "store/index.h"

/* All zero: empty. */
struct lod_record_tables {
    uint8_t *rows;         /* items x LOD_ROW_BYTES */
    uint8_t *hashes;       /* frames x u64, as in the file */
    uint32_t *first_frame; /* by slot, among all frames of the record */
    uint64_t *ends64;      /* one group: end of each slot's segment in it; else NULL */
    uint32_t *ends32;      /* more: the same, group by group; else NULL */
    size_t memory;
};

/*
 * From metadata of recd->metadata_bytes bytes whose hash is right; `recd` was checked. -EILSEQ:
 * malformed; -ENOMEM. To be finished in any case.
 */
LOD_MUST_CHECK int lod_record_tables_take(struct lod_record_tables *tables,
                                          const struct lod_recd *recd, const uint8_t *metadata);
void lod_record_tables_finish(struct lod_record_tables *tables);

/* End of the slot's segment within `group`. */
uint64_t lod_record_tables_end(const struct lod_record_tables *tables, const struct lod_recd *recd,
                               uint32_t slot, unsigned group);

/* Frames of so many bytes. */
static inline uint64_t lod_frames_of(uint64_t bytes, unsigned shift)
{
    return (bytes >> shift) + ((bytes & ((1ull << shift) - 1)) != 0);
}

#endif
