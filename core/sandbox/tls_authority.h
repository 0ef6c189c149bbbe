// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/workspace.h"

#include <expected>

namespace lockscope::sandbox {

/// Certificates for servers and clients of a sandbox, made by openssl(1): an authority of their own, valid for days.
struct TlsAuthority {
    QString ca;                           ///< certificate file of the authority
    QString serverCertificate, serverKey; ///< for localhost and 127.0.0.1
    QString clientCertificate, clientKey;

    /// Makes all of them in the workspace, under file names that begin with `prefix`. Throws Cancelled.
    static QCoro::Task<std::expected<TlsAuthority, QString>> make(Runtime& runtime, const Workspace& workspace,
                                                                  QString prefix, std::stop_token stop = {});
};

} // namespace lockscope::sandbox
