/* SPDX-License-Identifier: ISC */
/*
 * Kea's own lease managers: the library code that a DHCP server of that name
 * uses.  One manager serves all sessions, as in the server, where all threads
 * share it.
 *
 * A manager performs the operations on leases.  Kea does not decide what ubench
 * may change, nor empty the leases, nor know which settings decide the
 * durability and how to restore them.  For a server, ubench's own store does
 * this, opened on the same database; for memfile, memfile/claim.h.
 */
#include <dhcpsrv/csv_lease_file4.h>
#include <dhcpsrv/csv_lease_file6.h>
#include <util/multi_threading_mgr.h>

#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "store/kea/leases.hh"
#include "store/kea/store.hh"
#include "store/kea/versions.hh"

extern "C" {
#include "store/file_system.h"
#include "store/memfile/claim.h"
}

using namespace isc::dhcp;
using isc::util::MultiThreadingMgr;
using kea::fail;

namespace
{

/* --- What Kea says of a failure --- */

/* Classifies an error by MySQL's number or PostgreSQL's code, which Kea quotes,
   as ubench's own stores for them do. */
err_class class_of(const char *text)
{
    static const struct {
        const char *words;
        err_class kind;
    } classes[] = {
        { "error code 1205)", ERR_BUSY },
        { "error code 1213)", ERR_DEADLOCK },
        { "error code 1020)", ERR_CONFLICT },
        { "[ 55P03", ERR_BUSY },
        { "[ 40P01", ERR_DEADLOCK },
        { "[ 40001", ERR_CONFLICT },
        { "[ 53100", ERR_FULL },
        { "[ XX001", ERR_CORRUPT },
        { "[ XX002", ERR_CORRUPT },
    };

    for (const auto &one : classes) {
        if (std::strstr(text, one.words) != nullptr)
            return one.kind;
    }
    return ERR_OTHER;
}

} // namespace

void kea::fail(struct store *store, const char *action, err *err)
{
    try {
        throw;
    } catch (const isc::db::DbConnectionUnusable &failure) {
        store->lost = true;
        (void)err_set_class(err, ERR_LOST, "kea: %s: %s", action,
                            failure.what());
    } catch (const std::exception &failure) {
        (void)err_set_class(err, class_of(failure.what()), "kea: %s: %s",
                            action, failure.what());
    } catch (...) {
        (void)err_set(err, "kea: %s: failed; Kea gives no reason", action);
    }
}

