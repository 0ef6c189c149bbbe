// SPDX-License-Identifier: Apache-2.0
#include "inspect/party_about.h"

#include <QCoreApplication>

namespace lockscope::inspect {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(PartyAbout)
};

} // namespace

QString aboutText(QString about) {
    const auto say = [&about](const char* ours, const QString& words) { about.replace(QLatin1String(ours), words); };
    // Before a statement only: a statement stays as it was written.
    const qsizetype statement = about.indexOf(QLatin1String(": "));
    const QString rest = statement < 0 ? QString() : about.sliced(statement);
    if (statement >= 0) about.truncate(statement);
    //: Before a date and time.
    say(kTransactionSince, Text::tr("transaction open since") + QLatin1Char(' '));
    //: Of a lock's holder: somebody has asked it to release the lock early.
    say(kAskedToGiveUp, Text::tr("asked to give up the lock"));
    return about + rest;
}

} // namespace lockscope::inspect
