/* SPDX-License-Identifier: Apache-2.0 */
/* See home.h. */
#include "http/home.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char *lod_home_path(const char *below)
{
    const char *home = getenv("HOME");
    char *path = NULL;

    if (!home || home[0] != '/') {
        const struct passwd *user = getpwuid(getuid());
        home = user ? user->pw_dir : NULL;
    }
    return home && asprintf(&path, "%s/%s", home, below) >= 0 ? path : NULL;
}
