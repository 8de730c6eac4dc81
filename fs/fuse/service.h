/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the state of this process to the service manager that started it, by the protocol of
 * sd_notify(3): a datagram to the socket that NOTIFY_SOCKET names. No library is needed. */
#ifndef LOD_SERVICE_H
#define LOD_SERVICE_H

#include <stdint.h>

/* Tells the service manager that process `pid` now serves the mount. Without a service manager it
 * does nothing. */
void lod_service_ready(int64_t pid);

/* Tells the service manager that this process is about to end. */
void lod_service_stopping(void);

#endif
