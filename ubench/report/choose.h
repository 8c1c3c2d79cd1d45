/* SPDX-License-Identifier: ISC */
/* Results that are chosen by KEY=VALUE: a parameter, a fact, a label, something
   of the machine, or store, version or durability. */
#ifndef UBENCH_REPORT_CHOOSE_H
#define UBENCH_REPORT_CHOOSE_H

#include "core/err.h"
#include "core/opt.h"
#include "record/archive.h"

/* "power-safe"; "unknown" of published figures. */
const char *choose_class(const struct record *record);

/* What a record has under a key, wherever it stands; NULL if it has not. */
const char *choose_value(const struct record *record, const char *key);

/* True if the record has all of these; none: it has. */
bool choose_has_all(const struct record *record,
                    const struct opt_settings *wanted);

/* The first value that the settings have for a key; NULL if they have none. */
const char *choose_setting(const struct opt_settings *settings,
                           const char *key);

/* Returns 0 if each of the settings is that of some record, or -1 with err,
   which says what there is instead; option: where they were given. */
int choose_check(const char *option, const struct opt_settings *settings,
                 const struct archive *archive, struct err *err);

#endif
