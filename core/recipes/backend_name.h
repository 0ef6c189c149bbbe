// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace lockscope::recipes {

/// The product behind a URL of any scheme, a recipe's backend or a scenario's database dialect: "Redis" for
/// "rediss://host" and for "redis", "MariaDB" for "mariadb". Empty: not known, as for the backend "sql", which is
/// several.
QString backendName(const QString& urlOrId);

} // namespace lockscope::recipes
