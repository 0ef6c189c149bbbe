// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QRegularExpression>
#include <QString>

namespace lockscope {

/// A sentence whose lines may be broken: with no-break spaces between numbers and units of time, so that no line begins
/// with "s". For painting only: on the command line and in files a space is a space.
inline QString withWholeSpans(QString sentence) {
    static const QRegularExpression kGap(QStringLiteral("(?<=[0-9]) (?=(?:ns|µs|ms|s|m|h|d)(?![A-Za-z]))"));
    return sentence.replace(kGap, QString(QChar::Nbsp));
}

} // namespace lockscope
