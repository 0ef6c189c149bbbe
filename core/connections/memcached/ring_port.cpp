// SPDX-License-Identifier: Apache-2.0
#include "connections/memcached/ring_port.h"

#include "ports/memcached/errors.h"
#include "ports/memcached/key_ring.h"
#include "runtime/completion.h"

namespace lockscope::memcached {

namespace {

using Version = Client::Version;

/// A server of a ring that may be gone.
Result<Version> ask(std::weak_ptr<Client> server, std::stop_token stop) {
    if (const auto still = server.lock()) return still->version(std::move(stop));
    return []() -> Result<Version> { co_return std::unexpected(errors::driverGone({})); }();
}

/// As ask().
Result<KeyList> listOf(const std::weak_ptr<Client>& server, WantsKey wants, std::stop_token stop) {
    if (const auto still = server.lock()) return still->list(std::move(wants), std::move(stop));
    return []() -> Result<KeyList> { co_return std::unexpected(errors::driverGone({})); }();
}

/// As ask().
Result<Statistics> statisticsOf(const std::weak_ptr<Client>& server, std::stop_token stop) {
    if (const auto still = server.lock()) return still->statistics(std::move(stop));
    return []() -> Result<Statistics> { co_return std::unexpected(errors::driverGone({})); }();
}

/// Several servers are asked at once, and one answer is enough.
struct Inquiry {
    using Answer = std::expected<Version, Error>;
    std::size_t left = 0;       ///< that have not answered yet
    std::optional<Error> error; ///< the first one
    Completion<Answer> answer;
};

/// The ring may be gone once the server has been asked.
QCoro::Task<> inquire(Client& server, std::shared_ptr<Inquiry> inquiry, std::stop_token stop) {
    auto version = co_await server.version(std::move(stop));
    --inquiry->left;
    if (!version && !inquiry->error) inquiry->error = version.error();
    if (version)
        inquiry->answer.complete(*std::move(version));
    else if (inquiry->left == 0)
        inquiry->answer.complete(std::unexpected(*inquiry->error));
}

} // namespace

RingPort::RingPort(Runtime& runtime, const Dialler& dial, const ConnectionUrl& url)
    : m_runtime(runtime), m_ring(std::make_shared<const KeyRing>(url.endpoints)) {
    for (const Endpoint& endpoint : url.endpoints) {
        ConnectionUrl one = url;
        one.endpoints = {endpoint};
        m_servers.push_back(dial(runtime, one));
    }
}

RingPort::~RingPort() = default;

Client& RingPort::serverOf(const QByteArray& key) const {
    return *m_servers[m_ring->serverOf(key)];
}

QString RingPort::whereIs(const QByteArray& key) const {
    return serverOf(key).where();
}

Result<Change> RingPort::add(QByteArray key, QByteArray value, Expiry expiry, bool look, std::stop_token stop) {
    Client& server = serverOf(key);
    return server.add(std::move(key), std::move(value), expiry, look, std::move(stop));
}

Result<Change> RingPort::compareAndSet(QByteArray key, QByteArray value, Expiry expiry, Mark meant, bool look,
                                       std::stop_token stop) {
    Client& server = serverOf(key);
    return server.compareAndSet(std::move(key), std::move(value), expiry, meant, look, std::move(stop));
}

Result<std::optional<Item>> RingPort::get(QByteArray key, std::stop_token stop) {
    Client& server = serverOf(key);
    return server.get(std::move(key), std::move(stop));
}

Result<std::optional<Lifetime>> RingPort::lifetime(QByteArray key, std::stop_token stop) {
    Client& server = serverOf(key);
    return server.lifetime(std::move(key), std::move(stop));
}

Result<KeyList> RingPort::list(WantsKey wants, std::stop_token stop) {
    const std::vector<std::weak_ptr<Client>> servers(m_servers.begin(), m_servers.end());
    const std::shared_ptr<const KeyRing> ring = m_ring; // this object may go
    KeyList all;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        const auto wantsHere = [i, ring, wants](const QByteArray& key, std::uint64_t size) {
            return ring->serverOf(key) == i && (!wants || wants(key, size));
        };
        auto asked = listOf(servers[i], wantsHere, stop);
        auto list = co_await std::move(asked);
        if (!list || list->busy) co_return list;
        all.there += list->there;
        std::ranges::move(list->keys, std::back_inserter(all.keys));
    }
    co_return all;
}

Result<bool> RingPort::remove(QByteArray key, std::stop_token stop) {
    Client& server = serverOf(key);
    return server.remove(std::move(key), std::move(stop));
}

CallList::Registration RingPort::onReconnect(const QByteArray& key, CallList::Callback back) {
    return serverOf(key).onReconnect(key, std::move(back));
}

Result<Version> RingPort::version(std::stop_token stop) {
    const std::vector<std::weak_ptr<Client>> servers(m_servers.begin(), m_servers.end());
    Version found;
    for (const std::weak_ptr<Client>& server : servers) {
        auto asked = ask(server, stop);
        const auto version = co_await std::move(asked);
        if (!version) co_return std::unexpected(version.error());
        found = *version;
    }
    co_return found;
}

Result<std::vector<Statistics>> RingPort::statistics(std::stop_token stop) {
    const std::vector<std::weak_ptr<Client>> servers(m_servers.begin(), m_servers.end());
    std::vector<Statistics> all;
    for (const std::weak_ptr<Client>& server : servers) {
        auto asked = statisticsOf(server, stop);
        auto told = co_await std::move(asked);
        if (!told) co_return std::unexpected(told.error());
        all.push_back(*std::move(told));
    }
    co_return all;
}

Result<Version> RingPort::anyVersion(std::stop_token stop) {
    Runtime& runtime = m_runtime;
    const auto inquiry = std::make_shared<Inquiry>();
    inquiry->left = m_servers.size();
    for (const auto& server : m_servers)
        [[maybe_unused]] const auto asked = inquire(*server, inquiry, stop); // ends by itself
    std::optional<Inquiry::Answer> answer = co_await inquiry->answer.wait(runtime, kNever, stop);
    co_return *std::move(answer);
}

} // namespace lockscope::memcached
