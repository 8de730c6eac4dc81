/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts of files in parts (FORMAT.md, Parts). The test makes up the rows of SUMS and the
 * directories of records, and divides the samples once more by the rule of parts alone.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shard/shard_directory.h"
#include "shard/shard_layout.h"

#define SPLIT       3u
#define FIRST_ROW   2u /* the rows before it are those of another split */
#define SAMPLES_MAX 5000u
#define RECORDS_MAX 400u
#define SEED        77u
#define RECORDIO    1u /* column of SUMS */

struct sample {
    char path[32];
    uint64_t key, bytes;
    bool taken; /* by recordio; tar takes all */
};

struct record {
    uint32_t first, count; /* of the samples of the store */
    uint8_t codec;
    bool backwards; /* its directory does not ascend */
};

static struct sample samples[SAMPLES_MAX];
static struct record records[RECORDS_MAX];
static struct lod_sums_row rows[FIRST_ROW + RECORDS_MAX + 1];
static uint32_t samples_count, records_count, directories_read;
static int sums_error, directory_error, row_failed; /* row_failed: with this error */

/* ------------------------------------------------------------------- the simulated store */

struct lod_index *lod_dataset_index(const struct lod_dataset *dataset)
{
    (void)dataset;
    return NULL;
}

struct lod_index_keys lod_index_keys(const struct lod_index *index)
{
    (void)index;
    return (struct lod_index_keys){.seed = SEED, .ascend = true};
}

int lod_index_record(struct lod_index *index, uint32_t number, struct lod_record_desc *ret_recd)
{
    (void)index;
    if (number >= records_count) {
        return -ENOENT;
    }
    *ret_recd = (struct lod_record_desc){.codec = records[number].codec};
    return 0;
}

int lod_dataset_sums_failed(struct lod_dataset *dataset, uint32_t number, int error)
{
    (void)dataset;
    (void)number;
    row_failed = error;
    return -EIO;
}

int lod_shard_sums(struct lod_dataset *dataset, uint32_t row, struct lod_sums_row *ret_sums)
{
    (void)dataset;
    *ret_sums = rows[row];
    return row == FIRST_ROW ? sums_error : 0;
}

/* A directory is the numbers of the samples that the framing takes of a record. */
int lod_shard_cache_part(struct lod_shard_cache *cache, const struct lod_shard *shard,
                         enum lod_shard_by by, uint64_t at, struct lod_shard_part *ret_part,
                         struct lod_blob **ret_directory)
{
    const bool all = shard->framing->format == LOD_FORMAT_TAR;
    uint32_t row = FIRST_ROW, numbers[SAMPLES_MAX], count = 0;

    (void)cache;
    cr_assert_eq(by, LOD_SHARD_LEAD);
    while (rows[row + 1].leads[!all] <= at) {
        row++;
    }
    const struct record *record = &records[rows[row].record];
    for (uint32_t i = 0; i < record->count; i++) {
        const uint32_t number = record->first + (record->backwards ? record->count - 1 - i : i);
        if (all || samples[number].taken) {
            numbers[count++] = number;
        }
    }
    directories_read++;
    *ret_part = (struct lod_shard_part){.first_lead = rows[row].leads[!all],
                                        .start = rows[row].bytes[!all][LOD_Q1 - 1]};
    int error = directory_error ? directory_error : lod_blob_create(count * 4, ret_directory);
    if (!error) {
        memcpy((*ret_directory)->data, numbers, (size_t)count * 4);
    }
    return error;
}

/* Nothing is kept. */
int lod_shard_cache_layout(struct lod_shard_cache *cache, const struct lod_shard *shard,
                           lod_cache_fill fill, void *ctx, struct lod_blob **ret_layout)
{
    (void)cache;
    (void)shard;
    return fill(ctx, (struct lod_key){0}, ret_layout);
}

static uint32_t number_in(const struct lod_blob *directory, uint64_t at)
{
    uint32_t number;

    memcpy(&number, directory->data + at * 4, 4);
    return number;
}

uint64_t lod_shard_directory_count(const struct lod_blob *directory)
{
    return directory->bytes / 4;
}

uint64_t lod_shard_directory_start(const struct lod_blob *directory, uint64_t number)
{
    uint64_t start = 0;

    for (uint64_t i = 0; i < number; i++) {
        start += samples[number_in(directory, i)].bytes;
    }
    return start;
}

