// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "live/connection_trial.h"

#include <QTest>

namespace lockscope::test {

/// The answer of a trial of that URL: "fine: Connected to …", "partly: …", "failed: …".
inline QString answerOf(const QString& url) {
    const auto parsed = parseConnectionUrl(url);
    if (!parsed) return QStringLiteral("no URL: ") + parsed.error();
    QString answer;
    const live::ConnectionTrial trial(*parsed,
                                      [&answer](live::ConnectionTrial::Outcome outcome, const QString& sentence) {
                                          static constexpr const char* kWords[] = {"fine: ", "partly: ", "failed: "};
                                          answer = QLatin1String(kWords[std::size_t(outcome)]) + sentence;
                                      });
    if (!QTest::qWaitFor([&answer] { return !answer.isEmpty(); }, 20'000)) return QStringLiteral("no answer");
    return answer;
}

inline void says(const QString& answer, std::initializer_list<QByteArray> parts) {
    for (const QByteArray& part : parts)
        QVERIFY2(answer.contains(QString::fromUtf8(part)), qPrintable(answer));
}

} // namespace lockscope::test
