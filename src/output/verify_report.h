/* SPDX-License-Identifier: Apache-2.0 */
/* The report of verify, as text and as JSON. */
#ifndef LOD_VERIFY_REPORT_H
#define LOD_VERIFY_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "compiler.h"
#include "verify/findings.h"

struct lod_verify_summary {
    const char *store;
    uint64_t files, bytes; /* checked */
    uint64_t files_all, bytes_all;
    uint32_t part, parts; /* of --part; both 0: the whole store */
    bool stopped;         /* before all was */
    double seconds;
};

LOD_MUST_CHECK int lod_verify_print(const struct lod_findings *findings,
                                    const struct lod_verify_summary *summary, FILE *out);
void lod_verify_json(const struct lod_findings *findings, const struct lod_verify_summary *summary,
                     FILE *out);

#endif
