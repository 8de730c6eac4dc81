/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a store for a command; see open_store.h. */
#include "terminal/open_store.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backend/location.h"
#include "mount/mount_table.h"
#include "terminal/cmd.h"

int lod_open_store(const char *given, const struct lod_option_list *words,
                   struct lod_dataset **ret_dataset)
{
    struct lod_why why = {.text = ""};
    char shown[PATH_MAX];
    struct lod_store_settings settings;
    const struct lod_open_options options = {.settings = &settings, .index_copy = true};
    char *text = NULL, *behind = NULL;
    int code = lod_store_behind(given, &behind);
    const char *location = behind ? behind : given;

    code = code ? code : lod_store_options_take(words, &settings, &text);
    int error = code ? 0 : lod_dataset_open(location, &options, ret_dataset, &why);
    if (error) {
        code = lod_fail(error == -ENOENT   ? LOD_EXIT_NO_STORE
                        : error == -EINVAL ? LOD_EXIT_USAGE
                                           : LOD_EXIT_FAILED,
                        "cannot open the store '%pE'%s%pE%s: %pE",
                        lod_location_show(location, shown, sizeof(shown)),
                        behind ? " of the mount '" : "", behind ? given : "", behind ? "'" : "",
                        lod_why_text(&why, error));
    }
    free(text);
    free(behind);
    return code;
}

int lod_store_behind(const char *given, char **ret_location)
{
    *ret_location = NULL;
    int error = lod_location_is_url(given) ? 0 : lod_mount_table_store(given, ret_location);

    return error ? lod_fail(LOD_EXIT_FAILED, "cannot look up '%pE' in the table of mounts: %s",
                            given, strerrordesc_np(-error))
                 : LOD_EXIT_OK;
}

int lod_store_failed(const char *location, int error)
{
    bool damaged = error == -EBADMSG || error == -EILSEQ || error == -EIO;

    return lod_fail(LOD_EXIT_FAILED, "cannot read the store '%pE': %s", location,
                    damaged ? "its index is damaged" : strerrordesc_np(-error));
}
