/* SPDX-License-Identifier: ISC */
#include "report/answer/words.h"

#include <math.h>
#include <string.h>

#include "core/units.h"
#include "record/server.h"

const char *words_figure(struct arena *memory, double value)
{
    if (!(value >= 999.5))
        return arena_print(memory, "%.3g", value);
    const double unit = pow(10, floor(log10(value)) - 2);
    return arena_text(
        memory,
        units_count(UNITS_TEXT, (uint64_t)(round(value / unit) * unit)));
}

/* "24 hours" */
static const char *name_time(struct arena *memory, double seconds)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = { { 3600, "hour" }, { 60, "minute" }, { 1, "second" } };
    size_t i = 0;

    while (i < 2 && fmod(seconds, units[i].seconds) > 0)
        i++;
    const double count = seconds / units[i].seconds;
    return arena_print(memory, "%.6g %s%s", count, units[i].name,
                       count > 1 || count < 1 ? "s" : "");
}

const char *words_row(struct arena *memory, const struct answer *answer,
                      const struct answer_row *row)
{
    for (size_t i = 0; i < answer->row_count; i++) {
        const struct answer_row *const other = &answer->rows[i];

        if (other != row && strcmp(other->group->label, row->group->label) == 0)
            return arena_print(memory, "%s (%s)", row->group->label,
                               row->group->section->title);
    }
    return row->group->label;
}

/* The answer */

/* Of so many clients: which rows carry them. */
struct verdict {
    uint64_t clients;
    size_t enough, slow, unknown;
    const char *enough_names, *slow_names, *unknown_names;
    const struct answer_row *worst; /* of those that are known, or NULL */
    double worst_times;
};

static void add_name(struct arena *memory, const char **names, const char *name)
{
    *names = arena_join(memory, *names, "; ", "%s", name);
}

static struct verdict judge(struct arena *memory, const struct answer *answer,
                            uint64_t clients)
{
    struct verdict verdict = { .clients = clients,
                               .enough_names = "",
                               .slow_names = "",
                               .unknown_names = "" };

    for (size_t i = 0; i < answer->row_count; i++) {
        const struct answer_row *const row = &answer->rows[i];
        const double times =
            answer_least_times(&answer->site, row, (double)clients);
        const char *const name = words_row(memory, answer, row);

        if (isnan(times)) {
            verdict.unknown++;
            add_name(memory, &verdict.unknown_names, name);
            continue;
        }
        if (verdict.worst == NULL || times < verdict.worst_times) {
            verdict.worst = row;
            verdict.worst_times = times;
        }
        if (times >= answer->site.reserve) {
            verdict.enough++;
            add_name(memory, &verdict.enough_names, name);
        } else {
            verdict.slow++;
            add_name(memory, &verdict.slow_names,
                     arena_print(memory, "%s, %s times the need", name,
                                 words_figure(memory, times)));
        }
    }
    return verdict;
}

/* Those that were asked for; else the most of the table that all rows carry,
   but at least its first. */
static struct verdict choose_verdict(struct arena *memory,
                                     const struct answer *answer)
{
    struct verdict best = judge(
        memory, answer, answer->site.clients > 0 ? answer->site.clients : 1000);

    for (uint64_t n = 10000; answer->site.clients == 0 && n <= 1000000;
         n *= 10) {
        const struct verdict next = judge(memory, answer, n);

        if (next.slow > 0 || next.enough < best.enough)
            break;
        best = next;
    }
    return best;
}

/* "renewals of ..., 721 a second, and restarts, 640" */
static const char *name_rates(struct arena *memory,
                              const struct answer_row *row)
{
    static const char *const names[] = { "renewals", "restarts" };
    const char *text = "";

    for (int i = 0; i < ANSWER_DEMANDS; i++) {
        if (row->rates[i].kind != RATE_UNKNOWN)
            text =
                arena_join(memory, text, " and ", "%s %s",
                           words_figure(memory, row->rates[i].per_s), names[i]);
    }
    return text;
}

static const char *name_worst(struct arena *memory, const struct answer *answer,
                              const struct verdict *verdict)
{
    const bool alone = answer->row_count == 1;

    return arena_print(memory, "%s%s%s does %s a second, %s times the need",
                       alone ? "" : "The slowest, ",
                       words_row(memory, answer, verdict->worst),
                       alone ? "" : ",", name_rates(memory, verdict->worst),
                       words_figure(memory, verdict->worst_times));
}

