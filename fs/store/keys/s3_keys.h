/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys and settings for S3 as the AWS tools keep them: environment variables, ~/.aws/config and
 * ~/.aws/credentials (AWS CLI user guide, "Configuration and credential file settings"). No option
 * and no URL holds a key. s3_chain.h asks programs and services where there are no keys here.
 */
#ifndef LOD_S3_KEYS_H
#define LOD_S3_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "backend/why.h"
#include "compiler.h"

#define LOD_S3_VALUE_MAX 4096 /* of one setting, NUL included */

/* Empty: not set. */
struct lod_s3_keys {
    char id[LOD_S3_VALUE_MAX], secret[LOD_S3_VALUE_MAX], token[LOD_S3_VALUE_MAX];
    char region[LOD_S3_VALUE_MAX], endpoint[LOD_S3_VALUE_MAX], ca_file[LOD_S3_VALUE_MAX];
    char process[LOD_S3_VALUE_MAX]; /* the command that gives keys: credential_process */
    /* a setting that lodfs does not support, but a credential_process can */
    char role[LOD_S3_VALUE_MAX];
    int64_t expires_s; /* Unix time; 0: not known, or never */
};

/*
 * Reads all settings. `profile` NULL is AWS_PROFILE, else "default". The keys of a named profile
 * are used even if the environment has some. `why` gets a sentence, which holds no key.
 *
 *   -ENOENT                       the profile that was named does not exist
 *   -EINVAL                       a file is malformed, or a setting is too long
 *   -EACCES, -EISDIR and others   a file cannot be read
 */
LOD_MUST_CHECK int lod_s3_keys_read(const char *profile, struct lod_s3_keys *ret_keys,
                                    struct lod_why *why);

#endif
