/* SPDX-License-Identifier: ISC */
#include <config.h> /* Kea's; its headers require it first */

#include "store/kea/versions.hh"

#if __has_include(<cfgrpt/config_report.h>)
#include <cfgrpt/config_report.h>
#else /* Kea 3.0 */
#include <process/cfgrpt/config_report.h>
#endif
#if __has_include(<util/filesystem.h>) /* Kea 2.6 */
#include <dhcpsrv/cfgmgr.h>
#define KEA_HAS_FOLDERS 1
#else
#define KEA_HAS_FOLDERS 0
#endif
#if __has_include(<dhcpsrv/mysql_lease_mgr.h>)
#define KEA_HAS_HOOKS 0
#else /* since 2.7.4 the databases are hook libraries */
#include <dhcpsrv/lease_mgr_factory.h>
#include <hooks/hooks_manager.h>
#include <process/daemon.h>
#define KEA_HAS_HOOKS 1
#endif

#if __has_include(<asiolink/io_service_mgr.h>) /* Kea 2.6 */
#include <asiolink/process_spawn.h>
#define KEA_SPAWNS_BY_ITSELF 1
#else
#define KEA_SPAWNS_BY_ITSELF 0
#endif
#include <dhcpsrv/timer_mgr.h>

#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace kea
{

namespace
{

/* --- What was loaded --- */

/* Returns the linker's build-id note, or "". */
std::string build_id(const dl_phdr_info &object)
{
    static const char digits[] = "0123456789abcdef";
    std::string id;

    for (unsigned i = 0; i < object.dlpi_phnum; i++) {
        const ElfW(Phdr) &part = object.dlpi_phdr[i];
        const char *at =
            reinterpret_cast<const char *>(object.dlpi_addr + part.p_vaddr);
        const char *const end = at + part.p_memsz;

        while (part.p_type == PT_NOTE && end - at >= 16) {
            ElfW(Nhdr) note;

            std::memcpy(&note, at, sizeof note);
            const char *const bytes =
                at + sizeof note + (note.n_namesz + 3) / 4 * 4;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                std::memcmp(at + sizeof note, "GNU", 4) == 0) {
                for (unsigned k = 0; k < note.n_descsz; k++) {
                    id += digits[bytes[k] >> 4 & 15];
                    id += digits[bytes[k] & 15];
                }
                return id;
            }
            at = bytes + (note.n_descsz + 3) / 4 * 4;
        }
    }
    return id;
}

/* FNV-1a. */
uint64_t digest_of(const std::string &text)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);

    for (const char byte : text)
        digest = (digest ^ static_cast<uint8_t>(byte)) *
                 UINT64_C(0x100000001b3);
    return digest;
}

/* A callback for dl_iterate_phdr: adds a library to a build if it is Kea's. */
int add_object(dl_phdr_info *object, size_t, void *data)
{
    Build &build = *static_cast<Build *>(data);
    const std::string path = object->dlpi_name;
    const std::string name = path.substr(path.rfind('/') + 1);
    const std::string id = build_id(*object);

    if (name.compare(0, 7, "libkea-") != 0 &&
        name.compare(0, 8, "libdhcp_") != 0)
        return 0;
    build.libraries++;
    build.digest += digest_of(name + id);
    if (name.compare(0, 14, "libkea-dhcpsrv") == 0) {
        build.library = path;
        build.build_id = id;
    }
    return 0;
}

/* --- What Kea needs besides --- */

#if KEA_HAS_HOOKS
/* Called at exit, while the objects that the libraries refer to still exist. */
void unload_hooks()
{
    isc::dhcp::LeaseMgrFactory::destroy();
    isc::hooks::HooksManager::prepareUnloadLibraries();
    (void)isc::hooks::HooksManager::unloadLibraries();
}

/* Loads the hook library of a database, which is in a directory beside Kea's
   libraries.  It registers the database with Kea only in a server, which it
   recognises by the program's name. */
