// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/memcached/port.h"

namespace lockscope::sim {

/// A command as a memcached gets it.
struct MemcachedCommand {
    enum class Kind : std::uint8_t {
        Get, ///< gets: with the number
        Set,
        Add,
        Replace,
        CompareAndSet,
        Remove,
        Touch,
        GetAndTouch, ///< gats
        Flush,       ///< flush_all
        Version,
    };
    Kind kind = Kind::Get;
    QByteArray key{}, value{};
    std::int64_t expiry = 0;  ///< as sent: seconds, or a date; of Flush its delay
    std::uint64_t unique = 0; ///< of CompareAndSet: the number of the item meant

    bool stores() const { return kind >= Kind::Set && kind <= Kind::CompareAndSet; }
    /// Whether it can change an item.
    bool changes() const { return kind != Kind::Get && kind != Kind::Version; }
    /// The command in a trace: "add orders 31".
    QByteArray text() const;
};

struct MemcachedReply {
    enum class Word : std::uint8_t {
        Stored,
        NotStored,
        Exists,
        NotFound,
        Deleted,
        Touched,
        Ok,
        Version,
        End, ///< of looks, with or without an item
        OutOfMemory,
        TooLarge,
    };
    Word word = Word::End;
    std::optional<memcached::Item> item{}; ///< with End; of its mark only the number is set

    /// The server's own words for it.
    QByteArray line() const;
    bool isError() const { return word == Word::OutOfMemory || word == Word::TooLarge; }
};

} // namespace lockscope::sim
