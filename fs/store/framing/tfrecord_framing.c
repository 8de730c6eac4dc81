/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A TFRecord file of Examples: TensorFlow's record_writer.cc and example.proto. A record is its
 * length, a checksum of that, an Example, and its checksum. The features of the Example are those
 * of TensorFlow's ImageNet scripts, or those of a member STEM.example. The picture comes last, so
 * all bytes but its own and the checksum are known without it.
 */
#include "framing/framing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "castagnoli.h"

#define LENGTH_BYTES 12u /* u64 and its checksum */
#define CRC_BYTES    4u
#define EXAMPLE_MAX  0x7fffffffull /* bytes of a message of protobuf */
#define GIVEN_ENDING ".example"
#define FEATURES_MAX 7u
#define NUMBER_BYTES 10u   /* a varint of 64 bits */
#define LINE_BYTES   28u   /* "%016u %010u\n" */
#define BYTES_LIST   0x0au /* tags of Feature */
#define INT64_LIST   0x1au
#define FIELD_1      0x0au /* the tag of field 1 of a message, with a length */
#define FIELD_2      0x12u

/* A feature, whose list has one value of `bytes` bytes. */
struct feature {
    const char *key;
    size_t key_bytes;
    uint8_t list;
    const void *value; /* NULL: the picture */
    uint64_t bytes;
    uint64_t entry_bytes; /* of its entry in the map of features */
    uint8_t number[NUMBER_BYTES];
};

struct example {
    struct feature feature[FEATURES_MAX];
    unsigned count;
    uint64_t features_bytes;
};

/* -------------------------------------------------------------------------------- protobuf */

static unsigned varint_bytes(uint64_t value)
{
    unsigned bytes = 1;

    for (; value > 0x7f; value >>= 7) {
        bytes++;
    }
    return bytes;
}

static uint8_t *put_varint(uint8_t *at, uint64_t value)
{
    for (; value > 0x7f; value >>= 7) {
        *at++ = (uint8_t)(value | 0x80);
    }
    *at++ = (uint8_t)value;
    return at;
}

static uint8_t *put_bytes(uint8_t *at, const void *data, uint64_t bytes)
{
    memcpy(at, data, bytes);
    return at + bytes;
}

/* Returns the size of a field with a length: tag, length, and contents of `bytes` bytes. */
static uint64_t field_bytes(uint64_t bytes)
{
    return 1 + varint_bytes(bytes) + bytes;
}

static uint8_t *put_field(uint8_t *at, uint8_t tag, uint64_t bytes)
{
    *at = tag;
    return put_varint(at + 1, bytes);
}

static uint64_t list_bytes(const struct feature *feature)
{
    return field_bytes(feature->bytes);
}

static uint64_t value_bytes(const struct feature *feature)
{
    return field_bytes(list_bytes(feature));
}

static uint64_t entry_bytes(const struct feature *feature)
{
    return field_bytes(feature->key_bytes) + field_bytes(value_bytes(feature));
}

/* An entry of the map of features; the picture's bytes are left out, and follow. */
static uint8_t *put_entry(uint8_t *at, const struct feature *feature)
{
    at = put_field(at, FIELD_1, feature->entry_bytes);
    at = put_field(at, FIELD_1, feature->key_bytes);
    at = put_bytes(at, feature->key, feature->key_bytes);
    at = put_field(at, FIELD_2, value_bytes(feature));
    at = put_field(at, feature->list, list_bytes(feature));
    at = put_field(at, FIELD_1, feature->bytes);
    return feature->value ? put_bytes(at, feature->value, feature->bytes) : at;
}

/* -------------------------------------------------------------------------------- features */

/* Inline, so that strlen(key) is a constant. */
static inline void add(struct example *example, const char *key, const void *value, uint64_t bytes)
{
    example->feature[example->count++] = (struct feature){
        .key = key, .key_bytes = strlen(key), .list = BYTES_LIST, .value = value, .bytes = bytes};
}

static inline void add_number(struct example *example, const char *key, uint64_t value)
{
    struct feature *feature = &example->feature[example->count++];

    *feature = (struct feature){.key = key, .key_bytes = strlen(key), .list = INT64_LIST};
    feature->value = feature->number;
    feature->bytes = (uint64_t)(put_varint(feature->number, value) - feature->number);
}

/* TensorFlow's scripts say "jpeg" and "png". */
static const char *format_of(const struct lod_framed_sample *sample)
{
    return !sample->kind ? NULL : strcmp(sample->kind, ".jpg") == 0 ? "jpeg" : sample->kind + 1;
}

