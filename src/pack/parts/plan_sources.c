/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the sources of pack.plan: all of them, or those that some records need. Paths are in their
 * order, and each shares its beginning with the one before, so all are read in any case.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/name.h"
#include "framing/framing.h"
#include "list.h"
#include "pack/parts/plan_file.h"
#include "pack/parts/plan_format.h"
#include "pack/parts/plan_places.h"

#define NONE UINT32_MAX

struct taking {
    struct lod_pack_plan *plan;
    struct lod_pack_plan_sources sources;
    struct lod_cursor c;
    uint8_t *placed; /* a bit for each source: set if it is in a record */
    uint8_t *wanted; /* a bit for each source: set if it is read into the list; NULL: all are */
    char path[LOD_PATH_MAX + 1], text[LOD_PATH_MAX + 1];
    size_t path_bytes;
    struct lod_buf place; /* of the source that is taken, if it has one */
};

static bool has_bit(const uint8_t *bits, uint32_t i)
{
    return bits[i / 8] >> (i % 8) & 1;
}

static void set_bit(uint8_t *bits, uint32_t i)
{
    bits[i / 8] |= (uint8_t)(1u << (i % 8));
}

/* Marks the files of all records, each of which may occur once, and the files that are wanted. */
static int mark(struct taking *t, uint32_t first, uint32_t end)
{
    const struct lod_pack_plan *plan = t->plan;

    for (size_t i = 0; i < plan->order.files_count; i++) {
        const uint32_t file = plan->order.files[i];
        if (file >= plan->sources || has_bit(t->placed, file)) {
            return -EBADMSG;
        }
        set_bit(t->placed, file);
        if (t->wanted && i >= first && i < end) {
            set_bit(t->wanted, file);
        }
    }
    for (size_t i = 0; i < plan->tables.count; i++) {
        if (plan->tables.at[i].file >= plan->sources) {
            return -EBADMSG;
        }
        if (t->wanted) {
            set_bit(t->wanted, plan->tables.at[i].file);
        }
    }
    return 0;
}

/* Takes text of u16 bytes to t->text. */
static int take_text(struct taking *t, size_t bytes_max)
{
    const size_t bytes = lod_take_le16(&t->c);
    const uint8_t *at = lod_take(&t->c, bytes);

    if (!at || bytes > bytes_max || memchr(at, '\0', bytes)) {
        return -EBADMSG;
    }
    memcpy(t->text, at, bytes);
    t->text[bytes] = '\0';
    return 0;
}

static int take_file(struct taking *t, uint8_t flags, struct lod_source *source, int32_t *ret_label)
{
    source->bytes = lod_take_le64(&t->c);
    source->encoder = lod_encoder_of_class(lod_take_u8(&t->c));
    source->names = flags & LOD_PLAN_NAMES ? lod_take_le32(&t->c) : 1;
    source->owner = source->added ? lod_take_le32(&t->c) : 0;
    source->part = source->added ? lod_take_le32(&t->c) : 0;
    *ret_label = t->plan->labelled ? (int32_t)lod_take_le32(&t->c) : LOD_NO_LABEL;
    if (!source->encoder || *ret_label < LOD_NO_LABEL || source->owner >= t->plan->sources ||
        source->added != (source->part != 0)) {
        return -EBADMSG;
    }
    return flags & LOD_PLAN_PLACED
               ? lod_pack_plan_take_place(&t->c, &t->plan->containers, source->bytes, &t->place)
               : 0;
}

/* Reads the fields that depend on the role. */
static int take_role(struct taking *t, uint8_t flags, struct lod_source *source, int32_t *ret_label)
{
    switch (source->role) {
    case LOD_SOURCE_FOLDER:
        return 0;
    case LOD_SOURCE_FILE:
        return take_file(t, flags, source, ret_label);
    case LOD_SOURCE_EQUAL:
    case LOD_SOURCE_HARD_LINK:
        source->bytes = lod_take_le64(&t->c);
        source->owner = lod_take_le32(&t->c);
        return source->owner < t->plan->sources ? 0 : -EBADMSG;
    case LOD_SOURCE_SYMLINK:
        source->target = t->text;
        return take_text(t, LOD_TARGET_MAX);
    case LOD_SOURCE_LEFT_OUT:
        return take_text(t, LOD_PATH_MAX);
    default:
        return -EBADMSG;
    }
}

