/* SPDX-License-Identifier: Apache-2.0 */
/* In place of ring.c in a build with a libfuse that has no io_uring. */
#include "fuse/ring.h"

#include "log.h"

unsigned lod_ring_threads(void)
{
    return 0;
}

bool lod_ring_pays(const struct lod_dataset *dataset)
{
    (void)dataset;
    lod_log(LOD_LOG_WARNING, "this lodfs was built without io_uring, for which libfuse 3.18 is "
                             "necessary, so requests come through /dev/fuse");
    return false;
}

int lod_ring_add_words(char **text)
{
    (void)text;
    return 0;
}

bool lod_ring_choose(struct fuse_conn_info *conn, bool asked)
{
    (void)conn;
    (void)asked;
    return false;
}
