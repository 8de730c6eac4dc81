/* SPDX-License-Identifier: Apache-2.0 */
/* upload.h in a build without libcurl: nothing can be written. */
#include "remote/upload.h"

#include <errno.h>
#include <stdio.h>

#include "backend/location.h"

int lod_upload_open(const char *location, const struct lod_store_settings *settings,
                    uint64_t part_bytes, struct lod_upload **ret_upload, struct lod_why *why)
{
    (void)location;
    (void)settings;
    (void)part_bytes;
    (void)ret_upload;
    return lod_refuse(why, -ENOSYS, "%s", LOD_NO_CURL);
}

struct lod_upload *lod_upload_close(struct lod_upload *upload)
{
    (void)upload;
    return NULL;
}

int lod_upload_stat(struct lod_upload *upload, const struct lod_upload_file *file,
                    struct lod_why *why)
{
    (void)upload;
    (void)file;
    (void)why;
    return -ENOSYS;
}

int lod_upload_compare(struct lod_upload *upload, const struct lod_upload_file *file,
                       struct lod_why *why)
{
    return lod_upload_stat(upload, file, why);
}

int lod_upload_find_bucket(struct lod_upload *upload, const struct lod_upload_file *file,
                           struct lod_why *why)
{
    return lod_upload_stat(upload, file, why);
}

int lod_upload_create(struct lod_upload *upload, const struct lod_upload_file *file,
                      struct lod_why *why)
{
    return lod_upload_stat(upload, file, why);
}
