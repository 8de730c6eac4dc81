/* SPDX-License-Identifier: Apache-2.0 */
/* One photograph of a survey: decoded at every fidelity, resized, compared with full. */
#ifndef LOD_SURVEY_PHOTO_H
#define LOD_SURVEY_PHOTO_H

#include "compiler.h"
#include "dataset/dataset.h"
#include "memory/memory_semaphore.h"
#include "read/reader.h"
#include "survey/survey_rule.h"

/*
 * Measures one item for each input of the options. `work` bounds the memory of all threads that
 * measure. Bytes that cannot be read or compared are an outcome. Returns -ENOMEM or another error
 * of lod_error_is_temporary.
 */
LOD_MUST_CHECK int lod_survey_photo_measure(struct lod_reader *reader, const struct lod_item *item,
                                            const struct lod_survey_options *options,
                                            struct lod_memory_semaphore *work,
                                            struct lod_survey_photo *ret_photos);

#endif
