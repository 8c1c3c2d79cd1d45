/* SPDX-License-Identifier: ISC */
/*
 * The lease file that Kea's memfile writes, as far as it is ubench's: which
 * file it may be, that no other run has it, and its beginning.
 */
#ifndef UBENCH_STORE_KEA_FILE_H
#define UBENCH_STORE_KEA_FILE_H

#include "core/err.h"
#include "lease/lease.h"

struct kea_file;

/*
 * Opens or makes the file at path, which must outlive it, locks it and removes
 * all that is in it: Kea writes its own header.  Refuses, and changes nothing,
 * a file that ubench did not make, or of the other family, or that another run
 * has open.  NULL with err on failure.
 */
struct kea_file *kea_file_open(const char *path, enum lease_family family,
                               struct err *err);
void kea_file_close(struct kea_file *file); /* NULL is fine */

/* Closes it and removes it, if it was not there before.  NULL is fine. */
void kea_file_undo(struct kea_file *file);

/* Removes all that is in it again.  Returns 0, or -1 with err. */
int kea_file_empty(struct kea_file *file, struct err *err);

/* Looks whether the file at path is there, is ubench's and of that family.
   Returns 0, or -1 with err. */
int kea_file_check(const char *path, enum lease_family family, struct err *err);

#endif
