// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"
#include "inspect/seen_content.h"
#include "trace/time.h"

#include <algorithm>
#include <functional>
#include <map>

namespace lockscope::trace {
class Recorder;
}

namespace lockscope::inspect {

/// The Thread entity of a party; asked for each new holder and waiter. A party without a client stands for a holder
/// whose name the format does not keep.
using PartyResolver = std::function<trace::EntityId(const Party&)>;

/// How many contents may be written: `burst` at once, and one for each `interval` that passes. In whole nanoseconds, so
/// that simulations are the same on every machine.
class ContentBudget {
public:
    ContentBudget(int burst, Nanos interval) : m_most(burst * interval), m_interval(interval), m_credit(m_most) {}
    /// Whether one may be written now; `now` never goes back.
    bool allows(Nanos now) {
        m_credit = std::min(m_most, m_credit + (now - m_at));
        m_at = now;
        return m_credit >= m_interval;
    }
    /// One was written. Precondition: allows().
    void take() { m_credit -= m_interval; }
    /// When the next one may be. Precondition: allows() was asked at `now`, and refused.
    Nanos next(Nanos now) const { return now + (m_interval - m_credit); }

private:
    Nanos m_most, m_interval, m_credit;
    Nanos m_at{};
};

/// The budgets of all locks of a feed together. A first look finds many locks at once, each with a content that is
/// written once; a busy server changes contents for ever. Each content is a name of the trace for good.
struct ContentBudgets {
    ContentBudget first{2000, 2ms}, changed{2000, 50ms};
};

/// Writes the details of one lock's record besides its owner, as the difference from the last rows: several holders,
/// the queue, permits, format, and the content on the server.
class RecordDetails {
public:
    /// Where to write.
    struct Place {
        trace::Recorder& recorder;
        trace::EntityId lock;
        const PartyResolver& resolver;
        Nanos tolerance; ///< see TraceFeed
    };
    /// Why holders that are not there any more went, where that was seen; else it is concluded from their leases.
    struct Going {
        trace::EntityId cause = trace::kNoEntity;
        std::optional<trace::FreedBy> freedBy = {};
    };

    /// The first of the holders written so far that is among these, too: it goes on holding.
    const Party* firstThatStays(const std::vector<Party>& holders) const;
    /// RecordHolderGone for holders written so far that are not in the row. Not for `except`: a RecordFreed follows,
    /// which ends it; call forgetHolders() then.
    void tellGone(const Place& place, const std::vector<Party>& holders, trace::EntityId except, const Going& going);
    void forgetHolders();
    /// RecordHolder for holders that came or changed, where there may be several. `clockMoved`: deadlines are compared
    /// as instants of the trace.
    void tellHolders(const Place& place, const LockRow& row, bool clockMoved);
    /// As tellHolders(), for one that came or changed beside the others.
    void tellHolder(const Place& place, const Party& holder, bool clockMoved = false);
    /// Takes one holder out and tells it. False: none of that name was written.
    bool tellGone(const Place& place, const Party& holder, const Going& going);

    enum class Since : std::uint8_t { Holds, Waits };
    /// RecordSince, where the party's entry tells since when, in a trace of real time. `thread` was told before.
    void tellSince(const Place& place, trace::EntityId thread, const Party& party, Since what);

    void tellQueue(const Place& place, const LockRow* row);
    void tellPermits(const Place& place, const LockRow* row);
    void tellFormat(const Place& place, const QByteArray& format);
    /// The format stands in the Lock entity.
    void setFormat(const QByteArray& format) { m_format = format; }
    /// Writes the content found at the place, within the budgets of the lock and of all locks of a feed.
    void tellContent(const Place& place, const std::vector<RawKey>& keys, ContentBudgets& ofAll, ContentTexts& texts);
    /// When a content that was held back may be written; kNever: none was.
    Nanos contentDue() const { return m_contentDue; }

    /// A holder or waiter that was written.
    struct Told {
        Party party;
        trace::EntityId thread = trace::kNoEntity;
        std::int64_t deadline = 0;
    };
    const std::vector<Told>& holders() const { return m_holders; }

private:
    void tellGoneHolder(const Place& place, const Told& told, const Going& going);

    std::vector<Told> m_holders;
    std::int64_t m_holdersInAll = -1;
    std::vector<Told> m_queue;
    std::map<std::pair<Since, trace::EntityId>, std::int64_t> m_since; ///< told, in ms since 1970
    std::int64_t m_permitsFree = -1, m_permitsInAll = 0;
    QByteArray m_format;
    std::vector<RawKey> m_content;
    std::optional<Nanos> m_contentAt; ///< when it was seen; missing: none was written
    ContentBudget m_budget{4, 500ms};
    Nanos m_contentDue = kNever;
};

} // namespace lockscope::inspect
