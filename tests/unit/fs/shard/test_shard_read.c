/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any range of a framed file is that part of the whole, and nothing is written around it. The test
 * makes up a record of pictures, its directory and the reader; a picture's bytes are its number.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "raw_row.h"
#include "shard/class_list.h"
#include "shard/shard_cache.h"
#include "shard/shard_directory.h"
#include "shard/shard_read.h"
#include "shard/shard_run.h"

#define SAMPLES       6u
#define PICTURE_BYTES 700u
#define FILE_MAX      (32u << 10)
#define AROUND        LOD_HEAD_BYTES /* no head that begins in a range ends behind this */
#define UNTOUCHED     0xa5

static const struct lod_framing *framing;
static uint8_t pictures[SAMPLES][PICTURE_BYTES];
static struct lod_blob directory;

/* -------------------------------------------------------------- the simulated record */

static uint64_t picture_bytes(uint32_t number)
{
    return PICTURE_BYTES - 100 * number;
}

void lod_shard_directory_sample(const struct lod_blob *blob, uint64_t number,
                                struct lod_framed_sample *ret_sample)
{
    static const char *const names[SAMPLES] = {"a/0.jpg", "a/1.jpg", "b/2.jpg",
                                               "b/3.jpg", "b/4.jpg", "c/5.jpg"};
    (void)blob;
    *ret_sample = (struct lod_framed_sample){.count = 1, .label = (int32_t)number, .stem_bytes = 3};
    ret_sample->file[0] = (struct lod_framed_file){.name = names[number],
                                                   .name_bytes = 7,
                                                   .path = names[number],
                                                   .path_bytes = 7,
                                                   .item = (uint32_t)number,
                                                   .bytes = picture_bytes((uint32_t)number),
                                                   .mode = 0644};
    ret_sample->id = number;
}

uint64_t lod_shard_directory_count(const struct lod_blob *blob)
{
    (void)blob;
    return SAMPLES;
}

uint64_t lod_shard_directory_start(const struct lod_blob *blob, uint64_t number)
{
    struct lod_framed_sample sample;
    uint64_t start = 0;

    for (uint64_t i = 0; i < number; i++) {
        lod_shard_directory_sample(blob, i, &sample);
        start += lod_framing_bytes(framing, &sample);
    }
    return start;
}

uint64_t lod_shard_directory_find(const struct lod_blob *blob, uint64_t offset)
{
    uint64_t number = 0;

    while (lod_shard_directory_start(blob, number + 1) <= offset) {
        number++;
    }
    return number;
}

int lod_shard_cache_part(struct lod_shard_cache *cache, const struct lod_shard *shard,
                         enum lod_shard_by by, uint64_t at, struct lod_shard_part *ret_part,
                         struct lod_blob **ret_directory)
{
    (void)cache;
    (void)shard;
    (void)at;
    cr_assert_eq(by, LOD_SHARD_BYTE);
    *ret_part = (struct lod_shard_part){.leads = SAMPLES};
    *ret_directory = lod_blob_ref(&directory);
    return 0;
}

uint64_t lod_shard_streams_note(struct lod_shard_streams *streams, const struct lod_shard *shard,
                                uint64_t offset, uint64_t bytes)
{
    (void)streams;
    (void)shard;
    (void)offset;
    (void)bytes;
    return 0;
}

struct lod_shard_run lod_shard_run_begin(struct lod_dataset *dataset, struct lod_reader *reader,
                                         enum lod_fidelity fidelity, const struct lod_blob *blob,
                                         uint64_t to)
{
    (void)to;
    return (struct lod_shard_run){
        .dataset = dataset, .reader = reader, .fidelity = fidelity, .directory = blob};
}

void lod_shard_run(struct lod_shard_run *run, uint64_t number,
                   const struct lod_framed_sample *sample)
{
    (void)run;
    (void)number;
    (void)sample;
}

int lod_class_list_read(struct lod_dataset *dataset, const struct lod_shard *shard, uint64_t from,
                        uint64_t to, uint8_t *into)
{
    (void)dataset;
    (void)shard;
    (void)from;
    (void)to;
    (void)into;
    return -ENOTSUP;
}

