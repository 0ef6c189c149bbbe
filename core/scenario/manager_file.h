// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/fields.h"

namespace lockscope::scenario {

/// Reads the lock manager of a document's second version; call it when servers and locks were read. Complains of
/// servers that there are not, and of locks that a manager cannot keep.
void readManager(const Fields& top, Scenario& scenario);

/// The manager as a file writes it.
QJsonObject managerObject(const ManagerSpec& manager);

} // namespace lockscope::scenario
