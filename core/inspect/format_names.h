// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockscope::inspect {

// Formats that several parts of the program tell from others, as watchers name them.

/// MariaDB's and MySQL's locks that have a name only. The content of such a row is of that key.
inline constexpr char kNamedLockFormat[] = "get-lock";
/// PostgreSQL's advisory locks, of a session or of a transaction.
inline constexpr char kAdvisoryLockFormat[] = "pg-advisory";
/// MariaDB's and MySQL's LOCK TABLES, as far as somebody waits for them.
inline constexpr char kLockTablesFormat[] = "mariadb-lock-tables";
/// A scheduler of Quartz locks a row of its table QRTZ_LOCKS for as long as its transaction lasts.
inline constexpr char kQuartzFormat[] = "qrtz_locks";
/// Liquibase's table DATABASECHANGELOGLOCK.
inline constexpr char kLiquibaseFormat[] = "liquibase";

} // namespace lockscope::inspect
