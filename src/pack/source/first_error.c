/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the first error, or leaves the file out; see first_error.h. */
#include "pack/source/first_error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "text.h"

void lod_first_error_init(struct lod_first_error *first_error, bool skip_unreadable)
{
    pthread_mutex_init(&first_error->lock, NULL);
    first_error->skip_unreadable = skip_unreadable;
    first_error->planned = false;
    first_error->rank = UINT64_MAX;
    first_error->text[0] = '\0';
}

void lod_first_error_finish(struct lod_first_error *first_error)
{
    pthread_mutex_destroy(&first_error->lock);
}

int lod_first_error_set(struct lod_first_error *first_error, uint64_t rank, int error,
                        const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    pthread_mutex_lock(&first_error->lock);
    if (rank < first_error->rank) {
        first_error->rank = rank;
        lod_vformat(first_error->text, sizeof(first_error->text), format, arguments);
    }
    pthread_mutex_unlock(&first_error->lock);
    va_end(arguments);
    return error;
}

static const char *reason(const struct lod_first_error *first_error, int error)
{
    const char *text = error == -ESTALE    ? first_error->planned
                                                 ? "it is not the file that the plan names"
                                                 : "it changed while the source was read"
                       : error == -EBADMSG ? "its checksum is wrong"
                                           : strerrordesc_np(-error);
    return text ? text : "unknown error";
}

/* Returns whether an error has another cause than the file itself. */
static bool passes(int error)
{
    return error == -ENOMEM || error == -EMFILE || error == -ENFILE || error == -EINTR;
}

int lod_first_error_parts(struct lod_first_error *first_error, uint64_t rank,
                          const struct lod_source *source, int error)
{
    if (passes(error)) {
        return error;
    }
    return lod_first_error_set(first_error, rank, error, "cannot read the table '%pE': %s",
                               source->path, reason(first_error, error));
}

int lod_first_error_source(struct lod_first_error *first_error, uint64_t rank,
                           struct lod_source *source, int error)
{
    if (passes(error)) {
        return error;
    }
    if (first_error->planned) {
        return lod_first_error_set(first_error, rank, error,
                                   "cannot read '%pE': %s; restore it, or remove the folder of the "
                                   "store and plan again",
                                   source->place ? source->place->container->path : source->path,
                                   reason(first_error, error));
    }
    if (first_error->skip_unreadable) {
        source->role = LOD_SOURCE_LEFT_OUT;
        source->why = reason(first_error, error);
        return 0;
    }
    if (source->place) {
        return lod_first_error_set(first_error, rank, error,
                                   "%pE: record %" PRIu32 " at byte %" PRIu64
                                   ": %s; --skip-unreadable leaves it out",
                                   source->place->container->path, source->place->record,
                                   source->place->at, reason(first_error, error));
    }
    return lod_first_error_set(first_error, rank, error,
                               "cannot read '%pE': %s; --skip-unreadable leaves such files out",
                               source->path, reason(first_error, error));
}
