/* SPDX-License-Identifier: Apache-2.0 */
/* See resume_preview.h; resume.c does it in a real run. */
#include "pack/target/resume_preview.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "pack/target/journal.h"
#include "pack/target/stale_files.h"
#include "pack/target/resume.h"
#include "record/record_header.h"

static uint64_t count_records(struct lod_store *store, const struct lod_order *order)
{
    char name[LOD_RECORD_NAME_ROOM];
    struct lod_record_desc recd;
    uint64_t there = 0;

    for (size_t i = 0; i < order->records_count; i++) {
        const struct lod_order_record *record = &order->records[i];
        lod_stale_files_name(order, (uint32_t)i + 1, name);
        there += lod_record_header_read(store, name, &recd) == 0 && recd.items == record->count &&
                 recd.codec == record->codec->id && recd.cut == record->cut;
    }
    return there;
}

static int compare(const char *path, int fd, const char *options,
                   const struct lod_source_list *list, struct lod_first_error *first_error)
{
    /* Scan scripts are not measured in a dry run. */
    const struct lod_journal_plan plan = {.options = options, .list = list, .unmeasured = true};
    char why[LOD_RESUME_WHY_TEXT];
    struct lod_journal journal = {0};

    int error = lod_journal_read(fd, &journal);
    error = error ? error : lod_journal_compare_options(&journal, options, why, sizeof(why));
    error = error ? error : lod_journal_compare_source(&journal, &plan, why, sizeof(why));
    lod_journal_finish(&journal);
    return error == -EEXIST ? lod_resume_refuse(path, why, first_error) : error;
}

int lod_resume_preview(const char *path, const char *options, const struct lod_source_list *list,
                       const struct lod_order *order, struct lod_first_error *first_error,
                       uint64_t *ret_there)
{
    struct lod_store *store = NULL;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    *ret_there = 0;
    if (fd < 0) {
        return 0; /* pack would make the folder */
    }
    int error = compare(path, fd, options, list, first_error);
    close(fd);
    if (error) {
        return error == -EEXIST || error == -ENOMEM
                   ? error
                   : 0; /* other errors mean that there is no journal, or a damaged one */
    }
    error = lod_store_open(path, &store);
    if (!error) {
        *ret_there = count_records(store, order);
    }
    lod_store_close(store);
    return error;
}