void lod_shard_directory_sample(const struct lod_blob *directory, uint64_t number,
                                struct lod_framed_sample *ret_sample)
{
    const char *path = samples[number_in(directory, number)].path;

    ret_sample->lead = 0;
    ret_sample->file[0] = (struct lod_framed_file){.path = path, .path_bytes = strlen(path)};
}

/* ----------------------------------------------------------------------- making a store */

static uint64_t dice_state = 1;

static uint32_t dice(uint32_t sides)
{
    dice_state = dice_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(dice_state >> 33) % sides;
}

static int by_key(const void *a, const void *b)
{
    const struct sample *first = a, *second = b;

    return (first->key > second->key) - (first->key < second->key);
}

static void add_samples(uint32_t count)
{
    struct sample *first = &samples[samples_count];

    for (uint32_t i = 0; i < count; i++) {
        struct sample *made = &first[i];
        const int stem =
            snprintf(made->path, sizeof(made->path), "train/%u/%u.1", dice(9), samples_count + i);
        const char *name = strrchr(made->path, '/') + 1;
        made->key = lod_hash64(name, (size_t)(made->path + stem - name), SEED);
        strcpy(made->path + stem, ".jpg");
        made->bytes = 1 + dice(5000);
        made->taken = dice(4) > 0;
    }
    samples_count += count;
    qsort(first, count, sizeof(*first), by_key);
}

/* Makes `codecs` codecs with samples; their records take turns. */
static void make_records(const uint32_t *first, uint32_t codecs, uint32_t most)
{
    uint32_t next[2] = {first[0], first[1]}, codec = 0;

    while (next[0] < first[1] || (codecs > 1 && next[1] < first[2])) {
        const uint32_t left = first[codec + 1] - next[codec];
        const uint32_t wanted = 1 + dice(most), count = wanted < left ? wanted : left;
        if (count) {
            records[records_count++] = (struct record){
                .first = next[codec], .count = count, .codec = (uint8_t)(LOD_CODEC_PCR + codec)};
            next[codec] += count;
        }
        codec = (codec + 1) % codecs;
    }
}

static void make_rows(void)
{
    struct lod_sums_row sums = {.split = SPLIT};

    rows[0] = rows[1] = (struct lod_sums_row){.split = 1};
    for (uint32_t i = 0; i < records_count; i++) {
        sums.record = i;
        sums.key = samples[records[i].first].key;
        rows[FIRST_ROW + i] = sums;
        for (uint32_t s = records[i].first; s < records[i].first + records[i].count; s++) {
            for (unsigned column = 0; column < 2; column++) {
                const bool takes = column == 0 || samples[s].taken;
                sums.leads[column] += takes;
                sums.bytes[column][LOD_Q1 - 1] += takes ? samples[s].bytes : 0;
            }
        }
    }
    sums.record = LOD_SUMS_CLOSING;
    sums.key = 0;
    rows[FIRST_ROW + records_count] = sums;
}

static void make(uint32_t codecs, uint32_t count, uint32_t most)
{
    uint32_t first[3] = {0};

    samples_count = records_count = 0;
    sums_error = directory_error = row_failed = 0;
    for (uint32_t codec = 0; codec < codecs; codec++) {
        add_samples(count);
        first[codec + 1] = samples_count;
    }
    make_records(first, codecs, most);
    make_rows();
}

/* ------------------------------------------------------------------------------ checking */

static int layout_of(const struct lod_framing *framing, uint16_t count, uint16_t number,
                     struct lod_blob **ret_layout)
{
    const struct lod_shard shard = {.framing = framing,
                                    .fidelity = LOD_Q1,
                                    .split = SPLIT,
                                    .first_row = FIRST_ROW,
                                    .end_row = FIRST_ROW + records_count,
                                    .part = {.count = count, .number = number}};
    struct lod_shard_cache cache = {0};

    directories_read = 0;
    return lod_shard_layout(&cache, &shard, ret_layout);
}

