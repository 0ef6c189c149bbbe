// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/statement.h"
#include "ports/sql/named_key.h"

namespace lockscope::sql {

// The statements about a named lock. Precondition: not Dialect::Sqlite.

/// `wait` as in Session::takeNamed(). See namedTaken() for the answer.
Statement takeNamed(Dialect dialect, const NamedKey& key, Sharing sharing, Nanos wait);
/// Whether the lock was had; nullopt: the server gave up by itself, because somebody ended the request.
std::optional<bool> namedTaken(Dialect dialect, Nanos wait, const Reply& reply);
/// → 1: given back.
Statement releaseNamed(Dialect dialect, const NamedKey& key, Sharing sharing);
/// All that the connection has.
Statement releaseAllNamed(Dialect dialect);
/// → the connections that hold it; MySQL: NULL when there is none.
Statement namedHolders(Dialect dialect, const NamedKey& key);
/// PostgreSQL: ends those connections. → done, connection.
Statement endNamedHolders(const NamedKey& key);
/// PostgreSQL: the same for one session, if it holds the lock.
Statement endNamedHolder(const NamedKey& key, std::int64_t session);

} // namespace lockscope::sql
