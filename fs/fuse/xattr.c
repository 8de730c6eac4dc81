/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extended attributes user.lodfs.* of files: facts about their items, as text. They are made from
 * rows of the index when they are asked for, and only with -o xattr; decision 813 says why.
 */
#include <errno.h>
#include <string.h>

#include "fuse/ops.h"
#include "fuse/subdir.h"
#include "text.h"

#define PREFIX     "user.lodfs."
#define TEXT_BYTES 512 /* 12 sizes of 20 digits, and their names */

/* A file that is asked about. */
struct asked {
    const struct lod_ops *ops;
    struct lod_found found;
    struct lod_contents contents;
};

static void put_fidelity(const struct asked *asked, struct lod_out *out)
{
    lod_out_print(out, "%s", lod_fidelity_name(asked->found.inode.fidelity));
}

static void put_codec(const struct asked *asked, struct lod_out *out)
{
    lod_out_print(out, "%s", asked->contents.item.codec->name);
}

/* The bytes of the file at each fidelity of its view that shows it: "q1=4711,q2=5120". */
static void put_bytes(const struct asked *asked, struct lod_out *out)
{
    const struct lod_view *view = asked->found.view;
    struct lod_plan plan;

    for (enum lod_fidelity f = LOD_Q1; f <= LOD_ORIGINAL; f++) {
        if (view->fidelities >> f & 1 &&
            lod_view_plan(view, asked->ops->dataset, &asked->found.node, &asked->contents.item, f,
                          &plan) == 0) {
            lod_out_print(out, "%s%s=%llu", out->used ? "," : "", lod_fidelity_name(f),
                          (unsigned long long)plan.bytes);
        }
    }
}

static void put_item(const struct asked *asked, struct lod_out *out)
{
    lod_out_print(out, "%u", asked->contents.item.number);
}

static void put_record(const struct asked *asked, struct lod_out *out)
{
    lod_out_print(out, "%s", asked->contents.item.recd.path);
}

/* The identity of the record: a hash of its rows and paths. */
static void put_record_id(const struct asked *asked, struct lod_out *out)
{
    char text[LOD_ID_TEXT_BYTES];

    lod_id_text(asked->contents.item.recd.id, text);
    lod_out_print(out, "%s", text);
}

static const struct {
    const char *name;
    void (*put)(const struct asked *asked, struct lod_out *out);
} attributes[] = {
    {PREFIX "fidelity", put_fidelity}, {PREFIX "codec", put_codec},
    {PREFIX "bytes", put_bytes},       {PREFIX "item", put_item},
    {PREFIX "record", put_record},     {PREFIX "record_id", put_record_id},
};
#define ATTRIBUTES (sizeof(attributes) / sizeof(attributes[0]))

/* Returns -ENODATA for all but files that are items. */
static int find(const struct lod_ops *ops, fuse_ino_t number, struct asked *ret_asked)
{
    ret_asked->ops = ops;
    int error = lod_subdir_resolve(ops, number, &ret_asked->found);
    const struct lod_found *found = &ret_asked->found;

    if (error) {
        return error;
    }
    if (!found->view || !S_ISREG(found->node.mode) || lod_found_is_shard(found)) {
        return -ENODATA;
    }
    return lod_shown_contents(ops->dataset, ops->shards, found, &ret_asked->contents);
}

/* Answers with the text, or with its size if `room` is 0. */
static void reply(fuse_req_t req, const char *text, size_t bytes, size_t room)
{
    if (room == 0) {
        fuse_reply_xattr(req, bytes);
    } else if (room < bytes) {
        fuse_reply_err(req, ERANGE);
    } else {
        fuse_reply_buf(req, text, bytes);
    }
}

void lod_op_getxattr(fuse_req_t req, fuse_ino_t number, const char *name, size_t size)
{
    const struct lod_ops *ops = fuse_req_userdata(req);
    char text[TEXT_BYTES] = "";
    struct lod_out out = {.text = text, .room = sizeof(text)};
    struct asked asked;
    unsigned i = 0;

    if (!ops->xattr) {
        fuse_reply_err(req, ENOSYS); /* the kernel asks no more */
        return;
    }
    while (i < ATTRIBUTES && strcmp(name, attributes[i].name) != 0) {
        i++;
    }
    int error = i < ATTRIBUTES ? find(ops, number, &asked) : -ENODATA;
    if (error == -ENODATA) {
        fuse_reply_err(req, ENODATA);
    } else if (error) {
        lod_ops_fail(req, number, error);
    } else {
        attributes[i].put(&asked, &out);
        reply(req, text, out.used, size);
    }
}

void lod_op_listxattr(fuse_req_t req, fuse_ino_t number, size_t size)
{
    const struct lod_ops *ops = fuse_req_userdata(req);
    char text[TEXT_BYTES] = "";
    struct lod_out out = {.text = text, .room = sizeof(text)};
    struct asked asked;

    if (!ops->xattr) {
        fuse_reply_err(req, ENOSYS);
        return;
    }
    int error = find(ops, number, &asked);
    if (error && error != -ENODATA) {
        lod_ops_fail(req, number, error);
        return;
    }
    for (unsigned i = 0; !error && i < ATTRIBUTES; i++) {
        lod_out_put(&out, attributes[i].name, strlen(attributes[i].name) + 1);
    }
    reply(req, text, out.used, size);
}
