// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/wait_for.h"

#include <QStringList>

namespace lockscope::views {

/// One sentence a circle: "A waits for stock, which B holds; B waits for orders, which A holds."
QStringList cycleSentences(const trace::WaitGraph& graph, const trace::Trace& trace);

/// Which hold of a circle to end, and at what price; empty without a circle. The one that frees most waits.
QString wayOut(const trace::WaitGraph& graph, const trace::Trace& trace);

/// The whole picture for those who cannot see it: the circles, then one sentence a lock, `most` locks at most.
QString waitsInWords(const trace::WaitGraph& graph, const trace::Trace& trace, int most);

} // namespace lockscope::views
