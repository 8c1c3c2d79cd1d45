/* SPDX-License-Identifier: ISC */
/*
 * The clean-up of Kea's lease file, with --set lfc-interval=SECONDS.
 *
 * Whenever that time has passed, the manager moves its file away, begins a new
 * one, and starts kea-lfc, which writes a file with the last record of each
 * lease.  A server does this in its main thread while the others wait; here a
 * thread does it while no session works.
 */
#ifndef UBENCH_STORE_KEA_CLEAN_UP_HH
#define UBENCH_STORE_KEA_CLEAN_UP_HH

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <thread>

extern "C" {
#include "store/activity.h"
}

struct store;

namespace kea
{

/* What the clean-up leaves beside the lease file; NULL ends it. */
extern const char *const beside_file[];

class CleanUp
{
  public:
    /* Prepares Kea for managers that clean up, which are opened after this, and
       starts the thread.  Throws if it cannot be started. */
    explicit CleanUp(struct store &store);
    ~CleanUp(); /* waits for kea-lfc */

    /* Waits for kea-lfc, and prevents the next one until the guard's end. */
    std::unique_lock<std::mutex> hold();

    /* Sets the counters of the clean-ups that ended. */
    void sample(activity_sample &sample) const;

    /* Returns what went wrong, such that leases are no longer written or no
       longer cleaned up, or NULL. */
    const char *failure() const
    {
        return failure_;
    }

  private:
    void work();
    void tick();
    bool let_manager_work();
    bool take_new_file();
    void await_end(std::chrono::steady_clock::time_point begun);

    struct store &store_;
    sigset_t signals_; /* the caller's mask */
    std::mutex quiet_; /* not held between two looks at the manager's timer */
    std::condition_variable ending_;
    bool ended_ = false;
    pid_t last_ = 0; /* the kea-lfc that was counted last */
    std::atomic<const char *> failure_{ nullptr };
    std::atomic<uint64_t> count_{ 0 };
    std::atomic<uint64_t> took_ms_{ 0 };
    std::atomic<uint64_t> bytes_{ 0 };
    std::thread thread_;
};

} // namespace kea

#endif