void load_hook(const std::string &type)
{
    using namespace isc;
    std::string path = build().library;

    if (dhcp::LeaseMgrFactory::registeredFactory(type))
        return;
    path.erase(path.rfind('/') + 1);
    path += "kea/hooks/libdhcp_" + (type == "postgresql" ? "pgsql" : type) +
            ".so";
    process::Daemon::setProcName("kea-dhcp4");
    if (access(path.c_str(), R_OK) != 0 ||
        !hooks::HooksManager::loadLibraries(
            { hooks::HookLibInfo(path, data::ConstElementPtr()) }, true))
        throw std::runtime_error(path + " cannot be loaded, and Kea has " +
                                 type + " in no other library");
    (void)std::atexit(unload_hooks);
}
#else
void load_hook(const std::string &)
{
}
#endif

#if KEA_HAS_FOLDERS
/* Allows lease files in the directory.  Since 2.6.3 they must be in Kea's own
   directory, unless a program names another. */
template <class Config>
auto allow_folder(Config &config, const std::string &folder, int)
    -> decltype(void(config.getDataDir(true, folder)))
{
    (void)config.getDataDir(true, folder);
}

template <class Config> void allow_folder(Config &, const std::string &, long)
{
}

void name_folder(std::string &name)
{
    const std::size_t slash = name.rfind('/');
    const std::string folder =
        slash == std::string::npos ? "." : name.substr(0, slash + 1);
    const std::unique_ptr<char, void (*)(void *)> real(
        realpath(folder.c_str(), nullptr), std::free);

    if (real) {
        allow_folder(isc::dhcp::CfgMgr::instance(), real.get(), 0);
        name = std::string(real.get()) + "/" + name.substr(slash + 1);
    }
}
#else
void name_folder(std::string &)
{
}
#endif

/* --- What its libraries leave no other way for --- */

/* Ends the program with a message.  Kea's libraries start threads before main,
   where nothing catches the exception that is thrown if a thread cannot be
   created. */
[[noreturn]] void end_uncaught()
{
    const char *why = "no reason given";

    try {
        throw;
    } catch (const std::exception &failure) {
        why = failure.what();
    } catch (...) {
    }
    (void)std::fprintf(stderr, "kea_ubench: kea: its libraries failed: %s\n",
                       why);
    _exit(1);
}

void expect_uncaught()
{
    (void)std::set_terminate(end_uncaught);
}

/* A function in this section is called before any library's constructors. */
__attribute__((section(".preinit_array"), used)) void (*const early)() =
    expect_uncaught;

/* The result of time(2) in this thread; 0: the real time. */
thread_local time_t asked_time;

} // namespace

TimeOf::TimeOf(int64_t time_s)
{
    asked_time = static_cast<time_t>(time_s);
}

TimeOf::~TimeOf()
{
    asked_time = 0;
}

std::string version()
{
    std::istringstream report(isc::detail::getConfigReport());
    std::string word;

    while (report >> word) {
        if (word == "Version:" && report >> word)
            return word;
    }
    return "unknown";
}

Build build()
{
    Build build = { "", "", 0, 0 };

    (void)dl_iterate_phdr(add_object, &build);
    return build;
}

void set_io_service(const isc::asiolink::IOServicePtr &service)
{
    isc::dhcp::TimerMgr::instance()->setIOService(service);
#if KEA_SPAWNS_BY_ITSELF
    isc::asiolink::ProcessSpawn::setIOService(service);
#else
    isc::dhcp::LeaseMgr::setIOService(service);
#endif
}

Parameters prepare(const Parameters &parameters)
{
    Parameters prepared = parameters;

    if (parameters.at("type") == "memfile")
        name_folder(prepared["name"]);
    else
        load_hook(parameters.at("type"));
    return prepared;
}

} // namespace kea

/* Replaces the C library's time, also for Kea's libraries.  The managers use it
   to decide which leases have expired and take no time from their callers, but
   the leases of a run, which are the same on every store, have other times than
   today. */
extern "C" time_t time(time_t *result) noexcept
{
    timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    const time_t time_s = kea::asked_time != 0 ? kea::asked_time : now.tv_sec;
    if (result != nullptr)
        *result = time_s;
    return time_s;
}
