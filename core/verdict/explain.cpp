// SPDX-License-Identifier: Apache-2.0
#include "trace/look_back.h"
#include "trace/state.h"
#include "trace/time_text.h"
#include "trace/trace_time.h"
#include "verdict/chronicle.h"
#include "verdict/client_doings.h"
#include "verdict/engine_change.h"
#include "verdict/failover_text.h"
#include "verdict/hold_end.h"
#include "verdict/memory_loss.h"
#include "verdict/obstacle_text.h"
#include "verdict/queue_story.h"
#include "verdict/token_loss.h"
#include "verdict/verdict.h"
#include "verdict/why.h"
#include "verdict/words.h"

#include <algorithm>

namespace lockscope::verdict {

using trace::EntityId;
using trace::EventKind;
using trace::FreedBy;
using trace::Trace;

namespace {

/// The words of one explanation: whole sentences, each about one fact of a chronicle.
class Teller {
    Q_DECLARE_TR_FUNCTIONS(Verdict)
public:
    /// The first sentence says what happened: Why leaves it out, What is that sentence alone.
    enum class Part : std::uint8_t { All, Why, What };
    Teller(const Violation& v, const Trace& trace, Part part, Nanos at)
        : m_v(v), m_trace(trace), m_part(part), m_at(at), m_length(countedTo(v, trace, at) - v.from) {}

    /// why() of a failover, the longest of the usual ones, with names and times of the usual length.
    static QString longestUsual() { return longestUsualFailover(withoutTokenToo()); }

    QString mutualExclusion() const {
        const EntityId owner = ownerAfter(m_v.row, m_v.lock, m_trace);
        const std::set<EntityId> holders = holdersAfter(m_v.row, m_v.lock, m_trace);
        auto loser = std::ranges::find_if(m_v.actors, [&](EntityId actor) { return !holders.contains(actor); });
        if (loser == m_v.actors.end())
            loser = std::ranges::find_if(m_v.actors, [&](EntityId actor) { return actor != owner; });
        const Chronicle c =
            chronicleOf(loser == m_v.actors.end() ? m_v.actors.front() : *loser, m_v.lock, m_v.row, m_v.to, m_trace);
        QString together = tooManyPermits();
        if (!together.isEmpty()) return together;
        const QString what = believedTogether();
        const Chronicle given = givenTo(m_v.actors, c, m_v.lock, m_v.row, m_trace);
        if (const auto story = failoverStoryOf(c, m_v.lock, m_v.row, m_trace))
            return paragraph({opening(what), failover(c, *story), end(given).lastHeir(),
                              isWhy() ? QString() : end(c).beliefAfterwards()});
        if (const auto story = formerMasterStoryOf(c.thread, m_v.lock, m_v.row, m_trace))
            return paragraph({opening(what), formerMaster(c.thread, *story), end(c).beliefAfterwards()});
        if (owner == trace::kNoEntity && !c.recordEnded && noneWasRecorded(m_v, m_trace))
            return paragraph({opening(what), tr("On the server none of them was seen to hold it.")});
        if (!c.recordEnded) return paragraph({opening(what), toldEngineText(c, m_v.row, m_length, m_trace)});
        return paragraph({opening(what), end(c).cause(), end(given).record(), end(c).belief()});
    }

    QString staleWrite() const {
        const EntityId writer = m_v.actors.front();
        const Chronicle c = chronicleOf(writer, m_v.lock, m_v.row, m_v.from, m_trace);
        QString what;
        if (m_v.actors.size() > 1)
            what = tr("%1 accepted a write of %2 at %3, when %4 was already held by %5.")
                       .arg(name(m_v.resource), actor(writer), at(m_v.from), name(m_v.lock), actor(m_v.actors[1]));
        else if (m_v.newerToken)
            what = tr("%1 accepted a write of %2 at %3 with an old token of %4.")
                       .arg(name(m_v.resource), actor(writer), at(m_v.from), name(m_v.lock));
        else
            what = tr("%1 accepted a write of %2 at %3, when %2 no longer held %4.")
                       .arg(name(m_v.resource), actor(writer), at(m_v.from), name(m_v.lock));
        QString lesson;
        if (m_v.newerToken)
            lesson =
                tr("It carried token %1 after token %2 had been accepted: a resource that checks tokens would have "
                   "refused it.")
                    .arg(QString::number(m_v.token), QString::number(m_v.newerToken));
        else if (m_v.token)
            lesson = tr("It carried token %1, and nothing newer had been written yet for the resource to compare with.")
                         .arg(m_v.token);
        else
            lesson = withoutToken();
        if (const auto story = failoverStoryOf(c, m_v.lock, m_v.row, m_trace))
            return isWhy() ? failoverSentence(c, *story, m_length, m_trace, m_v.token ? QString() : withoutTokenToo())
                           : paragraph({what, failover(c, *story), lesson});
        if (const auto story = formerMasterStoryOf(writer, m_v.lock, m_v.row, m_trace))
            return paragraph({opening(what), formerMaster(writer, *story), lesson});
        if (!c.recordEnded) {
            const auto newer = newerTokensMasterOf(m_v, m_trace);
            QString before = newer ? formerMaster(newer->first, newer->second) : QString();
            if (before.isEmpty()) before = newTokensLost(c);
            if (before.isEmpty()) before = toldEngineText(c, m_v.row, m_length, m_trace);
            return paragraph({opening(what), before, lesson});
        }
        const Chronicle heir = m_v.actors.size() > 1 ? inheritedBy(m_v.actors[1], c, m_v.lock, m_v.row, m_trace) : c;
        return paragraph({opening(what), end(c).cause(), end(heir).record(), knewOfLoss(c), lesson});
    }

