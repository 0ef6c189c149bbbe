// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "theme/palette.h"
#include "trace/trace.h"

namespace lockscope::views {

/// The topic of an event, for filters and colours.
enum class EventGroup : std::uint8_t { Fault, Belief, Record, Effect, Step, Message };
inline constexpr int kEventGroups = 6;
EventGroup eventGroup(trace::EventKind kind);
/// "Faults and life", "Belief", …: translated.
QString eventGroupName(EventGroup group);

/// A kind in a word or two: "granted", "pauses". Translated.
QString eventWord(trace::EventKind kind);
/// The kind in a word or two, as exactly as the row tells it: a server that crashed was not "killed".
QString eventWord(const trace::Event& event);
/// The content of the kind's columns as text: "lease until 5.8 s, hold 1". Empty when there is none. Translated.
QString eventDetail(const trace::Event& event, const trace::Trace& trace);
/// True when aux is a Text.
bool hasText(trace::EventKind kind);
/// True for events that lose, refuse or damage something.
bool isBad(const trace::Event& event);
/// The colour of its mark.
Role eventRole(const trace::Event& event);
/// The drawing of its mark, as icon() takes it.
const char* eventIcon(const trace::Event& event);

} // namespace lockscope::views
