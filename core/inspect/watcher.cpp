// SPDX-License-Identifier: Apache-2.0
#include "inspect/watcher.h"

#include <QCoreApplication>

namespace lockscope::inspect {

QCoro::Task<std::expected<bool, QString>> Watcher::forceRelease(QByteArray /*lockName*/, std::stop_token /*stop*/) {
    co_return std::unexpected(
        QCoreApplication::translate("Watcher", "Locks on this kind of server cannot be freed from here yet."));
}

} // namespace lockscope::inspect
