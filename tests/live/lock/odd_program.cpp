// SPDX-License-Identifier: Apache-2.0
#include <lockscope/blocking.h>

#include <QCoreApplication>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

using namespace lockscope;

namespace {

std::optional<blocking::Client> late; // ends after main()

/// The exit code: 0, or the line that was not as it should be.
#define EXPECT(condition)                                                                                              \
    if (!(condition)) return __LINE__ % 250 + 1

/// The application object goes before the client does, and before a call.
int applicationGoesFirst(const char* url) {
    int count = 0;
    auto application = std::make_unique<QCoreApplication>(count, nullptr);
    late.emplace(url);
    blocking::Mutex orders(*late, "orders");
    orders.lock();
    EXPECT(orders.stillMine());
    application.reset();
    EXPECT(!orders.stillMine());
    try {
        orders.lock();
        return 2;
    } catch (const UnreachableException&) {
    }
    blocking::Client again(url); // one that is made later works, over an application object of its own
    blocking::Mutex stock(again, "stock");
    EXPECT(stock.try_lock());
    stock.unlock();
    return 0;
}

/// All that a process has before it is copied.
struct Possessions {
    explicit Possessions(const char* url)
        : client(url), orders(client, "orders"), stock(client, "stock"), election(client, "leader") {
        orders.onUnlockFailed([](const LockException&) {});
        orders.lock();
        hold = stock.acquire();
        election.campaign();
    }
    blocking::Client client;
    blocking::Mutex orders, stock;
    blocking::Hold hold;
    blocking::LeaderElection election;
};

int asALeadersCopy(blocking::LeaderElection& election) {
    EXPECT(!election.isLeader() && election.term() == 0 && !election.leadership().stop_possible());
    try {
        election.campaign();
        return 3;
    } catch (const RefusedException&) {
    }
    election.resign();
    return 0;
}

int ofTheCopy(Possessions& its, const char* url) {
    auto& [client, orders, stock, hold, election] = its;
    EXPECT(!orders.stillMine()); // the other process has it
    EXPECT(!hold.stillMine() && hold.remaining() == std::chrono::nanoseconds(0));
    if (const int found = asALeadersCopy(election)) return found;
    try {
        orders.lock();
        return 2;
    } catch (const RefusedException&) {
    }
    orders.unlock(); // as a guard's destructor does
    client.close();
    {
        blocking::Client own(url);
        blocking::Mutex same(own, "orders");
        EXPECT(!same.try_lock());
    }
    return 0;
}

/// A copy of the process neither hangs nor touches what the other one holds.
int copied(const char* url) {
    auto its = std::make_unique<Possessions>(url);
    EXPECT(its->election.waitUntilLeader(std::chrono::seconds(20)));
    const pid_t child = fork();
    if (child == 0) {
        alarm(30); // rather than hang
        const int found = ofTheCopy(*its, url);
        its.reset();
        _exit(found);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status));
    if (WEXITSTATUS(status) != 0) return WEXITSTATUS(status);
    EXPECT(its->orders.stillMine() && its->hold.stillMine() && its->election.isLeader());
    EXPECT(its->orders.unlockOrThrow() == 0);
    return 0;
}

int triesAndGoes(const char* url) {
    blocking::Client own(url);
    blocking::Mutex same(own, "orders");
    EXPECT(!same.try_lock());
    return 0;
}

/// A copy ends as programs do, with the destructors of all that is static: of clients that were there before, of some
/// that had gone, and of its own.
int endsACopy(const char* url) {
    {
        blocking::Client gone(url);
        blocking::Mutex stock(gone, "stock");
        stock.lock();
        stock.unlock();
    }
    blocking::Client client(url);
    blocking::Mutex orders(client, "orders");
    orders.lock();
    const pid_t child = fork();
    if (child == 0) {
        alarm(8); // it has nobody to wait for
        const int found = triesAndGoes(url);
        std::exit(found);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status));
    if (WEXITSTATUS(status) != 0) return WEXITSTATUS(status);
    EXPECT(orders.unlockOrThrow() == 0);
    return 0;
}

/// The first client makes an application object, which is no reason to change how the program writes its numbers.
int keepsItsLocale(const char* url) {
    EXPECT(setenv("LC_ALL", "C.UTF-8", 1) == 0);
    const std::string before = std::setlocale(LC_ALL, nullptr);
    EXPECT(before == "C");
    const blocking::Client client(url);
    EXPECT(std::setlocale(LC_ALL, nullptr) == before);
    return 0;
}

/// As many programs have it: everything in one object that ends after main().
struct Application {
    std::unique_ptr<blocking::Client> client;
    std::unique_ptr<blocking::Mutex> hall, desk;
    blocking::Hold hold;
    std::unique_lock<blocking::Mutex> guard;
    std::unique_ptr<blocking::LeaderElection> election;

    static Application& the() {
        static Application one;
        return one;
    }
};

int leavesItToStaticObjects(const char* url, const char* recipe) {
    Application& application = Application::the(); // before anything of the library's
    LockOptions options;
    options.recipe = recipe;
    application.client = std::make_unique<blocking::Client>(url);
    application.hall = std::make_unique<blocking::Mutex>(*application.client, "static-hold", options);
    application.desk = std::make_unique<blocking::Mutex>(*application.client, "static-guard", options);
    application.hold = application.hall->acquire();
    application.guard = std::unique_lock(*application.desk);
    application.election = std::make_unique<blocking::LeaderElection>(*application.client, "static-election", options);
    application.election->campaign();
    EXPECT(application.election->waitUntilLeader(std::chrono::seconds(20)));
    return 0;
}

/// A problem that no call reports, and a message of Qt's: to the log handler, or to stderr.
int warns(const char* url, bool handled) {
    if (handled) {
        setLogHandler([](LogLevel, std::string_view line) {
            std::fwrite(line.data(), 1, line.size(), stdout);
            std::fputc('\n', stdout);
        });
    }
    blocking::Client client(url);
    blocking::Mutex orders(client, "warned");
    orders.unlock(); // it was not locked
    qWarning("a line of Qt's");
    return 0;
}

/// Leads until it is killed; says when it is elected and deposed.
int campaigns(const char* url, const char* name) {
    LockOptions options = blocking::LeaderElection::defaults();
    options.lease = std::chrono::seconds(4);
    options.watchdog = std::chrono::seconds(1);
    blocking::Client client(url);
    blocking::LeaderElection election(client, name, options);
    election.onElected([](std::int64_t term) {
        std::printf("elected %lld\n", static_cast<long long>(term));
        std::fflush(stdout);
    });
    election.onDeposed([](const std::string& reason) {
        std::printf("deposed %s\n", reason.c_str());
        std::fflush(stdout);
    });
    election.campaign();
    for (;;)
        pause();
}

} // namespace

/// Does things that programs should not do, or seldom do: odd_program application|fork|exit|locale|logged|unlogged URL,
/// odd_program candidate URL NAME, odd_program static URL RECIPE
int main(int count, char** words) {
    if (count != 3 && count != 4) return 255;
    const std::string_view what = words[1];
    if (what == "static") return leavesItToStaticObjects(words[2], words[3]);
    if (count == 4) return campaigns(words[2], words[3]);
    if (what == "logged" || what == "unlogged") return warns(words[2], what == "logged");
    if (what == "exit") return endsACopy(words[2]);
    if (what == "locale") return keepsItsLocale(words[2]);
    return what == "fork" ? copied(words[2]) : applicationGoesFirst(words[2]);
}
