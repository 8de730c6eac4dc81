/* SPDX-License-Identifier: Apache-2.0 */
/* The state of checking one record, shared by the files that do so. */
#ifndef LOD_CHECK_RECORD_H
#define LOD_CHECK_RECORD_H

#include "record/metadata.h"
#include "record/record.h"
#include "verify/check.h"

struct lod_record_check {
    struct lod_verify *verify;
    bool in_index; /* `recd` is from the index; else from the record's header */
    struct lod_record_desc recd;
    struct lod_record *record;
    struct lod_metadata metadata;
    const struct lod_codec *codec;
    uint8_t *frame; /* memory for the largest frame */
};

/* Returns a finding in this record's file, to be completed. */
struct lod_finding lod_record_check_finding(const struct lod_record_check *c, const char *what,
                                            uint16_t fidelities);

/* Returns the cause of a read error as a static text. */
const char *lod_record_check_cause(int error);

/* Adds the finding for a record that cannot be opened because of `why` (an error of
 * lod_record_open), and one for every affected file. */
LOD_MUST_CHECK int lod_record_check_refuse(struct lod_record_check *c, int why);

/* Returns the path of a slot from the record, NUL-terminated; NULL if there is none. */
const char *lod_record_check_path(struct lod_record_check *c, uint32_t slot,
                                  char path[LOD_PATH_MAX + 1]);

/* Checks rows, path entries, identity, and the list of a tree record. */
LOD_MUST_CHECK int lod_record_check_metadata(struct lod_record_check *c);

/* Makes all forms of the items whose group 1 begins in [low, high) of the file. */
LOD_MUST_CHECK int lod_record_check_forms(struct lod_record_check *c, uint64_t low, uint64_t high);

#endif