int lod_dataset_item(struct lod_dataset *dataset, uint32_t number, struct lod_item *ret_item)
{
    (void)dataset;
    *ret_item = (struct lod_item){.number = number, .codec = lod_codec_find(LOD_CODEC_RAW)};
    lod_put_le64(ret_item->row + LOD_RAW_AT_LENGTH, picture_bytes(number));
    return 0;
}

int lod_dataset_item_failed(struct lod_dataset *dataset, const struct lod_item *item, int error)
{
    (void)dataset;
    (void)item;
    return error;
}

int lod_reader_read(struct lod_reader *reader, const struct lod_item *item,
                    const struct lod_plan *plan, uint64_t offset, uint64_t bytes,
                    struct lod_read *ret_read)
{
    const uint64_t left = plan->bytes - offset;

    (void)reader;
    ret_read->bytes = bytes < left ? bytes : left;
    ret_read->count = 1;
    ret_read->blobs_count = 0;
    ret_read->iov[0] = (struct iovec){pictures[item->number] + offset, (size_t)ret_read->bytes};
    return 0;
}

void lod_read_finish(struct lod_read *read)
{
    read->count = 0;
}

/* ------------------------------------------------------------------------------ ranges */

static uint8_t whole[FILE_MAX];

static struct lod_shard shard_of(const struct lod_framing *of)
{
    framing = of;
    struct lod_shard shard = {
        .framing = of, .fidelity = LOD_FULL, .kind = LOD_FRAMED_DATA, .leads = SAMPLES};
    shard.sample_bytes = lod_shard_directory_start(&directory, SAMPLES);
    shard.bytes = shard.sample_bytes + of->trailer_bytes;
    cr_assert_leq(shard.bytes, FILE_MAX);
    return shard;
}

/* Reads a range; the bytes around it must stay. */
static void check_range(struct lod_shard_reader *reader, const struct lod_shard *shard,
                        uint64_t from, size_t bytes)
{
    static uint8_t memory[AROUND + FILE_MAX + AROUND];
    size_t got = 0;

    memset(memory, UNTOUCHED, AROUND + bytes + AROUND);
    cr_assert_eq(lod_shard_read_stretch(reader, shard, from, bytes, memory + AROUND, &got), 0);
    cr_assert_eq(got, bytes);
    cr_assert_eq(memcmp(memory + AROUND, whole + from, bytes), 0, "%zu bytes from %lu", bytes,
                 (unsigned long)from);
    for (size_t i = 0; i < AROUND; i++) {
        cr_assert_eq(memory[i], UNTOUCHED);
        cr_assert_eq(memory[AROUND + bytes + i], UNTOUCHED, "behind %zu bytes from %lu", bytes,
                     (unsigned long)from);
    }
}

static void check_all(const struct lod_framing *of)
{
    static const size_t lengths[] = {1, 3, 511, 513, 1200, 4096};
    const struct lod_shard shard = shard_of(of);
    struct lod_shard_reader *reader = NULL;
    size_t got = 0;

    atomic_init(&directory.refs, 1u << 30);
    cr_assert_eq(lod_shard_reader_create(NULL, NULL, &reader), 0);
    cr_assert_eq(lod_shard_read_stretch(reader, &shard, 0, FILE_MAX, whole, &got), 0);
    cr_assert_eq(got, shard.bytes);
    for (uint64_t from = 0; from < shard.bytes; from += 7) {
        for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
            if (from + lengths[i] <= shard.bytes) {
                check_range(reader, &shard, from, lengths[i]);
            }
        }
    }
    lod_shard_reader_destroy(reader);
}

static void fill(void)
{
    for (unsigned i = 0; i < SAMPLES; i++) {
        memset(pictures[i], (int)i + 1, sizeof(pictures[i]));
    }
}

Test(shard_read, a_range_of_a_tar_is_a_part_of_it, .init = fill)
{
    check_all(&lod_framing_tar);
    cr_assert_eq(memcmp(whole, "a/0.jpg", 8), 0);
    cr_assert_eq(whole[512], 1);
}

Test(shard_read, a_range_of_a_tfrecord_file_is_a_part_of_it, .init = fill)
{
    check_all(&lod_framing_tfrecord);
}

Test(shard_read, a_range_of_a_recordio_file_is_a_part_of_it, .init = fill)
{
    check_all(&lod_framing_recordio);
}
