// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/diallers.h"

namespace lockscope {

/// The diallers of the real world: addresses lead to the drivers of this room, over sockets. Their runtimes need a Qt
/// event loop.
const Diallers& realDiallers();

} // namespace lockscope
