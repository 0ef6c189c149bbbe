// SPDX-License-Identifier: Apache-2.0
#include "ports/milliseconds.h"
#include "recipes/redis/redis_recipe.h"
#include "recipes/redis/script.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {
/// The meaning of a word that what_is.lua returns.
QString inWords(const QByteArray& what) {
    static constexpr std::pair<const char*, const char*> kWords[] = {
        {"string", QT_TRANSLATE_NOOP("LockError", "a string, as locks by SET NX leave it")},
        {"number", QT_TRANSLATE_NOOP("LockError", "a number: a SETNX lock's expiry time, a semaphore or a counter")},
        {"redisson", QT_TRANSLATE_NOOP("LockError", "a lock in Redisson's layout (redisson)")},
        {"redisson-rw", QT_TRANSLATE_NOOP("LockError", "a read/write lock in Redisson's layout (redisson-rw)")},
        {"redisson-fastmulti", QT_TRANSLATE_NOOP("LockError", "Redisson's fast multi-lock (redisson-fastmulti)")},
        {"hash", QT_TRANSLATE_NOOP("LockError", "a hash")},
        {"list", QT_TRANSLATE_NOOP("LockError", "a list")},
        {"set", QT_TRANSLATE_NOOP("LockError", "a set")},
        {"zset", QT_TRANSLATE_NOOP("LockError", "a sorted set")},
        {"stream", QT_TRANSLATE_NOOP("LockError", "a stream")},
    };
    for (const auto& [word, text] : kWords) {
        if (what == word) return QCoreApplication::translate("LockError", text);
    }
    return QCoreApplication::translate("LockError", "data of another kind");
}

constexpr auto forceScript = script<"set_force">;
} // namespace

const redis::Script& whatIs() {
    return script<"what_is">();
}

LockError foreignData(const QByteArray& name, const QByteArray& what) {
    const QString text = QCoreApplication::translate(
        "LockError", "The key “%1” carries %2, which this recipe does not write: it was left alone. Use another lock "
                     "name, or the recipe that wrote it.");
    return {LockError::Kind::ForeignFormat, text.arg(QString::fromUtf8(name), inWords(what))};
}

QCoro::Task<LockError> foreignFormat(redis::Port& port, QByteArray name) {
    const redis::Result found = co_await port.eval(whatIs(), redis::argsOf(name), redis::Args());
    co_return foreignData(name, found ? found->text : QByteArray());
}

QCoro::Task<LockError> explainedError(redis::Port& port, redis::Error error, QByteArray name) {
    if (error.wrongType()) {
        LockError foreign = co_await foreignFormat(port, name);
        co_return foreign;
    }
    co_return lockError(error, name);
}

Outcome<bool> forceStringLock(redis::Port& port, QByteArray name, redis::Args args, std::stop_token stop) {
    const redis::Result reply =
        co_await port.eval(forceScript(), redis::argsOf(name), std::move(args), std::move(stop));
    if (!reply) co_return std::unexpected(lockError(reply.error(), name));
    if (reply->integer < 0) {
        const LockError error = co_await foreignFormat(port, name);
        co_return std::unexpected(error);
    }
    co_return reply->integer == 1;
}

Outcome<bool> keyIsThere(redis::Port& port, QByteArray name, QByteArray type, std::stop_token stop) {
    const redis::Result reply = co_await port.call(redis::argsOf("TYPE", name), std::move(stop));
    if (!reply) co_return std::unexpected(lockError(reply.error(), name));
    if (reply->text == "none") co_return false;
    if (reply->text != type) {
        const LockError error = co_await foreignFormat(port, name);
        co_return std::unexpected(error);
    }
    co_return true;
}

Outcome<std::optional<Nanos>> keyLeft(redis::Port& port, QByteArray key, std::stop_token stop) {
    const redis::Result reply = co_await port.call(redis::argsOf("PTTL", key), std::move(stop));
    if (!reply) co_return std::unexpected(lockError(reply.error(), key));
    if (reply->integer < 0) co_return std::nullopt;
    co_return timeOfMs(reply->integer);
}

Outcome<std::optional<std::int64_t>> counterNow(redis::Port& port, QByteArray counter, std::stop_token stop) {
    const redis::Result reply = co_await port.call(redis::argsOf("GET", counter), std::move(stop));
    if (!reply) co_return std::unexpected(lockError(reply.error(), counter));
    bool isNumber = false;
    const qlonglong number = reply->text.toLongLong(&isNumber);
    if (!isNumber) co_return std::nullopt;
    co_return number;
}

} // namespace lockscope::recipes