    QString ownership() const {
        if (const QString race = lostRaceText(m_v, m_length, m_trace); !race.isEmpty()) return race;
        const EntityId doer = m_v.actors.front(), owner = m_v.actors.back();
        const trace::Event e = m_trace.at(std::min(m_v.row, m_trace.size() - 1));
        const bool wroteOver = e.kind == EventKind::RecordFreed &&
                               static_cast<FreedBy>(e.flags & trace::kFreedByMask) == FreedBy::Overwrite;
        // A client that writes over another's entry had none itself.
        const Chronicle c = chronicleOf(wroteOver ? owner : doer, m_v.lock, m_v.row, m_v.from, m_trace);
        QString what, how;
        if (e.kind == EventKind::RecordRenewed) {
            what = tr("%1 renewed %2 at %3, but it was %4 that held it.");
            how = tr("The renewal did not check whose lock it was.");
        } else if (wroteOver) {
            what = tr("%1 took %2 over at %3 although %4 still held it.");
            how = tr("The command wrote over the lock without checking whose it was.");
        } else {
            what = tr("%1 released %2 at %3, but it was %4 that held it.");
            how = tr("The release did not check whose lock it was.");
        }
        return paragraph({what.arg(actor(doer), name(m_v.lock), at(m_v.from), actor(owner)), end(c).cause(),
                          wroteOver ? QString() : end(inheritedBy(owner, c, m_v.lock, m_v.row, m_trace)).record(),
                          how});
    }

    QString progress() const {
        const Obstacle obstacle = obstacleTo(m_v, m_trace);
        const QString what =
            obstacle.ownerHung ? heldForNothing()
            : m_v.to == kNever
                ? tr("Nobody alive holds %1. A waiter (%2) should have got it by %3: %4 late so far.")
                      .arg(name(m_v.lock), actors(), at(m_v.from), length())
                : tr("Nobody alive held %1. A waiter (%2) should have got it by %4: it was %3 late, until %5.")
                      .arg(name(m_v.lock), actors(), length(), at(m_v.from), at(m_v.to));
        return paragraph({what, obstacleText(obstacle, m_v, m_length, m_trace)});
    }

    QString heldForNothing() const {
        return m_v.to == kNever ? tr("%1 is held by a client that does no work. A waiter (%2) should have got it by "
                                     "%3: %4 late so far.")
                                      .arg(name(m_v.lock), actors(), at(m_v.from), length())
                                : tr("%1 was held by a client that did no work. A waiter (%2) should have got it by "
                                     "%4: it was %3 late, until %5.")
                                      .arg(name(m_v.lock), actors(), length(), at(m_v.from), at(m_v.to));
    }

    QString reentrancy() const { return reentrancyText(m_v, m_length, m_trace); }

    QString fifo() const {
        const QString late = actor(m_v.actors.back()), early = actor(m_v.actors.front());
        return paragraph({tr("%1 got %2 at %3 although %4 had asked before it and was still waiting.")
                              .arg(early, name(m_v.lock), at(m_v.from), late),
                          m_v.to == kNever ? QString() : tr("%1 got it only at %2.").arg(late, at(m_v.to)),
                          tr("This lock promises to go in the order of its queue."),
                          lostPlaceText(m_v, m_length, m_trace)});
    }

