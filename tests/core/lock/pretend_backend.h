// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/connection.h"
#include "pretend_recipe.h"

#include <set>

namespace lockscope::tests {

/// Some servers of the test's own, by host name, each with locks and records; clients may be cut off from them.
struct PretendBackends {
    struct Server {
        PretendServer locks;
        Record record;
        int version = 0;
        int pings = 0;
        std::map<QByteArray, std::deque<QByteArray>> waiting; ///< by condition; who is no longer in it was signalled
    };
    std::map<QString, Server> servers;
    std::set<std::pair<QByteArray, QString>> cut; ///< client and host
    std::set<QString> down;
    std::function<void(const QString& host)> written; ///< a record has just been replaced there
    /// How much longer than usual the answer takes that says what a server's record is; asked when it is read.
    std::function<Nanos(const QString& host)> answerTakes;
    Nanos enlistingTakes{}; ///< to enter a condition

    bool reaches(const QByteArray& client, const QString& host) const {
        return !cut.contains({client, host}) && !down.contains(host);
    }
};

class PretendRecords final : public RecordStore {
public:
    PretendRecords(Runtime& runtime, PretendBackends& world, QByteArray client, QString host)
        : m_runtime(runtime), m_world(world), m_client(std::move(client)), m_host(std::move(host)) {}
    recipes::Outcome<Record> read(QByteArray, std::stop_token stop) override {
        const Nanos there = m_runtime.random(Nanos(1us), Nanos(3ms));
        co_await m_runtime.sleep(there, stop);
        if (!m_world.reaches(m_client, m_host)) co_return std::unexpected(away());
        const Record found = m_world.servers[m_host].record;
        Nanos back = m_runtime.random(Nanos(1us), Nanos(3ms));
        if (m_world.answerTakes) back += m_world.answerTakes(m_host);
        co_await m_runtime.sleep(back, stop);
        if (!m_world.reaches(m_client, m_host)) co_return std::unexpected(away());
        co_return found;
    }
    recipes::Outcome<bool> replace(QByteArray, Record seen, QByteArray value, std::stop_token stop) override {
        const Nanos there = m_runtime.random(Nanos(1us), Nanos(3ms));
        co_await m_runtime.sleep(there, stop);
        if (!m_world.reaches(m_client, m_host)) co_return std::unexpected(away());
        PretendBackends::Server& server = m_world.servers[m_host];
        const bool same = seen.there == server.record.there && seen.version == server.record.version;
        if (same) {
            server.record.there = true;
            server.record.value = value;
            server.record.version = QByteArray::number(++server.version);
            if (m_world.written) m_world.written(m_host);
        }
        const Nanos back = m_runtime.random(Nanos(1us), Nanos(3ms));
        co_await m_runtime.sleep(back, stop);
        if (!m_world.reaches(m_client, m_host)) co_return std::unexpected(away());
        co_return same;
    }

private:
    static LockError away() { return {LockError::Kind::OutcomeUnknown, QStringLiteral("cut off")}; }
    Runtime& m_runtime;
    PretendBackends& m_world;
    QByteArray m_client;
    QString m_host;
};

/// A recipe whose server may be out of reach.
class CutRecipe final : public recipes::Recipe {
public:
    CutRecipe(Runtime& runtime, PretendBackends& world, QByteArray client, QString host)
        : m_world(world),
          m_client(std::move(client)),
          m_host(std::move(host)),
          m_inner(runtime, world.servers[m_host].locks) {}
    const recipes::RecipeInfo& info() const override { return m_inner.info(); }
    recipes::Outcome<std::optional<recipes::Grant>> acquire(recipes::Request request, std::stop_token stop) override {
        if (!reached()) co_return std::unexpected(away());
        request.thread = m_client + request.thread; // the server tells clients apart
        auto grant = co_await m_inner.acquire(request, stop);
        if (grant && *grant) (*grant)->thread = (*grant)->thread.mid(m_client.size());
        co_return grant;
    }
    recipes::Outcome<bool> renew(recipes::Grant grant, std::stop_token stop) override {
        if (!reached()) co_return std::unexpected(away());
        grant.thread = m_client + grant.thread;
        co_return co_await m_inner.renew(grant, stop);
    }
    recipes::Outcome<int> release(recipes::Grant grant, std::stop_token stop) override {
        if (!reached()) co_return std::unexpected(away());
        grant.thread = m_client + grant.thread;
        co_return co_await m_inner.release(grant, stop);
    }
    recipes::Outcome<bool> forceRelease(std::stop_token stop) override {
        if (!reached()) co_return std::unexpected(away());
        co_return co_await m_inner.forceRelease(std::move(stop));
    }
    recipes::Outcome<bool> isLocked(std::stop_token stop) override {
        if (!reached()) co_return std::unexpected(away());
        co_return co_await m_inner.isLocked(std::move(stop));
    }

private:
    bool reached() const { return m_world.reaches(m_client, m_host); }
    static LockError away() { return {LockError::Kind::Unreachable, QStringLiteral("cut off")}; }
    PretendBackends& m_world;
    QByteArray m_client;
    QString m_host;
    PretendRecipe m_inner;
};

/// Waiters for a signal, on a server that may be out of reach: then their entries stay there.
class PretendCondition final : public recipes::ConditionRecipe {
public:
    PretendCondition(Runtime& runtime, PretendBackends& world, QByteArray client, QString host, QByteArray name)
        : m_runtime(runtime),
          m_world(world),
          m_client(std::move(client)),
          m_host(std::move(host)),
          m_name(std::move(name)) {}
    recipes::Outcome<void> enlist(QByteArray thread, std::stop_token) override {
        if (m_world.enlistingTakes > Nanos(0)) co_await m_runtime.sleep(m_world.enlistingTakes);
        if (!reached()) co_return std::unexpected(away());
        waiting().push_back(m_client + thread);
        co_return {};
    }
    recipes::Outcome<bool> awaitSignal(QByteArray thread, Nanos wait, std::stop_token stop) override {
        const QByteArray me = m_client + thread;
        const Nanos until = laterBy(m_runtime.monotonic(), wait);
        bool stopped = false;
        while (!stopped && !(reached() && !entered(me))) {
            if (m_runtime.monotonic() >= until) break;
            try {
                co_await m_runtime.sleep(1ms, stop);
            } catch (const Cancelled& cancelled) {
                if (cancelled.why() == Cancelled::Why::Killed) throw;
                stopped = true;
            }
        }
        const bool signalled = reached() && !entered(me);
        if (stopped && signalled) co_await signal(1, {});
        if (reached()) std::erase(waiting(), me);
        if (stopped) throw Cancelled(Cancelled::Why::Stopped);
        co_return signalled;
    }
    recipes::Outcome<int> signal(int most, std::stop_token) override {
        if (!reached()) co_return std::unexpected(away());
        int woken = 0;
        for (; woken < most && !waiting().empty(); ++woken)
            waiting().pop_front();
        co_return woken;
    }

private:
    std::deque<QByteArray>& waiting() { return m_world.servers[m_host].waiting[m_name]; }
    bool entered(const QByteArray& me) { return std::ranges::find(waiting(), me) != waiting().end(); }
    bool reached() const { return m_world.reaches(m_client, m_host); }
    static LockError away() { return {LockError::Kind::Unreachable, QStringLiteral("cut off")}; }
    Runtime& m_runtime;
    PretendBackends& m_world;
    QByteArray m_client;
    QString m_host;
    QByteArray m_name;
};

class PretendConnection final : public Connection {
public:
    PretendConnection(Runtime& runtime, PretendBackends& world, ConnectionUrl url, QByteArray client)
        : m_runtime(runtime),
          m_world(world),
          m_url(std::move(url)),
          m_client(std::move(client)),
          m_records(runtime, world, m_client, host()) {
        recipes::RecipeInfo& info = m_world.servers[host()].locks.info;
        info.id = "redis-reentrant";
        info.reentrant = info.watchdog = info.token = true;
        m_world.servers[host()].locks.expires = true;
    }
    Runtime& runtime() override { return m_runtime; }
    const QByteArray& client() const override { return m_client; }
    const ConnectionUrl& url() const override { return m_url; }
    QByteArray backend() const override { return "redis"; }
    QByteArray defaultRecipe() const override { return "redis-reentrant"; }
    Outcome<void> open(std::stop_token) override { co_return {}; }
    Outcome<void> close() override { co_return {}; }
    Outcome<void> ping(std::stop_token stop) override {
        ++m_world.servers[host()].pings;
        co_await m_runtime.sleep(1ms, stop);
        if (m_world.reaches(m_client, host())) co_return {};
        co_return std::unexpected(LockError{LockError::Kind::Unreachable, {}});
    }
    std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeRecipe(const QByteArray& id,
                                                                          LockSpec spec) override {
        if (spec.name.contains("//")) return std::unexpected(LockError{LockError::Kind::Refused, {}});
        PretendServer& server = m_world.servers[host()].locks;
        server.info.shared = id == "redis-rw";
        server.info.permits = id == "redis-semaphore";
        server.info.exclusive = !server.info.permits;
        if (server.info.permits) server.permits = spec.permits;
        return std::make_unique<CutRecipe>(m_runtime, m_world, m_client, host());
    }
    std::expected<std::unique_ptr<recipes::ConditionRecipe>, LockError> makeCondition(const QByteArray&,
                                                                                      LockSpec spec) override {
        return std::make_unique<PretendCondition>(m_runtime, m_world, m_client, host(), spec.name);
    }
    RecordStore* records() override { return &m_records; }

private:
    QString host() const { return m_url.endpoints.front().host; }
    Runtime& m_runtime;
    PretendBackends& m_world;
    ConnectionUrl m_url;
    QByteArray m_client;
    PretendRecords m_records;
};

} // namespace lockscope::tests