namespace
{

/* --- The store --- */

/* Returns the configuration of ubench's store for the server that Kea connects
   to. */
store_config server_config(const struct store &store, bool keep)
{
    static const opt_settings none = {};
    const auto text = [&store](const char *name) -> const char * {
        const auto found = store.parameters.find(name);

        return found == store.parameters.end() ? nullptr
                                               : found->second.c_str();
    };
    store_config config = store.config;
    const char *const port = text("port");

    config.host = config.host != nullptr && std::strchr(config.host, '/')
                      ? config.host
                      : text("host");
    config.port = port != nullptr ? std::strtoul(port, nullptr, 10) : 0;
    config.user = text("user");
    config.engine = "InnoDB";
    config.schema = SCHEMA_KEA;
    config.compiled = false;
    config.settings = &none;
    config.keep = keep;
    config.no_option_files = true;
    config.ca_file = text("trust-anchor");
    /* The environment sets it, also for Kea's connections. */
    if (std::strcmp(store.type, "postgresql") == 0 || keep)
        config.sync = SYNC_SERVER;
    config.on_progress = nullptr;
    return config;
}

/* Reports the progress of ubench's store as that of this store. */
void on_progress(void *context, open_stage stage, struct store *ours)
{
    struct store *const store = static_cast<struct store *>(context);

    store->ours = ours;
    store_report_progress(&store->config, stage, store);
}

void set_variable(struct store &store, const char *name,
                  const std::string &value)
{
    const char *const before = std::getenv(name);

    store.variable = name;
    store.variable_before = before != nullptr ? before : "";
    (void)setenv(name, value.c_str(), 1);
}

/* Sets environment variables for the client libraries.  Kea has no parameter
   for the path of a MySQL socket, nor for a setting of its PostgreSQL
   sessions. */
void set_environment(struct store &store)
{
    const char *const host = store.config.host;

    if (std::strcmp(store.type, "mysql") == 0) {
        if (host == nullptr || std::strchr(host, '/') == nullptr)
            return;
        std::string path = host;
        for (const char *const name :
             { "/mysqld.sock", "/mysql.sock", "/mariadb.sock" }) {
            if (access((host + std::string(name)).c_str(), F_OK) == 0)
                path = host + std::string(name);
        }
        set_variable(store, "MYSQL_UNIX_PORT", path);
        store.parameters["host"] = "localhost";
    } else {
        const char *const before = std::getenv("PGOPTIONS");
        const bool safe = store.config.sync == SYNC_YES ||
                          store.config.sync == SYNC_POWER_SAFE;

        /* Otherwise libpq would print the server's warnings. */
        std::string options = before != nullptr ? before : "";
        options += " -c client_min_messages=error";
        if (store.config.sync != SYNC_SERVER)
            options +=
                std::string(" -c synchronous_commit=") + (safe ? "on" : "off");
        set_variable(store, "PGOPTIONS", options);
    }
}

/* Records in a bool that the server has let ubench in. */
void note_connected(void *context, open_stage stage, struct store *)
{
    if (stage == OPEN_WORKING)
        *static_cast<bool *>(context) = true;
}

/* Opens ubench's store and Kea's manager.  Changes nothing before ubench's
   store has checked whether it may, and Kea whether the tables are its own. */
int open_server(struct store &store, err *err)
{
    const backend &server = *store.server;
    set_environment(store);
    store_config config = server_config(store, true);
    bool connected = false;

    config.on_progress = note_connected;
    config.on_progress_context = &connected;
    if (config.host != nullptr && std::strchr(config.host, ',') != nullptr)
        return err_usage(err, "--host: %s: Kea connects to one server",
                         config.host);
    store_report_progress(&store.config, OPEN_CONNECTING, &store);
    struct store *const looks = server.open(&config, err);
    if (looks == nullptr) {
        if (connected && err->kind == ERR_OTHER)
            err_add(err,
                    "; Kea's managers need the tables of kea-admin db-init, in "
                    "a database that is marked with: CREATE TABLE "
                    "ubench_marker%s AS SELECT 'scratch copy' AS lease4",
                    std::strcmp(store.type, "mysql") == 0
                        ? " (row_id INT AUTO_INCREMENT PRIMARY KEY)"
                        : "");
        return -1;
    }
    if (store.config.keep)
        store.ours = looks;
    else if (server.close(looks, err) != 0)
        return -1;
    store.open_manager();
    if (!store.config.keep) {
        config = server_config(store, false);
        config.on_progress = on_progress;
        config.on_progress_context = &store;
        store.ours = server.open(&config, err);
    }
    if (store.ours == nullptr)
        return -1;
    store.our_session = server.session_open(store.ours, err);
    return store.our_session != nullptr ? 0 : -1;
}

/* The lease that never existed, whose removal marks a file as ubench's. */
Lease4Ptr make_mark4()
{
    const auto mark = boost::make_shared<Lease4>();

    mark->hwaddr_ = boost::make_shared<HWAddr>(std::vector<uint8_t>(6, 0),
                                               HTYPE_ETHER);
    mark->hostname_ = "ubench";
    return mark;
}

Lease6Ptr make_mark6()
{
    const auto mark = boost::make_shared<Lease6>();

    mark->duid_ = boost::make_shared<DUID>(std::vector<uint8_t>(6, 0));
    mark->prefixlen_ = 128;
    mark->hostname_ = "ubench";
    return mark;
}

/* Marks an empty file: Kea writes the header of its version first. */
template <class File, class Lease>
void mark_file(const char *path, const Lease &mark)
{
    File file(path);

    file.open();
    file.append(mark);
    file.close();
}

/* Truncates the file, removes what its clean-up left beside it, and marks
   it. */
int empty_file(const struct store &store, err *err)
{
    const char *const path = store.config.target;

    if (ftruncate(store.file, 0) != 0)
        return err_set(err, "kea: emptying %s: %s", path, std::strerror(errno));
    for (auto end = kea::beside_file; store.clean_up && *end != nullptr; end++)
        (void)unlink((std::string(path) + *end).c_str());
    if (store.v6())
        mark_file<CSVLeaseFile6>(path, *make_mark6());
    else
        mark_file<CSVLeaseFile4>(path, *make_mark4());
    return 0;
}

/* Refuses files beside the lease file, which Kea would read, and its clean-up
   replace. */
int check_beside(const char *path, err *err)
{
    for (auto end = kea::beside_file; *end != nullptr; end++) {
        const std::string name = std::string(path) + *end;

        if (access(name.c_str(), F_OK) == 0)
            return err_set(err,
                           "kea: '%s' exists, which Kea would read: name "
                           "another lease file with --file, or remove that "
                           "file if a run of kea_ubench that was killed left "
                           "it",
                           name.c_str());
    }
    return 0;
}

/* Returns true if the file has the format of this version of Kea.  The cleanup
   that a manager starts at once would convert any other, so it cannot be
   kept. */
template <class File> bool is_of_this_version(const char *path)
{
    File file(path);

    file.open();
    const bool same = !file.needsConversion();
    file.close();
    return same;
}

int open_file(struct store &store, err *err)
{
    const bool keep = store.config.keep;
    const char *const path = store.config.target;

    store.file = claim_file(path, store.config.family,
                            keep ? nullptr : &store.made, err);
    if (store.file < 0)
        return -1;
    if (!keep && (check_beside(path, err) != 0 || empty_file(store, err) != 0))
        return -1;
    std::unique_lock<std::mutex> held;
    if (kea::cleans_up(store.parameters)) {
        store.clean_up = std::make_unique<kea::CleanUp>(store);
        held = store.clean_up->hold();
    }
    if (keep && !(store.v6() ? is_of_this_version<CSVLeaseFile6>(path)
                             : is_of_this_version<CSVLeaseFile4>(path)))
        return err_set(err, "kea: '%s' is not in the format of Kea %s",
                       path, kea::version().c_str());
    store.open_manager();
    return 0;
}

/* Ends the clean-ups, and leaves an empty file behind: the leases are no longer
   in one.  Returns 0, or -1 with err. */
int end_clean_ups(struct store &store, err *err)
{
    int status = -1;

    try {
        const auto held = store.clean_up->hold();
        kea::close_manager();
        status = empty_file(store, err);
    } catch (...) {
        fail(&store, "emptying the lease file", err);
    }
    const char *const failure = store.clean_up->failure();
    store.clean_up.reset();
    return status == 0 && failure != nullptr
               ? err_set(err, "kea: %s: %s", store.config.target, failure)
               : status;
}

} // namespace

