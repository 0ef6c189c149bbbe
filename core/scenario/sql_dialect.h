// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/service_spec.h"

namespace lockscope::scenario {

/// Makes a database of that dialect, with what is usual there: PostgreSQL lets clients wait for a row's lock without
/// end, unless they ask for one.
inline void setDialect(ServiceSpec& service, ServiceSpec::Dialect dialect) {
    service.dialect = dialect;
    if (dialect == ServiceSpec::Dialect::PostgreSql) service.lockWait = Nanos(0);
}

} // namespace lockscope::scenario
