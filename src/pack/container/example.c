/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See example.h. A message is fields: a varint, number * 8 + wire type, then the value. Type 2 has
 * a length before it. An Example has Features in field 1, and Features a map in field 1. An entry
 * of the map is a message of key and Feature. A Feature is a list of bytes, floats or integers, in
 * field 1, 2 or 3.
 */
#include "pack/container/example.h"

#include <string.h>

#define VARINT_MAX 10u
#define KEY_MAX    256u
#define FIELD_1    0x0a /* field 1 with a length */
#define BYTES_LIST 1u   /* fields of a Feature */
#define INT64_LIST 3u

enum { VARINT = 0, FIXED_64 = 1, LENGTH = 2, FIXED_32 = 5 };

struct field {
    uint64_t number;
    unsigned type;
    uint64_t at, data, end; /* where the field begins, its value begins, and both end */
};

/* The features that are read. */
struct search {
    struct lod_container_walk *walk;
    struct lod_example *example;
    bool by_image; /* a picture was found under the name "image" */
    bool by_class; /* a label was found under the name "image/class/label" */
};

static int refuse(struct lod_container_walk *walk, uint64_t at)
{
    return lod_container_refuse(walk, at, "it is no Example, or a malformed one");
}

static unsigned varint(const uint8_t *at, size_t bytes, uint64_t *ret)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < bytes && i < VARINT_MAX; i++) {
        value |= (uint64_t)(at[i] & 0x7f) << (7 * i);
        if (!(at[i] & 0x80)) {
            *ret = value;
            return i + 1;
        }
    }
    return 0;
}

/* Reads the head of the field at `at` of a message that ends at `end`. */
static int read_field(struct lod_container_walk *walk, uint64_t at, uint64_t end, struct field *ret)
{
    const size_t window = end - at < 2 * VARINT_MAX ? (size_t)(end - at) : 2 * VARINT_MAX;
    const uint8_t *bytes = NULL;
    uint64_t tag = 0, value = 0;
    int error = lod_container_take(walk, at, window, &bytes);

    if (error) {
        return error;
    }
    const unsigned tag_bytes = varint(bytes, window, &tag);
    *ret = (struct field){.number = tag >> 3, .type = tag & 7, .at = at, .data = at + tag_bytes};
    if (!tag_bytes) {
        return refuse(walk, at);
    }
    uint64_t length = ret->type == FIXED_64 ? 8 : 4;
    if (ret->type == VARINT || ret->type == LENGTH) {
        const unsigned value_bytes = varint(bytes + tag_bytes, window - tag_bytes, &value);
        if (!value_bytes) {
            return refuse(walk, at);
        }
        ret->data += ret->type == LENGTH ? value_bytes : 0;
        length = ret->type == LENGTH ? value : value_bytes;
    } else if (ret->type != FIXED_64 && ret->type != FIXED_32) {
        return refuse(walk, at);
    }
    if (length > end - ret->data) {
        return refuse(walk, at);
    }
    ret->end = ret->data + length;
    return 0;
}

/* Finds the bytes of a Feature whose list is field `list_number`. *ret_values: how many values it
 * has; packed numbers are one. 0: it has another list. */
static int read_values(struct lod_container_walk *walk, const struct field *feature,
                       unsigned list_number, struct lod_run *ret_first, unsigned *ret_values)
{
    struct field list, value;
    int error = 0;

    *ret_values = 0;
    for (uint64_t at = feature->data; !error && at < feature->end; at = list.end) {
        error = read_field(walk, at, feature->end, &list);
        const bool wanted = !error && list.number == list_number && list.type == LENGTH;
        for (uint64_t from = list.data; !error && wanted && from < list.end; from = value.end) {
            error = read_field(walk, from, list.end, &value);
            if (!error && value.number == 1 &&
                (value.type == LENGTH || (value.type == VARINT && list_number == INT64_LIST))) {
                *ret_first = (struct lod_run){value.data, value.end - value.data};
                *ret_values += *ret_values < 2;
            }
        }
    }
    return error;
}

static int set_value(struct search *search, const struct field *feature,
                     struct lod_example_value *value)
{
    struct lod_run run;
    unsigned values = 0;
    int error = value->found ? 0 : read_values(search->walk, feature, BYTES_LIST, &run, &values);

    if (!error && values == 1) {
        *value = (struct lod_example_value){.found = true, .run = run};
    }
    return error;
}

/* Notes the class, unless one was found under a preferred name. */
static int set_label(struct search *search, const struct field *feature, bool by_class)
{
    struct lod_example *example = search->example;
    struct lod_run run;
    const uint8_t *at = NULL;
    uint64_t number = 0;
    unsigned values = 0;
    int error =
        search->by_class ? 0 : read_values(search->walk, feature, INT64_LIST, &run, &values);

    if (error || values != 1 || run.bytes == 0 || run.bytes > VARINT_MAX) {
        return error;
    }
    error = lod_container_take(search->walk, run.offset, (size_t)run.bytes, &at);
    if (!error && varint(at, (size_t)run.bytes, &number) == run.bytes && number <= INT32_MAX) {
        example->label = (int32_t)number;
        search->by_class = by_class;
    }
    return error;
}

