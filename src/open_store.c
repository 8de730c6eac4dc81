/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a store for a command; see open_store.h. */
#include "open_store.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "log.h"

#define WHY_BYTES 512

int lod_open_store(const char *location, struct lod_dataset **ret_dataset)
{
    char why[WHY_BYTES] = "", name[4 * LOD_PATH_MAX + 1];
    int error = lod_dataset_open(location, ret_dataset, why, sizeof(why));

    if (!error) {
        return LOD_EXIT_OK;
    }
    lod_escape(location, strlen(location), name, sizeof(name));
    fprintf(stderr, "lodfs: cannot open the store '%s': %s\n", name,
            why[0] ? why : strerrordesc_np(-error));
    return error == -ENOENT ? LOD_EXIT_NO_STORE : LOD_EXIT_FAILED;
}

int lod_store_failed(const char *location, int error)
{
    char name[4 * LOD_PATH_MAX + 1];
    bool damaged = error == -EBADMSG || error == -EILSEQ || error == -EIO;

    lod_escape(location, strlen(location), name, sizeof(name));
    fprintf(stderr, "lodfs: cannot read the store '%s': %s\n", name,
            damaged ? "its index is damaged" : strerrordesc_np(-error));
    return LOD_EXIT_FAILED;
}
