// SPDX-License-Identifier: Apache-2.0
#include "connections/wrong_permits.h"

#include <QCoreApplication>

namespace lockscope {

std::optional<LockError> wrongPermits(const QByteArray& name, int permits) {
    if (permits >= 1) return std::nullopt;
    return LockError{LockError::Kind::Refused,
                     QCoreApplication::translate("LockError", "The semaphore “%1” needs at least one permit, not %2.")
                         .arg(QString::fromUtf8(name), QString::number(permits))};
}

} // namespace lockscope
