// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/time.h"

class QKeyEvent;

namespace lockscope::views {

/// The element of `count` that a key chooses on an editor's axis of time: Down and Page Down the next one, behind the
/// last one the first; Up and Page Up the one before. `current` -1: none is chosen yet. Precondition: there is one.
int chosenByKey(const QKeyEvent& event, int current, int count);
/// How far Left or Right move what is chosen there: by kAxisSnap, with Shift by 1 s.
Nanos movedByKey(const QKeyEvent& event);

} // namespace lockscope::views
