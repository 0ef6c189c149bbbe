// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_reader.h"

namespace lockscope::inspect {

/// Calls `changed` at each keyspace notification, where somebody has switched these on: they are on or off for the
/// whole server, so that is not for a reader to do. Ends where they are off, where this user may not know or hear them,
/// and where there are so many that being told costs more than looking. Throws Cancelled.
QCoro::Task<> hearKeyEvents(redis::ReadingPort& client, KeyReader& reader, std::function<void()> changed,
                            std::stop_token stop);

} // namespace lockscope::inspect
