// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/kept_by.h"
#include "timeline/layout.h"
#include "timeline/timeline_data.h"
#include "trace/deadline.h"

#include <QString>
#include <map>
#include <optional>

namespace lockscope::views {

// Everything that the timeline says in words: labels, tooltips and texts for screen readers. One place, so that all
// three agree.

/// Facts about the lanes that only a scenario knows.
struct TimelineNotes {
    QString recipe;                             ///< empty = not known
    std::optional<bool> tokenCheck;             ///< whether the resource refuses old tokens
    std::map<QString, QString> ownRecipes = {}; ///< of locks that have another recipe, by the lock's name
    friend bool operator==(const TimelineNotes&, const TimelineNotes&) = default;
};

/// A lease as the record has it.
struct Lease {
    std::int64_t from = 0, deadline = trace::kNeverEnds; ///< an instant, or one of trace/deadline.h
    trace::EntityId owner = trace::kNoEntity;
    bool lengthKnown = true; ///< false: it began before it was seen, so `from` is only when it was seen first
    bool expires() const { return deadline >= 0; }
    bool endKnown() const { return deadline != trace::kEndNotKnown; }
    /// Whether fraction() can be told: its end is known, and its length too where it has one.
    bool fractionKnown() const { return endKnown() && (lengthKnown || !expires()); }
    /// The remaining part of the lease at t, 0…1; 1 when it never expires. Without meaning unless fractionKnown().
    double fraction(std::int64_t t) const;
};
/// The lease of a span with RecordState::Held.
Lease leaseOf(const trace::Trace& trace, const Span& span);
/// The row by which the lease of such a span was full last: a grant or a renewal, which is earlier than the span's own
/// row where a clock was moved or another server leads since. nullopt: the trace does not have it.
std::optional<trace::Event> leaseRow(const trace::Trace& trace, const Span& span);

/// Whether a gap in a record begins where the server does not show the lock any more, because nobody waits for it.
bool endsShowing(const trace::Trace& trace, const Span& span);
/// The thing that keeps the lock of a record lane's span whose end is not known, by its format.
inspect::KeptBy keptBy(const trace::Trace& trace, const Lane& record, const Span& span);
/// Whether it is drawn so pale that words on it need the usual text colour: without a wedge, or as a guess.
inline bool isPale(const Span& span, const Lease& lease) {
    return !lease.fractionKnown() || span.flags & kGuessFlag;
}

QString sectionCaption(LaneKind kind, LanesAway away = {});
QString laneTitle(const TimelineData& data, const Lane& lane);
/// The title of a row, which may have several links: "B ↔ 6 others".
QString rowTitle(const TimelineData& data, const TimelineLayout::Row& row);
/// The title where no subtitle has room: a client has a lane for each of several locks, so "A · invoices".
QString laneShortTitle(const TimelineData& data, const Lane& lane);
/// At the playhead: of a copy whether it decides, of the rest it does not change.
QString laneSubtitle(const TimelineData& data, const Lane& lane, const TimelineNotes& notes, std::int64_t playhead);
/// How it stands on a lane at t, one phrase: "holds #33, believes without record", "held by A, 4.2 s left".
QString laneState(const TimelineData& data, const Lane& lane, std::int64_t t);

/// On a lease: "A · lease 5 s", of one that was not seen to begin "A · expires 7.2 s", or where that does not fit "A".
QStringList leaseWords(const trace::Trace& trace, const Span& span,
                       TimelineData::Never never = TimelineData::Never::Told);
/// On the lease under the playhead: "A · 4.2 s left", "4.2 s", "A".
QStringList leaseLeftWords(const trace::Trace& trace, const Span& span, std::int64_t t,
                           TimelineData::Never never = TimelineData::Never::Told);
/// Whether the number of holders says more than one's name, as it does for several and for permits.
bool saysHowMany(const HolderCount& count, unsigned mode);
/// … of those that the record of this lane names at that instant.
bool saysHowMany(const Lane& lane, std::int64_t t);
/// "2 readers", "3 of 5 permits": of a span of Lane::holders.
QString holdersWords(const Span& span);
/// "held 2×", "waits for itself": of a span of Lane::again.
QString againWords(const Span& span);
/// "refused: another kind of lock has this key": of a BeliefTick::Refused.
QString refusedWords(const trace::Trace& trace, const Tick& tick);
/// "A's release refused".
QString recordTickWords(const trace::Trace& trace, const Tick& tick);
// Servers, Sentinels and copies (words_servers.cpp). A list of wordings begins with the fullest.

/// On a span of Lane::spans of a node that is paused or down: "dead since 3.0 s", "dead".
QStringList phaseWords(const trace::Trace& trace, const Span& span);
/// On a span of Lane::roles: "replica of redis-1", "replica".
QStringList roleBandWords(const trace::Trace& trace, const Span& span);
/// "lag 1.3 s": of a label of Lane::lag.
QString lagWords(std::uint32_t label);
/// On a span of Lane::deciders: "redis-1 decides".
QStringList deciderWords(const trace::Trace& trace, const Span& span);
/// On a gap while nobody decides: "no master, 3.0 – 4.3 s".
QStringList noMasterWords(const trace::Trace& trace, Nanos from, Nanos to, Nanos now);
/// "died with the only copy of A's lock", "died; a copy was on its way", as far as the rows tell: of a
/// RecordTick::NodeLoss on the lane of a copy.
QString lostCopyWords(const TimelineData& data, const Lane& lane, const Tick& tick);
/// A mark on the lane of a copy: its server died, came back without it, or took over a newer history.
QString copyTickWords(const TimelineData& data, const Lane& lane, const Tick& tick);
/// Whether the server of a copy's lane starts at t.
bool hasJustStarted(const Lane& lane, std::int64_t t);
/// Whether the server of a copy's lane is down at t.
bool copyIsDead(const Lane& lane, std::int64_t t);
/// Whether a copy's server is known to be one of a group that replicates; others have data of their own.
bool replicates(const Lane& lane);
/// "dead", "decides", "a copy": what a server's copy is at t.
QString copyState(const TimelineData& data, const Lane& lane, std::int64_t t);
/// A server's life, role and lag at t: "replica of redis-1, 200 ms behind".
QString nodeState(const TimelineData& data, const Lane& lane, std::int64_t t);
/// "A ↔ redis-1", or "A → redis-1" where only what A sends is lost: of a LinkCut row.
QString cutLinkName(const trace::Trace& trace, const trace::Event& event);
// Clocks (paint_clock.cpp).

/// How far the clock of a clock's lane is off at t, in ns.
std::int64_t clockOffsetAt(const Lane& lane, std::int64_t t);
/// "+180 ms", "−10 s", "true".
QString clockOffsetWords(std::int64_t offset);
/// "the clock of redis-3 is 180 ms ahead", "the clock of A is right, gains 50 ms a second".
QString clockState(const TimelineData& data, const Lane& lane, std::int64_t t);
/// "connected", "suspended", "expired", "given up by the client".
QString sessionPhaseWords(trace::SessionPhase phase);
/// "the session of A is suspended", "A has no session yet".
QString sessionState(const TimelineData& data, const Lane& lane, std::int64_t t);
/// How the Sentinels stand at t: "2 of 3 run".
QString watchersState(const Lane& lane, std::int64_t t);
/// "2 of 3 agree at 4.1 s: down", "3 votes for sentinel-2": what is written at a WatcherTick; empty: nothing.
QString watcherWords(const Lane& lane, const trace::Trace& trace, const Tick& tick);
/// A whole sentence about it: "4.100 s: sentinel-1 thinks that redis-1 is down".
QString watcherSentence(const trace::Trace& trace, const Tick& tick);

/// All digits of a number, or as shortNumber() has it.
enum class Digits : std::uint8_t { All, Last };
/// The token that a label of a hold or a write stands for.
QString numberText(const TimelineData& data, std::uint32_t label, Digits digits = Digits::All);
/// "holds #33" by the label of a hold; "holds" without a token.
QString holdsWords(const TimelineData& data, std::uint32_t label, Digits digits = Digits::All);
/// "damage: #33 after #34"; without a token "damage: no longer held".
QString damageWords(const Damage& damage, Digits digits = Digits::All);

/// Sentences for tooltips.
QString spanSentence(const TimelineData& data, const Lane& lane, const Span& span);
/// A span of Lane::again as a sentence.
QString againSentence(const TimelineData& data, const Lane& lane, const Span& again);
QString tickSentence(const TimelineData& data, const Lane& lane, const Tick& tick);
/// Says that the lane's client was paused or dead.
QString lifeSentence(const TimelineData& data, const Lane& lane, const Span& life);
QString faultSentence(const trace::Trace& trace, const Tick& tick);
/// A fault in two words, for its mark on the time axis: "killed redis-1" (fault_chips.cpp).
QString faultLabel(const trace::Trace& trace, const Tick& tick);

} // namespace lockscope::views
