/* SPDX-License-Identifier: Apache-2.0 */
/* `lodfs order`: its arguments, and the list that they ask for on stdout. */
#ifndef LOD_ORDER_PRINT_H
#define LOD_ORDER_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "option.h"
#include "codec.h"
#include "compiler.h"
#include "order/read_order.h"

enum lod_order_format { LOD_ORDER_PATHS, LOD_ORDER_LST, LOD_ORDER_RECORDS };

struct lod_order_list {
    struct lod_option_list words; /* of -o */
    struct lod_dataset *dataset;
    const char *store, *split, *rank;
    uint64_t seed, run_bytes;
    uint32_t pass, nodes;
    uint32_t rank_number, world;
    enum lod_fidelity fidelity;
    enum lod_order_format format;
    bool stored, nul;
    uint8_t tail; /* 1: wrap */
};

/* Returns -ENOMEM, and errors of the index. */
LOD_MUST_CHECK int lod_order_print(const struct lod_order_list *list,
                                   const struct lod_read_order *order);

#endif
