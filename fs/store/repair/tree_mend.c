/* SPDX-License-Identifier: Apache-2.0 */
/* See tree_mend.h. Each call sorts the entries by path once. */
#include "repair/tree_mend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "list.h"

#define FOLDER_MODE 0755

static int compare(const void *a, const void *b, void *ctx)
{
    const struct lod_entry *entries = ctx;

    return strcmp(entries[*(const uint32_t *)a].path, entries[*(const uint32_t *)b].path);
}

/* Returns the numbers of all entries, sorted by path. */
static int sort(const struct lod_salvage *s, uint32_t **ret_sorted)
{
    uint32_t *sorted = malloc((s->entries.count + 1) * sizeof(*sorted));

    if (!sorted) {
        return -ENOMEM;
    }
    if (s->entries.count > LOD_NODES_MAX) {
        free(sorted);
        return -E2BIG;
    }
    for (uint32_t i = 0; i < s->entries.count; i++) {
        sorted[i] = i;
    }
    qsort_r(sorted, s->entries.count, sizeof(*sorted), compare, s->entries.at);
    *ret_sorted = sorted;
    return 0;
}

/* Returns the entry at `path`; NULL if there is none. */
static struct lod_entry *find(const struct lod_salvage *s, const uint32_t *sorted, size_t count,
                              const char *path)
{
    size_t low = 0;

    LOD_SEARCH(low, count, strcmp(s->entries.at[sorted[middle]].path, path) < 0);
    struct lod_entry *entry = low < count ? &s->entries.at[sorted[low]] : NULL;
    return entry && strcmp(entry->path, path) == 0 ? entry : NULL;
}

static bool is_pending(const struct lod_entry *entry)
{
    return (entry->flags & LOD_NODE_ALIAS) && entry->target;
}

/* Returns the file whose item an alias shares; NULL if it is lost. A hard link can be one of an
 * equal file, which is an alias too. */
static const struct lod_entry *find_owner(const struct lod_salvage *s, const uint32_t *sorted,
                                          const struct lod_entry *entry)
{
    for (unsigned steps = 0; entry && is_pending(entry); steps++) {
        entry = steps < 2 ? find(s, sorted, s->entries.count, entry->target) : NULL;
    }
    return entry && S_ISREG(entry->mode) ? entry : NULL;
}

int lod_tree_mend_aliases(struct lod_salvage *s, struct lod_repair_report *report)
{
    uint32_t *sorted = NULL;
    size_t kept = 0;

    int error = sort(s, &sorted);
    for (size_t i = 0; !error && i < s->entries.count; i++) {
        struct lod_entry *entry = &s->entries.at[i];
        if (!is_pending(entry)) {
            continue;
        }
        const struct lod_entry *owner = find_owner(s, sorted, entry);
        if (owner) {
            entry->item = owner->item;
            entry->target = NULL; /* only symbolic links keep a target */
        } else {
            error = lod_repair_add_lost_name(report, entry->path, entry->target);
        }
    }
    for (size_t i = 0; !error && i < s->entries.count; i++) {
        if (!is_pending(&s->entries.at[i])) {
            s->entries.at[kept++] = s->entries.at[i];
        }
    }
    s->entries.count = error ? s->entries.count : kept;
    free(sorted);
    return error;
}

static int add_folder(struct lod_salvage *s, const char *path, size_t bytes, uint8_t flags)
{
    struct lod_entry folder = {
        .path = lod_salvage_keep(s, path, bytes), .mode = S_IFDIR | FOLDER_MODE, .flags = flags};

    return folder.path ? lod_salvage_add(s, &folder) : -ENOMEM;
}

/*
 * Adds the folders above `path`, except those above `before` too. In sorted order, paths below one
 * folder are adjacent. A file that is not in the source has a folder of its own, which is not in
 * the source either.
 */
static int add_folders(struct lod_salvage *s, const uint32_t *sorted, size_t count,
                       const struct lod_entry *entry, const char *before)
{
    const char *path = entry->path;
    char folder[LOD_PATH_MAX + 1];
    int error = 0;

    for (const char *slash = strchr(path, '/'); !error && slash; slash = strchr(slash + 1, '/')) {
        size_t bytes = (size_t)(slash - path);
        memcpy(folder, path, bytes);
        folder[bytes] = '\0';
        if (strncmp(path, before, bytes + 1) != 0 && !find(s, sorted, count, folder)) {
            bool own = !strchr(slash + 1, '/');
            error = add_folder(s, folder, bytes, own ? entry->flags & LOD_NODE_VIRTUAL : 0);
        }
    }
    return error;
}

int lod_tree_mend_folders(struct lod_salvage *s, struct lod_repair_report *report)
{
    const size_t count = s->entries.count;
    const char *before = "";
    uint32_t *sorted = NULL;

    int error = lod_repair_add_loss(
        report, NULL,
        "the tree record: symbolic links, empty folders, aliases of equal and hard-linked files, "
        "modes and times of folders, and the options of pack",
        0);
    error = error ? error : sort(s, &sorted);
    if (!error && !find(s, sorted, count, "")) {
        error = add_folder(s, "", 0, 0);
    }
    for (size_t i = 0; !error && i < count; i++) {
        const struct lod_entry entry = s->entries.at[sorted[i]]; /* entries may move */
        error = add_folders(s, sorted, count, &entry, before);
        before = entry.path;
    }
    free(sorted);
    return error;
}
