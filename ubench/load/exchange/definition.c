/* SPDX-License-Identifier: ISC */
#include "load/exchange/definition.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/nearest.h"
#include "core/text.h"
#include "core/units.h"

static const char blanks[] = " \t\r";

/* When a step can be performed. */
enum need {
    NEEDS_CLIENT,   /* in an exchange with a client */
    NEEDS_NO_LEASE, /* before the client has a lease */
    NEEDS_LEASE,    /* while it has one */
    NEEDS_SERVER,   /* in the server's own work */
};

/* What a correct store answers. */
enum answer {
    ANSWER_HIT,
    ANSWER_MISS,
    ANSWER_LEASE, /* HIT if the client has a lease */
};

static const struct operation {
    const char *word;
    unsigned families;
    enum need need;
    enum answer answer;
    bool ends; /* it leaves the client without a lease */
} operations[] = {
    [STEP_FIND_CLIENT_ID] = { "find_by_client_id", EXCHANGE_V4, NEEDS_CLIENT, ANSWER_LEASE, false },
    [STEP_FIND_HWADDR] = { "find_by_hwaddr", EXCHANGE_V4, NEEDS_CLIENT, ANSWER_LEASE, false },
    [STEP_FIND_DUID] = { "find_by_duid", EXCHANGE_V6, NEEDS_CLIENT, ANSWER_LEASE, false },
    [STEP_FIND_IN_SUBNET] = { "find_by_duid_in_subnet", EXCHANGE_V6, NEEDS_CLIENT, ANSWER_LEASE,
                              false },
    [STEP_FIND_ADDRESS] = { "find_by_address", EXCHANGE_V4 | EXCHANGE_V6, NEEDS_CLIENT,
                            ANSWER_LEASE, false },
    [STEP_CHECK_CANDIDATES] = { "candidates", EXCHANGE_V4 | EXCHANGE_V6, NEEDS_NO_LEASE,
                                ANSWER_MISS, false },
    [STEP_FIND_RESERVATION] = { "find_reservation", EXCHANGE_V4, NEEDS_CLIENT, ANSWER_HIT, false },
    [STEP_CREATE] = { "create", EXCHANGE_V4 | EXCHANGE_V6, NEEDS_NO_LEASE, ANSWER_HIT, false },
    [STEP_RENEW] = { "renew", EXCHANGE_V4 | EXCHANGE_V6, NEEDS_LEASE, ANSWER_HIT, false },
    [STEP_RELEASE] = { "release", EXCHANGE_V4 | EXCHANGE_V6, NEEDS_LEASE, ANSWER_HIT, true },
    [STEP_DECLINE] = { "decline", EXCHANGE_V4 | EXCHANGE_V6, NEEDS_LEASE, ANSWER_HIT, true },
    [STEP_REMOVE] = { "remove", EXCHANGE_V4 | EXCHANGE_V6, NEEDS_LEASE, ANSWER_HIT, true },
    [STEP_LIST_EXPIRED] = { "list_expired", EXCHANGE_V4 | EXCHANGE_V6, NEEDS_SERVER, ANSWER_HIT,
                            false },
    [STEP_RECLAIM] = { "reclaim", EXCHANGE_V4 | EXCHANGE_V6, NEEDS_SERVER, ANSWER_HIT, false },
    [STEP_PURGE] = { "purge_reclaimed", EXCHANGE_V4 | EXCHANGE_V6, NEEDS_SERVER, ANSWER_HIT,
                     false },
    [STEP_EXPIRE] = { "expire", EXCHANGE_V4 | EXCHANGE_V6, NEEDS_LEASE, ANSWER_HIT, true },
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static const char *const parties[] = {
    [PARTY_NEW] = "new",
    [PARTY_KNOWN] = "known",
    [PARTY_NONE] = "server",
};
enum { PARTIES = sizeof parties / sizeof *parties };

static const char *const answers[] = { [OUTCOME_MISS] = "miss", [OUTCOME_HIT] = "hit" };

/* The state of reading a file. */
struct reader {
    const char *path;
    unsigned line;
    enum lease_family family;
    struct mix *mix;
    struct err *err;
    /* The exchange whose steps are read; its name is NULL before the first one. */
    struct exchange exchange;
    uint64_t weight;
    unsigned begun_line;
    size_t steps;
    bool has_lease;    /* its client has a lease after the steps so far */
    const char *ended; /* step that ended the lease, or NULL */
};

/* Sets err to a message about the line.  Returns -1. */
__attribute__((format(printf, 2, 3))) static int refuse(const struct reader *reader,
                                                        const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return err_usage(reader->err, "--workload: %s:%u: %s", reader->path, reader->line, text);
}

/* Returns the next word of a line; NULL at its end. */
static char *next_word(char **rest)
{
    char *const word = *rest + strspn(*rest, blanks);
    const size_t length = strcspn(word, blanks);

    *rest = word + length + (word[length] != '\0');
    word[length] = '\0';
    return length > 0 ? word : NULL;
}

/* The beginning of an exchange */

static int read_weight(struct reader *reader, const char *word)
{
    if (word == NULL)
        return refuse(reader, "expected a number after 'weight'");
    if (units_scan_count(word, &reader->weight) != 0 || reader->weight < 1 ||
        reader->weight > MIX_WEIGHT_MAX)
        return refuse(reader, "weight: '%s' is not a whole number in 1..%d", word, MIX_WEIGHT_MAX);
    return 0;
}

/* Reads a word without a value: the client of the exchange, or the time at which it comes. */
static int read_trait(struct reader *reader, const char *word, bool *has_party)
{
    struct nearest nearest = { .typed = word };

    if (strcmp(word, "any-time") == 0) {
        reader->exchange.any_time = true;
        return 0;
    }
    for (size_t p = 0; p < PARTIES; p++) {
        if (strcmp(word, parties[p]) != 0)
            continue;
        if (*has_party)
            return refuse(reader, "'%s': the line already has '%s'; leave one of them out", word,
                          parties[reader->exchange.party]);
        reader->exchange.party = (enum exchange_party)p;
        *has_party = true;
        return 0;
    }
    (void)refuse(reader, "'%s': expected weight N, new, known, server or any-time", word);
    for (size_t p = 0; p < PARTIES; p++)
        nearest_try(&nearest, parties[p]);
    nearest_try(&nearest, "weight");
    nearest_try(&nearest, "any-time");
    return nearest_add(&nearest, "", reader->err);
}

static int check_name(const struct reader *reader, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";

    if (name == NULL)
        return refuse(reader, "expected a name after 'exchange'");
    if (name[0] < 'a' || name[0] > 'z' || name[strspn(name, letters)] != '\0' ||
        strlen(name) > DEFINITION_NAME_MAX)
        return refuse(reader,
                      "'%s' is not a name: expected a small letter, then small letters, digits, "
                      "- and _, %d at most",
                      name, DEFINITION_NAME_MAX);
    if (mix_has(reader->mix, name))
        return refuse(reader, "'%s' is the name of an exchange above", name);
    if (reader->mix->count == MIX_MAX)
        return refuse(reader, "'%s': a file has %d exchanges at most", name, MIX_MAX);
    return 0;
}

static int begin_exchange(struct reader *reader, char *rest)
{
    const char *const name = next_word(&rest);
    bool has_party = false;
    const char *word;

    if (check_name(reader, name) != 0)
        return -1;
    reader->exchange = (struct exchange){
        .name = name, .families = 1u << reader->family, .party = PARTY_KNOWN, .leases = 1
    };
    reader->weight = 1;
    reader->begun_line = reader->line;
    reader->steps = 0;
    while ((word = next_word(&rest)) != NULL) {
        const int status = strcmp(word, "weight") == 0 ? read_weight(reader, next_word(&rest))
                                                       : read_trait(reader, word, &has_party);
        if (status != 0)
            return -1;
    }
    if (reader->exchange.any_time && reader->exchange.party != PARTY_KNOWN)
        return refuse(reader, "'any-time' is for a client with a lease: expected 'known'");
    reader->has_lease = reader->exchange.party == PARTY_KNOWN;
    reader->ended = NULL;
    return 0;
}

/* Steps */

static const char *family_of(const struct operation *operation)
{
    return operation->families == EXCHANGE_V6 ? "IPv6, which needs --ipv6"
                                              : "IPv4, and not for --ipv6";
}

/* Finds an operation by its name.  Returns NULL, with the reader's err, if these leases have no
   such operation. */
static const struct operation *find_operation(const struct reader *reader, const char *word)
{
    struct nearest nearest = { .typed = word };
    const char *comma = "";

    for (size_t a = 0; a < OPERATIONS; a++) {
        if (operations[a].word == NULL || strcmp(operations[a].word, word) != 0)
            continue;
        if ((operations[a].families & 1u << reader->family) != 0)
            return &operations[a];
        (void)refuse(reader, "'%s' is for %s", word, family_of(&operations[a]));
        return NULL;
    }
    (void)refuse(reader, "'%s' is not an operation: expected ", word);
    nearest_try(&nearest, "exchange");
    for (size_t a = 0; a < OPERATIONS; a++) {
        if (operations[a].word == NULL || (operations[a].families & 1u << reader->family) == 0)
            continue;
        nearest_try(&nearest, operations[a].word);
        err_add(reader->err, "%s%s", comma, operations[a].word);
        comma = ", ";
    }
    err_add(reader->err, ", or 'exchange NAME'");
    (void)nearest_add(&nearest, "", reader->err);
    return NULL;
}

/* Refuses an operation that the exchange cannot perform at this place. */
static int check_place(const struct reader *reader, const struct operation *operation)
{
    const bool server = reader->exchange.party == PARTY_NONE;
    const char *const word = operation->word;

    if (server != (operation->need == NEEDS_SERVER))
        return refuse(reader,
                      server ? "'%s' needs a client: write 'new' or 'known' instead of "
                               "'server' in line %u"
                             : "'%s' is work of a server by itself: write 'server' in "
                               "line %u",
                      word, reader->begun_line);
    if (reader->ended != NULL)
        return refuse(reader, "'%s': expected nothing after '%s', which ends the lease", word,
                      reader->ended);
    if (operation->need == NEEDS_LEASE && !reader->has_lease)
        return refuse(reader,
                      "'%s' needs a lease: write 'create' before it, or 'known' instead of "
                      "'new' in line %u",
                      word, reader->begun_line);
    if (operation->need != NEEDS_NO_LEASE || !reader->has_lease)
        return 0;
    return reader->exchange.party == PARTY_NEW
               ? refuse(reader,
                        "'%s' is for a client without a lease: expected it before "
                        "'create'",
                        word)
               : refuse(reader, "'%s' is for a client without a lease: write 'new' in line %u",
                        word, reader->begun_line);
}

static int read_answer(const struct reader *reader, const struct operation *operation,
                       const char *word, enum outcome *answer)
{
    const bool hit =
        operation->answer == ANSWER_HIT || (operation->answer == ANSWER_LEASE && reader->has_lease);

    *answer = hit ? OUTCOME_HIT : OUTCOME_MISS;
    if (word == NULL)
        return refuse(reader, "expected hit or miss after '%s'", operation->word);
    if (strcmp(word, answers[OUTCOME_HIT]) != 0 && strcmp(word, answers[OUTCOME_MISS]) != 0)
        return refuse(reader, "'%s': expected hit or miss after '%s'", word, operation->word);
    if (strcmp(word, answers[*answer]) == 0)
        return 0;
    return operation->answer == ANSWER_LEASE
               ? refuse(reader,
                        "'%s': a correct store answers '%s', because the client has %s "
                        "lease here",
                        word, answers[*answer], hit ? "a" : "no")
               : refuse(reader, "'%s': expected '%s' after '%s'", word, answers[*answer],
                        operation->word);
}

/* Reads the name of a step: the rest of its line, or the operation if that is empty. */
static int read_step_name(const struct reader *reader, const struct operation *operation,
                          char *rest, const char **name)
{
    size_t length;
    bool clean = true;

    rest += strspn(rest, blanks);
    for (length = strlen(rest); length > 0 && strchr(blanks, rest[length - 1]) != NULL; length--)
        rest[length - 1] = '\0';
    for (const char *c = rest; *c != '\0' && clean;)
        c += text_character(c, &clean);
    if (!clean || length > DEFINITION_STEP_MAX)
        return refuse(reader,
                      "the name of a step has %d bytes at most, in UTF-8 and without control "
                      "characters",
                      DEFINITION_STEP_MAX);
    *name = length > 0 ? rest : operation->word;
    for (size_t i = 0; i < reader->steps; i++) {
        if (strcmp(reader->exchange.steps[i].name, *name) == 0)
            return refuse(reader,
                          "'%s' is the name of a step above: write another one after "
                          "the answer",
                          *name);
    }
    return 0;
}

static int add_step(struct reader *reader, const char *word, char *rest)
{
    struct step *const step = &reader->exchange.steps[reader->steps];
    const struct operation *const operation = find_operation(reader, word);

    if (operation == NULL)
        return -1;
    if (reader->exchange.name == NULL)
        return refuse(reader, "'%s': expected 'exchange NAME' before the first step", word);
    if (reader->steps == STEPS_MAX)
        return refuse(reader, "'%s': an exchange has %d steps at most", word, STEPS_MAX);
    if (check_place(reader, operation) != 0 ||
        read_answer(reader, operation, next_word(&rest), &step->expected) != 0 ||
        read_step_name(reader, operation, rest, &step->name) != 0)
        return -1;
    step->action = (enum step_action)(operation - operations);
    reader->has_lease = (reader->has_lease || step->action == STEP_CREATE) && !operation->ends;
    reader->ended = operation->ends ? word : NULL;
    reader->steps++;
    return 0;
}

/* The end of an exchange */

static bool is_same(const struct exchange *a, const struct exchange *b)
{
    size_t i = 0;

    while (a->steps[i].action == b->steps[i].action && a->steps[i].action != STEP_END)
        i++;
    return a->party == b->party && a->any_time == b->any_time &&
           a->steps[i].action == b->steps[i].action;
}

static int end_exchange(struct reader *reader)
{
    struct exchange *const exchange = &reader->exchange;
    const char *const name = exchange->name;
    const size_t reclaims = exchange_steps(exchange, STEP_RECLAIM);
    const size_t purges = exchange_steps(exchange, STEP_PURGE);

    if (name == NULL)
        return 0;
    reader->line = reader->begun_line;
    if (reader->steps == 0)
        return refuse(reader, "'%s' has no steps: expected one on each line below", name);
    if (exchange_steps(exchange, STEP_LIST_EXPIRED) > 0 && reclaims == 0)
        return refuse(reader,
                      "'%s' has list_expired without reclaim: expected both, because "
                      "only leases to be reclaimed expire",
                      name);
    if (exchange->party == PARTY_NONE)
        exchange->leases = (unsigned)(reclaims * RECLAIM_LEASES + purges * PURGE_LEASES);
    /* One name means one thing, in digests and reports. */
    const struct exchange *const known =
        exchange_find(exchange_table, name, strlen(name), reader->family);
    if (known != NULL && !is_same(known, exchange))
        return refuse(reader,
                      "'%s' is a built-in exchange with other steps: choose another name (-w %s "
                      "--print-exchange prints it)",
                      name, name);
    mix_add(reader->mix, exchange, reader->weight, reader->family);
    return 0;
}

static int read_line(struct reader *reader, char *line)
{
    line[strcspn(line, "#")] = '\0';
    const char *const word = next_word(&line);

    if (word == NULL)
        return 0;
    if (strcmp(word, "exchange") != 0)
        return add_step(reader, word, line);
    const unsigned number = reader->line;
    if (end_exchange(reader) != 0)
        return -1;
    reader->line = number;
    return begin_exchange(reader, line);
}

/* Reads the whole file into the text of the mix.  Returns 0, or -1 with err. */
static int read_text(const char *path, struct mix *mix, struct err *err)
{
    FILE *const file = fopen(path, "re");

    if (path[0] == '\0')
        return err_usage(err, "--workload: expected a file after '@', such as @portal.txt");
    if (file == NULL)
        return err_usage(err, "--workload: %s: %s", path, strerror(errno));
    mix->text = err_calloc(DEFINITION_FILE_MAX + 2, 1, err);
    if (mix->text == NULL) {
        (void)fclose(file);
        return -1;
    }
    const size_t size = fread(mix->text, 1, DEFINITION_FILE_MAX + 1, file);
    const int why = ferror(file) ? errno : 0;
    (void)fclose(file);
    if (why != 0)
        return err_usage(err, "--workload: %s: %s", path, strerror(why));
    if (size > DEFINITION_FILE_MAX || strlen(mix->text) != size)
        return err_usage(err, "--workload: %s: expected a text of %d bytes at most", path,
                         DEFINITION_FILE_MAX);
    return 0;
}

int definition_read(const char *path, enum lease_family family, struct mix *mix, struct err *err)
{
    struct reader reader = { .path = path, .family = family, .mix = mix, .err = err };
    int status = read_text(path, mix, err);
    char *rest = mix->text;

    for (char *line; status == 0 && (line = strsep(&rest, "\n")) != NULL;) {
        reader.line++;
        status = read_line(&reader, line);
    }
    if (status == 0)
        status = end_exchange(&reader);
    if (status == 0 && mix->count == 0)
        status = err_usage(err,
                           "--workload: %s has no exchange: expected 'exchange NAME' and its "
                           "steps",
                           path);
    if (status == 0)
        mix_divide(mix);
    else
        mix_release(mix);
    return status;
}

void definition_write(const struct exchange *exchange, uint64_t weight, FILE *out)
{
    if (exchange->help != NULL)
        (void)fprintf(out, "# %s\n", exchange->help);
    (void)fprintf(out, "exchange %s", exchange->name);
    if (weight != 1)
        (void)fprintf(out, " weight %llu", (unsigned long long)weight);
    (void)fprintf(out, " %s%s\n", parties[exchange->party], exchange->any_time ? " any-time" : "");
    for (const struct step *s = exchange->steps; s->action != STEP_END; s++)
        (void)fprintf(out, "    %-22s  %-4s  %s\n", operations[s->action].word,
                      answers[s->expected], s->name);
}

char *definition_text(const struct exchange *exchange, uint64_t weight)
{
    char *text = NULL;
    size_t size;
    FILE *const out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    definition_write(exchange, weight, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
