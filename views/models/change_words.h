// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/trace.h"

namespace lockscope::views {

/// A SettingChanged row in words, if it says what was done: "evicted orders from redis-1", "emptied redis-1", "clock of
/// A gains 50 ms a second", "switched to redis-2". Empty: it is a setting of the whole run.
QString changeWords(const trace::Event& event, const trace::Trace& trace);

} // namespace lockscope::views
