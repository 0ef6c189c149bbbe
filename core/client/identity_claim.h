// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"
#include "recipes/lock_error.h"

#include <expected>
#include <memory>
#include <vector>

namespace lockscope {

/// A client's identity on some servers, which no other client of this process has there at the time: both would take
/// each other's holds for their own. Ends with the object. Thread-safe.
///
/// Two URLs are taken for one server when they name one service and one database or path, and share a host and port, as
/// written.
class IdentityClaim {
public:
    /// Kind::Refused when a live claim of this process has that identity on one of the servers.
    static std::expected<std::unique_ptr<IdentityClaim>, LockError> make(const QByteArray& identity,
                                                                         std::vector<ConnectionUrl> servers);
    ~IdentityClaim();
    IdentityClaim(const IdentityClaim&) = delete;
    IdentityClaim& operator=(const IdentityClaim&) = delete;

private:
    IdentityClaim(QByteArray identity, std::vector<ConnectionUrl> servers);
    /// The first server that both have; nullptr: none.
    const ConnectionUrl* sharedWith(const std::vector<ConnectionUrl>& servers) const;

    struct All;
    QByteArray m_identity;
    std::vector<ConnectionUrl> m_servers;
    qint64 m_process; ///< a forked child has its parent's claims in its memory, and they are not its own
};

} // namespace lockscope
