// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

namespace lockscope::views {

/// The omissions of the simulated servers of a kind ("redis", "zookeeper", …), where it matters to somebody who
/// compares them with real ones: sentences, one a line. Empty: the kind is not simulated. Translated.
/// core/sim/SIMPLIFICATIONS.md has the whole list.
QString modelLimits(const QString& kind);

} // namespace lockscope::views