/* Adds the features that a store has of the picture itself. */
static void describe_lead(const struct lod_framed_sample *sample, struct example *example)
{
    const struct lod_framed_file *lead = &sample->file[sample->lead];
    const char *format = format_of(sample);

    if (sample->label >= 0) {
        add_number(example, "image/class/label", (uint64_t)sample->label);
    }
    if (sample->class_bytes) {
        add(example, "image/class/text", sample->class_name, sample->class_bytes);
    }
    add(example, "image/filename", lead->path, lead->path_bytes);
    if (format) {
        add(example, "image/format", format, strlen(format));
    }
    if (sample->width) {
        add_number(example, "image/height", sample->height);
        add_number(example, "image/width", sample->width);
    }
}

static void describe(const struct lod_framed_sample *sample, struct example *example)
{
    example->count = 0;
    if (!lod_framed_member(sample, GIVEN_ENDING)) {
        describe_lead(sample, example);
    }
    add(example, "image/encoded", NULL, sample->file[sample->lead].bytes);
    example->features_bytes = 0;
    for (unsigned i = 0; i < example->count; i++) {
        example->feature[i].entry_bytes = entry_bytes(&example->feature[i]);
        example->features_bytes += field_bytes(example->feature[i].entry_bytes);
    }
}
/* --------------------------------------------------------------------------------- records */

static uint32_t masked(uint32_t crc)
{
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

/* Returns the member that holds a serialised Example with all features but the picture; NULL: none.
 * The framing writes it first and appends the picture. Parsers merge adjacent messages into one. */
static const struct lod_framed_file *given_of(const struct lod_framed_sample *sample)
{
    return lod_framed_member(sample, GIVEN_ENDING);
}

static bool takes(const struct lod_framed_sample *sample)
{
    const struct lod_framed_file *given = given_of(sample);
    struct example example;

    if (!given) {
        return true; /* a picture below LOD_FRAMED_BYTES_MAX and its features fit */
    }
    describe(sample, &example);
    return given->bytes + field_bytes(example.features_bytes) <= EXAMPLE_MAX;
}

static unsigned stretches(const struct lod_framed_sample *sample)
{
    return given_of(sample) ? 2 : 1;
}

/* The length of the Example and the checksum of that. */
static void put_length(uint64_t bytes, uint8_t *into)
{
    lod_put_le64(into, bytes);
    lod_put_le32(into + 8, masked(lod_crc32c(0, into, 8)));
}

static void put_example(const struct example *example, uint8_t *into)
{
    uint8_t *at = put_field(into, FIELD_1, example->features_bytes);

    for (unsigned i = 0; i < example->count; i++) {
        at = put_entry(at, &example->feature[i]);
    }
}

static void stretch(const struct lod_framed_sample *sample, unsigned number,
                    struct lod_stretch *ret, uint8_t *head)
{
    const struct lod_framed_file *lead = &sample->file[sample->lead], *given = given_of(sample);
    const unsigned length = given && number ? 0 : LENGTH_BYTES;
    struct example example;

    describe(sample, &example);
    const uint64_t bytes = field_bytes(example.features_bytes);
    if (head && length) {
        put_length(bytes + (given ? given->bytes : 0), head);
    }
    if (given && number == 0) {
        *ret =
            (struct lod_stretch){.head_bytes = LENGTH_BYTES, .file = given, .bytes = given->bytes};
        return;
    }
    if (head) {
        put_example(&example, head + length);
    }
    *ret = (struct lod_stretch){.head_bytes = length + (unsigned)(bytes - lead->bytes),
                                .file = lead,
                                .bytes = lead->bytes,
                                .tail_bytes = CRC_BYTES,
                                .sum_first = given,
                                .summed = true,
                                .sum_from = length};
}

static void tail(const struct lod_framed_sample *sample, unsigned number, uint32_t crc,
                 uint8_t *into)
{
    (void)sample;
    (void)number;
    lod_put_le32(into, masked(crc));
}

/* As DALI's tfrecord2idx writes them. The zeros make all lines of one length. */
static void write_line(const struct lod_framed_line *line, char *into)
{
    char text[LINE_BYTES + 1];

    snprintf(text, sizeof(text), "%016" PRIu64 " %010" PRIu64 "\n", line->offset, line->bytes);
    memcpy(into, text, LINE_BYTES);
}

static const struct lod_framed_lines index_lines = {
    .ending = ".idx", .bytes = LINE_BYTES, .write = write_line};

const struct lod_framing lod_framing_tfrecord = {
    .folder = "tfrecord",
    .ending = ".tfrecord",
    .format = LOD_FORMAT_TFRECORD,
    .takes = takes,
    .refuses = "an Example of 2 GiB or more",
    .stretches = stretches,
    .stretch = stretch,
    .tail = tail,
    .lines = {[LOD_FRAMED_INDEX] = &index_lines},
};
