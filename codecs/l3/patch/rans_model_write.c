/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds classes by iteration, in two alternating steps. First the frequencies of each class are
 * computed from the activities assigned to it. Then each plane assigns its activities to classes
 * again, in rising order and at the lowest cost. FORMAT.md, L3 stream, Tables.
 */
#include "l3/patch/rans_model_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "l3/patch/l3_image.h"

/* Neighbouring activities share a cut. Cuts are wider for larger activities. */
#define CUTS 36u

/* After this many iterations the result changes little. */
#define ITERATIONS 6

/* Costs are counted in 1/64 of a bit. */
#define PARTS 64u

struct cut {
    unsigned first, end; /* range of activities */
    unsigned class_;
    uint64_t total, spread; /* number of residuals; sum of their magnitudes */
    uint32_t count[256];
};

struct search {
    unsigned planes, classes, escape_bits;
    uint16_t price[LOD_RANS_TOTAL + 1]; /* price of a symbol by its frequency */
    struct cut cut[LOD_L3_SAMPLES_MAX][CUTS];
    uint32_t sum[256];
    uint32_t cost[LOD_RANS_CLASSES][256];
};

/*
 * Returns log2(LOD_RANS_TOTAL / count) in 1/PARTS of a bit. Each squaring of x gives one more bit.
 */
static uint16_t price_of(unsigned count)
{
    uint64_t x = (uint64_t)count << 20; /* fixed point with 20 fraction bits */
    unsigned log = 0;

    for (; x >= 2u << 20; x >>= 1) {
        log += PARTS;
    }
    for (unsigned part = PARTS / 2; part; part /= 2) {
        x = x * x >> 20;
        if (x >= 2u << 20) {
            x >>= 1;
            log += part;
        }
    }
    return (uint16_t)(LOD_RANS_BITS * PARTS - log);
}

static unsigned cut_end(unsigned first)
{
    return first + (first < 16 ? 1 : first < 32 ? 2 : first < 64 ? 4 : 16);
}

static void fill_cuts(const struct lod_small_counts *counts, struct search *s)
{
    for (unsigned p = 0; p < s->planes; p++) {
        unsigned first = 0;
        for (unsigned c = 0; c < CUTS; c++) {
            struct cut *cut = &s->cut[p][c];
            *cut = (struct cut){.first = first, .end = cut_end(first)};
            first = cut->end;
            for (unsigned a = cut->first; a < cut->end; a++) {
                for (unsigned z = 0; z < 256; z++) {
                    uint32_t n = counts->count[p][a][z];
                    cut->count[z] += n;
                    cut->total += n;
                    cut->spread += (uint64_t)n * (z < 128 ? z : 256 - z);
                }
            }
        }
    }
}

static int by_spread(const void *left, const void *right)
{
    const struct cut *a = *(struct cut *const *)left, *b = *(struct cut *const *)right;
    uint64_t l = a->total ? (a->spread << 10) / a->total : UINT64_MAX;
    uint64_t r = b->total ? (b->spread << 10) / b->total : UINT64_MAX;

    return l != r ? (l < r ? -1 : 1) : (a < b ? -1 : a > b);
}

/*
 * The initial assignment: cuts sorted by mean magnitude, with equal numbers of residuals in each
 * class.
 */
static void begin(struct search *s)
{
    struct cut *order[LOD_L3_SAMPLES_MAX * CUTS];
    unsigned count = s->planes * CUTS;
    uint64_t all = 0, before = 0;

    for (unsigned i = 0; i < count; i++) {
        order[i] = &s->cut[i / CUTS][i % CUTS];
        all += order[i]->total;
    }
    qsort(order, count, sizeof(order[0]), by_spread);
    for (unsigned i = 0; i < count; i++) {
        unsigned class_ = all ? (unsigned)(before * s->classes / all) : 0;
        order[i]->class_ = class_ < s->classes ? class_ : s->classes - 1;
        before += order[i]->total;
    }
}

/*
 * Computes frequencies that add up to LOD_RANS_TOTAL. A symbol that would get less than 0.6 is left
 * to the escape.
 */
static void scale(const uint32_t sum[256], lod_rans_counts counts)
{
    uint64_t total = 0, kept = 0;
    unsigned used = 0, most = LOD_RANS_ESCAPE;

    for (unsigned z = 0; z < 256; z++) {
        total += sum[z];
    }
    memset(counts, 0, sizeof(lod_rans_counts));
    for (unsigned z = 0; z < 256; z++) {
        if (sum[z] && (uint64_t)sum[z] * LOD_RANS_TOTAL * 5 >= total * 3) {
            uint64_t share = ((uint64_t)sum[z] * LOD_RANS_TOTAL + total / 2) / total;
            counts[z] = (uint16_t)(share ? share : 1);
            kept += sum[z];
            used += counts[z];
            most = most == LOD_RANS_ESCAPE || counts[z] > counts[most] ? z : most;
        }
    }
    uint64_t rare = total ? ((total - kept) * LOD_RANS_TOTAL + total / 2) / total : 0;
    counts[LOD_RANS_ESCAPE] = (uint16_t)(rare ? rare : 1);
    used += counts[LOD_RANS_ESCAPE];
    for (; used > LOD_RANS_TOTAL; used--) {
        for (unsigned z = 0; z < 256; z++) {
            most = counts[z] > counts[most] ? z : most;
        }
        counts[most]--;
    }
    counts[most] = (uint16_t)(counts[most] + LOD_RANS_TOTAL - used);
}

