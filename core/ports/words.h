// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <QString>

namespace lockscope {

/// A duration as text with its unit, for messages: "250 ms", "1.5 s", "30 s". Rounded up to whole milliseconds.
QString inWords(Nanos duration);

} // namespace lockscope
