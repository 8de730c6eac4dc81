/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target: the code that reads a store, without checksums (no_hash.h). FUZZ_WHAT chooses
 * the meaning of the input:
 * - index, l3, pcr, raw, toc, tree: changes of those files; the whole store is then read and
 * verified
 * - samples: changes of samples, labels and sums in the index, and of the metadata of all records,
 * from which framed files follow
 * - manifest: the bytes of manifest.json
 * - script: a scan script
 * LODFS_FUZZ_STORE is the folder of a small store. Linked with replay.c instead of libFuzzer, the
 * same target runs as a test.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "no_hash.h"
#include "patches.h"
#include "pcr/jpeg/script.h"
#include "truth.h"
#include "verify/verify.h"
#include "watch.h"

#define TEXT(x)    #x
#define QUOTED(x)  TEXT(x)
#define WHAT       QUOTED(FUZZ_WHAT)
#define PRINT_ROOM 65536

static struct mem_store sound, changed;
static struct truth truth;
static struct patch_map map;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *folder = getenv("LODFS_FUZZ_STORE");

    (void)argc;
    (void)argv;
    if (!folder) {
        fprintf(stderr, "LODFS_FUZZ_STORE is not set\n");
        exit(2);
    }
    mem_load(folder, &sound);
    no_hash_strip(&sound);
    mem_serve(&sound);
    truth_read(&truth);
    patches_map(&sound, WHAT, &map);
    return 0;
}

static void verify(void)
{
    const struct lod_findings *findings = NULL;
    struct lod_verify *v = NULL;
    uint64_t bytes, files;
    struct lod_why why = {.text = ""};
    int error = lod_verify_create("served", NULL, &v, &why);

    if (!error) {
        lod_verify_limit_work(v, WORK_BYTES);
    }
    for (uint64_t i = 0; !error && i < lod_verify_steps(v); i++) {
        error = lod_verify_step(v, i, &bytes, &files);
    }
    error = error ? error : lod_verify_conclude(v, &findings);
    lod_verify_destroy(v);
}

static void read_store(void)
{
    mem_serve(&changed);
    struct compared compared = truth_exercise(&truth);
    if (compared.wrong || changed.escapes) {
        printf("FAILED: %s\n",
               compared.wrong ? compared.wrong : "an object outside the store was opened");
        abort();
    }
    verify();
}

static bool parse(struct lod_span text, struct lod_script *ret_script)
{
    const char *why;
    unsigned line;

    return lod_script_parse("fuzz", text, ret_script, &line, &why) == 0;
}

/* A script that parses can be printed; the printed text parses and prints the same again. */
static void read_script(struct lod_span input)
{
    static char text[PRINT_ROOM], again[PRINT_ROOM];
    struct lod_script first, second;

    if (!parse(input, &first)) {
        return;
    }
    size_t bytes = lod_script_print(&first, text, sizeof(text));
    struct lod_span printed = {.at = (const uint8_t *)text, .bytes = bytes};
    if (bytes >= sizeof(text) || !parse(printed, &second) ||
        lod_script_print(&second, again, sizeof(again)) != bytes ||
        memcmp(text, again, bytes) != 0) {
        printf("FAILED: the printed form of a script does not parse, or prints differently\n");
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct lod_span input = {.at = data, .bytes = bytes};

    if (strcmp(WHAT, "script") == 0) {
        read_script(input);
        return 0;
    }
    mem_copy(&sound, &changed);
    if (strcmp(WHAT, "manifest") == 0) {
        mem_put(&changed, "manifest.json", data, bytes);
    } else {
        patches_apply(&map, &changed, input);
    }
    read_store();
    return 0;
}
