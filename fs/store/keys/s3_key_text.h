/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys as a credential_process prints them and as role services answer: a JSON object (AWS SDKs
 * reference guide, "Process credential provider"; Amazon EC2 user guide, "Retrieve security
 * credentials"). Pure. The text comes from outside and may be anything.
 */
#ifndef LOD_S3_KEY_TEXT_H
#define LOD_S3_KEY_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "backend/why.h"
#include "compiler.h"
#include "keys/s3_keys.h"

#define LOD_S3_KEY_TEXT_MAX (16u << 10)

/*
 * Takes the keys and their time of expiry into `keys`, whose other settings stay. `versioned`: the
 * object has a "Version", which is 1. -EINVAL: `why` gets the end of a sentence, which holds
 * nothing of the text; `keys` is unchanged.
 */
LOD_MUST_CHECK int lod_s3_key_text_take(const char *text, size_t bytes, bool versioned,
                                        struct lod_s3_keys *keys, struct lod_why *why);

/* Is every character one that keys have? Others could end a header line. */
bool lod_s3_key_is_plain(const char *key);

#endif
