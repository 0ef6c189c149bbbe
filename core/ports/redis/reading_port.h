// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/client.h"

namespace lockscope::redis {

/// Whether a command is one of those that a ReadingPort sends: they read, or tell the server how its answers to this
/// connection are to be. Commands are written in capitals; some are allowed with certain second words only.
bool onlyReads(const Args& command);

/// The half of a client that reads: code with no more than this cannot change anything on the server. There are no
/// scripts, and every command is held against a list before it is sent.
class ReadingPort {
public:
    /// The client must outlive it.
    explicit ReadingPort(Client& client) : m_client(client) {}

    /// The runtime on whose thread it works.
    Runtime& runtime() const { return m_client.runtime(); }
    /// As Port::callAll(). Where one of the commands is not on the list, nothing is sent, and every result is Refused
    /// with the code "READONLYPORT".
    QCoro::Task<std::vector<Result>> callAll(std::vector<Args> commands, std::stop_token stop = {});

    // As of the client.
    QCoro::Task<std::expected<void, Error>> open(std::stop_token stop = {}) { return m_client.open(std::move(stop)); }
    const Status& status() const { return m_client.status(); }
    std::uint32_t connection() const { return m_client.connection(); }
    void onStatus(std::function<void(const Status&)> callback) { m_client.onStatus(std::move(callback)); }
    CallList::Registration onReconnect(CallList::Callback back) { return m_client.onReconnect(std::move(back)); }
    QString where() const { return m_client.where(); }
    std::uint64_t commandsSent() const { return m_client.commandsSent(); }
    QCoro::Task<std::expected<OwnedSubscription, Error>> subscribePattern(QByteArray pattern,
                                                                          std::stop_token stop = {}) {
        return m_client.subscribePattern(std::move(pattern), std::move(stop));
    }
    QCoro::Task<std::expected<OwnedChangeFeed, Error>> changeFeed(std::stop_token stop = {}) {
        return m_client.changeFeed(std::move(stop));
    }

private:
    Client& m_client;
};

} // namespace lockscope::redis
