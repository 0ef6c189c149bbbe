// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/member_slots.h"

#include "theme/format.h"
#include "trace/member.h"
#include "trace/reason_words.h"
#include "trace/server_told.h"
#include "trace/text.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::views {

using trace::EntityId;
using trace::EventKind;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Cluster)
};

} // namespace

void MemberSlots::grow(const trace::Trace& trace) {
    const std::size_t size = trace.size();
    for (; m_rows < size; ++m_rows) {
        if (trace.kindAt(m_rows) != EventKind::ServerTold) continue;
        const trace::Event e = trace.at(m_rows);
        if (trace::toldValue(trace.entity(e.aux).name, trace::kHasSlots)) m_told[e.actor].push_back({e.time(), e.aux});
    }
}

void MemberSlots::forget() {
    *this = {};
}

QByteArray MemberSlots::of(EntityId node, Nanos t, const trace::Trace& trace) const {
    const auto told = m_told.find(node);
    if (told == m_told.end()) return {};
    const auto after = std::ranges::upper_bound(told->second, t, {}, &Told::at);
    if (after == told->second.begin()) return {};
    return trace::toldValue(trace.entity(std::prev(after)->text).name, trace::kHasSlots).value_or(QByteArray());
}

bool isAway(const ViewContext& context, EntityId node) {
    const auto its = context.state().nodes.find(node);
    if (its == context.state().nodes.end() || !trace::isMember(*context.trace(), node)) return false;
    return its->second.role != trace::kNoEntity && its->second.unseenSince >= 0; // servers without roles keep copies
}

namespace {

QByteArray whyAway(const ViewContext& context, EntityId node) {
    const auto its = context.state().nodes.find(node);
    return its == context.state().nodes.end() ? QByteArray() : context.trace()->entity(its->second.unseenWhy).name;
}

} // namespace

QString awayWords(const ViewContext& context, EntityId node) {
    //: A server of a group that is neither a master with slots now nor a connected replica.
    return whyAway(context, node) == trace::kOutOfService ? Words::tr("out of service") : Words::tr("does not answer");
}

QString awayReason(const ViewContext& context, EntityId node) {
    return trace::reasonWords(trace::readable(whyAway(context, node)));
}

QString behindWords(std::int64_t unconfirmed) {
    //: Of a replica: it has confirmed all of its master's changes.
    if (unconfirmed == 0) return Words::tr("in step");
    //: Of a replica: how much of its master's changes it has not confirmed.
    return Words::tr("%1 behind").arg(bytes(double(unconfirmed)));
}

} // namespace lockscope::views
