/* SPDX-License-Identifier: ISC */
/*
 * What came of an open loop, as text, in the words of perfdhcp where it has
 * one: rate, sent, received, drops, drop time.
 */
#ifndef UBENCH_REPORT_OPEN_TABLES_H
#define UBENCH_REPORT_OPEN_TABLES_H

#include <stdio.h>

#include "load/openloop/open_result.h"

void open_tables_print(const struct open_config *config,
                       const struct open_result *open, FILE *out);

#endif
