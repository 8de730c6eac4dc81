/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invented photographs of eight kinds: skies, water, foliage, fruit, walls, ... Their gradients,
 * edges, textures and noise make JPEG coders behave as on real ones.
 */
#ifndef LOD_DEMO_SCENE_H
#define LOD_DEMO_SCENE_H

#include "noise.h"

struct picture {
    unsigned w, h;
    float *rgb; /* w * h * 3, linear-ish 0 .. 1 */
};

#define SCENE_KINDS 8

const char *scene_name(unsigned kind);

/*
 * Paints a scene of this kind into a picture of w x h. Returns -1 if memory is out. The caller
 * frees ret->rgb.
 */
int scene_paint(unsigned kind, unsigned w, unsigned h, struct dice *dice, struct picture *ret);

#endif
