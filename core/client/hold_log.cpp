// SPDX-License-Identifier: Apache-2.0
#include "client/hold_log.h"

#include "lock/warning.h"

#include <QCoreApplication>

namespace lockscope::detail {

namespace {
LogLevel levelOf(HoldEvent event) {
    return event == HoldEvent::Lost || event == HoldEvent::Suspended ? LogLevel::Info : LogLevel::Debug;
}

QString lineOf(HoldEvent event, const QByteArray& lock, const QString& reason) {
    const QString name = QString::fromUtf8(lock);
    switch (event) {
    case HoldEvent::Acquired:
        return QCoreApplication::translate("Lock", "the lock “%1” was taken").arg(name);
    case HoldEvent::Reentered:
        return QCoreApplication::translate("Lock", "the lock “%1” was taken again").arg(name);
    case HoldEvent::Renewed:
        return QCoreApplication::translate("Lock", "the lock “%1” was renewed").arg(name);
    case HoldEvent::Released:
        return QCoreApplication::translate("Lock", "the lock “%1” was given back").arg(name);
    case HoldEvent::Lost:
        return QCoreApplication::translate("Lock", "the lock “%1” was lost: %2").arg(name, reason);
    case HoldEvent::Suspended:
        return QCoreApplication::translate("Lock", "the server does not answer for the lock “%1”: %2")
            .arg(name, reason);
    case HoldEvent::ReleaseFailed:
        return notGivenBack(lock, reason);
    case HoldEvent::WaitFailed:
        return QCoreApplication::translate("Lock", "the lock “%1” was not taken: %2").arg(name, reason);
    }
    return {};
}
} // namespace

void writeDown(HoldEvent event, const QByteArray& name, const QString& reason) {
    const LogLevel level = levelOf(event);
    if (logs(level)) log(level, lineOf(event, name, reason));
}

QString notGivenBack(const QByteArray& name, const QString& reason) {
    return QCoreApplication::translate("Lock", "the lock “%1” could not be given back: %2")
        .arg(QString::fromUtf8(name), reason);
}

} // namespace lockscope::detail
