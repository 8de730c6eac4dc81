/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a check of a store as a command runs them: with threads, a progress line, and an end
 * by signals. */
#ifndef LOD_VERIFY_SHOW_H
#define LOD_VERIFY_SHOW_H

#include "compiler.h"
#include "terminal/cancel.h"
#include "terminal/progress.h"
#include "verify/verify.h"

/* Returns -ENOMEM, or -EINTR after a signal. */
LOD_MUST_CHECK int lod_verify_show(struct lod_verify *verify, unsigned threads,
                                   struct lod_progress *progress, struct lod_cancel *cancel);

#endif
