/* SPDX-License-Identifier: Apache-2.0 */
/* See service.h. A message that cannot be sent is a warning: the mount works without it. */
#include "fuse/service.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "log.h"

/* Makes the address of a path, or of "@name" in the abstract namespace. Returns its bytes; 0 if it
 * is neither, or too long. */
static socklen_t make_address(const char *name, struct sockaddr_un *ret_address)
{
    const size_t bytes = strlen(name);

    if ((*name != '/' && *name != '@') || bytes >= sizeof(ret_address->sun_path)) {
        return 0;
    }
    *ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(ret_address->sun_path, name, bytes);
    if (*name == '@') {
        ret_address->sun_path[0] = '\0';
    }
    /* The NUL after a path belongs to its address, one after an abstract name would not. */
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + bytes + (*name == '/'));
}

static int send_to(const char *name, const char *message)
{
    struct sockaddr_un address;
    const socklen_t bytes = make_address(name, &address);
    int to = bytes ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;

    if (to < 0) {
        return bytes ? -errno : -EAFNOSUPPORT;
    }
    ssize_t sent = sendto(to, message, strlen(message), MSG_NOSIGNAL,
                          (const struct sockaddr *)&address, bytes);
    int error = sent < 0 ? -errno : 0;
    close(to);
    return error;
}

static void notify(const char *message)
{
    const char *name = getenv("NOTIFY_SOCKET");
    int error = name && *name ? send_to(name, message) : 0;

    if (error) {
        lod_log(LOD_LOG_WARNING, "cannot notify the service manager at '%pE' (NOTIFY_SOCKET): %s",
                name, strerror(-error));
    }
}

void lod_service_ready(int64_t pid)
{
    char message[64];

    snprintf(message, sizeof(message), "READY=1\nMAINPID=%lld", (long long)pid);
    notify(message);
}

void lod_service_stopping(void)
{
    notify("STOPPING=1");
}
