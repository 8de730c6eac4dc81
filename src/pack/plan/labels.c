/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See labels.h. Other names of an item, such as a file of equal bytes, are no pictures of their
 * own (FORMAT.md, Samples). A line may name one: its label counts if none names the item's own
 * file.
 */
#include "pack/plan/labels.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/file_io.h"
#include "backend/format.h"
#include "framing/framing.h"
#include "pack/plan/class_file.h"

#define READ_BYTES ((size_t)1 << 20)
#define NOT_NAMED  INT32_MIN
#define SHOWN      64 /* bytes of a label in a message */

struct line {
    const char *path, *label;
    size_t path_bytes, label_bytes;
};

struct finding {
    struct lod_labels *labels;
    const struct lod_source_list *list;
    struct lod_first_error *first_error;
    bool *pictures;  /* by index of the list: whether the item can have a label */
    uint64_t number; /* of the line, from 1 */
};

/* -------------------------------------------------------------------------------- reading */

static int read_all(int fd, struct lod_buf *text)
{
    ssize_t got = 1;

    while (got > 0) {
        int error = text->bytes > LOD_LABELS_BYTES_MAX ? -EFBIG : lod_buf_reserve(text, READ_BYTES);
        if (error) {
            return error;
        }
        got = read(fd, text->data + text->bytes, READ_BYTES);
        if (got < 0) {
            return -errno;
        }
        text->bytes += (size_t)got;
    }
    return 0;
}

int lod_labels_read(struct lod_labels *labels, const char *name,
                    struct lod_first_error *first_error)
{
    struct stat st;
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    int error = fd < 0 || fstat(fd, &st) ? -errno : 0;

    if (!error && S_ISREG(st.st_mode) && (uint64_t)st.st_size > LOD_LABELS_BYTES_MAX) {
        error = -EFBIG;
    }
    error = error ? error : read_all(fd, &labels->text);
    lod_file_close(fd);
    labels->name = name;
    return !error || error == -ENOMEM || error == -EINTR
               ? error
               : lod_first_error_set(
                     first_error, 0, error, "cannot read the labels '%pE': %s", name,
                     error == -EFBIG ? "it has more than 4 GiB" : strerrordesc_np(-error));
}

/* ---------------------------------------------------------------------------------- lines */

/* Blanks at the end of a line are padding, as in the lists that lodfs shows. */
static size_t trimmed(const char *at, size_t bytes)
{
    while (bytes && (at[bytes - 1] == ' ' || at[bytes - 1] == '\r')) {
        bytes--;
    }
    return bytes;
}

/* Takes digits, with a point and zeros behind them as im2rec writes them. */
static bool parse_label(const struct line *line, int32_t *ret_label)
{
    const char *at = line->label, *end = at + line->label_bytes;
    const bool negative = at < end && *at == '-';
    int64_t value = 0;

    const char *first = at + negative;

    for (at = first; at < end && *at >= '0' && *at <= '9' && value <= INT32_MAX; at++) {
        value = value * 10 + (*at - '0');
    }
    if (at == first || value > INT32_MAX || (negative && value > 1)) {
        return false;
    }
    if (at < end && *at == '.') {
        for (at++; at < end && *at == '0'; at++) {
        }
    }
    *ret_label = negative ? -(int32_t)value : (int32_t)value;
    return at == end;
}

static bool is_number(const char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (at[i] < '0' || at[i] > '9') {
            return false;
        }
    }
    return bytes != 0;
}

/* Divides a line at its tabs: at one tab, or at the two tabs of an im2rec list with one label. */
static bool divide(const char *at, size_t bytes, struct line *line)
{
    const char *first = memchr(at, '\t', bytes), *last = memrchr(at, '\t', bytes);

    if (!first || memchr(at, '\0', bytes)) {
        return false;
    }
    const size_t before = (size_t)(first - at), behind = bytes - (size_t)(last + 1 - at);
    if (first == last) {
        *line = (struct line){
            .path = at, .path_bytes = before, .label = first + 1, .label_bytes = behind};
    } else {
        *line = (struct line){.path = last + 1,
                              .path_bytes = behind,
                              .label = first + 1,
                              .label_bytes = (size_t)(last - first) - 1};
    }
    if (line->path_bytes > 2 && memcmp(line->path, "./", 2) == 0) {
        line->path += 2;
        line->path_bytes -= 2;
    }
    while (line->label_bytes && *line->label == ' ') {
        line->label++;
        line->label_bytes--;
    }
    return line->path_bytes && line->path_bytes <= LOD_PATH_MAX &&
           (first == last ||
            (is_number(at, before) && !memchr(line->label, '\t', line->label_bytes)));
}

static int refuse(const struct finding *f, const char *what, const char *path)
{
    return path ? lod_first_error_set(f->first_error, 0, -EINVAL, "%pE: line %" PRIu64 ": '%pE' %s",
                                      f->labels->name, f->number, path, what)
                : lod_first_error_set(f->first_error, 0, -EINVAL, "%pE: line %" PRIu64 ": %s",
                                      f->labels->name, f->number, what);
}

