/* SPDX-License-Identifier: Apache-2.0 */
/* upload.h in a build without libcurl: nothing can be written. */
#include "remote/upload.h"

#include <errno.h>
#include <stdio.h>

#include "backend/location.h"

int lod_upload_open(const char *location, const struct lod_store_settings *settings,
                    uint64_t part_bytes, struct lod_upload **ret_upload, char *why, size_t why_room)
{
    (void)location;
    (void)settings;
    (void)part_bytes;
    (void)ret_upload;
    snprintf(why, why_room, "%s", LOD_NO_CURL);
    return -ENOSYS;
}

struct lod_upload *lod_upload_close(struct lod_upload *upload)
{
    (void)upload;
    return NULL;
}

int lod_upload_stat(struct lod_upload *upload, const struct lod_upload_file *file,
                    char why[LOD_UPLOAD_WHY])
{
    (void)upload;
    (void)file;
    (void)why;
    return -ENOSYS;
}

int lod_upload_compare(struct lod_upload *upload, const struct lod_upload_file *file,
                       char why[LOD_UPLOAD_WHY])
{
    return lod_upload_stat(upload, file, why);
}

int lod_upload_create(struct lod_upload *upload, const struct lod_upload_file *file,
                      char why[LOD_UPLOAD_WHY])
{
    return lod_upload_stat(upload, file, why);
}
