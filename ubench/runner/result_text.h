/* SPDX-License-Identifier: ISC */
/* Parts of the text of a run, for result_text*.c alone. */
#ifndef UBENCH_RUNNER_RESULT_TEXT_H
#define UBENCH_RUNNER_RESULT_TEXT_H

#include "runner/result.h"

/* The tables of all runs of a closed loop. */
void text_print_closed(const struct result *result, FILE *out);

/* Those of one run of an open loop, in the words of perfdhcp where it has one:
   rate, sent, received, drops, drop time. */
void text_print_open(const struct result *result, const struct result_run *run,
                     FILE *out);

#endif
