// SPDX-License-Identifier: GPL-3.0-or-later
#include "waits/wait_words.h"

#include "verdict/words.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::views {

namespace {

using trace::EntityId;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Waits)
};

} // namespace

QStringList cycleSentences(const trace::WaitForGraph& graph, const trace::Trace& trace) {
    QStringList sentences;
    for (const auto& cycle : graph.cycles) {
        QStringList parts;
        for (std::size_t i = 0; i < cycle.threads.size(); ++i) {
            const EntityId holder = cycle.threads[(i + 1) % cycle.threads.size()];
            const QString waiter = verdict::actorText(cycle.threads[i], trace);
            const QString lock = trace.displayName(cycle.locks[i]);
            parts << (holder == cycle.threads[i] ? Words::tr("%1 waits for %2, which it holds itself").arg(waiter, lock)
                                                 : Words::tr("%1 waits for %2, which %3 holds")
                                                       .arg(waiter, lock, verdict::actorText(holder, trace)));
        }
        //: Joins the links of a chain of waits.
        sentences << Words::tr("%1.").arg(parts.join(Words::tr("; ")));
    }
    return sentences;
}

QString wayOut(const trace::WaitForGraph& graph, const trace::Trace& trace) {
    EntityId best = trace::kNoEntity, holder = trace::kNoEntity;
    std::size_t most = 0;
    for (const auto& cycle : graph.cycles) {
        for (std::size_t i = 0; i < cycle.locks.size(); ++i) {
            const std::size_t freed = graph.freedBy(cycle.locks[i]);
            if (freed <= most) continue;
            most = freed;
            best = cycle.locks[i];
            holder = cycle.threads[(i + 1) % cycle.threads.size()];
        }
    }
    if (best == trace::kNoEntity) return {};
    return Words::tr("To end it, end %1's hold of %2: %n wait(s) can go on. %1 then works on without the lock until it "
                     "learns of that.",
                     nullptr, int(most))
        .arg(verdict::actorText(holder, trace), trace.displayName(best));
}

QString waitsInWords(const trace::WaitForGraph& graph, const trace::Trace& trace, int most) {
    QStringList sentences = cycleSentences(graph, trace);
    std::vector<EntityId> locks;
    for (const auto& wait : graph.waits)
        if (locks.empty() || locks.back() != wait.lock) locks.push_back(wait.lock);
    for (const EntityId lock : locks) {
        if (most-- <= 0) {
            sentences << Words::tr("There are more.");
            break;
        }
        std::vector<EntityId> holders, waiters;
        for (const auto& hold : graph.holds)
            if (hold.lock == lock) holders.push_back(hold.thread);
        for (const auto& wait : graph.waits)
            if (wait.lock == lock) waiters.push_back(wait.thread);
        const QString name = trace.displayName(lock), waiting = verdict::actorsText(waiters, trace);
        sentences << (holders.empty() ? Words::tr("Nobody holds %1; waiting: %2.").arg(name, waiting)
                                      : Words::tr("%1 is held by %2; waiting: %3.")
                                            .arg(name, verdict::actorsText(holders, trace), waiting));
    }
    return verdict::paragraph(sentences);
}

} // namespace lockscope::views