void kea::mark_new_file(struct store &store)
{
    LeaseMgr &manager = *store.manager;

    if (store.v6()) {
        (void)manager.addLease(make_mark6());
        (void)manager.deleteLease(make_mark6());
    } else {
        (void)manager.addLease(make_mark4());
        (void)manager.deleteLease(make_mark4());
    }
}

const char *kea_server(const opt_settings *settings)
{
    err ignored = {};
    const kea::Type *const type = kea::find_type(*settings, ignored);

    if (type == nullptr)
        return "kea";
    return type->server != nullptr ? type->server->name : nullptr;
}

void kea_library(char *text, size_t size)
{
    (void)snprintf(text, size, "Kea %s", kea::version().c_str());
}

int kea_close(struct store *store, struct err *err)
{
    int status = 0;

    if (store == nullptr)
        return 0;
    if (store->clean_up)
        status = end_clean_ups(*store, err);
    kea::close_manager();
    if (store->file >= 0)
        (void)close(store->file);
    if (store->our_session != nullptr)
        store->server->session_close(store->our_session);
    if (store->ours != nullptr)
        status = store->server->close(store->ours, err);
    if (store->variable != nullptr && store->variable_before.empty())
        (void)unsetenv(store->variable);
    else if (store->variable != nullptr)
        (void)setenv(store->variable, store->variable_before.c_str(), 1);
    delete store;
    return status;
}

