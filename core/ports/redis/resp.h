// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/reply.h"

#include <QString>
#include <expected>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

struct redisReader;

namespace lockscope::redis {

/// A command as a list of argument ranges, so that a script's keys and arguments need not be joined. Refers to them.
using Pieces = std::initializer_list<std::span<const QByteArray>>;

/// Appends a command in wire format. Precondition: at least one argument.
void appendCommand(QByteArray& out, Pieces pieces);
inline void appendCommand(QByteArray& out, const Args& args) {
    appendCommand(out, {std::span(args)});
}

/// Parses bytes from a server into replies, with hiredis' parser.
class ReplyReader {
public:
    ReplyReader();
    ~ReplyReader();
    ReplyReader(const ReplyReader&) = delete;
    ReplyReader& operator=(const ReplyReader&) = delete;

    /// Feeds bytes as they arrived, cut anywhere.
    void feed(std::string_view bytes);
    /// The next complete reply; nullopt when more bytes are needed; an error text (English, for a log or in brackets)
    /// when the bytes are not RESP. After an error nothing more can be read.
    std::expected<std::optional<Reply>, QString> next();

    /// Arrays longer than this are refused.
    static constexpr int kMaxElements = 1 << 20;
    /// Bytes. A longer text is refused as soon as its length is announced; Redis's own limit for texts,
    /// proto-max-bulk-len, has the same default.
    static constexpr std::int64_t kLargestText = 512 * 1024 * 1024;

private:
    struct Free {
        void operator()(redisReader* reader) const;
    };
    bool waitsForTooMuch() const;
    Reply m_root; ///< being filled
    std::unique_ptr<redisReader, Free> m_reader;
};

} // namespace lockscope::redis
