/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store in memory, which takes the place of the back end for folders: it defines lod_store_dir,
 * so the linker leaves fs/store/dir.c out of the programs of this folder. Whatever location is
 * opened, the store given to mem_serve is what is found there.
 */
#ifndef LOD_MEM_STORE_H
#define LOD_MEM_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEM_FILES_MAX 24

struct mem_file {
    char name[64]; /* as in the store: "index", "records/000000.tree" */
    uint8_t *data;
    size_t bytes;
    bool gone;
};

struct mem_store {
    struct mem_file files[MEM_FILES_MAX];
    unsigned count;
    unsigned escapes; /* objects asked for that lie outside the store */
};

/* All files of a store's folder; ends the program if it cannot. */
void mem_load(const char *folder, struct mem_store *ret_store);
/* A copy whose files can be changed; `into` is empty or an earlier copy of the same store. */
void mem_copy(const struct mem_store *from, struct mem_store *into);
void mem_free(struct mem_store *store);
size_t mem_bytes(const struct mem_store *store);

/* The file of this name; NULL: none. */
struct mem_file *mem_find(struct mem_store *store, const char *name);
/* Replaces a file's bytes by a copy of these, which are not its own; adds the file if there is
 * none. */
void mem_put(struct mem_store *store, const char *name, const void *data, size_t bytes);

/* Every store that is opened from now on is this one. */
void mem_serve(struct mem_store *store);

#endif
