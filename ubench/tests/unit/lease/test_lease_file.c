/* SPDX-License-Identifier: ISC */
#include "lease/lease_file.h"
#include "lease/lease_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/random.h"
#include "lease/generator.h"
#include "tests/lib/check.h"

enum { RECORDS_MAX = 64 };

/* The leases that a load found. */
struct seen {
    size_t count;
    struct lease leases[RECORDS_MAX];
    bool removed[RECORDS_MAX];
};

static int see(void *context, const struct lease *lease, bool removed, struct err *err)
{
    struct seen *const seen = context;

    if (seen->count == RECORDS_MAX)
        return err_set(err, "more records than expected");
    seen->leases[seen->count] = *lease;
    seen->removed[seen->count++] = removed;
    return 0;
}

static char path[64];

static int make_path(void **state)
{
    (void)snprintf(path, sizeof path, "/tmp/test_lease_file.XXXXXX");
    const int file = mkstemp(path);
    if (file < 0)
        return -1;
    return close(file);
}

static int remove_path(void **state)
{
    return unlink(path);
}

static void write_file(const char *bytes, size_t length)
{
    FILE *const file = fopen(path, "w");

    assert_non_null(file);
    check_number("fwrite", fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static int load(struct seen *seen, struct lease_file_stats *stats, struct err *err)
{
    seen->count = 0;
    return lease_file_recover(path, see, seen, stats, err);
}

/* Leases that have something to escape, nothing at all, or all there can be. */
static void make_odd_lease(struct lease *lease, enum lease_file_format format, unsigned which)
{
    const enum lease_family family = format == LEASE_FILE_KEA6 ? LEASE_FAMILY_V6 : LEASE_FAMILY_V4;
    struct generator generator;

    generator_init(&generator, family, which % 2 ? LEASE_PROFILE_GUIDE : LEASE_PROFILE_TYPICAL, 3);
    memset(lease, 0, sizeof *lease);
    generator_make(&generator, which * UINT64_C(1000), which, lease);
    if (which == 2) {
        lease->client_id_length = 0;
        lease->hostname_length = 0;
    } else if (which == 3) {
        lease->client_id_length = family == LEASE_FAMILY_V6 ? LEASE_DUID_MAX : LEASE_CLIENT_ID_MAX;
        lease->hostname_length = LEASE_HOSTNAME_MAX;
        for (int i = 0; i < 255; i++) {
            lease->client_id[i] = (uint8_t)i;
            lease->hostname[i] = (char)(255 - i);
        }
    } else if (which == 4) {
        memcpy(lease->hostname, "a,b&c\"d\\e;}\n{", 13);
        lease->hostname_length = 13;
        lease->state = LEASE_STATE_DECLINED;
    } else if (which == 5) {
        lease->valid_s = UINT32_MAX;
        lease->address.low = UINT32_MAX;
        lease->state = LEASE_STATE_RECLAIMED;
    } else if (which == 6) {
        lease->address.low = 0;
        lease->cltt_s = 951782399; /* a second before 2000-02-29 */
        lease->valid_s = 86401;
    } else if (which == 7) {
        lease->state = LEASE_STATE_RELEASED;
    }
}

enum { ODD_LEASES = 8 };

/* dhcpd keeps neither in its file. */
static void forget_subnet(struct lease *lease, enum lease_file_format format)
{
    if (format == LEASE_FILE_ISC) {
        lease->subnet_id = 0;
        lease->pool_id = 0;
    }
}

TEST(what_is_written_is_read_back)
{
    for (int format = LEASE_FILE_ISC; format <= LEASE_FILE_KEA6; format++) {
        struct lease_writer writer;
        char text[(ODD_LEASES + 2) * LEASE_FILE_RECORD_MAX];
        struct seen seen;
        struct lease_file_stats stats;
        struct lease lease;
        struct err err = { 0 };

        lease_writer_init(&writer, (enum lease_file_format)format);
        size_t length = lease_writer_header(&writer, text);
        enum lease_file_format found = LEASE_FILE_ISC;

        check("header", lease_file_is_ours(text, length, &found), "it is ours");
        check_number("header", found, (uint64_t)format);
        for (unsigned i = 0; i < ODD_LEASES; i++) {
            make_odd_lease(&lease, (enum lease_file_format)format, i);
            length += lease_writer_record(&writer, &lease, false, text + length);
        }
        length += lease_writer_record(&writer, &lease, true, text + length);
        write_file(text, length);
        if (load(&seen, &stats, &err) != 0)
            fail_msg("%s", err.text);
        check_number("format", stats.format, (uint64_t)format);
        check_number("torn", stats.torn_bytes, 0);
        const size_t marks = format != LEASE_FILE_ISC; /* removes 0.0.0.0 */
        check_number("records", seen.count, ODD_LEASES + 1 + marks);
        for (unsigned i = 0; i < ODD_LEASES; i++) {
            make_odd_lease(&lease, (enum lease_file_format)format, i);
            forget_subnet(&lease, (enum lease_file_format)format);
            const char *const field = lease_difference(&seen.leases[i + marks], &lease);
            if (field != NULL)
                fail_msg("format %d, lease %u: another %s", format, i, field);
            check("lease", !seen.removed[i + marks], "it is not removed");
        }
        check("removal", seen.removed[ODD_LEASES + marks], "it is removed");
        check_number("removal", seen.leases[ODD_LEASES + marks].address.low, lease.address.low);
    }
}

/* Eight bytes at once are quoted as each by itself. */
TEST(words_are_quoted_as_their_bytes)
{
    for (int format = LEASE_FILE_ISC; format <= LEASE_FILE_KEA; format++) {
        struct lease_writer writer;

        lease_writer_init(&writer, (enum lease_file_format)format);
        for (unsigned i = 0; i < 8 * 256; i++) {
            uint8_t word[] = "host.abc";
            char whole[80] = "";
            char single[80] = "";
            char *out = single;

            word[i % 8] = (uint8_t)(i / 8);
            *lease_put_quoted(whole, &writer, word, 8) = '\0';
            for (int k = 0; k < 8; k++)
                out = lease_put_quoted(out, &writer, word + k, 1);
            *out = '\0';
            assert_string_equal(whole, single);
        }
        for (const char *plain = " -.09AZ_az~"; *plain != '\0'; plain++) {
            char text[8];

            check("quoted", lease_put_quoted(text, &writer, plain, 1) == text + 1, "it is plain");
        }
    }
}

enum { GOOD = 2, WRITTEN = 4 };

/* A file of several records, of which the first GOOD are to be kept. */
struct written {
    enum lease_file_format format;
    char text[(WRITTEN + 1) * LEASE_FILE_RECORD_MAX];
    size_t ends[WRITTEN + 1]; /* of the header and of each record */
};

static void make_written(struct written *written, enum lease_file_format format)
{
    struct lease_writer writer;
    struct lease lease;

    written->format = format;
    lease_writer_init(&writer, format);
    written->ends[0] = lease_writer_header(&writer, written->text);
    for (unsigned i = 0; i < WRITTEN; i++) {
        make_odd_lease(&lease, format, i);
        written->ends[i + 1] =
            written->ends[i] +
            lease_writer_record(&writer, &lease, false, written->text + written->ends[i]);
    }
}

/* Cuts the file at every byte of its last two records, and at some before: all
   whole records are there, and no other. */
TEST(a_torn_tail_loses_only_itself)
{
    for (int format = LEASE_FILE_ISC; format <= LEASE_FILE_KEA6; format++) {
        struct written written;
        struct seen seen;
        struct lease_file_stats stats;
        struct err err = { 0 };
        size_t whole = 0;

        make_written(&written, (enum lease_file_format)format);
        for (size_t length = written.ends[0]; length <= written.ends[WRITTEN];
             length += length < written.ends[WRITTEN - 2] ? 7 : 1) {
            while (whole < WRITTEN && written.ends[whole + 1] <= length)
                whole++;
            write_file(written.text, length);
            if (load(&seen, &stats, &err) != 0)
                fail_msg("cut at %zu: %s", length, err.text);
            check_number("records", seen.count, whole + (format != LEASE_FILE_ISC));
            check_number("torn", stats.torn_bytes, length - written.ends[whole]);
        }
    }
}

/* Recovers a file with something wrong behind its first GOOD records. */
static void check_recovery(const struct written *written, const char *text, size_t length,
                           const char *what)
{
    const size_t good = written->ends[GOOD];
    struct seen seen = { .count = 0 };
    struct lease_file_stats stats;
    struct err err = { 0 };

    write_file(text, length);
    if (lease_file_recover(path, see, &seen, &stats, &err) != 0)
        fail_msg("%s: %s", what, err.text);
    check_text(what, err.text, "");
    check_number(what, seen.count, GOOD + (written->format != LEASE_FILE_ISC));
    check(what, stats.complaint != NULL, "it says why");
    check_number(what, stats.good_bytes, good);
    check_number(what, stats.dropped_bytes, length - good);
}

/* A byte that a disk has not kept, be it any, with good records behind it. */
TEST(a_hole_ends_what_is_recovered)
{
    for (int format = LEASE_FILE_ISC; format <= LEASE_FILE_KEA6; format++) {
        struct written written;

        make_written(&written, (enum lease_file_format)format);
        const size_t length = written.ends[WRITTEN];
        for (size_t at = written.ends[GOOD]; at < written.ends[GOOD + 1]; at++) {
            const char kept = written.text[at];

            written.text[at] = '\0';
            check_recovery(&written, written.text, length, "zero");
            written.text[at] = kept;
        }
        memset(written.text + written.ends[GOOD], 0, written.ends[GOOD + 1] - written.ends[GOOD]);
        check_recovery(&written, written.text, length, "a record of zeros");
    }
}

TEST(nonsense_ends_what_is_recovered)
{
    static const char *const lines[] = { "lease nonsense {\n", "nonsense\n", "}\n", "1.2.3.4,zz\n",
                                         "\t\n" };

    for (int format = LEASE_FILE_ISC; format <= LEASE_FILE_KEA6; format++) {
        struct written written;
        char text[sizeof written.text + 64];

        make_written(&written, (enum lease_file_format)format);
        const size_t good = written.ends[GOOD];
        for (size_t i = 0; i < COUNT_OF(lines); i++) {
            const size_t more = strlen(lines[i]);

            memcpy(text, written.text, good);
            memcpy(text + good, lines[i], more);
            memcpy(text + good + more, written.text + good, written.ends[WRITTEN] - good);
            check_recovery(&written, text, written.ends[WRITTEN] + more, lines[i]);
        }
    }
}

/* It is no more than torn, or has not even a header, or nothing. */
TEST(what_else_is_recovered)
{
    struct written written;
    struct seen seen = { .count = 0 };
    struct lease_file_stats stats;
    struct err err = { 0 };

    make_written(&written, LEASE_FILE_ISC);
    write_file(written.text, written.ends[WRITTEN] - 1);
    assert_int_equal(lease_file_recover(path, see, &seen, &stats, &err), 0);
    check_number("records", seen.count, WRITTEN - 1);
    check("torn", stats.complaint == NULL, "no complaint");
    check_number("torn", stats.torn_bytes, written.ends[WRITTEN] - 1 - written.ends[WRITTEN - 1]);

    seen.count = 0;
    written.text[0] = '\0';
    write_file(written.text, written.ends[WRITTEN]);
    assert_int_equal(lease_file_recover(path, see, &seen, &stats, &err), 0);
    check_number("no header", seen.count, 0);
    check_number("no header", stats.dropped_bytes, written.ends[WRITTEN]);
    check_number("no header", stats.bad_line, 1);

    seen.count = 0;
    write_file("", 0);
    assert_int_equal(load(&seen, &stats, &err), 0);
    check_number("an empty file", stats.records, 0);
    check("an empty file", stats.complaint == NULL, "no complaint");

    assert_int_equal(lease_file_recover("/nonexistent/x", see, &seen, &stats, &err), -1);
    check_text("missing", err.text, "/nonexistent/x: No such file or directory");
}

/* Rows as Kea writes them: a user context, and hex digits of both cases. */
static const char kea_file[] =
    "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,"
    "fqdn_rev,hostname,state,user_context,pool_id\n"
    "192.0.2.7,0a:00:5e:00:53:2a,01:0A:00:5e:00:53:2a,3600,1763550000,1,1,"
    "0,h&#x2ci,1,{ \"a\": 1 },9\n"
    "192.0.2.8,,,0,0,1,0,0,,0,,0\n";
static const char kea6_file[] =
    "address,duid,valid_lifetime,expire,subnet_id,pref_lifetime,lease_type,"
    "iaid,prefix_len,fqdn_fwd,fqdn_rev,hostname,hwaddr,state,user_context,"
    "hwtype,hwaddr_source,pool_id\n"
    "2001:db8:1::2a,00:03:00:01:0a:00:5e:00:53:2a,4000,1763550000,1,3000,0,42,"
    "128,0,1,h&#x2ci,0a:00:5e:00:53:2a,0,{ \"a\": 1 },1,4,0\n"
    "2001:db8:2::,00:01:02,4000,1763550000,1,3000,2,42,56,0,0,,,2,,,,7\n"
    "2001:db8:3::,00:01:02,0,1763550000,1,3000,2,42,56,0,0,,,0,,,,0\n";

TEST(rows_of_kea_are_read)
{
    struct seen seen;
    struct lease_file_stats stats;
    struct err err = { 0 };

    write_file(kea_file, sizeof kea_file - 1);
    if (load(&seen, &stats, &err) != 0)
        fail_msg("%s", err.text);
    check_number("format", stats.format, LEASE_FILE_KEA);
    check_number("records", seen.count, 2);
    check_number("cltt", (uint64_t)seen.leases[0].cltt_s, 1763546400);
    check_number("client-id", seen.leases[0].client_id[1], 10);
    check("hostname", memcmp(seen.leases[0].hostname, "h,i", 3) == 0, "the comma is unescaped");
    check("fqdn", seen.leases[0].fqdn_fwd && !seen.leases[0].fqdn_rev, "1, 0");
    check_number("pool", seen.leases[0].pool_id, 9);
    check("removal", seen.removed[1], "a lifetime of 0 removes");
    enum lease_file_format format;
    check("ours", !lease_file_is_ours(kea_file, sizeof kea_file - 1, &format), "not ours");
}

TEST(v6_rows_of_kea_are_read)
{
    struct seen seen;
    struct lease_file_stats stats;
    struct err err = { 0 };

    write_file(kea6_file, sizeof kea6_file - 1);
    if (load(&seen, &stats, &err) != 0)
        fail_msg("%s", err.text);
    check_number("format", stats.format, LEASE_FILE_KEA6);
    check_number("records", seen.count, 3);
    const struct lease *const first = &seen.leases[0];
    check_number("address", first->address.high, 0x20010db800010000);
    check_number("address", first->address.low, 0x2a);
    check_number("duid", first->client_id_length, 10);
    check_number("cltt", (uint64_t)first->cltt_s, 1763546000);
    check_number("preferred", first->preferred_s, 3000);
    check_number("iaid", first->iaid, 42);
    check_number("type", first->type, LEASE_TYPE_NA);
    check_number("prefix", first->prefix_length, 128);
    check("fqdn", !first->fqdn_fwd && first->fqdn_rev, "0, 1");
    check("hostname", memcmp(first->hostname, "h,i", 3) == 0, "unescaped");
    check_number("hwaddr", first->hwaddr_length, 6);
    check_number("type", seen.leases[1].type, LEASE_TYPE_PD);
    check_number("prefix", seen.leases[1].prefix_length, 56);
    check_number("state", seen.leases[1].state, LEASE_STATE_RECLAIMED);
    check_number("pool", seen.leases[1].pool_id, 7);
    check("removal", seen.removed[2], "a lifetime of 0 removes");
}

/* The form of RFC 5952, which is how inet_ntop writes those that are not of
 * IPv4. */
TEST(v6_addresses_are_written_in_short)
{
    static const uint64_t groups[] = { 0, 0, 0, 7, 0x10, 0xa00, 0xffff, 0x2001 };
    struct lease_writer writer;
    char text[LEASE_FILE_RECORD_MAX];
    char wanted[LEASE_ADDRESS_TEXT_SIZE];

    lease_writer_init(&writer, LEASE_FILE_KEA6);
    for (uint64_t i = 0; i < 20000; i++) {
        struct lease lease = { .type = LEASE_TYPE_NA, .address = { .low = i } };

        for (unsigned k = 0; k < 4 && i > 1; k++) {
            const uint64_t draw = random_at(1, 4 * i + k);

            lease.address.low = lease.address.low << 16 | groups[draw % 8];
            lease.address.high = lease.address.high << 16 | groups[draw >> 32 & 7];
        }
        if (i > 1 && lease.address.high == 0)
            continue;
        const size_t length = lease_writer_record(&writer, &lease, false, text);

        text[length] = '\0';
        text[strcspn(text, ",")] = '\0';
        (void)lease_address_text(wanted, lease.address, LEASE_TYPE_NA);
        check_text("address", text, wanted);
    }
}

TEST(what_cannot_be_read_is_named)
{
#define KEA  "not a lease of Kea's file version 3"
#define KEA6 "not a lease of Kea's IPv6 file version 5"
    static const struct {
        const char *text;
        uint64_t line;
        const char *complaint;
    } cases[] = {
        { "lease 1.2.3 {\n}\n", 1, "not a lease's first line" },
        { "lease 1.2.3.4 {\n  hardware ethernet zz;\n}\n", 2, "not a statement of a lease" },
        { "lease 1.2.3.4 {\n  starts never;\n}\n", 2, "not a statement of a lease" },
        { "lease 1.2.3.4 {\n  starts 7 2026/01/01 00:00:00;\n}\n", 2,
          "not a statement of a lease" },
        { "lease 1.2.3.4 {\n  starts 4 1969/12/31 23:59:59;\n}\n", 2,
          "not a statement of a lease" },
        { "lease 1.2.3.4 {\n  starts 4 2026/13/01 00:00:00;\n}\n", 2,
          "not a statement of a lease" },
        { "lease 1.2.3.4 {\n  starts 4 2026/01/01 00:00:00;\n"
          "  ends 4 2025/01/01 00:00:00;\n}\n",
          3, "not a statement of a lease" },
        { "lease 1.2.3.4 {\n  starts 4 2026/01/01 00:00:00;\n"
          "  ends 4 2999/01/01 00:00:00;\n}\n",
          3, "not a statement of a lease" },
        { "lease 1.2.3.4 {\n  uid \"\\400\";\n}\n", 2, "not a statement of a lease" },
        { "lease 1.2.3.4 {\n  uid 1:2;\n}\n", 2, "not a statement of a lease" },
        { "lease 1.2.3.4 {\n# comment\n}\n", 2, "not a statement of a lease" },
        { "# comment\nserver-duid \"x\";\n", 2, "not a record" },
        { "address,hwaddr\n1.2.3.4,,,1,2,3,0,0\n", 2, KEA },
        { "address,hwaddr\n1.2.3.256,,,1,2,3,0,0,,0,,0\n", 2, KEA },
        { "address,hwaddr\n1.2.3.4,0:1,,1,2,3,0,0,,0,,0\n", 2, KEA },
        { "address,hwaddr\n1.2.3.4,00:,,1,2,3,0,0,,0,,0\n", 2, KEA },
        { "address,hwaddr\n1.2.3.4,,,1,2,3,0,0,&#xz,0,,0\n", 2, KEA },
        { "address,hwaddr\n1.2.3.4,,,1,2,3,0,0,,0,,0,\n", 2, KEA },
        { "address,duid,\n2001:db8::g,00,1,2,3,4,0,5,128,0,0,,,0,,,,0\n", 2, KEA6 },
        { "address,duid,\n2001:db8::1,00,1,2,3,4,3,5,128,0,0,,,0,,,,0\n", 2, KEA6 },
        { "address,duid,\n2001:db8::1,00,1,2,3,4,0,5,129,0,0,,,0,,,,0\n", 2, KEA6 },
    };
#undef KEA
#undef KEA6
    struct seen seen;
    struct lease_file_stats stats;
    struct err err = { 0 };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        write_file(cases[i].text, strlen(cases[i].text));
        assert_int_equal(load(&seen, &stats, &err), 0);
        check_text(cases[i].text, stats.complaint, cases[i].complaint);
        check_number(cases[i].text, stats.bad_line, cases[i].line);
        check_number(cases[i].text, stats.records, 0);
    }
}

/* It takes no more memory than the longest record. */
TEST(a_line_that_is_too_long_is_none)
{
    static char text[LEASE_FILE_RECORD_MAX + 32];
    struct seen seen;
    struct lease_file_stats stats;
    struct err err = { 0 };

    for (int i = 0; i < 2; i++) {
        const size_t length = LEASE_FILE_RECORD_MAX + (size_t)i;

        memset(text, '#', length);
        text[length] = '\n';
        write_file(text, length + 1);
        assert_int_equal(load(&seen, &stats, &err), 0);
        if (i == 0)
            check("the longest", stats.complaint == NULL, "is read");
        else
            check_text("longer", stats.complaint, "a line longer than 4096 bytes");
    }
    check_number("what is dropped", stats.dropped_bytes, LEASE_FILE_RECORD_MAX + 2);
    assert_int_equal(lease_file_recover("/dev/zero", see, &seen, &stats, &err), -1);
    check_text("a device", err.text, "/dev/zero: is not a regular file");
}

FIXTURE(make_path, remove_path);
