// SPDX-License-Identifier: Apache-2.0
#include "inspect/text.h"

#include <QStringDecoder>

namespace lockscope::inspect {

QString readable(const QByteArray& bytes) {
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    QString text = decoder(bytes);
    const bool utf8 = !decoder.hasError();
    const auto isControl = [](QChar c) { return c.category() == QChar::Other_Control; };
    if (utf8 && std::none_of(text.begin(), text.end(), isControl)) return text;

    QString out;
    const auto escape = [&out](uint code) {
        out += QLatin1String("\\x") + QString::number(code, 16).rightJustified(2, QLatin1Char('0'));
    };
    if (utf8) {
        for (const QChar c : text) {
            if (isControl(c))
                escape(c.unicode());
            else
                out += c;
        }
    } else {
        for (const char c : bytes) {
            if (uchar(c) < 0x20 || uchar(c) >= 0x7f)
                escape(uchar(c));
            else
                out += QLatin1Char(c);
        }
    }
    return out;
}

} // namespace lockscope::inspect
