// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"
#include "witness.h"

namespace lockscope::torture {

/// Makes the database write down whose its locks become: see sql_audit.h.
std::unique_ptr<Witness> makeAuditWitness(Runtime& runtime, const ConnectionUrl& url);
/// Reads a MariaDB's general log, which the server was told to write to that file.
std::unique_ptr<Witness> makeLogWitness(QString file);
/// Asks a PostgreSQL how many sessions somebody has ended: before each of its deaths, in which it forgets, and at the
/// end.
std::unique_ptr<Witness> makeSessionWitness(Runtime& runtime, const ConnectionUrl& url, Nanos ahead);

} // namespace lockscope::torture
