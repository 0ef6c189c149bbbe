// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

namespace lockscope {

/// The length from one instant to another as a reader computes it from their texts, which are rounded down: 2.7 s from
/// 9.344 s to 12.0 s, as the beginning reads 9.3 s. Precondition: to is not kNever.
Nanos reckonedLength(Nanos from, Nanos to);

} // namespace lockscope
