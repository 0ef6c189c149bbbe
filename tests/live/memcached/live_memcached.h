// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/memcached/driver.h"
#include "recipes/memcached/memcached_recipe.h"
#include "sandbox/memcached_server.h"
#include "support/live.h"

#include <QTcpServer>
#include <QTcpSocket>

namespace lockscope::test {

/// A client process of its own: connection and identity.
struct MemcachedClient {
    MemcachedClient(Runtime& runtime, const ConnectionUrl& url, memcached::DriverOptions options = {})
        : driver(runtime, url, options), uuid(runtime.randomUuid()) {}
    std::unique_ptr<recipes::Recipe> recipe(const QByteArray& name, const QByteArray& id = "memcached-lease") {
        return recipes::makeMemcachedRecipe(id, {driver, name, uuid});
    }
    memcached::MemcachedDriver driver;
    QByteArray uuid;
};

/// A server that answers each piece of bytes as the test says, after the greeting of each connection.
class FakeMemcached : public QObject {
public:
    using Script = std::function<void(QTcpSocket&, const QByteArray&)>;
    /// `greets`: it answers the greeting itself, as a memcached that wants no login, and tells no statistics.
    FakeMemcached(Runtime& runtime, Script script, bool greets = true) : m_script(std::move(script)) {
        for (int tries = 0; tries < 10 && !m_server.isListening(); ++tries)
            m_server.listen(QHostAddress::LocalHost, sandbox::freePort(runtime).value_or(0));
        connect(&m_server, &QTcpServer::newConnection, this, [this, greets] {
            QTcpSocket* socket = m_server.nextPendingConnection();
            ++connections;
            auto greeted = std::make_shared<bool>(!greets);
            connect(socket, &QTcpSocket::readyRead, this, [this, socket, greeted, greets] {
                QByteArray bytes = socket->readAll();
                if (!std::exchange(*greeted, true)) {
                    bytes.remove(0, bytes.indexOf('\n') + 1);
                    socket->write("END\r\n");
                }
                if (greets && bytes.startsWith("stats\r\n")) {
                    bytes.remove(0, bytes.indexOf('\n') + 1);
                    socket->write("END\r\n");
                }
                if (!bytes.isEmpty()) m_script(*socket, bytes);
            });
        });
    }
    QString url() const { return QStringLiteral("memcached://127.0.0.1:%1").arg(m_server.serverPort()); }
    int connections = 0;

private:
    QTcpServer m_server;
    Script m_script;
};

/// One that gives up sooner than the tests do.
inline memcached::DriverOptions impatient() {
    memcached::DriverOptions options;
    options.commandTimeout = 300ms;
    options.connectTimeout = 200ms;
    return options;
}

inline recipes::Request asked(Nanos wait, Nanos lease = 30s) {
    recipes::Request request;
    request.wait = wait;
    request.lease = lease;
    return request;
}

} // namespace lockscope::test
