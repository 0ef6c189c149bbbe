// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "client/connect.h"
#include "live_redis.h"

namespace lockscope::test {

/// A connection for a URL, opened; a null one is a failed test.
inline std::unique_ptr<Connection> connectionTo(Runtime& runtime, const QString& url) {
    auto connection = makeConnection(runtime, parseConnectionUrl(url).value());
    const auto opened = run(connection->open());
    if (!opened) {
        qWarning("%s", qPrintable(opened.error().message));
        connection.reset();
    }
    return connection;
}

} // namespace lockscope::test