static int take_source(struct taking *t, uint32_t i, struct lod_source *source, int32_t *ret_label)
{
    bool ascends = false;

    if (!lod_framed_file_take_path(&t->c, t->path, &t->path_bytes, &ascends) ||
        ascends != (i > 0) || !lod_path_valid(t->path, t->path_bytes)) {
        return -EBADMSG;
    }
    *source = (struct lod_source){.path = t->path, .role = lod_take_u8(&t->c), .names = 1};
    const uint8_t flags = lod_take_u8(&t->c);
    source->mode = lod_take_le16(&t->c);
    source->mtime = (int64_t)lod_take_le64(&t->c);
    source->special = flags & LOD_PLAN_SPECIAL;
    source->split = flags & LOD_PLAN_SPLIT;
    source->folder = flags & LOD_PLAN_FOLDER;
    source->added = flags & LOD_PLAN_ADDED;
    *ret_label = LOD_NO_LABEL;
    t->place.bytes = 0;
    int error = take_role(t, flags, source, ret_label);
    const bool placed = has_bit(t->placed, i), file = source->role == LOD_SOURCE_FILE;
    return error ? error
           : t->c.short_of_bytes || flags & ~LOD_PLAN_FLAGS || source->mode & ~0777 ||
                   placed != file || (flags & LOD_PLAN_PLACED && !file) ||
                   (flags & LOD_PLAN_FOLDER && source->role != LOD_SOURCE_LEFT_OUT) ||
                   (i == 0 && source->role != LOD_SOURCE_FOLDER)
               ? -EBADMSG
               : 0;
}

static int add(struct taking *t, uint32_t i, struct lod_source *source, int32_t label)
{
    struct lod_pack_plan_sources *into = &t->sources;
    const size_t at = into->list.count;
    const void *why = NULL, *place = NULL;
    int error = 0;

    if (into->labels) {
        into->labels[at] = label;
    }
    if (into->whole) {
        into->whole[at] = i;
    }
    if (source->role == LOD_SOURCE_LEFT_OUT && t->text[0]) {
        error = lod_source_list_keep(&into->list, t->text, strlen(t->text) + 1, &why);
    }
    if (!error && t->place.bytes) {
        error = lod_source_list_keep(&into->list, t->place.data, t->place.bytes, &place);
    }
    if (why) {
        source->why = why;
    }
    source->place = place;
    return error ? error : lod_source_list_add(&into->list, source);
}

static int take_all(struct taking *t)
{
    int error = 0;

    for (uint32_t i = 0; !error && i < t->plan->sources; i++) {
        struct lod_source source;
        int32_t label;
        error = take_source(t, i, &source, &label);
        if (!error && (!t->wanted || has_bit(t->wanted, i))) {
            error = add(t, i, &source, label);
        }
    }
    return error || t->c.left == 0 ? error : -EBADMSG;
}

/* Returns whether the owner of a source is a file, or one that is left out. The owner of a hard
 * link may be an equal file; then that file's owner counts. */
static bool leads(const struct lod_source_list *list, const struct lod_source *source)
{
    const struct lod_source *owner = &list->at[source->owner];

    if (source->role == LOD_SOURCE_HARD_LINK && owner->role == LOD_SOURCE_EQUAL) {
        owner = &list->at[owner->owner];
    }
    return owner->role == LOD_SOURCE_FILE || owner->role == LOD_SOURCE_LEFT_OUT;
}

