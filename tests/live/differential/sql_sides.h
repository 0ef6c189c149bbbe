// SPDX-License-Identifier: Apache-2.0
// A client of a database, real or simulated, and random verbs that both get.
#pragma once
#include "ports/sql/client.h"

#include <QByteArrayList>
#include <random>
#include <set>

namespace lockscope::differential {

/// One verb of a client.
struct SqlOp {
    enum class Do : std::uint8_t {
        Insert,
        MakeFree,
        Take,
        TakeShort, ///< for a lease that is over when the next verb comes
        Extend,
        ExtendTwo,
        Free,
        TakeBack,
        FreeByForce,
        Erase,
        EraseOwned,
        CompareAndSet,
        Raise,
        RowLock,
        Lock,
        LockNow,
        Commit,
        Rollback,
        TakeNamed,
        TryNamed,
        ReleaseNamed,
        EndNamedHolders,
        Close, ///< the session's connection
        Stop,  ///< whatever the client waits for
        Count_
    };
    Do what = Do::Raise;
    QByteArray name{}, second{}, owner{};
    std::int64_t behind = 0; ///< CompareAndSet: by so much the version is too old

    QByteArray text() const {
        static const char* const kNames[] = {"insert",        "make-free",
                                             "take",          "take-short",
                                             "extend",        "extend-2",
                                             "free",          "take-back",
                                             "free-by-force", "erase",
                                             "erase-owned",   "cas",
                                             "raise",         "row-lock",
                                             "lock",          "lock-now",
                                             "commit",        "rollback",
                                             "take-named",    "try-named",
                                             "release-named", "end-named-holders",
                                             "close",         "stop"};
        static_assert(std::size(kNames) == std::size_t(Do::Count_));
        return QByteArray(kNames[std::size_t(what)]) + ' ' + name + ' ' + second + ' ' + owner;
    }
};

/// A client on one side.
struct SqlUser {
    Runtime& runtime;
    std::unique_ptr<sql::Client> port;
    std::shared_ptr<sql::Session> session{};
    std::stop_source stop{};
    bool busy = false;
    bool opening = false; ///< the verb waits for its session's connection, and the server has not heard of it
    QByteArray word{};    ///< of the last verb that is done

    static QByteArray wordOf(const sql::Error& error) {
        static const char* const kKinds[] = {"unreachable", "connect-timeout", "tls",           "auth",
                                             "no-database", "too-many",        "wrong-url",     "missing-table",
                                             "duplicate",   "deadlock",        "wait-exceeded", "interrupted",
                                             "late",        "disconnected",    "refused"};
        return kKinds[std::size_t(error.kind)];
    }
    static QByteArray wordOf(const std::expected<bool, sql::Error>& answer) {
        return !answer ? wordOf(answer.error()) : QByteArray(*answer ? "yes" : "no");
    }
    static QByteArray wordOf(const std::expected<void, sql::Error>& answer) {
        return answer ? QByteArray("done") : wordOf(answer.error());
    }
    static QByteArray wordOf(const std::expected<std::int64_t, sql::Error>& answer) {
        return !answer ? wordOf(answer.error()) : QByteArray(*answer > 0 ? "yes" : "no");
    }
    static QByteArray wordOf(const std::expected<sql::Row, sql::Error>& answer) {
        return !answer ? wordOf(answer.error()) : answer->there ? "row of " + answer->recipe : QByteArray("no row");
    }

