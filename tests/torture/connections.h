// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "journal.h"

#include <chrono>

namespace lockscope::torture {

/// From now on every TCP connection that this process makes, by whatever library, is written down with its port, before
/// anything is said on it: servers name those who ask by that. `journal` lives as long as the process.
void noteConnections(JournalWriter& journal, std::chrono::steady_clock::time_point origin);

} // namespace lockscope::torture
