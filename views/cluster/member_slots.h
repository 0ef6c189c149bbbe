// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"

namespace lockscope::views {

/// The slots that the members of a watched Redis Cluster have, at any time, by the rows of a trace.
class MemberSlots {
public:
    /// Reads the rows that are new.
    void grow(const trace::Trace& trace);
    /// Begins with another trace.
    void forget();
    /// "0-5460 5462"; empty: it has none, or nobody has told.
    QByteArray of(trace::EntityId node, Nanos t, const trace::Trace& trace) const;

private:
    struct Told {
        Nanos at{};
        trace::EntityId text = trace::kNoEntity; ///< a ServerTold's
    };
    std::map<trace::EntityId, std::vector<Told>> m_told; ///< by node, the earliest first
    std::size_t m_rows = 0;
};

/// Whether the observer of a watched group cannot see this member of it, or nobody of the group counts it in.
bool isAway(const ViewContext& context, trace::EntityId node);
/// "does not answer", "out of service", of a member that is away. Translated.
QString awayWords(const ViewContext& context, trace::EntityId node);
/// … in a sentence: why that is known; empty: nobody has told. Translated.
QString awayReason(const ViewContext& context, trace::EntityId node);
/// "in step", "2.05 kB behind", of a replica that has not confirmed so many bytes of its master's changes. Translated.
QString behindWords(std::int64_t unconfirmed);

} // namespace lockscope::views
