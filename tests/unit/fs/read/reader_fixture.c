/* SPDX-License-Identifier: Apache-2.0 */
/* The dataset of reader_fixture.h. */
#include "reader_fixture.h"

#include <unistd.h>

#define DISK_NS      10000000u
#define DISK_BYTE_NS 10u

struct lod_item (*items_of)(uint32_t number);
atomic_uint frames_read, reads, frames_failed;
uint64_t segment_frames = 40;
unsigned bad_group;
unsigned wrong_reads_left, side_by_side, most_ranges;
bool copy_kept;
uint32_t copied_records;
uint64_t listed_keys, listed_sum, listed_bytes, listed_at[4];
uint64_t copy_room, lists_room, copied_to, offered_bytes;
int item_error;
int frame_error;
uint32_t bad_item;
uint32_t items_end = UINT32_MAX;
uint64_t frame_short;
unsigned open_us;
atomic_uint_fast32_t stalled_record = UINT32_MAX;
atomic_uint loads_stalled;
bool shared_store, as_slow_as_a_disk;
unsigned groups_in_memory;
static unsigned groups_to_load; /* named by lod_record_groups */

/* Returns byte `at` of a segment, different for each group and item. */
uint8_t byte_of(const struct lod_item *of, unsigned group, uint64_t at)
{
    return (uint8_t)((at * 2654435761u >> 13) + group * 17 + of->number);
}

/* A record that is always open. The place of a frame identifies it. */
struct opened {
    struct lod_blob blob; /* first */
    struct lod_item item;
};

static void destroy_opened(struct lod_blob *blob)
{
    free(blob);
}

int lod_dataset_record(struct lod_dataset *dataset, const struct lod_item *of,
                       struct lod_record **ret_record)
{
    struct opened *opened = calloc(1, sizeof(*opened));

    (void)dataset;
    usleep(open_us);
    opened->item = *of;
    opened->blob.destroy = destroy_opened;
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
    if (group < 1 || group > LOD_GROUPS_MAX || frame >= segment_frames) {
        return -EILSEQ;
    }
    ret_place->offset = (uint64_t)group << GROUP_AT | (slot * segment_frames + frame) << SHIFT;
    ret_place->bytes = (uint32_t)(FRAME_BYTES - frame_short);
    return 0;
}

uint64_t lod_record_segment_bytes(const struct lod_record *record, uint32_t slot, unsigned group)
{
    (void)record;
    (void)slot;
    return group <= LOD_GROUPS_MAX ? segment_frames * FRAME_BYTES - frame_short : 0;
}

int lod_record_pread(struct lod_record *record, uint64_t offset, void *into, size_t bytes)
{
    const struct opened *opened = (const struct opened *)record;
    struct lod_item of = opened->item;

    reads++;
    for (size_t i = 0; i < bytes; i++) {
        uint64_t at = (offset + i) & ((1ull << GROUP_AT) - 1), number = at >> SHIFT;
        of.number = of.recd.first_item + (uint32_t)(number / segment_frames);
        at = number % segment_frames * FRAME_BYTES + at % FRAME_BYTES;
        ((uint8_t *)into)[i] = byte_of(&of, (unsigned)(offset >> GROUP_AT), at);
    }
    return opened->item.number == bad_item ? -EIO : frame_error;
}

int lod_record_read(struct lod_record *record, struct lod_range *ranges, unsigned count,
                    struct lod_read_time *ret_time)
{
    int error = 0;

    *ret_time = (struct lod_read_time){.ns = 1};
    for (unsigned i = 0; i < count; i++) {
        struct lod_range *range = &ranges[i];
        range->error = lod_record_pread(record, range->offset, range->into, range->bytes);
        error = error ? error : range->error;
    }
    most_ranges = count > most_ranges ? count : most_ranges;
    return error;
}

/* A frame that is reported wrong is right at the next read. */
bool lod_record_report_wrong(struct lod_record *record, const struct lod_place *place)
{
    (void)record;
    (void)place;
    if (!wrong_reads_left) {
        return false;
    }
    wrong_reads_left--;
    bad_group = 0;
    return true;
}

