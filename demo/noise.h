/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers and fractal planes for the demo's scenes. The same seed gives the same numbers.
 */
#ifndef LOD_DEMO_NOISE_H
#define LOD_DEMO_NOISE_H

#include <stdint.h>

struct dice {
    uint64_t state;
};

uint64_t dice_roll(struct dice *dice);
float dice_unit(struct dice *dice);                      /* 0 .. 1 */
float dice_between(struct dice *dice, float a, float b); /* a .. b */
unsigned dice_below(struct dice *dice, unsigned limit);  /* 0 .. limit - 1 */

/*
 * Returns a w x h plane of values 0 .. 1, a sum of octaves of smooth noise. The first octave has
 * features of `grain` pixels, stretched by `stretch` along x. Each further octave is half as large
 * and `gain` times as strong; .5 gives the 1/f amplitudes of natural scenes. Returns NULL if memory
 * is out. The caller frees it.
 */
float *noise_plane(unsigned w, unsigned h, float grain, float stretch, float gain,
                   struct dice *dice);

#endif
