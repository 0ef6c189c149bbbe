// SPDX-License-Identifier: Apache-2.0
#include "sandbox/memcached_server.h"

#include "runtime/completion.h"

#include <QCoreApplication>
#include <QNetworkProxy>
#include <QTcpSocket>
#include <unistd.h>

namespace lockscope::sandbox {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Sandbox)
};

constexpr auto kStartLimit = 10s;
constexpr auto kProbeLimit = 1s;
constexpr auto kBetweenProbes = 5ms;

} // namespace

MemcachedServer::MemcachedServer(Runtime& runtime, MemcachedServerOptions options)
    : m_runtime(runtime), m_options(std::move(options)), m_port(m_options.port) {
}

QCoro::Task<std::expected<void, QString>> MemcachedServer::start(std::stop_token stop) {
    if (!m_port) m_port = freePort(m_runtime).value_or(0);
    QStringList arguments{QStringLiteral("-l"), QStringLiteral("127.0.0.1"),
                          QStringLiteral("-p"), QString::number(m_port),
                          QStringLiteral("-U"), QStringLiteral("0"),
                          QStringLiteral("-t"), QStringLiteral("2"),
                          QStringLiteral("-m"), QString::number(m_options.megabytes)};
    if (::geteuid() == 0) arguments << QStringLiteral("-u") << QStringLiteral("nobody"); // it does not run as root
    arguments << m_options.extra;
    if (!m_process.start(QStringLiteral("memcached"), arguments, QStringLiteral("/")))
        co_return std::unexpected(
            Text::tr("memcached can not be run: %1. Is it installed?").arg(m_process.lastOutput()));
    const Nanos end = m_runtime.monotonic() + kStartLimit;
    while (m_process.running() && m_runtime.monotonic() < end) {
        const bool ready = co_await answers(stop);
        if (ready && m_process.running()) co_return std::expected<void, QString>();
        co_await m_runtime.sleep(kBetweenProbes, stop);
    }
    const QString said = m_process.lastOutput();
    m_process.kill();
    co_return std::unexpected(
        Text::tr("memcached did not come up on port %1. It said: %2").arg(QString::number(m_port), said));
}

QCoro::Task<bool> MemcachedServer::answers(std::stop_token stop) {
    const Completion<bool> answered;
    QTcpSocket socket;
    socket.setProxy(QNetworkProxy::NoProxy);
    QObject::connect(&socket, &QTcpSocket::errorOccurred, &socket, [answered] { answered.complete(false); });
    QObject::connect(&socket, &QTcpSocket::readyRead, &socket,
                     [answered, &socket] { answered.complete(socket.readAll().startsWith("VERSION ")); });
    QObject::connect(&socket, &QTcpSocket::connected, &socket, [&socket] { socket.write("version\r\n"); });
    socket.connectToHost(QStringLiteral("127.0.0.1"), m_port);
    const std::optional<bool> answer = co_await answered.wait(m_runtime, kProbeLimit, std::move(stop));
    socket.disconnect();
    co_return answer.value_or(false);
}

QCoro::Task<> MemcachedServer::stop(std::stop_token stop) {
    if (!m_process.running()) co_return;
    const Completion<bool> ended;
    const auto connection =
        QObject::connect(&m_process, &ProcessSupervisor::exited, &m_process, [ended] { ended.complete(true); });
    m_process.terminate();
    const std::optional<bool> gone = co_await ended.wait(m_runtime, 5s, stop);
    if (!gone) {
        m_process.kill();
        co_await ended.wait(m_runtime, 5s, stop);
    }
    QObject::disconnect(connection);
}

} // namespace lockscope::sandbox
