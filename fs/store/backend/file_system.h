/* SPDX-License-Identifier: Apache-2.0 */
/* The kind of a file system, from statfs(2). */
#ifndef LOD_FILE_SYSTEM_H
#define LOD_FILE_SYSTEM_H

#include <stdbool.h>

/* Returns whether the file is behind a network, or FUSE, which usually is sshfs, JuiceFS and the
 * like. */
bool lod_file_system_is_network(int fd);

/* Returns whether the file only shows what the kernel knows, such as /proc and /sys. */
bool lod_file_system_is_kernel(int fd);

#endif
