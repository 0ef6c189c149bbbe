// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/mnemonic.h"

#include <QRegularExpression>

namespace lockscope::views {

QString withoutMnemonic(const QString& text) {
    // Languages without Latin letters put the letter in brackets behind the words.
    static const QRegularExpression inBrackets(QStringLiteral("\\s*[(（]&[^&)）][)）]"));
    QString plain = text;
    plain.remove(inBrackets);
    for (qsizetype i = plain.indexOf(u'&'); i >= 0; i = plain.indexOf(u'&', i + 1))
        plain.remove(i, 1); // of two, the second stays
    return plain;
}

} // namespace lockscope::views
