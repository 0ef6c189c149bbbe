// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/watch_options.h"
#include "ports/redis/port.h"

namespace lockscope::inspect {

/// Frees the lock of that name, whoever holds it, by the recipe whose layout its key has: so its waiters are woken the
/// way they expect, and nothing else is freed. `format`: of its row; empty: it is not known. False: it was free. The
/// error is a sentence. Throws Cancelled.
QCoro::Task<std::expected<bool, QString>> forceReleaseOnRedis(redis::Port& port, QByteArray lockName, QByteArray format,
                                                              WatchOptions::Changes changes, std::stop_token stop);

} // namespace lockscope::inspect
