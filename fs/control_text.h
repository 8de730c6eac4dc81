/* SPDX-License-Identifier: Apache-2.0 */
/* The counters and facts of a mount as JSON. */
#ifndef LOD_CONTROL_TEXT_H
#define LOD_CONTROL_TEXT_H

#include <stddef.h>

#include "compiler.h"
#include "control.h"

/* Each writes NUL-terminated text without a line's end at its end. -E2BIG: no room; -ENOMEM. */
LOD_MUST_CHECK int lod_control_stats_text(struct lod_control *control, char *text, size_t room);
LOD_MUST_CHECK int lod_control_config_text(struct lod_control *control, char *text, size_t room);

#endif
