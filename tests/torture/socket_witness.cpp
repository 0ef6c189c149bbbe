// SPDX-License-Identifier: Apache-2.0
#include "socket_witness.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QTcpSocket>

namespace lockscope::torture {

namespace {

/// A server that tells all it does to a socket, once it was asked to.
class Listener {
public:
    Listener(const Endpoint& node, const QByteArray& question, QByteArray yes) : m_node(node), m_yes(std::move(yes)) {
        QObject::connect(&m_socket, &QTcpSocket::connected, &m_socket, [this, question] { m_socket.write(question); });
        QObject::connect(&m_socket, &QTcpSocket::readyRead, &m_socket, [this] { m_said += m_socket.readAll(); });
        QObject::connect(&m_socket, &QTcpSocket::disconnected, &m_socket, [this] { m_gap = true; });
    }
    Started begin(Runtime& runtime) {
        m_socket.connectToHost(m_node.host, m_node.port);
        const Nanos until = runtime.monotonic() + 5s;
        while (!m_said.startsWith(m_yes) && runtime.monotonic() < until)
            co_await runtime.sleep(5ms);
        if (m_said.startsWith(m_yes)) co_return {};
        co_return std::unexpected(QStringLiteral("%1 does not say what it does").arg(m_node.display()));
    }
    /// The rest of what it has to say; a server that stands still is waited for.
    QCoro::Task<> drain(Runtime& runtime) {
        for (qsizetype before = -1; before != m_said.size();) {
            before = m_said.size();
            co_await runtime.sleep(100ms);
        }
    }
    Testimony testimony(Testimony::Kind kind) const {
        Testimony testimony;
        testimony.kind = kind;
        testimony.parts << m_said;
        if (m_gap) testimony.gap = QStringLiteral("%1 stopped telling").arg(m_node.display());
        return testimony;
    }
    const QByteArray& said() const { return m_said; }

private:
    Endpoint m_node;
    QByteArray m_yes, m_said;
    QTcpSocket m_socket;
    bool m_gap = false;
};

class MonitorWitness final : public Witness {
public:
    MonitorWitness(Runtime& runtime, const std::vector<Endpoint>& nodes, Testimony::Kind kind)
        : m_runtime(runtime), m_kind(kind) {
        for (const Endpoint& node : nodes)
            m_listeners.push_back(std::make_unique<Listener>(node, "MONITOR\r\n", "+OK\r\n"));
    }
    Started begin() override {
        for (const auto& listener : m_listeners) {
            const auto begun = co_await listener->begin(m_runtime);
            if (!begun) co_return std::unexpected(begun.error());
        }
        co_return {};
    }
    QCoro::Task<std::vector<Testimony>> testimonies() override {
        std::vector<Testimony> all;
        for (const auto& listener : m_listeners) {
            co_await listener->drain(m_runtime);
            all.push_back(listener->testimony(m_kind));
            if (m_listeners.size() > 1) all.back().node = QByteArray::number(all.size());
        }
        co_return all;
    }

private:
    Runtime& m_runtime;
    Testimony::Kind m_kind;
    std::vector<std::unique_ptr<Listener>> m_listeners;
};

class MemcachedWitness final : public Witness {
public:
    MemcachedWitness(Runtime& runtime, const Endpoint& node)
        : m_runtime(runtime), m_listener(node, "watch fetchers mutations connevents\r\n", "OK\r\n") {}
    Started begin() override { return m_listener.begin(m_runtime); }
    QCoro::Task<std::vector<Testimony>> testimonies() override {
        co_await m_listener.drain(m_runtime);
        Testimony testimony = m_listener.testimony(Testimony::Kind::Memcached);
        // memcached's logger leaves out lines that it has no room for, and says so.
        if (testimony.parts.front().contains("[skipped")) testimony.gap = QStringLiteral("memcached left lines out");
        std::vector<Testimony> all{testimony};
        co_return all;
    }

private:
    Runtime& m_runtime;
    Listener m_listener;
};

class EtcdWitness final : public Witness {
public:
    EtcdWitness(Runtime& runtime, const Endpoint& node, Nanos ahead)
        : m_runtime(runtime), m_where(QStringLiteral("http://%1/v3/watch").arg(node.display())), m_ahead(ahead) {}
    ~EtcdWitness() override {
        if (m_reply) m_reply->disconnect();
        if (m_again) m_runtime.cancelCall(m_again);
    }
    Started begin() override {
        watch();
        const Nanos until = m_runtime.monotonic() + 5s;
        while (!m_watching && m_runtime.monotonic() < until)
            co_await m_runtime.sleep(5ms);
        if (m_watching) co_return {};
        co_return std::unexpected(QStringLiteral("etcd does not let itself be watched"));
    }
    QCoro::Task<std::vector<Testimony>> testimonies() override {
        for (qsizetype before = -1; before != m_said.size();) {
            before = m_said.size();
            co_await m_runtime.sleep(300ms);
        }
        Testimony testimony;
        testimony.kind = Testimony::Kind::Etcd;
        testimony.parts << m_said;
        if (!m_watching) testimony.gap = QStringLiteral("etcd is not watched any more");
        std::vector<Testimony> all{testimony};
        co_return all;
    }

private:
    void watch() {
        m_again = 0;
        QNetworkRequest request((QUrl(m_where)));
        request.setHeader(QNetworkRequest::ContentTypeHeader, QByteArray("application/json"));
        const QByteArray key = QByteArray("torture-").toBase64(), end = QByteArray("torture.").toBase64();
        m_reply = m_network.post(request, "{\"create_request\":{\"key\":\"" + key + "\",\"range_end\":\"" + end +
                                              "\",\"start_revision\":\"" + QByteArray::number(m_next) + "\"}}");
        m_line.clear();
        QObject::connect(m_reply, &QNetworkReply::readyRead, m_reply, [this] { hear(); });
        QObject::connect(m_reply, &QNetworkReply::finished, m_reply, [this] {
            m_watching = false;
            m_reply->deleteLater();
            m_reply = nullptr;
            m_again = m_runtime.callAt(m_runtime.monotonic() + 50ms, [this] { watch(); });
        });
    }

