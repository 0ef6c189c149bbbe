// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/trace.h"

#include <QString>

namespace lockscope::views {

/// The event of a lock behind a row of a watched server's record, as the command line tells it.
enum class LockNews : std::uint8_t {
    None, ///< the row tells of something else, or nobody's server was watched
    Found,
    Taken,
    HandedOver,
    Joined,
    Left,
    Renewed,
    Reentered,
    HeldLess,
    DeadlineMoved,
    Released,
    Expired,
    Forced,
    Overwritten,
    Lost,
    FailedOver,
    NoLongerShown,
    EndedUnseen,
};
inline constexpr int kLockNews = int(LockNews::EndedUnseen) + 1;

struct LockTale {
    LockNews what = LockNews::None;
    trace::EntityId who = trace::kNoEntity;  ///< Thread whose hold it is about
    trace::EntityId from = trace::kNoEntity; ///< HandedOver: the Thread that held it before
};

/// A few rows before this one are read. `row`: its number in the trace.
LockTale lockTale(const trace::Event& event, std::size_t row, const trace::Trace& trace);
/// As lockTale(), in constant time, for filters: Renewed also stands for Reentered and HeldLess, Taken for Found.
LockNews roughNews(const trace::Event& event, std::size_t row, const trace::Trace& trace);
/// "taken", "handed over", …: translated; empty for None.
QString lockNewsWord(LockNews news);
/// Whether a filter's text is in a word that roughNews() may stand for.
bool isInRoughWord(LockNews news, const QString& text);

} // namespace lockscope::views
