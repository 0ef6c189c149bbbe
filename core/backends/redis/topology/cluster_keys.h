// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/reply.h"

#include <QString>
#include <optional>

namespace lockscope::redis {

constexpr int kClusterSlots = 16'384;

/// CRC-16/XMODEM, which Redis Cluster uses. Source: the Redis Cluster specification, appendix A.
std::uint16_t crc16(const QByteArray& bytes);

/// The slot of a key, 0…16383: of the part in its first braces when there is one and it is not empty, so that keys can
/// be kept together. Source: the Redis Cluster specification, "Hash tags".
int keySlot(const QByteArray& key);

/// The keys of a command, by its name; none for commands without keys (PING, PUBLISH, SCRIPT, WAIT, …). Commands that
/// are not known are taken to have one key, right behind their name, as most have.
std::vector<QByteArray> keysOf(const Args& command);

/// Where a "MOVED" or "ASK" error sends us.
struct Redirection {
    int slot = 0;
    QString host; ///< empty: the one that says so
    std::uint16_t port = 0;
};
/// Reads "MOVED 3999 127.0.0.1:6381" out of an error's text, wherever it stands in it.
std::optional<Redirection> redirectionOf(const QByteArray& code, const QString& text);

} // namespace lockscope::redis
