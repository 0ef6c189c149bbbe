// SPDX-License-Identifier: Apache-2.0
#include "drivers/memcached/driver.h"

namespace lockscope::memcached {

namespace {

using Word = Reply::Word;

/// A command, and what its replies say. Nothing of the driver is touched after the wait: it may be gone by then.
template <typename T>
Result<T> ask(std::shared_ptr<Line> line, Command command, T (*read)(Call&), std::stop_token stop) {
    const bool wanted = line->runtime().alive() && !stop.stop_requested();
    Call call(line->runtime(), std::move(stop));
    if (wanted) line->submit(std::move(command), call);
    co_await call.waiter.end();
    if (call.error) co_return std::unexpected(*std::move(call.error));
    co_return read(call);
}

Change changed(Call& call) {
    Change change;
    const Word word = call.replies[0].word;
    if (word == Word::Stored)
        change.outcome = Change::Outcome::Stored;
    else if (word == Word::NotStored || word == Word::Exists)
        change.outcome = Change::Outcome::Taken;
    change.item = std::move(call.replies[1].item);
    return change;
}

Result<Change> taken() {
    Change change;
    change.outcome = Change::Outcome::Taken;
    co_return change;
}

std::optional<Item> found(Call& call) {
    return std::move(call.replies[0].item);
}

std::optional<Lifetime> lifetimeOf(Call& call) {
    return call.replies[0].lifetime;
}

KeyList listed(Call& call) {
    KeyList list = std::move(call.replies[0].list);
    list.busy = call.replies[0].word == Word::Busy;
    return list;
}

bool deleted(Call& call) {
    return call.replies[0].word == Word::Deleted;
}

bool answered(Call&) {
    return true;
}

Client::Version versionOf(Call& call) {
    return {call.replies[0].text};
}

} // namespace

MemcachedDriver::MemcachedDriver(Runtime& runtime, const ConnectionUrl& url, DriverOptions options) {
    Q_ASSERT(url.endpoints.size() == 1);
    url.takeTime("connect", options.connectTimeout);
    url.takeTime("timeout", options.commandTimeout);
    m_line = std::make_shared<Line>(runtime, url, options);
}

MemcachedDriver::~MemcachedDriver() {
    m_line->shutDown();
}

Result<Change> MemcachedDriver::add(QByteArray key, QByteArray value, Expiry expiry, bool look, std::stop_token stop) {
    return ask(m_line, Command{Command::Kind::Add, std::move(key), std::move(value), expiry, 0, look}, &changed,
               std::move(stop));
}

Result<Change> MemcachedDriver::compareAndSet(QByteArray key, QByteArray value, Expiry expiry, Mark meant, bool look,
                                              std::stop_token stop) {
    // Sent over that connection or not at all: what waits when one ends is not carried over to the next.
    // Without a number it would overwrite whatever there is.
    if (meant.unique == 0 || meant.connection == 0 || m_line->connection() != meant.connection) return taken();
    return ask(m_line,
               Command{Command::Kind::CompareAndSet, std::move(key), std::move(value), expiry, meant.unique, look},
               &changed, std::move(stop));
}

Result<std::optional<Item>> MemcachedDriver::get(QByteArray key, std::stop_token stop) {
    return ask(m_line, Command{Command::Kind::Get, std::move(key)}, &found, std::move(stop));
}

Result<std::optional<Lifetime>> MemcachedDriver::lifetime(QByteArray key, std::stop_token stop) {
    return ask(m_line, Command{Command::Kind::Lifetime, std::move(key)}, &lifetimeOf, std::move(stop));
}

Result<KeyList> MemcachedDriver::list(WantsKey wants, std::stop_token stop) {
    Command command{Command::Kind::List};
    command.wants = std::move(wants);
    return ask(m_line, std::move(command), &listed, std::move(stop));
}

Result<bool> MemcachedDriver::remove(QByteArray key, std::stop_token stop) {
    return ask(m_line, Command{Command::Kind::Remove, std::move(key)}, &deleted, std::move(stop));
}

CallList::Registration MemcachedDriver::onReconnect(const QByteArray&, CallList::Callback back) {
    return m_line->onReconnect(std::move(back));
}

Result<Client::Version> MemcachedDriver::version(std::stop_token stop) {
    return ask(m_line, Command{Command::Kind::Version}, &versionOf, std::move(stop));
}

Result<Statistics> MemcachedDriver::statistics(std::stop_token stop) {
    const std::shared_ptr<Line> line = m_line; // this object may go
    Statistics none;
    none.where = line->where();
    // A proxy may hang up at this question. A server that has answered it does so again.
    if (!line->tellsStatistics()) co_return none;
    auto asking = ask(line, Command{Command::Kind::Statistics}, &answered, std::move(stop));
    const auto told = co_await std::move(asking);
    if (!told) co_return std::unexpected(told.error());
    co_return line->statistics();
}

} // namespace lockscope::memcached
