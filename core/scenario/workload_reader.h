// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/fields.h"

namespace lockscope::scenario {

/// The parts that the second version of files says in its own way: services, several locks, programs and the clients
/// that run them. `top` is a document that the schema of that version accepts.
void readParts(const Fields& top, Scenario& scenario);

/// One service, as both versions write it.
ServiceSpec readService(const Fields& fields);

} // namespace lockscope::scenario
