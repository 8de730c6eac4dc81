/* SPDX-License-Identifier: Apache-2.0 */
/* A callback that repair asks between its steps whether to stop. All zero: it never stops. */
#ifndef LOD_INTERRUPT_H
#define LOD_INTERRUPT_H

#include "compiler.h"

struct lod_interrupt {
    int (*poll)(void *ctx); /* 0, or -EINTR; may be NULL */
    void *ctx;
};

LOD_MUST_CHECK static inline int lod_interrupted(struct lod_interrupt interrupt)
{
    return interrupt.poll ? interrupt.poll(interrupt.ctx) : 0;
}

#endif
