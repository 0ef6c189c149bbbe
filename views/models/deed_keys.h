// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "scenario/scenario.h"

#include <QKeyEvent>
#include <optional>

namespace lockscope::views {

/// The effect of a key on a fault done by hand: Alt with Left or Right lets it strike a tenth of a second earlier or
/// later, Alt with Up or Down lets it last that much longer or shorter, if it lasts at all; with Shift it is a second.
/// nullopt: the key does nothing to it. Precondition: the fault has a time.
std::optional<scenario::Fault> changedByKey(const scenario::Fault& deed, const QKeyEvent& key);
/// Whether it is a key that takes a fault back: Delete or Backspace.
bool takesBack(const QKeyEvent& key);

} // namespace lockscope::views
