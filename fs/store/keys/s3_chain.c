/* SPDX-License-Identifier: Apache-2.0 */
/* See s3_chain.h. */
#include "keys/s3_chain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "keys/s3_key_text.h"
#include "keys/s3_process.h"
#include "keys/s3_role.h"

#define RENEW_BEFORE_S  300
#define RETRY_EXPIRED_S 60u
#define USE_MIN_S       2u

uint64_t lod_s3_chain_seconds(int64_t expires_s, int64_t now_s)
{
    const int64_t left = expires_s - now_s;

    if (!expires_s) {
        return 0;
    }
    if (left <= 0) {
        return RETRY_EXPIRED_S;
    }
    const uint64_t use = (uint64_t)(left > 2 * RENEW_BEFORE_S ? left - RENEW_BEFORE_S : left / 2);
    return use > USE_MIN_S ? use : USE_MIN_S;
}

static int read_process(const struct lod_s3_wait *wait, struct lod_s3_keys *keys,
                        struct lod_why *why)
{
    char text[LOD_S3_KEY_TEXT_MAX];
    struct lod_why end = {.text = ""};
    size_t bytes = 0;

    int error = lod_s3_process_run(keys->process, wait, text, sizeof(text), &bytes, &end);
    error = error ? error : lod_s3_key_text_take(text, bytes, true, keys, &end);
    explicit_bzero(text, sizeof(text));
    return error ? lod_refuse(why, error == -EINVAL ? -EACCES : error,
                              "the credential_process of the profile %s",
                              end.text[0] ? end.text : "cannot be read: out of memory")
                 : 0;
}

static int read_role(const struct lod_s3_wait *wait, struct lod_s3_keys *keys, struct lod_why *why)
{
    int error = lod_s3_role_read(wait, keys, why);

    return error != -ENOENT
               ? error
               : lod_refuse(
                     why, -EACCES,
                     "there are no keys; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a "
                     "profile with profile=, or read a public bucket with anonymous");
}

int lod_s3_chain_read(const char *profile, const struct lod_s3_wait *wait,
                      struct lod_s3_keys *ret_keys, struct lod_why *why)
{
    int error = lod_s3_keys_read(profile, ret_keys, why);

    if (error || ret_keys->id[0]) {
        return error;
    }
    if (ret_keys->process[0]) {
        error = read_process(wait, ret_keys, why);
    } else if (ret_keys->role[0]) {
        error = lod_refuse(
            why, -EACCES,
            "the profile asks for a role or a single sign-on; give it a credential_process "
            "that gets the keys");
    } else {
        error = read_role(wait, ret_keys, why);
    }
    if (error) {
        explicit_bzero(ret_keys, sizeof(*ret_keys));
    }
    return error;
}
