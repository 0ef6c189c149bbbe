// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"

#include <QDateTime>
#include <map>

namespace lockscope::live {

/// The locks of one server that this user has just taken from their holders with Lockscope, in whichever process: what
/// the server shows of that is what a release leaves, too. By the file of release_log.h.
class ForcedReleases {
public:
    /// By the address of its URL: another user or other options are the same server.
    explicit ForcedReleases(const ConnectionUrl& server);

    /// Whether a hold of this lock that has ended by now was ended so. Reads the file if it has grown.
    bool has(const QByteArray& lock);

private:
    void read();

    QString m_server;
    qint64 m_size = -1;                    ///< of the file when it was read
    std::map<QString, QDateTime> m_forced; ///< by the lock's name as people read it: when
};

} // namespace lockscope::live
