/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SAMP and SUMS rows of the index against those that are derived from its other rows. If one of
 * these cannot be read, there is a finding for it already and nothing is compared. See check.h.
 */
#include <stdio.h>
#include <string.h>

#include "index/index_samples.h"
#include "record/magics_reader.h"
#include "sample/samples_derive.h"
#include "verify/check.h"

static const struct lod_finding malformed = {.item = LOD_NO_ITEM,
                                             .fidelities = LOD_FIDELITIES_ALL,
                                             .what = "a row of samples does not follow from names"};

/* Compares row `number` with the one that follows from names. Skips rows in blocks that cannot be
 * read: those have findings already. */
static int check_sample(struct lod_verify *v, const struct lod_samples *made, uint32_t number)
{
    uint8_t row[LOD_SAMPLE_ROW_BYTES];
    struct lod_sample_row sample;

    int error = lod_index_sample(v->index, number, &sample);
    if (error && error != -EILSEQ) {
        return lod_check_stops(error) ? error : 0;
    }
    if (!error) {
        lod_sample_row_put(&sample, row);
        if (memcmp(row, made->rows + (size_t)number * sizeof(row), sizeof(row)) == 0) {
            return 0;
        }
    }
    return lod_check_row_found(v, LOD_SECTION_SAMP, number, malformed);
}

static int check_sums(struct lod_verify *v, const struct lod_samples *made, uint32_t number)
{
    uint8_t row[LOD_SUMS_ROW_BYTES], expected[LOD_SUMS_ROW_BYTES];
    struct lod_sums_row sums;

    int error = lod_index_sums(v->index, number, &sums);
    if (error && error != -EILSEQ) {
        return lod_check_stops(error) ? error : 0;
    }
    if (!error && number < made->sums.count) {
        lod_sums_row_put(&sums, row);
        lod_sums_row_put(&made->sums.at[number], expected);
        if (memcmp(row, expected, sizeof(row)) == 0) {
            return 0;
        }
    }
    struct lod_finding finding = malformed;
    finding.what = "a row of sums does not follow from names and sizes";
    return lod_check_row_found(v, LOD_SECTION_SUMS, number, finding);
}

/* Adds a finding about the index, at no particular place. */
static int found(struct lod_verify *v, const char *what)
{
    return lod_check_file_found(v, LOD_INDEX_NAME, what, LOD_FIDELITIES_ALL);
}

/* The seed in the manifest is the tree record's: lod_check_tree compares them. */
static int check_keys(struct lod_verify *v, const struct lod_samples *made)
{
    const struct lod_index_keys keys = lod_index_keys(v->index);

    return keys.seed != lod_manifest_seed(v->manifest.pack)
               ? found(v, "the seed of keys is not that of the manifest")
           : keys.ascend != made->ascend ? found(v, "the order of keys does not follow from names")
                                         : 0;
}

static int compare(struct lod_verify *v, const struct lod_samples *made)
{
    const uint32_t sums = lod_index_sums_rows(v->index);
    int error = check_keys(v, made);

    for (uint32_t i = 0; !error && i < lod_index_items(v->index); i++) {
        error = check_sample(v, made, i);
    }
    for (uint32_t i = 0; !error && i < sums; i++) {
        error = check_sums(v, made, i);
    }
    if (!error && sums < made->sums.count) {
        error = found(v, "rows of sums are missing");
    }
    return error;
}

static int read_metadata(void *ctx, const struct lod_record_desc *recd,
                         struct lod_metadata *ret_metadata)
{
    return lod_metadata_read(ctx, recd, ret_metadata);
}

int lod_check_samples(struct lod_verify *v)
{
    struct lod_samples made = {0};

    if (!v->index) {
        return 0;
    }
    struct lod_magics_reader magics = {.index = v->index, .ctx = v->store, .read = read_metadata};
    struct lod_sample_tree tree = lod_index_sample_tree(v->index);
    tree.metadata_ctx = &magics;
    tree.label = lod_magics_reader_label;
    tree.magics = lod_magics_reader_get;
    int error = lod_samples_derive(&tree, &made);
    lod_metadata_finish(&magics.metadata);
    if (error) {
        return lod_check_stops(error) ? error
               : error == -E2BIG      ? found(v, "more than 64 folders are splits")
                                      : 0;
    }
    error = compare(v, &made);
    lod_samples_finish(&made);
    return error;
}
