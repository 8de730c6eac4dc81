/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes all that a mount makes of the stored bytes, once, and drops it: pixels, source files, rows
 * of tables. Right hashes alone do not prove that this succeeds. Also asks the codec whether the
 * stored bytes are valid for programs that decode them.
 */
#include "verify/check_record.h"

#include <errno.h>
#include <stdlib.h>

#include "verify/check_inputs.h"

struct forms {
    struct lod_record_check *check;
    struct lod_check_inputs inputs;
    uint32_t slot;
    const uint8_t *row;
    enum { UNTRIED, GOOD, BAD } tried[LOD_FORMS_MAX]; /* results for this slot */
    struct lod_plan decoded; /* the file of this slot that was decoded completely last; or empty */
};

static int form_found(const struct forms *f, const char *what, uint16_t fidelities)
{
    struct lod_record_check *c = f->check;
    char path[LOD_PATH_MAX + 1];
    struct lod_finding finding = lod_record_check_finding(c, what, fidelities);

    finding.path = lod_record_check_path(c, f->slot, path);
    finding.offset = lod_record_segment_offset(c->record, f->slot, 1);
    finding.bytes = lod_record_segment_bytes(c->record, f->slot, 1);
    finding.item = c->in_index ? c->recd.first_item + f->slot : LOD_NO_ITEM;
    finding.slot = f->slot;
    return fidelities ? lod_findings_add(&c->verify->findings, &finding) : 0;
}

/* Makes one unit, into memory of its own. */
static int make_unit(struct forms *f, unsigned form, uint64_t unit, uint64_t bytes,
                     uint64_t state[LOD_PROOF_WORDS])
{
    const struct lod_maker *maker = f->inputs.codec->maker;
    struct lod_inputs inputs = {0};
    uint8_t *into = NULL;

    int error = lod_check_gather(&f->inputs, f->slot, form, unit, &inputs);
    if (!error) {
        into = malloc(bytes);
        error = into ? maker->make(f->row, form, unit, &inputs, into, bytes) : -ENOMEM;
    }
    if (!error && maker->prove) {
        struct lod_span made = {.at = into, .bytes = bytes};
        error = maker->prove(f->row, form, unit, made, state);
    }
    free(into);
    lod_check_drop(&f->inputs, &inputs);
    return error;
}

/* Makes all units of a form of `bytes` bytes, up to the first failure. */
static int make_form(struct forms *f, unsigned form, uint64_t bytes)
{
    const struct lod_maker *maker = f->inputs.codec->maker;
    const uint64_t unit_bytes = maker->unit_bytes(f->row, form);
    const uint64_t cost = maker->cost(f->row, form);
    struct lod_memory_semaphore *work = &f->check->verify->work;
    uint64_t state[LOD_PROOF_WORDS] = {0};
    int error = 0;

    if (cost > work->bytes_max) {
        return -E2BIG;
    }
    uint64_t reserved = lod_memory_semaphore_take(work, cost);
    for (uint64_t unit = 0; !error && unit * unit_bytes < bytes; unit++) {
        const uint64_t left = bytes - unit * unit_bytes;
        error = make_unit(f, form, unit, left < unit_bytes ? left : unit_bytes, state);
    }
    lod_memory_semaphore_release(work, reserved);
    return error;
}

static bool same_piece(const struct lod_piece *a, const struct lod_piece *b)
{
    return a->kind == LOD_PIECE_STORED && b->kind == a->kind && a->group == b->group &&
           a->offset == b->offset && a->bytes == b->bytes;
}

/* Returns whether the stored bytes of `plan` are the first ones of `whole`, except for constant
 * bytes at its end. */
static bool is_beginning(const struct lod_plan *plan, const struct lod_plan *whole)
{
    unsigned count = plan->count;

    count -= count && plan->pieces[count - 1].kind == LOD_PIECE_MEM;
    bool same = count && count <= whole->count;
    for (unsigned i = 0; same && i < count; i++) {
        same = same_piece(&plan->pieces[i], &whole->pieces[i]);
    }
    return same;
}

/*
 * Returns whether the form is the pixels of one file of the item, which is then *ret_file. If it is
 * the beginning of a file that was decoded, it can be decoded too.
 */
static bool is_of_one_file(const struct forms *f, unsigned form, uint64_t bytes,
                           struct lod_plan *ret_file)
{
    const struct lod_maker *maker = f->inputs.codec->maker;
    struct lod_inputs inputs = {0};

    if (bytes > maker->unit_bytes(f->row, form) || maker->need(f->row, form, 0, &inputs) ||
        inputs.count != 1 || inputs.input[0].slot != LOD_SLOT_OWN) {
        return false;
    }
    lod_plan_copy(&inputs.input[0].plan, ret_file);
    return true;
}

