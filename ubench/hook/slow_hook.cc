// SPDX-License-Identifier: ISC
//
// A hook library for kea-dhcp4 and kea-dhcp6 that asks a slow backend before a lease is
// acknowledged; scripts/dhcp measures what that costs.  The backend is a delay.
// Parameters: "delay-ms", and "mode", how the server waits:
//   block  the thread sleeps: a server without threads does nothing else
//   park   the packet waits, the thread goes on
//   cache  what the backend has answered is kept.  A client that is not there gets no
//          answer, but the backend is asked: when the client asks again, it is there
//
// It hooks leases4_committed and leases6_committed, where Kea 2.2 can park.

#include <sys/timerfd.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <dhcp/iface_mgr.h>
#include <dhcp/option.h>
#include <dhcp/pkt4.h>
#include <dhcp/pkt6.h>
#include <hooks/hooks.h>

using isc::dhcp::IfaceMgr;
using isc::hooks::CalloutHandle;
using isc::hooks::LibraryHandle;

namespace {

using Clock = std::chrono::steady_clock;
using Task = std::pair<Clock::time_point, std::function<void()>>;

struct Hook {
    std::string mode;
    Clock::duration delay;
    // The tasks that wait, the oldest first: all wait for the same time.  The
    // timer wakes the server's main thread, as its sockets do.
    std::mutex mutex;
    std::deque<Task> waiting;
    int timer;
    // Clients, and when the backend has answered for each.
    std::map<std::string, Clock::time_point> cache;
};

// Made by load, ended by unload: Kea's callouts have no other place for it.
std::unique_ptr<Hook> hook;

// Expects the mutex to be held.
void set_timer()
{
    using namespace std::chrono;
    const nanoseconds at = hook->waiting.front().first.time_since_epoch();
    itimerspec spec{};

    spec.it_value.tv_sec = duration_cast<seconds>(at).count();
    spec.it_value.tv_nsec = (at % seconds(1)).count();
    timerfd_settime(hook->timer, TFD_TIMER_ABSTIME, &spec, nullptr);
}

void run_due(int timer)
{
    std::deque<Task> due;
    uint64_t expirations;

    if (read(timer, &expirations, sizeof expirations) < 0)
        return;
    {
        const std::lock_guard<std::mutex> lock(hook->mutex);
        const Clock::time_point now = Clock::now();

        while (!hook->waiting.empty() && hook->waiting.front().first <= now) {
            due.push_back(std::move(hook->waiting.front()));
            hook->waiting.pop_front();
        }
        if (!hook->waiting.empty())
            set_timer();
    }
    for (const Task &task : due)
        task.second();
}

template <typename Packet>
void ask_backend(CalloutHandle &handle, const char *query_name, uint16_t id_option)
{
    if (hook->mode == "block") {
        std::this_thread::sleep_for(hook->delay);
        return;
    }

    const std::lock_guard<std::mutex> lock(hook->mutex);
    const Clock::time_point now = Clock::now();
    Packet query;

    handle.getArgument(query_name, query);
    if (hook->mode == "park") {
        const auto lot = handle.getParkingLotHandlePtr();

        lot->reference(query);
        handle.setStatus(CalloutHandle::NEXT_STEP_PARK);
        hook->waiting.emplace_back(now + hook->delay,
                                   [lot, query] { lot->unpark(query); });
        if (hook->waiting.size() == 1)
            set_timer();
    } else {
        const isc::dhcp::OptionPtr id = query->getOption(id_option);
        const auto answer = hook->cache.emplace(id ? id->toHexString() : "",
                                                now + hook->delay);

        if (answer.first->second > now)
            handle.setStatus(CalloutHandle::NEXT_STEP_DROP);
    }
}

} // namespace

extern "C" {

int version()
{
    return KEA_HOOKS_VERSION;
}

int multi_threading_compatible()
{
    return 1;
}

int load(LibraryHandle &handle)
{
    hook.reset(new Hook);
    hook->mode = handle.getParameter("mode")->stringValue();
    hook->delay = std::chrono::milliseconds(handle.getParameter("delay-ms")->intValue());
    hook->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    IfaceMgr::instance().addExternalSocket(hook->timer, run_due);
    return 0;
}

int unload()
{
    IfaceMgr::instance().deleteExternalSocket(hook->timer);
    close(hook->timer);
    hook.reset();
    return 0;
}

int leases4_committed(CalloutHandle &handle)
{
    ask_backend<isc::dhcp::Pkt4Ptr>(handle, "query4",
                                    isc::dhcp::DHO_DHCP_CLIENT_IDENTIFIER);
    return 0;
}

int leases6_committed(CalloutHandle &handle)
{
    ask_backend<isc::dhcp::Pkt6Ptr>(handle, "query6", D6O_CLIENTID);
    return 0;
}

} // extern "C"