int lod_dataset_record_loaded(struct lod_dataset *dataset, const struct lod_item *of,
                              struct lod_io_buffer *buffer, uint64_t bytes,
                              struct lod_record **ret_record)
{
    (void)buffer;
    (void)bytes;
    return lod_dataset_record(dataset, of, ret_record);
}

/* A load from a store that does not answer for a while. */
static void stall(const struct lod_record *record)
{
    const struct opened *opened = (const struct opened *)record;

    loads_stalled += opened->item.recd.number == stalled_record;
    while (opened->item.recd.number == stalled_record) {
        usleep(100);
    }
}

/* Loads exactly the requested bytes. */
int lod_record_load(struct lod_record *record, struct lod_io_buffer *buffer, uint64_t from,
                    uint64_t to)
{
    buffer->memory = buffer->memory ? buffer->memory : malloc(LOD_IO_BUFFER_BYTES);
    stall(record);
    buffer->from = from;
    buffer->to = to < lod_io_buffer_reach(from) ? to : lod_io_buffer_reach(from);
    buffer->fresh = from;
    int error = lod_record_pread(record, from, buffer->memory, buffer->to - from);
    if (!error) {
        groups_in_memory |= groups_to_load;
        buffer->loads++;
        buffer->bytes += buffer->to - from;
        buffer->ns += as_slow_as_a_disk ? DISK_NS + (buffer->to - from) * DISK_BYTE_NS : 0;
    }
    return error;
}

/* Counts the checks: each frame that is read is checked once. */
bool lod_record_frame_sound(const struct lod_record *record, uint32_t slot, unsigned group,
                            uint64_t frame, const uint8_t *data)
{
    const struct opened *opened = (const struct opened *)record;

    struct lod_item of = opened->item;

    of.number = of.recd.first_item + slot;
    frames_read++;
    return group != bad_group && data[0] == byte_of(&of, group, frame << SHIFT);
}

uint64_t lod_dataset_record_opens(struct lod_dataset *dataset)
{
    (void)dataset;
    return 0;
}

struct lod_io_estimate index_pace;

const struct lod_io_estimate *lod_dataset_index_io_estimate(const struct lod_dataset *dataset)
{
    (void)dataset;
    return &index_pace;
}

bool lod_dataset_is_shared(const struct lod_dataset *dataset)
{
    (void)dataset;
    return shared_store;
}

void lod_dataset_listed(struct lod_dataset *dataset, const struct lod_listed *at, size_t count)
{
    (void)dataset;
    listed_keys = count;
    listed_sum = listed_bytes = 0;
    for (size_t i = 0; i < count; i++) {
        listed_at[i < 4 ? i : 3] = i < 4 ? at[i].key : listed_at[3];
        listed_sum += at[i].key;
        listed_bytes += at[i].bytes;
    }
}

bool lod_dataset_copies(const struct lod_dataset *dataset, uint64_t key, uint64_t *ret_room)
{
    (void)dataset, (void)key;
    *ret_room = copy_room;
    return copy_kept;
}

uint64_t lod_dataset_lists_bytes(const struct lod_dataset *dataset)
{
    (void)dataset;
    return lists_room;
}

bool lod_dataset_groups_copied(struct lod_dataset *dataset, const struct lod_record_desc *recd,
                               unsigned first, unsigned last)
{
    (void)dataset, (void)first;
    return last ? copied_records >> recd->number & 1 : copied_to;
}

uint64_t lod_record_copied(struct lod_record *record, uint64_t from, uint64_t to)
{
    (void)record;
    return copied_to <= from ? from : copied_to < to ? copied_to : to;
}

void lod_record_offer(struct lod_record *record, struct lod_io_buffer *buffer)
{
    (void)record;
    offered_bytes += buffer->to > buffer->fresh ? buffer->to - buffer->fresh : 0;
    buffer->fresh = buffer->to;
}