/* The intervals have exactly the samples of the part, in order of records and slots. */
static size_t check(const struct lod_framing *framing, uint16_t count, uint16_t number)
{
    const bool all = framing->format == LOD_FORMAT_TAR;
    struct lod_blob *layout = NULL;
    size_t intervals = 0, at = 0;
    uint64_t lead = 0, start = 0, in_interval = 0, bytes = 0;

    cr_assert_eq(layout_of(framing, count, number, &layout), 0);
    const struct lod_shard_interval *interval = lod_shard_layout_intervals(layout, &intervals);
    for (uint32_t r = 0; r < records_count; r++) {
        for (uint32_t s = records[r].first; s < records[r].first + records[r].count; s++) {
            if (!all && !samples[s].taken) {
                continue;
            }
            if ((unsigned __int128)samples[s].key * count >> 64 == number) {
                cr_assert_lt(at, intervals);
                cr_assert_eq(interval[at].first_lead + in_interval, lead);
                cr_assert_eq(interval[at].start + bytes, start);
                bytes += samples[s].bytes;
                if (++in_interval == interval[at].leads) {
                    cr_assert_eq(bytes, interval[at].bytes);
                    bytes = in_interval = 0;
                    at++;
                }
            }
            lead++;
            start += samples[s].bytes;
        }
    }
    cr_assert_eq(at, intervals, "an interval of no sample, or one too long");
    lod_blob_unref(layout);
    return intervals;
}

Test(shard_layout, each_part_has_its_samples_and_no_other)
{
    static const uint16_t counts[] = {1, 2, 7, 64, 1000, LOD_PARTS_MAX};

    for (uint32_t most = 1; most <= 60; most = most * 3 + 1) {
        make(2, most * 60, most);
        for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
            for (uint16_t number = 0; number < counts[i]; number++) {
                check(&lod_framing_tar, counts[i], number);
                check(&lod_framing_recordio, counts[i], number);
            }
        }
    }
}

Test(shard_layout, a_codec_is_one_stretch_and_only_records_at_borders_are_read)
{
    make(1, 3000, 50);
    for (uint16_t number = 0; number < 7; number++) {
        cr_assert_eq(check(&lod_framing_tar, 7, number), 1);
        cr_assert_leq(directories_read, 2u);
    }
    cr_assert_eq(check(&lod_framing_tar, 1, 0), 1);
    cr_assert_eq(directories_read, 0u, "the whole split has no border");
}

Test(shard_layout, a_part_without_samples_is_empty)
{
    make(1, 1, 1);
    const uint16_t own = (uint16_t)((unsigned __int128)samples[0].key * 64 >> 64);

    for (uint16_t number = 0; number < 64; number++) {
        cr_assert_eq(check(&lod_framing_tar, 64, number), number == own);
    }
    samples[0].taken = false;
    make_rows();
    cr_assert_eq(check(&lod_framing_recordio, 64, own), 0, "no sample that the framing takes");
}

/* Expects that the layout of part 3 of 7 fails, and that a row was named. */
static void refuse(int named)
{
    struct lod_blob *layout = NULL;

    row_failed = 0;
    cr_assert_eq(layout_of(&lod_framing_tar, 7, 3, &layout), -EIO);
    cr_assert_eq(row_failed, named);
    cr_assert_null(layout);
}

Test(shard_layout, rows_that_contradict_each_other_are_refused)
{
    make(1, 600, 20);
    rows[FIRST_ROW + 4].key = UINT64_MAX; /* above the keys of the records behind it */
    refuse(-EILSEQ);
    make_rows();
    rows[FIRST_ROW + 4].split = SPLIT + 1;
    refuse(-EILSEQ);
    make_rows();
    rows[FIRST_ROW + 4].leads[0] = rows[FIRST_ROW + 5].leads[0];
    refuse(-EILSEQ);
    make_rows();
    rows[FIRST_ROW + 4].bytes[0][LOD_Q1 - 1] = UINT64_MAX;
    refuse(-EILSEQ);
    make_rows();
    rows[FIRST_ROW + 4].record = records_count;
    refuse(-EILSEQ);
}

Test(shard_layout, errors_below_it_are_passed_on)
{
    struct lod_blob *layout = NULL;

    make(1, 600, 200);
    sums_error = -EIO;
    refuse(0);
    sums_error = 0;
    directory_error = -ENOMEM;
    cr_assert_eq(layout_of(&lod_framing_tar, 7, 3, &layout), -ENOMEM);
}

Test(shard_layout, a_record_whose_keys_descend_has_no_part)
{
    make(1, 600, 600);
    records_count = 1;
    records[0].count = samples_count;
    records[0].backwards = true;
    make_rows();
    rows[FIRST_ROW].key = 0;
    refuse(-EILSEQ);
}
