/* SPDX-License-Identifier: Apache-2.0 */
/* See file_system.h. */
#include "backend/file_system.h"

#include <linux/magic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/vfs.h>

static const uint32_t network_types[] = {
    NFS_SUPER_MAGIC, CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC, CEPH_SUPER_MAGIC,
    V9FS_MAGIC,      FUSE_SUPER_MAGIC, AFS_SUPER_MAGIC,  0x0bd00bd0, /* Lustre */
    0x47504653,                                                      /* GPFS */
    0x19830326,                                                      /* BeeGFS */
};

static const uint32_t kernel_types[] = {
    PROC_SUPER_MAGIC,    SYSFS_MAGIC,   CGROUP_SUPER_MAGIC,
    CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC,
};

static bool is_one_of(int fd, const uint32_t *types, size_t count)
{
    struct statfs on;

    if (fstatfs(fd, &on)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if ((uint32_t)on.f_type == types[i]) {
            return true;
        }
    }
    return false;
}

bool lod_file_system_is_network(int fd)
{
    return is_one_of(fd, network_types, sizeof(network_types) / sizeof(network_types[0]));
}

bool lod_file_system_is_kernel(int fd)
{
    return is_one_of(fd, kernel_types, sizeof(kernel_types) / sizeof(kernel_types[0]));
}