    QString tokenOrder() const {
        const QString who = actor(m_v.actors.front()), token = QString::number(m_v.token),
                      before = QString::number(m_v.newerToken);
        const QString what =
            m_v.actors.size() > 1
                ? tr("%1 was granted %2 at %3 with token %4, although %5 had been given token %6 before.")
                      .arg(who, name(m_v.lock), at(m_v.from), token, actor(m_v.actors.back()), before)
                : tr("%1 was granted %2 at %3 with token %4, although it had been given token %5 before.")
                      .arg(who, name(m_v.lock), at(m_v.from), token, before);
        return paragraph({what, tokensLost(),
                          tr("A resource that checks tokens would refuse the new holder, or let an old one pass.")});
    }

    QString deadlock() const {
        QStringList sentences;
        const std::size_t count = m_v.actors.size();
        const auto wanted = [&](std::size_t i) { return name(i < m_v.wanted.size() ? m_v.wanted[i] : m_v.lock); };
        if (count == 1) {
            const QString who = actor(m_v.actors.front());
            sentences << tr("%1 waits for %2, which it holds itself: this lock does not count how often its holder "
                            "takes it.")
                             .arg(who, wanted(0));
            sentences << (m_v.to == kNever
                              ? tr("It has been stuck since %1, for %2 so far.").arg(at(m_v.from), length())
                              : tr("It was stuck for %1, from %2 to %3.").arg(length(), at(m_v.from), at(m_v.to)));
            return paragraph(sentences);
        }
        for (std::size_t i = 0; i < count; ++i)
            sentences << tr("%1 waits for %2, which %3 holds.")
                             .arg(actor(m_v.actors[i]), wanted(i), actor(m_v.actors[(i + 1) % count]));
        const QString stuck = count == 2 ? tr("Neither has been able to go on since %1, for %2 so far.")
                                         : tr("None of them has been able to go on since %1, for %2 so far.");
        const QString wasStuck = count == 2 ? tr("Neither could go on for %1, from %2 to %3.")
                                            : tr("None of them could go on for %1, from %2 to %3.");
        sentences << (m_v.to == kNever ? stuck.arg(at(m_v.from), length())
                                       : wasStuck.arg(length(), at(m_v.from), at(m_v.to)));
        // Only together the sentences on its locks say that it is one.
        return verdict::paragraph(m_part == Part::What ? sentences.mid(0, qsizetype(count)) : sentences);
    }

private:
    /// Why the server that gave an old token did not know of the newer one; empty: not known.
    QString tokensLost() const {
        const EntityId before = m_v.actors.back();
        const auto given = grantOfToken(before, m_v.newerToken);
        if (!given) return {};
        if (const auto story = formerMasterStoryOf(before, m_v.lock, *given, m_trace))
            return formerMaster(before, *story);
        if (const auto story = formerMasterStoryOf(m_v.actors.front(), m_v.lock, m_v.row, m_trace))
            return formerMaster(m_v.actors.front(), *story);
        const Chronicle c = chronicleOf(before, m_v.lock, *given, m_v.from, m_trace);
        if (const auto story = failoverStoryOf(c, m_v.lock, m_v.row, m_trace)) return failover(c, *story);
        if (QString lost = tokensLostText(*given, m_v, m_length, m_trace); !lost.isEmpty()) return lost;
        const Chronicle mine = chronicleOf(m_v.actors.front(), m_v.lock, m_v.row, m_v.from, m_trace);
        // Either of the two may have got it on the former engine, which went on counting.
        const bool formerGaveNewer = askedFormerEngine(c, m_v.row, m_trace);
        return toldEngineText(formerGaveNewer ? c : mine, m_v.row, m_length, m_trace);
    }
    /// As tokensLost(), of a writer that got its token from a server after a newer one had been given; empty: it did
    /// not.
    QString newTokensLost(const Chronicle& writer) const {
        const auto given = m_v.newerToken ? grantOfToken(trace::kNoEntity, m_v.newerToken) : std::nullopt;
        if (!given || !writer.granted || *writer.granted < Nanos(m_trace.timeAt(*given))) return {};
        return tokensLostText(*given, m_v, m_length, m_trace);
    }
    /// That a writer wrote on although it had been told of its loss.
    QString knewOfLoss(const Chronicle& writer) const {
        constexpr Nanos kOnItsWay = 100ms; // a write may have been sent before
        if (!writer.beliefEnded || *writer.beliefEnded + kOnItsWay > m_v.from ||
            writer.beliefEndedBy != EventKind::Lost)
            return {};
        return tr("%1 had learned of the loss at %2, and wrote all the same.")
            .arg(actor(writer.thread), at(*writer.beliefEnded));
    }
    /// The row at which the thread, or any (kNoEntity), got the lock with that token, before the violation.
    std::optional<std::size_t> grantOfToken(EntityId thread, std::int64_t token) const {
        const std::size_t end = std::min(m_v.row, m_trace.size());
        for (std::size_t row = end; row-- > trace::firstRowBefore(end);) {
            if (m_trace.kindAt(row) != EventKind::Granted) continue;
            const trace::Event e = m_trace.at(row);
            if ((thread == trace::kNoEntity || e.actor == thread) && e.subject == m_v.lock && e.value == token)
                return row;
        }
        return {};
    }
    /// The row at which the last actor joined: others may have gone before it came.
    std::size_t rowOfLast() const {
        for (std::size_t row = m_v.row; row < std::min(m_trace.upperBound(m_v.to), m_v.row + trace::kFarthest); ++row) {
            if (m_trace.kindAt(row) != EventKind::Granted) continue;
            const trace::Event e = m_trace.at(row);
            if (e.actor == m_v.actors.back() && e.subject == m_v.lock) return row;
        }
        return m_v.row;
    }
    QString believedTogether() const {
        const bool changed = believersAfter(m_v.actors, m_v.lock, rowOfLast(), m_trace).size() < m_v.actors.size();
        if (m_v.to == kNever)
            return (changed ? tr("Two or more of %1 have believed at the same time that they hold %2, since %3, for "
                                 "%4 so far.")
                            : tr("%1 have believed at the same time that they hold %2, since %3, for %4 so far."))
                .arg(actors(), name(m_v.lock), at(m_v.from), length());
        return (changed ? tr("Two or more of %1 believed at the same time that they held %2, for %3: from %4 to %5.")
                        : tr("%1 believed at the same time that they held %2, for %3: from %4 to %5."))
            .arg(actors(), name(m_v.lock), length(), at(m_v.from), at(m_v.to));
    }
    /// The explanation for a semaphore, which has no single holder.
    QString tooManyPermits() const {
        const std::size_t rows = std::min(m_v.row + 1, m_trace.size());
        std::int64_t capacity = 0;
        bool permits = false;
        for (std::size_t i = trace::firstRowBefore(rows); i < rows; ++i) {
            const EventKind kind = m_trace.kindAt(i);
            if (kind != EventKind::GrantedAs && kind != EventKind::LockCapacity) continue;
            const trace::Event e = m_trace.at(i);
            if (e.subject != m_v.lock) continue;
            permits |= e.kind == EventKind::GrantedAs && e.value == std::int64_t(trace::HoldMode::Permit);
            if (e.kind == EventKind::LockCapacity) capacity = e.value;
        }
        if (!permits || capacity == 0) return {};
        QString lost;
        for (std::size_t i = 0; i < m_v.actors.size() && lost.isEmpty(); ++i) {
            Chronicle c = chronicleOf(m_v.actors[i], m_v.lock, m_v.row, m_v.to, m_trace);
            // Nobody gave it back: it was over by the server's clock.
            if (c.freedBy == FreedBy::Release && c.freedByWhom == trace::kNoEntity) c.freedBy = FreedBy::Expiry;
            if (c.recordEnded && *c.recordEnded <= m_v.from && c.freedBy == FreedBy::Expiry)
                lost = paragraph({end(c).cause(), end(c).permit(), end(c).belief()});
            else if (c.recordEnded && *c.recordEnded <= m_v.from &&
                     (c.freedBy == FreedBy::NodeLoss || c.freedBy == FreedBy::Evicted) &&
                     !failoverStoryOf(c, m_v.lock, m_v.row, m_trace))
                lost = paragraph({permitLossText(c, m_v.lock, m_length, m_trace), end(c).beliefAfterwards()});
            else if (const auto story = failoverStoryOf(c, m_v.lock, m_v.row, m_trace))
                lost = isWhy() ? failover(c, *story) : paragraph({failover(c, *story), end(c).beliefAfterwards()});
        }
        if (isWhy() && !lost.isEmpty()) return lost;
        const QString all = QString::number(capacity);
        const QString what =
            m_v.to == kNever
                ? tr("%1 have believed at the same time that they hold more permits of %2 than the %3 that there "
                     "are, since %4.")
                      .arg(actors(), name(m_v.lock), all, at(m_v.from))
                : tr("%1 believed at the same time that they held more permits of %2 than the %3 that there are, "
                     "from %4 to %5.")
                      .arg(actors(), name(m_v.lock), all, at(m_v.from), at(m_v.to));
        return paragraph({what, lost});
    }
    Chronicle chronicleOf(EntityId thread, EntityId lock, std::size_t row, Nanos until, const Trace& trace) const {
        Chronicle c = verdict::chronicleOf(thread, lock, row, until, trace);
        c.forgetAfter(m_at);
        return c;
    }
    HoldEnd end(const Chronicle& c) const { return {c, m_v.lock, m_length, m_trace}; }
    QString failover(const Chronicle& c, const FailoverStory& story) const {
        return isWhy() ? failoverSentence(c, story, m_length, m_trace, {}) : failoverText(c, story, m_length, m_trace);
    }
    QString formerMaster(EntityId who, const FormerMasterStory& story) const {
        return formerMasterText(who, story, m_length, m_trace);
    }
    QString length() const { return lengthText(m_v.from, m_v.from + m_length); }
    static QString withoutToken() {
        return tr("Without a fencing token the resource cannot tell an old holder from a new one.");
    }
    static QString withoutTokenToo() {
        //: The end of a sentence.
        return tr("without a fencing token the resource cannot tell an old holder from a new one.");
    }
    QString at(Nanos t) const { return instantText(m_trace, t, m_length); }
    QString name(EntityId id) const { return m_trace.displayName(id); }
    QString actor(EntityId id) const { return actorText(id, m_trace); }
    QString actors() const { return actorsText(m_v.actors, m_trace); }

