// SPDX-License-Identifier: Apache-2.0
// A simulated database, and clients that reach it by the wire that production's connections use, or statement by
// statement.
#pragma once
#include "sim/probe.h"
#include "sim/sql/service.h"
#include "sim/sql/wire.h"
#include "sim/sql/wire_session.h"
#include "simulated_ground.h"

namespace lockscope::tests {

using sql::Dialect;

struct SqlGroup : SimulatedGround {
    using Kind = sim::SqlStatement::Kind;
    using Statement = sim::SqlStatement;
    using Pending = std::shared_ptr<std::optional<sim::SqlPool::Answer>>;
    std::unique_ptr<sim::SqlService> service;

    /// A client process: the port, and a connection of its own for single statements.
    struct Process {
        std::unique_ptr<VirtualRuntime> runtime;
        sim::ClientEnd end{};
        std::unique_ptr<sql::Client> wire;
        std::shared_ptr<sim::SqlWireSession> session{};
    };
    std::vector<std::unique_ptr<Process>> processes;

    static sim::SqlServer::Settings settings(Dialect dialect) {
        sim::SqlServer::Settings settings;
        settings.engine.dialect = dialect;
        if (dialect == Dialect::PostgreSql) settings.engine.lockWait = kNever;
        return settings;
    }
    explicit SqlGroup(Dialect dialect = Dialect::MySql, std::uint64_t seed = 1) : SqlGroup(settings(dialect), seed) {}
    explicit SqlGroup(const sim::SqlServer::Settings& server, std::uint64_t seed = 1,
                      std::vector<QByteArray> ids = {"sql-1"}, int pool = 0) {
        const sim::SqlService::Settings settings{std::move(ids), server, pool};
        service = std::make_unique<sim::SqlService>(grounds, settings, seed, owner());
        sim::resetProbes();
    }
    ~SqlGroup() {
        for (const auto& process : processes)
            end(*process);
    }
    static QString urlOptions() { return {}; }
    sim::SqlServer& at() { return service->server(); }
    /// Until that answer is there; kNever: it does not come within a minute.
    Nanos timeUntil(const Pending& answer) {
        return until([&] { return answer->has_value(); });
    }
    sim::SqlEngine& engine() { return *at().engine(); }

    Process& client(const QByteArray& name) {
        const auto dial = [this](Process& process, const ConnectionUrl& url) {
            return service->diallers(process.end).sql(*process.runtime, url);
        };
        return client(name, dial);
    }
    /// A client of one server of several, whichever is the primary.
    Process& clientOf(sim::SqlServer& server, const QByteArray& name) {
        const auto dial = [&](Process& process, const ConnectionUrl& url) {
            sim::SqlPool::Way way;
            way.server = [&server] { return &server; };
            return std::make_unique<sim::SqlWire>(grounds, std::move(way), *process.runtime, process.end, url);
        };
        return client(name, dial);
    }
    template <typename F>
    Process& client(const QByteArray& name, F dial) {
        processes.push_back(std::make_unique<Process>());
        Process& process = *processes.back();
        process.end.client = trace->intern(trace::EntityKind::Client, name);
        process.end.thread = trace->intern(trace::EntityKind::Thread, "1", process.end.client);
        process.runtime = std::make_unique<VirtualRuntime>(scheduler, 100 + processes.size());
        const auto url = parseConnectionUrl(service->url());
        if (!url) qFatal("%s", qPrintable(url.error()));
        process.wire = dial(process, *url);
        logIn(process);
        return process;
    }
    /// Gives the process a new connection for its statements.
    void logIn(Process& process) {
        const auto pool = static_cast<sim::SqlWire&>(*process.wire).pool();
        const auto obtained = ask(process, [&](sql::Client&) { return sim::SqlPool::obtain(pool, 5s, {}); });
        process.session = obtained.link ? std::make_shared<sim::SqlWireSession>(pool, obtained.link) : nullptr;
    }
    /// The process dies, as by kill -9.
    void end(Process& process) {
        if (!process.runtime->alive()) return;
        process.runtime->kill();
        process.session.reset();
        process.wire.reset();
    }

    // --- statements ---
    static Statement of(Kind kind, const QByteArray& name, const QByteArray& owner = {}, std::int64_t number = 0) {
        Statement statement;
        statement.kind = kind;
        statement.recipe = "r";
        statement.name = name;
        statement.owner = owner;
        statement.number = number;
        if (kind == Kind::Extend) statement.rows = {{name, owner}};
        statement.key = {name, std::int64_t(qHash(name, 0)) & 0xffff};
        return statement;
    }
    static Statement begun(Statement statement) {
        statement.begin = true;
        return statement;
    }
    static Statement limited(Statement statement, Nanos limit) {
        statement.limit = limit;
        return statement;
    }
    Pending send(Process& process, Statement statement) {
        const auto session = process.session;
        const auto answer = std::make_shared<std::optional<sim::SqlPool::Answer>>();
        process.runtime->spawn([session, statement, answer]() -> QCoro::Task<> {
            auto got = co_await session->execute(statement, kNever);
            answer->emplace(std::move(got));
        });
        run(1ms); // it has arrived, and is answered or waits
        return answer;
    }
    /// The outcome: a number, the server's code for an error, or "waits".
    static QByteArray word(const Pending& pending) {
        if (!*pending) return "waits";
        const sim::SqlPool::Answer& answer = **pending;
        if (!answer) return answer.error().code.isEmpty() ? QByteArray("lost") : answer.error().code;
        if (answer->isNull) return "NULL";
        return QByteArray::number(qlonglong(answer->number));
    }
    /// The outcome of a statement after the hand-overs that are under way.
    QByteArray tell(Process& process, const Statement& statement) {
        const Pending pending = send(process, statement);
        if (!*pending) run(20ms);
        return word(pending);
    }
    QByteArray lock(Process& process, const QByteArray& name) { return tell(process, begun(of(Kind::LockRow, name))); }
    QByteArray commit(Process& process) { return tell(process, of(Kind::Commit, {})); }
    QByteArray rollback(Process& process) { return tell(process, of(Kind::Rollback, {})); }
    void makeRows(const QByteArrayList& names) {
        Process& maker = client("maker");
        for (const QByteArray& name : names)
            if (tell(maker, of(Kind::MakeFree, name)) != "1") qFatal("no row");
    }
    /// How often a rare path was reached.
    static std::uint64_t times(sim::Probe probe) { return sim::probeCounts()[std::size_t(probe)]; }
};

/// Clients that have asked, one after the other, for a row that somebody has locked.
struct SqlQueue {
    std::vector<SqlGroup::Process*> clients;
    std::vector<SqlGroup::Pending> answers;
    std::vector<int> order; ///< in which they got it

    SqlQueue(SqlGroup& g, int count, const SqlGroup::Statement& statement) {
        for (int i = 0; i < count; ++i) {
            clients.push_back(&g.client("W" + QByteArray::number(i)));
            answers.push_back(g.send(*clients.back(), statement));
        }
    }
    /// Each that gets it does `then`, until all had it.
    template <typename F>
    void follow(SqlGroup& g, F then) {
        std::set<int> had;
        for (std::size_t rounds = 0; rounds < clients.size(); ++rounds) {
            int next = -1;
            g.until(
                [&] {
                    for (std::size_t i = 0; i < answers.size(); ++i)
                        if (!had.contains(int(i)) && *answers[i]) next = int(i);
                    return next >= 0;
                },
                60s);
            if (next < 0) return;
            had.insert(next);
            order.push_back(next);
            then(*clients[std::size_t(next)]);
        }
    }
};

} // namespace lockscope::tests
