/* SPDX-License-Identifier: Apache-2.0 */
/* See met_report.h. */
#include "output/met_report.h"

#include <math.h>
#include <stdio.h>

#include "terminal/report.h"

/* ----------------------------------------------------------------------------------- status */

static void status_json(const struct lod_job_walk *walk, uint32_t loaded, size_t records,
                        size_t window)
{
    const struct lod_met_state *state = &walk->job->state;
    struct lod_json json = {.out.file = stdout};

    lod_json_object(&json, NULL);
    lod_json_text(&json, "mount", walk->job->mount);
    lod_json_text(&json, "folder", walk->job->folder);
    lod_json_text(&json, "policy", lod_met_policy_name(state->rules.policy));
    lod_json_text(&json, "shape", lod_met_shape_name(state->rules.shape));
    lod_json_text(&json, "fidelity", lod_fidelity_name((enum lod_fidelity)state->fidelity));
    lod_json_number(&json, "epoch", lod_met_epoch(&walk->met, 0));
    lod_json_number(&json, "epochs", state->rules.epochs);
    lod_json_number(&json, "pass", state->pass);
    lod_json_number(&json, "repeat", state->repeat);
    lod_json_bool(&json, "begun", walk->job->begun);
    lod_json_bool(&json, "whole", state->whole);
    lod_json_number(&json, "pictures", (double)lod_met_values(&walk->met));
    lod_json_number(&json, "room_bytes", (double)state->room);
    lod_json_number(&json, "window_records", (double)window);
    lod_json_number(&json, "records", (double)records);
    lod_json_number(&json, "records_loaded", loaded);
    lod_json_array(&json, "history");
    for (uint32_t i = 0; i < state->history.count; i++) {
        lod_json_array(&json, NULL);
        lod_json_number(&json, NULL, state->history.at[i].epoch);
        lod_json_number(&json, NULL, state->history.at[i].rf);
        lod_json_end(&json);
    }
    lod_json_end(&json);
    lod_json_end(&json);
}

int lod_met_report_status(const struct lod_job_walk *walk, uint32_t loaded, bool json)
{
    const struct lod_met_state *state = &walk->job->state;
    struct lod_table table = {.align = "ll"};
    char room[LOD_REPORT_TEXT], count[LOD_REPORT_TEXT], folder[2 * PATH_MAX];
    size_t records = 0, window = 0;

    lod_met_records(&walk->met, NULL, 0, &records, &window);
    if (json) {
        status_json(walk, loaded, records, window);
        return 0;
    }
    lod_format(folder, sizeof(folder), "%pE/%pE", walk->job->mount, walk->job->folder);
    lod_table_add(&table, "folder\t%s", folder);
    lod_table_add(&table, "policy\t%s, %s", lod_met_policy_name(state->rules.policy),
                  lod_met_shape_name(state->rules.shape));
    lod_table_add(&table, "epoch\t%.2f", lod_met_epoch(&walk->met, 0));
    lod_table_add(&table, "repeat\t%u%s", state->repeat, walk->job->begun ? "" : ", not begun");
    lod_table_add(&table, "pictures of the repeat\t%s",
                  lod_report_count(lod_met_values(&walk->met), count));
    lod_table_add(&table, "window\t%zu records%s", window, state->whole ? ", all of the data" : "");
    lod_table_add(&table, "records in memory\t%u of %zu", loaded, records);
    lod_table_add(&table, "room\t%s", lod_report_bytes(state->room, room));
    if (state->history.count) {
        lod_table_add(&table, "repeats of a part\t%u",
                      state->history.at[state->history.count - 1].rf);
    }
    return lod_table_print(&table, stdout);
}

/* ------------------------------------------------------------------------------------- plan */

/* A fidelity and what it needs. */
struct row {
    enum lod_fidelity fidelity;
    uint64_t bytes;  /* of a pass */
    bool fits;       /* the data fits into memory, so a training reads each byte once */
    double windows;  /* number of windows in a pass, each of half of the memory */
    uint64_t window; /* pictures in one window */
    double rf;       /* repeats at which the trainer never waits for loads; 0: not known */
};

static uint64_t pass_bytes(const struct lod_read_order *order, enum lod_fidelity fidelity)
{
    uint64_t sum = 0;

    for (size_t e = 0; e < order->extents.count; e++) {
        sum += order->counts[e] ? order->extents.at[e].bytes[fidelity - 1] : 0;
    }
    return sum;
}

