// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/reply.h"

#include <QString>
#include <expected>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

struct redisReader;

namespace lockscope::redis {

/// A command in pieces, its arguments in their order: a script's keys and arguments need not be put together first.
/// Refers to them.
using Pieces = std::initializer_list<std::span<const QByteArray>>;

/// Appends a command in wire format. Precondition: at least one argument.
void appendCommand(QByteArray& out, Pieces pieces);
inline void appendCommand(QByteArray& out, const Args& args) {
    appendCommand(out, {std::span(args)});
}

/// Turns bytes from a server into replies; hiredis' parser underneath.
class ReplyReader {
public:
    ReplyReader();
    ~ReplyReader();
    ReplyReader(const ReplyReader&) = delete;
    ReplyReader& operator=(const ReplyReader&) = delete;

    /// Takes bytes as they came, cut anywhere.
    void feed(std::string_view bytes);
    /// The next whole reply; nullopt when more bytes are needed; an error text (English, for a log or in brackets)
    /// when the bytes are not RESP. After an error nothing more can be read.
    std::expected<std::optional<Reply>, QString> next();

    /// Arrays longer than this are refused: a length is just a number on the wire, and room is made for it at once.
    static constexpr int kMaxElements = 1 << 20;

private:
    struct Free {
        void operator()(redisReader* reader) const;
    };
    Reply m_root; ///< being filled
    std::unique_ptr<redisReader, Free> m_reader;
};

} // namespace lockscope::redis
