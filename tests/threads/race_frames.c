/* SPDX-License-Identifier: Apache-2.0 */
/* Concurrent readers of a mock store, under ThreadSanitizer. Chunks are evicted meanwhile, prefixes
 * and single frames alternate, and some frames are bad. Every byte returned must be correct. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames/frames.h"

#define THREADS     6
#define ROUNDS      1500u
#define RECORDS     6u
#define ITEMS       12u
#define GROUPS      3u
#define FRAME_BYTES 20000u
#define CACHE_BYTES (6u << 20)
#define BAD_ITEM    7u

static struct lod_frames *frames;
static atomic_uint wrong, served, refused;

/* A record that is always open. */
struct opened {
    struct lod_blob blob; /* first */
    uint32_t first_item;
};

static uint8_t byte_of(uint32_t item, unsigned group)
{
    return (uint8_t)(item * 31 + group * 7 + 1);
}

static void destroy(struct lod_blob *blob)
{
    free(blob);
}

int lod_dataset_record(struct lod_dataset *dataset, const struct lod_item *item,
                       struct lod_record **ret_record)
{
    struct opened *opened = calloc(1, sizeof(*opened));

    (void)dataset;
    if (!opened) {
        return -ENOMEM;
    }
    opened->first_item = item->recd.first_item;
    opened->blob.destroy = destroy;
    atomic_init(&opened->blob.refs, 1);
    *ret_record = (struct lod_record *)opened;
    return 0;
}

struct lod_record *lod_record_close(struct lod_record *record)
{
    lod_blob_unref((struct lod_blob *)record);
    return NULL;
}

int lod_record_place(const struct lod_record *record, uint32_t slot, unsigned group, uint64_t frame,
                     struct lod_place *ret_place)
{
    (void)record;
    if (frame) {
        return -EILSEQ;
    }
    *ret_place =
        (struct lod_place){((uint64_t)(group - 1) * ITEMS + slot) * FRAME_BYTES, FRAME_BYTES};
    return 0;
}

uint64_t lod_record_segment_bytes(const struct lod_record *record, uint32_t slot, unsigned group)
{
    (void)record, (void)slot, (void)group;
    return FRAME_BYTES;
}

int lod_record_pread(struct lod_record *record, uint64_t offset, void *into, size_t bytes)
{
    const struct opened *opened = (const struct opened *)record;

    for (size_t i = 0; i < bytes; i += FRAME_BYTES) {
        uint64_t number = (offset + i) / FRAME_BYTES;
        memset((uint8_t *)into + i,
               byte_of(opened->first_item + (uint32_t)(number % ITEMS),
                       (unsigned)(number / ITEMS) + 1),
               FRAME_BYTES);
    }
    return 0;
}

int lod_record_read(struct lod_record *record, struct lod_range *ranges, unsigned count,
                    struct lod_read_time *ret_time)
{
    *ret_time = (struct lod_read_time){.ns = 1};
    for (unsigned i = 0; i < count; i++) {
        ranges[i].error =
            lod_record_pread(record, ranges[i].offset, ranges[i].into, ranges[i].bytes);
    }
    return 0;
}

bool lod_record_report_wrong(struct lod_record *record, const struct lod_place *place)
{
    (void)record, (void)place;
    return false;
}

int lod_dataset_record_loaded(struct lod_dataset *dataset, const struct lod_item *item,
                              struct lod_io_buffer *buffer, uint64_t bytes,
                              struct lod_record **ret_record)
{
    (void)buffer, (void)bytes;
    return lod_dataset_record(dataset, item, ret_record);
}

/* Replaces the function of fs/store. The buffer has room for all frames of the record. */
int lod_record_load(struct lod_record *record, struct lod_io_buffer *buffer, uint64_t from,
                    uint64_t to)
{
    buffer->memory = buffer->memory ? buffer->memory : malloc(GROUPS * ITEMS * FRAME_BYTES);
    if (!buffer->memory) {
        return -ENOMEM;
    }
    buffer->from = from;
    buffer->to = to;
    buffer->loads++;
    buffer->bytes += to - from;
    return lod_record_pread(record, from, buffer->memory, to - from);
}

bool lod_record_frame_sound(const struct lod_record *record, uint32_t slot, unsigned group,
                            uint64_t frame, const uint8_t *data)
{
    uint32_t item = ((const struct opened *)record)->first_item + slot;

    (void)frame;
    return data[0] == byte_of(item, group) && !(item == BAD_ITEM && group == 2);
}

