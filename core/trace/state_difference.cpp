// SPDX-License-Identifier: Apache-2.0
#include "trace/state_difference.h"

#include "trace/client_name.h"
#include "trace/connection.h"
#include "trace/member_events.h"
#include "trace/reason_words.h"
#include "trace/seen_restart.h"
#include "trace/server_told.h"
#include "trace/text.h"
#include "trace/time_text.h"
#include "trace/trace_time.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <set>

namespace lockscope::trace {

namespace {

using Kind = Change::Kind;
using Life = ClientState::Life;

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Difference)
};

constexpr Nanos kShortestGap = 1ms;    ///< a shorter one is no gap: another server answered between two looks
constexpr Nanos kLongestSilence = 60s; ///< before a server is told to be out of sight
constexpr Nanos kSameEnd = 500ms;      ///< a lease whose end moved by less is the same one, measured anew

/// The rest of a lease at an instant, ns; kNeverEnds, kEndNotKnown as they are.
std::int64_t leftAt(const Record& record, Nanos at) {
    return record.deadline < 0 ? record.deadline : std::max<std::int64_t>(record.deadline - at.count(), 0);
}

/// The fencing token of a record; -1: none has been seen so far.
std::int64_t knownToken(const Record& record) {
    return record.token == 0 ? -1 : record.token;
}

class Comparison {
public:
    Comparison(const Trace& trace, Nanos from, Nanos to) : m_trace(trace), m_from(from), m_to(to) {}

    void compareLock(EntityId lock, const Record& was, const Record& is) {
        if (is.copyOf != kNoEntity || m_trace.copyOf(lock) != kNoEntity) return;
        const bool outOfSight = !is.observed && !is.noLongerShown;
        if (is.seen && was.observed && !is.observed) {
            Change& change = add(Kind::Unseen, lock);
            change.first = is.owner;
            change.before = othersThan(is);
            change.after = is.noLongerShown;
        }
        if (was.seen && !was.observed && is.observed) {
            Change& change = add(Kind::SeenAgain, lock);
            change.first = was.owner;
            change.second = is.owner;
            tellOthers(change, was, is);
        } else if (!outOfSight) { // else nobody knows who holds it now
            compareHolder(lock, was, is);
        }
        // Where the whole server was out of sight, that is said once.
        const bool stillUnseen = !was.observed && !is.observed && !was.noLongerShown;
        if (stillUnseen && !m_blind.contains(m_trace.entity(lock).parent)) add(Kind::StillUnseen, lock);
        if (was.waiters != is.waiters &&
            std::max<std::int64_t>(was.waiters, 0) != std::max<std::int64_t>(is.waiters, 0))
            add(Kind::Waiters, lock).before = was.waiters, m_changes.back().after = is.waiters;
        if (was.token != is.token) {
            Change& change = add(Kind::Token, lock);
            change.before = knownToken(was);
            change.after = knownToken(is);
        }
    }

    /// Holds that go on on another server, which may know less than the one that granted them. Call it after the locks.
    void compareFailovers(const State& later) {
        const std::size_t end = m_trace.upperBound(m_to);
        std::map<EntityId, std::int64_t> last;
        for (std::size_t row = m_trace.upperBound(m_from); row < end; ++row) {
            if (m_trace.kindAt(row) != EventKind::RecordFailedOver) continue;
            const Event event = m_trace.at(row);
            const auto record = later.records.find(event.subject);
            const bool lasts = record != later.records.end() && record->second.owner == event.actor;
            if (lasts && m_trace.copyOf(event.subject) == kNoEntity && event.at >= record->second.since)
                last[event.subject] = event.at;
        }
        for (const auto& [lock, at] : last) {
            Change& change = add(Kind::FailedOver, lock);
            change.first = change.second = later.records.at(lock).owner;
            change.before = at;
        }
    }

    template <typename Party> // ClientState, NodeState
    void compareLife(Kind kind, EntityId who, const Party& was, const Party& is) {
        if (was.life == is.life || was.life == Life::Unknown) return;
        Change& change = add(kind, who);
        change.before = std::int64_t(was.life);
        change.after = std::int64_t(is.life);
    }

    void compareRole(EntityId node, const NodeState& was, const NodeState& is) {
        if (was.role == is.role || is.role == kNoEntity) return;
        Change& change = add(Kind::ServerRole, node);
        change.first = was.role;
        change.second = is.role;
    }

