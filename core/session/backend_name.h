// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace lockscope::session {

/// The product behind a URL of any scheme, or behind a recipe's backend: "Redis" for "rediss://host" and for "redis".
/// Empty: none that is known.
QString backendName(const QString& urlOrId);

} // namespace lockscope::session
