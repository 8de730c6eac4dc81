/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of a mount for Prometheus, in its text format 0.0.4 and as OpenMetrics 1.0. */
#ifndef LOD_CONTROL_METRICS_H
#define LOD_CONTROL_METRICS_H

#include <stddef.h>

#include "compiler.h"
#include "mount/control.h"

enum lod_metrics_format { LOD_METRICS_TEXT, LOD_METRICS_OPEN };

/* Writes NUL-terminated lines, for OpenMetrics without the final "# EOF". Returns -E2BIG if there
 * is no room. */
LOD_MUST_CHECK int lod_control_metrics_text(struct lod_control *control,
                                            enum lod_metrics_format format, char *text,
                                            size_t room);

#endif
