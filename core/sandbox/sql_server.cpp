// SPDX-License-Identifier: Apache-2.0
#include "sandbox/sql_server.h"

#include "runtime/completion.h"
#include "sandbox/file_text.h"
#include "sandbox/start_on_free_port.h"

namespace lockscope::sandbox {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Sandbox)
};

constexpr auto kStartLimit = 30s;
constexpr auto kBetweenLooks = 10ms;

} // namespace

SqlServer::SqlServer(Runtime& runtime, SqlServerOptions options) : m_runtime(runtime), m_options(std::move(options)) {
}

SqlServer::~SqlServer() = default;

QCoro::Task<std::expected<void, QString>> SqlServer::start(std::stop_token stop) {
    if (!m_workspace.valid()) co_return std::unexpected(Text::tr("No private directory can be made for the server."));
    if (m_options.tls && m_authority.ca.isEmpty()) {
        auto authority = co_await TlsAuthority::make(m_runtime, m_workspace, QStringLiteral("own-"), stop);
        if (!authority) co_return std::unexpected(authority.error());
        m_authority = *authority;
    }
    if (!m_made) {
        const auto made = co_await makeData(stop);
        if (!made) co_return std::unexpected(made.error());
        m_made = true;
    }
    const std::function here = [this, stop] { return startOnPort(stop); };
    co_return co_await startOnFreePort(m_runtime, m_port, here);
}

QCoro::Task<std::expected<void, QString>> SqlServer::startOnPort(std::stop_token stop) {
    if (!run())
        co_return std::unexpected(Text::tr("The database server can not be run: %1. Is the package %2 installed?")
                                      .arg(m_process.lastOutput(), package()));
    const Nanos end = m_runtime.monotonic() + kStartLimit;
    while (m_process.running() && m_runtime.monotonic() < end) {
        if (m_process.lastOutput().contains(readySign())) co_return std::expected<void, QString>();
        co_await m_runtime.sleep(kBetweenLooks, stop);
    }
    const QString said = m_process.lastOutput();
    kill();
    co_return std::unexpected(
        Text::tr("The database server did not come up on port %1. It said: %2").arg(QString::number(m_port), said));
}

QCoro::Task<> SqlServer::stop(std::stop_token stop) {
    if (!m_process.running()) co_return;
    const Completion<bool> ended;
    const auto connection =
        QObject::connect(&m_process, &ProcessSupervisor::exited, &m_process, [ended] { ended.complete(true); });
    resume();
    askToEnd();
    const std::optional<bool> gone = co_await ended.wait(m_runtime, 15s, stop);
    if (!gone) {
        kill();
        co_await ended.wait(m_runtime, 5s, stop);
    }
    QObject::disconnect(connection);
}

QString SqlServer::url() const {
    QString text =
        QStringLiteral("%1://%2:%3@127.0.0.1:%4/%5")
            .arg(scheme(), encoded(m_options.user), encoded(m_options.password), QString::number(m_port), database());
    if (m_options.tls) text += QStringLiteral("?tls=on&ca=") + encoded(m_authority.ca);
    return text;
}

} // namespace lockscope::sandbox
