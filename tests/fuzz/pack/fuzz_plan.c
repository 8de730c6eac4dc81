/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target for pack.plan. Any contents give -EBADMSG, or a plan whose sources, records
 * and scripts are sound; the same for parts of it. The hash is not checked, as few random inputs
 * would have a right one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/name.h"
#include "pack/parts/pack_part.h"
#include "pack/parts/plan_file.h"
#include "replaying.h"

#define PARTS 3u

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void check_place(const struct lod_source *source)
{
    const struct lod_member_place *place = source->place;

    require(!place || lod_member_place_bytes(place) == source->bytes, "a place of other bytes");
    for (uint32_t i = 0; place && i < place->runs; i++) {
        const struct lod_run *run = &place->run[i];
        require(run->bytes <= place->container->bytes &&
                    run->offset <= place->container->bytes - run->bytes,
                "a place outside of its container");
    }
}

static void check_source(const struct lod_source_list *list, size_t i)
{
    const struct lod_source *source = &list->at[i];

    require(lod_path_valid(source->path, strlen(source->path)), "an illegal path");
    require(i == 0 || strcmp(list->at[i - 1].path, source->path) < 0, "sources are not sorted");
    require(source->role != LOD_SOURCE_FILE || source->encoder, "a file without an encoder");
    require(source->role != LOD_SOURCE_SYMLINK || source->target, "a link without a target");
    check_place(source);
    const struct lod_source *owner = lod_source_owner(list, source);
    require(owner >= list->at && owner < list->at + list->count, "an owner outside of the list");
    require(source->role != LOD_SOURCE_FILE || !source->added ||
                list->at[source->owner].role == LOD_SOURCE_FILE,
            "an added file without a file");
}

static void check_records(const struct lod_order *order, const struct lod_part_run *run,
                          const struct lod_source_list *list)
{
    for (uint32_t r = run->first; r < run->first + run->count; r++) {
        for (uint32_t k = 0; k < order->records[r].count; k++) {
            const uint32_t file = order->files[order->records[r].first + k];
            require(file < list->count && list->at[file].role == LOD_SOURCE_FILE &&
                        list->at[file].encoder->codec == order->records[r].codec,
                    "a record of something else");
        }
    }
}

/* Takes the sources of one part; the whole plan if `number` is 0. */
static void try_part(const uint8_t *data, size_t bytes, uint32_t number)
{
    const struct lod_pack_part part = {.number = number ? number : 1, .count = number ? PARTS : 1};
    struct lod_pack_plan_sources sources = {0};
    struct lod_pack_plan plan = {0};
    struct lod_buf file = {0};

    require(lod_buf_append(&file, data, bytes) == 0, "no memory");
    int error = lod_pack_plan_take(&file, &plan);
    const struct lod_part_run run = lod_part_records(&plan.order, &part);
    require(run.first + run.count <= plan.order.records_count, "a part outside of the order");
    error = error ? error : lod_pack_plan_take_sources(&plan, run.first, run.count, &sources);
    require(error == 0 || error == -EBADMSG, "an unknown error");
    for (size_t i = 0; !error && i < sources.list.count; i++) {
        check_source(&sources.list, i);
    }
    if (!error) {
        check_records(&plan.order, &run, &sources.list);
    }
    lod_pack_plan_sources_finish(&sources);
    lod_pack_plan_finish(&plan);
}

static void try_scans(const uint8_t *data, size_t bytes)
{
    struct lod_scans *scans = calloc(1, sizeof(*scans));
    struct lod_pack_plan plan = {0};
    struct lod_buf file = {0};

    require(scans && lod_buf_append(&file, data, bytes) == 0, "no memory");
    int error = lod_pack_plan_take(&file, &plan);
    error = error ? error : lod_pack_plan_take_scans(&plan, NULL, scans);
    require(error == 0 || error == -EBADMSG, "an unknown error");
    for (unsigned class = 0; !error && class < LOD_QUANT_CLASSES; class ++) {
        require(scans->choice.classes[class].count && scans->choice.classes[class].scripts[0],
                "a class without a script");
    }
    lod_scans_finish(scans);
    lod_pack_plan_finish(&plan);
    free(scans);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    for (uint32_t number = 0; number <= PARTS; number++) {
        try_part(data, bytes, number);
    }
    try_scans(data, bytes);
    return 0;
}
