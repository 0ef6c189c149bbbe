// SPDX-License-Identifier: GPL-3.0-or-later
// How sure it is that a key is a lock, in words.
#include "models/lock_facts.h"

#include <QCoreApplication>

namespace lockscope::views {

using trace::Certainty;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Locks)
};

} // namespace

QString certaintyText(Certainty certainty) {
    switch (certainty) {
    case Certainty::Certain:
        return Words::tr("certain");
    case Certainty::Likely:
        return Words::tr("likely");
    case Certainty::Guess:
        break;
    }
    return Words::tr("a guess");
}

QString certaintySentence(Certainty certainty) {
    switch (certainty) {
    case Certainty::Certain:
        return Words::tr("Certainly a lock: nothing else looks like it.");
    case Certainty::Likely:
        return Words::tr("Likely a lock: its value or its name says so.");
    case Certainty::Guess:
        break;
    }
    return Words::tr(
        "A guess: its value has the shape of a lock's, which other data has, too. It is not counted as held.");
}

QString certaintyMark(Certainty certainty) {
    return certainty == Certainty::Guess    ? QStringLiteral("?")
           : certainty == Certainty::Likely ? QStringLiteral("≈")
                                            : QString();
}

QString formatWords(const QString& format, Certainty certainty) {
    if (certainty == Certainty::Certain) return format;
    //: A lock's format and how sure it is that its key is a lock: "node-redlock, a guess".
    return Words::tr("%1, %2").arg(format, certaintyText(certainty));
}

} // namespace lockscope::views