    /// Tells for how long, of the time in between, the watched servers were out of sight. Call it first.
    void compareSight(const State& earlier) {
        struct Gap {
            std::int64_t since;
            EntityId why;
            bool notYet; ///< nobody has looked so far
        };
        std::map<EntityId, Gap> open;
        const std::int64_t from = m_from.count(), to = m_to.count();
        const auto isServer = [&](EntityId node) { // a group of servers, or the only one
            return m_trace.entity(node).kind == EntityKind::Node && m_trace.entity(node).other == kNoEntity &&
                   connectionOf(m_trace, node) != kNoEntity;
        };
        for (EntityId id = 1; id < m_trace.entityCount(); ++id) {
            if (!isServer(id)) continue;
            const auto then = earlier.nodes.find(id);
            if (then != earlier.nodes.end() && then->second.unseenSince >= 0)
                open.emplace(id, Gap{from, then->second.unseenWhy, false});
            else if (then == earlier.nodes.end() || then->second.life == Life::Unknown)
                open.emplace(id, Gap{from, kNoEntity, true});
            if (open.contains(id)) m_unseenAtFirst.insert(id);
        }
        const auto close = [&](EntityId node, const Gap& gap, std::int64_t until, std::uint32_t end) {
            if (until - gap.since < kShortestGap.count()) {
                if (gap.why != kNoEntity) tellEvent(node, gap.why, gap.since);
                return;
            }
            Change& change = add(Kind::NotSeen, node);
            change.first = gap.why;
            change.before = gap.since;
            change.after = until;
            change.count = (gap.since == from ? Change::kAtTheBeginning : 0u) | end;
            if (change.count == (Change::kAtTheBeginning | Change::kAtTheEnd)) m_blind.insert(node);
        };
        const std::size_t end = m_trace.upperBound(m_to);
        for (std::size_t row = m_trace.upperBound(m_from); row < end; ++row) {
            const EventKind kind = m_trace.kindAt(row);
            const bool lost = kind == EventKind::ConnectionLost, starts = kind == EventKind::NodeStarted;
            if (!lost && !starts && kind != EventKind::ConnectionRestored && kind != EventKind::NodeKilled) continue;
            const Event event = m_trace.at(row);
            if (kind == EventKind::NodeKilled) {
                if (isSeenRestart(event)) tellEvent(event.actor, kNoEntity, event.at);
                continue;
            }
            const EntityId node = starts ? event.actor : event.subject;
            const auto gap = open.find(node);
            if (lost && isServer(node) && !earlier.clients.contains(event.actor)) {
                // Its silence begins with the question that was not answered, some time before that is told.
                if (gap == open.end())
                    open.emplace(node, Gap{std::max(event.at - event.value, from), event.aux, false});
                else if (gap->second.notYet)
                    gap->second.why = event.aux, gap->second.notYet = false;
            } else if (!lost && gap != open.end() && (!starts || gap->second.notYet)) {
                close(node, gap->second, event.at, 0);
                open.erase(gap);
            }
        }
        // A silence that had begun by then, and is told later.
        for (std::size_t row = end; row < m_trace.size() && m_trace.timeAt(row) < to + kLongestSilence.count(); ++row) {
            if (m_trace.kindAt(row) != EventKind::ConnectionLost) continue;
            const Event event = m_trace.at(row);
            if (!isServer(event.subject) || earlier.clients.contains(event.actor)) continue;
            const std::int64_t since = std::max(event.at - event.value, from);
            if (to - since >= kShortestGap.count()) open.emplace(event.subject, Gap{since, event.aux, false});
        }
        for (const auto& [node, gap] : open)
            close(node, gap, to, Change::kAtTheEnd);
    }

    /// The news of an ensemble's members that still stand at the later instant: each member's last ones, and who leads.
    void compareMembers() {
        struct News {
            bool awayAtFirst = false; ///< as the first of them tells
            Event last;
        };
        std::map<std::pair<EntityId, QByteArray>, News> members; // by the ensemble, and the address
        std::map<EntityId, Event> leaders;
        const std::size_t end = m_trace.upperBound(m_to);
        for (std::size_t row = m_trace.upperBound(m_from); row < end; ++row) {
            if (m_trace.kindAt(row) != EventKind::ServerTold) continue;
            const Event event = m_trace.at(row);
            const QByteArray& text = m_trace.entity(event.aux).name;
            if (namesItsServer(text)) tellEvent(event.actor, event.aux, event.at);
            if (toldValue(text, kMemberLeads)) leaders[event.actor] = event;
            const auto away = toldValue(text, kMemberAway), back = toldValue(text, kMemberBack);
            if (!away && !back) continue;
            const auto key = std::pair(event.actor, away ? *away : *back);
            members.try_emplace(key, News{back.has_value(), event}).first->second.last = event;
        }
        for (const auto& [member, news] : members)
            if (toldValue(m_trace.entity(news.last.aux).name, kMemberAway).has_value() != news.awayAtFirst)
                tellEvent(news.last.actor, news.last.aux, news.last.at);
        for (const auto& [ensemble, event] : leaders)
            tellEvent(ensemble, event.aux, event.at);
    }

