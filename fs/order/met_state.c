/* SPDX-License-Identifier: Apache-2.0 */
/* See met_state.h. */
#include "order/met_state.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "json_whole.h"
#include "order/read_order.h"

#define SEED_DIGITS 20
#define ID_DIGITS   32
#define NESTING_MAX 3 /* an object, an array, pairs */

void lod_met_history_add(struct lod_met_history *history, double epoch, uint32_t rf)
{
    if (history->count && history->at[history->count - 1].rf == rf) {
        return;
    }
    if (history->count == LOD_MET_HISTORY_MAX) {
        history->count /= 2;
        for (uint32_t i = 1; i < history->count; i++) {
            history->at[i] = history->at[2 * i];
        }
    }
    /* Rounds to a thousandth, so that a state that is read equals the one that was written. */
    const double from = history->count ? floor(epoch * 1000) / 1000 : 0;
    history->at[history->count++] = (struct lod_met_step){.epoch = from, .rf = rf};
}

/* Whole numbers of the state, with their largest value. */
static const struct member {
    const char *key;
    size_t at;
    bool wide;
    uint64_t min, max;
} members[] = {
#define MEMBER(key_, field, min_, max_)                                                            \
    {                                                                                              \
        .key = key_, .at = offsetof(struct lod_met_state, field),                                  \
        .wide = sizeof(((struct lod_met_state *)0)->field) == 8, .min = min_, .max = max_          \
    }
    MEMBER("items", items, 1, UINT32_MAX),
    MEMBER("node", node, 0, LOD_NODES_OF_JOB_MAX - 1),
    MEMBER("nodes", nodes, 1, LOD_NODES_OF_JOB_MAX),
    MEMBER("fidelity", fidelity, LOD_Q1, LOD_ORIGINAL),
    MEMBER("room", room, 1, LOD_WHOLE_MAX),
    MEMBER("rf_min", rules.rf_min, 1, LOD_MET_RF_MAX),
    MEMBER("rf_max", rules.rf_max, 1, LOD_MET_RF_MAX),
    MEMBER("patience", rules.patience, 1, LOD_MET_RF_MAX),
    MEMBER("band_scores", rules.band_scores, 1, LOD_MET_SCORES_MAX),
    MEMBER("pass", pass, 0, LOD_PASS_STORED - 4),
    MEMBER("cursor", cursor, 0, UINT32_MAX - 1),
    MEMBER("repeat", repeat, 0, UINT32_MAX - 1),
    MEMBER("before", before, 0, LOD_WHOLE_MAX),
    MEMBER("dealt", dealt, 0, UINT32_MAX),
    MEMBER("worse_run", scores.worse_run, 0, UINT32_MAX - 1),
};
#define MEMBERS (sizeof(members) / sizeof(members[0]))

/* -------------------------------------------------------------------------------- writing */

static void write_numbers(struct lod_json *json, const struct lod_met_state *state)
{
    for (size_t i = 0; i < MEMBERS; i++) {
        const char *from = (const char *)state + members[i].at;
        uint64_t wide = 0;
        uint32_t narrow = 0;
        memcpy(members[i].wide ? (void *)&wide : &narrow, from, members[i].wide ? 8 : 4);
        lod_json_number(json, members[i].key, (double)(members[i].wide ? wide : narrow));
    }
}

static void write_pair(struct lod_json *json, double first, uint32_t second)
{
    lod_json_array(json, NULL);
    lod_json_number(json, NULL, first);
    lod_json_number(json, NULL, second);
    lod_json_end(json);
}

static void write_steps(struct lod_json *json, const char *key, const struct lod_met_step *steps,
                        uint32_t count)
{
    lod_json_array(json, key);
    for (uint32_t i = 0; i < count; i++) {
        write_pair(json, steps[i].epoch, steps[i].rf);
    }
    lod_json_end(json);
}

static void write_rules(struct lod_json *json, const struct lod_met_rules *rules)
{
    lod_json_text(json, "policy", lod_met_policy_name(rules->policy));
    lod_json_text(json, "shape", lod_met_shape_name(rules->shape));
    lod_json_bool(json, "wait", rules->wait);
    lod_json_number(json, "band_width", rules->band_width);
    lod_json_number(json, "epochs", rules->epochs);
    write_steps(json, "steps", rules->steps, rules->steps_count);
}

static void write_scores(struct lod_json *json, const struct lod_met_scores *scores)
{
    lod_json_array(json, "scores");
    for (uint32_t i = 0; i < scores->count; i++) {
        lod_json_number(json, NULL, scores->at[i]);
    }
    lod_json_end(json);
    if (scores->has_best) {
        lod_json_number(json, "best", scores->best);
    }
    lod_json_bool(json, "below", scores->below);
    lod_json_bool(json, "reported", scores->reported);
}

