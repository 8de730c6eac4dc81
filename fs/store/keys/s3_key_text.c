/* SPDX-License-Identifier: Apache-2.0 */
/* See s3_key_text.h. The tree of cJSON holds keys too, so its strings are wiped. */
#include "keys/s3_key_text.h"

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEPTH_MAX                                                                                  \
    8u /* of nested objects; deeper documents are refused, since wipe() is recursive */

/* False: the text nests too deep. */
static bool wipe(cJSON *json, unsigned depth)
{
    bool all = depth < DEPTH_MAX;

    for (cJSON *item = json; all && item; item = item->next) {
        if (item->valuestring) {
            explicit_bzero(item->valuestring, strlen(item->valuestring));
        }
        all = wipe(item->child, depth + 1);
    }
    return all || !json;
}

bool lod_s3_key_is_plain(const char *key)
{
    while (*key > ' ' && *key <= '~') {
        key++;
    }
    return !*key;
}

/* "2026-11-22T20:00:00Z", perhaps with a fraction, or an offset such as +01:00. */
static bool take_time(const char *text, int64_t *ret_seconds)
{
    struct tm when = {0};
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &when);
    unsigned hours = 0, minutes = 0;
    char sign = '+';

    if (!rest) {
        return false;
    }
    if (*rest == '.') {
        rest += 1 + strspn(rest + 1, "0123456789");
    }
    if (strcmp(rest, "Z") != 0 &&
        (strlen(rest) != 6 || sscanf(rest, "%c%2u:%2u", &sign, &hours, &minutes) != 3 ||
         (sign != '+' && sign != '-'))) {
        return false;
    }
    const int64_t offset = 60 * (60 * (int64_t)hours + minutes);
    *ret_seconds = (int64_t)timegm(&when) - (sign == '+' ? offset : -offset);
    return *ret_seconds > 0;
}

/* Copies a text of the document; if it is absent, `value` becomes empty. Returns false if it cannot
 * be part of a key. */
static bool copy(const cJSON *json, const char *name, char value[LOD_S3_VALUE_MAX])
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
    const char *text = cJSON_GetStringValue(item);

    value[0] = '\0';
    if (!item || cJSON_IsNull(item)) {
        return true;
    }
    return text && snprintf(value, LOD_S3_VALUE_MAX, "%s", text) < LOD_S3_VALUE_MAX &&
           lod_s3_key_is_plain(text);
}

static int take_keys(const cJSON *json, struct lod_s3_keys *keys, struct lod_why *why)
{
    char expires[LOD_S3_VALUE_MAX];
    bool right = copy(json, "AccessKeyId", keys->id) &&
                 copy(json, "SecretAccessKey", keys->secret) &&
                 copy(json, "SessionToken", keys->token) && copy(json, "Expiration", expires);

    if (right && !keys->token[0]) {
        right = copy(json, "Token", keys->token);
    }
    if (!right || !keys->id[0] || !keys->secret[0]) {
        return lod_refuse(why, -EINVAL, "gives no AccessKeyId and SecretAccessKey");
    }
    if (expires[0] && !take_time(expires, &keys->expires_s)) {
        return lod_refuse(why, -EINVAL, "gives an Expiration that is no time");
    }
    return 0;
}

static int take(const cJSON *json, bool versioned, struct lod_s3_keys *keys, struct lod_why *why)
{
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(json, "Version");
    const char *code = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "Code"));

    if (!cJSON_IsObject(json)) {
        return lod_refuse(why, -EINVAL, "gives something other than a JSON object with keys");
    }
    if (versioned && (!cJSON_IsNumber(version) || version->valueint != 1)) {
        return lod_refuse(why, -EINVAL, "gives keys of another Version than 1");
    }
    if (code && strcmp(code, "Success") != 0) {
        return lod_refuse(why, -EINVAL, "says that it has no keys now");
    }
    return take_keys(json, keys, why);
}

int lod_s3_key_text_take(const char *text, size_t bytes, bool versioned, struct lod_s3_keys *keys,
                         struct lod_why *why)
{
    cJSON *json = bytes <= LOD_S3_KEY_TEXT_MAX ? cJSON_ParseWithLength(text, bytes) : NULL;
    struct lod_s3_keys *taken = malloc(sizeof(*taken));
    int error = taken ? 0 : -ENOMEM;

    if (taken) {
        *taken = *keys;
        taken->expires_s = 0;
        error = take(json, versioned, taken, why);
    }
    if (!wipe(json, 0) && !error) {
        error = lod_refuse(why, -EINVAL, "gives JSON that nests too deep");
    }
    cJSON_Delete(json);
    if (!error) {
        *keys = *taken;
    }
    if (taken) {
        explicit_bzero(taken, sizeof(*taken));
    }
    free(taken);
    return error;
}
