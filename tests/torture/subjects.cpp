// SPDX-License-Identifier: Apache-2.0
#include "subjects.h"

#include "connections/connection.h"
#include "ports/url.h"
#include "runtime/event_loop_runtime.h"
#include "sandbox/etcd_server.h"
#include "sandbox/mariadb_server.h"
#include "sandbox/memcached_server.h"
#include "sandbox/postgres_server.h"
#include "sandbox/redis_masters.h"
#include "sandbox/redis_server.h"
#include "sandbox/workspace.h"
#include "sandbox/zookeeper_server.h"

namespace lockscope::torture {

namespace {

/// One server process.
template <typename S>
class Single : public Server {
public:
    /// `query`: of its URL.
    template <typename... Options>
    explicit Single(Runtime& runtime, QString query, Options... options)
        : m_server(runtime, options...), m_query(std::move(query)) {}
    Started start() override { return m_server.start(); }
    QString url() const override { return m_server.url() + m_query; }
    void kill() override { m_server.kill(); }
    bool running() const override { return m_server.running(); }
    QString folder() const override {
        if constexpr (requires(const S& server) { server.workspace(); })
            return m_server.workspace().file(QStringLiteral("data"));
        return {};
    }

private:
    S m_server;
    QString m_query;
};

/// A database that writes through to the system at each commit: what it said before it was killed it still knows.
sandbox::SqlServerOptions durable(const QStringList& arguments) {
    sandbox::SqlServerOptions options;
    options.extraArguments = arguments;
    return options;
}
std::unique_ptr<Server> mariadb(Runtime& runtime) {
    return std::make_unique<Single<sandbox::MariaDbServer>>(
        runtime, QString(), durable({QStringLiteral("--innodb-flush-log-at-trx-commit=2")}));
}
/// One that writes down, in its folder, every statement.
std::unique_ptr<Server> loggingMariadb(Runtime& runtime) {
    return std::make_unique<Single<sandbox::MariaDbServer>>(
        runtime, QString(),
        durable({QStringLiteral("--innodb-flush-log-at-trx-commit=2"), QStringLiteral("--general-log=1"),
                 QStringLiteral("--general-log-file=general.log")}));
}
std::unique_ptr<Server> postgres(Runtime& runtime) {
    return std::make_unique<Single<sandbox::PostgresServer>>(
        runtime, QString(), durable({QStringLiteral("-c"), QStringLiteral("synchronous_commit=on")}));
}
std::unique_ptr<Server> zookeeper(Runtime& runtime) {
    return std::make_unique<Single<sandbox::ZooKeeperServer>>(runtime, QStringLiteral("?session=1500ms"));
}

/// A database in a file, without a server.
class File : public Server {
public:
    explicit File(Runtime&) {}
    Started start() override { co_return {}; }
    QString url() const override { return QStringLiteral("sqlite://") + m_workspace.file(QStringLiteral("locks.db")); }

private:
    sandbox::Workspace m_workspace;
};

/// Five masters, of which one at a time stands still.
class Masters : public Server {
public:
    explicit Masters(Runtime& runtime) : m_runtime(runtime), m_masters(runtime, 5) {}
    Started start() override { return m_masters.start(); }
    QString url() const override { return m_masters.url(); }
    QCoro::Task<bool> disturb() override {
        sandbox::RedisServer& one = m_masters.at(int(m_runtime.random() % 5));
        one.pause();
        co_await m_runtime.sleep(m_runtime.random(50ms, 400ms));
        one.resume();
        co_return true;
    }

private:
    Runtime& m_runtime;
    sandbox::RedisMasters m_masters;
};

template <typename S>
std::unique_ptr<Server> single(Runtime& runtime) {
    return std::make_unique<Single<S>>(runtime, QString());
}

void place(std::vector<Subject>& subjects, Subject subject) {
    const QByteArray& backend = subject.recipe.backend;
    if (subject.recipe.id == "redis-redlock") {
        subject.makeServer = [](Runtime& runtime) -> std::unique_ptr<Server> {
            return std::make_unique<Masters>(runtime);
        };
        subjects.push_back(std::move(subject));
    } else if (backend == "redis") {
        subject.makeServer = single<sandbox::RedisServer>;
        subjects.push_back(std::move(subject));
    } else if (backend == "zookeeper") {
        subject.survivesRestart = true;
        subject.makeServer = zookeeper;
        subjects.push_back(std::move(subject));
    } else if (backend == "etcd") {
        subject.survivesRestart = true;
        subject.makeServer = single<sandbox::EtcdServer>;
        subjects.push_back(std::move(subject));
    } else if (backend == "sql") {
        const QString id = subject.id;
        subject.survivesRestart = true;
        subject.id = id + QStringLiteral("@mariadb");
        const bool ofConnection = subject.recipe.heldBy == recipes::HeldBy::Connection;
        subject.makeServer = ofConnection ? loggingMariadb : mariadb;
        subjects.push_back(subject);
        subject.id = id + QStringLiteral("@postgresql");
        subject.makeServer = postgres;
        subjects.push_back(subject);
        if (ofConnection) return;        // of servers
        subject.survivesRestart = false; // there is none
        subject.id = id + QStringLiteral("@sqlite");
        subject.makeServer = [](Runtime& runtime) -> std::unique_ptr<Server> {
            return std::make_unique<File>(runtime);
        };
        subjects.push_back(std::move(subject));
    } else if (backend == "memcached") {
        subject.makeServer = single<sandbox::MemcachedServer>;
        subjects.push_back(std::move(subject));
    }
}

/// Which of the naive ones this treatment breaks, and which ones it can say nothing about.
void judgeNaive(Subject& subject) {
    const QByteArray& id = subject.recipe.id;
    if (id == "sql-version")
        subject.excluded = QStringLiteral("it keeps nobody out: of those who work at one time one may write");
    if (!subject.recipe.naive) return;
    if (id == "redis-set-del")
        subject.breaks << QStringLiteral("mutual-exclusion") << QStringLiteral("ownership");
    else if (id == "memcached-add") // whoever is let in by that comes late, since nobody is woken
        subject.breaks << QStringLiteral("ownership");
    else if (id == "redis-set-getdel")
        subject.excluded =
            QStringLiteral("its flaw is a gap of microseconds between two commands: no stop from outside "
                           "falls into it for certain");
    else if (id == "redis-setnx")
        subject.excluded = QStringLiteral("its flaw needs clocks that differ; here all clients share one");
    else if (id == "redis-setnx-expire")
        subject.excluded = QStringLiteral("its flaw is a lock that nobody ever frees: the clients would only wait");
    else if (id == "sql-row")
        subject.excluded = QStringLiteral("a killed holder's row stays for ever: the clients would only wait");
    // Others are naive for what they cost, not for whom they let in.
}

} // namespace

std::vector<Subject> allSubjects() {
    std::vector<Subject> subjects;
    for (const recipes::RecipeInfo& recipe : recipes::allRecipes()) {
        Subject subject;
        subject.id = QString::fromLatin1(recipe.id);
        subject.recipe = recipe;
        judgeNaive(subject);
        subject.boundedWaits = recipe.id == "redis-fair";
        place(subjects, std::move(subject));
    }
    return subjects;
}

} // namespace lockscope::torture
