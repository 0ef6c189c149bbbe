// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/record_details.h"
#include "trace/deadline.h"

#include <map>
#include <memory>

namespace lockscope::trace {
class Recorder;
}

namespace lockscope::inspect {

struct LateRenewal;

/// Facts, besides the row, about the cause of a record's state. Default: none, the record was only looked at.
struct Sight {
    /// The thread whose command changed the record; kNoEntity: nobody's did, or it is not known.
    trace::EntityId cause = trace::kNoEntity;
    /// How the hold that stood there before ended, where that was seen. Else it is concluded: from the deadline, and
    /// from the cause (who writes over a hold that nobody freed has overwritten it).
    std::optional<trace::FreedBy> freedBy = {};
    /// Where the world knows the deadline exactly: equal for as long as nobody moves it; kNever: there is none.
    /// Missing: one deadline is told from another by now + TTL, give or take `uncertainty`.
    std::optional<Nanos> exactDeadline = {};
    /// By how much now + TTL may be off, for instance because the answer was on its way. Missing: the feed's tolerance.
    std::optional<Nanos> uncertainty = {};
    /// Only the server's clock was moved: a deadline that is another one now is nobody's renewal.
    bool clockMoved = false;
    /// The cause wrote into an entry without becoming its owner, in a format that does not name the owner.
    bool ownerStays = false;
    /// Another server than the one that granted the lock keeps it since this look (RecordFailedOver, if it stays held).
    bool failedOver = false;
    /// The look before saw everything: a hold that is new in the row has begun since then (kSeenToBegin).
    bool sawAllBefore = false;
    /// Where there is no row: keys of the lock that are there all the same, such as a counter that outlives it.
    std::vector<RawKey> raw = {};
};

/// Writes the state of a server's locks into a trace, as the difference from the last rows: RecordHeld, RecordRenewed,
/// RecordDeadline, RecordFreed, RecordWaiters, RecordToken, RecordCertainty, late renewals. Used by the simulator,
/// which sees every change of every key, and by watchers of real servers, which see snapshots.
class TraceFeed {
public:
    using Resolver = PartyResolver;

    /// `node` becomes the parent of the Lock entities (kNoEntity: none). Deadlines are instants of the trace's time.
    /// One that was not seen exactly, and moves by no more than `tolerance`, is the same deadline: TTLs come in whole
    /// milliseconds, and over a network with some delay.
    TraceFeed(trace::Recorder& recorder, trace::EntityId node, Resolver resolver, Nanos tolerance = 2ms);

    /// From now on new locks are this server's copies of the locks of `logical`, which outlives this feed.
    void writeCopiesOf(TraceFeed& logical);

    /// The parent of the Lock entities.
    trace::EntityId node() const { return m_node; }

    /// The record of one lock now; no row = nothing of it is left on the server. A change of owner without a free lock
    /// in between is an overwrite when there is a cause; without one it is two changes between two looks. A renewal is
    /// told when somebody's command moved the deadline, or when, without a cause, the deadline is later than the
    /// uncertainty allows; any other move is a RecordDeadline. A row of which it is not known whether it is held: the
    /// record cannot be seen until the next row.
    void update(const QByteArray& lockName, const std::optional<LockRow>& row, const Sight& sight = {});
    /// As update(), for a caller that knows only the owner: leaves waiters, permits, content and certainty unchanged.
    /// Holders that the row does not name are gone.
    void updateOwner(const QByteArray& lockName, const std::optional<LockRow>& row, trace::EntityId cause);
    /// The row's one holder came or changed, in a shared mode; the other holders stay.
    void holderCame(const QByteArray& lockName, const LockRow& row);
    /// The named holder went; the other holders stay.
    void holderWent(const QByteArray& lockName, const Party& holder, trace::EntityId cause);
    /// When to call update() again although nothing has changed: a content was held back. kNever: none was.
    Nanos contentDue() const;
    /// Whether the content of this lock has changed since it was told: so often, or with so many others, that it waits.
    bool owesContent(const QByteArray& lockName) const;

    /// A renewal of this lock did not come. `now`: the present by the clock of `late`.
    void renewalLate(const LateRenewal& late, Nanos now);

    /// The server lost its data: every held lock is freed by that.
    void nodeLost();
    /// As nodeLost(), for one lock: the server has nothing of it any more.
    void lost(const QByteArray& lockName);

    /// The server shows this lock only while somebody waits for it, and nobody does any more: its record cannot be seen
    /// until it shows again, and a hold that is another one by then ended unseen.
    void noLongerShown(const QByteArray& lockName);
    /// The record can not be seen from here on (connection lost); of every lock known so far.
    void unobserved();
    /// The records can be seen again. Call before the first update.
    void observed();

    /// Whether somebody held it when it was told last.
    bool isHeld(const QByteArray& lockName) const;
    /// The Lock entity of a name; made when it is new.
    trace::EntityId lockEntity(const QByteArray& lockName);

private:
    struct Known {
        trace::EntityId lock = trace::kNoEntity;
        trace::EntityId owner = trace::kNoEntity;
        Party holder; ///< the party that `owner` stands for
        std::int64_t deadline = trace::kNeverEnds;
        std::optional<Nanos> exactDeadline;
        std::optional<EndsWithin> ends; ///< `deadline` as it was measured last
        Nanos leaseFrom{};              ///< when the lease was full: its grant or the last renewal
        std::uint32_t holds = 0;
        trace::HoldMode mode = trace::HoldMode::Exclusive;
        Certainty certainty = Certainty::Certain;
        std::int64_t waiters = -1;
        std::int64_t token = 0;
        RecordDetails details;
        bool hidden = false;        ///< LockRow::State::NotKnown, or:
        bool noLongerShown = false; ///< see there
    };
    /// A lock that is new gets the format as its entity's `other`, a Text, when it is known by then.
    Known& known(const QByteArray& lockName, const QByteArray& format);
    /// Writes whether this lock can be seen while others can, if that is new.
    void setHidden(Known& lock, bool hidden);
    void updateHolders(Known& lock, const std::optional<LockRow>& row, const Sight& sight);
    /// The holder that the owner's lane shows: the same as long as it holds, then one that has held with it.
    static Party shownHolder(const Known& lock, const LockRow& row);
    RecordDetails::Place placeOf(const Known& lock, const Sight& sight = {}) const;
    void free(Known& lock, trace::EntityId cause, trace::FreedBy why);
    /// `writer` holds it when the format does not say who.
    void hold(Known& lock, const Party& holder, const LockRow& row, trace::EntityId writer, const Sight& sight);
    /// Where the deadline went since it was last written, as far as the measurements can tell.
    EndMoved deadlineMoved(const Known& lock, const LockRow& row, std::int64_t deadline, const Sight& sight) const;
    Nanos toleranceOf(const Sight& sight) const;
    void tell(trace::EventKind kind, trace::EntityId actor, const Known& lock, std::int64_t value = 0,
              std::uint32_t aux = 0, std::uint8_t flags = 0);

    trace::Recorder& m_recorder;
    trace::EntityId m_node;
    Resolver m_resolver;
    TraceFeed* m_logical = nullptr; ///< whose locks it writes copies of
    ContentBudgets m_contents;
    std::shared_ptr<ContentTexts> m_texts = std::make_shared<ContentTexts>(); ///< copies share the lock's
    Nanos m_tolerance;
    bool m_observed = true;
    std::map<QByteArray, Known> m_locks;
};

} // namespace lockscope::inspect