static void price_classes(struct search *s, struct lod_small_model *model)
{
    for (unsigned k = 0; k < s->classes; k++) {
        memset(s->sum, 0, sizeof(s->sum));
        for (unsigned i = 0; i < s->planes * CUTS; i++) {
            const struct cut *cut = &s->cut[i / CUTS][i % CUTS];
            for (unsigned z = 0; cut->class_ == k && z < 256; z++) {
                s->sum[z] += cut->count[z];
            }
        }
        scale(s->sum, model->counts[k]);
        uint32_t escape = s->price[model->counts[k][LOD_RANS_ESCAPE]] + s->escape_bits * PARTS;
        for (unsigned z = 0; z < 256; z++) {
            unsigned count = model->counts[k][z];
            s->cost[k][z] = count ? s->price[count] : escape;
        }
    }
}

static uint64_t cost_of(const struct cut *cut, const uint32_t cost[256])
{
    uint64_t sum = 0;

    for (unsigned z = 0; z < 256; z++) {
        sum += (uint64_t)cut->count[z] * cost[z];
    }
    return sum;
}

/*
 * Assigns a plane's cuts to classes in rising order, at the lowest cost, by dynamic programming:
 * best[k] is the lowest cost of the cuts so far if the last one is in class k.
 */
static void assign(struct search *s, struct cut cuts[CUTS])
{
    uint64_t best[LOD_RANS_CLASSES] = {0};
    uint8_t from[CUTS][LOD_RANS_CLASSES];

    for (unsigned c = 0; c < CUTS; c++) {
        unsigned cheapest = 0;
        uint64_t next[LOD_RANS_CLASSES];
        for (unsigned k = 0; k < s->classes; k++) {
            cheapest = best[k] < best[cheapest] ? k : cheapest;
            from[c][k] = (uint8_t)cheapest;
            next[k] = best[cheapest] + (cuts[c].total ? cost_of(&cuts[c], s->cost[k]) : 0);
        }
        memcpy(best, next, s->classes * sizeof(best[0]));
    }
    unsigned k = 0;
    for (unsigned i = 1; i < s->classes; i++) {
        k = best[i] < best[k] ? i : k;
    }
    for (unsigned c = CUTS; c-- > 0; k = from[c][k]) {
        cuts[c].class_ = k;
    }
}

static void finish(const struct search *s, struct lod_small_model *model)
{
    model->classes = s->classes;
    for (unsigned p = 0; p < s->planes; p++) {
        for (unsigned c = 0; c < CUTS; c++) {
            const struct cut *cut = &s->cut[p][c];
            memset(model->class_of[p] + cut->first, (int)cut->class_, cut->end - cut->first);
        }
    }
    for (unsigned k = 0; k < model->classes; k++) {
        unsigned sum = 0;
        for (unsigned place = 0; place < LOD_RANS_SYMBOLS; place++) {
            unsigned symbol = lod_rans_symbol_at(place);
            model->starts[k][symbol] = (uint16_t)sum;
            sum += model->counts[k][symbol];
        }
    }
}

int lod_small_model_make(const struct lod_small_counts *counts, unsigned planes, unsigned classes,
                         unsigned escape_bits, struct lod_small_model *ret_model)
{
    struct search *s = malloc(sizeof(*s));

    if (!s) {
        return -ENOMEM;
    }
    s->planes = planes;
    s->classes = classes;
    s->escape_bits = escape_bits;
    s->price[0] = 0;
    for (unsigned i = 1; i <= LOD_RANS_TOTAL; i++) {
        s->price[i] = price_of(i);
    }
    fill_cuts(counts, s);
    begin(s);
    price_classes(s, ret_model);
    for (int turn = 0; turn < ITERATIONS; turn++) {
        for (unsigned p = 0; p < planes; p++) {
            assign(s, s->cut[p]);
        }
        price_classes(s, ret_model);
    }
    finish(s, ret_model);
    free(s);
    return 0;
}

/* Writes a number, at least 1, as take_number in rans.c reads it. */
static int put_number(struct lod_buf *stream, unsigned *bits, unsigned value)
{
    unsigned more = 31u - (unsigned)__builtin_clz(value);

    for (unsigned i = 0; i <= 2 * more; i++) {
        if (*bits % 8 == 0) {
            int r = lod_buf_append_le(stream, 1, 0);
            if (r) {
                return r;
            }
        }
        unsigned bit = i < more ? 0 : value >> (2 * more - i) & 1;
        stream->data[stream->bytes - 1] |= (uint8_t)(bit << *bits % 8);
        ++*bits;
    }
    return 0;
}

static int put_class(struct lod_buf *stream, unsigned *bits, const lod_rans_counts counts)
{
    unsigned sum = 0;

    for (unsigned place = 0; sum < LOD_RANS_TOTAL; place++) {
        unsigned count = counts[lod_rans_symbol_at(place)];
        int r = put_number(stream, bits, count + 1);
        if (r) {
            return r;
        }
        sum += count;
    }
    return 0;
}

int lod_small_model_put(const struct lod_small_model *model, unsigned planes,
                        struct lod_buf *stream)
{
    unsigned bits = 0;

    int r = lod_buf_append_le(stream, 1, model->classes);
    for (unsigned i = 0; r == 0 && i < planes * (model->classes - 1); i++) {
        unsigned limit = 0, class_ = i % (model->classes - 1);
        const uint8_t *class_of = model->class_of[i / (model->classes - 1)];
        while (limit < LOD_RANS_ACTIVITIES && class_of[limit] <= class_) {
            limit++;
        }
        r = lod_buf_append_le(stream, 1, limit);
    }
    for (unsigned k = 0; r == 0 && k < model->classes; k++) {
        r = put_class(stream, &bits, model->counts[k]);
    }
    return r;
}
