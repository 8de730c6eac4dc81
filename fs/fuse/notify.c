/* SPDX-License-Identifier: Apache-2.0 */
/* See notify.h. */
#include "fuse/notify.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>

#include "clock.h"
#include "fuse/loop.h"
#include "thread_start.h"
#include "views/inode.h"
#include "views/view.h"

#define POLL_NS 20000000 /* interval at which lod_notify_end checks for a request to answer */

struct request {
    struct request *next;
    fuse_req_t req;
    unsigned fidelity;
};

struct lod_notify {
    struct fuse_session *session;
    struct lod_control *control;
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t asked, idle;
    struct request *first, **last;
    bool busy, ending;
};

static void forget_links(struct lod_notify *notify)
{
    const struct lod_view *view;

    for (unsigned i = 0; (view = lod_view_at(i)); i++) {
        struct lod_inode link = {.fidelity = LOD_AUTO, .format = view->format};
        /* Errors are ignored: -ENOENT means that the kernel has no such link, others that the mount
         * is ending. */
        fuse_lowlevel_notify_inval_inode(notify->session, lod_inode_pack(link), 0, 0);
    }
}

static void switch_auto(struct lod_notify *notify, struct request *request)
{
    int error = lod_control_switch(notify->control, request->fidelity);

    if (error) {
        fuse_reply_err(request->req, -error);
    } else {
        forget_links(notify);
        fuse_reply_ioctl(request->req, 0, NULL, 0);
    }
    free(request);
}

static void *serve(void *arg)
{
    struct lod_notify *notify = arg;

    pthread_mutex_lock(&notify->lock);
    while (notify->first || !notify->ending) {
        struct request *request = notify->first;
        if (!request) {
            pthread_cond_wait(&notify->asked, &notify->lock);
            continue;
        }
        notify->first = request->next;
        if (!notify->first) {
            notify->last = &notify->first;
        }
        notify->busy = true;
        pthread_mutex_unlock(&notify->lock);
        switch_auto(notify, request);
        pthread_mutex_lock(&notify->lock);
        notify->busy = false;
        pthread_cond_broadcast(&notify->idle);
    }
    pthread_mutex_unlock(&notify->lock);
    return NULL;
}

int lod_notify_start(struct fuse_session *session, struct lod_control *control,
                     struct lod_notify **ret_notify)
{
    struct lod_notify *notify = calloc(1, sizeof(*notify));

    if (!notify) {
        return -ENOMEM;
    }
    notify->session = session;
    notify->control = control;
    notify->last = &notify->first;
    pthread_mutex_init(&notify->lock, NULL);
    pthread_cond_init(&notify->asked, NULL);
    lod_clock_cond_init(&notify->idle);
    int error = lod_thread_start(&notify->thread, serve, notify);
    if (error) {
        free(notify);
        return error;
    }
    *ret_notify = notify;
    return 0;
}

int lod_notify_switch(struct lod_notify *notify, fuse_req_t req, unsigned fidelity)
{
    struct request *request = malloc(sizeof(*request));

    if (!request) {
        return -ENOMEM;
    }
    *request = (struct request){.req = req, .fidelity = fidelity};
    pthread_mutex_lock(&notify->lock);
    *notify->last = request;
    notify->last = &request->next;
    pthread_cond_signal(&notify->asked);
    pthread_mutex_unlock(&notify->lock);
    return 0;
}

/* Waits for the thread, at most POLL_NS. Returns whether the thread has nothing left to do. */
static bool wait_idle(struct lod_notify *notify)
{
    const struct timespec until = lod_clock_until(POLL_NS);

    pthread_mutex_lock(&notify->lock);
    if (notify->first || notify->busy) {
        pthread_cond_timedwait(&notify->idle, &notify->lock, &until);
    }
    bool idle = !notify->first && !notify->busy;
    pthread_mutex_unlock(&notify->lock);
    return idle;
}

/* Answers one request if there is one: it can be for the link that the thread waits for. */
static void answer_one(struct fuse_session *session, struct fuse_buf *buf)
{
    struct pollfd ready = {.fd = fuse_session_fd(session), .events = POLLIN};

    if (poll(&ready, 1, 0) == 1 && ready.revents & POLLIN) {
        (void)!lod_loop_once(session, buf); /* after an error it is called again */
    }
}

struct lod_notify *lod_notify_end(struct lod_notify *notify)
{
    struct fuse_buf buf = {0};

    if (!notify) {
        return NULL;
    }
    while (!wait_idle(notify)) {
        answer_one(notify->session, &buf);
    }
    free(buf.mem);
    pthread_mutex_lock(&notify->lock);
    notify->ending = true;
    pthread_cond_signal(&notify->asked);
    pthread_mutex_unlock(&notify->lock);
    pthread_join(notify->thread, NULL);
    pthread_cond_destroy(&notify->idle);
    pthread_cond_destroy(&notify->asked);
    pthread_mutex_destroy(&notify->lock);
    free(notify);
    return NULL;
}
