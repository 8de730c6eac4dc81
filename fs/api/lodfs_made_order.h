/* SPDX-License-Identifier: Apache-2.0 */
/* The order behind a handle of liblodfs. */
#ifndef LOD_LODFS_MADE_ORDER_H
#define LOD_LODFS_MADE_ORDER_H

#include "api/lodfs_order.h"
#include "order/read_order.h"

/* It lives as long as the handle. */
const struct lod_read_order *lod_made_order(const struct lodfs_order *order);

#endif
