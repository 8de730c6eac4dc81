/* SPDX-License-Identifier: Apache-2.0 */
/* See notify.h. */
#include "fuse/notify.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "fuse/loop.h"
#include "inode.h"
#include "views/view.h"

#define TURN_MS 20 /* how long the end waits before it looks for a request to answer */

struct wish {
    struct wish *next;
    fuse_req_t req;
    unsigned fidelity;
};

struct lod_notify {
    struct fuse_session *session;
    struct lod_control *control;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t asked, idle;
    struct wish *first, **last;
    bool busy, ending;
};

static void forget_links(struct lod_notify *notify)
{
    const struct lod_view *view;

    for (unsigned i = 0; (view = lod_view_at(i)); i++) {
        struct lod_inode link = {.fidelity = LOD_AUTO, .format = view->format};
        /* -ENOENT: the kernel knows no such link. Others: the mount is going. */
        fuse_lowlevel_notify_inval_inode(notify->session, lod_inode_pack(link), 0, 0);
    }
}

static void grant(struct lod_notify *notify, struct wish *wish)
{
    int error = lod_control_switch(notify->control, wish->fidelity);

    if (error) {
        fuse_reply_err(wish->req, -error);
    } else {
        forget_links(notify);
        fuse_reply_ioctl(wish->req, 0, NULL, 0);
    }
    free(wish);
}

static void *serve(void *arg)
{
    struct lod_notify *notify = arg;

    pthread_mutex_lock(&notify->lock);
    while (notify->first || !notify->ending) {
        struct wish *wish = notify->first;
        if (!wish) {
            pthread_cond_wait(&notify->asked, &notify->lock);
            continue;
        }
        notify->first = wish->next;
        if (!notify->first) {
            notify->last = &notify->first;
        }
        notify->busy = true;
        pthread_mutex_unlock(&notify->lock);
        grant(notify, wish);
        pthread_mutex_lock(&notify->lock);
        notify->busy = false;
        pthread_cond_broadcast(&notify->idle);
    }
    pthread_mutex_unlock(&notify->lock);
    return NULL;
}

/* Signals are for the thread that runs the loop: they have to wake it. */
static int start(struct lod_notify *notify)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&notify->thread, NULL, serve, notify);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return -error;
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
    pthread_cond_init(&notify->idle, NULL);
    int error = start(notify);
    if (error) {
        free(notify);
        return error;
    }
    *ret_notify = notify;
    return 0;
}

int lod_notify_switch(struct lod_notify *notify, fuse_req_t req, unsigned fidelity)
{
    struct wish *wish = malloc(sizeof(*wish));

    if (!wish) {
        return -ENOMEM;
    }
    *wish = (struct wish){.req = req, .fidelity = fidelity};
    pthread_mutex_lock(&notify->lock);
    *notify->last = wish;
    notify->last = &wish->next;
    pthread_cond_signal(&notify->asked);
    pthread_mutex_unlock(&notify->lock);
    return 0;
}

/* Waits a turn for the thread; true: it has nothing left to do. */
static bool wait_idle(struct lod_notify *notify)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TURN_MS * 1000000l;
    until.tv_sec += until.tv_nsec / 1000000000l;
    until.tv_nsec %= 1000000000l;
    pthread_mutex_lock(&notify->lock);
    if (notify->first || notify->busy) {
        pthread_cond_timedwait(&notify->idle, &notify->lock, &until);
    }
    bool idle = !notify->first && !notify->busy;
    pthread_mutex_unlock(&notify->lock);
    return idle;
}

/* One request, if there is one: it may be the link that the thread waits for. */
static void answer_one(struct fuse_session *session, struct fuse_buf *buf)
{
    struct pollfd ready = {.fd = fuse_session_fd(session), .events = POLLIN};

    if (poll(&ready, 1, 0) == 1 && ready.revents & POLLIN) {
        (void)!lod_loop_once(session, buf); /* one that failed is asked again */
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
