// SPDX-License-Identifier: Apache-2.0
#include "inspect/verbatim.h"

#include "inspect/text.h"

#include <QStringDecoder>

namespace lockscope::inspect {

QString verbatim(const QByteArray& name) {
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    QString text = decoder(name);
    return decoder.hasError() ? readable(name) : text;
}

} // namespace lockscope::inspect
