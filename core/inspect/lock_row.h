// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

namespace lockscope::inspect {

/// A holder or waiter as the server knows it. Missing = the format does not say.
struct Party {
    QByteArray client;
    std::optional<QByteArray> thread;
    std::optional<int> holds;
    std::optional<int> position;
    QByteArray mode = "exclusive";
    friend bool operator==(const Party&, const Party&) = default;
};

/// A key as it is on the server.
struct RawKey {
    QByteArray key, type;
    std::optional<std::int64_t> ttlMs; ///< missing = it never expires
    QJsonValue value;
    std::int64_t more = 0; ///< elements that there are besides those in `value`
    friend bool operator==(const RawKey&, const RawKey&) = default;
};

/// One lock found on a server, in whatever format.
struct LockRow {
    enum class State : std::uint8_t { Free, Queued, Held };
    QByteArray name, format, backend = "redis", mode = "exclusive";
    State state = State::Free;
    std::optional<std::int64_t> ttlMs; ///< missing = it never expires (Held) or there is none
    bool neverExpires = false;
    std::optional<std::int64_t> token;
    std::vector<Party> holders;
    std::int64_t moreHolders = 0; ///< at most so many besides: the key was too long to be read whole
    bool holdersGone = false;     ///< no holders, because every one of them is dead; else the format does not say
    std::optional<std::vector<Party>> waiters; ///< missing = this format does not say
    std::optional<std::int64_t> waiterCount;
    std::vector<RawKey> raw;
    friend bool operator==(const LockRow&, const LockRow&) = default;
};

/// One element of `locks` in `watch --json`.
QJsonObject toJson(const LockRow& row);

} // namespace lockscope::inspect
