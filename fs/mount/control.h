/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The changing state of a mount: the fidelity of `auto`, and counters. Any thread, no locks.
 * fuse/notify.h notifies the kernel of a switch; control_text.h writes the text.
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
#include "dataset/dataset.h"
#include "mount/ahead_request.h"
#include "durations.h"
#include "read/reader.h"

/* The longest target of `auto`, which is its st_size at all times; see ARCHITECTURE.md. */
#define LOD_AUTO_BYTES 4

/*
 * Permissions: counters are for all who may use the mount, through its files (control_files.h). The
 * location of the store and changes of the mount are for root and the mounter.
 */

/* On the mount's root folder: returns the daemon's process id, as an int. */
#define LOD_IOC_PID _IOR('L', 1, int)

/* On the mount's root folder: returns the location of the store. EPERM for users other than root
 * and the mounter. */
struct lod_ioc_store {
    char location[PATH_MAX]; /* NUL-terminated */
};
#define LOD_IOC_STORE _IOR('L', 4, struct lod_ioc_store)

/* On MOUNT/.lodfs/control, for root and the mounter: switches `auto`. The argument is an
 * enum lod_fidelity. Returns when every later open sees it. EINVAL if `auto` cannot have
 * that fidelity. */
#define LOD_IOC_SET_AUTO _IOW('L', 2, uint32_t)

/* On MOUNT/.lodfs/control, for root and the mounter: announces the records that a job will read
 * (ahead_request.h). The answer takes the place of the request. */
#define LOD_IOC_AHEAD _IOC(_IOC_READ | _IOC_WRITE, 'L', 5, LOD_AHEAD_BYTES)

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

/* Returns "lookup", "getattr", .. */
const char *lod_request_name(enum lod_request request);

struct lod_fuse_options;

/* Constant facts about the mount. Strings are borrowed. */
struct lod_control_facts {
    const char *store, *mountpoint;
    uid_t mounter;
    enum lod_fidelity first;                /* of `auto` */
    int64_t began;                          /* seconds since 1970 */
    uint64_t began_ns;                      /* the same moment of lod_clock_ns() */
    const struct lod_fuse_options *options; /* borrowed; NULL without a mount */
};

struct lod_control {
    struct lod_control_facts facts;
    struct lod_dataset *dataset; /* borrowed */
    struct lod_reader *reader;   /* borrowed */
    atomic_uint automatic;       /* enum lod_fidelity */
    atomic_ullong switches;
    atomic_ullong requests[LOD_REQUESTS];
    atomic_ullong read_bytes[LOD_ORIGINAL + 1]; /* sent to the kernel, for each fidelity */
    atomic_ullong format_bytes[LOD_FORMATS];    /* the same for each format */
    atomic_ullong format_reads[LOD_FORMATS];    /* requests that were answered with them */
    struct lod_durations durations;             /* kinds are enum lod_request */
};

void lod_control_init(struct lod_control *control, const struct lod_control_facts *facts,
                      struct lod_dataset *dataset, struct lod_reader *reader);

/* Returns whether `auto` can have this fidelity: q1 .. q10 or full, which every view has. */
bool lod_control_may_be(unsigned fidelity);

enum lod_fidelity lod_control_auto(const struct lod_control *control);

/* Sets the fidelity of `auto`. Returns -EINVAL if `auto` cannot have it. Links that the kernel
 * caches are not changed. */
LOD_MUST_CHECK int lod_control_switch(struct lod_control *control, unsigned fidelity);

static inline void lod_control_count(struct lod_control *control, enum lod_request request)
{
    atomic_fetch_add_explicit(&control->requests[request], 1, memory_order_relaxed);
}

static inline void lod_control_count_read(struct lod_control *control, enum lod_format format,
                                          enum lod_fidelity fidelity, uint64_t bytes)
{
    atomic_fetch_add_explicit(&control->read_bytes[fidelity], bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&control->format_bytes[format], bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&control->format_reads[format], 1, memory_order_relaxed);
}

/* Returns the name of the index-th view's format, and the format: "tree", "tar", .. NULL past the
 * last one. */
const char *lod_control_format(unsigned index, enum lod_format *ret_format);

#endif
