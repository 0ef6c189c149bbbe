// SPDX-License-Identifier: Apache-2.0
#include "inspect/shedlock_value.h"

#include <QDateTime>

namespace lockscope::inspect {

std::optional<Party> shedLockHolder(const QByteArray& value) {
    if (!value.startsWith("ADDED:")) return std::nullopt;
    const qsizetype at = value.indexOf('@');
    if (at < 0 || at + 1 == value.size()) return std::nullopt;
    const QDateTime instant = QDateTime::fromString(QString::fromLatin1(value.mid(6, at - 6)), Qt::ISODateWithMs);
    if (!instant.isValid()) return std::nullopt;
    Party holder;
    holder.client = value.mid(at + 1);
    holder.sinceWallMs = instant.toMSecsSinceEpoch();
    return holder;
}

} // namespace lockscope::inspect
