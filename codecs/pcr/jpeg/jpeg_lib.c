/* SPDX-License-Identifier: Apache-2.0 */
/* See jpeg_lib.h. */
#include "pcr/jpeg/jpeg_lib.h"

#include <errno.h>
#include <limits.h>

#include <jerror.h>

static void leave(j_common_ptr info)
{
    struct lod_jpeg_failure *failure = (struct lod_jpeg_failure *)info->err;
    longjmp(failure->escape, 1);
}

static void discard_message(j_common_ptr info)
{
    (void)info;
}

/* NULL: a warning that does not mean that coefficients were lost. */
static const char *loss(int code)
{
    switch (code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_ICC:
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
    case JWRN_NOT_SEQUENTIAL:
        return NULL;
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
        return "truncated: its data ends early";
    case JWRN_BOGUS_PROGRESSION:
        return "corrupt: its progressive scans contradict each other";
    default:
        return "corrupt: its data cannot be decoded completely";
    }
}

static void note_warning(j_common_ptr info, int level)
{
    struct lod_jpeg_failure *failure = (struct lod_jpeg_failure *)info->err;
    if (level < 0 && !failure->lost) {
        failure->lost = loss(info->err->msg_code);
    }
}

struct jpeg_error_mgr *lod_jpeg_failure_init(struct lod_jpeg_failure *failure)
{
    *failure = (struct lod_jpeg_failure){.lost = NULL};
    jpeg_std_error(&failure->base);
    failure->base.error_exit = leave;
    failure->base.output_message = discard_message;
    failure->base.emit_message = note_warning;
    return &failure->base;
}

int lod_jpeg_failure_errno(const struct lod_jpeg_failure *failure, const char **ret_why)
{
    switch (failure->base.msg_code) {
    case JERR_OUT_OF_MEMORY:
        return -ENOMEM;
    case JERR_NO_BACKING_STORE:
        *ret_why = "too large: its coefficients pass the memory limit";
        return -ENOTSUP;
    default:
        *ret_why = "corrupt: libjpeg cannot read it";
        return -ENOTSUP;
    }
}

void lod_jpeg_start(struct jpeg_decompress_struct *info, struct lod_span file, uint64_t bytes_max)
{
    jpeg_create_decompress(info);
    info->mem->max_memory_to_use = bytes_max < LONG_MAX ? (long)bytes_max : LONG_MAX;
    jpeg_mem_src(info, file.at, file.bytes);
    jpeg_read_header(info, TRUE);
}
