/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers of a made-up store at once: few items, so that they meet; little memory, so that chunks
 * are taken back under them; prefixes and frames by turns; frames that are bad. Every byte that is
 * handed out is the right one. Run under ThreadSanitizer.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"

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
    struct lod_pinned pinned;
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

int lod_dataset_pin(struct lod_dataset *dataset, const struct lod_item *item,
                    struct lod_pinned **ret_pinned)
{
    struct opened *opened = calloc(1, sizeof(*opened));

    (void)dataset;
    if (!opened) {
        return -ENOMEM;
    }
    opened->first_item = item->recd.first_item;
    opened->pinned.blob.destroy = destroy;
    atomic_init(&opened->pinned.blob.refs, 1);
    *ret_pinned = &opened->pinned;
    return 0;
}

int lod_pinned_place(const struct lod_pinned *pinned, uint32_t slot, unsigned group, uint64_t frame,
                     struct lod_place *ret_place)
{
    (void)pinned;
    if (frame) {
        return -EILSEQ;
    }
    *ret_place =
        (struct lod_place){((uint64_t)(group - 1) * ITEMS + slot) * FRAME_BYTES, FRAME_BYTES};
    return 0;
}

int lod_pinned_read(struct lod_pinned *pinned, uint64_t offset, void *into, size_t bytes)
{
    const struct opened *opened = (const struct opened *)pinned;

    for (size_t i = 0; i < bytes; i += FRAME_BYTES) {
        uint64_t number = (offset + i) / FRAME_BYTES;
        memset((uint8_t *)into + i,
               byte_of(opened->first_item + (uint32_t)(number % ITEMS),
                       (unsigned)(number / ITEMS) + 1),
               FRAME_BYTES);
    }
    return 0;
}

int lod_dataset_pin_staged(struct lod_dataset *dataset, const struct lod_item *item,
                           struct lod_stage *stage, uint64_t bytes, struct lod_pinned **ret_pinned)
{
    (void)stage;
    (void)bytes;
    return lod_dataset_pin(dataset, item, ret_pinned);
}

/* All frames of the record fit. */
int lod_pinned_load(struct lod_pinned *pinned, struct lod_stage *stage, uint64_t from, uint64_t to)
{
    stage->memory = stage->memory ? stage->memory : malloc(GROUPS * ITEMS * FRAME_BYTES);
    if (!stage->memory) {
        return -ENOMEM;
    }
    stage->from = from;
    stage->to = to;
    stage->loads++;
    stage->bytes += to - from;
    return lod_pinned_read(pinned, from, stage->memory, to - from);
}

bool lod_pinned_sound(const struct lod_pinned *pinned, uint32_t slot, unsigned group,
                      uint64_t frame, const uint8_t *data)
{
    uint32_t item = ((const struct opened *)pinned)->first_item + slot;

    (void)frame;
    return data[0] == byte_of(item, group) && !(item == BAD_ITEM && group == 2);
}

static struct lod_pace index_pace;

const struct lod_pace *lod_dataset_index_pace(const struct lod_dataset *dataset)
{
    (void)dataset;
    return &index_pace;
}

uint64_t lod_dataset_groups_bytes(struct lod_dataset *dataset, unsigned groups)
{
    (void)dataset;
    return (uint64_t)RECORDS * ITEMS * groups * FRAME_BYTES;
}

int lod_dataset_frame_failed(struct lod_dataset *dataset, const struct lod_item *item,
                             unsigned group, uint64_t frame, uint64_t offset, int error)
{
    (void)dataset;
    (void)item;
    (void)group;
    (void)frame;
    (void)offset;
    (void)error;
    return -EIO;
}

static struct lod_item item_of(uint32_t number)
{
    struct lod_item item = {.number = number};

    item.recd = (struct lod_recd){.number = number / ITEMS,
                                  .first_item = number / ITEMS * ITEMS,
                                  .items = ITEMS,
                                  .groups = GROUPS,
                                  .frame_shift = LOD_FRAME_SHIFT_MIN};
    for (unsigned g = 0; g < GROUPS; g++) {
        item.recd.group_bytes[g] = ITEMS * FRAME_BYTES;
    }
    return item;
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

static void *run(void *ctx)
{
    uint64_t state = (uintptr_t)ctx;

    for (unsigned i = 0; i < ROUNDS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        if (i % 64 == 0) { /* the store is a disk, then memory, by turns */
            for (unsigned k = 0; k < 16; k++) {
                lod_pace_add(lod_frames_pace(frames), 1000, i % 128 ? 1000 : 10000000);
            }
        }
        read_item((uint32_t)(state >> 33) % (RECORDS * ITEMS),
                  1 + (unsigned)(state >> 60) % GROUPS);
        if (i % 100 == 0) {
            lod_frames_shrink(frames, CACHE_BYTES / 4);
        }
    }
    return NULL;
}

int main(void)
{
    struct lod_room room = {.bytes_max = CACHE_BYTES};
    struct lod_frames_stats stats;
    pthread_t ids[THREADS];

    if (lod_frames_create(NULL, &room, &frames)) {
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
    printf("%u served, %u refused, %u wrong; %llu prefix reads, %llu scattered, %llu evicted\n",
           served, refused, wrong, (unsigned long long)stats.prefix_reads,
           (unsigned long long)stats.scattered_reads, (unsigned long long)stats.evictions);
    return wrong || atomic_load(&room.bytes) || !stats.prefix_reads || !stats.scattered_reads ||
           !stats.evictions;
}
