/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libFuzzer target: any bytes as messages of LOD_IOC_AHEAD, one after the other to one mount's
 * lists. A message is refused, or writing it again gives the same bytes. The lists stay within
 * their limits. The first byte of each says how long it is, from 0 to 255 bytes.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/ahead_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void check(const struct lod_ahead_lists *lists)
{
    size_t records = 0;

    must(lists->count <= LOD_AHEAD_JOBS, "too many jobs");
    for (unsigned i = 0; i < lists->count; i++) {
        records += lists->jobs[i].count;
        must(lists->jobs[i].done <= lists->jobs[i].count, "done is longer than its list");
        for (unsigned k = 0; k < i; k++) {
            must(lists->jobs[k].job != lists->jobs[i].job, "a job has two lists");
        }
    }
    must(records == lists->records && records <= LOD_AHEAD_RECORDS, "records are miscounted");
}

static void update_lists(struct lod_ahead_lists *lists, const struct lod_ahead_request *request,
                         uint64_t now_ns)
{
    struct lod_ahead_entry *entries = calloc(request->count + 1, sizeof(*entries));
    const struct lod_ahead_job *job = NULL;

    must(entries != NULL, "out of memory");
    for (uint32_t i = 0; i < request->count; i++) {
        entries[i].record = request->records[i];
    }
    int error = lod_ahead_lists_update(lists, now_ns, request, entries, &job);
    free(entries);
    must(!error || error == -EINVAL || error == -ESTALE || error == -E2BIG, "another error");
    must(error || !job || job->count == (size_t)request->at + request->count,
         "a list of another length");
    must(error || !job == (request->at == 0 && request->count == 0), "ended, or not");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static uint32_t records[LOD_AHEAD_REQUEST_RECORDS];
    static uint8_t again[LOD_AHEAD_BYTES];
    struct lod_ahead_lists lists = {.count = 0};
    uint64_t now_ns = 0;

    while (bytes) {
        const size_t size = data[0] < bytes - 1 ? data[0] : bytes - 1;
        uint8_t *exact = malloc(size + 1); /* AddressSanitizer sees a read past it */
        struct lod_ahead_request request;
        must(exact != NULL, "out of memory");
        memcpy(exact, data + 1, size);
        if (!lod_ahead_request_read(exact, size, records, &request)) {
            const size_t used = LOD_AHEAD_HEAD_BYTES + 4 * (size_t)request.count;
            must(!lod_ahead_request_write(&request, again), "what was read is not written");
            must(used <= size && memcmp(again, exact, used) == 0, "it is written differently");
            now_ns += request.done * 1000000000ull;
            (void)lod_ahead_lists_expire(&lists, now_ns);
            update_lists(&lists, &request, now_ns);
            check(&lists);
        }
        free(exact);
        data += 1 + size;
        bytes -= 1 + size;
    }
    lod_ahead_lists_finish(&lists);
    must(lists.records == 0, "records stay");
    return 0;
}
