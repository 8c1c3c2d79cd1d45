/* SPDX-License-Identifier: ISC */
/*
 * An error is a whole sentence, written once, where the error happens, and
 * printed once, by a program's main file.  All functions between them return it
 * unchanged.
 */
#ifndef UBENCH_CORE_ERR_H
#define UBENCH_CORE_ERR_H

#include <stddef.h>

/* The kinds of errors that a caller may want to count or act on. */
enum err_class {
    ERR_OTHER,    /* the default: it can only be reported */
    ERR_USAGE,    /* invalid command line or combination: exit code 2 */
    ERR_BUSY,     /* another process or session locked the store */
    ERR_DEADLOCK, /* the store rolled this transaction back: deadlock */
    ERR_CONFLICT, /* a transaction of another node or session came first */
    ERR_LOST,     /* the connection to the store is gone */
    ERR_TIMEOUT,  /* the store did not answer within its time limit */
    ERR_FULL,     /* no space left on the store's disk */
    ERR_CORRUPT,  /* the stored data is damaged */
    ERR_CANCELED, /* the operation was canceled by backend.cancel */
};

/* Owned by the caller; each thread has its own.  Zeroed: no error. */
struct err {
    enum err_class kind;
    char text[768];
};

/* Writes the sentence, cleaned by text_clean, since it may quote a server.
   Always returns -1. */
int err_set_class(struct err *err, enum err_class kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define err_set(err, ...)   err_set_class(err, ERR_OTHER, __VA_ARGS__)
#define err_usage(err, ...) err_set_class(err, ERR_USAGE, __VA_ARGS__)

/* Allocates like calloc; release with free.  NULL with err if memory is
   short. */
void *err_calloc(size_t count, size_t size, struct err *err);

/* Appends to the sentence in err, and truncates it if it does not fit. */
void err_add(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