    bool isWhy() const { return m_part == Part::Why; }
    QString paragraph(const QStringList& sentences) const {
        return m_part == Part::What ? sentences.value(0) : verdict::paragraph(sentences);
    }
    QString opening(const QString& sentence) const { return isWhy() ? QString() : sentence; }

    const Violation& m_v;
    const Trace& m_trace;
    Part m_part;
    Nanos m_at; ///< nothing later is told
    Nanos m_length{};
};

/// The violation without the clients that came to it only after `at`: more than two may have joined, one by one.
Violation byThen(Violation violation, const Trace& trace, Nanos at) {
    if (violation.invariant != Invariant::MutualExclusion || violation.actors.size() < 3 || at >= trace.reached())
        return violation;
    const std::size_t row = trace.upperBound(std::max(at, violation.from));
    std::erase_if(violation.actors, [&](EntityId actor) {
        const Chronicle c = chronicleOf(actor, violation.lock, row, at, trace);
        const bool there = c.granted && (!c.beliefEnded || *c.beliefEnded >= violation.from);
        return !there || *c.granted > std::max(at, violation.from);
    });
    return violation;
}

QString told(const Violation& whole, const Trace& trace, Teller::Part part, Nanos at) {
    const Violation violation = byThen(whole, trace, at);
    if (trace.size() == 0 || violation.actors.empty()) return invariantMeaning(violation.invariant);
    const Teller teller(violation, trace, part, at);
    using Tell = QString (Teller::*)() const;
    static constexpr std::pair<Invariant, Tell> kTells[] = {{Invariant::MutualExclusion, &Teller::mutualExclusion},
                                                            {Invariant::StaleWrite, &Teller::staleWrite},
                                                            {Invariant::Ownership, &Teller::ownership},
                                                            {Invariant::Progress, &Teller::progress},
                                                            {Invariant::Reentrancy, &Teller::reentrancy},
                                                            {Invariant::Fifo, &Teller::fifo},
                                                            {Invariant::TokenOrder, &Teller::tokenOrder},
                                                            {Invariant::NoDeadlock, &Teller::deadlock}};
    const auto* const tell = std::ranges::find(kTells, violation.invariant, &std::pair<Invariant, Tell>::first);
    return tell == std::end(kTells) ? QString() : (teller.*tell->second)();
}

} // namespace

QString explain(const Violation& violation, const Trace& trace, Nanos at) {
    return told(violation, trace, Teller::Part::All, at);
}

QString explain(const Violation& violation, const Trace& trace) {
    return explain(violation, trace, kNever);
}

QString why(const Violation& violation, const Trace& trace, Nanos at) {
    const QString reason = told(violation, trace, Teller::Part::Why, at);
    return reason.isEmpty() ? explain(violation, trace, at) : reason;
}

QString whatHappened(const Violation& violation, const Trace& trace, Nanos at) {
    return told(violation, trace, Teller::Part::What, at);
}

QString longestUsualWhy() {
    return Teller::longestUsual();
}

} // namespace lockscope::verdict
