// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "session/session.h"

namespace lockscope::bench {

/// Whether a live session has looked at every key of its servers: as long as it has not, its health says how far it is.
inline bool lookedAtAll(const session::Session& session) {
    const session::Health health = session.health();
    return health.level == session::Health::Level::Good && !health.text.contains(QStringLiteral("looked at")) &&
           !health.text.contains(QStringLiteral("looking through"));
}

} // namespace lockscope::bench
