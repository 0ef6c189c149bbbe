// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <algorithm>
#include <cstdio>

namespace lockscope::torture {

using verdict::Invariant;

namespace {

QString idOf(Invariant invariant) {
    return QString::fromLatin1(verdict::invariantId(invariant));
}

/// The invariants that were judged without a single occasion to violate them: such a test proves nothing.
QStringList untried(const Subject& subject, const Plan& plan, const Ruling& ruling) {
    QStringList names;
    const auto demand = [&](Invariant invariant, bool expected) {
        if (expected && whyNotJudged(invariant, subject.recipe).isEmpty() && ruling.occasions.at(invariant) == 0)
            names << QStringLiteral("%1: there was no occasion to violate it").arg(idOf(invariant));
    };
    constexpr int many = 60;       // one holder in four takes its lock again
    constexpr Nanos longRun = 30s; // until some are certainly too late for others in the queue
    demand(Invariant::TokenOrder, true);
    demand(Invariant::Reentrancy, ruling.acquisitions >= many);
    demand(Invariant::Fifo, plan.gentle + plan.rough >= longRun);
    return names;
}

} // namespace

void Report::say(const QString& text) {
    std::printf("%s\n", qPrintable(text));
    std::fflush(stdout);
}

Report::Line& Report::lineOf(const Subject& subject) {
    const auto found = std::ranges::find(m_lines, subject.id, [](const Line& line) { return line.subject.id; });
    if (found != m_lines.end()) return *found;
    Line line;
    line.subject = subject;
    return m_lines.emplace_back(std::move(line));
}

bool Report::asItMust(const Line& line, const QStringList& breaks) {
    return std::ranges::all_of(breaks, [&](const QString& id) {
        return std::ranges::any_of(line.violated, [&](const auto& entry) { return idOf(entry.first) == id; });
    });
}

bool Report::add(const Subject& subject, const Plan& plan, const Ruling& ruling) {
    Line& line = lineOf(subject);
    for (const auto& [invariant, occasions] : ruling.occasions)
        line.occasions[invariant] += occasions;
    for (const Invariant invariant : verdict::kInvariants) {
        const auto complaints = std::ranges::count_if(ruling.complaints, [&](const QString& complaint) {
            return complaint.startsWith(idOf(invariant) + QLatin1Char(':'));
        });
        if (complaints > 0) line.violated[invariant] += int(complaints);
    }
    line.allowed += ruling.allPausedBeliefs();

    say(QStringLiteral("%1 %2 acquisitions (%8 by threads that block), %3 stops, %4 kills, %5 server restarts, %6 "
                       "beliefs of stopped clients, "
                       "%7 records of the server")
            .arg(subject.id, -24)
            .arg(ruling.acquisitions)
            .arg(ruling.stops)
            .arg(ruling.kills)
            .arg(ruling.restarts)
            .arg(ruling.allPausedBeliefs())
            .arg(ruling.occasions.at(Invariant::Ownership))
            .arg(ruling.acquisitionsOfBlocking));
    const QStringList breaks = plan.saboteur ? QStringList(idOf(Invariant::Ownership)) : subject.breaks;
    if (!breaks.isEmpty()) {
        const bool broken = asItMust(line, breaks);
        for (const QString& id : breaks) {
            const QStringList all = ruling.complaints.filter(id + QLatin1Char(':'));
            if (!all.isEmpty()) say(QStringLiteral("  fails as it must, %1×: %2").arg(all.size()).arg(all.first()));
        }
        if (!broken)
            say(QStringLiteral("  ! was to be seen failing (%1), and was not").arg(breaks.join(QLatin1Char(' '))));
        return broken;
    }
    const QStringList complaints = ruling.complaints + untried(subject, plan, ruling);
    for (const QString& complaint : complaints)
        say(QStringLiteral("  ! ") + complaint);
    constexpr int least = 10, ofEach = 2; // fewer would mean that nothing was tried
    const int blocking = ruling.acquisitionsOfBlocking;
    const bool tried = ruling.acquisitions >= least && blocking >= ofEach && ruling.acquisitions - blocking >= ofEach;
    if (!tried) say(QStringLiteral("  ! hardly anybody of one kind got a lock"));
    return complaints.isEmpty() && tried;
}

// subject | how many occasions there were to violate each; in brackets how many violations were allowed
void Report::table() const {
    constexpr std::array kColumns{Invariant::MutualExclusion, Invariant::Ownership, Invariant::TokenOrder,
                                  Invariant::Reentrancy, Invariant::Fifo};
    QString head = QStringLiteral("\n%1").arg(QStringLiteral("judged, on how many occasions"), -30);
    for (const Invariant invariant : kColumns)
        head += QStringLiteral("%1").arg(idOf(invariant), 18);
    say(head);
    QStringList notes;
    const auto note = [&](const QString& why) {
        if (!notes.contains(why)) notes << why;
        return QStringLiteral("- [%1]").arg(notes.indexOf(why) + 1);
    };
    for (const Line& line : m_lines) {
        QString text = QStringLiteral("%1").arg(line.subject.id, -30);
        for (const Invariant invariant : kColumns) {
            const QString why = whyNotJudged(invariant, line.subject.recipe);
            QString cell = why.isEmpty() ? QString::number(line.occasions.at(invariant)) : note(why);
            if (invariant == Invariant::MutualExclusion && line.allowed > 0)
                cell += QStringLiteral(" (%1)").arg(line.allowed);
            if (const auto violated = line.violated.find(invariant); violated != line.violated.end())
                cell += QStringLiteral(" !%1").arg(violated->second);
            text += QStringLiteral("%1").arg(cell, 18);
        }
        say(text);
    }
    say(QStringLiteral("(n): allowed, of clients that were stopped; !n: violations"));
    for (qsizetype i = 0; i < notes.size(); ++i)
        say(QStringLiteral("[%1] %2").arg(i + 1).arg(notes[i]));
    for (const Invariant invariant : {Invariant::Progress, Invariant::StaleWrite, Invariant::NoDeadlock})
        say(QStringLiteral("%1: %2").arg(idOf(invariant), whyNotJudged(invariant, {})));
}

} // namespace lockscope::torture
