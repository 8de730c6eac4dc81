/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens and reads thousands of damaged stores as a mount does, in every view.
 *
 * - `accidents`: random damage. Each file is right or refused, and verify finds the damage.
 * - `attacks`: changed fields with right hashes, so bytes may differ. No store crashes or hangs the
 *   program, takes much memory, or leads outside the store. Verify finds each refused item, and
 *   reports nothing that was not attacked.
 * - `segments`: a flipped bit in every frame in turn. Only the fidelities that need it are refused.
 * - `cuts`: each file cut near its end and at random places.
 * - `meanings`: a changed digit in each schema.json, which then contradicts its shards.
 * - `copies`: as accidents, but written into folders for the tests of mounts.
 *
 *   damage KIND STORE OTHER COUNT [FIRST_SEED]           runs COUNT cases
 *   damage KIND STORE OTHER 1 SEED                       repeats one case and prints each step
 *   damage copies STORE OTHER COUNT FIRST_SEED FOLDER    writes the stores FOLDER/SEED
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "damages.h"
#include "reseal.h"
#include "share.h"
#include "truth.h"
#include "verdict.h"
#include "watch.h"

#define DAMAGES_MAX     3
#define UNTOUCHED       50
#define MANIFEST        0           /* the index that mem_load gives it */
#define ALIVE_COUNT     100         /* in this many cases some stores open and some are refused */
#define READ_PEAK_TIMES 4           /* memory for reading, as a multiple of the store's size */
#define VERIFY_PEAK_MAX (96u << 20) /* room for 100,000 findings */

struct harness {
    struct mem_store sound, other, damaged;
    struct truth truth;
    struct seals *seals;
    uint64_t opened, refused; /* stores; those with anything refused (attacks: that verify finds) */
    uint64_t shown;           /* files that were right; attacks: reads that gave bytes */
    uint64_t unchanged;
    size_t read_peak, verify_peak;
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Runs verify on the damaged store; see verdict.h. */
static struct verdict verify(struct harness *h, const struct compared *refused, uint32_t changed)
{
    struct verdict verdict = verdict_of(&h->truth, refused, &h->damaged, changed);

    h->verify_peak = larger(h->verify_peak, verdict.peak_bytes);
    return verdict;
}

static const char *memory_passed(const struct harness *h)
{
    return h->read_peak > READ_PEAK_TIMES * mem_bytes(&h->sound) + WORK_BYTES
               ? "reading takes too much memory"
           : h->verify_peak > VERIFY_PEAK_MAX ? "verify takes too much memory"
                                              : NULL;
}

static void apply_damages(struct harness *h, struct chance *chance)
{
    for (uint64_t i = 1 + chance_below(chance, DAMAGES_MAX); i > 0; i--) {
        damages_apply(chance, &h->damaged, &h->other);
    }
}

static const char *accident(struct harness *h, struct chance *chance)
{
    apply_damages(h, chance);
    watch_peak_reset();
    struct compared compared = truth_compare(&h->truth, 0);
    h->read_peak = larger(h->read_peak, watch_peak_bytes());
    h->opened += compared.open;
    h->refused += compared.refused != 0;
    h->shown += compared.right;
    if (compared.wrong) {
        return compared.wrong;
    }
    const bool same = verdict_changed(&h->sound, &h->damaged) == 0;
    h->unchanged += same;
    const uint64_t damages = verify(h, NULL, 0).damages;
    if (same && (damages || compared.refused)) {
        return "a sound store is refused, or verify reports damage in it";
    }
    return compared.refused && damages == 0 ? "verify does not find the damage" : memory_passed(h);
}

/* One case in UNTOUCHED changes nothing but recomputes the hashes;
 * verify must find nothing then. */
static const char *attack(struct harness *h, struct chance *chance)
{
    for (uint64_t i = chance_below(chance, UNTOUCHED) ? 1 + chance_below(chance, DAMAGES_MAX) : 0;
         i > 0; i--) {
        reseal_attack(h->seals, chance, &h->damaged);
    }
    uint32_t changed = verdict_changed(&h->sound, &h->damaged);
    changed |= seals_close(h->seals, chance, &h->damaged) ? 1u << MANIFEST : 0;
    watch_peak_reset();
    struct compared compared = truth_exercise(&h->truth);
    h->read_peak = larger(h->read_peak, watch_peak_bytes());
    h->opened += compared.open;
    h->shown += compared.right;
    const struct verdict verdict = verify(h, &compared, changed);
    h->refused += verdict.damages != 0;
    h->unchanged += changed == 0;
    if (changed == 0 && (verdict_changed(&h->sound, &h->damaged) || compared.refused)) {
        return "recomputing the hashes of a sound store changed it: this test is broken";
    }
    if ((compared.refused && verdict.damages == 0) || verdict.unnamed != LOD_NO_ITEM) {
        return "verify does not name a refused item";
    }
    if (verdict.stray || (changed == 0 && verdict.damages)) {
        return "verify reports damage that was not done";
    }
    if (h->damaged.escapes) {
        return "an object outside the store was opened";
    }
    return compared.wrong ? compared.wrong : memory_passed(h);
}

/* Case n flips a bit of frame n. A larger n starts again with the first frame and another bit. */
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
    return wrong ? wrong : verify(h, NULL, 0).damages == 0 ? "verify does not find the bit" : NULL;
}

