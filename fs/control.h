/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a mount changes while it runs: the fidelity that `auto` means, and counters. Any thread,
 * no locks. How the kernel is told of a switch is fuse/notify.h's; how it is shown
 * control_text.h's.
 */
#ifndef LOD_CONTROL_H
#define LOD_CONTROL_H

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/types.h>

#include "codec.h"
#include "compiler.h"
#include "dataset.h"
#include "durations.h"
#include "reader.h"

/* The longest name that `auto` can lead to: its st_size at all times, see ARCHITECTURE.md. */
#define LOD_AUTO_BYTES 4

/* Of the whole text of `lodfs stats`, and so of what an ioctl carries: 14 bits of size at most. */
#define LOD_STATS_BYTES 8192

struct lod_ioc_stats {
    char json[LOD_STATS_BYTES]; /* NUL-terminated */
};

/* On the mount's root folder, for everybody: the store behind it, NUL-terminated. */
struct lod_ioc_store {
    char location[PATH_MAX];
};
#define LOD_IOC_STORE _IOR('L', 4, struct lod_ioc_store)

/* On MOUNT/.lodfs/control; for root and who mounted, else EPERM. EINVAL: `auto` cannot be that. */
#define LOD_IOC_SET_AUTO _IOW('L', 2, uint32_t) /* enum lod_fidelity; back once all see it */
#define LOD_IOC_STATS    _IOR('L', 3, struct lod_ioc_stats)

/* Kinds of requests that are counted. */
enum lod_request {
    LOD_REQUEST_LOOKUP,
    LOD_REQUEST_GETATTR,
    LOD_REQUEST_READLINK,
    LOD_REQUEST_OPEN,
    LOD_REQUEST_READ,
    LOD_REQUEST_READDIR,
    LOD_REQUEST_READDIRPLUS,
    LOD_REQUEST_STATFS,
    LOD_REQUEST_XATTR,
    LOD_REQUEST_IOCTL,
    LOD_REQUESTS,
};

_Static_assert(LOD_REQUESTS <= LOD_DURATION_KINDS, "a histogram each");

/* "lookup", "getattr", .. */
const char *lod_request_name(enum lod_request request);

struct lod_fuse_options;

/* How it was mounted; does not change. Strings are borrowed. */
struct lod_control_facts {
    const char *store, *mountpoint;
    uid_t mounter;
    enum lod_fidelity first; /* of `auto` */
    uint64_t threads;
    int64_t began;                          /* seconds since 1970 */
    const struct lod_fuse_options *options; /* borrowed; NULL: of no mount */
};

struct lod_control {
    struct lod_control_facts facts;
    struct lod_dataset *dataset; /* borrowed */
    struct lod_reader *reader;   /* borrowed */
    atomic_uint automatic;       /* enum lod_fidelity */
    atomic_ullong switches;
    atomic_ullong requests[LOD_REQUESTS];
    atomic_ullong read_bytes[LOD_ORIGINAL + 1]; /* handed to the kernel, by fidelity */
    struct lod_durations durations;             /* kinds are enum lod_request */
};

void lod_control_init(struct lod_control *control, const struct lod_control_facts *facts,
                      struct lod_dataset *dataset, struct lod_reader *reader);

/* May `auto` lead there? Every view has it: q1 .. q10, full. */
bool lod_control_may_be(unsigned fidelity);

enum lod_fidelity lod_control_auto(const struct lod_control *control);

/* -EINVAL: it cannot be that. Links that the kernel keeps are not yet what they were. */
LOD_MUST_CHECK int lod_control_switch(struct lod_control *control, unsigned fidelity);

static inline void lod_control_count(struct lod_control *control, enum lod_request request)
{
    atomic_fetch_add_explicit(&control->requests[request], 1, memory_order_relaxed);
}

static inline void lod_control_count_read(struct lod_control *control, enum lod_fidelity fidelity,
                                          uint64_t bytes)
{
    atomic_fetch_add_explicit(&control->read_bytes[fidelity], bytes, memory_order_relaxed);
}

#endif
