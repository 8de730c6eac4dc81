/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of files and the cuts (FORMAT.md, Order and cuts). The algorithm:
 *
 * 1. The key of a file is XXH3-64(its name up to the last dot, seed), or that of its folder's name
 *    (file_keys.c). Files are sorted by key, then by XXH3-64(path, seed), then by path; with
 *    --order=path by path only (keys of names then only decide where a cut may be). So an image,
 *    its mask and its label are neighbours. Files that pack adds to a file are sorted after it, in
 *    order of their parts: a table's shards follow the table.
 *    If all pictures are below folders such as train/ and val/, or --splits names folders
 *    (splits.h), files are first sorted by split, and files outside such folders come last. A cut
 *    and a record end with a split.
 * 2. A codec is big if its files hold 5 % or more of the bytes of all. Equal files and hard links
 *    count once.
 * 3. Among the sorted files, a new cut begins where the key changes, if a big codec has
 *    record_bytes or more since the last cut. Unless files are sorted by path, it begins inside of
 *    a key too, before a file that carries its codec past 2 x record_bytes. None divides a table.
 * 4. Within a cut, each big codec's files fill records in order, codecs in order of their ids, and
 *    those of an encoder whose items stand apart (encoder.h) after the others. A record takes files
 *    until the next one would carry it past 2 x record_bytes, 8,192 items or 8 MiB of metadata; the
 *    next record has the same cut number. A file larger than that is a record of its own.
 * 5. After the last cut come the other codecs, in order of their ids, in records of up to
 *    4 x record_bytes under the same limits of items and metadata, cut 0xffffffff.
 */
#include "pack/plan/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "list.h"
#include "pack/plan/file_keys.h"
#include "pack/plan/splits.h"
#include "pack/plan/subitems.h"
#include "backend/format.h"
#include "sample/magic_list.h"
#include "record/record_write.h"

#define BIG_SHARE          20u /* a twentieth: 5 % */
#define RECORD_BYTES_LEAST ((uint64_t)16 << 20)
#define RECORD_BYTES_MOST  ((uint64_t)64 << 20)
#define RECORDS_LEAST      8u
#define BIG_RECORD_SIZES   2u
#define SMALL_RECORD_SIZES 4u

struct place {
    uint64_t key, path_key;
    uint32_t file;   /* index in the list */
    uint32_t origin; /* the file whose path it is sorted by; indexes are in path order */
    uint32_t part;
    uint32_t cut;
    uint32_t split; /* splits.h */
};

struct order {
    const struct lod_source_list *list;
    const struct lod_order_options *options;
    struct place *places;
    size_t count;
    bool big[LOD_CODECS];
    struct lod_order made;
    size_t records_room;
};

/* The record that is being filled. */
struct filling {
    const struct lod_codec *codec;
    uint32_t cut;
    uint64_t bytes_max;
    uint64_t metadata_bytes;
    bool open;
};

static const struct lod_source *file_at(const struct order *o, size_t place)
{
    return &o->list->at[o->places[place].file];
}

/* A file of the source is its own origin, so it comes before the files added to it. */
static int by_origin(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->split != y->split) {
        return x->split < y->split ? -1 : 1;
    }
    if (x->origin != y->origin) {
        return x->origin < y->origin ? -1 : 1;
    }
    return x->part < y->part ? -1 : x->part > y->part;
}

static int by_keys(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->split != y->split) {
        return x->split < y->split ? -1 : 1;
    }
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    if (x->path_key != y->path_key) {
        return x->path_key < y->path_key ? -1 : 1;
    }
    return by_origin(a, b);
}

static void list_files(struct order *o, const uint64_t *keys)
{
    const struct lod_source_list *list = o->list;
    uint64_t seed = o->options->seed;

    for (size_t i = 0; i < list->count; i++) {
        const struct lod_source *file = &list->at[i];
        uint32_t origin = file->added ? file->owner : (uint32_t)i;
        const char *path = list->at[origin].path;
        if (file->role == LOD_SOURCE_FILE) {
            o->places[o->count++] = (struct place){.key = keys[i],
                                                   .path_key = lod_hash64(path, strlen(path), seed),
                                                   .file = (uint32_t)i,
                                                   .origin = origin,
                                                   .part = file->part};
        }
    }
}

static int list_places(struct order *o)
{
    uint64_t *keys = NULL;
    int error = lod_file_keys_make(o->list, o->options->seed, o->options->by_path, &keys);

    o->places = malloc((o->list->count + 1) * sizeof(o->places[0]));
    error = error || o->places ? error : -ENOMEM;
    if (!error) {
        list_files(o, keys);
    }
    free(keys);
    return error;
}

