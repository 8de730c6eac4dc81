/* SPDX-License-Identifier: Apache-2.0 */
/* See ring.h. */
#include "fuse/ring.h"

#include <stdio.h>
#include <sys/sysinfo.h>

#include "log.h"
#include "mount/memory_plan.h"

unsigned lod_ring_threads(void)
{
    return (unsigned)get_nprocs_conf(); /* as libfuse does */
}

bool lod_ring_pays(const struct lod_dataset *dataset)
{
    /* The thread of a processor waits for the store, and with it all requests of that processor. */
    const bool pays =
        lod_store_is_shared(lod_dataset_store(dataset)) && lod_dataset_loads(dataset) == 1;

    if (!pays) {
        lod_log(LOD_LOG_WARNING, "io_uring pays for stores on a local disk with "
                                 "store_cache=shared, so requests come through /dev/fuse");
    }
    return pays;
}

int lod_ring_add_words(char **text)
{
    char words[64];

    snprintf(words, sizeof(words), "io_uring,io_uring_q_depth=%u", LOD_RING_DEPTH);
    return fuse_opt_add_opt(text, words);
}

bool lod_ring_choose(struct fuse_conn_info *conn, bool asked)
{
    const bool offered = fuse_get_feature_flag(conn, FUSE_CAP_OVER_IO_URING);

    if (asked && !offered) {
        lod_log(LOD_LOG_WARNING,
                "the kernel does not offer io_uring, so requests come through /dev/fuse; Linux "
                "6.14 does after echo Y >/sys/module/fuse/parameters/enable_uring by root");
    }
    if (!asked) {
        conn->want &= ~(unsigned)FUSE_CAP_OVER_IO_URING;
    }
    return asked && offered;
}