/* Converts indexes of the whole list to indexes of this one. An added file belongs to a table. */
static int place_owners(struct taking *t)
{
    const struct lod_source_list *list = &t->sources.list;

    for (size_t i = 0; i < list->count; i++) {
        struct lod_source *source = &list->at[i];
        const bool alias = source->role == LOD_SOURCE_EQUAL || source->role == LOD_SOURCE_HARD_LINK;
        if (alias || (source->role == LOD_SOURCE_FILE && source->added)) {
            source->owner = lod_pack_plan_place(&t->sources, source->owner);
            if (source->owner == NONE || (alias && !leads(list, source)) ||
                (!alias && list->at[source->owner].added)) {
                return -EBADMSG;
            }
        }
    }
    return 0;
}

static int place_files(struct taking *t, uint32_t first, uint32_t count)
{
    struct lod_order *order = &t->plan->order;

    for (uint32_t r = first; r < first + count; r++) {
        for (uint32_t k = 0; k < order->records[r].count; k++) {
            uint32_t *file = &order->files[order->records[r].first + k];
            *file = lod_pack_plan_place(&t->sources, *file);
            if (*file == NONE ||
                t->sources.list.at[*file].encoder->codec != order->records[r].codec) {
                return -EBADMSG;
            }
        }
    }
    return 0;
}

uint32_t lod_pack_plan_place(const struct lod_pack_plan_sources *sources, uint32_t whole)
{
    const size_t count = sources->list.count;
    size_t low = 0;

    if (!sources->whole) {
        return whole < count ? whole : NONE;
    }
    LOD_SEARCH(low, count, sources->whole[middle] < whole);
    return low < count && sources->whole[low] == whole ? (uint32_t)low : NONE;
}

/* Counts the marked sources, to allocate memory for them. */
static size_t count_wanted(const struct taking *t)
{
    size_t count = 0;

    for (size_t i = 0; t->wanted && i < (size_t)t->plan->sources / 8 + 1; i++) {
        count += (size_t)__builtin_popcount(t->wanted[i]);
    }
    return t->wanted ? count : t->plan->sources;
}

static int make_room(struct taking *t)
{
    struct lod_pack_plan_sources *s = &t->sources;
    const size_t count = count_wanted(t) + 1;

    s->list.at = malloc(count * sizeof(s->list.at[0]));
    s->list.room = s->list.at ? count : 0;
    s->labels = t->plan->labelled ? malloc(count * sizeof(s->labels[0])) : NULL;
    s->whole = t->wanted ? malloc(count * sizeof(s->whole[0])) : NULL;
    return s->list.at && (s->labels || !t->plan->labelled) && (s->whole || !t->wanted) ? 0
                                                                                       : -ENOMEM;
}

int lod_pack_plan_take_sources(struct lod_pack_plan *plan, uint32_t first, uint32_t count,
                               struct lod_pack_plan_sources *ret_sources)
{
    const struct lod_order *order = &plan->order;
    const bool all = first == 0 && count == order->records_count;
    const size_t bits = (size_t)plan->sources / 8 + 1;
    struct taking *t = calloc(1, sizeof(*t));
    int error = t ? 0 : -ENOMEM;

    if (!error) {
        *t = (struct taking){.plan = plan, .c = plan->names, .placed = calloc(bits, 1)};
        t->wanted = all ? NULL : calloc(bits, 1);
        error = t->placed && (all || t->wanted) ? 0 : -ENOMEM;
    }
    const size_t from = count ? order->records[first].first : 0;
    const size_t to = count ? order->records[first + count - 1].first +
                                  (size_t)order->records[first + count - 1].count
                            : 0;
    error = error ? error : mark(t, (uint32_t)from, (uint32_t)to);
    error = error ? error : make_room(t);
    error = error ? error : take_all(t);
    error = error ? error : place_owners(t);
    error = error ? error : place_files(t, first, count);
    if (t) {
        free(t->placed);
        free(t->wanted);
        lod_buf_finish(&t->place);
        *ret_sources = t->sources;
    }
    if (error) {
        lod_pack_plan_sources_finish(ret_sources);
    }
    free(t);
    return error;
}

void lod_pack_plan_sources_finish(struct lod_pack_plan_sources *sources)
{
    lod_source_list_finish(&sources->list);
    free(sources->labels);
    free(sources->whole);
    *sources = (struct lod_pack_plan_sources){0};
}
