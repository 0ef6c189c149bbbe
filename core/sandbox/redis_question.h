// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <QByteArrayList>
#include <QString>
#include <expected>
#include <functional>
#include <optional>

namespace lockscope::sandbox {

/// Asks a Redis of ours on the loopback one thing, on a connection of its own: what it says as text (of a bulk string,
/// a status or a number), an error with its leading "-", of an array its first line. nullopt: no answer within 1 s.
/// Throws Cancelled.
QCoro::Task<std::optional<QByteArray>> askRedis(Runtime& runtime, std::uint16_t port, QByteArrayList words,
                                                QString password = {}, std::stop_token stop = {});

/// Asks again and again until the answer contains all of `texts`; false when it did not within `limit`.
QCoro::Task<bool> waitForAnswer(Runtime& runtime, std::uint16_t port, QByteArrayList words, QByteArrayList texts,
                                Nanos limit, QString password = {}, std::stop_token stop = {});

/// Waits for all of several coroutines that have begun already; the first error in their order.
QCoro::Task<std::expected<void, QString>> allOf(std::vector<QCoro::Task<std::expected<void, QString>>> tasks);

} // namespace lockscope::sandbox
