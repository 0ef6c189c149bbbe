// SPDX-License-Identifier: Apache-2.0
#include "sim/memcached/wire.h"

namespace lockscope::sim {

using memcached::Change;
using memcached::Item;
using memcached::Result;
using Kind = MemcachedCommand::Kind;
using Word = MemcachedReply::Word;

namespace {

MemcachedLine::Settings settingsOf(const ConnectionUrl& url) {
    MemcachedLine::Settings settings;
    url.takeTime("connect", settings.connectTimeout);
    url.takeTime("timeout", settings.commandTimeout);
    return settings;
}

Result<Change> change(std::shared_ptr<MemcachedLine> line, MemcachedCommand command, bool look, std::stop_token stop) {
    std::vector<MemcachedCommand> commands{std::move(command)};
    if (look) commands.push_back({.kind = Kind::Get, .key = commands.front().key});
    const MemcachedLine::Answer answer = co_await MemcachedLine::ask(line, std::move(commands), std::move(stop));
    if (!answer) co_return std::unexpected(answer.error());
    Change change;
    const Word word = answer->front().word;
    if (word == Word::Stored) change.outcome = Change::Outcome::Stored;
    if (word == Word::NotStored || word == Word::Exists) change.outcome = Change::Outcome::Taken;
    if (look) change.item = answer->back().item;
    co_return change;
}

Result<Change> taken() {
    Change change;
    change.outcome = Change::Outcome::Taken;
    co_return change;
}

} // namespace

MemcachedWire::MemcachedWire(Grounds grounds, MemcachedServer* server, Runtime& runtime, trace::EntityId client,
                             const ConnectionUrl& url) {
    Q_ASSERT(url.endpoints.size() == 1);
    m_line = std::make_shared<MemcachedLine>(grounds, server, runtime, client, url.endpoints.front().display(),
                                             settingsOf(url));
}

MemcachedWire::~MemcachedWire() {
    m_line->shutDown();
}

Result<Change> MemcachedWire::add(QByteArray key, QByteArray value, memcached::Expiry expiry, bool look,
                                  std::stop_token stop) {
    MemcachedCommand command{Kind::Add, std::move(key), std::move(value), expiry};
    return change(m_line, std::move(command), look, std::move(stop));
}

Result<Change> MemcachedWire::compareAndSet(QByteArray key, QByteArray value, memcached::Expiry expiry,
                                            memcached::Mark meant, bool look, std::stop_token stop) {
    // As the driver: without a number it would overwrite whatever there is, and another connection's number may be that
    // of another run.
    if (meant.unique == 0 || meant.connection == 0 || m_line->connection() != meant.connection) return taken();
    MemcachedCommand command{Kind::CompareAndSet, std::move(key), std::move(value), expiry, meant.unique};
    return change(m_line, std::move(command), look, std::move(stop));
}

Result<std::optional<Item>> MemcachedWire::get(QByteArray key, std::stop_token stop) {
    const std::shared_ptr<MemcachedLine> line = m_line; // this object may go
    std::vector<MemcachedCommand> commands{{.kind = Kind::Get, .key = std::move(key)}};
    const MemcachedLine::Answer answer = co_await MemcachedLine::ask(line, std::move(commands), std::move(stop));
    if (!answer) co_return std::unexpected(answer.error());
    co_return answer->front().item;
}

Result<bool> MemcachedWire::remove(QByteArray key, std::stop_token stop) {
    const std::shared_ptr<MemcachedLine> line = m_line;
    std::vector<MemcachedCommand> commands{{.kind = Kind::Remove, .key = std::move(key)}};
    const MemcachedLine::Answer answer = co_await MemcachedLine::ask(line, std::move(commands), std::move(stop));
    if (!answer) co_return std::unexpected(answer.error());
    co_return answer->front().word == Word::Deleted;
}

CallList::Registration MemcachedWire::onReconnect(const QByteArray&, CallList::Callback back) {
    return m_line->onReconnect(std::move(back));
}

Result<memcached::Client::Version> MemcachedWire::version(std::stop_token stop) {
    const std::shared_ptr<MemcachedLine> line = m_line;
    std::vector<MemcachedCommand> commands{{.kind = Kind::Version}};
    const MemcachedLine::Answer answer = co_await MemcachedLine::ask(line, std::move(commands), std::move(stop));
    if (!answer) co_return std::unexpected(answer.error());
    co_return Version{answer->front().line().mid(8)};
}

} // namespace lockscope::sim