int lod_met_state_write(const struct lod_met_state *state, char text[LOD_MET_STATE_BYTES])
{
    struct lod_json json = {.out = {.text = text, .room = LOD_MET_STATE_BYTES}, .inline_from = 1};
    char id[LOD_ID_TEXT_BYTES], seed[SEED_DIGITS + 1];

    lod_id_text(state->store, id);
    lod_format(seed, sizeof(seed), "%" PRIu64, state->seed);
    lod_json_object(&json, NULL);
    lod_json_number(&json, "version", LOD_MET_STATE_VERSION);
    lod_json_text(&json, "store", id);
    lod_json_text(&json, "seed", seed);
    write_numbers(&json, state);
    lod_json_bool(&json, "whole", state->whole);
    write_rules(&json, &state->rules);
    lod_json_array(&json, "window");
    for (uint32_t g = 0; g < state->window.count; g++) {
        write_pair(&json, state->window.groups[g].extents, state->window.groups[g].repeats);
    }
    lod_json_end(&json);
    write_scores(&json, &state->scores);
    write_steps(&json, "history", state->history.at, state->history.count);
    lod_json_end(&json);
    return json.out.full ? -E2BIG : (int)json.out.used;
}

/* -------------------------------------------------------------------------------- reading */

static bool is_whole(const cJSON *value, uint64_t min, uint64_t max)
{
    uint64_t number = 0;

    return lod_json_whole(value, max, &number) && number >= min;
}

/* If several members have one name, the first one is used. */
static const cJSON *get(const cJSON *json, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(json, key);
}

static bool read_numbers(const cJSON *json, struct lod_met_state *state)
{
    for (size_t i = 0; i < MEMBERS; i++) {
        const cJSON *value = get(json, members[i].key);
        char *into = (char *)state + members[i].at;
        if (!is_whole(value, members[i].min, members[i].max)) {
            return false;
        }
        const uint64_t wide = (uint64_t)value->valuedouble;
        const uint32_t narrow = (uint32_t)wide;
        memcpy(into, members[i].wide ? (const void *)&wide : &narrow, members[i].wide ? 8 : 4);
    }
    return true;
}

static bool read_bool(const cJSON *json, const char *key, bool *ret_value)
{
    const cJSON *value = get(json, key);

    *ret_value = cJSON_IsTrue(value);
    return cJSON_IsBool(value);
}

static bool read_double(const cJSON *json, const char *key, double *ret_value)
{
    const cJSON *value = get(json, key);

    if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble)) {
        return false;
    }
    *ret_value = value->valuedouble;
    return true;
}

/* [number, whole number of at least `min`] */
static bool read_pair(const cJSON *pair, uint32_t min, double *ret_first, uint32_t *ret_second)
{
    const cJSON *first = cJSON_GetArrayItem(pair, 0), *second = cJSON_GetArrayItem(pair, 1);

    if (!cJSON_IsArray(pair) || cJSON_GetArraySize(pair) != 2 || !cJSON_IsNumber(first) ||
        !(first->valuedouble >= 0) || !isfinite(first->valuedouble) ||
        !is_whole(second, min, LOD_MET_RF_MAX)) {
        return false;
    }
    *ret_first = first->valuedouble;
    *ret_second = (uint32_t)second->valuedouble;
    return true;
}

static bool read_steps(const cJSON *array, struct lod_met_step *steps, uint32_t room,
                       uint32_t *ret_count)
{
    const cJSON *pair;

    *ret_count = 0;
    cJSON_ArrayForEach(pair, array)
    {
        struct lod_met_step *step = &steps[*ret_count];
        if (*ret_count == room || !read_pair(pair, 1, &step->epoch, &step->rf)) {
            return false;
        }
        ++*ret_count;
    }
    return cJSON_IsArray(array);
}

static bool read_window(const cJSON *array, struct lod_met_window *window)
{
    double extents;
    uint32_t repeats;
    uint64_t sum = 0;
    const cJSON *pair;

    cJSON_ArrayForEach(pair, array)
    {
        if (window->count == LOD_MET_GROUPS_MAX || !read_pair(pair, 0, &extents, &repeats) ||
            extents < 1 || extents > UINT32_MAX || extents != floor(extents) ||
            (window->count && repeats > window->groups[window->count - 1].repeats)) {
            return false;
        }
        sum += (uint64_t)extents;
        window->groups[window->count++] =
            (struct lod_met_group){.extents = (uint32_t)extents, .repeats = repeats};
    }
    return cJSON_IsArray(array) && window->count && sum <= UINT32_MAX;
}

