/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files on which the scan scripts are measured. Which ones: sample.h. */
#ifndef LOD_GATHER_H
#define LOD_GATHER_H

#include "compiler.h"
#include "pack/probe.h"
#include "pack/sample.h"

/* Fills a sample from the FILEs that are encoded. A source that cannot be read: see trouble.h. */
LOD_MUST_CHECK int lod_gather_sample(const struct lod_probe *probe, struct lod_sample *sample);

#endif
