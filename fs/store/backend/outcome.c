/* SPDX-License-Identifier: Apache-2.0 */
/* See outcome.h. */
#include "backend/outcome.h"

#include <errno.h>

static const struct {
    int error;
    const char *name;
} outcomes[LOD_OUTCOMES] = {
    [LOD_OUTCOME_OK] = {0, "ok"},
    [LOD_OUTCOME_IO] = {-EIO, "eio"},
    [LOD_OUTCOME_STALE] = {-ESTALE, "estale"},
    [LOD_OUTCOME_TIMEOUT] = {-ETIMEDOUT, "etimedout"},
    [LOD_OUTCOME_ACCESS] = {-EACCES, "eacces"},
    [LOD_OUTCOME_BUSY] = {-EBUSY, "ebusy"},
    [LOD_OUTCOME_OTHER] = {1, "other"}, /* no errno: any other error */
};

enum lod_outcome lod_outcome_of(int error)
{
    unsigned i = 0;

    while (i < LOD_OUTCOME_OTHER && outcomes[i].error != error) {
        i++;
    }
    return (enum lod_outcome)i;
}

const char *lod_outcome_name(enum lod_outcome outcome)
{
    return outcomes[outcome].name;
}
