/* SPDX-License-Identifier: Apache-2.0 */
/* Units made ahead: what ahead.h has done by others. One by one on the host, many on a device. */
#ifndef LOD_MADE_AHEAD_H
#define LOD_MADE_AHEAD_H

#include "ahead.h"

extern const struct lod_ahead_calls lod_made_ahead; /* ctx: a const struct lod_made_in */

#endif
