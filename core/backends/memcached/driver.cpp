// SPDX-License-Identifier: Apache-2.0
#include "backends/memcached/driver.h"

#include "backends/memcached/key_ring.h"
#include "runtime/completion.h"

namespace lockscope::memcached {

namespace {

using Lines = std::shared_ptr<Line>;
using Word = Reply::Word;

/// A command, and what its replies say. Nothing of the driver is touched after the wait: it may be gone by then.
template <typename T>
Result<T> ask(Lines line, Command command, T (*read)(Call&), std::stop_token stop) {
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

bool deleted(Call& call) {
    return call.replies[0].word == Word::Deleted;
}

MemcachedDriver::Version versionOf(Call& call) {
    return {call.replies[0].text};
}

/// Several servers are asked at once, and one answer is enough.
struct Inquiry {
    using Answer = std::expected<MemcachedDriver::Version, Error>;
    std::size_t left = 0;       ///< that have not answered yet
    std::optional<Error> error; ///< the first one
    Completion<Answer> answer;
};

QCoro::Task<> inquire(Lines line, std::shared_ptr<Inquiry> inquiry, std::stop_token stop) {
    auto version = co_await ask(std::move(line), Command{Command::Kind::Version}, &versionOf, std::move(stop));
    --inquiry->left;
    if (!version && !inquiry->error) inquiry->error = version.error();
    if (version)
        inquiry->answer.complete(*std::move(version));
    else if (inquiry->left == 0)
        inquiry->answer.complete(std::unexpected(*inquiry->error));
}

} // namespace

MemcachedDriver::MemcachedDriver(Runtime& runtime, const ConnectionUrl& url, DriverOptions options)
    : m_runtime(runtime), m_ring(std::make_unique<KeyRing>(url.endpoints)) {
    url.takeTime("connect", options.connectTimeout);
    url.takeTime("timeout", options.commandTimeout);
    for (std::size_t i = 0; i < url.endpoints.size(); ++i)
        m_lines.push_back(std::make_shared<Line>(runtime, url, i, options));
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
    const Lines line = lineFor(key);
    return ask(line, Command{Command::Kind::Add, std::move(key), std::move(value), expiry, 0, look}, &changed,
               std::move(stop));
}

Result<Change> MemcachedDriver::compareAndSet(QByteArray key, QByteArray value, Expiry expiry, Mark meant, bool look,
                                              std::stop_token stop) {
    const Lines line = lineFor(key);
    // Sent over that connection or not at all: what waits when one ends is not carried over to the next.
    // Without a number it would overwrite whatever there is.
    if (meant.unique == 0 || meant.connection == 0 || line->connection() != meant.connection) return taken();
    return ask(line,
               Command{Command::Kind::CompareAndSet, std::move(key), std::move(value), expiry, meant.unique, look},
               &changed, std::move(stop));
}

Result<std::optional<Item>> MemcachedDriver::get(QByteArray key, std::stop_token stop) {
    const Lines line = lineFor(key);
    return ask(line, Command{Command::Kind::Get, std::move(key)}, &found, std::move(stop));
}

Result<bool> MemcachedDriver::remove(QByteArray key, std::stop_token stop) {
    const Lines line = lineFor(key);
    return ask(line, Command{Command::Kind::Remove, std::move(key)}, &deleted, std::move(stop));
}

CallList::Registration MemcachedDriver::onReconnect(const QByteArray& key, CallList::Callback back) {
    return lineFor(key)->onReconnect(std::move(back));
}

Result<MemcachedDriver::Version> MemcachedDriver::version(std::stop_token stop) {
    const std::vector<Lines> lines = m_lines;
    Version found;
    for (const Lines& line : lines) {
        const auto version = co_await ask(line, Command{Command::Kind::Version}, &versionOf, stop);
        if (!version) co_return std::unexpected(version.error());
        found = *version;
    }
    co_return found;
}

Result<MemcachedDriver::Version> MemcachedDriver::anyVersion(std::stop_token stop) {
    Runtime& runtime = m_runtime;
    const auto inquiry = std::make_shared<Inquiry>();
    inquiry->left = m_lines.size();
    for (const Lines& line : std::vector<Lines>(m_lines))
        [[maybe_unused]] const auto asked = inquire(line, inquiry, stop); // ends by itself
    std::optional<Inquiry::Answer> answer = co_await inquiry->answer.wait(runtime, kNever, stop);
    co_return *std::move(answer);
}

} // namespace lockscope::memcached
