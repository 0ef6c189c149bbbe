// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/text.h"

namespace lockscope::inspect {
using trace::readable;
} // namespace lockscope::inspect
