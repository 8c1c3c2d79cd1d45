/* SPDX-License-Identifier: ISC */
#include "store/kea/clean_up.hh"

#include <asiolink/io_service.h>
#include <boost/make_shared.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <string>
#include <vector>

#include "store/kea/store.hh"
#include "store/kea/versions.hh"

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace kea
{

/* Kea's memfile also reads the first three; its clean-up creates all. */
const char *const beside_file[] = { ".1",      ".2",   ".completed",
                                    ".output", ".pid", nullptr };

namespace
{

/* How often a thread looks at the manager's timer, and at an ended kea-lfc that
   Kea has not noticed yet. */
constexpr milliseconds tick_time(100);
constexpr milliseconds notice_time(1);

const char *const not_written =
    "Kea cannot write a new lease file after moving the old one away";
const char *const not_cleaned = "kea-lfc failed to clean up the lease file";

/* Kea's timers and its handler of SIGCHLD work in this one, as long as the
   process lives. */
const isc::asiolink::IOServicePtr &io_service()
{
    static const auto service = boost::make_shared<isc::asiolink::IOService>();

    return service;
}

/* Sends standard error nowhere during the object's life: a kea-lfc that Kea
   starts meanwhile complains there that it cannot lock its log. */
class Silence
{
  public:
    Silence() : saved_(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3))
    {
        const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

        if (saved_ >= 0 && nowhere >= 0)
            (void)dup2(nowhere, STDERR_FILENO);
        if (nowhere >= 0)
            (void)close(nowhere);
    }

    ~Silence()
    {
        if (saved_ < 0)
            return;
        (void)dup2(saved_, STDERR_FILENO);
        (void)close(saved_);
    }

    Silence(const Silence &) = delete;
    Silence &operator=(const Silence &) = delete;

  private:
    const int saved_;
};

/* Waits until a child has ended, and leaves it to Kea to collect it.  Returns
   false if there is none. */
bool await_child(siginfo_t &child)
{
    int status;

    do {
        child = {};
        status = waitid(P_ALL, 0, &child, WEXITED | WNOWAIT);
    } while (status != 0 && errno == EINTR);
    return status == 0;
}

} // namespace

CleanUp::CleanUp(struct store &store) : store_(store)
{
    sigset_t child;

    set_io_service(io_service());
    /* Kea's handler of SIGCHLD would interrupt the waits of other threads,
       which inherit this mask. */
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)pthread_sigmask(SIG_BLOCK, &child, &signals_);
    thread_ = std::thread(&CleanUp::work, this);
}

CleanUp::~CleanUp()
{
    {
        const std::lock_guard<std::mutex> guard(quiet_);
        ended_ = true;
    }
    ending_.notify_one();
    thread_.join();
    (void)pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
}

std::unique_lock<std::mutex> CleanUp::hold()
{
    return std::unique_lock<std::mutex>(quiet_);
}

void CleanUp::sample(activity_sample &sample) const
{
    sample.figures[ACTIVITY_CLEANUPS] = count_;
    sample.figures[ACTIVITY_CLEANUP_MS] = took_ms_;
    sample.figures[ACTIVITY_CLEANUP_BYTES] = bytes_;
}

void CleanUp::work()
{
    sigset_t child;
    std::unique_lock<std::mutex> guard(quiet_);

    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)pthread_sigmask(SIG_UNBLOCK, &child, nullptr);
    while (!ending_.wait_for(guard, tick_time, [this] { return ended_; })) {
        try {
            tick();
        } catch (const std::exception &) {
            failure_ = not_written;
        }
    }
}

void CleanUp::tick()
{
    const auto begun = steady_clock::now();

    if (failure_ == nullptr && let_manager_work())
        await_end(begun);
}

/* Lets the manager's timer expire while no session works.  Returns true if the
   manager has begun a new file. */
bool CleanUp::let_manager_work()
{
    const std::lock_guard<std::mutex> guard(store_.lock);
    std::vector<std::unique_lock<std::mutex>> held;

    for (struct session *const session : store_.sessions)
        held.emplace_back(session->inside);
    {
        const Silence silence;
        (void)io_service()->poll();
    }
    return take_new_file();
}

/* Locks a new file as the old one was, and marks it as ubench's. */
bool CleanUp::take_new_file()
{
    const char *const path = store_.config.target;
    struct stat here;
    struct stat known;

    if (stat(path, &here) == 0 && fstat(store_.file, &known) == 0 &&
        here.st_dev == known.st_dev && here.st_ino == known.st_ino)
        return false;
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0 || flock(file, LOCK_EX | LOCK_NB) != 0)
        failure_ = not_written;
    if (file < 0)
        return false;
    (void)close(store_.file);
    store_.file = file;
    mark_new_file(store_);
    return true;
}

/* Waits for kea-lfc and counts it. */
void CleanUp::await_end(steady_clock::time_point begun)
{
    const std::string output = std::string(store_.config.target) + ".2";
    siginfo_t child;
    struct stat written;
    bool is_there;

    while ((is_there = await_child(child)) && child.si_pid == last_) {
        (void)let_manager_work();
        std::this_thread::sleep_for(notice_time);
    }
    const auto took = steady_clock::now() - begun;
    if (!is_there || child.si_code != CLD_EXITED || child.si_status != 0 ||
        stat(output.c_str(), &written) != 0) {
        failure_ = not_cleaned;
        return;
    }
    last_ = child.si_pid;
    took_ms_ += static_cast<uint64_t>(
        std::chrono::duration_cast<milliseconds>(took).count());
    bytes_ += static_cast<uint64_t>(written.st_size);
    count_++;
}

} // namespace kea