static int try_form(struct forms *f, enum lod_format format, unsigned form, uint64_t bytes)
{
    struct lod_plan file;
    bool one = format == LOD_FORMAT_DECODED && is_of_one_file(f, form, bytes, &file);

    if (one && is_beginning(&file, &f->decoded)) {
        f->tried[form] = GOOD;
        return 0;
    }
    int error = make_form(f, form, bytes);
    if (lod_check_stops(error)) {
        return error;
    }
    f->tried[form] = error && error != -EBADMSG ? BAD : GOOD;
    if (one && !error) {
        lod_plan_copy(&file, &f->decoded);
    }
    return 0;
}

/* Makes each form that a plan contains. *ret_made becomes UNTRIED if it contains none, BAD if one
 * cannot be made. */
static int try_forms(struct forms *f, enum lod_format format, const struct lod_plan *plan,
                     int *ret_made)
{
    int made = UNTRIED;

    for (unsigned i = 0; i < plan->count; i++) {
        const unsigned form = plan->pieces[i].form;
        if (plan->pieces[i].kind != LOD_PIECE_MADE) {
            continue;
        }
        if (f->tried[form] == UNTRIED) {
            int error = try_form(f, format, form, lod_plan_made_bytes(plan, form));
            if (error) {
                return error;
            }
        }
        made = made == BAD ? BAD : (int)f->tried[form];
    }
    *ret_made = made;
    return 0;
}

/* Tries the forms of a format, from the highest fidelity down. *ret_fidelities gets those that
 * cannot be made. */
static int check_format(struct forms *f, enum lod_format format, uint16_t *ret_fidelities)
{
    struct lod_plan plan;
    int made;

    *ret_fidelities = 0;
    for (unsigned fidelity = LOD_ORIGINAL; fidelity >= LOD_Q1; fidelity--) {
        if (lod_codec_plan(f->inputs.codec, f->row, format, (enum lod_fidelity)fidelity, &plan)) {
            continue; /* malformed (check_slots.c reports it), or no such file */
        }
        int error = try_forms(f, format, &plan, &made);
        if (error) {
            return error;
        }
        *ret_fidelities |= (uint16_t)(made == BAD ? 1u << fidelity : 0);
    }
    return 0;
}

/*
 * Asks the codec whether the bytes of group 1, which programs read as they are, agree with the row.
 */
static int check_stored(struct forms *f, const char **ret_what)
{
    const struct lod_codec *codec = f->inputs.codec;
    const uint64_t bytes = lod_record_segment_bytes(f->check->record, f->slot, 1);
    struct lod_memory_semaphore *work = &f->check->verify->work;
    struct lod_span stored;

    if (!codec->check || bytes > work->bytes_max) {
        return 0;
    }
    uint64_t reserved = lod_memory_semaphore_take(work, codec->check_cost(f->row));
    int error = lod_check_read_segment(&f->inputs, f->slot, 1, &stored);
    if (!error) {
        error = codec->check(f->row, stored);
        *ret_what = error && !lod_check_stops(error) ? "malformed: it differs from its row" : NULL;
        free((void *)(uintptr_t)stored.at);
    }
    lod_memory_semaphore_release(work, reserved);
    return lod_check_stops(error) ? error : 0;
}

static int check_slot(struct forms *f)
{
    const struct lod_codec *codec = f->inputs.codec;
    uint16_t tree = 0, decoded = 0;
    const char *what = NULL;

    memset(f->tried, 0, sizeof(f->tried));
    lod_plan_begin(&f->decoded);
    int error = check_stored(f, &what);
    if (error || what) {
        return error ? error : form_found(f, what, lod_findings_stored(codec, f->row));
    }
    if (!codec->maker) {
        return 0;
    }
    error = check_format(f, LOD_FORMAT_TREE, &tree);
    if (!error && lod_codec_decoded_ending(codec, f->row)) {
        error = check_format(f, LOD_FORMAT_DECODED, &decoded);
    }
    error = error ? error : form_found(f, "malformed: its file cannot be made", tree);
    return error ? error
                 : form_found(f, "malformed: it cannot be decoded", (uint16_t)(decoded & ~tree));
}

int lod_record_check_forms(struct lod_record_check *c, uint64_t low, uint64_t high)
{
    struct forms f = {
        .check = c,
        .inputs = {
            .verify = c->verify, .record = c->record, .codec = c->codec, .in_index = c->in_index}};
    int error = 0;

    for (f.slot = 0; !error && f.slot < c->recd.items && (c->codec->maker || c->codec->check);
         f.slot++) {
        const uint64_t at = lod_record_segment_offset(c->record, f.slot, 1);
        f.row = lod_record_row(c->record, f.slot);
        error = at >= low && at < high ? check_slot(&f) : 0;
    }
    lod_check_inputs_finish(&f.inputs);
    return error;
}
