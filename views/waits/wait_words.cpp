// SPDX-License-Identifier: GPL-3.0-or-later
#include "waits/wait_words.h"

#include "inspect/kept_by.h"
#include "verdict/words.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>

namespace lockscope::views {

namespace {

using trace::EntityId;

constexpr qsizetype kMostLinks = 6; ///< of a circle in a sentence

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Waits)
};

/// A client as a student calls it; one that a rule joined by its own name.
QString partyName(EntityId party, const trace::Trace& trace) {
    return trace.entity(party).kind == trace::EntityKind::Thread ? verdict::actorText(party, trace)
                                                                 : trace.displayName(party);
}

QString partiesText(const std::vector<EntityId>& parties, const trace::Trace& trace) {
    QStringList names;
    for (const EntityId party : parties)
        names << partyName(party, trace);
    return names.join(Words::tr(", ", "between names"));
}

inspect::EndsWith endOfHold(EntityId lock, const trace::Trace& trace) {
    const EntityId format = trace.entity(lock).other;
    const bool named = trace.entity(format).kind == trace::EntityKind::Text;
    return named ? inspect::endsWith(trace.entity(format).name) : inspect::EndsWith::Nothing;
}

} // namespace

QStringList cycleSentences(const trace::WaitGraph& graph, const trace::Trace& trace) {
    QStringList sentences;
    for (const trace::WaitCycle& cycle : graph.cycles) {
        QStringList parts;
        for (const trace::WaitEdge& edge : cycle.edges) {
            if (parts.size() == kMostLinks) {
                parts << Words::tr("and so on, over %n client(s)", nullptr, int(cycle.edges.size()));
                break;
            }
            parts << Words::tr("%1 waits for %2, which %3 holds")
                         .arg(partyName(edge.waiter, trace), trace.displayName(edge.lock),
                              partyName(edge.holder, trace));
        }
        //: Joins the links of a chain of waits.
        sentences << Words::tr("%1.").arg(parts.join(Words::tr("; ")));
    }
    return sentences;
}

QString wayOut(const trace::WaitGraph& graph, const trace::Trace& trace) {
    const auto best = std::ranges::max_element(graph.cycles, {}, &trace::WaitCycle::freed);
    if (best == graph.cycles.end()) return {};
    const trace::WaitEdge& edge = best->edges[best->weakest];
    const QString holder = partyName(edge.holder, trace), lock = trace.displayName(edge.lock);
    switch (endOfHold(edge.lock, trace)) {
    case inspect::EndsWith::Transaction:
        return Words::tr("To end it, end the transaction of %1, which holds %2: %n client(s) wait for that. Its "
                         "program gets an error, and what the transaction has done is undone.",
                         nullptr, int(best->freed))
            .arg(holder, lock);
    case inspect::EndsWith::Session:
        return Words::tr("To end it, end the session of %1, which holds %2: %n client(s) wait for that. Its program "
                         "gets an error, and loses every lock that it has there.",
                         nullptr, int(best->freed))
            .arg(holder, lock);
    case inspect::EndsWith::Nothing:
        break;
    }
    return Words::tr("To end it, end %1's hold of %2: %n client(s) wait for that. %1 then works on without the lock "
                     "until it learns of it.",
                     nullptr, int(best->freed))
        .arg(holder, lock);
}

QString waitsInWords(const trace::WaitGraph& graph, const trace::Trace& trace, int most) {
    struct Contest {
        std::vector<EntityId> holders, waiters;
    };
    std::map<EntityId, Contest> contests;
    const auto add = [](std::vector<EntityId>& to, EntityId party) {
        if (std::ranges::find(to, party) == to.end()) to.push_back(party);
    };
    QStringList sentences = cycleSentences(graph, trace);
    for (const trace::WaitEdge& edge : graph.edges) {
        if (!contests.contains(edge.lock) && int(contests.size()) == most) continue;
        add(contests[edge.lock].holders, edge.holder);
        add(contests[edge.lock].waiters, edge.waiter);
    }
    for (const auto& [lock, contest] : contests)
        sentences << Words::tr("%1 is held by %2; waiting: %3.")
                         .arg(trace.displayName(lock), partiesText(contest.holders, trace),
                              partiesText(contest.waiters, trace));
    return verdict::paragraph(sentences);
}

} // namespace lockscope::views
