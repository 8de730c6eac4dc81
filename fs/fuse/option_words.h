/* SPDX-License-Identifier: Apache-2.0 */
/* The -o words one by one; options.c alone uses them. An `arg` is WORD or WORD=VALUE. */
#ifndef LOD_OPTION_WORDS_H
#define LOD_OPTION_WORDS_H

#include <cjson/cJSON.h>

#include "compiler.h"
#include "fuse/options.h"

enum lod_word_use {
    LOD_WORD_UNKNOWN,
    LOD_WORD_ALONE,   /* takes no value */
    LOD_WORD_VALUED,  /* takes one */
    LOD_WORD_MOUNT8,  /* mount(8) means it for itself */
    LOD_WORD_WRITES,  /* rw, which no store can be */
    LOD_WORD_CHANGES, /* remount, which no mount can be */
};

enum lod_word_use lod_option_use(const char *arg);

/* What a word that is not LOD_WORD_UNKNOWN takes, as a sentence without its subject. */
const char *lod_option_takes(const char *arg);

/* The options with that word. -EINVAL: not a value it can have. -ENOMEM. */
LOD_MUST_CHECK int lod_option_set(const char *arg, struct lod_fuse_options *options);

/* object[word] = value, for each word that has one. -ENOMEM. */
LOD_MUST_CHECK int lod_option_show(const struct lod_fuse_options *options, cJSON *object);

#endif
