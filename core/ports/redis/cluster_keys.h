// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/reply.h"

#include <QString>
#include <optional>

namespace lockscope::redis {

constexpr int kClusterSlots = 16'384;

/// CRC-16/XMODEM, which Redis Cluster uses. Source: the Redis Cluster specification, appendix A.
std::uint16_t crc16(const QByteArray& bytes);

/// The slot of a key, 0…16383. If the key contains braces with text between the first pair, only that text is hashed,
/// so that keys can be kept together. Source: the Redis Cluster specification, "Hash tags".
int keySlot(const QByteArray& key);

/// The keys of a command, by its name; none for commands without keys (PING, PUBLISH, SCRIPT, WAIT, …). An unknown
/// command is assumed to have one key, right after its name, as most have.
std::vector<QByteArray> keysOf(const Args& command);

/// The target of a "MOVED" or "ASK" error.
struct Redirection {
    int slot = 0;
    QString host; ///< empty: the node that sent the error
    std::uint16_t port = 0;
};
/// Finds and parses "MOVED 3999 127.0.0.1:6381" in an error's text.
std::optional<Redirection> redirectionOf(const QByteArray& code, const QString& text);

} // namespace lockscope::redis