/* "these are fast enough, also when ...: sqlite.  Too slow: mysql, 1.2 times
   the need." */
static const char *name_carriers(struct arena *memory,
                                 const struct answer *answer,
                                 const struct verdict *verdict)
{
    const char *const also =
        arena_print(memory, ", also when all of them restart within %s",
                    name_time(memory, answer->site.restart_s));
    const char *text;

    if (verdict->slow + verdict->unknown == 0)
        return arena_print(memory,
                           "every store measured here is fast enough%s.", also);
    if (verdict->enough == 0)
        text = arena_print(memory, "no store measured here is fast enough: %s.",
                           verdict->slow_names);
    else
        text = arena_print(memory, "these are fast enough%s: %s.", also,
                           verdict->enough_names);
    if (verdict->enough > 0 && verdict->slow > 0)
        text =
            arena_print(memory, "%s  Too slow: %s.", text, verdict->slow_names);
    if (verdict->unknown > 0)
        text = arena_print(memory, "%s  Not told (n/a, see below): %s.", text,
                           verdict->unknown_names);
    return text;
}

const char *words_answer(struct arena *memory, const struct answer *answer)
{
    const struct answer_site *const site = &answer->site;
    const struct verdict verdict = choose_verdict(memory, answer);
    const double clients = (double)verdict.clients;
    const char *text = arena_print(memory, "For %s client%s with leases of %s ",
                                   units_count(UNITS_TEXT, verdict.clients),
                                   clients > 1 ? "s" : "",
                                   name_time(memory, site->lease_time_s));

    if (verdict.enough + verdict.slow == 0)
        return arena_print(memory,
                           "%sthese results do not tell which store is fast "
                           "enough; n/a, below, says why.",
                           text);
    text = arena_print(
        memory,
        "%s%s  They need %s renewals a second, as each client renews after %s, "
        "and %s restarts a second while all restart.  %s; %.3g times is "
        "called enough here, for reserve.",
        text, name_carriers(memory, answer, &verdict),
        words_figure(memory, answer_need(site, ANSWER_RENEWALS, clients)),
        name_time(memory, site->lease_time_s * site->renew_at),
        words_figure(memory, answer_need(site, ANSWER_RESTARTS, clients)),
        name_worst(memory, answer, &verdict), site->reserve);
    if (verdict.slow + verdict.unknown == 0 && answer->class_count > 1)
        text = arena_print(memory,
                           "%s  So choose by what may be lost, and not by "
                           "speed: the classes below say what.",
                           text);
    return text;
}

/* The order of a class */

static const struct answer_pair *pair_of(const struct answer_class *of,
                                         size_t a, size_t b)
{
    /* Rows before a have count - 1, count - 2, ... pairs. */
    return &of->pairs[a * of->count - a * (a + 1) / 2 + (b - a - 1)];
}

const char *words_order(struct arena *memory, const struct answer_class *of)
{
    const char *text = of->count > 1 ? of->rows[0].group->label : "";

    for (size_t i = 0; i + 1 < of->count; i++) {
        const struct answer_pair *const pair = pair_of(of, i, i + 1);

        if (!pair->alike || !(pair->contrast.interval.coverage > 0))
            return "";
        text = arena_print(memory, "%s %s %s", text, pair->shown ? ">" : "=",
                           of->rows[i + 1].group->label);
    }
    for (size_t a = 0; a < of->count; a++) {
        bool tied = true;

        for (size_t b = a + 1; b < of->count; b++) {
            tied = tied && !pair_of(of, b - 1, b)->shown;
            if (tied && pair_of(of, a, b)->shown)
                text = arena_print(memory, "%s, %s > %s", text,
                                   of->rows[a].group->label,
                                   of->rows[b].group->label);
        }
    }
    return text;
}

/* Notes */

static bool has_server(const struct answer *answer)
{
    for (size_t i = 0; i < answer->row_count; i++) {
        if (answer->rows[i].group->records[0]->server != NULL)
            return true;
    }
    return false;
}

/* What the rows of a store stand for in Kea. */
static bool has_store(const struct answer *answer, const char *store)
{
    for (size_t i = 0; i < answer->row_count; i++) {
        if (strcmp(answer->rows[i].group->store, store) == 0)
            return true;
    }
    return false;
}

