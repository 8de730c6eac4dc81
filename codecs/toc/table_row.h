/* SPDX-License-Identifier: Apache-2.0 */
/* The ITEM rows of a table and of a shard, column toc of FORMAT.md, ITEM. */
#ifndef LOD_TABLE_ROW_H
#define LOD_TABLE_ROW_H

/* Both. */
#define LOD_TABLE_ROW_DTYPE 1
#define LOD_TABLE_ROW_BYTES 8 /* u64: of the .npy, of the shard */

/* A table. */
#define LOD_TABLE_ROW_ROWS       16 /* u64 */
#define LOD_TABLE_ROW_COLUMNS    24
#define LOD_TABLE_ROW_SHARD_ROWS 28
#define LOD_TABLE_ROW_HEADER     32 /* bytes of group 1 */
#define LOD_TABLE_ROW_SHARDS     36
#define LOD_TABLE_ROW_UNIT_ROWS  40
#define LOD_TABLE_ROW_END        44

/* A shard, flag SHARD. */
#define LOD_SHARD_ROW_FIRST  16 /* u64: its first row, of the table's */
#define LOD_SHARD_ROW_ROWS   24
#define LOD_SHARD_ROW_NUMBER 28 /* in its table, from 0 */
#define LOD_SHARD_ROW_END    32

#endif
