/* SPDX-License-Identifier: ISC */
#include "core/properties.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/check.h"

TEST(keeps_the_order)
{
    struct properties facts = { 0 };

    properties_add(&facts, "SQLite", "%s", "3.40.1");
    properties_add(&facts, "journal_mode", "%s", "wal");
    properties_add(&facts, "synchronous", "%d", 2);
    assert_int_equal(facts.count, 3);
    assert_string_equal(facts.items[0].key, "SQLite");
    assert_string_equal(facts.items[2].key, "synchronous");
    assert_string_equal(facts.items[2].value, "2");
}

TEST(a_key_has_its_last_value)
{
    struct properties facts = { 0 };

    assert_null(properties_find(&facts, "a"));
    properties_add(&facts, "a", "1");
    properties_add(&facts, "b", "2");
    properties_add(&facts, "a", "3");
    assert_int_equal(facts.count, 2);
    assert_string_equal(properties_find(&facts, "a"), "3");
    assert_string_equal(properties_find(&facts, "b"), "2");
    assert_null(properties_find(&facts, "c"));
    assert_null(properties_find(&facts, ""));
}

TEST(cuts_what_is_too_long)
{
    struct properties facts = { 0 };
    char text[512];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    properties_add(&facts, text, "%s", text);
    assert_int_equal(strlen(facts.items[0].key), sizeof facts.items[0].key - 1);
    assert_int_equal(strlen(facts.items[0].value), sizeof facts.items[0].value - 1);
}

TEST(one_too_many_is_our_bug)
{
    struct properties facts = { 0 };
    int status;

    for (int i = 0; i < PROPERTIES_MAX; i++) {
        char key[16];

        (void)snprintf(key, sizeof key, "key %d", i);
        properties_add(&facts, key, "value");
    }
    assert_int_equal(facts.count, PROPERTIES_MAX);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(1);
        properties_add(&facts, "key", "one too many");
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}
