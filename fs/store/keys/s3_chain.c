/* SPDX-License-Identifier: Apache-2.0 */
/* See s3_chain.h. */
#include "keys/s3_chain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "keys/s3_key_text.h"
#include "keys/s3_process.h"
#include "keys/s3_role.h"

#define EARLY_S   300
#define EXPIRED_S 60u
#define SHORT_S   2u

uint64_t lod_s3_chain_seconds(int64_t expires_s, int64_t now_s)
{
    const int64_t left = expires_s - now_s;

    if (!expires_s) {
        return 0;
    }
    if (left <= 0) {
        return EXPIRED_S;
    }
    const uint64_t use = (uint64_t)(left > 2 * EARLY_S ? left - EARLY_S : left / 2);
    return use > SHORT_S ? use : SHORT_S;
}

static int read_process(const struct lod_s3_wait *wait, struct lod_s3_keys *keys, char *why,
                        size_t why_room)
{
    char text[LOD_S3_KEY_TEXT_MAX], end[200] = "";
    size_t bytes = 0;

    int error =
        lod_s3_process_run(keys->process, wait, text, sizeof(text), &bytes, end, sizeof(end));
    error = error ? error : lod_s3_key_text_take(text, bytes, true, keys, end, sizeof(end));
    explicit_bzero(text, sizeof(text));
    if (error) {
        snprintf(why, why_room, "the credential_process of the profile %s",
                 end[0] ? end : "cannot be read: out of memory");
    }
    return error == -EINVAL ? -EACCES : error;
}

static int read_role(const struct lod_s3_wait *wait, struct lod_s3_keys *keys, char *why,
                     size_t why_room)
{
    int error = lod_s3_role_read(wait, keys, why, why_room);

    if (error == -ENOENT) {
        snprintf(why, why_room,
                 "there are no keys; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a "
                 "profile with profile=, or read a public bucket with anonymous");
    }
    return error == -ENOENT ? -EACCES : error;
}

int lod_s3_chain_read(const char *profile, const struct lod_s3_wait *wait,
                      struct lod_s3_keys *ret_keys, char *why, size_t why_room)
{
    int error = lod_s3_keys_read(profile, ret_keys, why, why_room);

    if (error || ret_keys->id[0]) {
        return error;
    }
    if (ret_keys->process[0]) {
        error = read_process(wait, ret_keys, why, why_room);
    } else if (ret_keys->role[0]) {
        snprintf(why, why_room,
                 "the profile asks for a role or a single sign-on; give it a credential_process "
                 "that gets the keys");
        error = -EACCES;
    } else {
        error = read_role(wait, ret_keys, why, why_room);
    }
    if (error) {
        explicit_bzero(ret_keys, sizeof(*ret_keys));
    }
    return error;
}
