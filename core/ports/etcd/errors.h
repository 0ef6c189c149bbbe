// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/ending.h"
#include "ports/etcd/port.h"

namespace lockscope::etcd::errors {

// Errors as sentences: what, where, what to do. None contains a password.
Error ended(const net::Ending& ending, const QString& where);
Error connectTimeout(Nanos after, const QString& where);
Error closed(const QString& where);
Error requestTimeout(Nanos after, const QString& where);
/// For the question whether an etcd is there at all: it changes nothing, so its outcome is never unknown.
Error notReached(const Error& why, const QString& where);
Error garbage(const QString& what, const QString& where);
Error driverGone(const QString& where);
/// The server's own error, with gRPC's code and text; `status` is HTTP's.
Error refused(int status, int code, const QString& text, const QString& where);

} // namespace lockscope::etcd::errors
