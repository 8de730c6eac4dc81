/* SPDX-License-Identifier: Apache-2.0 */
/* What lodfs pack --help says of its options; pack_arguments.c parses them. */
#ifndef LOD_PACK_HELP_H
#define LOD_PACK_HELP_H

extern const char lod_pack_help[];

#endif