static const char *note_kea(struct arena *memory, const struct answer *answer)
{
    const struct {
        const char *store;
        const char *text;
    } all[] = {
        { "kea",
          "kea is Kea's own lease manager, of memfile if no type is named" },
        { "mysql", "mysql is Kea's store of that name" },
        { "pgsql", "pgsql is Kea's postgresql" },
        { "sqlite", "Kea has no SQLite" },
        { "memfile",
          has_store(answer, "kea")
              ? "memfile is not Kea's, but ubench's own"
              : "memfile is not Kea's, but ubench's own: Kea's is slower, and "
                "only ever process-safe, as it never syncs its file "
                "(kea_ubench measures it)" },
    };
    const char *text = "";

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (has_store(answer, all[i].store))
            text = arena_join(memory, text, "; ", "%s", all[i].text);
    }
    return text;
}

/* The sources of a demand, each once: "renew". */
static const char *list_sources(struct arena *memory,
                                const struct answer *answer, int demand,
                                bool estimated)
{
    const char *text = "";

    for (size_t i = 0; i < answer->row_count; i++) {
        const struct rate *const rate = &answer->rows[i].rates[demand];

        if (rate->kind == RATE_UNKNOWN ||
            (rate->kind == RATE_ESTIMATED) != estimated ||
            strstr(text, rate->source) != NULL)
            continue;
        text = arena_join(memory, text, ", ", "%s", rate->source);
    }
    return text;
}

static const char *note_rates(struct arena *memory, const struct answer *answer)
{
    static const char *const names[] = { "renewals", "restarts" };
    const size_t least = answer->runs_least;
    const char *text = arena_print(memory, "the median of %s%zu run%s",
                                   least < answer->runs_most ? "at least " : "",
                                   least, least == 1 ? "" : "s");

    if (answer->other_threads[0] != '\0')
        text = arena_print(memory,
                           "%s with %s thread%s (--where threads=%s: the "
                           "others)",
                           text, answer->threads,
                           strcmp(answer->threads, "1") == 0 ? "" : "s",
                           answer->other_threads);
    for (int i = 0; i < ANSWER_DEMANDS; i++) {
        const char *const of = list_sources(memory, answer, i, false);

        if (of[0] != '\0')
            text = arena_print(memory, "%s; %s: -w %s", text, names[i], of);
    }
    return text;
}

static const char *note_estimates(struct arena *memory,
                                  const struct answer *answer)
{
    static const char *const names[] = { "renewal", "restart" };
    const char *text = "";

    for (int i = 0; i < ANSWER_DEMANDS; i++) {
        const char *const of = list_sources(memory, answer, i, true);

        if (of[0] != '\0')
            text = arena_join(memory, text, "; ", "a %s is %s", names[i], of);
    }
    return text[0] == '\0'
               ? ""
               : arena_print(memory, "not measured, but estimated%s: %s",
                             has_server(answer) ? "" : " from the phases",
                             text);
}

/* How much less the slowest single run would carry. */
static const char *note_disturbed(struct arena *memory,
                                  const struct answer *answer)
{
    const struct verdict verdict = choose_verdict(memory, answer);
    const double reserve = answer->site.reserve;
    double least = INFINITY;

    if (answer->disturbed == 0 || verdict.worst == NULL)
        return "";
    for (size_t i = 0; i < answer->row_count; i++) {
        for (int k = 0; k < ANSWER_DEMANDS; k++) {
            const struct rate *const rate = &answer->rows[i].rates[k];
            const double times =
                answer_times(&answer->site, &answer->rows[i],
                             (enum answer_demand)k, (double)verdict.clients);

            if (!isnan(times))
                least = fmin(least, times * rate->least / rate->per_s);
        }
    }
    return arena_print(
        memory,
        "%zu of %zu results, such as: %s.  Even so the slowest single run did "
        "%s times what %s clients need, so %s",
        answer->disturbed, answer->result_count, answer->warning,
        words_figure(memory, least), units_count(UNITS_TEXT, verdict.clients),
        (least >= reserve) == (verdict.worst_times >= reserve)
            ? "the answer stays the same; only close differences deserve a "
              "quieter machine"
            : "measure again on a quiet machine");
}