    void hear() {
        m_line += m_reply->readAll();
        for (qsizetype end = m_line.indexOf('\n'); end >= 0; end = m_line.indexOf('\n')) {
            const QByteArray line = m_line.left(end);
            m_line.remove(0, end + 1);
            const QJsonObject result = QJsonDocument::fromJson(line).object()[QLatin1String("result")].toObject();
            m_watching = m_watching || result[QLatin1String("created")].toBool();
            const QByteArray now = QByteArray::number(qlonglong((m_runtime.monotonic() + m_ahead).count()));
            if (!result.contains(QLatin1String("events"))) continue;
            const auto revision = result[QLatin1String("header")][QLatin1String("revision")].toString().toLongLong();
            m_next = std::max<std::int64_t>(m_next, revision + 1);
            m_said += now + ' ' + line + '\n';
        }
    }

    Runtime& m_runtime;
    QString m_where;
    Nanos m_ahead;
    QNetworkAccessManager m_network;
    QNetworkReply* m_reply = nullptr;
    QByteArray m_line, m_said;
    std::int64_t m_next = 1; ///< revision
    Runtime::TimerId m_again = 0;
    bool m_watching = false;
};

} // namespace

std::unique_ptr<Witness> makeMonitorWitness(Runtime& runtime, std::vector<Endpoint> nodes, Testimony::Kind kind) {
    return std::make_unique<MonitorWitness>(runtime, nodes, kind);
}

std::unique_ptr<Witness> makeMemcachedWitness(Runtime& runtime, Endpoint node) {
    return std::make_unique<MemcachedWitness>(runtime, node);
}

std::unique_ptr<Witness> makeEtcdWitness(Runtime& runtime, Endpoint node, Nanos ahead) {
    return std::make_unique<EtcdWitness>(runtime, node, ahead);
}

} // namespace lockscope::torture
