/* SPDX-License-Identifier: Apache-2.0 */
/* The counters and facts of a mount as JSON. */
#ifndef LOD_CONTROL_TEXT_H
#define LOD_CONTROL_TEXT_H

#include <stddef.h>

#include "compiler.h"
#include "mount/control.h"

/* Each writes NUL-terminated text that ends with a newline. Returns -E2BIG if there is no room. */
LOD_MUST_CHECK int lod_control_stats_text(struct lod_control *control, char *text, size_t room);
LOD_MUST_CHECK int lod_control_config_text(struct lod_control *control, char *text, size_t room);

#endif
