/* SPDX-License-Identifier: ISC */
/* ubench_report predict: what a server grants, predicted and measured. */
#include "programs/report.h"
#include "report/predict/text.h"

static const struct opt predict_opts[] = {
    { OPT_DURATION(struct report_config, server_time_ns), .name = "server-time",
      .arg = "TIME", .min = 1000, .max = 1000000000, .group = "The server",
      .help = "its own time for a lease; unset: from its results" },
    REPORT_OPT_FORMAT,
    REPORT_OPT_HELP
};

static int run_predict(struct report_input *input, struct err *err)
{
    struct predict predict;
    const int status = predict_init(&predict, input->config->server_time_ns,
                                    &input->archive, err);

    if (status == 0)
        predict_print(&predict, (enum grid_format)input->config->format,
                      stdout);
    predict_release(&predict);
    return status == 0 ? REPORT_DONE : REPORT_FAILED;
}

const struct report_command report_predict = {
    .name = "predict",
    .operands = "FILE...",
    .summary = "what a DHCP server grants, predicted and measured",
    .epilogue = "ubench_report predict kea.jsonl stores.jsonl\n"
                "    puts predictions from the stores beside what dhcp.sh "
                "measured\n",
    .opts = predict_opts,
    .run = run_predict,
};