    std::vector<Change> take() {
        leaveOutNameless(m_changes, m_trace);
        std::ranges::stable_sort(m_changes, {}, [](const Change& c) { return std::pair(c.kind, c.subject); });
        return std::move(m_changes);
    }

private:
    /// A server was another one, or had other content, at the second of two looks.
    void tellEvent(EntityId node, EntityId what, std::int64_t at) {
        Change& change = add(Kind::ServerEvent, node);
        change.first = what;
        change.before = at;
    }

    Change& add(Kind kind, EntityId subject) {
        Change change;
        change.kind = kind;
        change.subject = subject;
        m_changes.push_back(change);
        return m_changes.back();
    }

    /// Whether several hold a lock then or later, one of them at both instants; tells if they are not all the same.
    bool compareHolders(EntityId lock, const Record& was, const Record& is) {
        if (was.holderCount() < 2 && is.holderCount() < 2) return false;
        const std::vector<Holder> before = was.allHolders(), after = is.allHolders();
        // An owner may get a row as one of several only when a second one comes.
        const bool ownerStays = was.owner == is.owner && was.since == is.since;
        const auto stays = [&](const Holder& holder) {
            const auto then = std::ranges::find(before, holder.thread, &Holder::thread);
            if (then == before.end()) return false;
            return then->since == holder.since || (ownerStays && holder.thread == is.owner);
        };
        const auto staying = std::size_t(std::ranges::count_if(after, stays));
        if (staying == 0) return false;
        if (staying == before.size() && staying == after.size() && was.holderCount() == is.holderCount()) return true;
        Change& change = add(Kind::Holders, lock);
        change.before = was.holderCount();
        change.after = is.holderCount();
        return true;
    }

    /// Beside `first` and `second`, where several hold.
    static void tellOthers(Change& change, const Record& was, const Record& is) {
        change.before = othersThan(was);
        change.after = othersThan(is);
    }

    static std::int64_t othersThan(const Record& record) { return std::max<std::int64_t>(record.holderCount() - 1, 0); }

    /// Whether nobody held a lock at first of which no row had told by then: its first hold was seen to begin later.
    bool wasFree(EntityId lock) const {
        if (m_unseenAtFirst.contains(m_trace.entity(lock).parent)) return false;
        const std::size_t end = m_trace.upperBound(m_to);
        for (std::size_t row = m_trace.upperBound(m_from); row < end; ++row)
            if (m_trace.kindAt(row) == EventKind::RecordHeld && m_trace.at(row).subject == lock)
                return (m_trace.at(row).flags & kSeenToBegin) != 0;
        return false;
    }

    void compareHolder(EntityId lock, const Record& was, const Record& is) {
        if (compareHolders(lock, was, is)) return;
        const std::uint32_t grants = is.grants - std::min(was.grants, is.grants);
        if (was.owner != is.owner) {
            const Kind kind = was.owner == kNoEntity  ? Kind::Taken
                              : is.owner == kNoEntity ? Kind::Freed
                                                      : Kind::HandedOver;
            Change& change = add(kind, lock);
            change.first = was.owner;
            change.second = is.owner;
            change.count = grants;
            tellOthers(change, was, is);
            if (kind == Kind::Taken && !was.seen && !wasFree(lock)) change.before = -1;
            return;
        }
        if (is.owner == kNoEntity) return;
        if (was.since != is.since) {
            Change& change = add(Kind::Retaken, lock);
            change.first = change.second = is.owner;
            change.count = grants;
            return;
        }
        if (was.holds != is.holds) {
            Change& change = add(Kind::Holds, lock);
            change.first = change.second = is.owner;
            change.before = was.holds;
            change.after = is.holds;
        }
        const bool moved = was.deadline < 0 || is.deadline < 0
                               ? was.deadline != is.deadline
                               : std::abs(was.deadline - is.deadline) > kSameEnd.count();
        if (!moved) return;
        Change& change = add(Kind::Lease, lock);
        change.first = change.second = is.owner;
        change.before = leftAt(was, m_from);
        change.after = leftAt(is, m_to);
    }