struct store *kea_open(const struct store_config *config, struct err *err)
{
    struct store *store = nullptr;
    struct err second;

    try {
        kea::Parameters parameters;
        const kea::Type *const type = kea::choose(*config, parameters, *err);
        if (type == nullptr)
            return nullptr;
        store = new ::store{ *config, parameters, type->name, type->server };
        MultiThreadingMgr::instance().setMode(false);
        if ((store->server != nullptr ? open_server(*store, err)
                                      : open_file(*store, err)) == 0)
            return store;
    } catch (...) {
        fail(store, config->target, err);
    }
    store_report_progress(config, OPEN_FAILED, store);
    if (store != nullptr)
        store->clean_up.reset();
    if (store != nullptr && store->made)
        (void)unlink(config->target);
    if (kea_close(store, &second) != 0)
        err_add(err, "; and %s", second.text);
    return nullptr;
}

void kea_describe(const struct store *store, struct properties *properties)
{
    const kea::Build build = kea::build();

    properties_add(properties, "Kea", "%s, %s", kea::version().c_str(),
                   store->type);
    properties_add(properties, "Kea build-id", "%s", build.build_id.c_str());
    properties_add(properties, "Kea libraries", "%u, %016" PRIx64,
                   build.libraries, build.digest);
    properties_add(properties, "Kea library", "%s", build.library.c_str());
    for (const auto &parameter : store->parameters) {
        if (std::strstr(" password user name type universe ",
                        (" " + parameter.first + " ").c_str()) == nullptr)
            properties_add(properties, parameter.first.c_str(), "%s",
                           parameter.second.c_str());
    }
    properties_add(properties, "multi-threading", "%s",
                   MultiThreadingMgr::instance().getMode() ? "true" : "false");
    if (store->server != nullptr)
        store->server->describe(store->ours, properties);
    else
        properties_add(properties, "file system", "%s",
                       file_system_name(store->config.target));
    /* ubench's own connection may be without TLS. */
    for (const char *const name :
         { "trust-anchor", "cert-file", "key-file", "cipher-list" }) {
        if (store->parameters.count(name) != 0)
            properties_add(properties, "connection",
                           "TLS, by Kea's lease-database");
    }
}

const struct durability_limit kea_limits[] = {
    { nullptr,
      "persist",
      true,
      " false ",
      "persist-off",
      { LOSS_UNBOUNDED, 0 },
      { LOSS_UNBOUNDED, 0 },
      "persist ",
      "" },
    { nullptr,
      "persist",
      true,
      " true ",
      "log-not-synced",
      { LOSS_NOTHING, 0 },
      { LOSS_UNBOUNDED, 0 },
      nullptr,
      "" },
    {},
};

void kea_durability(const struct store *store, struct promise *promise)
{
    if (store->server != nullptr) {
        store->server->durability(store->ours, promise);
        return;
    }
    const bool persist = !kea::is_volatile(store->parameters);
    struct properties values = {};
    struct promise_setting *const setting =
        promise_set(promise, "persist", persist ? "true" : "false", nullptr);

    (void)snprintf(setting->text, sizeof setting->text, "%s",
                   persist ? "persist=true: write(2) before each answer, "
                             "never synced"
                           : "persist=false: no file");
    properties_add(&values, setting->name, "%s", setting->value);
    promise_limits(promise, kea_limits, "", &values, 0);
    if (persist)
        file_system_promise(store->config.target, promise);
}

int kea_reset(struct session *session, struct err *err)
{
    struct store *const store = session->store;

    if (store->server != nullptr)
        return store->server->reset(store->our_session, err);
    std::unique_lock<std::mutex> held;
    if (store->clean_up)
        held = store->clean_up->hold();
    try {
        kea::close_manager();
        if (empty_file(*store, err) != 0)
            return -1;
        store->open_manager();
        return 0;
    } catch (...) {
        fail(store, "reset", err);
    }
    return -1;
}
