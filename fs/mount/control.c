/* SPDX-License-Identifier: Apache-2.0 */
/* The fidelity of `auto`, and the counters of a mount; see control.h. */
#include "mount/control.h"

#include <errno.h>
#include <stdbool.h>

#include "views/view.h"

static const char *const request_names[LOD_REQUESTS] = {
    [LOD_REQUEST_LOOKUP] = "lookup",
    [LOD_REQUEST_GETATTR] = "getattr",
    [LOD_REQUEST_READLINK] = "readlink",
    [LOD_REQUEST_OPEN] = "open",
    [LOD_REQUEST_READ] = "read",
    [LOD_REQUEST_READDIR] = "readdir",
    [LOD_REQUEST_READDIRPLUS] = "readdirplus",
    [LOD_REQUEST_STATFS] = "statfs",
    [LOD_REQUEST_XATTR] = "xattr",
    [LOD_REQUEST_IOCTL] = "ioctl",
};

const char *lod_request_name(enum lod_request request)
{
    return request_names[request];
}

void lod_control_init(struct lod_control *control, const struct lod_control_facts *facts,
                      struct lod_dataset *dataset, struct lod_reader *reader)
{
    control->facts = *facts;
    control->dataset = dataset;
    control->reader = reader;
    atomic_init(&control->automatic, facts->first);
    atomic_init(&control->switches, 0);
    lod_durations_init(&control->durations);
    for (unsigned i = 0; i < LOD_REQUESTS; i++) {
        atomic_init(&control->requests[i], 0);
    }
    for (unsigned i = 0; i <= LOD_ORIGINAL; i++) {
        atomic_init(&control->read_bytes[i], 0);
    }
    for (unsigned i = 0; i < LOD_FORMATS; i++) {
        atomic_init(&control->format_bytes[i], 0);
        atomic_init(&control->format_reads[i], 0);
    }
}

const char *lod_control_format(unsigned index, enum lod_format *ret_format)
{
    const struct lod_view *view = lod_view_at(index);

    if (!view) {
        return NULL;
    }
    *ret_format = view->format;
    return view->folder[0] ? view->folder : "tree";
}

bool lod_control_may_be(unsigned fidelity)
{
    return fidelity >= LOD_Q1 && fidelity <= LOD_FULL;
}

enum lod_fidelity lod_control_auto(const struct lod_control *control)
{
    return (enum lod_fidelity)atomic_load(&control->automatic);
}

int lod_control_switch(struct lod_control *control, unsigned fidelity)
{
    if (!lod_control_may_be(fidelity)) {
        return -EINVAL;
    }
    if (atomic_exchange(&control->automatic, fidelity) != fidelity) {
        atomic_fetch_add(&control->switches, 1);
    }
    return 0;
}
