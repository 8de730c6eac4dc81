/* SPDX-License-Identifier: Apache-2.0 */
/* See sha256.h. */
#include "remote/sha256.h"

#include <dlfcn.h>
#include <errno.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_BYTES (256u << 10) /* stays in the processor's cache between reading and hashing */

#define CALLS(X)                                                                                   \
    X(EVP_MD_CTX_new)                                                                              \
    X(EVP_MD_CTX_free)                                                                             \
    X(EVP_sha256)                                                                                  \
    X(EVP_DigestInit_ex)                                                                           \
    X(EVP_DigestUpdate)                                                                            \
    X(EVP_DigestFinal_ex)

struct lod_sha256 {
    void *library;
#define POINTER(name) __typeof__(name) *name;
    CALLS(POINTER)
#undef POINTER
};

static bool find(void *library, const char *name, void *ret_function)
{
    void *symbol = dlsym(library, name);

    memcpy(ret_function, &symbol, sizeof(symbol));
    return symbol;
}

int lod_sha256_open(struct lod_sha256 **ret_sha256)
{
    struct lod_sha256 *sha256 = calloc(1, sizeof(*sha256));

    if (!sha256) {
        return -ENOMEM;
    }
    sha256->library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    bool all = sha256->library;
#define FIND(name) all = all && find(sha256->library, #name, &sha256->name);
    CALLS(FIND)
#undef FIND
    if (!all) {
        lod_sha256_close(sha256);
        return -ENOSYS;
    }
    *ret_sha256 = sha256;
    return 0;
}

struct lod_sha256 *lod_sha256_close(struct lod_sha256 *sha256)
{
    if (sha256 && sha256->library) {
        dlclose(sha256->library);
    }
    free(sha256);
    return NULL;
}

static int update(const struct lod_sha256 *sha256, EVP_MD_CTX *state,
                  const struct lod_http_body *body, uint8_t *buffer)
{
    int error = sha256->EVP_DigestInit_ex(state, sha256->EVP_sha256(), NULL) == 1 ? 0 : -EIO;

    for (uint64_t at = 0; !error && at < body->bytes; at += READ_BYTES) {
        const uint64_t left = body->bytes - at;
        const size_t bytes = left < READ_BYTES ? (size_t)left : READ_BYTES;
        error = body->read(body->ctx, at, buffer, bytes);
        if (!error && sha256->EVP_DigestUpdate(state, buffer, bytes) != 1) {
            error = -EIO;
        }
    }
    return error;
}

int lod_sha256_body(const struct lod_sha256 *sha256, const struct lod_http_body *body,
                    char ret_hex[LOD_SHA256_HEX + 1])
{
    EVP_MD_CTX *state = sha256->EVP_MD_CTX_new();
    uint8_t *buffer = malloc(READ_BYTES);
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned bytes = 0;

    int error = state && buffer ? update(sha256, state, body, buffer) : -ENOMEM;
    if (!error && sha256->EVP_DigestFinal_ex(state, digest, &bytes) != 1) {
        error = -EIO;
    }
    for (unsigned i = 0; !error && i < bytes && i < LOD_SHA256_HEX / 2; i++) {
        snprintf(ret_hex + (size_t)2 * i, 3, "%02x", digest[i]);
    }
    free(buffer);
    sha256->EVP_MD_CTX_free(state);
    return error;
}
