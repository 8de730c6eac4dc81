/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thousands of damaged stores, opened and read as a mount does, in every view. `accidents`:
 * whatever is shown is right, or refused, and verify finds what is not. `attacks`: every hash is
 * right again, so bytes may differ, but nothing crashes, hangs, takes memory, or leaves the store,
 * and verify finds what is refused. `segments`: a bit of every frame in turn, which costs just what
 * needs it. `cuts`: each file cut at its end and at random places. damage
 * accidents|attacks|segments|cuts STORE OTHER COUNT [FIRST_SEED]   all seeds from there damage
 * accidents|attacks|segments|cuts STORE OTHER 1 SEED               one again, told in full
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "damages.h"
#include "reseal.h"
#include "truth.h"
#include "verify/verify.h"
#include "watch.h"

#define DAMAGES_MAX     3
#define ALIVE_COUNT     100         /* of so many cases some open, some are refused */
#define READ_PEAK_TIMES 4           /* of the store's bytes, whatever it says of itself */
#define VERIFY_PEAK_MAX (96u << 20) /* 100,000 findings */

struct harness {
    struct mem_store sound, other, damaged;
    struct truth truth;
    struct seals *seals;
    uint64_t opened, refused; /* stores; those with anything refused (attacks: that verify finds) */
    uint64_t shown;           /* files that were right; attacks: reads that gave bytes */
    uint64_t unchanged, schemas_found;
    size_t read_peak, verify_peak;
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool unchanged(const struct harness *h)
{
    for (unsigned i = 0; i < h->sound.count; i++) {
        const struct mem_file *a = &h->sound.files[i], *b = &h->damaged.files[i];
        if (b->gone || a->bytes != b->bytes || memcmp(a->data, b->data, a->bytes) != 0) {
            return false;
        }
    }
    return true;
}

/* Is there a finding of the item, by number or by a name it has, or of what leads to it? */
static bool is_named(const struct truth *truth, const struct lod_findings *findings, uint32_t item)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct lod_finding *found = &findings->at[i];
        if (found->note || !found->fidelities) {
            continue;
        }
        if (found->item == item || (found->item == LOD_NO_ITEM && !strcmp(found->file, "index"))) {
            return true;
        }
        for (uint32_t n = 0; n < truth->count && found->path; n++) {
            if (truth->nodes[n].row.ref == item && S_ISREG(truth->nodes[n].row.mode) &&
                strcmp(truth->nodes[n].path, found->path) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* The first item that was refused and that no finding names; LOD_NO_ITEM: each is named. */
static uint32_t unnamed(const struct truth *truth, const struct lod_findings *findings,
                        const struct compared *compared)
{
    for (unsigned i = 0; i < compared->refused_count; i++) {
        if (!is_named(truth, findings, compared->refused_items[i])) {
            watch_say("  item %u is refused, and not found; these are:\n",
                      compared->refused_items[i]);
            for (size_t k = 0; k < findings->count && k < 20; k++) {
                const struct lod_finding *at = &findings->at[k];
                watch_say("    %s at %" PRIu64 ": %s, item %u, fidelities %x of '%s'\n", at->file,
                          at->offset, at->what, at->item, at->fidelities, at->path ? at->path : "");
            }
            return compared->refused_items[i];
        }
    }
    return LOD_NO_ITEM;
}

static uint64_t count_schemas(const struct lod_findings *findings)
{
    uint64_t count = 0;

    for (size_t i = 0; i < findings->count; i++) {
        const char *path = findings->at[i].path, *name = path ? strrchr(path, '/') : NULL;
        count += name && strcmp(name, "/schema.json") == 0 && !findings->at[i].note;
    }
    return count;
}

/* Damages found; UINT64_MAX: the store is refused. *ret_unnamed: see above; NULL: not wanted. */
static uint64_t verify(struct harness *h, const struct compared *compared, uint32_t *ret_unnamed)
{
    const struct lod_findings *findings = NULL;
    struct lod_verify *v = NULL;
    uint64_t bytes, files, damages = UINT64_MAX;
    char why[200];

    watch_peak_reset();
    int error = lod_verify_create("served", &v, why, sizeof(why));
    if (!error) {
        lod_verify_limit_work(v, WORK_BYTES);
    }
    for (uint64_t i = 0; !error && i < lod_verify_steps(v); i++) {
        error = lod_verify_step(v, i, &bytes, &files);
    }
    if (!error && lod_verify_conclude(v, &findings) == 0) {
        damages = findings->damages;
        h->schemas_found = count_schemas(findings);
        if (ret_unnamed) {
            *ret_unnamed = unnamed(&h->truth, findings, compared);
        }
    }
    lod_verify_destroy(v);
    h->verify_peak = larger(h->verify_peak, watch_peak_bytes());
    return damages;
}

static const char *memory_passed(const struct harness *h)
{
    return h->read_peak > READ_PEAK_TIMES * mem_bytes(&h->sound) + WORK_BYTES
               ? "reading takes too much memory"
           : h->verify_peak > VERIFY_PEAK_MAX ? "verify takes too much memory"
                                              : NULL;
}

static const char *accident(struct harness *h, struct chance *chance)
{
    for (uint64_t i = 1 + chance_below(chance, DAMAGES_MAX); i > 0; i--) {
        damages_apply(chance, &h->damaged, &h->other);
    }
    watch_peak_reset();
    struct compared compared = truth_compare(&h->truth, 0);
    h->read_peak = larger(h->read_peak, watch_peak_bytes());
    h->opened += compared.open;
    h->refused += compared.refused != 0;
    h->shown += compared.right;
    if (compared.wrong) {
        return compared.wrong;
    }
    bool same = unchanged(h);
    h->unchanged += same;
    uint64_t damages = verify(h, NULL, NULL);
    if (same && (damages || compared.refused)) {
        return "a sound store is refused, or a false alarm of verify";
    }
    return compared.refused && damages == 0 ? "verify does not find it" : memory_passed(h);
}

static const char *attack(struct harness *h, struct chance *chance)
{
    for (uint64_t i = 1 + chance_below(chance, DAMAGES_MAX); i > 0; i--) {
        reseal_attack(h->seals, chance, &h->damaged);
    }
    seals_close(h->seals, chance, &h->damaged);
    watch_peak_reset();
    struct compared compared = truth_exercise(&h->truth);
    h->read_peak = larger(h->read_peak, watch_peak_bytes());
    h->opened += compared.open;
    h->shown += compared.right;
    uint32_t missed = LOD_NO_ITEM;
    uint64_t damages = verify(h, &compared, &missed);
    h->refused += damages != 0;
    if ((compared.refused && damages == 0) || missed != LOD_NO_ITEM) {
        return "verify does not find what is refused";
    }
    if (h->damaged.escapes) {
        return "an object outside the store was asked for";
    }
    return compared.wrong ? compared.wrong : memory_passed(h);
}

/* Case n is frame n of the store: COUNT past the last one starts again with another bit. */
static const char *segment(struct harness *h, struct chance *chance, uint64_t number)
{
    struct seals_frame frame = seals_frame(h->seals, number % seals_frames(h->seals));
    struct mem_file *file = mem_find(&h->damaged, frame.file);
    uint64_t at = frame.offset + chance_below(chance, frame.bytes);

    file->data[at] ^= (uint8_t)(1u << chance_below(chance, 8));
    watch_say("  %s: a bit of byte %" PRIu64 ", group %u of item %u\n", file->name, at, frame.group,
              frame.item);
    struct compared compared = truth_compare(&h->truth, frame.item);
    h->opened += compared.open;
    h->refused += compared.refused != 0;
    h->shown += compared.right;
    const char *wrong = truth_needs(&h->truth, frame.item, frame.group, &compared);
    return wrong ? wrong : verify(h, NULL, NULL) == 0 ? "verify does not find it" : NULL;
}

static const char *cut(struct harness *h, struct chance *chance, uint64_t number)
{
    struct mem_file *file = &h->damaged.files[number % h->damaged.count];
    uint64_t end = file->bytes < 4096 ? file->bytes : 4096;

    file->bytes -= chance_below(chance, 2) ? 1 + chance_below(chance, end)
                                           : 1 + chance_below(chance, file->bytes);
    watch_say("  %s: cut to %zu bytes\n", file->name, file->bytes);
    struct compared compared = truth_compare(&h->truth, 0);
    h->opened += compared.open;
    h->refused += compared.refused != 0;
    h->shown += compared.right;
    if (!compared.wrong && compared.open != (strncmp(file->name, "records/", 8) == 0)) {
        return "only a cut record leaves a store that can be mounted";
    }
    if (compared.open && !compared.refused && !strstr(file->name, ".tree")) {
        return "a cut record is not noticed";
    }
    return compared.wrong               ? compared.wrong
           : verify(h, NULL, NULL) == 0 ? "verify does not find it"
                                        : NULL;
}

/*
 * Digits of a schema.json that say something its shards say as well: all that is no text but
 * rows_a_shard, of which a table's only shard has no more, and the digit of its dtype. The one of
 * this number is changed; false: there are not so many.
 */
static bool change_schema(struct mem_file *file, struct seals_frame frame, uint64_t *number)
{
    uint8_t *at = file->data + frame.offset;
    const uint8_t *free_from = memmem(at, frame.bytes, "rows_a_shard", 12), *end = at + frame.bytes;
    const uint8_t *dtype = memmem(at, frame.bytes, "\"dtype\"", 7);
    const uint8_t *free_to = free_from ? memchr(free_from, ',', (size_t)(end - free_from)) : NULL;
    bool text = false;

    for (; free_to && dtype && at < end; at++) {
        text = text != (*at == '"');
        const bool of_dtype = text && at > dtype + 7 && at < dtype + 16;
        if (*at >= '0' && *at <= '9' && (!text || of_dtype) && !(at > free_from && at < free_to) &&
            (*number)-- == 0) {
            *at =
                *at == '9' ? '1' : (uint8_t)(*at + 2 - (*at == '8')); /* first_index may be 0, 1 */
            watch_say("  %s: a digit at %zu\n", file->name, (size_t)(at - file->data));
            return true;
        }
    }
    return false;
}

/* Case n is digit n of all schemas of the store, with right hashes; past the last one nothing. */
static const char *schema(struct harness *h, uint64_t number)
{
    bool changed = false;

    for (uint64_t i = 0; i < seals_frames(h->seals) && !changed; i++) {
        struct seals_frame frame = seals_frame(h->seals, i);
        struct mem_file *file = mem_find(&h->damaged, frame.file);
        const uint8_t *data = file->data + frame.offset;
        changed = memmem(data, frame.bytes < 64 ? frame.bytes : 64, "\"lodfs-table\"", 13) &&
                  !memmem(data, frame.bytes, "\"shards\":\t0", 11) && /* nothing to compare with */
                  change_schema(file, frame, &number);
    }
    seals_close(h->seals, NULL, &h->damaged);
    struct compared compared = truth_exercise(&h->truth);
    h->opened += compared.open;
    h->shown += compared.right;
    h->refused += changed; /* nothing is, but verify finds it */
    h->schemas_found = 0;
    verify(h, NULL, NULL); /* which finds the manifest in any case: seals_close writes it anew */
    return h->schemas_found != changed ? "verify does not find just the schema that was changed"
                                       : compared.wrong;
}

static const char *run_case(struct harness *h, char kind, uint64_t seed)
{
    struct chance chance = {.state = seed};

    mem_copy(&h->sound, &h->damaged);
    mem_serve(&h->damaged);
    watch_begin();
    watch_say("seed %" PRIu64 ":\n", seed);
    return kind == 's'   ? segment(h, &chance, seed)
           : kind == 'c' ? cut(h, &chance, seed)
           : kind == 'a' ? attack(h, &chance)
           : kind == 'm' ? schema(h, seed - 1)
                         : accident(h, &chance);
}

static void setup(struct harness *h, char **stores)
{
    mem_load(stores[0], &h->sound);
    mem_load(stores[1], &h->other);
    mem_serve(&h->sound);
    watch_begin();
    truth_read(&h->truth);
    h->seals = seals_read(&h->sound);
}

static void finish(struct harness *h)
{
    mem_free(&h->sound);
    mem_free(&h->other);
    mem_free(&h->damaged);
    seals_free(h->seals);
    truth_free(&h->truth);
}

int main(int argc, char **argv)
{
    struct harness h = {0};
    const char *wrong = NULL;

    if (argc < 5) {
        fprintf(stderr, "usage: damage accidents|attacks|segments|cuts|meanings STORE OTHER COUNT "
                        "[FIRST_SEED]\n");
        return 2;
    }
    char kind = strcmp(argv[1], "accidents") == 0 ? 'x' : argv[1][0];
    uint64_t seed = argc > 5 ? strtoull(argv[5], NULL, 10) : 1;
    watch_setup();
    setup(&h, argv + 2);
    uint64_t count = strtoull(argv[4], NULL, 10);
    if (kind == 's' && count == 0) {
        count = seals_frames(h.seals); /* each once */
    }
    watch_hide_stderr(); /* a log line a damage */
    for (uint64_t i = 0; i < count && !wrong; i++) {
        wrong = run_case(&h, kind, seed + i);
    }
    if (!wrong && count >= ALIVE_COUNT && (!h.opened || !h.refused || !h.shown)) {
        wrong = "nothing was tried";
    }
    if (wrong) {
        printf("FAILED: %s: %s", wrong, watch_text());
    } else if (count == 1) {
        printf("%s", watch_text());
    }
    printf("%s: %" PRIu64 " stores, %" PRIu64 " opened, %" PRIu64
           " with something refused, %" PRIu64 " unchanged, %" PRIu64
           " files shown right; at most %zu KiB to read, %zu KiB to verify\n",
           argv[1], count, h.opened, h.refused, h.unchanged, h.shown, h.read_peak >> 10,
           h.verify_peak >> 10);
    finish(&h);
    return wrong ? 1 : 0;
}