    /// Begins a verb; `version`: the row's, as this side saw it last.
    void begin(const SqlOp& op, std::int64_t version) {
        busy = true;
        stop = std::stop_source();
        runtime.spawn([this, op, version]() -> QCoro::Task<> {
            QByteArray got;
            try {
                got = co_await perform(op, version);
            } catch (const Cancelled& cancelled) {
                if (cancelled.why() == Cancelled::Why::Killed) throw;
                got = "stopped";
            }
            word = got;
            busy = opening = false;
        });
    }

private:
    static constexpr Nanos kLease = 120s, kShortLease = 100ms;
    QCoro::Task<QByteArray> perform(SqlOp op, std::int64_t version) {
        using Do = SqlOp::Do;
        const sql::RowKey key{"diff", op.name};
        const sql::OwnedRow row{op.name, op.owner};
        const std::stop_token token = stop.get_token();
        switch (op.what) {
        case Do::Insert:
            co_return wordOf(co_await port->insert(key, op.owner, token));
        case Do::MakeFree:
            co_return wordOf(co_await port->makeFree(key, token));
        case Do::Take:
            co_return wordOf(co_await port->take(key, op.owner, kLease, token));
        case Do::TakeShort:
            co_return wordOf(co_await port->take(key, op.owner, kShortLease, token));
        case Do::Extend:
            co_return wordOf(co_await port->extend(row, kLease, token));
        case Do::ExtendTwo: {
            std::vector<sql::OwnedRow> rows;
            for (const QByteArray& name : {std::min(op.name, op.second), std::max(op.name, op.second)})
                rows.push_back({name, op.owner});
            const auto all = co_await port->extendAll(rows, kLease);
            if (!all) co_return wordOf(all.error());
            QByteArray each = "extended";
            for (const bool one : all->each)
                each += one ? " yes" : " no";
            co_return each;
        }
        case Do::Free:
            co_return wordOf(co_await port->free(row, token));
        case Do::TakeBack:
            co_return wordOf(co_await port->takeBack(row, token));
        case Do::FreeByForce:
            co_return wordOf(co_await port->freeByForce(key, token));
        case Do::Erase:
            co_return wordOf(co_await port->erase(key, token));
        case Do::EraseOwned:
            co_return wordOf(co_await port->eraseOwned(row, token));
        case Do::CompareAndSet:
            co_return wordOf(co_await port->compareAndSet(key, version - op.behind, op.owner, token));
        case Do::Raise:
            co_return wordOf(co_await port->raise(key, token));
        case Do::RowLock: {
            const auto seen = co_await port->rowLock(op.name, token);
            if (!seen) co_return wordOf(seen.error());
            co_return QByteArray(seen->locked ? "locked" : seen->row.there ? "free" : "no row");
        }
        case Do::EndNamedHolders: {
            const auto named = port->namedKey(op.name);
            co_return wordOf(co_await port->endNamedHolders(*named, token));
        }
        default:
            break;
        }
        const QByteArray got = co_await performOnSession(op);
        co_return got;
    }
    QCoro::Task<QByteArray> performOnSession(SqlOp op) {
        using Do = SqlOp::Do;
        const std::stop_token token = stop.get_token();
        if (op.what == Do::Close) {
            session.reset();
            co_return QByteArray("closed");
        }
        if (!session) {
            opening = true;
            auto opened = co_await port->session(token);
            opening = false;
            if (!opened) co_return wordOf(opened.error());
            session = std::move(*opened).share();
        }
        const std::shared_ptr<sql::Session> mine = session;
        const auto named = port->namedKey(op.name.isEmpty() ? QByteArray("none") : op.name);
        switch (op.what) {
        case Do::Lock:
            co_return wordOf(co_await mine->lockRow(op.name, kNever, token));
        case Do::LockNow:
            co_return wordOf(co_await mine->lockRow(op.name, Nanos(0), token));
        case Do::Commit:
            co_return wordOf(co_await mine->commit());
        case Do::Rollback:
            co_return wordOf(co_await mine->rollback());
        case Do::TakeNamed:
            co_return wordOf(co_await mine->takeNamed(*named, sql::Sharing::Exclusive, kNever, token));
        case Do::TryNamed:
            co_return wordOf(co_await mine->takeNamed(*named, sql::Sharing::Exclusive, Nanos(0), token));
        case Do::ReleaseNamed:
            co_return wordOf(co_await mine->releaseNamed(*named, sql::Sharing::Exclusive));
        default:
            co_return QByteArray("?");
        }
    }
};

} // namespace lockscope::differential