/* Notes the picture, unless one was found under a preferred name. */
static int set_picture(struct search *search, const struct field *features,
                       const struct field *entry, const struct field *feature, bool by_image)
{
    struct lod_example *example = search->example;
    struct lod_example_value value = {0};
    int error = set_value(search, feature, &value);

    if (error || !value.found || (example->picture.found && by_image && !search->by_image)) {
        return error;
    }
    if (example->picture.found && by_image == search->by_image) {
        return lod_container_refuse(search->walk, entry->at, "it has its picture twice");
    }
    search->by_image = by_image;
    example->picture = value;
    example->entry_at = entry->at;
    example->entry_end = entry->end;
    example->features_at = features->at;
    example->features_data = features->data;
    example->features_end = features->end;
    return 0;
}

static int take_feature(struct search *search, const struct field *features,
                        const struct field *entry, const char *key, const struct field *feature)
{
    struct lod_example *example = search->example;
    const char *wanted = search->walk->key;
    const bool encoded = strcmp(key, wanted ? wanted : "image/encoded") == 0;

    if (encoded || (!wanted && strcmp(key, "image") == 0)) {
        return set_picture(search, features, entry, feature, !encoded);
    }
    if (strcmp(key, "image/filename") == 0 || strcmp(key, "file_name") == 0) {
        return set_value(search, feature, &example->filename);
    }
    const bool class = strcmp(key, "image/class/label") == 0;
    if (class || strcmp(key, "label") == 0) {
        return set_label(search, feature, class);
    }
    return strcmp(key, "image/class/text") == 0 ? set_value(search, feature, &example->text) : 0;
}

/* Reads an entry of the map. A key that is longer than all known ones becomes "". */
static int read_entry(struct search *search, const struct field *features,
                      const struct field *entry)
{
    struct field field, feature = {0};
    char key[KEY_MAX + 1] = "";
    const uint8_t *bytes = NULL;
    int error = 0;

    for (uint64_t at = entry->data; !error && at < entry->end; at = field.end) {
        error = read_field(search->walk, at, entry->end, &field);
        const uint64_t length = error ? 0 : field.end - field.data;
        if (!error && field.number == 1 && field.type == LENGTH && length <= KEY_MAX) {
            error = lod_container_take(search->walk, field.data, (size_t)length, &bytes);
            if (!error) {
                memcpy(key, bytes, (size_t)length);
                key[length] = '\0';
            }
        } else if (!error && field.number == 2 && field.type == LENGTH) {
            feature = field;
        }
    }
    return error || !feature.end ? error : take_feature(search, features, entry, key, &feature);
}

static int read_features(struct search *search, const struct field *features, uint64_t *ret_entries)
{
    struct field entry;
    int error = 0;

    for (uint64_t at = features->data; !error && at < features->end; at = entry.end) {
        error = read_field(search->walk, at, features->end, &entry);
        if (!error && entry.number == 1 && entry.type == LENGTH) {
            error = read_entry(search, features, &entry);
        }
        ++*ret_entries;
    }
    return error;
}

int lod_example_read(struct lod_container_walk *walk, uint64_t at, uint64_t bytes,
                     struct lod_example *ret_example)
{
    struct search search = {.walk = walk, .example = ret_example};
    const uint64_t end = at + bytes;
    struct field field;
    uint64_t entries = 0;
    int error = 0;

    *ret_example = (struct lod_example){.label = -1};
    for (uint64_t from = at; !error && from < end; from = field.end) {
        error = read_field(walk, from, end, &field);
        if (!error && field.number == 1 && field.type == LENGTH) {
            error = read_features(&search, &field, &entries);
        } else {
            entries++; /* a field of another message, such as SequenceExample */
        }
    }
    ret_example->others = entries > ret_example->picture.found;
    return error;
}

static unsigned put_varint(uint8_t *at, uint64_t value)
{
    unsigned bytes = 0;

    for (; value > 0x7f; value >>= 7) {
        at[bytes++] = (uint8_t)(value | 0x80);
    }
    at[bytes++] = (uint8_t)value;
    return bytes;
}

unsigned lod_example_rest(const struct lod_example *example, uint64_t at, uint64_t bytes,
                          uint8_t head[LOD_EXAMPLE_HEAD], unsigned *ret_head_bytes,
                          struct lod_run runs[LOD_EXAMPLE_RUNS])
{
    const uint64_t end = at + bytes;
    const uint64_t left =
        (example->entry_at - example->features_data) + (example->features_end - example->entry_end);

    *ret_head_bytes = 0;
    if (!example->picture.found) {
        runs[0] = (struct lod_run){at, bytes};
        return 1;
    }
    head[0] = FIELD_1;
    *ret_head_bytes = 1 + put_varint(head + 1, left);
    runs[0] = (struct lod_run){example->features_data, example->entry_at - example->features_data};
    runs[1] = (struct lod_run){example->entry_end, example->features_end - example->entry_end};
    runs[2] = (struct lod_run){at, example->features_at - at};
    runs[3] = (struct lod_run){example->features_end, end - example->features_end};
    return LOD_EXAMPLE_RUNS;
}
