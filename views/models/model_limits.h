// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace lockscope::views {

/// The omissions of the simulated servers of a kind ("redis", "zookeeper", …), where it matters to somebody who
/// compares them with real ones: sentences, one a line. Empty: the kind is not simulated. Translated.
QString modelLimits(const QString& kind);

/// The whole list for that kind, as Markdown: each behaviour of the real servers that its model leaves out or has
/// differently, with the number of the behaviour. From core/sim/SIMPLIFICATIONS.md, or from the file beside it in the
/// language of the interface. Empty: the kind is not simulated.
QString modelLimitsInFull(const QString& kind);

} // namespace lockscope::views
