/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A serialised tf.train.Example (TensorFlow's example.proto and feature.proto), found in a
 * container. Only fields that decide name, class and place are read.
 */
#ifndef LOD_EXAMPLE_H
#define LOD_EXAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "pack/container/containers.h"

/* The first value of a feature, as bytes of the container; all zero: there is none. */
struct lod_example_value {
    bool found;
    struct lod_run run;
};

struct lod_example {
    bool others; /* it has features besides the picture */
    struct lod_example_value picture, filename, text;
    int32_t label; /* the class: image/class/label, or else label, if it is one number; -1: none */
    /* Of the picture: its entry of the map, and the contents of the map's message around it. */
    uint64_t entry_at, entry_end;
    uint64_t features_at, features_data, features_end;
};

/*
 * Finds the features of the Example in [at, at + bytes). The picture is the feature `walk->key`,
 * or without a key image/encoded, or else image, if it is one value of bytes. Refuses the record if
 * the message is malformed.
 */
LOD_MUST_CHECK int lod_example_read(struct lod_container_walk *walk, uint64_t at, uint64_t bytes,
                                    struct lod_example *ret_example);

#define LOD_EXAMPLE_HEAD 11u
#define LOD_EXAMPLE_RUNS 4u

/*
 * Describes the Example without its picture: a head and runs of the container. The message with the
 * other features of the picture's map comes first; parsers accept any order. Returns the runs.
 */
unsigned lod_example_rest(const struct lod_example *example, uint64_t at, uint64_t bytes,
                          uint8_t head[LOD_EXAMPLE_HEAD], unsigned *ret_head_bytes,
                          struct lod_run runs[LOD_EXAMPLE_RUNS]);

#endif
