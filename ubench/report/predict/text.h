/* SPDX-License-Identifier: ISC */
/* Predictions as a table, and what is to be said of them. */
#ifndef UBENCH_REPORT_PREDICT_TEXT_H
#define UBENCH_REPORT_PREDICT_TEXT_H

#include "report/grid.h"
#include "report/predict/predict.h"

void predict_print(const struct predict *predict, enum grid_format format,
                   FILE *out);

#endif
