/* SPDX-License-Identifier: Apache-2.0 */
/* See level_folders.h. The files of a folder are not neighbours in a list that is sorted by path,
 * so the list has the number of a folder's images at the folder itself. */
#include "output/level_folders.h"

#include <string.h>

#include "pack/source/level_files.h"
#include "terminal/report.h"

static bool is_in(const char *path, const char *folder)
{
    const size_t bytes = strlen(folder);
    const char *name = path + bytes + (bytes != 0);

    return strncmp(path, folder, bytes) == 0 && (!bytes || path[bytes] == '/') &&
           !strchr(name, '/');
}

/* In the list a folder is directly followed by everything below it. */
static uint64_t count_in(const struct lod_source_list *list, size_t folder)
{
    const char *path = list->at[folder].path;
    const size_t bytes = strlen(path);
    uint64_t count = 0;

    for (size_t i = folder + 1; i < list->count && strncmp(list->at[i].path, path, bytes) == 0;
         i++) {
        count += lod_source_has_levels(&list->at[i]) && is_in(list->at[i].path, path);
    }
    return count;
}

void lod_level_folders_print(const struct lod_source_list *list, size_t most, FILE *out)
{
    char text[LOD_REPORT_TEXT];
    size_t folders = 0;

    for (size_t i = 0; i < list->count; i++) {
        const struct lod_source *folder = &list->at[i];
        const uint64_t count = folder->role == LOD_SOURCE_FOLDER ? count_in(list, i) : 0;
        if (count && folders++ < most) {
            fputs(folders == 1 ? "\nWith lower fidelities, by --levels:\n" : "", out);
            lod_print(out, "  %pE: %s %s\n", folder->path[0] ? folder->path : ".",
                      lod_report_count(count, text), lod_report_plural(count, "image", "images"));
        }
    }
    if (folders > most) {
        fprintf(out, "  and %s more folders (-v lists all)\n",
                lod_report_count(folders - most, text));
    }
}

void lod_level_folders_json(const struct lod_source_list *list, struct lod_json *json)
{
    lod_json_array(json, "level_folders");
    for (size_t i = 0; i < list->count; i++) {
        const struct lod_source *folder = &list->at[i];
        const uint64_t count = folder->role == LOD_SOURCE_FOLDER ? count_in(list, i) : 0;
        if (count) {
            lod_json_object(json, NULL);
            lod_json_text(json, "path", folder->path);
            lod_json_number(json, "images", (double)count);
            lod_json_end(json);
        }
    }
    lod_json_end(json);
}