static const char *note_times(struct arena *memory, const struct answer *answer)
{
    const double reserve = answer->site.reserve;

    if (answer->site.clients > 0)
        return arena_print(memory,
                           "the rate to its left, divided by what the clients "
                           "need; %.3g is enough",
                           reserve);
    return arena_print(memory,
                       "how many times what 1,000 clients need, of renewals "
                       "or restarts, whichever is less; %.3g is enough "
                       "(--clients=N, --lease-time=T, --restart-within=T: your "
                       "site)",
                       reserve);
}

/* Why rates of some rows are not known. */
static const char *note_unknown(struct arena *memory,
                                const struct answer *answer)
{
    const char *text = "";

    for (size_t i = 0; i < answer->row_count; i++) {
        for (int k = 0; k < ANSWER_DEMANDS; k++) {
            const struct rate *const rate = &answer->rows[i].rates[k];

            if (rate->kind == RATE_UNKNOWN &&
                strstr(text, rate->source) == NULL)
                text = arena_join(memory, text, "; ", "%s", rate->source);
        }
    }
    return text;
}

/* Why more clients are not answered for, if some row does not speak for all. */
static const char *note_most(struct arena *memory, const struct answer *answer)
{
    const uint64_t wanted =
        answer->site.clients > 0 ? answer->site.clients : 1000000;
    double most = INFINITY;

    for (size_t i = 0; i < answer->row_count; i++) {
        for (int k = 0; k < ANSWER_DEMANDS; k++)
            most = fmin(most,
                        answer_most(&answer->rows[i], (enum answer_demand)k));
    }
    return (double)wanted <= most
               ? ""
               : arena_print(memory,
                             "results speak for ten times the leases that were "
                             "in the store; --preload=%zu measures with more",
                             (size_t)wanted / 10);
}

/* Rows of whole servers, and the stores of which there is none. */
static const char *note_servers(struct arena *memory,
                                const struct answer *answer)
{
    const char *servers = "";
    const char *alone = "";

    for (size_t i = 0; i < answer->row_count; i++) {
        const struct group *const group = answer->rows[i].group;
        const char *const store = group->store;
        bool has_server = false;

        if (group->records[0]->server != NULL) {
            if (servers[0] == '\0')
                servers = store;
            continue;
        }
        for (size_t k = 0; k < answer->row_count; k++) {
            const struct record_server *const server =
                answer->rows[k].group->records[0]->server;

            has_server = has_server ||
                         (server != NULL && strcmp(server->store, store) == 0);
        }
        if (!has_server && strstr(alone, store) == NULL)
            alone = arena_join(memory, alone, ", ", "%s", store);
    }
    if (!has_server(answer))
        return "a DHCP server, which adds its own work to each exchange and so "
               "grants fewer leases (scripts/dhcp.sh measures one)";
    return arena_print(memory,
                       "rows such as %s are of a whole DHCP server with its "
                       "store, which is what a site has: judge by them; the "
                       "others are of a store alone%s%s",
                       servers,
                       alone[0] != '\0' ? "; no server was measured with " : "",
                       alone);
}

size_t words_notes(struct arena *memory, const struct answer *answer,
                   struct words_note notes[static WORDS_NOTES_MAX])
{
    const bool few = answer->runs_least < SIGNIFICANCE_MIN;
    const bool compared = answer->row_count > 1;
    const struct words_note all[WORDS_NOTES_MAX] = {
        { "in Kea", note_kea(memory, answer) },
        { answer->site.clients > 0 ? "times need" : "at 1,000",
          note_times(memory, answer) },
        { few ? "chance" : "a > b",
          !compared ? ""
          : few     ? "may be behind any difference: it takes 6 runs of each "
                      "to tell (scripts/sweep.sh)"
                    : "a renews faster, by more than chance; a = b and "
                      "uncertain: it may be chance, since so many are compared "
                      "at once, even where an interval leaves out 1; times "
                      "slower: of runs side by side, so not quite the quotient "
                      "of the medians" },
        { "rates", note_rates(memory, answer) },
        { "~", note_estimates(memory, answer) },
        { "n/a", note_unknown(memory, answer) },
        { "node loss", answer_has_node_loss(answer) ? node_loss_meaning : "" },
        { "more clients", note_most(memory, answer) },
        { "disturbed", note_disturbed(memory, answer) },
        { has_server(answer) ? "server" : "not measured",
          note_servers(memory, answer) },
    };
    size_t count = 0;

    for (size_t i = 0; i < WORDS_NOTES_MAX; i++) {
        if (all[i].text[0] != '\0')
            notes[count++] = all[i];
    }
    return count;
}
