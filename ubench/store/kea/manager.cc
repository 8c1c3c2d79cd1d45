/* SPDX-License-Identifier: ISC */
#include <config.h>

#include "store/kea/manager.hh"

#if __has_include(<util/filesystem.h>) /* Kea 2.6 */
#include <dhcpsrv/cfgmgr.h>
#define KEA_HAS_FOLDERS 1
#else
#define KEA_HAS_FOLDERS 0
#endif
#include <dhcpsrv/memfile_lease_mgr.h>
#if __has_include(<dhcpsrv/mysql_lease_mgr.h>)
#include <dhcpsrv/mysql_lease_mgr.h>
#include <dhcpsrv/pgsql_lease_mgr.h>
#define KEA_HAS_HOOKS 0
#else /* since 2.7.4 they are in hook libraries */
#define KEA_HAS_HOOKS 1
#endif
#include <log/logger_support.h>

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

extern "C" {
/* Defined in store/mysql and store/pgsql; store.mk links them. */
extern const struct backend mysql_backend;
extern const struct backend pgsql_backend;
}

namespace kea
{

namespace
{

const char *const memfile_settings[] = { "persist", "lfc-interval",
                                         "max-row-errors", nullptr };
const char *const server_settings[] = { "host",         "port",
                                        "user",         "connect-timeout",
                                        "trust-anchor", "cert-file",
                                        "key-file",     "cipher-list",
                                        nullptr };

const Type types[] = {
    { "memfile", nullptr, memfile_settings },
    { "mysql", &mysql_backend, server_settings },
    { "postgresql", &pgsql_backend, server_settings },
};

unsigned levels_of(const Type &type)
{
    return type.server != nullptr
               ? type.server->sync_levels
               : SYNC_BIT(SYNC_NO) | SYNC_BIT(SYNC_SERVER) |
                     SYNC_BIT(SYNC_VOLATILE) | SYNC_BIT(SYNC_PROCESS_SAFE);
}

bool is_known(const Type &type, const char *name)
{
    for (const char *const *known = type.settings; *known != nullptr; known++) {
        if (std::strcmp(*known, name) == 0)
            return true;
    }
    return std::strcmp(name, "type") == 0;
}

int check_setting(const Type &type, const opt_setting &setting, err &err)
{
    if (std::strcmp(setting.name, "name") == 0 ||
        std::strcmp(setting.name, "password") == 0)
        return err_set_class(&err, ERR_USAGE, "--set: '%s' is what %s is for",
                             setting.name,
                             setting.name[0] == 'n' ? "-f" : "-p");
    if (!is_known(type, setting.name))
        return err_set_class(&err, ERR_USAGE,
                             "--set: '%s' is not a parameter of Kea's "
                             "lease-database of type %s that ubench knows",
                             setting.name, type.name);
    if (std::strcmp(setting.name, "lfc-interval") == 0 &&
        std::strcmp(setting.value, "0") != 0)
        return err_set_class(&err, ERR_USAGE,
                             "--set: lfc-interval='%s': expected 0: a timer "
                             "of Kea's servers starts the cleanup, and here "
                             "is none",
                             setting.value);
    if (std::strcmp(setting.name, "max-row-errors") == 0 &&
        setting.value[std::strspn(setting.value, "0123456789")] != '\0')
        return err_set_class(&err, ERR_USAGE,
                             "--set: max-row-errors='%s' is not a whole number",
                             setting.value);
    if (std::strcmp(setting.name, "persist") == 0 &&
        std::strcmp(setting.value, "true") != 0 &&
        std::strcmp(setting.value, "false") != 0)
        return err_set_class(&err, ERR_USAGE,
                             "--set: persist='%s' is not true or false",
                             setting.value);
    return 0;
}

int check_sync(const Type &type, sync_level level, err &err)
{
    if ((levels_of(type) & SYNC_BIT(level)) != 0)
        return 0;
    if (type.server == nullptr &&
        (level == SYNC_YES || level == SYNC_POWER_SAFE))
        return err_set_class(&err, ERR_USAGE,
                             "--sync: Kea's memfile writes each change to its "
                             "file and never syncs it: expected no or "
                             "volatile, or --set type=mysql|postgresql");
    return err_set_class(&err, ERR_USAGE,
                         "--sync: Kea's %s has no setting of that class",
                         type.name);
}

void set_if_given(Parameters &parameters, const char *name, const char *value)
{
    if (value != nullptr)
        parameters[name] = value;
}

/* Kea takes a host and a port, or the folder of a socket of PostgreSQL's: here
   HOST:PORT, [ADDRESS]:PORT and that socket's file, too. */
void set_host(Parameters &parameters, std::string host)
{
    static const std::string socket = "/.s.PGSQL.";
    const auto file = host.rfind(socket);
    const auto colon = host.rfind(':');
    const bool bracketed = host[0] == '[';

    if (file != std::string::npos) {
        parameters["port"] = host.substr(file + socket.size());
        host.erase(file);
    } else if (colon != std::string::npos && host[0] != '/' &&
               (bracketed ? host[colon - 1] == ']' : host.find(':') == colon)) {
        parameters["port"] = host.substr(colon + 1);
        host.erase(colon);
    }
    if (bracketed && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    parameters["host"] = host;
}

void set_connection(Parameters &parameters, const store_config &config)
{
    parameters["host"] = "localhost";
    set_if_given(parameters, "user", config.user);
    set_if_given(parameters, "password", config.password);
    if (config.port != 0)
        parameters["port"] = std::to_string(config.port);
    if (config.host != nullptr)
        set_host(parameters, config.host);
    parameters["connect-timeout"] = std::to_string(config.connect_timeout_s);
}

#if KEA_HAS_FOLDERS
/* Since 2.6.3 a lease file has to be in Kea's own folder, unless a program
   names another one. */
template <class Config>
auto allow_folder(Config &config, const std::string &folder, int)
    -> decltype(void(config.getDataDir(true, folder)))
{
    (void)config.getDataDir(true, folder);
}

template <class Config> void allow_folder(Config &, const std::string &, long)
{
}

Parameters with_folder(Parameters parameters)
{
    std::string &name = parameters["name"];
    const std::size_t slash = name.rfind('/');
    const std::string folder =
        slash == std::string::npos ? "." : name.substr(0, slash + 1);
    const std::unique_ptr<char, void (*)(void *)> real(
        realpath(folder.c_str(), nullptr), std::free);

    if (real) {
        allow_folder(isc::dhcp::CfgMgr::instance(), real.get(), 0);
        name = std::string(real.get()) + "/" + name.substr(slash + 1);
    }
    return parameters;
}
#else
const Parameters &with_folder(const Parameters &parameters)
{
    return parameters;
}
#endif

using Manager = std::unique_ptr<isc::dhcp::LeaseMgr>;

#if KEA_HAS_HOOKS
/* What a hook library registers with Kea's server when it is loaded: a static
   function of a class whose header is not installed.  The libraries lie in a
   folder beside Kea's own. */
Manager make_by_hook(const char *name, const char *symbol,
                     const Parameters &parameters)
{
    Dl_info kea;
    std::string path;

    if (dladdr(reinterpret_cast<void *>(&isc::dhcp::Memfile_LeaseMgr::factory),
               &kea) != 0)
        path = kea.dli_fname;
    path.erase(path.rfind('/') + 1);
    path += std::string("kea/hooks/libdhcp_") + name + ".so";
    void *const library = dlopen(path.c_str(), RTLD_NOW);
    void *const found = library != nullptr ? dlsym(library, symbol) : nullptr;
    if (found == nullptr)
        throw std::runtime_error(dlerror());
    return reinterpret_cast<decltype(&isc::dhcp::Memfile_LeaseMgr::factory)>(
        found)(parameters);
}

#define KEA_FACTORY(CLASS)                                                   \
    "_ZN3isc4dhcp" CLASS "7factoryERKSt3mapINSt7__cxx1112basic_stringIcSt11" \
    "char_traitsIcESaIcEEES8_St4lessIS8_ESaISt4pairIKS8_S8_EEE"

Manager make_mysql(const Parameters &parameters)
{
    return make_by_hook("mysql", KEA_FACTORY("13MySqlLeaseMgr"), parameters);
}

Manager make_pgsql(const Parameters &parameters)
{
    return make_by_hook("pgsql", KEA_FACTORY("13PgSqlLeaseMgr"), parameters);
}

/* The library may know another size of the object than this program, if its
   version of Boost is another one. */
Manager make_memfile(const Parameters &parameters)
{
    return isc::dhcp::Memfile_LeaseMgr::factory(parameters);
}
#else
Manager make_mysql(const Parameters &parameters)
{
    return std::make_unique<isc::dhcp::MySqlLeaseMgr>(parameters);
}

Manager make_pgsql(const Parameters &parameters)
{
    return std::make_unique<isc::dhcp::PgSqlLeaseMgr>(parameters);
}

Manager make_memfile(const Parameters &parameters)
{
    return std::make_unique<isc::dhcp::Memfile_LeaseMgr>(parameters);
}
#endif

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
    (void)err_set_class(&err, ERR_USAGE,
                        "--set: type='%s' is not memfile, mysql or postgresql",
                        name);
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
        if (check_setting(*type, settings.items[i], err) != 0)
            return nullptr;
        parameters[settings.items[i].name] = settings.items[i].value;
    }
    return type;
}

std::unique_ptr<isc::dhcp::LeaseMgr> open_manager(const Parameters &parameters)
{
    /* What it has to say comes as an exception, too. */
    if (!isc::log::isLoggingInitialized())
        isc::log::initLogger("kea_ubench", isc::log::NONE);
    const std::string &type = parameters.at("type");
    return type == "mysql"        ? make_mysql(parameters)
           : type == "postgresql" ? make_pgsql(parameters)
                                  : make_memfile(with_folder(parameters));
}

bool is_volatile(const Parameters &parameters)
{
    const auto persist = parameters.find("persist");

    return persist != parameters.end() && persist->second == "false";
}

const char *version()
{
    return VERSION;
}

} // namespace kea
