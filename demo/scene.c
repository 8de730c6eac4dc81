/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paints scenes. Each kind paints back to front from a few fractal planes. `develop` then does the
 * work of a lens and a sensor: vignette, blur, grain.
 */
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLANES 6

struct rgb {
    float r, g, b;
};

struct easel {
    struct picture *picture;
    struct dice *dice;
    float *plane[PLANES];
    float short_side;
};

static float clamp(float v)
{
    return fminf(fmaxf(v, 0), 1);
}

static float step(float from, float to, float v)
{
    float t = clamp((v - from) / (to - from));
    return t * t * (3 - 2 * t);
}

static struct rgb mix(struct rgb a, struct rgb b, float t)
{
    return (struct rgb){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

static struct rgb scale(struct rgb c, float by)
{
    return (struct rgb){c.r * by, c.g * by, c.b * by};
}

static struct rgb tint(struct dice *d, struct rgb c, float spread)
{
    return (struct rgb){clamp(c.r + dice_between(d, -spread, spread)),
                        clamp(c.g + dice_between(d, -spread, spread)),
                        clamp(c.b + dice_between(d, -spread, spread))};
}

static float *pixel(const struct easel *e, unsigned x, unsigned y)
{
    return e->picture->rgb + ((size_t)y * e->picture->w + x) * 3;
}

static void put(const struct easel *e, unsigned x, unsigned y, struct rgb c)
{
    memcpy(pixel(e, x, y), &c, sizeof(c));
}

static struct rgb get(const struct easel *e, unsigned x, unsigned y)
{
    struct rgb c;
    memcpy(&c, pixel(e, x, y), sizeof(c));
    return c;
}

static float at(const struct easel *e, unsigned plane, unsigned x, unsigned y)
{
    return e->plane[plane][(size_t)y * e->picture->w + x];
}

static void paint_sky(const struct easel *e, float cover)
{
    struct rgb high = tint(e->dice, (struct rgb){.22f, .42f, .75f}, .08f);
    struct rgb low = tint(e->dice, (struct rgb){.78f, .84f, .9f}, .08f);
    struct rgb cloud = tint(e->dice, (struct rgb){.93f, .93f, .94f}, .04f);
    for (unsigned y = 0; y < e->picture->h; y++) {
        for (unsigned x = 0; x < e->picture->w; x++) {
            float depth = (float)y / (float)e->picture->h;
            float thick = step(1 - cover, 1.2f - cover, at(e, 0, x, y));
            float shade = .75f + .3f * at(e, 1, x, y);
            put(e, x, y, mix(mix(high, low, depth), scale(cloud, shade), thick));
        }
    }
}

/* The pixels within `reach` of a point, clipped to the picture. */
struct box {
    unsigned left, top, right, bottom;
};

static struct box around(const struct easel *e, float cx, float cy, float reach)
{
    float w = (float)e->picture->w, h = (float)e->picture->h;
    return (struct box){
        (unsigned)fminf(fmaxf(cx - reach, 0), w), (unsigned)fminf(fmaxf(cy - reach, 0), h),
        (unsigned)fminf(fmaxf(cx + reach, 0), w), (unsigned)fminf(fmaxf(cy + reach, 0), h)};
}

static void paint_clouds(const struct easel *e)
{
    paint_sky(e, dice_between(e->dice, .45f, .75f));
}

/* Paints ridges one behind the other, paler with distance, with a wooded texture. */
static void paint_hills(const struct easel *e)
{
    paint_sky(e, dice_between(e->dice, .2f, .5f));
    unsigned layers = 3 + dice_below(e->dice, 3);
    struct rgb near = tint(e->dice, (struct rgb){.16f, .26f, .1f}, .07f);
    struct rgb haze = tint(e->dice, (struct rgb){.6f, .68f, .78f}, .05f);
    for (unsigned l = 0; l < layers; l++) {
        float front = (float)(l + 1) / (float)layers;
        unsigned row = dice_below(e->dice, e->picture->h);
        for (unsigned x = 0; x < e->picture->w; x++) {
            float ridge = .3f + .45f * front + .5f * (at(e, 2 + l % 2, x, row) - .5f);
            for (unsigned y = (unsigned)(fmaxf(ridge, 0) * (float)e->picture->h); y < e->picture->h;
                 y++) {
                float wood = .5f + at(e, 4, x, y) * .6f + 1.2f * (at(e, 5, x, y) - .5f) * front;
                put(e, x, y, mix(haze, scale(near, wood * 1.4f), .25f + .75f * front));
            }
        }
    }
}

static void paint_coast(const struct easel *e)
{
    paint_sky(e, dice_between(e->dice, .2f, .6f));
    float horizon = dice_between(e->dice, .3f, .5f), beach = dice_between(e->dice, .65f, .85f);
    struct rgb sea = tint(e->dice, (struct rgb){.1f, .33f, .42f}, .08f);
    struct rgb sand = tint(e->dice, (struct rgb){.72f, .62f, .47f}, .06f);
    for (unsigned y = (unsigned)(horizon * (float)e->picture->h); y < e->picture->h; y++) {
        for (unsigned x = 0; x < e->picture->w; x++) {
            float down = (float)y / (float)e->picture->h, wave = at(e, 3, x, y);
            float shore = beach + .12f * (at(e, 2, x, y) - .5f);
            struct rgb water = scale(sea, .6f + 1.1f * wave * (down - horizon + .4f));
            water = mix(water, (struct rgb){.95f, .96f, .97f}, step(.68f, .8f, wave) * .7f);
            float foam = 1 - clamp(fabsf(down - shore) * 40);
            struct rgb grains = scale(sand, .8f + .4f * at(e, 5, x, y));
            struct rgb c = mix(water, grains, step(shore - .01f, shore + .01f, down));
            put(e, x, y, mix(c, (struct rgb){.96f, .97f, .97f}, foam * at(e, 4, x, y)));
        }
    }
}

/* Paints a ball lit from the upper left, and its shadow on the ground. */
static void paint_ball(const struct easel *e, float cx, float cy, float radius, struct rgb colour)
{
    struct rgb speck = tint(e->dice, scale(colour, .7f), .08f);
    struct box box = around(e, cx, cy, radius * 2.5f);
    for (unsigned y = box.top; y < box.bottom; y++) {
        for (unsigned x = box.left; x < box.right; x++) {
            float dx = ((float)x - cx) / radius, dy = ((float)y - cy) / radius;
            float d = dx * dx + dy * dy, sx = dx - .45f, sy = (dy - .8f) * 2.2f;
            if (d > 6) {
                continue;
            }
            struct rgb c = scale(get(e, x, y), 1 - .45f * expf(-(sx * sx + sy * sy)));
            float up = sqrtf(fmaxf(1 - d, 0));
            float light = .18f + .85f * fmaxf(-.5f * dx - .55f * dy + .67f * up, 0);
            float gloss = powf(fmaxf(-.42f * dx - .5f * dy + .75f * up, 0), 40);
            struct rgb skin = mix(colour, speck, step(.5f, .7f, at(e, 5, x, y)));
            skin = mix(scale(skin, light), (struct rgb){1, 1, 1}, .6f * gloss);
            put(e, x, y, mix(c, skin, step(1, 1 - 4 / radius, d)));
        }
    }
}

static void paint_fruit(const struct easel *e)
{
    static const struct rgb colours[] = {{.75f, .12f, .1f},
                                         {.9f, .5f, .08f},
                                         {.45f, .62f, .12f},
                                         {.85f, .75f, .2f},
                                         {.35f, .1f, .3f}};
    struct rgb wood = tint(e->dice, (struct rgb){.5f, .34f, .2f}, .1f);
    struct rgb wall = tint(e->dice, (struct rgb){.7f, .68f, .62f}, .15f);
    float edge = dice_between(e->dice, .2f, .45f);
    for (unsigned y = 0; y < e->picture->h; y++) {
        for (unsigned x = 0; x < e->picture->w; x++) {
            float down = (float)y / (float)e->picture->h;
            struct rgb back = scale(wall, .7f + .3f * at(e, 0, x, y));
            struct rgb table = scale(wood, .6f + .8f * at(e, 3, x, y));
            put(e, x, y, mix(back, table, step(edge, edge + .02f, down)));
        }
    }
    unsigned count = 3 + dice_below(e->dice, 5);
    for (unsigned i = 0; i < count; i++) {
        float row = (float)i / (float)count;
        paint_ball(e, dice_between(e->dice, .1f, .9f) * (float)e->picture->w,
                   (edge + .1f + (.8f - edge) * row) * (float)e->picture->h,
                   dice_between(e->dice, .12f, .2f) * e->short_side,
                   tint(e->dice, colours[dice_below(e->dice, 5)], .06f));
    }
}

static void paint_flower(const struct easel *e, float cx, float cy, float radius, struct rgb colour)
{
    float petals = (float)(5 + dice_below(e->dice, 8)), turn = dice_between(e->dice, 0, 6);
    struct box box = around(e, cx, cy, radius * 1.1f);
    for (unsigned y = box.top; y < box.bottom; y++) {
        for (unsigned x = box.left; x < box.right; x++) {
            float dx = ((float)x - cx) / radius, dy = ((float)y - cy) / radius;
            float d = sqrtf(dx * dx + dy * dy);
            if (d > 1.1f) {
                continue;
            }
            float wave = cosf(atan2f(dy, dx) * petals + turn);
            float reach = .72f + .25f * wave + .1f * (at(e, 4, x, y) - .5f);
            struct rgb petal = scale(colour, (.55f + .5f * d) * (.85f + .15f * wave));
            petal = scale(petal, .8f + .4f * at(e, 3, x, y));
            struct rgb heart = scale((struct rgb){.8f, .6f, .1f}, .5f + .8f * at(e, 5, x, y));
            petal = mix(heart, petal, step(.18f, .24f, d));
            put(e, x, y, mix(get(e, x, y), petal, step(reach, reach - .05f, d)));
        }
    }
}

static void paint_leaves(const struct easel *e)
{
    struct rgb dark = tint(e->dice, (struct rgb){.04f, .1f, .03f}, .03f);
    struct rgb bright = tint(e->dice, (struct rgb){.38f, .52f, .16f}, .1f);
    for (unsigned y = 0; y < e->picture->h; y++) {
        for (unsigned x = 0; x < e->picture->w; x++) {
            float leaf = fabsf(at(e, 2, x, y) - .5f) * 3 + (at(e, 5, x, y) - .5f) * 1.6f;
            put(e, x, y, mix(dark, bright, clamp(leaf * (.4f + at(e, 0, x, y)))));
        }
    }
}

static void paint_flowers(const struct easel *e)
{
    static const struct rgb colours[] = {
        {.85f, .2f, .35f}, {.92f, .9f, .85f}, {.9f, .75f, .15f}, {.5f, .3f, .75f}};
    paint_leaves(e);
    unsigned count = 4 + dice_below(e->dice, 10);
    for (unsigned i = 0; i < count; i++) {
        paint_flower(e, dice_unit(e->dice) * (float)e->picture->w,
                     dice_unit(e->dice) * (float)e->picture->h,
                     dice_between(e->dice, .06f, .2f) * e->short_side,
                     tint(e->dice, colours[dice_below(e->dice, 4)], .08f));
    }
}

static void paint_woods(const struct easel *e)
{
    paint_leaves(e);
    unsigned count = 4 + dice_below(e->dice, 7);
    for (unsigned i = 0; i < count; i++) {
        float centre = dice_unit(e->dice) * (float)e->picture->w;
        float half = dice_between(e->dice, .015f, .06f) * e->short_side;
        struct rgb bark = tint(e->dice, (struct rgb){.3f, .24f, .18f}, .06f);
        for (unsigned y = 0; y < e->picture->h; y++) {
            float lean = centre + (at(e, 1, (unsigned)centre, y) - .5f) * half * 3;
            struct box box = around(e, lean, 0, half);
            for (unsigned x = box.left; x < box.right; x++) {
                float across = ((float)x - lean) / half;
                if (fabsf(across) < 1) {
                    float round = .35f + .8f * sqrtf(1 - across * across) * (.7f - .3f * across);
                    put(e, x, y, scale(bark, round * (.5f + at(e, 4, x, y))));
                }
            }
        }
    }
}

/* Paints cells around jittered points, each a rounded stone, with dark gaps between them. */
static void paint_pebbles(const struct easel *e)
{
    float cell = e->short_side * dice_between(e->dice, .06f, .16f);
    struct dice fixed = *e->dice;
    for (unsigned y = 0; y < e->picture->h; y++) {
        for (unsigned x = 0; x < e->picture->w; x++) {
            float u = (float)x / cell + at(e, 2, x, y), v = (float)y / cell + at(e, 3, x, y);
            float first = 9, second = 9, tone = 0, warm = 0, lx = 0;
            for (int k = 0; k < 9; k++) {
                float ci = floorf(u) + (float)(k % 3 - 1), cj = floorf(v) + (float)(k / 3 - 1);
                struct dice d = {fixed.state ^ (uint64_t)((ci + 99) * 4099 + (cj + 99) * 131)};
                float px = ci + dice_unit(&d) - u, py = cj + dice_unit(&d) - v;
                float distance = sqrtf(px * px + py * py);
                if (distance < first) {
                    second = first, first = distance, lx = px + py;
                    tone = dice_between(&d, .25f, .85f), warm = dice_between(&d, -.08f, .12f);
                } else if (distance < second) {
                    second = distance;
                }
            }
            float body = step(0, .35f, second - first) * (.75f + .35f * lx);
            float grain = .75f + .5f * at(e, 5, x, y);
            struct rgb c = {tone + warm, tone + warm * .4f, tone - warm * .6f};
            put(e, x, y, scale(c, (.08f + body) * grain));
        }
    }
}

static void paint_street(const struct easel *e)
{
    paint_sky(e, .4f);
    unsigned houses = 2 + dice_below(e->dice, 4);
    for (unsigned i = 0; i < houses; i++) {
        unsigned from = e->picture->w * i / houses, to = e->picture->w * (i + 1) / houses;
        struct rgb wall = tint(e->dice, (struct rgb){.58f, .48f, .4f}, .2f);
        float top = dice_between(e->dice, .05f, .45f) * (float)e->picture->h;
        float pitch = dice_between(e->dice, .09f, .16f) * e->short_side;
        for (unsigned y = (unsigned)top; y < e->picture->h; y++) {
            for (unsigned x = from; x < to; x++) {
                float wx = fmodf((float)(x - from) + pitch * .2f, pitch) / pitch;
                float wy = fmodf(((float)y - top) * .7f, pitch) / pitch;
                float brick = fmodf((float)y, 7) < 1 ? .85f : 1;
                struct rgb c = scale(wall, brick * (.7f + .5f * at(e, 4, x, y)));
                if (wx > .3f && wx < .75f && wy > .3f && wy < .85f) {
                    c = scale((struct rgb){.3f, .36f, .42f}, .4f + 1.2f * at(e, 1, x, y));
                } else if (wx > .26f && wx < .79f && wy > .26f && wy < .9f) {
                    c = (struct rgb){.85f, .84f, .8f};
                }
                float ground = step(.82f, .83f, (float)y / (float)e->picture->h);
                put(e, x, y,
                    mix(c, scale((struct rgb){.3f, .3f, .31f}, .6f + at(e, 5, x, y)), ground));
            }
        }
    }
}

static const struct {
    const char *name;
    void (*paint)(const struct easel *e);
} kinds[SCENE_KINDS] = {
    {"clouds", paint_clouds}, {"coast", paint_coast}, {"flowers", paint_flowers},
    {"fruit", paint_fruit},   {"hills", paint_hills}, {"pebbles", paint_pebbles},
    {"street", paint_street}, {"woods", paint_woods},
};

const char *scene_name(unsigned kind)
{
    return kinds[kind % SCENE_KINDS].name;
}

/* Applies exposure, vignette, a little chroma drift and sensor noise. */
static void develop(const struct easel *e)
{
    float exposure = dice_between(e->dice, .8f, 1.15f), grain = dice_between(e->dice, .01f, .04f);
    float detail = dice_between(e->dice, .05f, .18f);
    for (unsigned y = 0; y < e->picture->h; y++) {
        for (unsigned x = 0; x < e->picture->w; x++) {
            float dx = (float)x / (float)e->picture->w - .5f;
            float dy = (float)y / (float)e->picture->h - .5f;
            float light = exposure * (1 - .5f * (dx * dx + dy * dy));
            light *= 1 + detail * (at(e, 5, x, y) - .5f);
            float *c = pixel(e, x, y);
            float noise = grain * (dice_unit(e->dice) + dice_unit(e->dice) - 1);
            for (unsigned k = 0; k < 3; k++) { /* cameras remove most of the noise's colour */
                float own = .15f * grain * (dice_unit(e->dice) - .5f);
                c[k] = clamp(c[k] * light + noise + own);
            }
        }
    }
}

int scene_paint(unsigned kind, unsigned w, unsigned h, struct dice *dice, struct picture *ret)
{
    struct picture picture = {.w = w, .h = h, .rgb = calloc((size_t)w * h * 3, sizeof(float))};
    struct easel e = {.picture = &picture, .dice = dice, .short_side = (float)(w < h ? w : h)};
    /* clouds, shade, broad, streaked, bark-like, fine */
    static const struct {
        float grain, stretch, gain;
    } planes[PLANES] = {{.5f, 1.6f, .58f}, {.3f, 1, .5f},   {.12f, 1, .65f},
                        {.06f, 4, .7f},    {.1f, .4f, .7f}, {.02f, 1, 1.1f}};
    int rc = picture.rgb ? 0 : -1;
    for (unsigned i = 0; i < PLANES && rc == 0; i++) {
        e.plane[i] = noise_plane(w, h, fmaxf(planes[i].grain * e.short_side, 2), planes[i].stretch,
                                 planes[i].gain, dice);
        rc = e.plane[i] ? 0 : -1;
    }
    if (rc == 0) {
        kinds[kind % SCENE_KINDS].paint(&e);
        develop(&e);
        *ret = picture;
    } else {
        free(picture.rgb);
    }
    for (unsigned i = 0; i < PLANES; i++) {
        free(e.plane[i]);
    }
    return rc;
}