static int take_line(const struct finding *f, const char *at, size_t bytes)
{
    char path[LOD_PATH_MAX + 1], shown[SHOWN + 1];
    struct line line;
    int32_t label;

    if (!divide(at, bytes, &line)) {
        return refuse(f, "it is neither a path, a tab and a label, nor a line of im2rec with one",
                      NULL);
    }
    if (!parse_label(&line, &label)) {
        const size_t some = line.label_bytes < SHOWN ? line.label_bytes : SHOWN;
        memcpy(shown, line.label, some);
        shown[some] = '\0';
        return refuse(f, "is not a label: labels are whole numbers from -1 to 2147483647", shown);
    }
    memcpy(path, line.path, line.path_bytes);
    path[line.path_bytes] = '\0';
    const struct lod_source *source = lod_source_list_find(f->list, path);
    if (!source || source->added) {
        return refuse(f, "is not in the source", path);
    }
    int32_t *given = &f->labels->at[source - f->list->at];
    if (*given != NOT_NAMED) {
        return refuse(f, "has a label already", path);
    }
    if (source->role != LOD_SOURCE_LEFT_OUT &&
        !f->pictures[lod_source_owner(f->list, source) - f->list->at]) {
        return refuse(f, "is not a picture, so it cannot have a label", path);
    }
    *given = label;
    return 0;
}

static int take_lines(struct finding *f)
{
    const char *text = (const char *)f->labels->text.data;
    const size_t bytes = f->labels->text.bytes;
    int error = 0;

    for (size_t at = lod_text_mark(text, bytes); !error && at < bytes;) {
        const char *end = memchr(text + at, '\n', bytes - at);
        const size_t length = end ? (size_t)(end - text) - at : bytes - at;
        const size_t line = trimmed(text + at, length);
        f->number++;
        error = line ? take_line(f, text + at, line) : 0;
        at += length + 1;
    }
    return error;
}

/* ------------------------------------------------------------------------------- pictures */

/* Marks the files of all pictures, as samples have them. */
static void mark_pictures(const struct finding *f, const struct lod_order *order)
{
    const bool any = lod_order_has_pictures(order);

    for (size_t i = 0; i < order->records_count; i++) {
        const struct lod_order_record *record = &order->records[i];
        const bool pictures = lod_order_record_has_pictures(record, any);
        for (uint32_t k = 0; pictures && k < record->count; k++) {
            const uint32_t file = order->files[record->first + k];
            f->pictures[file] = !f->list->at[file].added;
        }
    }
}

/*
 * Gives an item without a label the label of its first other name. Sources are in order of paths.
 */
static void share(const struct finding *f)
{
    int32_t *at = f->labels->at;

    for (size_t i = 0; i < f->list->count; i++) {
        const size_t owner = (size_t)(lod_source_owner(f->list, &f->list->at[i]) - f->list->at);
        if (owner != i && at[i] != NOT_NAMED) {
            at[owner] = at[owner] == NOT_NAMED ? at[i] : at[owner];
            f->labels->differs += at[owner] != at[i];
        }
    }
    for (size_t i = 0; i < f->list->count; i++) {
        at[i] = at[i] == NOT_NAMED ? LOD_NO_LABEL : at[i];
    }
}

static int begin(struct finding *f, const struct lod_order *order)
{
    f->pictures = calloc(f->list->count, sizeof(f->pictures[0]));
    f->labels->at = malloc(f->list->count * sizeof(f->labels->at[0]));
    if (!f->labels->at || !f->pictures) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < f->list->count; i++) {
        f->labels->at[i] = NOT_NAMED;
    }
    mark_pictures(f, order);
    return 0;
}

static int end(struct finding *f, int error)
{
    if (!error) {
        share(f);
    }
    free(f->pictures);
    lod_buf_finish(&f->labels->text);
    return error;
}

int lod_labels_find(struct lod_labels *labels, const struct lod_source_list *list,
                    const struct lod_order *order, struct lod_first_error *first_error)
{
    struct finding f = {.labels = labels, .list = list, .first_error = first_error};
    int error = begin(&f, order);

    return end(&f, error ? error : take_lines(&f));
}

static bool is_class_file(const char *path)
{
    return lod_class_file_is(path, strlen(path));
}

int lod_labels_of_members(struct lod_labels *labels, const struct lod_source_list *list,
                          const struct lod_order *order)
{
    struct finding f = {.labels = labels, .list = list};
    int error = begin(&f, order);

    for (size_t i = 0; !error && i < list->count; i++) {
        const struct lod_member_place *place = list->at[i].place;
        labels->at[i] = place && place->label >= 0 ? place->label : NOT_NAMED;
    }
    for (size_t i = 0; !error && i < list->count; i++) {
        if (labels->at[i] != NOT_NAMED && is_class_file(list->at[i].path)) {
            lod_class_file_spread(list, i, f.pictures, labels->at);
            labels->at[i] = NOT_NAMED;
        }
    }
    return end(&f, error);
}

void lod_labels_finish(struct lod_labels *labels)
{
    lod_buf_finish(&labels->text);
    free(labels->at);
    *labels = (struct lod_labels){0};
}
