// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>

namespace lockscope::inspect {

/// The library that takes its advisory lock by this key, for people: "Flyway", "Rails migrations"; empty: none is
/// known. `key`: as the server lists it. `database`: the name of the database that is watched; Rails makes its key of
/// it.
QByteArray libraryOfKey(const QByteArray& key, const QByteArray& database);

/// The name of an advisory lock in rows: its key, and the library where that is known: "77431708279170 (Flyway)".
QByteArray advisoryLockName(const QByteArray& key, const QByteArray& database);

} // namespace lockscope::inspect
