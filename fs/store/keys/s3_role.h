/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of the role that a container or an EC2 instance has, from the service beside it. It is the
 * container URI of ECS and EKS, or version 2 of the instance metadata service. See the AWS SDKs
 * reference guide, "Container credential provider" and "IMDS credential provider".
 */
#ifndef LOD_S3_ROLE_H
#define LOD_S3_ROLE_H

#include "backend/why.h"
#include "compiler.h"
#include "keys/s3_keys.h"
#include "keys/s3_wait.h"

/*
 * Asks the container's service if the environment names one, else the instance's. -ENOENT: there is
 * none. Other errors: `why` gets a sentence, which holds no key.
 */
LOD_MUST_CHECK int lod_s3_role_read(const struct lod_s3_wait *wait, struct lod_s3_keys *keys,
                                    struct lod_why *why);

#endif
