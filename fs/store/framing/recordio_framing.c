/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A RecordIO file of pictures, as MXNet and DALI read it: dmlc-core's recordio.h, and the header of
 * MXNet's recordio.py. A record's data is that header, a vector of labels if the sample has a
 * member STEM.label, and the picture. A reader finds records by a magic word. So a word of the data
 * that equals it, at a multiple of 4, is left out, and a new part of the record begins behind it.
 */
#include "framing/framing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"

#define MAGIC        0xced7230au
#define WORD_BYTES   4u
#define PART_BYTES   8u  /* before a part: the magic word; cflag << 29 | bytes */
#define HEADER_BYTES 24u /* u32 labels of the vector, f32 label, u64 id, u64 0 */
#define ID_AT        8u
#define CFLAG_AT     29
#define DATA_MAX     ((1ull << CFLAG_AT) - 1)
#define WORDS_MAX    4096u
#define LABEL_ENDING ".label"
#define INDEX_BYTES  28u /* "%010u\t%016u\n" */
#define LIST_BYTES   30u /* "%010u\t%17.6f\t", the path, "\n" */

/* The data of a record, and the magic words in it, which are left out. */
struct data {
    const struct lod_framed_file *label, *picture; /* label: NULL if there is no vector */
    uint64_t label_bytes, bytes;
    /* words left out: in the header, in the label, and in all */
    unsigned header_words, label_words, words;
};

static bool is_vector(const struct lod_framed_file *file)
{
    return file && file->bytes && file->bytes % sizeof(float) == 0;
}

static struct data data_of(const struct lod_framed_sample *sample)
{
    const struct lod_framed_file *label = lod_framed_member(sample, LABEL_ENDING);
    struct data data = {.picture = &sample->file[sample->lead],
                        .label = is_vector(label) ? label : NULL};

    data.label_bytes = data.label ? data.label->bytes : 0;
    data.bytes = HEADER_BYTES + data.label_bytes + data.picture->bytes;
    /* No other field of the header can equal the word: they are too small, or are floats of other
     * values. */
    data.header_words = (uint32_t)sample->id == MAGIC;
    data.label_words = data.label ? data.label->words_count : 0;
    data.words = data.header_words + data.label_words + data.picture->words_count;
    return data;
}

/* Returns the position in the data of the number-th word that is left out. */
static uint64_t word_at(const struct data *data, unsigned number)
{
    if (number < data->header_words) {
        return ID_AT;
    }
    number -= data->header_words;
    if (number < data->label_words) {
        return HEADER_BYTES + (uint64_t)WORD_BYTES * data->label->words[number];
    }
    return HEADER_BYTES + data->label_bytes +
           (uint64_t)WORD_BYTES * data->picture->words[number - data->label_words];
}

/* Writes the header of a part. */
static uint8_t *put_part(const struct data *data, unsigned part, uint8_t *into)
{
    const uint64_t from = part ? word_at(data, part - 1) + WORD_BYTES : 0;
    const uint64_t end = part < data->words ? word_at(data, part) : data->bytes;
    const unsigned cflag = data->words == 0 ? 0 : part == 0 ? 1 : part < data->words ? 2 : 3;

    lod_put_le32(into, MAGIC);
    lod_put_le32(into + 4, cflag << CFLAG_AT | (uint32_t)(end - from));
    return into + PART_BYTES;
}

/* ------------------------------------------------------------------------------ stretches */

/* A stretch is the bytes of a file between two words that are left out. */
struct slice {
    const struct lod_framed_file *file;
    unsigned number; /* how many words of the file were left out before it */
    unsigned part;   /* number of the part of the record in which it is */
    bool first, last;
};

static unsigned stretches_of(const struct data *data)
{
    return (data->label ? data->label_words + 1 : 0) + data->picture->words_count + 1;
}

static struct slice slice_of(const struct data *data, unsigned number)
{
    const unsigned labels = data->label ? data->label_words + 1 : 0;
    const bool of_label = number < labels;
    const unsigned in_file = of_label ? number : number - labels;

    return (struct slice){.file = of_label ? data->label : data->picture,
                          .number = in_file,
                          .part = data->header_words + (of_label ? 0 : data->label_words) + in_file,
                          .first = number == 0,
                          .last = number + 1 == stretches_of(data)};
}

static unsigned head_bytes(const struct data *data, const struct slice *slice)
{
    if (slice->first) {
        return PART_BYTES + HEADER_BYTES + data->header_words * (PART_BYTES - WORD_BYTES);
    }
    return slice->number ? PART_BYTES
                         : 0; /* a picture begins in the part in which its labels end */
}

