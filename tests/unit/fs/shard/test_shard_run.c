/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which groups a run asks for. The test makes up a record of one picture a sample, and its
 * directory. It reads nothing: the test's lod_reader_run only records the call.
 */
#include <criterion/criterion.h>
#include <errno.h>

#include "shard/shard_directory.h"
#include "shard/shard_run.h"

#define SAMPLES      40u
#define SAMPLE_BYTES 1000u
#define FIRST_ITEM   7u

static struct lod_record_desc record;
static struct {
    unsigned calls;
    uint32_t item, count;
    unsigned first, last;
} asked;

/* -------------------------------------------------------------- the simulated record */

/* All rows are empty: pictures without any of the groups. */
int lod_dataset_item(struct lod_dataset *dataset, uint32_t number, struct lod_item *ret_item)
{
    (void)dataset;
    if (number < FIRST_ITEM || number >= FIRST_ITEM + SAMPLES) {
        return -ENOENT;
    }
    *ret_item = (struct lod_item){.number = number, .recd = record};
    return 0;
}

uint32_t lod_reader_run(struct lod_reader *reader, const struct lod_item *item, uint32_t count,
                        unsigned first, unsigned last)
{
    (void)reader;
    asked.calls++;
    asked.item = item->number;
    asked.count = count;
    asked.first = first;
    asked.last = last;
    return count;
}

void lod_shard_directory_sample(const struct lod_blob *directory, uint64_t number,
                                struct lod_framed_sample *ret_sample)
{
    (void)directory;
    cr_assert_lt(number, SAMPLES);
    ret_sample->count = 1;
    ret_sample->lead = 0;
    ret_sample->file[0].item = FIRST_ITEM + (uint32_t)number;
}

uint64_t lod_shard_directory_bytes(const struct lod_blob *directory)
{
    (void)directory;
    return (uint64_t)SAMPLES * SAMPLE_BYTES;
}

uint64_t lod_shard_directory_find(const struct lod_blob *directory, uint64_t offset)
{
    (void)directory;
    return offset / SAMPLE_BYTES;
}

/* ---------------------------------------------------------------------------- the tests */

/* A record of photographs with groups 1 .. top,
 * and the source files if there are fewer than ten. */
static void make_record(unsigned top)
{
    record = (struct lod_record_desc){
        .codec = LOD_CODEC_PCR, .first_item = FIRST_ITEM, .items = SAMPLES, .groups = 12};
    for (unsigned group = 1; group <= top; group++) {
        record.group_bytes[group - 1] = 100;
    }
    record.group_bytes[11] = 100;
    asked.calls = 0;
}

/* Runs from sample 3 to the one that has byte `to`. */
static struct lod_shard_run run_to(enum lod_fidelity fidelity, uint64_t to)
{
    struct lod_framed_sample sample;
    struct lod_shard_run run = lod_shard_run_begin(NULL, NULL, fidelity, NULL, to);

    lod_shard_directory_sample(NULL, 3, &sample);
    lod_shard_run(&run, 3, &sample);
    return run;
}

Test(shard_run, has_the_groups_of_the_fidelity_not_of_its_first_picture)
{
    make_record(5);
    const struct lod_shard_run run = run_to(4, 10 * SAMPLE_BYTES);
    cr_assert_eq(asked.calls, 1);
    cr_assert_eq(asked.item, FIRST_ITEM + 3);
    cr_assert_eq(asked.count, 7, "samples 3 to 9");
    cr_assert_eq(asked.first, 1);
    cr_assert_eq(asked.last, 4);
    cr_assert_eq(run.end, 10);
}

Test(shard_run, has_the_source_files_alone_above_the_scans)
{
    make_record(5);
    (void)run_to(LOD_FULL, 10 * SAMPLE_BYTES);
    cr_assert_eq(asked.first, 12);
    cr_assert_eq(asked.last, 12);
}

Test(shard_run, has_all_scans_where_there_is_no_source)
{
    make_record(10);
    (void)run_to(LOD_FULL, 10 * SAMPLE_BYTES);
    cr_assert_eq(asked.first, 1);
    cr_assert_eq(asked.last, 11);
}

Test(shard_run, ends_with_the_directory)
{
    make_record(5);
    (void)run_to(1, UINT64_MAX);
    cr_assert_eq(asked.count, SAMPLES - 3);
    asked.calls = 0;
    (void)run_to(1, 4 * SAMPLE_BYTES);
    cr_assert_eq(asked.calls, 0, "a run of one sample is left to its reader");
}
