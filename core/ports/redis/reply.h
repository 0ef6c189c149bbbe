// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <cstdint>
#include <utility>
#include <vector>

namespace lockscope::redis {

/// A command and its arguments, binary-safe: {"SET", "orders", "…", "NX"}.
using Args = std::vector<QByteArray>;

/// One part of a command; a literal is referenced, not copied.
template <std::size_t N>
QByteArray argOf(const char (&literal)[N]) {
    return QByteArray::fromRawData(literal, N - 1);
}
template <typename Part>
QByteArray argOf(Part&& part) {
    return QByteArray(std::forward<Part>(part));
}

/// Args from parts; char arrays must be literals. A function, because GCC 12 cannot compile a braced list in a co_await
/// expression.
template <typename... Parts>
Args argsOf(Parts&&... parts) {
    Args args;
    args.reserve(sizeof...(parts));
    (args.push_back(argOf(std::forward<Parts>(parts))), ...);
    return args;
}

/// A RESP2 reply.
struct Reply {
    enum class Type : std::uint8_t { Nil, Status, Error, Integer, Bulk, Array };
    Type type = Type::Nil;
    /// The connection that it came over, by a number unique in this process. 0: unknown.
    std::uint32_t connection = 0;
    std::int64_t integer = 0;
    QByteArray text;          ///< Status, Error ("WRONGTYPE Operation…"), Bulk
    std::vector<Reply> items; ///< Array

    /// Make one of each type.
    static Reply nil() { return {}; }
    static Reply status(QByteArray t) { return {Type::Status, 0, 0, std::move(t), {}}; }
    static Reply error(QByteArray t) { return {Type::Error, 0, 0, std::move(t), {}}; }
    static Reply number(std::int64_t n) { return {Type::Integer, 0, n, {}, {}}; }
    static Reply bulk(QByteArray t) { return {Type::Bulk, 0, 0, std::move(t), {}}; }
    static Reply array(std::vector<Reply> i) { return {Type::Array, 0, 0, {}, std::move(i)}; }

    /// Whether it is of that type.
    bool isNil() const { return type == Type::Nil; }
    bool isError() const { return type == Type::Error; }
    /// Compares the content, not the connection.
    friend bool operator==(const Reply& a, const Reply& b) {
        return a.type == b.type && a.integer == b.integer && a.text == b.text && a.items == b.items;
    }
};

} // namespace lockscope::redis
