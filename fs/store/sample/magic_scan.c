/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of neighbouring fidelities often have the same plan. Then they are scanned once. See
 * magic_scan.h.
 */
#include "sample/magic_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

#define WORD_BYTES  4u
#define BLOCK_WORDS 16u

struct magics {
    LOD_LIST(struct lod_magic);
};

struct scan {
    const struct lod_codec *codec;
    const uint8_t *row;
    const struct lod_span *group;
    struct lod_magic_words words; /* of the file that is being scanned */
    struct magics all, other;     /* words of the fidelities so far; memory for the next merge */
};

/* --------------------------------------------------------------------------------- words */

/* One more than the limit is enough to know that there are too many. */
static int add_word(struct lod_magic_words *words, uint64_t word)
{
    return words->found.count > LOD_MAGICS_MAX ? 0 : LOD_LIST_ADD(&words->found, (uint32_t)word);
}

static int add_byte(struct lod_magic_words *words, uint8_t byte)
{
    words->carry[words->at++ % WORD_BYTES] = byte;
    return words->at % WORD_BYTES == 0 && lod_get_le32(words->carry) == LOD_MAGIC_WORD
               ? add_word(words, words->at / WORD_BYTES - 1)
               : 0;
}

/* Most blocks have none; the compiler's vector code finds that out with one comparison for many
 * bytes. */
static bool has_word(const uint8_t *at)
{
    unsigned any = 0;

    for (unsigned i = 0; i < BLOCK_WORDS; i++) {
        any |= lod_get_le32(at + (size_t)i * WORD_BYTES) == LOD_MAGIC_WORD;
    }
    return any != 0;
}

int lod_magic_words_add(struct lod_magic_words *words, struct lod_span bytes)
{
    const uint8_t *at = bytes.at, *end = at + bytes.bytes;
    int error = 0;

    while (!error && at < end) {
        if (words->at % WORD_BYTES == 0 && end - at >= WORD_BYTES * BLOCK_WORDS && !has_word(at)) {
            at += (size_t)WORD_BYTES * BLOCK_WORDS;
            words->at += (size_t)WORD_BYTES * BLOCK_WORDS;
        } else {
            error = add_byte(words, *at++);
        }
    }
    return error;
}

void lod_magic_words_finish(struct lod_magic_words *words)
{
    free(words->found.at);
    *words = (struct lod_magic_words){0};
}

/* --------------------------------------------------------------------------------- lists */

int lod_magic_list_too_many(struct lod_buf *list)
{
    return lod_buf_append_le(list, 2, LOD_MAGICS_TOO_MANY);
}

static int put(const struct lod_magic *magics, size_t count, struct lod_buf *list)
{
    if (count > LOD_MAGICS_MAX) {
        return lod_magic_list_too_many(list);
    }
    int error = count ? lod_buf_append_le(list, 2, count) : 0;
    for (size_t i = 0; !error && i < count; i++) {
        error = lod_buf_append_le(list, 4, magics[i].word);
        error = error ? error : lod_buf_append_le(list, 2, magics[i].fidelities);
    }
    return error;
}

/* Merges the words of a fidelity, which ascend, into those of all. */
static int merge(struct scan *scan, uint16_t fidelity)
{
    const struct lod_magic_words *words = &scan->words;
    size_t i = 0, k = 0;
    int error = 0;

    scan->other.count = 0;
    while (!error && (i < scan->all.count || k < words->found.count)) {
        struct lod_magic magic = {.word = UINT32_MAX};
        if (i < scan->all.count) {
            magic = scan->all.at[i];
        }
        if (k < words->found.count && words->found.at[k] <= magic.word) {
            i += magic.word == words->found.at[k];
            magic.fidelities = magic.word == words->found.at[k] ? magic.fidelities : 0;
            magic.word = words->found.at[k++];
            magic.fidelities |= fidelity;
        } else {
            i++;
        }
        error = LOD_LIST_ADD(&scan->other, magic);
    }
    const struct magics merged = scan->other;
    scan->other = scan->all;
    scan->all = merged;
    return error;
}

int lod_magic_words_list(const struct lod_magic_words *words, struct lod_buf *list)
{
    int error = 0;

    if (words->found.count > LOD_MAGICS_MAX) {
        return lod_magic_list_too_many(list);
    }
    error = words->found.count ? lod_buf_append_le(list, 2, words->found.count) : 0;
    for (size_t i = 0; !error && i < words->found.count; i++) {
        error = lod_buf_append_le(list, 4, words->found.at[i]);
        error = error ? error : lod_buf_append_le(list, 2, LOD_MAGIC_FIDELITIES);
    }
    return error;
}

/* --------------------------------------------------------------------------------- files */

/* A piece that is in memory: stored or constant. */
static int piece_of(const struct scan *scan, const struct lod_plan *plan, unsigned number,
                    struct lod_span *ret_piece)
{
    const struct lod_piece *piece = &plan->pieces[number];
    const struct lod_span group =
        piece->kind == LOD_PIECE_STORED ? scan->group[piece->group - 1] : (struct lod_span){0};

    if (piece->kind == LOD_PIECE_MADE ||
        (piece->kind == LOD_PIECE_STORED &&
         (piece->offset > group.bytes || piece->bytes > group.bytes - piece->offset))) {
        return -EILSEQ;
    }
    const uint8_t *at = piece->kind == LOD_PIECE_STORED ? group.at + piece->offset
                        : piece->kind == LOD_PIECE_MEM  ? piece->mem
                                                        : plan->text + piece->offset;
    *ret_piece = (struct lod_span){.at = at, .bytes = piece->bytes};
    return 0;
}

