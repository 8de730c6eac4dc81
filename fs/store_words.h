/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of -o that say how a store behind a URL is reached: rows for the tables of mount and of
 * the commands that read stores. `type` has a struct lod_store_settings at `member`.
 */
#ifndef LOD_STORE_WORDS_H
#define LOD_STORE_WORDS_H

#include "backend/store_settings.h"
#include "option.h"

/* clang-format off */
#define LOD_STORE_WORDS(type, member)                                                              \
    LOD_ROW_TEXT(LOD_OPTION_TEXT, LOD_FIELD(type, member endpoint), 0, "endpoint", "URL", 0,       \
                 "s3://: https://HOST of a server that is not Amazon's"),                          \
    LOD_ROW_TEXT(LOD_OPTION_TEXT, LOD_FIELD(type, member region), 0, "region", "NAME", 0,          \
                 "s3://: where the bucket is (default us-east-1)"),                                \
    LOD_ROW_TEXT(LOD_OPTION_TEXT, LOD_FIELD(type, member profile), 0, "profile", "NAME", 0,        \
                 "s3://: the profile in ~/.aws/credentials whose keys are used"),                  \
    LOD_ROW_FLAG(LOD_FIELD(type, member anonymous), 0, "anonymous",                                \
                 "s3://: no keys, for a public bucket"),                                           \
    LOD_ROW_FLAG(LOD_FIELD(type, member virtual_host), 0, "virtual_host",                          \
                 "s3://: the bucket is part of the host's name"),                                  \
    LOD_ROW_TEXT(LOD_OPTION_TEXT, LOD_FIELD(type, member ca_file), 0, "ca_file", "FILE", 0,        \
                 "URL: certificates that are trusted (default: the system's)"),                    \
    LOD_ROW_NUMBER(LOD_OPTION_NUMBER, LOD_FIELD(type, member connections), 0, "connections", "N",  \
                   1, LOD_CONNECTIONS_MAX, "URL: requests at a time (default 16)")
/* clang-format on */

#endif
