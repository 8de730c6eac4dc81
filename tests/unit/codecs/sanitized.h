/* SPDX-License-Identifier: Apache-2.0 */
/* Tells whether this is a sanitizer build, whose memory use proves nothing. */
#ifndef LOD_SANITIZED_H
#define LOD_SANITIZED_H

#include <stdbool.h>

/* A sanitizer keeps freed memory, so its growth is not ours. */
static inline bool sample_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return true;
#elif defined(__has_feature)
    return __has_feature(address_sanitizer);
#else
    return false;
#endif
}

#endif
