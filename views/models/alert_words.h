// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/alert_rule.h"
#include "theme/widgets.h"

namespace lockscope::views {

/// Two or three words: "renewal late".
QString alertWord(inspect::AlertRule::Kind kind);
/// The condition that a rule watches for, as a line of a list: "A holder renews late, by more than".
QString alertQuestion(inspect::AlertRule::Kind kind);
Pill::Tone alertTone(inspect::AlertSeverity severity);
/// The text colour of that tone.
Role alertRole(inspect::AlertSeverity severity);
/// The name of its icon: another shape for each severity.
const char* alertIcon(inspect::AlertSeverity severity);
/// "critical", "warning", "note".
QString severityWord(inspect::AlertSeverity severity);

} // namespace lockscope::views
