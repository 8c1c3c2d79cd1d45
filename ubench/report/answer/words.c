/* SPDX-License-Identifier: ISC */
#include "report/answer/words.h"

#include <inttypes.h>
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
    /* Of those that are enough, which have no rate of a demand. */
    const char *missing[ANSWER_DEMANDS];
    const struct answer_row *worst; /* of those that are known, or NULL */
    double worst_times;
};

static const char *const demands[] = { "renewals", "restarts" };

static void add_name(struct arena *memory, const char **names, const char *name)
{
    *names = arena_join(memory, *names, "; ", "%s", name);
}

/* Adds a row that is fast enough, as far as its rates are known. */
static void add_enough(struct arena *memory, struct verdict *verdict,
                       const struct answer_row *row, const char *name)
{
    verdict->enough++;
    add_name(memory, &verdict->enough_names, name);
    for (int i = 0; i < ANSWER_DEMANDS; i++) {
        if (row->rates[i].kind == RATE_UNKNOWN)
            add_name(memory, &verdict->missing[i], name);
    }
}

static struct verdict judge(struct arena *memory, const struct answer *answer,
                            uint64_t clients)
{
    struct verdict verdict = { .clients = clients,
                               .enough_names = "",
                               .slow_names = "",
                               .unknown_names = "",
                               .missing = { "", "" } };

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
            add_enough(memory, &verdict, row, name);
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
    const char *text = "";

    for (int i = 0; i < ANSWER_DEMANDS; i++) {
        if (row->rates[i].kind != RATE_UNKNOWN)
            text = arena_join(memory, text, " and ", "%s %s",
                              words_figure(memory, row->rates[i].per_s),
                              demands[i]);
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
    const bool both = verdict->missing[ANSWER_RENEWALS][0] == '\0' &&
                      verdict->missing[ANSWER_RESTARTS][0] == '\0';
    const char *const also =
        !both ? ""
              : arena_print(memory, ", also when all of them restart within %s",
                            name_time(memory, answer->site.restart_s));
    const char *text;

    if (verdict->slow + verdict->unknown == 0)
        text = arena_print(memory,
                           "every store measured here is fast enough%s.", also);
    else if (verdict->enough == 0)
        text = arena_print(memory, "no store measured here is fast enough: %s.",
                           verdict->slow_names);
    else
        text = arena_print(memory, "these are fast enough%s: %s.", also,
                           verdict->enough_names);
    for (int i = 0; i < ANSWER_DEMANDS; i++) {
        if (verdict->missing[i][0] != '\0')
            text = arena_print(memory, "%s  No %s were measured of: %s.", text,
                               demands[i], verdict->missing[i]);
    }
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

/* Rows are in the order of all their runs; a pair may have others in common. */
static const char *order_of(const struct answer_pair *pair)
{
    return !pair->shown ? "=" : pair->contrast.ratio < 1 ? ">" : "<";
}

const char *words_order(struct arena *memory, const struct answer_class *of)
{
    const char *text = of->count > 1 ? of->rows[0].group->label : "";

    for (size_t i = 0; i + 1 < of->count; i++) {
        const struct answer_pair *const pair = pair_of(of, i, i + 1);

        if (!pair->alike || !(pair->contrast.interval.coverage > 0))
            return "";
        text = arena_print(memory, "%s %s %s", text, order_of(pair),
                           of->rows[i + 1].group->label);
    }
    for (size_t a = 0; a < of->count; a++) {
        bool tied = true;

        for (size_t b = a + 1; b < of->count; b++) {
            tied = tied && !pair_of(of, b - 1, b)->shown;
            if (tied && pair_of(of, a, b)->shown)
                text = arena_print(
                    memory, "%s, %s %s %s", text, of->rows[a].group->label,
                    order_of(pair_of(of, a, b)), of->rows[b].group->label);
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

        if (rate->kind != RATE_UNKNOWN &&
            (rate->kind == RATE_ESTIMATED) == estimated)
            text = arena_join_once(memory, text, ", ", rate->source);
    }
    return text;
}

static const char *note_rates(struct arena *memory, const struct answer *answer)
{
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
            text = arena_print(memory, "%s; %s: -w %s", text, demands[i], of);
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
    bool same = true;

    if (answer->disturbed == 0 || verdict.worst == NULL)
        return "";
    for (size_t i = 0; i < answer->row_count; i++) {
        const struct answer_row *const row = &answer->rows[i];
        const double clients = (double)verdict.clients;
        const double median = answer_least_times(&answer->site, row, clients);
        double of_row = INFINITY;

        for (int k = 0; k < ANSWER_DEMANDS; k++) {
            const struct rate *const rate = &row->rates[k];
            const double times = answer_times(&answer->site, row,
                                              (enum answer_demand)k, clients);

            if (!isnan(times))
                of_row = fmin(of_row, times * rate->least / rate->per_s);
        }
        if (!isnan(median))
            same = same && (of_row >= reserve) == (median >= reserve);
        least = fmin(least, of_row);
    }
    return arena_print(
        memory,
        "%zu of %zu results, such as: %s.  Even so the slowest single run did "
        "%s times what %s clients need, so %s",
        answer->disturbed, answer->result_count, answer->warning,
        words_figure(memory, least), units_count(UNITS_TEXT, verdict.clients),
        same ? "the answer stays the same; only close differences deserve a "
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

/* Why no more clients are answered for, if some row does not speak for all, and
   how to measure with as many leases as it takes. */
static const char *note_most(struct arena *memory, const struct answer *answer)
{
    const uint64_t wanted =
        answer->site.clients > 0 ? answer->site.clients : 1000000;
    const uint64_t leases = (wanted + 9) / 10;
    /* dhcp.sh has so many addresses; in an emptier pool one is found sooner. */
    const uint64_t most_pool = 16000000;
    const uint64_t pool = 100 * leases < most_pool ? 100 * leases : most_pool;
    const uint64_t percent = (100 * leases + pool - 1) / pool;
    bool fewer[2] = { false, false }; /* of stores, of servers */
    const char *ways = "";

    for (size_t i = 0; i < answer->row_count; i++) {
        const struct answer_row *const row = &answer->rows[i];

        for (int k = 0; k < ANSWER_DEMANDS; k++)
            fewer[row->group->records[0]->server != NULL] |=
                (double)wanted > answer_most(row, (enum answer_demand)k);
    }
    if (fewer[0])
        ways = arena_print(memory, "--preload=%" PRIu64, leases);
    if (fewer[1] && percent < 100)
        ways = arena_join(memory, ways, ", of a server ",
                          "dhcp.sh --full %" PRIu64 " --pool %" PRIu64, percent,
                          pool);
    return ways[0] == '\0'
               ? ""
               : arena_print(memory,
                             "results speak for ten times the leases that were "
                             "in the store; %s measures with more",
                             ways);
}

/* Why rates of some rows are not known, or do not speak for all clients. */
static const char *note_unknown(struct arena *memory,
                                const struct answer *answer)
{
    const char *text = "";

    for (size_t i = 0; i < answer->row_count; i++) {
        for (int k = 0; k < ANSWER_DEMANDS; k++) {
            const struct rate *const rate = &answer->rows[i].rates[k];

            if (rate->kind == RATE_UNKNOWN)
                text = arena_join_once(memory, text, "; ", rate->source);
        }
    }
    const char *const most = note_most(memory, answer);
    return most[0] != '\0' ? arena_join(memory, text, "; ", "%s", most) : text;
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
        if (!has_server)
            alone = arena_join_once(memory, alone, ", ", store);
    }
    if (!has_server(answer))
        return "a DHCP server, which adds its own work to each exchange "
               "(scripts/dhcp.sh measures one)";
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
                      "to tell (scripts/sweep)"
                    : "a renews faster, by more than chance; a = b and "
                      "uncertain: it may be chance, since so many are compared "
                      "at once, even where an interval leaves out 1; times "
                      "slower: of runs side by side, so not quite the quotient "
                      "of the medians" },
        { "rates", note_rates(memory, answer) },
        { "~", note_estimates(memory, answer) },
        { "n/a", note_unknown(memory, answer) },
        { "node loss", answer_has_node_loss(answer) ? node_loss_meaning : "" },
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
