// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/memcached/protocol.h"

namespace lockscope::memcached {

/// memcached's binary protocol, with SASL PLAIN logins (`memcached -S`, and most hosted servers).
///
/// Source: BinaryProtocolRevamped and SASLHowto of memcached's documentation; RFC 4616.
class BinaryProtocol final : public Protocol {
public:
    QByteArray greeting() const override;
    QByteArray login(const QByteArray& user, const QByteArray& password) const override;
    void append(QByteArray& out, const Command& command) override;
    std::expected<std::optional<Reply>, QString> next() override;

private:
    std::expected<std::optional<Reply>, QString> nextPacket();
    bool m_statistic = false; ///< the last packet was one of a reply of several packets
};

} // namespace lockscope::memcached
