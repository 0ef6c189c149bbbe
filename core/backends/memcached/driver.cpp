// SPDX-License-Identifier: Apache-2.0
#include "backends/memcached/driver.h"

#include "backends/memcached/key_ring.h"

#include <QCoreApplication>

namespace lockscope::memcached {

namespace {

using Lines = std::shared_ptr<Line>;

QByteArray stored(const char* command, const QByteArray& key, const QByteArray& value, Expiry expiry,
                  const QByteArray& rest) {
    QByteArray out;
    out.reserve(64 + key.size() * 2 + value.size());
    out.append(command).append(' ').append(key).append(" 0 ").append(QByteArray::number(expiry)).append(' ');
    out.append(QByteArray::number(value.size())).append(rest).append("\r\n").append(value).append("\r\n");
    return out;
}

Result<Change> change(Lines line, QByteArray commands, std::size_t count, std::stop_token stop) {
    auto replies = co_await Line::ask(line, std::move(commands), count, std::move(stop));
    if (!replies) co_return std::unexpected(replies.error());
    Change result;
    const QByteArray& word = replies->front().line;
    if (word == "STORED")
        result.outcome = Change::Outcome::Stored;
    else if (word == "NOT_STORED" || word == "EXISTS")
        result.outcome = Change::Outcome::Taken;
    else
        result.outcome = Change::Outcome::Gone;
    if (count > 1) result.item = std::move(replies->back().item);
    co_return result;
}

} // namespace

MemcachedDriver::MemcachedDriver(Runtime& runtime, const ConnectionUrl& url, DriverOptions options)
    : m_runtime(runtime), m_ring(std::make_unique<KeyRing>(url.endpoints)) {
    for (const Endpoint& endpoint : url.endpoints)
        m_lines.push_back(std::make_shared<Line>(runtime, endpoint, options));
}

MemcachedDriver::~MemcachedDriver() {
    for (const Lines& line : m_lines)
        line->shutDown();
}

std::shared_ptr<Line> MemcachedDriver::lineFor(const QByteArray& key) const {
    return m_lines[m_ring->serverOf(key)];
}

QString MemcachedDriver::whereIs(const QByteArray& key) const {
    return lineFor(key)->where();
}

std::uint64_t MemcachedDriver::commandsSent() const {
    std::uint64_t sum = 0;
    for (const Lines& line : m_lines)
        sum += line->sent();
    return sum;
}

Result<Change> MemcachedDriver::add(QByteArray key, QByteArray value, Expiry expiry, bool look, std::stop_token stop) {
    QByteArray out = stored("add", key, value, expiry, {});
    if (look) out.append("gets ").append(key).append("\r\n");
    return change(lineFor(key), std::move(out), look ? 2 : 1, std::move(stop));
}

Result<Change> MemcachedDriver::compareAndSet(QByteArray key, QByteArray value, Expiry expiry, std::uint64_t unique,
                                              bool look, std::stop_token stop) {
    QByteArray out = stored("cas", key, value, expiry, ' ' + QByteArray::number(qulonglong(unique)));
    if (look) out.append("gets ").append(key).append("\r\n");
    return change(lineFor(key), std::move(out), look ? 2 : 1, std::move(stop));
}

Result<std::optional<Item>> MemcachedDriver::get(QByteArray key, std::stop_token stop) {
    auto replies = co_await Line::ask(lineFor(key), "gets " + key + "\r\n", 1, std::move(stop));
    if (!replies) co_return std::unexpected(replies.error());
    co_return std::move(replies->front().item);
}

Result<bool> MemcachedDriver::remove(QByteArray key, std::stop_token stop) {
    const auto replies = co_await Line::ask(lineFor(key), "delete " + key + "\r\n", 1, std::move(stop));
    if (!replies) co_return std::unexpected(replies.error());
    co_return replies->front().line == "DELETED";
}

Result<MemcachedDriver::Version> MemcachedDriver::version(std::stop_token stop) {
    const std::vector<Lines> lines = m_lines;
    Version found;
    for (const Lines& line : lines) {
        const auto replies = co_await Line::ask(line, "version\r\n", 1, stop);
        if (!replies) co_return std::unexpected(replies.error());
        found.text = replies->front().line.mid(8);
    }
    co_return found;
}

} // namespace lockscope::memcached
