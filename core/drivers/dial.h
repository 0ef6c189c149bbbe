// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/diallers.h"

namespace lockscope {

/// What addresses lead to in the real world: the drivers of this room, over sockets. Their runtimes need a Qt event
/// loop.
const Diallers& realDiallers();

} // namespace lockscope
