// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/memcached/port.h"

namespace lockscope::memcached {

/// One server's answer to one command.
struct Reply {
    enum class Word : std::uint8_t { Stored, NotStored, Exists, NotFound, Deleted, End, Version, Error };
    Word word = Word::End;
    QByteArray text = {};                    ///< the whole line, of Version and Error
    std::optional<Item> item = std::nullopt; ///< of End: what was read
};

/// Takes memcached's text protocol apart as its bytes come.
class ReplyReader {
public:
    void feed(const char* bytes, qsizetype size);
    /// The next whole reply; nullopt: more bytes are needed. The error is a few words for people: what is wrong.
    std::expected<std::optional<Reply>, QString> next();
    /// Forgets what came.
    void clear();

private:
    std::expected<bool, QString> takeItem(QByteArrayView line);
    qsizetype left() const { return m_in.size() - m_at; }

    QByteArray m_in;
    qsizetype m_at = 0;         ///< before it all is read
    std::optional<Item> m_item; ///< read, its END not yet
};

} // namespace lockscope::memcached