static struct row row_of(const struct lod_met_plan *plan, enum lod_fidelity fidelity)
{
    struct row row = {.fidelity = fidelity, .bytes = pass_bytes(plan->order, fidelity)};
    const double half = (double)plan->room / 2, items = (double)plan->order->items;

    row.fits = row.bytes <= plan->room;
    row.windows = row.fits || half <= 0 ? 1 : (double)row.bytes / half;
    row.window = (uint64_t)(items / row.windows);
    if (row.fits) {
        row.rf = 1;
    } else if (plan->rate && plan->speed) {
        row.rf = (double)plan->rate * (double)row.bytes / items / (double)plan->speed;
        row.rf = row.rf < 1 ? 1 : row.rf;
    }
    return row;
}

static void plan_json(const struct lod_met_plan *plan, const struct row *rows, unsigned count)
{
    struct lod_json json = {.out.file = stdout};

    lod_json_object(&json, NULL);
    lod_json_number(&json, "pictures", (double)plan->order->items);
    lod_json_number(&json, "room_bytes", (double)plan->room);
    lod_json_number(&json, "bytes_per_second", (double)plan->speed);
    lod_json_array(&json, "fidelities");
    for (unsigned i = 0; i < count; i++) {
        lod_json_object(&json, NULL);
        lod_json_text(&json, "fidelity", lod_fidelity_name(rows[i].fidelity));
        lod_json_number(&json, "bytes", (double)rows[i].bytes);
        lod_json_bool(&json, "fits", rows[i].fits);
        lod_json_number(&json, "windows", rows[i].windows);
        lod_json_number(&json, "window_pictures", (double)rows[i].window);
        lod_json_number(&json, "rf", rows[i].rf);
        lod_json_end(&json);
    }
    lod_json_end(&json);
    lod_json_end(&json);
}

static void add_row(struct lod_table *table, const struct row *row)
{
    char bytes[LOD_REPORT_TEXT], window[LOD_REPORT_TEXT], rf[LOD_REPORT_TEXT] = "?";

    if (row->rf > 0) {
        lod_format(rf, sizeof(rf), "%.1f", row->rf);
    }
    lod_table_add(table, "%s\t%s\t%s\t%.1f\t%s\t%s", lod_fidelity_name(row->fidelity),
                  lod_report_bytes(row->bytes, bytes), row->fits ? "yes" : "no", row->windows,
                  lod_report_count(row->window, window), rf);
}

/*
 * Recommends the first of these that applies: a fidelity whose data fits into memory; a lower
 * fidelity; repeats.
 */
static void advise(const struct lod_met_plan *plan, const struct row *rows, unsigned count)
{
    unsigned fits = 0;

    while (fits < count && rows[fits].fits) {
        fits++;
    }
    if (fits) {
        printf("%s and all lower fidelities fit in memory: a training reads them once, in any "
               "order.\n",
               lod_fidelity_name(rows[fits - 1].fidelity));
    }
    if (fits < count) {
        printf(
            "Above that, take the lowest fidelity that the task allows, then repeats: --rf=auto");
        if (plan->epochs >= 8) {
            printf(", up to %.0f with %.0f epochs", floor(plan->epochs / 8), plan->epochs);
        }
        printf(".\n");
    }
}

int lod_met_report_plan(const struct lod_met_plan *plan, bool json)
{
    struct row rows[LOD_FULL];
    struct lod_table table = {.align = "lrlrrr"};
    char room[LOD_REPORT_TEXT], speed[LOD_REPORT_TEXT];
    unsigned count = 0;

    for (unsigned f = LOD_Q1; f <= LOD_FULL; f++) {
        const struct row row = row_of(plan, (enum lod_fidelity)f);
        count -= count && rows[count - 1].bytes == row.bytes;
        rows[count++] = row;
    }
    if (json) {
        plan_json(plan, rows, count);
        return 0;
    }
    printf("memory for a job: %s; the store gives %s%s\n", lod_report_bytes(plan->room, room),
           plan->speed ? lod_report_bytes(plan->speed, speed) : "an unknown number of bytes",
           plan->speed ? "/s" : "; --speed sets it");
    lod_table_add(&table, "\tbytes\tfits\twindows\tpictures\trf without waiting");
    for (unsigned i = 0; i < count; i++) {
        add_row(&table, &rows[i]);
    }
    int error = lod_table_print(&table, stdout);
    if (!error) {
        advise(plan, rows, count);
    }
    return error;
}
