/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stored_order STORE: prints the paths of all files, one a line, in the order of their items in the
 * records. An epoch in this order reads every record once.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bytes.h"
#include "dataset/dataset.h"

static int print_item(struct lod_dataset *dataset, uint32_t number)
{
    uint8_t row[LOD_ROW_BYTES];
    char path[LOD_PATH_MAX + 1];
    struct lod_node node;

    int error = lod_index_item(lod_dataset_index(dataset), number, row);
    uint32_t own = error ? 0 : lod_get_le32(row + 4);
    if (own == 0) {
        return error; /* a tree list */
    }
    error = lod_index_node(lod_dataset_index(dataset), own, &node);
    error = error ? error : lod_dataset_path(dataset, &node, path);
    if (!error) {
        puts(path);
    }
    return error;
}

int main(int argc, char **argv)
{
    struct lod_dataset *dataset = NULL;
    struct lod_why why = {.text = ""};

    if (argc != 2) {
        fprintf(stderr, "usage: stored_order STORE\n");
        return 2;
    }
    int error =
        lod_dataset_open(argv[1], &(struct lod_open_options){.settings = NULL}, &dataset, &why);
    uint32_t items = error ? 0 : lod_index_items(lod_dataset_index(dataset));
    for (uint32_t i = 0; !error && i < items; i++) {
        error = print_item(dataset, i);
    }
    lod_dataset_close(dataset);
    if (error) {
        fprintf(stderr, "stored_order: %s: %s\n", argv[1], lod_why_text(&why, error));
    }
    return error ? 1 : 0;
}
