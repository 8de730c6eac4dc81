/* SPDX-License-Identifier: Apache-2.0 */
/* See watch.h. One thread only. */
#include "watch.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static char text[4000];
static size_t held, base, peak;
static int stderr_fd = STDERR_FILENO; /* stderr before it was hidden */

static void say_error(const char *what)
{
    static const char middle[] = " in the case:\n";
    /* An error is ignored: stderr may be closed. */
    (void)!write(stderr_fd, what, strlen(what));
    (void)!write(stderr_fd, middle, sizeof(middle) - 1);
    (void)!write(stderr_fd, text, strlen(text));
}

static void on_signal(int number)
{
    say_error(number == SIGPROF || number == SIGALRM ? "FAILED: the program hangs"
                                                     : "FAILED: the program crashes");
    _exit(1);
}

/* Called by AddressSanitizer before it prints its report. */
void __asan_on_error(void);
void __asan_on_error(void)
{
    dup2(stderr_fd, STDERR_FILENO);
    say_error("FAILED: the sanitizer reports an error");
}

void watch_setup(void)
{
    static const int hangs[] = {SIGPROF, SIGALRM};
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

    for (size_t i = 0; i < sizeof(hangs) / sizeof(hangs[0]); i++) {
        signal(hangs[i], on_signal);
    }
#ifndef __SANITIZE_ADDRESS__
    for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++) {
        signal(crashes[i], on_signal);
    }
#else
    (void)crashes;
#endif
}

void watch_hide_stderr(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    stderr_fd = dup(STDERR_FILENO);
    if (null < 0 || stderr_fd < 0 || dup2(null, STDERR_FILENO) < 0) {
        perror("watch");
        exit(2);
    }
    close(null);
}

void watch_begin(void)
{
    const struct itimerval cpu = {.it_value.tv_sec = WATCH_CPU_S};

    text[0] = '\0';
    watch_peak_reset();
    setitimer(ITIMER_PROF, &cpu, NULL);
    alarm(WATCH_WALL_S);
}

void watch_say(const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;

    va_start(args, format);
    vsnprintf(text + used, sizeof(text) - used, format, args);
    va_end(args);
}

const char *watch_text(void)
{
    return text;
}

size_t watch_peak_bytes(void)
{
    return peak - base;
}

void watch_peak_reset(void)
{
    base = peak = held;
}

/* ------------------------------------------- malloc and free, wrapped by the linker's --wrap */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void __real_free(void *memory);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t count, size_t bytes);
void __wrap_free(void *memory);

static void *taken(void *memory)
{
    held += malloc_usable_size(memory);
    peak = held > peak ? held : peak;
    return memory;
}

/* Memory that a library allocated was not counted, but may be freed here. */
static void given(size_t bytes)
{
    held -= bytes < held ? bytes : held;
}

void *__wrap_malloc(size_t bytes)
{
    return taken(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return taken(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    size_t before = malloc_usable_size(memory);
    void *moved = __real_realloc(memory, bytes);

    if (moved) {
        given(before);
        taken(moved);
    }
    return moved;
}

void *__wrap_reallocarray(void *memory, size_t count, size_t bytes)
{
    size_t all;

    return __builtin_mul_overflow(count, bytes, &all) ? NULL : __wrap_realloc(memory, all);
}

void __wrap_free(void *memory)
{
    given(malloc_usable_size(memory));
    __real_free(memory);
}