static struct lod_io_estimate index_pace;

const struct lod_io_estimate *lod_dataset_index_io_estimate(const struct lod_dataset *dataset)
{
    (void)dataset;
    return &index_pace;
}

void lod_dataset_group_totals(struct lod_dataset *dataset, uint64_t ret_totals[LOD_GROUPS_MAX + 1])
{
    (void)dataset;
    for (unsigned k = 0; k <= LOD_GROUPS_MAX; k++) {
        ret_totals[k] = (uint64_t)RECORDS * ITEMS * (k < GROUPS ? k : GROUPS) * FRAME_BYTES;
    }
}

uint32_t lod_dataset_records(const struct lod_dataset *dataset)
{
    (void)dataset;
    return RECORDS;
}

uint32_t lod_dataset_items(const struct lod_dataset *dataset)
{
    (void)dataset;
    return RECORDS * ITEMS;
}

bool lod_dataset_is_shared(const struct lod_dataset *dataset)
{
    (void)dataset;
    return false;
}

void lod_dataset_listed(struct lod_dataset *dataset, const struct lod_listed *records, size_t count)
{
    (void)dataset, (void)records, (void)count;
}

bool lod_dataset_copies(const struct lod_dataset *dataset, uint64_t key, uint64_t *ret_room)
{
    (void)dataset, (void)key;
    *ret_room = 0;
    return false;
}

uint64_t lod_dataset_lists_bytes(const struct lod_dataset *dataset)
{
    (void)dataset;
    return 0;
}

bool lod_dataset_groups_copied(struct lod_dataset *dataset, const struct lod_record_desc *recd,
                               unsigned first, unsigned last)
{
    (void)dataset, (void)recd, (void)first, (void)last;
    return false;
}

uint64_t lod_record_copied(struct lod_record *record, uint64_t from, uint64_t to)
{
    (void)record, (void)to;
    return from;
}

void lod_record_offer(struct lod_record *record, struct lod_io_buffer *buffer)
{
    (void)record, (void)buffer;
}

unsigned lod_dataset_loads(const struct lod_dataset *dataset)
{
    (void)dataset;
    return 1;
}

unsigned lod_dataset_ranges(const struct lod_dataset *dataset)
{
    (void)dataset;
    return 1;
}

int lod_dataset_groups_in_memory(struct lod_dataset *dataset, const struct lod_record_desc *recd,
                                 unsigned first, unsigned last, bool *ret_is)
{
    (void)first, (void)dataset, (void)recd, (void)last;
    *ret_is = false;
    return 0;
}

bool lod_dataset_has_record(struct lod_dataset *dataset, const struct lod_item *of)
{
    (void)dataset, (void)of;
    return false;
}

int lod_record_in_memory(const struct lod_record *record, const struct lod_place *place,
                         bool *ret_is)
{
    (void)record, (void)place;
    *ret_is = false;
    return 0;
}

void lod_record_groups(const struct lod_record *record, unsigned first, unsigned last,
                       uint64_t *ret_from, uint64_t *ret_to)
{
    (void)record, (void)first, (void)last;
    *ret_from = *ret_to = 0;
}

int lod_dataset_frame_failed(struct lod_dataset *dataset, const struct lod_item *item,
                             unsigned group, uint64_t frame, uint64_t offset, int error)
{
    (void)dataset, (void)item, (void)group, (void)frame, (void)offset, (void)error;
    return -EIO;
}

static struct lod_item item_of(uint32_t number)
{
    struct lod_item item = {.number = number};

    item.recd = (struct lod_record_desc){.number = number / ITEMS,
                                         .first_item = number / ITEMS * ITEMS,
                                         .items = ITEMS,
                                         .codec = LOD_CODEC_PCR,
                                         .groups = GROUPS,
                                         .frame_shift = LOD_FRAME_SHIFT_MIN};
    for (unsigned g = 0; g < GROUPS; g++) {
        item.recd.group_bytes[g] = ITEMS * FRAME_BYTES;
    }
    return item;
}

void lod_dataset_item_path(struct lod_dataset *dataset, const struct lod_item *item,
                           char path[LOD_PATH_MAX + 1])
{
    snprintf(path, 2, "%d", dataset || item);
}

