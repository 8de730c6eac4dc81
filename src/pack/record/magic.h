/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lists of magic words of a record's items (FORMAT.md, Magic words), while pack has the bytes.
 * Pictures that recordio/ cannot contain get a reason, which the summary prints.
 */
#ifndef LOD_MAGIC_H
#define LOD_MAGIC_H

#include "compiler.h"
#include "encoder.h"
#include "pack/record/job.h"
#include "record/metadata.h"

/* Drops all lists, before slots are laid out again. */
void lod_magic_begin(struct lod_record_job *job);

/*
 * Gives the last slot its list: from the encoded item; from the source, which is read
 * once more if it can be a picture or a label. A source that cannot be read gets none, and fails
 * when it is copied. Returns -ENOMEM or -EILSEQ.
 */
LOD_MUST_CHECK int lod_magic_of_encoded(struct lod_record_job *job, const struct lod_encoded *item);
LOD_MUST_CHECK int lod_magic_of_copied(struct lod_record_job *job);

/* Gives a slot the list that it has in a record of an earlier run. */
LOD_MUST_CHECK int lod_magic_of_kept(struct lod_record_job *job, uint32_t slot,
                                     const struct lod_metadata *metadata);

/* Sets the pointers to the lists of all slots, which may have moved while lists were added. */
void lod_magic_set_lists(struct lod_record_job *job);

#endif
