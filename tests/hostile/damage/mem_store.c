/* SPDX-License-Identifier: Apache-2.0 */
/* The back end for stores in memory; see mem_store.h. */
#include "mem_store.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend/store.h"

static struct mem_store *served;

static void *must(void *memory)
{
    if (!memory) {
        perror("mem_store");
        exit(2);
    }
    return memory;
}

void mem_put(struct mem_store *store, const char *name, const void *data, size_t bytes)
{
    struct mem_file *file = mem_find(store, name);

    if (!file) {
        if (store->count == MEM_FILES_MAX || strlen(name) >= sizeof(file->name)) {
            fprintf(stderr, "mem_store: no room for '%s'\n", name);
            exit(2);
        }
        file = &store->files[store->count++];
        *file = (struct mem_file){0};
        memcpy(file->name, name, strlen(name) + 1);
    }
    if (!file->data || file->bytes != bytes) {
        free(file->data);
        file->data = must(malloc(bytes + 1));
        file->bytes = bytes;
    }
    memcpy(file->data, data, bytes);
    file->gone = false;
}

static void load_file(struct mem_store *store, const char *folder, const char *name)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *stream = must(fopen(path, "rb"));
    struct stat st = {0};
    must(fstat(fileno(stream), &st) == 0 ? stream : NULL);
    uint8_t *data = must(malloc((size_t)st.st_size + 1));
    size_t bytes = fread(data, 1, (size_t)st.st_size, stream);
    fclose(stream);
    mem_put(store, name, data, bytes);
    free(data);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct mem_file *)a)->name, ((const struct mem_file *)b)->name);
}

void mem_load(const char *folder, struct mem_store *ret_store)
{
    char path[4096], name[300];
    const struct dirent *entry;

    *ret_store = (struct mem_store){0};
    load_file(ret_store, folder, "manifest.json");
    load_file(ret_store, folder, "index");
    snprintf(path, sizeof(path), "%s/records", folder);
    DIR *records = must(opendir(path));
    while ((entry = readdir(records))) {
        if (entry->d_name[0] != '.') {
            snprintf(name, sizeof(name), "records/%s", entry->d_name);
            load_file(ret_store, folder, name);
        }
    }
    closedir(records);
    qsort(ret_store->files + 2, ret_store->count - 2, sizeof(ret_store->files[0]), by_name);
}

static void must_mkdir(const char *path)
{
    if (mkdir(path, 0755) < 0) {
        perror(path);
        exit(2);
    }
}

void mem_save(const struct mem_store *store, const char *folder)
{
    char path[4096];

    must_mkdir(folder);
    snprintf(path, sizeof(path), "%s/records", folder);
    must_mkdir(path);
    for (unsigned i = 0; i < store->count; i++) {
        const struct mem_file *file = &store->files[i];
        if (!file->gone) {
            snprintf(path, sizeof(path), "%s/%s", folder, file->name);
            FILE *stream = must(fopen(path, "wb"));
            if (fwrite(file->data, 1, file->bytes, stream) != file->bytes || fclose(stream)) {
                perror(path);
                exit(2);
            }
        }
    }
}

void mem_free(struct mem_store *store)
{
    for (unsigned i = 0; i < store->count; i++) {
        free(store->files[i].data);
    }
    *store = (struct mem_store){0};
}

void mem_copy(const struct mem_store *from, struct mem_store *into)
{
    into->escapes = 0;
    for (unsigned i = 0; i < from->count; i++) {
        mem_put(into, from->files[i].name, from->files[i].data, from->files[i].bytes);
    }
}

size_t mem_bytes(const struct mem_store *store)
{
    size_t bytes = 0;

    for (unsigned i = 0; i < store->count; i++) {
        bytes += store->files[i].bytes;
    }
    return bytes;
}

struct mem_file *mem_find(struct mem_store *store, const char *name)
{
    for (unsigned i = 0; i < store->count; i++) {
        if (strcmp(store->files[i].name, name) == 0) {
            return &store->files[i];
        }
    }
    return NULL;
}

void mem_serve(struct mem_store *store)
{
    served = store;
}

/* ------------------------------------------------------------------------- the back end */

static int matches(const char *location)
{
    (void)location;
    return 1;
}

static int mem_open(const char *location, const struct lod_store_settings *settings,
                    void **ret_state, struct lod_why *why)
{
    (void)location;
    (void)settings;
    (void)why;
    *ret_state = served;
    return 0;
}

static void mem_close(void *state)
{
    (void)state;
}

static int list(void *state, const char *folder, lod_store_each each, void *ctx)
{
    const struct mem_store *store = state;
    size_t length = strlen(folder);
    int error = 0;

    for (unsigned i = 0; !error && i < store->count; i++) {
        const struct mem_file *file = &store->files[i];
        if (!file->gone && strncmp(file->name, folder, length) == 0 && file->name[length] == '/') {
            error = each(ctx, file->name + length + 1, false);
        }
    }
    return error;
}

/* Returns whether the name leads out of the store, as a folder's file system would resolve it. */
static bool leads_out(const char *name)
{
    size_t bytes = strlen(name);

    return name[0] == '/' || strncmp(name, "../", 3) == 0 || strstr(name, "/../") ||
           (bytes >= 3 && strcmp(name + bytes - 3, "/..") == 0);
}

static int object_open(void *state, const char *name, const struct lod_object_facts *facts,
                       void **ret_object, uint64_t *ret_bytes)
{
    struct mem_store *store = state;
    struct mem_file *file = mem_find(store, name);

    (void)facts;

    if (leads_out(name)) {
        store->escapes++;
    }
    if (!file || file->gone) {
        return -ENOENT;
    }
    *ret_object = file;
    *ret_bytes = file->bytes;
    return 0;
}

static int object_pread(void *object, uint64_t offset, void *into, size_t bytes)
{
    const struct mem_file *file = object;

    if (offset > file->bytes || bytes > file->bytes - offset) {
        return -EIO;
    }
    memcpy(into, file->data + offset, bytes);
    return 0;
}

const struct lod_store_backend lod_store_dir = {
    .name = "mem",
    .matches = matches,
    .open = mem_open,
    .close = mem_close,
    .list = list,
    .object_open = object_open,
    .object_close = mem_close,
    .object_pread = object_pread,
};
