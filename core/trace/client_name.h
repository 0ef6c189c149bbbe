// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

namespace lockscope::trace {

/// A word for a client that has no name: a server may tell that a lock is held, and not by whom. Translated.
QString unnamedClient();
/// The name of a client for people, or of one of its threads: "A"; "A · 2" for a thread that is not its client's first;
/// unnamedClient() where it has none.
QString clientName(const Trace& trace, EntityId id);

} // namespace lockscope::trace
