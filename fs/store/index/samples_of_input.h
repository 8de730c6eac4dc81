/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of a store whose index is being written: its input as a tree of samples. */
#ifndef LOD_SAMPLES_OF_INPUT_H
#define LOD_SAMPLES_OF_INPUT_H

#include <stdint.h>

#include "compiler.h"
#include "index/index_write.h"
#include "index/tree_order.h"
#include "sample/samples_derive.h"

/* `own_nodes`: by item, LOD_NO_NODE where it has none. -ENOMEM, -EILSEQ: a malformed row. */
LOD_MUST_CHECK int lod_samples_of_input(const struct lod_index_input *input,
                                        const struct lod_tree_order *order,
                                        const uint32_t *own_nodes, uint32_t items,
                                        struct lod_samples *ret_samples);

#endif