/* Returns whether a file is a picture: an item of a codec for pictures, or, if there is none (`any`
 * is false), of raw files that are big. */
static bool is_picture(const struct order *o, const struct lod_source *file, bool any)
{
    const struct lod_codec *codec = file->encoder->codec;

    return any ? codec->picture_rank != 0 : codec->id == LOD_CODEC_RAW && o->big[codec->id];
}

static int add_pictures(const struct order *o, struct lod_splits *splits)
{
    bool any = false, marked = false;
    int error = lod_splits_add_marked(splits, o->list, &marked);

    if (error || marked) {
        return error;
    }
    for (size_t i = 0; i < o->count; i++) {
        any = any || file_at(o, i)->encoder->codec->picture_rank;
    }
    for (size_t i = 0; !error && i < o->count; i++) {
        if (is_picture(o, file_at(o, i), any)) {
            error = lod_splits_add(splits, file_at(o, i)->path);
        }
    }
    return error;
}

static int sort_files(struct order *o)
{
    struct lod_splits splits = {0};
    int error = add_pictures(o, &splits);

    lod_splits_sort(&splits);
    for (size_t i = 0; !error && i < o->count; i++) {
        o->places[i].split = lod_splits_of(&splits, o->list->at[o->places[i].origin].path);
    }
    lod_splits_finish(&splits);
    if (!error) {
        qsort(o->places, o->count, sizeof(o->places[0]), o->options->by_path ? by_origin : by_keys);
    }
    return error;
}

/*
 * Linux sends a disk requests of at most 1,280 KiB. A prefix should take several of them, since the
 * last, partial one would otherwise be most of its cost; q1 is about a twelfth of a record. There
 * are still at least 8 records, which threads pack in parallel.
 */
uint64_t lod_order_record_bytes(uint64_t source_bytes)
{
    uint64_t bytes = RECORD_BYTES_LEAST;

    while (bytes < RECORD_BYTES_MOST && bytes * 2 <= source_bytes / RECORDS_LEAST) {
        bytes *= 2;
    }
    return bytes;
}

static void find_big(struct order *o)
{
    uint64_t bytes[LOD_CODECS] = {0}, total = 0;

    for (size_t i = 0; i < o->count; i++) {
        const struct lod_source *file = file_at(o, i);
        bytes[file->encoder->codec->id] += lod_subitems_weight(file);
        total += lod_subitems_weight(file);
    }
    for (unsigned id = 0; id < LOD_CODECS; id++) {
        o->big[id] = bytes[id] >= total / BIG_SHARE + (total % BIG_SHARE != 0);
    }
    o->made.record_bytes =
        o->options->record_bytes ? o->options->record_bytes : lod_order_record_bytes(total);
}

/* Returns whether a cut begins with place i, which is not the first. `since` are the bytes of its
 * codec since the last cut; `due`: a cut begins with the next key. */
static bool cut_begins(const struct order *o, size_t i, uint64_t since, bool due)
{
    const struct place *place = &o->places[i], *before = place - 1;
    const struct lod_source *file = file_at(o, i);

    if (place->split != before->split || place->key != before->key) {
        return due || place->split != before->split;
    }
    return !o->options->by_path && since && place->origin != before->origin &&
           o->big[file->encoder->codec->id] &&
           since + lod_subitems_weight(file) > BIG_RECORD_SIZES * o->made.record_bytes;
}

/* Step 3: computes the cut of every place, files of small codecs included. */
static void cut(struct order *o)
{
    uint64_t since[LOD_CODECS] = {0};
    uint32_t number = 0;
    bool due = false;

    for (size_t i = 0; i < o->count; i++) {
        const struct lod_source *file = file_at(o, i);
        unsigned id = file->encoder->codec->id;
        if (i && cut_begins(o, i, since[id], due)) {
            memset(since, 0, sizeof(since));
            due = false;
            number++;
        }
        o->places[i].cut = number;
        since[id] += lod_subitems_weight(file);
        due = due || (o->big[id] && since[id] >= o->made.record_bytes);
    }
    o->made.cuts = o->count ? number + 1 : 0;
}

