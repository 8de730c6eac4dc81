/* SPDX-License-Identifier: Apache-2.0 */
/* One record being checked: what the files of that share. */
#ifndef LOD_CHECK_RECORD_H
#define LOD_CHECK_RECORD_H

#include "store/metadata.h"
#include "store/record.h"
#include "verify/check.h"

struct lod_record_check {
    struct lod_verify *verify;
    bool in_index; /* `recd` is a row of it; else the record's own header */
    struct lod_recd recd;
    struct lod_record *record;
    struct lod_metadata metadata;
    const struct lod_codec *codec;
    uint8_t *frame; /* room for the largest one */
};

/* The beginning of a finding in this record's file. */
struct lod_finding lod_record_check_finding(const struct lod_record_check *c, const char *what,
                                            uint16_t fidelities);

/* What an error of reading says of the bytes; static. */
const char *lod_record_check_cause(int error);

/* The record cannot be opened: why (an errno of lod_record_open), and every file it costs. */
LOD_MUST_CHECK int lod_record_check_refuse(struct lod_record_check *c, int why);

/* The path of a slot as the record has it, NUL-terminated; NULL: none. */
const char *lod_record_check_path(struct lod_record_check *c, uint32_t slot,
                                  char path[LOD_PATH_MAX + 1]);

/* Rows, path entries, identity, and a tree record's list. */
LOD_MUST_CHECK int lod_record_check_metadata(struct lod_record_check *c);

/* All that can be made of the items whose group 1 begins in [low, high) of the file. */
LOD_MUST_CHECK int lod_record_check_forms(struct lod_record_check *c, uint64_t low, uint64_t high);

#endif
