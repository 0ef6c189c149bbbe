// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/connection.h"

namespace lockscope {

/// A connection for a URL to real servers, not opened yet. `client`: identity on the servers; empty: a new one. The
/// runtime needs a Qt event loop.
std::unique_ptr<Connection> makeConnection(Runtime& runtime, ConnectionUrl url, QByteArray client = {});

} // namespace lockscope