static const char *cut(struct harness *h, struct chance *chance, uint64_t number)
{
    struct mem_file *file = &h->damaged.files[number % h->damaged.count];
    uint64_t end = file->bytes < 4096 ? file->bytes : 4096;

    file->bytes -= chance_below(chance, 2) ? 1 + chance_below(chance, end)
                                           : 1 + chance_below(chance, file->bytes);
    if (strcmp(file->name, "manifest.json") == 0) {
        file->bytes -= file->bytes != 0; /* without its last newline it would still be valid */
    }
    watch_say("  %s: cut to %zu bytes\n", file->name, file->bytes);
    struct compared compared = truth_compare(&h->truth, 0);
    h->opened += compared.open;
    h->refused += compared.refused != 0;
    h->shown += compared.right;
    if (!compared.wrong && compared.open != (strncmp(file->name, "records/", 8) == 0)) {
        return "a store with a cut index or manifest opens, or one with a cut record does not";
    }
    if (compared.open && !compared.refused && !strstr(file->name, ".tree")) {
        return "a cut record is not noticed";
    }
    return compared.wrong                    ? compared.wrong
           : verify(h, NULL, 0).damages == 0 ? "verify does not find the cut"
                                             : NULL;
}

/*
 * Changes digit *number of those in a schema.json that its shards repeat: the digits outside texts,
 * and the digit of the dtype. rows_a_shard is left out, as a single shard may have fewer rows.
 * Returns false if the schema has fewer such digits; *number is then reduced by their count.
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

/* Case n changes digit n of all schemas of the store and recomputes the hashes. A larger n changes
 * nothing. */
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
    h->refused += changed; /* no file is refused, but verify reports the schema */
    const struct verdict verdict = verify(h, NULL, 0);
    return verdict.schemas != changed || verdict.damages != changed
               ? "verify does not report the changed schema, or reports more"
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

/* Writes damaged copies into `folder`, and prints the damage of each. */
static void write_copies(char **stores, uint64_t count, uint64_t seed, const char *folder)
{
    struct harness h = {0};
    char path[4096];

    mem_load(stores[0], &h.sound);
    mem_load(stores[1], &h.other);
    for (uint64_t end = seed + count; seed < end; seed++) {
        struct chance chance = {.state = seed};
        mem_copy(&h.sound, &h.damaged);
        watch_begin();
        watch_say("seed %" PRIu64 ":\n", seed);
        apply_damages(&h, &chance);
        snprintf(path, sizeof(path), "%s/%" PRIu64, folder, seed);
        mem_save(&h.damaged, path);
        printf("%s", watch_text());
    }
    mem_free(&h.sound);
    mem_free(&h.other);
    mem_free(&h.damaged);
}

int main(int argc, char **argv)
{
    struct harness h = {0};
    const char *wrong = NULL;

    if (argc < 5) {
        fprintf(stderr, "usage: damage accidents|attacks|segments|cuts|meanings|copies STORE OTHER "
                        "COUNT [FIRST_SEED [FOLDER]]\n");
        return 2;
    }
    char kind = strcmp(argv[1], "accidents") == 0 ? 'x' : argv[1][0];
    uint64_t seed = argc > 5 ? strtoull(argv[5], NULL, 10) : 1;
    uint64_t count = strtoull(argv[4], NULL, 10);
    watch_setup();
    if (argc > 6) {
        write_copies(argv + 2, count, seed, argv[6]);
        return 0;
    }
    setup(&h, argv + 2);
    const bool each_frame = kind == 's' && count == 0;
    count = each_frame ? seals_frames(h.seals) : count;
    watch_hide_stderr(); /* each damage would be logged */
    for (uint64_t i = 0; i < count && !wrong; i++) {
        wrong = each_frame && !share_has(i) ? NULL : run_case(&h, kind, seed + i);
    }
    const bool sealed = kind == 'a'; /* some attacks must leave the store unchanged */
    if (!wrong && count >= ALIVE_COUNT &&
        (!h.opened || !h.refused || !h.shown || (sealed && !h.unchanged))) {
        wrong = "the cases are badly chosen: no store was opened, refused, shown or unchanged";
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
