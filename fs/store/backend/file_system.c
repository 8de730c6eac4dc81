/* SPDX-License-Identifier: Apache-2.0 */
/* See file_system.h. */
#include "backend/file_system.h"

#include <linux/magic.h>
#include <stdint.h>
#include <sys/vfs.h>

static const uint32_t network_types[] = {
    NFS_SUPER_MAGIC, CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC, CEPH_SUPER_MAGIC,
    V9FS_MAGIC,      FUSE_SUPER_MAGIC, AFS_SUPER_MAGIC,  0x0bd00bd0, /* Lustre */
    0x47504653,                                                      /* GPFS */
    0x19830326,                                                      /* BeeGFS */
};

bool lod_file_system_is_network(int fd)
{
    struct statfs on;

    if (fstatfs(fd, &on)) {
        return false;
    }
    for (unsigned i = 0; i < sizeof(network_types) / sizeof(network_types[0]); i++) {
        if ((uint32_t)on.f_type == network_types[i]) {
            return true;
        }
    }
    return false;
}
