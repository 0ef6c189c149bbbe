// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/memcached/protocol.h"

namespace lockscope::memcached {

/// memcached's text protocol, with the login of `memcached -Y FILE`.
///
/// Source: doc/protocol.txt of memcached 1.6.
class TextProtocol final : public Protocol {
public:
    QByteArray greeting() const override;
    QByteArray login(const QByteArray& user, const QByteArray& password) const override;
    void append(QByteArray& out, const Command& command) override;
    std::expected<std::optional<Reply>, QString> next() override;

private:
    std::expected<bool, QString> takeItem(QByteArrayView line);
    std::expected<void, QString> takeListed(QByteArrayView line);
    std::optional<Item> m_item; ///< read, but its END has not come
    KeyList m_list;             ///< … of the keys listed
    WantsKey m_wants;           ///< of the last list asked for
};

} // namespace lockscope::memcached