    const Trace& m_trace;
    Nanos m_from, m_to;
    std::vector<Change> m_changes;
    std::set<EntityId> m_blind;         ///< servers that were out of sight all the time
    std::set<EntityId> m_unseenAtFirst; ///< … at the earlier instant
};

QString nameOf(const Trace& trace, EntityId id) {
    const QString name = readable(trace.displayName(id).toUtf8());
    return name.isEmpty() ? unnamedClient() : name;
}

/// A holder, with the number of those that hold beside it.
QString holderText(const Trace& trace, EntityId holder, std::int64_t others) {
    const QString name = nameOf(trace, holder);
    return others <= 0 ? name : Text::tr("%1 and %n other(s)", nullptr, int(others)).arg(name);
}

/// A server that was out of sight, as sentences.
QString notSeenText(const Change& change, const Trace& trace, const QString& server) {
    const QString from = instantText(trace, Nanos(change.before)), to = instantText(trace, Nanos(change.after));
    const bool begins = (change.count & Change::kAtTheBeginning) != 0, ends = (change.count & Change::kAtTheEnd) != 0;
    QString text;
    if (begins && ends)
        text = Text::tr("%1 was not seen from %2 to %3: what changed there is not known.").arg(server, from, to);
    else if (begins)
        text = Text::tr("%1 was not seen from %2 to %3: what it held at first is not known.").arg(server, from, to);
    else if (ends)
        text = Text::tr("%1 was not seen from %2 to %3: what it holds at last is not known.").arg(server, from, to);
    else
        text =
            Text::tr("%1 was not seen from %2 to %3: what came and went meanwhile is not known.").arg(server, from, to);
    if (change.first == kNoEntity) return text;
    //: Follows a sentence. %1 says why a server was not seen.
    const QString why = reasonWords(readable(trace.entity(change.first).name));
    return text + QLatin1Char(' ') + Text::tr("Why: %1").arg(why);
}

QString lifeText(std::int64_t life) {
    switch (Life(life)) {
    case Life::Running:
        return Text::tr("running");
    case Life::Paused:
        return Text::tr("paused");
    case Life::Dead:
        return Text::tr("not running");
    case Life::Unknown:
        break;
    }
    return Text::tr("not known");
}

QString countText(std::int64_t count) {
    return count < 0 ? Text::tr("not known") : QString::number(count);
}

QString leftText(std::int64_t left) {
    if (left == kNeverEnds) return Text::tr("no end");
    return left < 0 ? Text::tr("not known") : durationText(Nanos(left));
}

} // namespace

const char* changeName(Kind kind) {
    constexpr const char* kNames[] = {"not-seen",     "server-event", "failed-over", "handed-over", "taken",
                                      "freed",        "retaken",      "holders",     "unseen",      "seen-again",
                                      "still-unseen", "waiters",      "lease",       "holds",       "token",
                                      "server",       "server-role",  "client"};
    return kNames[std::size_t(kind)];
}

std::vector<Change> differences(const Trace& trace, const State& earlier, Nanos from, const State& later, Nanos to) {
    Q_ASSERT(from <= to);
    static const Record kNothing;
    Comparison comparison(trace, from, to);
    comparison.compareSight(earlier);
    comparison.compareMembers();
    for (const auto& [lock, is] : later.records) {
        const auto was = earlier.records.find(lock);
        comparison.compareLock(lock, was == earlier.records.end() ? kNothing : was->second, is);
    }
    comparison.compareFailovers(later);
    for (const auto& [node, is] : later.nodes) {
        const auto was = earlier.nodes.find(node);
        if (was == earlier.nodes.end()) continue;
        comparison.compareLife(Kind::ServerLife, node, was->second, is);
        comparison.compareRole(node, was->second, is);
    }
    for (const auto& [client, is] : later.clients)
        if (const auto was = earlier.clients.find(client); was != earlier.clients.end())
            comparison.compareLife(Kind::ClientLife, client, was->second, is);
    return comparison.take();
}

std::size_t changesSeen(const std::vector<Change>& changes) {
    return std::size_t(std::ranges::count_if(changes, [](const Change& change) {
        return change.kind != Kind::NotSeen && change.kind != Kind::StillUnseen;
    }));
}

bool endsUnseen(const std::vector<Change>& changes) {
    return std::ranges::any_of(changes, [](const Change& change) {
        return change.kind == Kind::StillUnseen || (change.kind == Kind::NotSeen && change.count != 0);
    });
}

