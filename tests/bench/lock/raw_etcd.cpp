// SPDX-License-Identifier: Apache-2.0
#include "raw_threads.h"

#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lockscope::bench {

namespace {

/// HTTP/1.1 on one connection that is kept. Two requests: put the key if nobody's is under the lock's name, and delete
/// it.
class EtcdClient final : public RawClient {
public:
    explicit EtcdClient(const QByteArray& name)
        : m_key((name + "/694d81417acd4de0").toBase64()),
          m_begin((name + '/').toBase64()),
          m_end((name + '0').toBase64()) {}
    ~EtcdClient() override {
        if (m_fd >= 0) ::close(m_fd);
    }
    EtcdClient(const EtcdClient&) = delete;
    EtcdClient& operator=(const EtcdClient&) = delete;

    std::expected<void, QString> open(const Endpoint& endpoint) {
        addrinfo hints{};
        hints.ai_socktype = SOCK_STREAM;
        addrinfo* found = nullptr;
        if (getaddrinfo(endpoint.host.toUtf8().constData(), QByteArray::number(endpoint.port).constData(), &hints,
                        &found) != 0)
            return failed();
        const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, &freeaddrinfo);
        m_fd = ::socket(found->ai_family, found->ai_socktype, 0);
        if (::connect(m_fd, found->ai_addr, found->ai_addrlen) != 0) return failed();
        const int yes = 1;
        setsockopt(m_fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        const QByteArray granted = post("/v3/lease/grant", R"({"TTL":"60"})");
        const qsizetype at = granted.indexOf("\"ID\":\"");
        if (at < 0) return failed();
        const qsizetype begin = at + 6;
        m_lease = granted.mid(begin, granted.indexOf('"', begin) - begin);
        return {};
    }
    std::expected<void, QString> take() override {
        const QByteArray taken = post("/v3/kv/txn", R"({"compare":[{"key":")" + m_begin + R"(","range_end":")" + m_end +
                                                        R"(","target":"CREATE","createRevision":"0"}],"success":[)"
                                                        R"({"requestPut":{"key":")" +
                                                        m_key + R"(","lease":")" + m_lease + R"("}}]})");
        if (!taken.contains("\"succeeded\":true")) return failed();
        return {};
    }
    std::expected<void, QString> give() override {
        const QByteArray given = post("/v3/kv/deleterange", R"({"key":")" + m_key + R"("})");
        if (!given.contains("\"deleted\"")) return failed();
        return {};
    }

private:
    static std::expected<void, QString> failed() {
        return std::unexpected(QStringLiteral("The bare client failed: etcd did not answer as it should."));
    }
    QByteArray post(const char* path, const QByteArray& body) {
        const QByteArray request = QByteArray("POST ") + path +
                                   " HTTP/1.1\r\nHost: etcd\r\nContent-Type: application/json\r\nContent-Length: " +
                                   QByteArray::number(body.size()) + "\r\n\r\n" + body;
        if (::send(m_fd, request.constData(), std::size_t(request.size()), MSG_NOSIGNAL) != request.size()) return {};
        QByteArray answer;
        for (;;) {
            char buffer[4096];
            const ssize_t size = ::recv(m_fd, buffer, sizeof buffer, 0);
            if (size <= 0) return {};
            answer.append(buffer, size);
            const qsizetype head = answer.indexOf("\r\n\r\n");
            if (head < 0) continue;
            const qsizetype at = answer.indexOf("Content-Length: ");
            if (at < 0 || at > head) return {};
            const qsizetype length = answer.mid(at + 16, answer.indexOf('\r', at) - at - 16).toLongLong();
            if (answer.size() >= head + 4 + length) return answer.mid(head + 4);
        }
    }
    QByteArray m_key, m_begin, m_end, m_lease;
    int m_fd = -1;
};

} // namespace

MadeRaw makeRawEtcd(const ConnectionUrl& url, const Workload& workload) {
    if (url.tls || !url.user.isEmpty()) return nullptr;
    const QByteArray name = "lock_bench-raw-" + QByteArray::number(clockNow(), 16) + '/';
    return makeRawClients(workload, [&](int index) -> MadeRawClient {
        auto client = std::make_unique<EtcdClient>(name + QByteArray::number(index));
        if (const auto opened = client->open(url.endpoints.front()); !opened) return std::unexpected(opened.error());
        return client;
    });
}

} // namespace lockscope::bench
