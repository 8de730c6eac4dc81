/* SPDX-License-Identifier: Apache-2.0 */
/* See measure.h. Each photograph is measured by one thread. Sums are in the sample's order, so that
 * they do not depend on the threads. */
#include "pack/scans/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The size with --full=scans hardly varies, so a few photographs are enough. */
#define SCANS_BYTES_PHOTOS 24

struct drawn {
    struct lod_measure *m;
    const unsigned *chosen;
};

int lod_measure_init(struct lod_measure *m)
{
    const size_t count = m->sample->count + 1u;

    m->curves = calloc(count, sizeof(m->curves[0]));
    m->fit = calloc(count, sizeof(m->fit[0]));
    m->drawn = calloc(count, sizeof(m->drawn[0]));
    m->drawn_fit = calloc(count, sizeof(m->drawn_fit[0]));
    m->scans_bytes = calloc(count, sizeof(m->scans_bytes[0]));
    return m->curves && m->fit && m->drawn && m->drawn_fit && m->scans_bytes ? 0 : -ENOMEM;
}

void lod_measure_finish(struct lod_measure *m)
{
    free(m->curves);
    free(m->fit);
    free(m->drawn);
    free(m->drawn_fit);
    free(m->scans_bytes);
}

static int open_photo(const struct lod_measure *m, uint64_t index, uint32_t side,
                      struct lod_curve_source **ret_source)
{
    unsigned class = 0;

    return lod_curve_source_create(lod_buf_span(&m->sample->photos[index].file), side, &class,
                                   ret_source);
}

static void count_one(const struct lod_measure *m)
{
    if (m->run->progress) {
        lod_progress_add(m->run->progress, 1, 0, 0);
    }
}

static int measure_choosing(void *ctx, uint64_t index)
{
    struct lod_measure *m = ctx;
    struct lod_curve_source *source = NULL;

    count_one(m);
    if (!m->sample->photos[index].choosing) {
        return 0;
    }
    int error = open_photo(m, index, LOD_CURVE_SIDE_CHOOSING, &source);
    for (unsigned i = 0; i < m->count && !error; i++) {
        error = lod_cancel_poll(m->run->stop);
        error =
            error ? error : lod_curve_measure(source, m->scripts[i], m->top, &m->curves[index][i]);
    }
    m->fit[index] = !error;
    lod_curve_source_destroy(source);
    return error == -ENOTSUP ? 0 : error;
}

static int measure_drawn(void *ctx, uint64_t index)
{
    const struct drawn *drawn = ctx;
    struct lod_measure *m = drawn->m;
    const struct lod_sample_photo *photo = &m->sample->photos[index];
    const struct lod_script *script = m->scripts[drawn->chosen[photo->class]];
    struct lod_curve_source *source = NULL;

    count_one(m);
    int error = lod_cancel_poll(m->run->stop);
    if (error || !photo->drawn) {
        return error;
    }
    error = open_photo(m, index, LOD_CURVE_SIDE, &source);
    if (!error) {
        error = lod_curve_measure(source, script, m->top, &m->drawn[index]);
        m->drawn_fit[index] = !error;
    }
    if (!error && m->top && index < SCANS_BYTES_PHOTOS) {
        error = lod_curve_scans_bytes(source, script, &m->scans_bytes[index]);
    }
    lod_curve_source_destroy(source);
    return error == -ENOTSUP ? 0 : error;
}

static int32_t rounded(double share)
{
    return (int32_t)lround(share * LOD_CHOOSE_UNIT);
}

struct sums {
    double bytes[LOD_SCRIPT_GROUPS], mssim[LOD_SCRIPT_GROUPS], decode[LOD_SCRIPT_GROUPS];
    unsigned count;
};

static void add(struct sums *sums, const struct lod_curve *curve)
{
    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
        sums->bytes[k] += curve->bytes[k] / curve->source_bytes;
        sums->mssim[k] += curve->mssim[k];
        sums->decode[k] += curve->decode[k];
    }
    sums->count++;
}

static void divide(const struct sums *sums, struct lod_mean_curve *ret_mean)
{
    for (unsigned k = 0; k < LOD_SCRIPT_GROUPS; k++) {
        ret_mean->bytes[k] = rounded(sums->bytes[k] / sums->count);
        ret_mean->mssim[k] = rounded(sums->mssim[k] / sums->count);
        ret_mean->decode[k] = rounded(sums->decode[k] / sums->count);
    }
}

static void mean_choosing(struct lod_measure *m, unsigned class, unsigned script)
{
    struct sums sums = {.count = 0};

    for (unsigned i = 0; i < m->sample->count; i++) {
        if (m->fit[i] && (class == LOD_MEASURE_ALL || m->sample->photos[i].class == class)) {
            add(&sums, &m->curves[i][script]);
        }
    }
    divide(&sums, &m->means[class][script]);
}

bool lod_measure_drawn_mean(const struct lod_measure *m, unsigned class,
                            struct lod_mean_curve *ret_mean)
{
    struct sums sums = {.count = 0};

    for (unsigned i = 0; i < m->sample->count; i++) {
        if (m->drawn_fit[i] && m->sample->photos[i].class == class) {
            add(&sums, &m->drawn[i]);
        }
    }
    if (sums.count < LOD_SAMPLE_CLASS_MIN) {
        return false;
    }
    divide(&sums, ret_mean);
    return true;
}

int lod_measure_choosing(struct lod_measure *m)
{
    int error = lod_pool_each(m->run->pool, m->sample->count, measure_choosing, m);

    for (unsigned i = 0; i < m->sample->count && !error; i++) {
        m->photos[m->sample->photos[i].class] += m->fit[i];
        m->photos[LOD_MEASURE_ALL] += m->fit[i];
    }
    for (unsigned class = 0; class <= LOD_MEASURE_ALL && !error; class ++) {
        for (unsigned i = 0; i < m->count && m->photos[class]; i++) {
            mean_choosing(m, class, i);
        }
    }
    return error;
}

int lod_measure_drawn(struct lod_measure *m, const unsigned chosen[LOD_QUANT_CLASSES])
{
    struct drawn drawn = {.m = m, .chosen = chosen};

    return lod_pool_each(m->run->pool, m->sample->count, measure_drawn, &drawn);
}