static unsigned stretches(const struct lod_framed_sample *sample)
{
    const struct data data = data_of(sample);

    return stretches_of(&data);
}

static void put_header(const struct lod_framed_sample *sample, const struct data *data,
                       uint8_t into[HEADER_BYTES])
{
    const float label = data->label ? 0 : (float)sample->label;
    uint32_t bits;

    memcpy(&bits, &label, sizeof(bits));
    lod_put_le32(into, (uint32_t)(data->label_bytes / sizeof(float)));
    lod_put_le32(into + 4, bits);
    lod_put_le64(into + ID_AT, sample->id);
    lod_put_le64(into + 16, 0);
}

static void put_head(const struct lod_framed_sample *sample, const struct data *data,
                     const struct slice *slice, uint8_t *into)
{
    uint8_t header[HEADER_BYTES];

    if (!slice->first) {
        if (slice->number) {
            put_part(data, slice->part, into);
        }
        return;
    }
    put_header(sample, data, header);
    into = put_part(data, 0, into);
    if (data->header_words) {
        memcpy(into, header, ID_AT);
        into = put_part(data, 1, into + ID_AT);
        memcpy(into, header + ID_AT + WORD_BYTES, HEADER_BYTES - ID_AT - WORD_BYTES);
        return;
    }
    memcpy(into, header, HEADER_BYTES);
}

static void stretch(const struct lod_framed_sample *sample, unsigned number,
                    struct lod_stretch *ret, uint8_t *head)
{
    const struct data data = data_of(sample);
    const struct slice slice = slice_of(&data, number);
    const struct lod_framed_file *file = slice.file;
    const uint64_t from =
        slice.number ? (uint64_t)WORD_BYTES * (file->words[slice.number - 1] + 1ull) : 0;
    const uint64_t end = slice.number < file->words_count
                             ? (uint64_t)WORD_BYTES * file->words[slice.number]
                             : file->bytes;

    *ret =
        (struct lod_stretch){.head_bytes = head_bytes(&data, &slice),
                             .file = file,
                             .from = from,
                             .bytes = end - from,
                             .tail_bytes = slice.last ? (unsigned)(-data.bytes % WORD_BYTES) : 0};
    if (head) {
        put_head(sample, &data, &slice, head);
    }
}

static void tail(const struct lod_framed_sample *sample, unsigned number, uint32_t crc,
                 uint8_t *into)
{
    const struct data data = data_of(sample);

    (void)number;
    (void)crc;
    memset(into, 0, -data.bytes % WORD_BYTES);
}

static bool takes(const struct lod_framed_sample *sample)
{
    const struct data data = data_of(sample);
    const uint32_t label = data.label ? data.label->words_most : 0;

    return data.bytes <= DATA_MAX && label <= WORDS_MAX && data.picture->words_most <= WORDS_MAX;
}

/* ---------------------------------------------------------------------------------- lines */

static void write_index(const struct lod_framed_line *line, char *into)
{
    char text[INDEX_BYTES + 1];

    snprintf(text, sizeof(text), "%010" PRIu64 "\t%016" PRIu64 "\n", line->id, line->offset);
    memcpy(into, text, INDEX_BYTES);
}

/* As im2rec writes them; blanks make all lines of one length. Readers end a line at '\n'. */
static void write_list(const struct lod_framed_line *line, char *into)
{
    char text[LIST_BYTES];

    snprintf(text, sizeof(text), "%010" PRIu64 "\t%17.6f\t", line->id, (double)line->label);
    memcpy(into, text, LIST_BYTES - 1);
    into += LIST_BYTES - 1;
    for (uint32_t i = 0; i < line->path_room; i++) {
        const char byte = i < line->path_bytes ? line->path[i] : ' ';
        into[i] = (unsigned char)byte < ' ' ? '?' : byte;
    }
    into[line->path_room] = '\n';
}

static const struct lod_framed_lines index_lines = {
    .ending = ".idx", .bytes = INDEX_BYTES, .write = write_index};
static const struct lod_framed_lines list_lines = {
    .ending = ".lst", .bytes = LIST_BYTES, .has_path = true, .write = write_list};

const struct lod_framing lod_framing_recordio = {
    .folder = "recordio",
    .ending = ".rec",
    .format = LOD_FORMAT_RECORDIO,
    .whole = true,
    .escapes = true,
    .takes = takes,
    .refuses = "over 4,096 of its magic words, or 512 MiB",
    .stretches = stretches,
    .stretch = stretch,
    .tail = tail,
    .lines = {[LOD_FRAMED_INDEX] = &index_lines, [LOD_FRAMED_LIST] = &list_lines},
};
