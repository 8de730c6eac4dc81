/* SPDX-License-Identifier: Apache-2.0 */
/* The first thing that went wrong, and what is left out instead; see trouble.h. */
#include "pack/trouble.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "store/format.h"

#define ESCAPED_MAX (4 * LOD_PATH_MAX + 1)

void lod_trouble_init(struct lod_trouble *trouble, bool skip_unreadable)
{
    pthread_mutex_init(&trouble->lock, NULL);
    trouble->skip_unreadable = skip_unreadable;
    trouble->rank = UINT64_MAX;
    trouble->text[0] = '\0';
}

void lod_trouble_finish(struct lod_trouble *trouble)
{
    pthread_mutex_destroy(&trouble->lock);
}

int lod_trouble_set(struct lod_trouble *trouble, uint64_t rank, int error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    pthread_mutex_lock(&trouble->lock);
    if (rank < trouble->rank) {
        trouble->rank = rank;
        vsnprintf(trouble->text, sizeof(trouble->text), format, arguments);
    }
    pthread_mutex_unlock(&trouble->lock);
    va_end(arguments);
    return error;
}

static const char *reason(int error)
{
    const char *text =
        error == -ESTALE ? "it changed while the source was read" : strerrordesc_np(-error);
    return text ? text : "unknown error";
}

/* No trouble of the file itself. */
static bool passes(int error)
{
    return error == -ENOMEM || error == -EMFILE || error == -ENFILE || error == -EINTR;
}

int lod_trouble_parts(struct lod_trouble *trouble, uint64_t rank, const struct lod_source *source,
                      int error)
{
    char name[ESCAPED_MAX];

    if (passes(error)) {
        return error;
    }
    lod_escape(source->path, strlen(source->path), name, sizeof(name));
    return lod_trouble_set(trouble, rank, error, "cannot read the table '%s': %s", name,
                           reason(error));
}

int lod_trouble_source(struct lod_trouble *trouble, uint64_t rank, struct lod_source *source,
                       int error)
{
    char name[ESCAPED_MAX];

    if (passes(error)) {
        return error;
    }
    if (trouble->skip_unreadable) {
        source->role = LOD_SOURCE_LEFT_OUT;
        source->why = reason(error);
        return 0;
    }
    lod_escape(source->path, strlen(source->path), name, sizeof(name));
    return lod_trouble_set(trouble, rank, error,
                           "cannot read '%s': %s; --skip-unreadable leaves such files out", name,
                           reason(error));
}