int lod_dataset_item(struct lod_dataset *dataset, uint32_t number, struct lod_item *ret_item)
{
    (void)dataset;
    if (number >= RECORDS * ITEMS) {
        return -ENOENT;
    }
    *ret_item = item_of(number);
    return 0;
}

int lod_dataset_record_desc(struct lod_dataset *dataset, uint32_t record,
                            struct lod_record_desc *ret_recd)
{
    (void)dataset;
    if (record >= RECORDS) {
        return -ENOENT;
    }
    *ret_recd = item_of(record * ITEMS).recd;
    return 0;
}

static void read_item(uint32_t number, unsigned groups)
{
    struct lod_wanted wanted[GROUPS] = {{.group = 1}, {.group = 2}, {.group = 3}};
    struct lod_item item = item_of(number);

    int error = lod_frames_get(frames, &item, wanted, groups);
    atomic_fetch_add(error ? &refused : &served, 1);
    atomic_fetch_add(&wrong, (error == -EIO) != (number == BAD_ITEM && groups > 1));
    for (unsigned i = 0; i < groups && !error; i++) {
        uint8_t byte = byte_of(number, i + 1);
        atomic_fetch_add(&wrong, wanted[i].bytes != FRAME_BYTES || wanted[i].data[0] != byte ||
                                     wanted[i].data[FRAME_BYTES - 1] != byte);
        lod_blob_unref(&wanted[i].chunk->blob);
    }
}

/* Sends a list of some records, which the background thread loads; sometimes ends it. */
static void tell(uint64_t random)
{
    uint32_t records[4];
    struct lod_ahead_answer answer;
    struct lod_ahead_request list = {.job = random % 3,
                                     .fidelity = 1 + (uint32_t)(random >> 8) % 3,
                                     .count = (uint32_t)(random >> 16) % 5,
                                     .records = records};

    for (unsigned i = 0; i < list.count; i++) {
        records[i] = (uint32_t)(random >> (24 + 8 * i)) % RECORDS;
    }
    int error = lod_frames_announce(frames, &list, &answer);
    atomic_fetch_add(&wrong, error != 0 || answer.total != list.count);
}

static void *run(void *ctx)
{
    uint64_t state = (uintptr_t)ctx;

    for (unsigned i = 0; i < ROUNDS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        if (i % 64 == 0) { /* alternately as slow as a disk and as fast as memory */
            for (unsigned k = 0; k < 16; k++) {
                lod_io_estimate_add(lod_frames_io_estimate(frames), 1000,
                                    i % 128 ? 1000 : 10000000);
            }
        }
        read_item((uint32_t)(state >> 33) % (RECORDS * ITEMS),
                  1 + (unsigned)(state >> 60) % GROUPS);
        if (i % 50 == 0) {
            tell(state >> 8);
        }
        if (i % 100 == 0) {
            lod_frames_set_budget(frames, CACHE_BYTES / 4 * (1 + (state >> 60) % 3));
            lod_frames_shrink(frames, CACHE_BYTES / 4);
        }
    }
    return NULL;
}

/* Returns whether something went wrong with `loads` loads in flight. */
static int race(unsigned loads)
{
    struct lod_byte_limit limit = {.bytes_max = CACHE_BYTES};
    struct lod_frames_stats stats;
    pthread_t ids[THREADS];

    if (lod_frames_create(NULL,
                          &(struct lod_frames_options){.limit = &limit,
                                                       .budget_bytes = limit.bytes_max / 4 * 3,
                                                       .threads = true,
                                                       .loads = loads,
                                                       .loads_max = 2 * loads},
                          &frames)) {
        return 1;
    }
    for (uintptr_t i = 0; i < THREADS; i++) {
        if (pthread_create(&ids[i], NULL, run, (void *)(i + 1))) {
            return 1;
        }
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(ids[i], NULL);
    }
    lod_frames_stats(frames, &stats);
    lod_frames_destroy(frames);
    printf("%u loads: %u served, %u refused, %u wrong; %llu prefix reads, %llu scattered, %llu "
           "evicted\n",
           loads, served, refused, wrong, (unsigned long long)stats.prefix_reads,
           (unsigned long long)stats.scattered_reads, (unsigned long long)stats.evictions);
    return wrong || atomic_load(&limit.bytes) || !stats.prefix_reads || !stats.scattered_reads ||
           !stats.evictions;
}

int main(void)
{
    return race(1) || race(4);
}
