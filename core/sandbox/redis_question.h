// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <QByteArrayList>
#include <QSslConfiguration>
#include <QString>
#include <expected>
#include <functional>
#include <optional>

namespace lockscope::sandbox {

/// Where a Redis of ours on the loopback lets us in.
struct RedisDoor {
    std::uint16_t port = 0;
    QString password; ///< of the default user; empty: none
    std::optional<QSslConfiguration> tls;
};

/// Asks a Redis one thing, on a connection of its own: what it says as text (of a bulk string, a status or a number),
/// an error with its leading "-", of an array its first line. nullopt: no answer within 1 s. Throws Cancelled.
QCoro::Task<std::optional<QByteArray>> askRedis(Runtime& runtime, RedisDoor door, QByteArrayList words,
                                                std::stop_token stop = {});

/// Asks again and again until the answer contains all of `texts`; false when it did not within `limit`.
QCoro::Task<bool> waitForAnswer(Runtime& runtime, RedisDoor door, QByteArrayList words, QByteArrayList texts,
                                Nanos limit, std::stop_token stop = {});

/// Waits for all of several coroutines that have begun already; the first error in their order.
QCoro::Task<std::expected<void, QString>> allOf(std::vector<QCoro::Task<std::expected<void, QString>>> tasks);

} // namespace lockscope::sandbox
