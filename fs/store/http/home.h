/* SPDX-License-Identifier: Apache-2.0 */
/* Files below the user's home folder. */
#ifndef LOD_HOME_H
#define LOD_HOME_H

/* "HOME/BELOW", for free(); NULL: no memory, or no home. mount(8) sets no HOME, so the password
 * database is asked then. */
char *lod_home_path(const char *below);

#endif
