/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers from an index row that predict a photograph's likeness at low fidelities: the bytes a
 * pixel of its source and of its first groups. They are known of every photograph of a store. So
 * the mean of a sample can be corrected by how the sample differs from the store.
 */
#ifndef LOD_PHOTO_FEATURES_H
#define LOD_PHOTO_FEATURES_H

#include <stdbool.h>

#include "codec.h"

#define LOD_PHOTO_FEATURES 6

/* Returns false if the row is WHOLE, and so has no groups. */
bool lod_photo_features(const uint8_t row[LOD_ROW_BYTES], double ret_features[LOD_PHOTO_FEATURES]);

#endif
