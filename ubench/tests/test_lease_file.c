/* SPDX-License-Identifier: ISC */
#include "lease/lease_file.h"

#include <stdlib.h>
#include <unistd.h>

#include "lease/generator.h"
#include "tests/check.h"

enum { RECORDS_MAX = 64 };

/* What a load found. */
struct seen {
    size_t count;
    struct lease leases[RECORDS_MAX];
    bool removed[RECORDS_MAX];
};

static int see(void *context, const struct lease *lease, bool removed,
               struct err *err)
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
    (void)state;
    (void)snprintf(path, sizeof path, "/tmp/test_lease_file.XXXXXX");
    const int file = mkstemp(path);
    if (file < 0)
        return -1;
    return close(file);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_file(const char *bytes, size_t length)
{
    FILE *const file = fopen(path, "w");

    assert_non_null(file);
    check_number("fwrite", fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static int load(struct seen *seen, struct lease_file_stats *stats,
                struct err *err)
{
    seen->count = 0;
    return lease_file_load(path, see, seen, stats, err);
}

/* Leases that have something to escape, nothing at all, or all there can be. */
static void make_odd_lease(struct lease *lease, unsigned which)
{
    struct generator generator;

    generator_init(&generator, LEASE_FAMILY_V4,
                   which % 2 ? LEASE_PROFILE_GUIDE : LEASE_PROFILE_TYPICAL, 3);
    memset(lease, 0, sizeof *lease);
    generator_make(&generator, which * UINT64_C(1000), which, lease);
    if (which == 2) {
        lease->client_id_length = 0;
        lease->hostname_length = 0;
    } else if (which == 3) {
        lease->client_id_length = LEASE_CLIENT_ID_MAX;
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
    }
}

enum { ODD_LEASES = 7 };

/* dhcpd keeps neither in its file. */
static void forget_subnet(struct lease *lease, enum lease_file_format format)
{
    if (format == LEASE_FILE_ISC) {
        lease->subnet_id = 0;
        lease->pool_id = 0;
    }
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    for (int format = LEASE_FILE_ISC; format <= LEASE_FILE_KEA; format++) {
        struct lease_writer writer;
        char text[(ODD_LEASES + 2) * LEASE_FILE_RECORD_MAX];
        struct seen seen;
        struct lease_file_stats stats;
        struct lease lease;
        struct err err = { 0 };

        lease_writer_init(&writer, (enum lease_file_format)format);
        size_t length = lease_writer_header(&writer, text);
        check("header", lease_file_is_ours(text, length), "it is ours");
        for (unsigned i = 0; i < ODD_LEASES; i++) {
            make_odd_lease(&lease, i);
            length += lease_writer_lease(&writer, &lease, text + length);
        }
        length += lease_writer_removal(&writer, &lease, text + length);
        write_file(text, length);
        if (load(&seen, &stats, &err) != 0)
            fail_msg("%s", err.text);
        check_number("format", stats.format, (uint64_t)format);
        check_number("torn", stats.torn_bytes, 0);
        const size_t marks = format == LEASE_FILE_KEA; /* removes 0.0.0.0 */
        check_number("records", seen.count, ODD_LEASES + 1 + marks);
        for (unsigned i = 0; i < ODD_LEASES; i++) {
            make_odd_lease(&lease, i);
            forget_subnet(&lease, (enum lease_file_format)format);
            const char *const field =
                lease_difference(&seen.leases[i + marks], &lease);
            if (field != NULL)
                fail_msg("format %d, lease %u: another %s", format, i, field);
            check("lease", !seen.removed[i + marks], "it is not removed");
        }
        check("removal", seen.removed[ODD_LEASES + marks], "it is removed");
        check_number("removal", seen.leases[ODD_LEASES + marks].address.low,
                     lease.address.low);
    }
}

/* Cuts the file at every byte: all whole records are there, and no other. */
static void a_torn_tail_loses_only_itself(void **state)
{
    enum { LEASES = 3 };

    (void)state;
    for (int format = LEASE_FILE_ISC; format <= LEASE_FILE_KEA; format++) {
        struct lease_writer writer;
        char text[(LEASES + 1) * LEASE_FILE_RECORD_MAX];
        size_t ends[LEASES + 1];
        struct seen seen;
        struct lease_file_stats stats;
        struct lease lease;
        struct err err = { 0 };

        lease_writer_init(&writer, (enum lease_file_format)format);
        ends[0] = lease_writer_header(&writer, text);
        for (unsigned i = 0; i < LEASES; i++) {
            make_odd_lease(&lease, i);
            ends[i + 1] =
                ends[i] + lease_writer_lease(&writer, &lease, text + ends[i]);
        }
        for (size_t length = ends[0]; length <= ends[LEASES]; length++) {
            size_t whole = 0;

            while (whole < LEASES && ends[whole + 1] <= length)
                whole++;
            write_file(text, length);
            if (load(&seen, &stats, &err) != 0)
                fail_msg("cut at %zu: %s", length, err.text);
            check_number("records", seen.count,
                         whole + (format == LEASE_FILE_KEA));
            check_number("torn", stats.torn_bytes, length - ends[whole]);
        }
    }
}

/* Files that other programs wrote. */
static const char dhcpd_file[] =
    "# The format of this file is documented in the dhcpd.leases(5).\n"
    "authoring-byte-order little-endian;\n"
    "\n"
    "lease 192.0.2.7 {\n"
    "  starts 4 2026/11/19 10:00:00;\n"
    "  ends 4 2026/11/19 11:00:00;\n"
    "  tstp 4 2026/11/19 11:00:00;\n"
    "  cltt 4 2026/11/19 10:00:00;\n"
    "  binding state active;\n"
    "  next binding state free;\n"
    "  rewind binding state free;\n"
    "  hardware ethernet 0a:00:5e:00:53:2a;\n"
    "  uid \"\\001\\012\\000^\\000S*\";\n"
    "  set vendor-class-identifier = \"x\";\n"
    "  option agent.circuit-id \"y\";\n"
    "  client-hostname \"h\";\n"
    "}\n"
    "server-duid \"\\000\\001\";\n"
    "lease 192.0.2.8 {\n"
    "  starts epoch 1763546400;\n"
    "  ends never;\n"
    "  binding state abandoned;\n"
    "  uid 1:2:ff;\n"
    "}\n";

static const char kea_2_0_file[] =
    "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,"
    "fqdn_rev,hostname,state,user_context\n"
    "192.0.2.7,0a:00:5e:00:53:2a,01:0a:00:5e:00:53:2a,3600,1763550000,1,1,"
    "0,h&#x2ci,1,{ \"a\": 1 }\n"
    "192.0.2.8,,,0,0,1,0,0,,0,\n";

static void a_file_of_dhcpd_is_read(void **state)
{
    struct seen seen;
    struct lease_file_stats stats;
    struct err err = { 0 };

    (void)state;
    write_file(dhcpd_file, sizeof dhcpd_file - 1);
    if (load(&seen, &stats, &err) != 0)
        fail_msg("%s", err.text);
    check_number("records", seen.count, 2);
    check_number("address", seen.leases[0].address.low, 0xc0000207);
    check_number("starts", (uint64_t)seen.leases[0].cltt_s, 1795082400);
    check_number("valid", seen.leases[0].valid_s, 3600);
    check_number("uid", seen.leases[0].client_id_length, 7);
    check_number("uid", seen.leases[0].client_id[1], 012);
    check_number("hostname", seen.leases[0].hostname_length, 1);
    check_number("state", seen.leases[1].state, LEASE_STATE_DECLINED);
    check_number("never", seen.leases[1].valid_s, UINT32_MAX);
    check_number("uid", seen.leases[1].client_id[2], 255);
    check("ours", !lease_file_is_ours(dhcpd_file, sizeof dhcpd_file - 1),
          "not ours");
}

static void a_file_of_kea_2_0_is_read(void **state)
{
    struct seen seen;
    struct lease_file_stats stats;
    struct err err = { 0 };

    (void)state;
    write_file(kea_2_0_file, sizeof kea_2_0_file - 1);
    if (load(&seen, &stats, &err) != 0)
        fail_msg("%s", err.text);
    check_number("records", seen.count, 2);
    check_number("cltt", (uint64_t)seen.leases[0].cltt_s, 1763546400);
    check("hostname", memcmp(seen.leases[0].hostname, "h,i", 3) == 0,
          "the comma is unescaped");
    check("fqdn", seen.leases[0].fqdn_fwd && !seen.leases[0].fqdn_rev, "1, 0");
    check("removal", seen.removed[1], "a lifetime of 0 removes");
    check("ours", !lease_file_is_ours(kea_2_0_file, sizeof kea_2_0_file - 1),
          "not ours");
}

static void what_cannot_be_read_is_named(void **state)
{
    static const struct {
        const char *text;
        const char *error; /* after the path */
    } cases[] = {
        { "lease 1.2.3 {\n}\n",
          ": line 1: not a lease's first line: 'lease 1.2.3 {'" },
        { "lease 1.2.3.4 {\n  hardware ethernet zz;\n}\n",
          ": line 2: not a statement of a lease: '  hardware ethernet zz;'" },
        { "lease 1.2.3.4 {\n  starts never;\n}\n",
          ": line 2: not a statement of a lease: '  starts never;'" },
        { "address,hwaddr\n1.2.3.4,,,1,2,3,0,0\n",
          ": line 2: not a lease of Kea's file version 2 or 3: "
          "'1.2.3.4,,,1,2,3,0,0'" },
        { "address,hwaddr\n1.2.3.256,,,1,2,3,0,0,,0,,0\n",
          ": line 2: not a lease of Kea's file version 2 or 3: "
          "'1.2.3.256,,,1,2,3,0,0,,0,,0'" },
    };
    struct seen seen;
    struct lease_file_stats stats;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char wanted[256];
        struct err err = { 0 };

        write_file(cases[i].text, strlen(cases[i].text));
        check(cases[i].text, load(&seen, &stats, &err) == -1, "it fails");
        (void)snprintf(wanted, sizeof wanted, "%s%s", path, cases[i].error);
        check_text(cases[i].text, err.text, wanted);
    }
}

static void an_empty_or_missing_file(void **state)
{
    struct seen seen;
    struct lease_file_stats stats;
    struct err err = { 0 };

    (void)state;
    write_file("", 0);
    assert_int_equal(load(&seen, &stats, &err), 0);
    check_number("records", stats.records, 0);
    assert_int_equal(
        lease_file_load("/nonexistent/x", see, &seen, &stats, &err), -1);
    check_text("missing", err.text,
               "/nonexistent/x: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(a_torn_tail_loses_only_itself),
        cmocka_unit_test(a_file_of_dhcpd_is_read),
        cmocka_unit_test(a_file_of_kea_2_0_is_read),
        cmocka_unit_test(what_cannot_be_read_is_named),
        cmocka_unit_test(an_empty_or_missing_file),
    };

    return cmocka_run_group_tests(tests, make_path, remove_path);
}
