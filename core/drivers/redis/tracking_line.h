// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/redis/line.h"
#include "ports/redis/client.h"

namespace lockscope::redis {

/// The connection to which a server redirects its messages of changed keys. It does not reconnect: the server has
/// forgotten by then which keys were meant.
class TrackingLine final : public ChangeFeed {
public:
    /// `sent`: counts the commands, pings included.
    TrackingLine(Runtime& runtime, const ConnectionUrl& url, const DriverOptions& options,
                 std::shared_ptr<std::uint64_t> sent);

    /// Connects; returns once the server has told the connection's number and confirmed the subscription.
    QCoro::Task<std::expected<void, Error>> open(std::stop_token stop);
    std::int64_t id() const override { return m_id; }
    QCoro::Task<std::optional<ChangedKeys>> next(std::stop_token stop) override;

private:
    enum class Stage : std::uint8_t { AsksId, Subscribes, Listens, Over };
    void send(const Args& command);
    void onReady();
    void onReply(Reply&& reply);
    void onLost(const Error& error);
    void take(Reply&& keys);
    QCoro::Task<> wait(Nanos longest, std::stop_token stop);

    Runtime& m_runtime;
    DriverOptions m_options;
    QString m_where;
    std::shared_ptr<std::uint64_t> m_sent;
    Stage m_stage = Stage::AsksId;
    std::int64_t m_id = 0;
    std::optional<Error> m_error; ///< why it is over
    ChangedKeys m_changed;        ///< not taken yet
    Waiter* m_waiter = nullptr;
    Line m_line;
};

} // namespace lockscope::redis