static int begin_record(struct order *o, struct filling *filling)
{
    if (o->made.records_count == o->records_room &&
        lod_list_grow(&o->made.records, &o->records_room, sizeof(o->made.records[0]))) {
        return -ENOMEM;
    }
    o->made.records[o->made.records_count++] = (struct lod_order_record){
        .codec = filling->codec, .first = (uint32_t)o->made.files_count, .cut = filling->cut};
    filling->metadata_bytes = 0;
    filling->open = true;
    return 0;
}

static int place_file(struct order *o, struct filling *filling, uint32_t index)
{
    const struct lod_source *file = &o->list->at[index];
    const uint64_t weight = lod_subitems_weight(file);
    uint64_t metadata = lod_record_metadata_bound(filling->codec, strlen(file->path), weight);
    struct lod_order_record *record =
        filling->open ? &o->made.records[o->made.records_count - 1] : NULL;
    bool full = !record || record->count == LOD_RECORD_ITEMS_MAX ||
                record->source_bytes + weight > filling->bytes_max ||
                filling->metadata_bytes + metadata > LOD_RECORD_META_MAX - LOD_MAGIC_LISTS_BYTES;

    if (full) {
        int error = begin_record(o, filling);
        if (error) {
            return error;
        }
        record = &o->made.records[o->made.records_count - 1];
    }
    filling->metadata_bytes += metadata;
    record->source_bytes += weight;
    record->count++;
    o->made.files[o->made.files_count++] = index;
    return 0;
}

/* Fills records with the files of one class of encoders among places [from, to). */
static int fill_class(struct order *o, unsigned class, size_t from, size_t to,
                      struct filling filling)
{
    int error = 0;

    for (size_t i = from; !error && i < to; i++) {
        filling.open = filling.open && o->places[i].split == o->places[i - 1].split;
        if (lod_encoder_class(file_at(o, i)->encoder) == class) {
            error = place_file(o, &filling, o->places[i].file);
        }
    }
    return error;
}

/* Fills records with the files of one codec among places [from, to). */
static int fill(struct order *o, unsigned id, size_t from, size_t to, struct filling filling)
{
    int error = 0;

    filling.codec = lod_codec_find(id);
    for (unsigned class = 0; !error && class < LOD_ENCODER_CLASSES; class ++) {
        error = class / 2 == id ? fill_class(o, class, from, to, filling) : 0;
    }
    return error;
}

static int fill_cut(struct order *o, size_t from, size_t to)
{
    struct filling filling = {.cut = o->places[from].cut,
                              .bytes_max = BIG_RECORD_SIZES * o->made.record_bytes};
    int error = 0;

    for (unsigned id = 0; !error && id < LOD_CODECS; id++) {
        error = o->big[id] ? fill(o, id, from, to, filling) : 0;
    }
    return error;
}

static int fill_all(struct order *o)
{
    struct filling small = {.cut = LOD_CUT_SMALL,
                            .bytes_max = SMALL_RECORD_SIZES * o->made.record_bytes};
    int error = 0;

    for (size_t from = 0, to = 0; !error && from < o->count; from = to) {
        while (to < o->count && o->places[to].cut == o->places[from].cut) {
            to++;
        }
        error = fill_cut(o, from, to);
    }
    for (unsigned id = 0; !error && id < LOD_CODECS; id++) {
        error = o->big[id] ? 0 : fill(o, id, 0, o->count, small);
    }
    return error;
}

int lod_order_make(const struct lod_source_list *list, const struct lod_order_options *options,
                   struct lod_order *ret_order)
{
    struct order o = {.list = list, .options = options};
    int error = list_places(&o);

    if (!error) {
        o.made.files = malloc((o.count + 1) * sizeof(o.made.files[0]));
        error = o.made.files ? 0 : -ENOMEM;
    }
    if (!error) {
        find_big(&o);
        error = sort_files(&o);
    }
    if (!error) {
        cut(&o);
        error = fill_all(&o);
    }
    free(o.places);
    if (error) {
        lod_order_finish(&o.made);
    } else {
        *ret_order = o.made;
    }
    return error;
}

bool lod_order_has_pictures(const struct lod_order *order)
{
    bool any = false;

    for (size_t i = 0; !any && i < order->records_count; i++) {
        any = order->records[i].codec->picture_rank;
    }
    return any;
}

bool lod_order_record_has_pictures(const struct lod_order_record *record, bool any)
{
    return any ? record->codec->picture_rank != 0
               : record->codec->id == LOD_CODEC_RAW && record->cut != LOD_CUT_SMALL;
}

void lod_order_finish(struct lod_order *order)
{
    free(order->files);
    free(order->records);
    *order = (struct lod_order){0};
}
