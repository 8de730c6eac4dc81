/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets in the ITEM rows of a table and of a shard: FORMAT.md, ITEM, column toc. */
#ifndef LOD_TABLE_ROW_H
#define LOD_TABLE_ROW_H

/* In both. */
#define LOD_TABLE_ROW_DTYPE 1
#define LOD_TABLE_ROW_BYTES 8 /* u64: size of the .npy, or of the shard */

/* In a table. */
#define LOD_TABLE_ROW_ROWS       16 /* u64 */
#define LOD_TABLE_ROW_COLUMNS    24
#define LOD_TABLE_ROW_SHARD_ROWS 28
#define LOD_TABLE_ROW_HEADER     32 /* u32: bytes of group 1 */
#define LOD_TABLE_ROW_SHARDS     36
#define LOD_TABLE_ROW_UNIT_ROWS  40
#define LOD_TABLE_ROW_END        44

/* In a shard, which has the flag SHARD. */
#define LOD_SHARD_ROW_FIRST  16 /* u64: number of its first row in the table */
#define LOD_SHARD_ROW_ROWS   24
#define LOD_SHARD_ROW_NUMBER 28 /* u32: number of the shard in its table, from 0 */
#define LOD_SHARD_ROW_END    32

#endif
