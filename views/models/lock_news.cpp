// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/lock_news.h"

#include "trace/connection.h"
#include "trace/event.h"

#include <QCoreApplication>

namespace lockscope::views {

using trace::EntityId;
using trace::Event;
using trace::EventKind;
using trace::FreedBy;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(LockNews)
};

/// Rows further back are not looked at: a table asks for each row that it paints.
constexpr std::size_t kReach = 20'000;

LockNews endOf(std::uint8_t flags) {
    switch (FreedBy(flags & trace::kFreedByMask)) {
    case FreedBy::Release:
        return LockNews::Released;
    case FreedBy::Expiry:
        return LockNews::Expired;
    case FreedBy::Force:
        return LockNews::Forced;
    case FreedBy::Overwrite:
        return LockNews::Overwritten;
    case FreedBy::NodeLoss:
    case FreedBy::Evicted:
        return LockNews::Lost;
    case FreedBy::Unseen:
        return LockNews::EndedUnseen;
    }
    return LockNews::None;
}

/// The holder until the very instant of this RecordHeld: the lock was free at no look in between.
EntityId holderUntil(const Event& event, std::size_t row, const trace::Trace& trace) {
    while (row-- > 0) {
        const Event before = trace.at(row);
        if (before.at != event.at) break;
        if (before.subject == event.subject && before.kind == EventKind::RecordFreed) return EntityId(before.aux);
    }
    return trace::kNoEntity;
}

/// The last row before this one that tells of the same lock's hold.
std::optional<Event> holdBefore(const Event& event, std::size_t row, const trace::Trace& trace) {
    for (const std::size_t end = row > kReach ? row - kReach : 0; row-- > end;) {
        const EventKind kind = trace.kindAt(row);
        if (kind != EventKind::RecordHeld && kind != EventKind::RecordRenewed && kind != EventKind::RecordFreed)
            continue;
        if (const Event before = trace.at(row); before.subject == event.subject) return before;
    }
    return std::nullopt;
}

LockNews renewalOf(const Event& event, std::size_t row, const trace::Trace& trace) {
    const auto before = holdBefore(event, row, trace);
    if (!before || before->kind == EventKind::RecordFreed || before->aux == event.aux) return LockNews::Renewed;
    return before->aux < event.aux ? LockNews::Reentered : LockNews::HeldLess;
}

} // namespace

LockNews roughNews(const Event& event, std::size_t row, const trace::Trace& trace) {
    if (!trace::isRecord(event.kind) || !trace.ofRealServers() ||
        trace::connectionOf(trace, event.subject) == trace::kNoEntity)
        return LockNews::None;
    switch (event.kind) {
    case EventKind::RecordHeld: {
        const EntityId before = holderUntil(event, row, trace);
        return before != trace::kNoEntity && before != event.actor ? LockNews::HandedOver : LockNews::Taken;
    }
    case EventKind::RecordRenewed:
        return LockNews::Renewed;
    case EventKind::RecordDeadline:
        return LockNews::DeadlineMoved;
    case EventKind::RecordHolder:
        return LockNews::Joined;
    case EventKind::RecordHolderGone:
        return LockNews::Left;
    case EventKind::RecordFreed:
        return endOf(event.flags);
    case EventKind::RecordFailedOver:
        return LockNews::FailedOver;
    case EventKind::RecordUnobserved:
        return event.flags & trace::kNoLongerShown ? LockNews::NoLongerShown : LockNews::None;
    default:
        return LockNews::None;
    }
}

LockTale lockTale(const Event& event, std::size_t row, const trace::Trace& trace) {
    LockTale tale{.what = roughNews(event, row, trace), .who = event.actor};
    switch (tale.what) {
    case LockNews::HandedOver:
        tale.from = holderUntil(event, row, trace);
        break;
    case LockNews::Taken:
        if (!(event.flags & trace::kSeenToBegin) && !holdBefore(event, row, trace)) tale.what = LockNews::Found;
        break;
    case LockNews::Renewed:
        tale.what = renewalOf(event, row, trace);
        break;
    case LockNews::Left:
    case LockNews::Released:
    case LockNews::Expired:
    case LockNews::Forced:
    case LockNews::Overwritten:
    case LockNews::Lost:
    case LockNews::EndedUnseen:
        tale.who = EntityId(event.aux);
        break;
    default:
        break;
    }
    return tale;
}

QString lockNewsWord(LockNews news) {
    switch (news) {
    case LockNews::None:
        break;
    case LockNews::Found:
        //: Of a lock on a watched server, as all of these: it was held already at the first look.
        return Words::tr("found held");
    case LockNews::Taken:
        return Words::tr("taken");
    case LockNews::HandedOver:
        return Words::tr("handed over");
    case LockNews::Joined:
        return Words::tr("held by one more");
    case LockNews::Left:
        return Words::tr("one holder left");
    case LockNews::Renewed:
        return Words::tr("renewed");
    case LockNews::Reentered:
        return Words::tr("re-entered");
    case LockNews::HeldLess:
        return Words::tr("held once less");
    case LockNews::DeadlineMoved:
        return Words::tr("deadline moved");
    case LockNews::Released:
        return Words::tr("released");
    case LockNews::Expired:
        return Words::tr("expired");
    case LockNews::Forced:
        return Words::tr("freed by force");
    case LockNews::Overwritten:
        return Words::tr("overwritten");
    case LockNews::Lost:
        return Words::tr("lost with its server");
    case LockNews::FailedOver:
        return Words::tr("failed over while held");
    case LockNews::NoLongerShown:
        //: A lock that its server shows only while somebody waits for it, and nobody does any more.
        return Words::tr("no longer seen");
    case LockNews::EndedUnseen:
        return Words::tr("ended unseen");
    }
    return {};
}

bool isInRoughWord(LockNews news, const QString& text) {
    const auto has = [&text](LockNews one) { return lockNewsWord(one).contains(text, Qt::CaseInsensitive); };
    if (news == LockNews::Taken) return has(LockNews::Taken) || has(LockNews::Found);
    if (news != LockNews::Renewed) return has(news);
    return has(LockNews::Renewed) || has(LockNews::Reentered) || has(LockNews::HeldLess);
}

} // namespace lockscope::views