QString sentenceOf(const Change& change, const Trace& trace) {
    const QString subject = nameOf(trace, change.subject);
    const bool hands = change.kind == Kind::HandedOver || change.kind == Kind::Taken || change.kind == Kind::Freed ||
                       change.kind == Kind::SeenAgain || change.kind == Kind::Unseen;
    const QString first = holderText(trace, change.first, hands ? change.before : 0);
    const QString second = holderText(trace, change.second, hands ? change.after : 0);
    const QString heldText = change.first == kNoEntity ? Text::tr("nobody held it") : Text::tr("%1 held it").arg(first);
    switch (change.kind) {
    case Kind::NotSeen:
        return notSeenText(change, trace, subject);
    case Kind::ServerEvent:
        //: "At 10:02:31, redis-1: failed over: another server answers, …"
        return Text::tr("At %1, %2: %3.")
            .arg(instantText(trace, Nanos(change.before)), subject,
                 change.first == kNoEntity ? Text::tr("restarted")
                                           : reasonWords(readable(trace.entity(change.first).name)));
    case Kind::FailedOver:
        return Text::tr("“%1”, held by %2, went on to another server at %3: the hold may exist twice.")
            .arg(subject, second, instantText(trace, Nanos(change.before)));
    case Kind::HandedOver: {
        QString text = Text::tr("“%1” went from %2 to %3.").arg(subject, first, second);
        if (change.count < 2) return text;
        return text + QLatin1Char(' ') + Text::tr("It was taken %n time(s) in between.", nullptr, int(change.count));
    }
    case Kind::Taken:
        return change.before < 0 ? Text::tr("“%1” is held by %2; nothing was known of it before.").arg(subject, second)
                                 : Text::tr("“%1” was free, and %2 holds it.").arg(subject, second);
    case Kind::Freed:
        return Text::tr("“%1” was held by %2, and is free.").arg(subject, first);
    case Kind::Retaken:
        return Text::tr("“%1” is held by %2 again, who let it go in between.").arg(subject, second);
    case Kind::Holders:
        return change.before == change.after
                   ? Text::tr("“%1” has other holders than before beside those that stay.").arg(subject)
                   : Text::tr("Holders of “%1”: %2, then %3.").arg(subject).arg(change.before).arg(change.after);
    case Kind::Unseen:
        if (change.after != 0)
            return Text::tr("“%1” shows no longer, as nobody waits for it: it may be held still.").arg(subject);
        //: %2 is a clause such as "nobody held it" and "A held it".
        return Text::tr("“%1” cannot be seen any more: when it was last seen %2.").arg(subject, heldText);
    case Kind::SeenAgain: {
        const QString is = change.second == kNoEntity ? Text::tr("it is free") : Text::tr("%1 holds it").arg(second);
        //: %2 and %3 are clauses such as "nobody held it" and "A holds it".
        return Text::tr("“%1” can be seen again: when it was last seen %2; now %3.").arg(subject, heldText, is);
    }
    case Kind::StillUnseen:
        return Text::tr("“%1” could be seen neither then nor later.").arg(subject);
    case Kind::Waiters:
        return Text::tr("Waiters for “%1”: %2, then %3.")
            .arg(subject, countText(change.before), countText(change.after));
    case Kind::Lease:
        return Text::tr("The lease of “%1”, held by %2, had %3 left, and has %4.")
            .arg(subject, second, leftText(change.before), leftText(change.after));
    case Kind::Holds:
        return Text::tr("%1 held “%2” %3 times over, and holds it %4 times.")
            .arg(second, subject)
            .arg(change.before)
            .arg(change.after);
    case Kind::Token:
        if (change.before < 0)
            return Text::tr("The fencing token of “%1” is %2; none was known before.").arg(subject).arg(change.after);
        return Text::tr("The fencing token of “%1” went from %2 to %3.")
            .arg(subject)
            .arg(change.before)
            .arg(change.after);
    case Kind::ServerLife:
        return Text::tr("Server %1: %2, then %3.").arg(subject, lifeText(change.before), lifeText(change.after));
    case Kind::ServerRole:
        return Text::tr("Server %1: %2, then %3.")
            .arg(subject, change.first == kNoEntity ? Text::tr("not known") : nameOf(trace, change.first), second);
    case Kind::ClientLife:
        return Text::tr("Client %1: %2, then %3.").arg(subject, lifeText(change.before), lifeText(change.after));
    }
    Q_UNREACHABLE();
}

} // namespace lockscope::trace
