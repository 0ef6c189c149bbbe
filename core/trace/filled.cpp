// SPDX-License-Identifier: Apache-2.0
#include "trace/filled.h"

namespace lockscope::trace {

namespace {

bool isHan(QStringView text, qsizetype at) {
    return at >= 0 && at < text.size() && text[at].script() == QChar::Script_Han;
}

bool isGap(QStringView text, qsizetype at) {
    return at >= 0 && at < text.size() && text[at] == QLatin1Char(' ');
}

} // namespace

QString filled(const QString& pattern, const QStringList& arguments) {
    QString text;
    for (qsizetype at = 0; at < pattern.size(); ++at) {
        const int place = pattern[at] == QLatin1Char('%') && at + 1 < pattern.size() ? pattern[at + 1].digitValue() : 0;
        if (place < 1 || place > arguments.size()) {
            text += pattern[at];
            continue;
        }
        const QString& argument = arguments[place - 1];
        if (isGap(pattern, at - 1) && isHan(pattern, at - 2) && isHan(argument, 0)) text.chop(1);
        text += argument;
        ++at; // the digit
        if (isGap(pattern, at + 1) && isHan(pattern, at + 2) && isHan(argument, argument.size() - 1)) ++at;
    }
    return text;
}

} // namespace lockscope::trace
