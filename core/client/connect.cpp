// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"

#include "drivers/dial.h"

namespace lockscope {

std::unique_ptr<Connection> makeConnection(Runtime& runtime, ConnectionUrl url, QByteArray client) {
    return makeConnectionOver(runtime, realDiallers(), std::move(url), std::move(client));
}

} // namespace lockscope
