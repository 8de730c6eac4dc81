/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel in patch.cl and its C twin, which calls the host's patch decoder. */
#include "l3/device/patch_kernel.h"

#include <assert.h>
#include <stddef.h>

#include "l3/stream/patch_decode.h"
#include "l3/patch/rans.h"
#include "l3/patch/small.h"

/* Made from patch.cl at build time. The binary is empty if there was no nvcc. */
extern const char lod_l3_patch_text[];
extern const unsigned char lod_l3_patch_fatbin[];

static_assert(offsetof(struct lod_rans_tables, class_of) == 8 * 1024 * 4, "as patch.cl reads it");
static_assert(sizeof(struct lod_l3_entry) == 8 * 4, "as patch.cl reads it");
static_assert(LOD_L3_SIDE_MAX == 128 && LOD_RANS_LANES == 32, "as patch.cl has it");

static void twin(const struct lod_gpu_job *job, uint32_t group)
{
    const struct lod_l3_entry *entry =
        (const struct lod_l3_entry *)(const void *)job->in[0] + group;
    struct lod_l3_patch patch = {.width = entry->size & 0xffff,
                                 .height = entry->size >> 16,
                                 .samples = entry->sample & 255,
                                 .bits = entry->sample >> 8};
    struct lod_span bytes = {.at = job->in[1] + entry->at, .bytes = entry->bytes};
    struct lod_l3_target target = {.into = job->out + entry->out, .stride = entry->stride};
    const void *tables = entry->tables == LOD_L3_NO_TABLES ? NULL : job->in[2] + entry->tables;
    struct lod_small_rows rows;

    int r =
        lod_l3_patch_decode(lod_l3_patch_dispatch_best(), &patch, bytes, tables, &target, &rows);
    job->status[group] = r ? 1 : 0;
}

const struct lod_kernel lod_l3_patches = {
    .name = "lod_l3_patches",
    .source = lod_l3_patch_text,
#ifdef LOD_NVCC
    .fatbin = lod_l3_patch_fatbin,
#endif
    .threads = LOD_L3_SIDE_MAX,
    .twin = twin,
};
