// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace lockscope::sql {

/// The kinds of databases that differ in statements, errors and locks. MySql: MariaDB, too.
enum class Dialect : std::uint8_t { MySql, PostgreSql, Sqlite };

} // namespace lockscope::sql
