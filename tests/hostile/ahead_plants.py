# SPDX-License-Identifier: Apache-2.0
"""Bugs in lists of records that jobs tell, and in mini-epochs, for plants.py."""

AHEAD = (
    ("a list is loaded whatever room it has", "fs/frames/prefetch_ahead.c",
     "walk->next == walk->job->count || entry->bytes > walk->left) {",
     "walk->next == walk->job->count || !entry) {", "read/prefetch_ahead"),
    ("one job takes all turns", "fs/frames/prefetch_ahead.c",
     "            prefetch->turn = turn + 1;\n", "            prefetch->turn = turn;\n",
     "read/prefetch_ahead"),
    ("a record that failed once is never loaded", "fs/frames/prefetch_ahead.c",
     "    lod_ahead_held_again(&prefetch->held, LOD_AHEAD_FAILED);\n", "",
     "read/prefetch_ahead"),
    ("a list may be kept for years", "fs/frames/ahead_lists.c",
     "tell->keep_s > LOD_AHEAD_KEEP_S_MAX) {", "tell->keep_s == 0xfffffffeu) {", "fs/ahead_lists"),
    ("a request of a job may end early", "fs/mount/ahead_request.c",
     "        records[i] = lod_take_le32(&at);\n    }\n    if (at.short_of_bytes) {",
     "        records[i] = lod_take_le32(&at);\n    }\n    if (!records) {", "fs/ahead_request"),
    ("listed records are evicted", "fs/frames/prefetch_loads.c",
     "keep ? &pins : NULL", "!groups.last ? &pins : NULL", "mount-ahead"),
    ("frames that readers fetched keep the chunks of other records", "fs/frames/prefix_fetch.c",
     "    if (walk->pins) {\n        lod_frame_move", "    if (!walk) {\n        lod_frame_move",
     "mount-ahead"),
    ("records outside of lists are foreseen", "fs/frames/prefetch_loads.c",
     "    if (lod_prefetch_is_told(prefetch)) {\n        return;\n    }\n", "", "mount-ahead"),
)

MET = (
    ("a score may fail to grow once more than it should", "fs/order/met_verdict.c",
     "scores->worse_run >= rules->patience;", "scores->worse_run > rules->patience;", "fs/met"),
    ("a sliding window is replaced as a whole", "fs/order/met_window.c",
     "        stagger(window, lod_met_rules_rf_max(rules, now->epoch));\n", "        ;\n",
     "fs/met"),
    ("each process decides by its own score", "src/python/lodfs/mini_epochs.py",
     "            score = self._agreed.first(score)\n", "            pass\n", "public-together"),
    ("the first window is shuffled as a whole", "fs/order/met_items.c",
     "    if (met->state.repeat) {\n", "    if (met->state.repeat + 1) {\n", "fs/met_jobs"),
)
