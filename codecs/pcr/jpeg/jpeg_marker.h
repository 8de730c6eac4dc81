/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of the JPEG markers that are used here: the byte after 0xff. ITU-T T.81, table B.1. */
#ifndef LOD_JPEG_MARKER_H
#define LOD_JPEG_MARKER_H

enum lod_jpeg_marker {
    LOD_MARKER_TEM = 0x01,
    LOD_MARKER_SOF0 = 0xc0, /* baseline */
    LOD_MARKER_SOF2 = 0xc2, /* progressive; 0xc1 is extended sequential */
    LOD_MARKER_DHT = 0xc4,
    LOD_MARKER_JPG = 0xc8,
    LOD_MARKER_DAC = 0xcc,
    LOD_MARKER_SOF15 = 0xcf,
    LOD_MARKER_RST0 = 0xd0,
    LOD_MARKER_RST7 = 0xd7,
    LOD_MARKER_SOI = 0xd8,
    LOD_MARKER_EOI = 0xd9,
    LOD_MARKER_SOS = 0xda,
    LOD_MARKER_DQT = 0xdb,
    LOD_MARKER_DNL = 0xdc,
    LOD_MARKER_DRI = 0xdd,
    LOD_MARKER_DHP = 0xde,
    LOD_MARKER_EXP = 0xdf,
    LOD_MARKER_APP0 = 0xe0,
    LOD_MARKER_APP1 = 0xe1,
    LOD_MARKER_APP2 = 0xe2,
    LOD_MARKER_APP14 = 0xee,
    LOD_MARKER_APP15 = 0xef,
    LOD_MARKER_COM = 0xfe,
};

#endif