static bool read_scores(const cJSON *json, struct lod_met_scores *scores)
{
    const cJSON *array = get(json, "scores"), *score;

    cJSON_ArrayForEach(score, array)
    {
        if (scores->count == LOD_MET_SCORES_MAX || !cJSON_IsNumber(score) ||
            !isfinite(score->valuedouble)) {
            return false;
        }
        scores->at[scores->count++] = score->valuedouble;
    }
    scores->has_best = get(json, "best");
    return cJSON_IsArray(array) && read_bool(json, "below", &scores->below) &&
           read_bool(json, "reported", &scores->reported) &&
           (!scores->has_best || read_double(json, "best", &scores->best));
}

/* Returns the index of a word among the names; -1 if it is none. */
static int read_word(const cJSON *json, const char *key, const char *(*name)(unsigned))
{
    const char *word = cJSON_GetStringValue(get(json, key));

    for (unsigned i = 0; word && name(i); i++) {
        if (strcmp(word, name(i)) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static bool read_rules(const cJSON *json, struct lod_met_rules *rules)
{
    const int policy = read_word(json, "policy", lod_met_policy_name),
              shape = read_word(json, "shape", lod_met_shape_name);

    rules->policy = policy < 0 ? LOD_MET_POLICIES : (enum lod_met_policy)policy;
    rules->shape = shape < 0 ? LOD_MET_SHAPES : (enum lod_met_shape)shape;
    return read_bool(json, "wait", &rules->wait) &&
           read_double(json, "band_width", &rules->band_width) &&
           read_double(json, "epochs", &rules->epochs) &&
           read_steps(get(json, "steps"), rules->steps, LOD_MET_STEPS_MAX, &rules->steps_count);
}

/* 32 hexadecimal digits, and a number in digits, since a double does not hold 64 bits. */
static bool read_identity(const cJSON *json, struct lod_met_state *state)
{
    const char *store = cJSON_GetStringValue(get(json, "store")),
               *seed = cJSON_GetStringValue(get(json, "seed"));

    if (!store || !seed || strspn(store, "0123456789abcdef") != ID_DIGITS || store[ID_DIGITS] ||
        !*seed || strlen(seed) > SEED_DIGITS || seed[strspn(seed, "0123456789")]) {
        return false;
    }
    state->store.low = strtoull(store + ID_DIGITS / 2, NULL, 16);
    char high[ID_DIGITS / 2 + 1] = {0};
    memcpy(high, store, ID_DIGITS / 2);
    state->store.high = strtoull(high, NULL, 16);
    errno = 0;
    state->seed = strtoull(seed, NULL, 10);
    return errno == 0;
}

static int read_members(const cJSON *json, struct lod_met_state *state, const char **ret_why)
{
    if (!is_whole(get(json, "version"), 0, LOD_WHOLE_MAX)) {
        *ret_why = "it is not a state of mini-epochs";
        return -EILSEQ;
    }
    if (!is_whole(get(json, "version"), LOD_MET_STATE_VERSION, LOD_MET_STATE_VERSION)) {
        *ret_why = "it is of another version of lodfs";
        return -ENOTSUP;
    }
    if (!read_identity(json, state) || !read_numbers(json, state) ||
        !read_rules(json, &state->rules) || !read_window(get(json, "window"), &state->window) ||
        !read_scores(json, &state->scores) || !read_bool(json, "whole", &state->whole) ||
        !read_steps(get(json, "history"), state->history.at, LOD_MET_HISTORY_MAX,
                    &state->history.count) ||
        state->node >= state->nodes) {
        *ret_why = "a member is missing or out of its range";
        return -EILSEQ;
    }
    return lod_met_rules_check(&state->rules, ret_why);
}

/* The parser calls itself for each level. */
static bool is_shallow(const char *text, size_t bytes)
{
    unsigned depth = 0;

    for (size_t i = 0; i < bytes; i++) {
        depth += text[i] == '[' || text[i] == '{';
        depth -= depth && (text[i] == ']' || text[i] == '}');
        if (depth > NESTING_MAX) {
            return false;
        }
    }
    return true;
}

int lod_met_state_read(const char *text, size_t bytes, struct lod_met_state *ret_state,
                       const char **ret_why)
{
    struct lod_met_state state = {.pass = 0};

    if (bytes > LOD_MET_STATE_BYTES) {
        *ret_why = "it is too long for a state of mini-epochs";
        return -E2BIG;
    }
    cJSON *json = is_shallow(text, bytes) ? cJSON_ParseWithLength(text, bytes) : NULL;
    *ret_why = "it is not JSON, or it is truncated";
    int error = cJSON_IsObject(json) ? read_members(json, &state, ret_why) : -EILSEQ;
    cJSON_Delete(json);
    if (!error) {
        *ret_state = state;
    }
    return error;
}
