/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store in memory, in place of the back end for folders. It defines lod_store_dir, so the linker
 * leaves fs/store/backend/dir.c out of the programs of this folder. Opening any location opens the
 * store given to mem_serve.
 */
#ifndef LOD_MEM_STORE_H
#define LOD_MEM_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEM_FILES_MAX 24

struct mem_file {
    char name[64]; /* in the store: "index", "records/000000.tree" */
    uint8_t *data;
    size_t bytes;
    bool gone;
};

struct mem_store {
    struct mem_file files[MEM_FILES_MAX];
    unsigned count;
    unsigned escapes; /* attempts to open an object outside the store */
};

/* Reads all files of a store's folder; exits on an error. */
void mem_load(const char *folder, struct mem_store *ret_store);
/* Makes `folder` and writes the files into it. */
void mem_save(const struct mem_store *store, const char *folder);
/* Makes a copy whose files can be changed. `into` is empty or an earlier copy of the same store. */
void mem_copy(const struct mem_store *from, struct mem_store *into);
void mem_free(struct mem_store *store);
size_t mem_bytes(const struct mem_store *store);

/* Returns the file of this name, or NULL. */
struct mem_file *mem_find(struct mem_store *store, const char *name);
/* Replaces a file's bytes by a copy of `data`, which must not be its own; adds a missing file. */
void mem_put(struct mem_store *store, const char *name, const void *data, size_t bytes);

/* Makes lod_store_open return this store for every location from now on. */
void mem_serve(struct mem_store *store);

#endif
