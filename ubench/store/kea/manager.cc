/* SPDX-License-Identifier: ISC */
#include "store/kea/manager.hh"

#include <dhcpsrv/lease_mgr_factory.h>
#include <log/logger_support.h>

#include <cstring>
#include <regex>

#include "store/kea/versions.hh"

extern "C" {
/* Defined in store/mysql and store/pgsql; store.mk links them. */
extern const struct backend mysql_backend;
extern const struct backend pgsql_backend;
}

namespace kea
{

namespace
{

/* Only these, whatever Kea supports: for each type, ubench must be able to tell
   its own leases from an owner's before it removes them, and must know their
   durability. */
const Type types[] = {
    { "memfile", nullptr },
    { "mysql", &mysql_backend },
    { "postgresql", &pgsql_backend },
};

/* Parameters that have an option of their own, which --set must not override:
   Kea must use the server that ubench inspected. */
const struct {
    const char *name;
    const char *option;
} elsewhere[] = {
    { "name", "-f" }, { "password", "-p" }, { "host", "-m" },
    { "port", "-P" }, { "user", "-u" },     { "connect-timeout", "--connect-timeout" },
    { "persist", "-s" },
};

/* Checks the seconds from one clean-up of the lease file to the next. */
int check_interval(const char *text, sync_level level, err &err)
{
    enum { MOST_S = 86400, DIGITS_MOST = 5 };
    const std::string digits = text;
    const bool is_number =
        !digits.empty() && digits.size() <= DIGITS_MOST &&
        digits.find_first_not_of("0123456789") == std::string::npos;

    if (!is_number || std::stol(digits) > MOST_S)
        return err_usage(&err,
                         "--set: lfc-interval='%s' is not a number of seconds "
                         "in 0..%d",
                         text, MOST_S);
    if (std::stol(digits) > 0 && level == SYNC_VOLATILE)
        return err_usage(&err, "--set: lfc-interval cannot be used with "
                               "--sync=volatile, which writes no lease file");
    return 0;
}

int check_setting(const Type &type, const opt_setting &setting,
                  sync_level level, err &err)
{
    const std::string name = setting.name;

    if (name == "lfc-interval" && type.server == nullptr)
        return check_interval(setting.value, level, err);
    if (name == "type" ||
        (type.server == &mysql_backend &&
         std::strstr(" trust-anchor cert-file key-file cipher-list ",
                     (" " + name + " ").c_str()) != nullptr))
        return 0;
    for (const auto &one : elsewhere) {
        if (name == one.name &&
            (name == "name" || (name == "persist") != (type.server != nullptr)))
            return err_usage(&err, "--set: '%s' cannot be set; use %s", one.name,
                             one.option);
    }
    return err_usage(&err,
                     "--set: '%s' is not a parameter that ubench passes to Kea's "
                     "lease-database of type %s",
                     setting.name, type.name);
}

int check_sync(const Type &type, sync_level level, err &err)
{
    const unsigned levels = type.server != nullptr
                                ? type.server->sync_levels
                                : SYNC_BIT(SYNC_NO) | SYNC_BIT(SYNC_SERVER) |
                                      SYNC_BIT(SYNC_VOLATILE) |
                                      SYNC_BIT(SYNC_PROCESS_SAFE);

    if ((levels & SYNC_BIT(level)) != 0)
        return 0;
    return err_usage(&err, "--sync: Kea's %s %s", type.name,
                     type.server != nullptr
                         ? "has no setting of that class"
                         : "writes each change to its file and never syncs "
                           "it: expected no or volatile, or --set "
                           "type=mysql|postgresql");
}

/* Checks for characters that Kea's access string cannot hold: it is one line,
   in which only a password is quoted. */
int check_access(const Parameters &parameters, err &err)
{
    for (const auto &parameter : parameters) {
        const bool secret = parameter.first == "password";

        if (parameter.second.find_first_of(secret ? "'" : " \t") !=
            std::string::npos)
            return err_usage(&err, "kea: %s: Kea does not accept %s in it",
                             secret ? "the password" : parameter.second.c_str(),
                             secret ? "apostrophe" : "blank");
    }
    return 0;
}

/* Sets host and port.  Kea accepts a host and a port, or the directory of a
   PostgreSQL socket; ubench also accepts HOST:PORT, [ADDRESS]:PORT and the
   socket's file. */
void set_host(Parameters &parameters, const std::string &host)
{
    static const std::regex forms(R"((.*)/\.s\.PGSQL\.(.*)|)"
                                  R"(\[(.*)\](?::(.*))?|)"
                                  R"(([^/:][^:]*):([^:]*))");
    std::smatch parts;

    if (!std::regex_match(host, parts, forms)) {
        parameters["host"] = host;
        return;
    }
    parameters["host"] = parts[1].str() + parts[3].str() + parts[5].str();
    for (const std::size_t port : { 2, 4, 6 }) {
        if (parts[port].matched)
            parameters["port"] = parts[port].str();
    }
}

void set_connection(Parameters &parameters, const store_config &config)
{
    parameters["host"] = "localhost";
    if (config.user != nullptr)
        parameters["user"] = config.user;
    if (config.password != nullptr)
        parameters["password"] = config.password;
    if (config.port != 0)
        parameters["port"] = std::to_string(config.port);
    if (config.host != nullptr)
        set_host(parameters, config.host);
    parameters["connect-timeout"] = std::to_string(config.connect_timeout_s);
}

} // namespace

const Type *find_type(const opt_settings &settings, err &err)
{
    const char *name = types[0].name;

    for (std::size_t i = 0; i < settings.count; i++) {
        if (std::strcmp(settings.items[i].name, "type") == 0)
            name = settings.items[i].value;
    }
    for (const Type &type : types) {
        if (std::strcmp(type.name, name) == 0)
            return &type;
    }
    (void)err_usage(
        &err, "--set: type='%s' is not memfile, mysql or postgresql", name);
    return nullptr;
}

const Type *choose(const store_config &config, Parameters &parameters, err &err)
{
    const opt_settings &settings = *config.settings;
    const Type *const type = find_type(settings, err);

    if (type == nullptr || check_sync(*type, config.sync, err) != 0)
        return nullptr;
    parameters = { { "type", type->name },
                   { "universe", config.family == LEASE_FAMILY_V6 ? "6" : "4" },
                   { "name", config.target } };
    if (type->server != nullptr) {
        set_connection(parameters, config);
    } else {
        parameters["persist"] = config.sync == SYNC_VOLATILE ? "false" : "true";
        parameters["lfc-interval"] = "0";
    }
    for (std::size_t i = 0; i < settings.count; i++) {
        if (check_setting(*type, settings.items[i], config.sync, err) != 0)
            return nullptr;
        parameters[settings.items[i].name] = settings.items[i].value;
    }
    if (type->server == nullptr && config.keep)
        parameters["lfc-interval"] = "0";
    /* For Kea's library localhost is the default socket, whatever the port. */
    if (std::strcmp(type->name, "mysql") == 0 &&
        parameters["host"] == "localhost" && parameters.count("port") != 0)
        parameters["host"] = "127.0.0.1";
    return check_access(parameters, err) == 0 ? type : nullptr;
}

isc::dhcp::LeaseMgr &open_manager(const Parameters &parameters)
{
    std::string access;

    /* Without Kea's log: errors are also thrown. */
    if (!isc::log::isLoggingInitialized())
        isc::log::initLogger("kea_ubench", isc::log::NONE);
    for (const auto &parameter : prepare(parameters)) {
        const char *const quote = parameter.first == "password" ? "'" : "";
        access += (access.empty() ? "" : " ") + parameter.first + "=" + quote +
                  parameter.second + quote;
    }
    isc::dhcp::LeaseMgrFactory::create(access);
    return isc::dhcp::LeaseMgrFactory::instance();
}

void close_manager()
{
    isc::dhcp::LeaseMgrFactory::destroy();
}

bool cleans_up(const Parameters &parameters)
{
    const auto interval = parameters.find("lfc-interval");

    return interval != parameters.end() && std::stol(interval->second) > 0;
}

bool is_volatile(const Parameters &parameters)
{
    const auto persist = parameters.find("persist");

    return persist != parameters.end() && persist->second == "false";
}

} // namespace kea