/* Copies a file of stored and constant pieces. */
static int read_own(const struct scan *scan, struct lod_input *input)
{
    uint8_t *bytes = malloc(input->plan.bytes + 1);
    uint64_t at = 0;

    input->data = (struct lod_span){.at = bytes, .bytes = input->plan.bytes};
    for (unsigned i = 0; bytes && i < input->plan.count; i++) {
        struct lod_span piece;
        int error = piece_of(scan, &input->plan, i, &piece);
        if (error) {
            return error;
        }
        memcpy(bytes + at, piece.at, piece.bytes);
        at += piece.bytes;
    }
    return bytes ? 0 : -ENOMEM;
}

static int gather(const struct scan *scan, unsigned form, uint64_t unit, struct lod_inputs *inputs)
{
    const struct lod_maker *maker = scan->codec->maker;
    unsigned done = 0;
    int error = maker->need(scan->row, form, unit, inputs);

    while (!error && done < inputs->count) {
        struct lod_input *input = &inputs->input[done++];
        error = input->slot == LOD_SLOT_OWN ? read_own(scan, input) : -ENOTSUP;
        if (!error && done == inputs->count) {
            error = maker->need(scan->row, form, unit, inputs);
        }
    }
    return error;
}

static int scan_unit(struct scan *scan, const struct lod_piece *piece, uint64_t unit,
                     uint64_t unit_bytes, uint64_t bytes)
{
    struct lod_inputs inputs = {0};
    uint8_t *made = malloc(bytes);
    int error = made ? gather(scan, piece->form, unit, &inputs) : -ENOMEM;

    error = error ? error
                  : scan->codec->maker->make(scan->row, piece->form, unit, &inputs, made, bytes);
    /* The part of the unit that the piece has. */
    const uint64_t start = unit * unit_bytes;
    const uint64_t from = piece->offset > start ? piece->offset - start : 0;
    const uint64_t end = piece->offset + piece->bytes - start;
    if (!error) {
        error = lod_magic_words_add(
            &scan->words,
            (struct lod_span){.at = made + from, .bytes = (end < bytes ? end : bytes) - from});
    }
    for (unsigned i = 0; i < inputs.count; i++) {
        free((void *)(uintptr_t)inputs.input[i].data.at);
    }
    free(made);
    return error;
}

static int scan_made(struct scan *scan, const struct lod_plan *plan, const struct lod_piece *piece)
{
    const uint64_t all = lod_plan_made_bytes(plan, piece->form);
    const uint64_t unit_bytes = scan->codec->maker->unit_bytes(scan->row, piece->form);
    int error = 0;

    for (uint64_t unit = piece->offset / unit_bytes;
         !error && unit * unit_bytes < piece->offset + piece->bytes; unit++) {
        const uint64_t left = all - unit * unit_bytes;
        error = scan_unit(scan, piece, unit, unit_bytes, left < unit_bytes ? left : unit_bytes);
    }
    return error;
}

static int scan_file(struct scan *scan, const struct lod_plan *plan)
{
    struct lod_span piece;
    int error = 0;

    scan->words.at = scan->words.found.count = 0;
    for (unsigned i = 0; !error && i < plan->count; i++) {
        if (plan->pieces[i].kind == LOD_PIECE_MADE) {
            error = scan_made(scan, plan, &plan->pieces[i]);
        } else {
            error = piece_of(scan, plan, i, &piece);
            error = error ? error : lod_magic_words_add(&scan->words, piece);
        }
    }
    return error;
}

static bool is_same(const struct lod_plan *a, const struct lod_plan *b)
{
    bool same = a->count == b->count && a->bytes == b->bytes;

    for (unsigned i = 0; same && i < a->count; i++) {
        const struct lod_piece *x = &a->pieces[i], *y = &b->pieces[i];
        same = x->kind == y->kind && x->bytes == y->bytes && x->offset == y->offset &&
               (x->kind == LOD_PIECE_MEM      ? x->mem == y->mem
                : x->kind == LOD_PIECE_STORED ? x->group == y->group
                : x->kind == LOD_PIECE_MADE   ? x->form == y->form
                                              : true);
    }
    return same && a->text_bytes == b->text_bytes && memcmp(a->text, b->text, a->text_bytes) == 0;
}

static int scan_all(struct scan *scan, bool *ret_too_large)
{
    struct lod_plan plan[2];
    int error = 0;

    for (unsigned f = LOD_Q1; !error && !*ret_too_large && f <= LOD_FULL; f++) {
        struct lod_plan *now = &plan[f & 1];
        const struct lod_plan *before = &plan[(f & 1) ^ 1];
        error = lod_codec_plan(scan->codec, scan->row, LOD_FORMAT_TREE, (enum lod_fidelity)f, now);
        *ret_too_large = !error && now->bytes >= LOD_MAGIC_FILE_MAX;
        if (!error && !*ret_too_large) {
            error = f > LOD_Q1 && is_same(now, before) ? 0 : scan_file(scan, now);
            error = error ? error : merge(scan, (uint16_t)(1u << (f - 1)));
        }
    }
    return error;
}

int lod_magic_scan(const struct lod_codec *codec, const uint8_t row[LOD_ROW_BYTES],
                   const struct lod_span group[LOD_GROUPS_MAX], struct lod_buf *list)
{
    struct scan scan = {.codec = codec, .row = row, .group = group};
    bool too_large = false;
    int error = scan_all(&scan, &too_large);

    error = error || too_large ? error : put(scan.all.at, scan.all.count, list);
    lod_magic_words_finish(&scan.words);
    free(scan.all.at);
    free(scan.other.at);
    return error;
}
