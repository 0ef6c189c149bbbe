// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "scenario/scenario.h"

namespace lockscope::views {

/// A fault in a few words: "Pause A", "Cut A ↔ redis-1", "Lease = 3s". Translated.
QString faultText(const scenario::Fault& fault);
/// A condition as part of a sentence: "when B gets the lock, time no. 2", "when 1 s of the lease is left". Translated.
QString triggerText(const scenario::Trigger& when);
/// A fault with its duration and its condition: "Pause A for 3 s, when B gets the lock". Translated.
QString deedText(const scenario::Fault& fault);
/// A client as scenarios name it, in words: "A", "the holder", "the longest waiter", "any client" if empty. Translated.
QString partyText(const QString& client);

} // namespace lockscope::views