unsigned lod_dataset_loads(const struct lod_dataset *dataset)
{
    (void)dataset;
    return 1;
}

unsigned lod_dataset_ranges(const struct lod_dataset *dataset)
{
    (void)dataset;
    return side_by_side;
}

int lod_dataset_groups_in_memory(struct lod_dataset *dataset, const struct lod_record_desc *recd,
                                 unsigned first, unsigned last, bool *ret_is)
{
    const unsigned wanted = (2u << last) - (1u << first);

    (void)dataset;
    (void)recd;
    *ret_is = (groups_in_memory & wanted) == wanted;
    return 0;
}

bool lod_dataset_has_record(struct lod_dataset *dataset, const struct lod_item *of)
{
    (void)dataset;
    (void)of;
    return shared_store;
}

int lod_record_in_memory(const struct lod_record *record, const struct lod_place *place,
                         bool *ret_is)
{
    (void)record;
    *ret_is = groups_in_memory >> (place->offset >> GROUP_AT) & 1;
    return 0;
}

/* One frame stands for all frames: loading it brings the groups into the page cache. */
void lod_record_groups(const struct lod_record *record, unsigned first, unsigned last,
                       uint64_t *ret_from, uint64_t *ret_to)
{
    (void)record;
    *ret_from = (uint64_t)first << GROUP_AT;
    *ret_to = *ret_from + FRAME_BYTES;
    for (unsigned k = first; k <= last; k++) {
        groups_to_load |= 1u << k;
    }
}

int lod_dataset_frame_failed(struct lod_dataset *dataset, const struct lod_item *of, unsigned group,
                             uint64_t frame, uint64_t offset, int error)
{
    (void)dataset;
    (void)of;
    (void)group;
    (void)frame;
    (void)offset;
    frames_failed++;
    return lod_error_is_temporary(error) ? error : -EIO;
}

int lod_dataset_item(struct lod_dataset *dataset, uint32_t number, struct lod_item *ret_item)
{
    (void)dataset;
    if (number >= items_end) {
        return -ENOENT;
    }
    *ret_item = items_of(number);
    return 0;
}

int lod_dataset_record_desc(struct lod_dataset *dataset, uint32_t record,
                            struct lod_record_desc *ret_recd)
{
    (void)dataset;
    for (uint32_t i = 0; i < items_end; i++) {
        struct lod_item of = items_of(i);
        if (of.recd.number == record) {
            *ret_recd = of.recd;
            return 0;
        }
    }
    return -ENOENT;
}

int lod_dataset_item_failed(struct lod_dataset *dataset, const struct lod_item *of, int error)
{
    (void)dataset;
    (void)of;
    item_error = error;
    return -EIO;
}

void lod_dataset_item_path(struct lod_dataset *dataset, const struct lod_item *of,
                           char path[LOD_PATH_MAX + 1])
{
    (void)dataset;
    (void)of;
    path[0] = '\0';
}

struct lod_item item = {.number = 12,
                        .recd = {.number = 3,
                                 .first_item = 10,
                                 .items = 5,
                                 .frame_shift = SHIFT,
                                 .group_bytes = {1ull << 40}}}; /* larger than any cache */
struct lod_reader *reader;

struct lod_item item_in_record(uint32_t number, uint32_t items, unsigned groups)
{
    struct lod_item of = item;

    of.recd.number = number / items;
    of.recd.first_item = number / items * items;
    of.recd.items = items;
    of.recd.codec = LOD_CODEC_PCR;
    of.recd.groups = (uint8_t)groups;
    of.number = number;
    return of;
}

void setup(void)
{
    cr_assert_eq(lod_reader_create(NULL,
                                   &(struct lod_reader_options){.cache_bytes = 64 << 20,
                                                                .work_bytes = 64 << 20,
                                                                .threads = true},
                                   &reader),
                 0);
}

void teardown(void)
{
    lod_reader_destroy(reader);
}
