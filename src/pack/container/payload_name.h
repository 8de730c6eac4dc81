/* SPDX-License-Identifier: Apache-2.0 */
/* Names for members of containers that have none: a number, and an ending by content. */
#ifndef LOD_PAYLOAD_NAME_H
#define LOD_PAYLOAD_NAME_H

#include <stddef.h>
#include <stdint.h>

#define LOD_PAYLOAD_HEAD 12u /* bytes of a file that decide its ending */

/* Returns the ending of an image by its first bytes, such as ".jpg"; "" for other content. */
const char *lod_payload_ending(const uint8_t *head, size_t bytes);

/* Returns the bytes of a path up to its last slash, with that. */
size_t lod_payload_folder(const char *path, size_t bytes);

/* Returns the bytes of a path before its ending; all of it if its last name has none. */
size_t lod_payload_stem(const char *path, size_t bytes);

#endif
