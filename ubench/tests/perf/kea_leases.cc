/* SPDX-License-Identifier: ISC */
/*
 * The lease managers of Kea under ubench's exchanges: Kea's own library, asked
 * what ubench asks its stores, lease by lease from a file in Kea's format.
 *
 *     kea_leases EXCHANGE FILE CLIENTS [KEY=VALUE...]
 *
 * The first CLIENTS leases of FILE are there before; the other ones are those
 * of new clients.  A key and its value are Kea's, as in its lease-database:
 * type=mysql.  Prints what ubench calls a line, in microseconds: the name, how
 * many, the mean, the median; first of the exchange, then of its steps.
 * 1: something failed; 2: usage; 3: a wrong answer.
 */
#include <config.h>

#include <dhcpsrv/csv_lease_file4.h>
#include <dhcpsrv/csv_lease_file6.h>
#include <dhcpsrv/memfile_lease_mgr.h>
#include <dhcpsrv/mysql_lease_mgr.h>
#include <dhcpsrv/pgsql_lease_mgr.h>
#include <log/logger_support.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace isc::dhcp;
using isc::db::DatabaseConnection;

namespace
{

struct WrongAnswer : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/* What was timed under one name. */
struct Timing {
    std::string name;
    std::vector<double> us;
};

/* An exchange asks for its steps in their order, each time the same ones. */
class Stopwatch
{
  public:
    using Clock = std::chrono::steady_clock;

    explicit Stopwatch(const std::string &exchange) : whole_{ exchange, {} }
    {
    }

    void begin()
    {
        step_ = 0;
        begun_ = last_ = Clock::now();
    }

    /* A step has just ended; it was right if its answer was. */
    void step(const char *name, bool right)
    {
        const Clock::time_point now = Clock::now();

        if (step_ == steps_.size())
            steps_.push_back({ name, {} });
        steps_[step_++].us.push_back(us(last_, now));
        if (!right)
            throw WrongAnswer(name);
        last_ = now;
    }

    void end()
    {
        whole_.us.push_back(us(begun_, last_));
    }

    void print()
    {
        print(whole_);
        for (Timing &timing : steps_)
            print(timing);
    }

  private:
    static double us(Clock::time_point from, Clock::time_point to)
    {
        return std::chrono::duration<double, std::micro>(to - from).count();
    }

    static void print(Timing &timing)
    {
        std::vector<double> &v = timing.us;

        if (v.empty())
            return;
        std::sort(v.begin(), v.end());
        std::printf("%-20s %8zu %10.3f %10.3f\n", timing.name.c_str(), v.size(),
                    std::accumulate(v.begin(), v.end(), 0.0) /
                        static_cast<double>(v.size()),
                    v[v.size() / 2]);
    }

    Timing whole_;
    std::vector<Timing> steps_;
    std::size_t step_ = 0;
    Clock::time_point begun_;
    Clock::time_point last_;
};

/* What both families have in common; each names its lookups. */
template <class Lease, class File> class Family
{
  public:
    using Pointer = boost::shared_ptr<Lease>;
    using Exchange = std::function<void(LeaseMgr &, const Pointer &)>;

    Family(const std::string &name, std::map<std::string, Exchange> exchanges)
        : watch_(name), exchange_(exchanges.at(name)),
          is_new_(name == "dora" || name == "sarr")
    {
    }

    void run(LeaseMgr &manager, const std::string &path, std::size_t clients)
    {
        std::vector<Pointer> leases = read(path);

        if (leases.size() <= clients)
            throw std::runtime_error(path + ": too few leases");
        for (std::size_t i = 0; i < clients; i++)
            manager.addLease(boost::make_shared<Lease>(*leases[i]));
        choose(leases, clients);
        for (const Pointer &lease : leases) {
            watch_.begin();
            exchange_(manager, lease);
            watch_.end();
        }
        watch_.print();
    }

  protected:
    Stopwatch watch_;

  private:
    /* All but the first, which is the mark of ubench. */
    static std::vector<Pointer> read(const std::string &path)
    {
        std::vector<Pointer> leases;
        File file(path);
        Pointer lease;

        file.open();
        while (file.next(lease) && lease)
            leases.push_back(lease);
        if (!leases.empty())
            leases.erase(leases.begin());
        return leases;
    }

    /* Leaves those that the exchanges are about: new ones in their order, or
       as many of the known ones in any order, none of them twice. */
    void choose(std::vector<Pointer> &leases, std::size_t clients) const
    {
        if (is_new_) {
            leases.erase(leases.begin(),
                         leases.begin() + static_cast<std::ptrdiff_t>(clients));
            return;
        }
        const std::size_t count = std::min(clients, leases.size() - clients);
        leases.resize(clients);
        std::shuffle(leases.begin(), leases.end(), std::mt19937(1));
        leases.resize(count);
    }

    Exchange exchange_;
    bool is_new_;
};

/* Kea's own operator is false where one knows the source of the hwaddr and the
   other, from a lease file of 2.2, does not. */
bool same(const Lease &a, const Lease &b)
{
    return a.addr_ == b.addr_ && a.cltt_ == b.cltt_ &&
           a.valid_lft_ == b.valid_lft_ && a.hostname_ == b.hostname_ &&
           a.state_ == b.state_ && a.hwaddr_->hwaddr_ == b.hwaddr_->hwaddr_;
}

/* At half the lifetime the same one again. */
void extend(Lease &lease)
{
    lease.cltt_ += lease.valid_lft_ / 2;
}

class Family4 : public Family<Lease4, CSVLeaseFile4>
{
  public:
    explicit Family4(const std::string &name)
        : Family(name, { { "dora", [this](auto &m, auto &l) { dora(m, l); } },
                         { "renew", [this](auto &m, auto &l) { renew(m, l); } },
                         { "release-delete",
                           [this](auto &m, auto &l) { release(m, l); } } })
    {
    }

