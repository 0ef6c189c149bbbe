// SPDX-License-Identifier: Apache-2.0
#include "ports/sql/port.h"

#include <QStringDecoder>

namespace lockscope::sql {

bool validName(const QByteArray& name, qsizetype longest) {
    if (name.isEmpty() || name.size() > longest || name.contains('\0')) return false;
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    [[maybe_unused]] const QString text = decoder(name);
    return !decoder.hasError();
}

} // namespace lockscope::sql
