// SPDX-License-Identifier: Apache-2.0
#include "sandbox/start_on_free_port.h"

#include "sandbox/workspace.h"

#include <QCoreApplication>

namespace lockscope::sandbox {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Sandbox)
};

constexpr int kPortTries = 5;

} // namespace

QCoro::Task<std::expected<void, QString>>
startOnFreePort(Runtime& runtime, std::uint16_t& port,
                const std::function<QCoro::Task<std::expected<void, QString>>()>& startOnPort) {
    if (port) co_return co_await startOnPort();
    std::expected<void, QString> started = std::unexpected(Text::tr("There is no free port on 127.0.0.1."));
    for (int tries = 0; tries < kPortTries; ++tries) {
        port = freePort(runtime).value_or(0);
        if (!port) break;
        started = co_await startOnPort();
        if (started) co_return started;
        port = 0;
    }
    co_return started;
}

} // namespace lockscope::sandbox