  private:
    void dora(LeaseMgr &manager, const Pointer &lease)
    {
        const ClientId &client_id = *lease->client_id_;
        const HWAddr &hwaddr = *lease->hwaddr_;

        watch_.step("discover client-id", manager.getLease4(client_id).empty());
        watch_.step("discover hwaddr", manager.getLease4(hwaddr).empty());
        watch_.step("discover address", !manager.getLease4(lease->addr_));
        watch_.step("request client-id", manager.getLease4(client_id).empty());
        watch_.step("request hwaddr", manager.getLease4(hwaddr).empty());
        watch_.step("request address", !manager.getLease4(lease->addr_));
        watch_.step("allocate address", !manager.getLease4(lease->addr_));
        watch_.step("allocate", manager.addLease(lease));
    }

    void renew(LeaseMgr &manager, const Pointer &lease)
    {
        const Lease4Collection mine = manager.getLease4(*lease->client_id_);
        watch_.step("client-id", mine.size() == 1 && same(*mine[0], *lease));
        const Lease4Ptr found = manager.getLease4(lease->addr_);
        watch_.step("address", found && same(*found, *lease));
        extend(*found);
        manager.updateLease4(found);
        watch_.step("extend", true);
    }

    void release(LeaseMgr &manager, const Pointer &lease)
    {
        const Lease4Ptr found = manager.getLease4(lease->addr_);
        watch_.step("address", found && same(*found, *lease));
        watch_.step("delete", manager.deleteLease(found));
    }
};

class Family6 : public Family<Lease6, CSVLeaseFile6>
{
  public:
    explicit Family6(const std::string &name)
        : Family(name, { { "sarr", [this](auto &m, auto &l) { sarr(m, l); } },
                         { "renew", [this](auto &m, auto &l) { renew(m, l); } },
                         { "release-delete",
                           [this](auto &m, auto &l) { release(m, l); } } })
    {
    }

  private:
    void sarr(LeaseMgr &manager, const Pointer &lease)
    {
        const auto by_duid = [&] {
            return manager
                .getLeases6(Lease::TYPE_NA, *lease->duid_, lease->iaid_)
                .empty();
        };
        const auto by_address = [&] {
            return !manager.getLease6(Lease::TYPE_NA, lease->addr_);
        };

        watch_.step("solicit duid", by_duid());
        watch_.step("solicit address", by_address());
        watch_.step("request duid", by_duid());
        watch_.step("request address", by_address());
        watch_.step("allocate", manager.addLease(lease));
    }

    void renew(LeaseMgr &manager, const Pointer &lease)
    {
        const Lease6Collection mine = manager.getLeases6(
            Lease::TYPE_NA, *lease->duid_, lease->iaid_, lease->subnet_id_);
        watch_.step("duid in subnet",
                    mine.size() == 1 && same(*mine[0], *lease));
        extend(*mine[0]);
        manager.updateLease6(mine[0]);
        watch_.step("extend", true);
    }

    void release(LeaseMgr &manager, const Pointer &lease)
    {
        const Lease6Ptr found = manager.getLease6(Lease::TYPE_NA, lease->addr_);
        watch_.step("address", found && same(*found, *lease));
        watch_.step("delete", manager.deleteLease(found));
    }
};

std::unique_ptr<LeaseMgr>
open_manager(const DatabaseConnection::ParameterMap &parameters)
{
    const std::string &type = parameters.at("type");

    if (type == "mysql")
        return std::make_unique<MySqlLeaseMgr>(parameters);
    if (type == "postgresql")
        return std::make_unique<PgSqlLeaseMgr>(parameters);
    if (type == "memfile")
        return std::make_unique<Memfile_LeaseMgr>(parameters);
    throw std::runtime_error("type=" + type + ": no lease manager of Kea");
}

void run(int argc, char **argv)
{
    const std::string exchange = argv[1];
    const std::string path = argv[2];
    const std::size_t clients = std::strtoul(argv[3], nullptr, 10);
    DatabaseConnection::ParameterMap parameters{ { "universe", "4" } };

    for (int i = 4; i < argc; i++) {
        const std::string argument = argv[i];
        const std::size_t equals = argument.find('=');
        parameters[argument.substr(0, equals)] = argument.substr(equals + 1);
    }
    const std::unique_ptr<LeaseMgr> manager = open_manager(parameters);
    if (parameters["universe"] == "4")
        Family4(exchange).run(*manager, path, clients);
    else
        Family6(exchange).run(*manager, path, clients);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 5) {
        std::cerr << "usage: kea_leases EXCHANGE FILE CLIENTS KEY=VALUE...\n";
        return 2;
    }
    isc::log::initLogger("kea_leases", isc::log::WARN);
    try {
        run(argc, argv);
    } catch (const WrongAnswer &wrong) {
        std::cerr << "kea_leases: wrong answer: " << wrong.what() << '\n';
        return 3;
    } catch (const std::exception &failure) {
        std::cerr << "kea_leases: " << failure.what() << '\n';
        return 1;
    }
    return 0;
}
