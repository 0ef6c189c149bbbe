// SPDX-License-Identifier: Apache-2.0
#include "raw_memcached.h"

#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lockscope::bench {

namespace {

QString failed(const QByteArray& what) {
    return QStringLiteral("The bare client failed: %1.").arg(QString::fromUtf8(what));
}

/// Lines to and from one memcached; blocks, and gives up after some seconds of silence.
class Wire {
public:
    explicit Wire(const Endpoint& endpoint) {
        addrinfo hints{};
        hints.ai_socktype = SOCK_STREAM;
        addrinfo* found = nullptr;
        const QByteArray host = endpoint.host.toUtf8(), port = QByteArray::number(endpoint.port);
        if (getaddrinfo(host.constData(), port.constData(), &hints, &found) != 0) return;
        for (const addrinfo* one = found; one && m_fd < 0; one = one->ai_next) {
            m_fd = socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
            if (m_fd >= 0 && connect(m_fd, one->ai_addr, one->ai_addrlen) != 0) {
                close(m_fd);
                m_fd = -1;
            }
        }
        freeaddrinfo(found);
        const int yes = 1;
        if (m_fd >= 0) setsockopt(m_fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }
    ~Wire() {
        if (m_fd >= 0) close(m_fd);
    }
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    bool open() const { return m_fd >= 0; }
    bool send(const QByteArray& bytes) {
        for (qsizetype sent = 0; sent < bytes.size();) {
            const auto done =
                ::send(m_fd, bytes.constData() + sent, std::size_t(bytes.size() - sent), MSG_DONTWAIT | MSG_NOSIGNAL);
            if (done > 0) {
                sent += done;
                continue;
            }
            if (done < 0 && errno != EAGAIN && errno != EINTR) return false;
            // A server that cannot get rid of its answers takes no more commands.
            const short ready = wait(POLLIN | POLLOUT);
            if (ready == 0 || ((ready & POLLIN) && !receive())) return false;
        }
        return true;
    }
    /// The next line, good until the one after it; empty when there is none any more.
    QByteArrayView line() {
        for (;;) {
            const char* const begin = m_in.data() + m_taken;
            const auto* const end = static_cast<const char*>(memchr(begin, '\n', m_filled - m_taken));
            if (end) {
                m_taken += std::size_t(end - begin) + 1;
                return {begin, end > begin ? end - begin - 1 : 0};
            }
            if (wait(POLLIN) == 0 || !receive()) return {};
        }
    }

private:
    short wait(short events) const {
        constexpr int patience = 5000; // ms
        pollfd one{m_fd, events, 0};
        return ::poll(&one, 1, patience) > 0 ? one.revents : short(0);
    }
    bool receive() {
        if (m_taken > 0) {
            std::memmove(m_in.data(), m_in.data() + m_taken, m_filled - m_taken);
            m_filled -= std::exchange(m_taken, 0);
        }
        if (m_filled == m_in.size()) m_in.resize(m_in.size() * 2);
        const auto got = recv(m_fd, m_in.data() + m_filled, m_in.size() - m_filled, MSG_DONTWAIT);
        if (got > 0) m_filled += std::size_t(got);
        return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
    }
    int m_fd = -1;
    std::vector<char> m_in = std::vector<char>(16 * 1024);
    std::size_t m_taken = 0, m_filled = 0;
};

/// The two commands of a lock and their answers.
class Lock {
public:
    explicit Lock(const RawItem& item) : m_lease(item.lease) {
        const QByteArray size = QByteArray::number(RawItem::value().size()), value = RawItem::value() + "\r\n";
        m_take = "add " + item.key + " 0 31 " + size + "\r\n" + value;
        if (m_lease) {
            m_take += "gets " + item.key + "\r\n";
            m_giveHead = "cas " + item.key + " 0 -1 " + size + ' ';
            m_giveTail = "\r\n" + value;
        } else {
            m_giveHead = "delete " + item.key + "\r\n";
        }
    }
    void take(QByteArray& out) const { out += m_take; }
    void give(QByteArray& out) const { (out += m_giveHead) += m_unique, out += m_giveTail; }
    /// Reads the answers to a taking. The error; empty: none.
    QByteArray taken(Wire& wire) {
        if (const QByteArrayView answer = wire.line(); answer != "STORED") return wrong(answer);
        if (!m_lease) return {};
        const QByteArrayView head = wire.line(); // VALUE key flags bytes unique
        if (!head.startsWith("VALUE ")) return wrong(head);
        m_unique = head.sliced(head.lastIndexOf(' ') + 1).toByteArray();
        wire.line();
        const QByteArrayView end = wire.line();
        return end == "END" ? QByteArray() : wrong(end);
    }
    QByteArray given(Wire& wire) const {
        const QByteArrayView answer = wire.line();
        return answer == (m_lease ? "STORED" : "DELETED") ? QByteArray() : wrong(answer);
    }

private:
    static QByteArray wrong(QByteArrayView answer) { return "it got “" + answer.toByteArray() + "”"; }
    bool m_lease;
    QByteArray m_take, m_giveHead, m_giveTail, m_unique;
};

class SocketClient final : public RawClient {
public:
    SocketClient(std::unique_ptr<Wire> wire, const RawItem& item) : m_wire(std::move(wire)), m_lock(item) {}
    std::expected<void, QString> take() override {
        m_out.clear();
        m_lock.take(m_out);
        return answered(m_wire->send(m_out) ? m_lock.taken(*m_wire) : "disconnected");
    }
    std::expected<void, QString> give() override {
        m_out.clear();
        m_lock.give(m_out);
        return answered(m_wire->send(m_out) ? m_lock.given(*m_wire) : "disconnected");
    }

private:
    static std::expected<void, QString> answered(const QByteArray& error) {
        if (error.isEmpty()) return {};
        return std::unexpected(failed(error));
    }
    std::unique_ptr<Wire> m_wire;
    Lock m_lock;
    QByteArray m_out;
};

class Pipeline final : public Raw {
public:
    Pipeline(std::unique_ptr<Wire> wire, const std::vector<RawItem>& items)
        : m_wire(std::move(wire)), m_locks(items.begin(), items.end()) {}
    std::expected<void, QString> run(Nanos duration, Samples& samples) override {
        const std::int64_t begun = clockNow();
        bool taking = true;
        for (bool giving = false; giving || taking;) {
            // Each gives up what it took the last time and takes it anew: one round trip for all pairs.
            m_out.clear();
            for (const Lock& lock : m_locks) {
                if (giving) lock.give(m_out);
                if (taking) lock.take(m_out);
            }
            if (!m_wire->send(m_out)) return std::unexpected(failed("disconnected"));
            for (Lock& lock : m_locks) {
                QByteArray error = giving ? lock.given(*m_wire) : QByteArray();
                if (error.isEmpty() && taking) error = lock.taken(*m_wire);
                if (!error.isEmpty()) return std::unexpected(failed(error));
            }
            if (giving) samples.pairs += std::int64_t(m_locks.size());
            giving = taking;
            taking = taking && clockNow() - begun < duration.count();
        }
        samples.took += Nanos(clockNow() - begun);
        return {};
    }

private:
    std::unique_ptr<Wire> m_wire;
    std::vector<Lock> m_locks;
    QByteArray m_out;
};

std::unique_ptr<Wire> connected(const Endpoint& endpoint) {
    auto wire = std::make_unique<Wire>(endpoint);
    return wire->open() ? std::move(wire) : nullptr;
}

} // namespace

const QByteArray& RawItem::value() {
    static const QByteArray value("5a0e1fb5-4a9e-4c50-9fd4-dca2a9c2a7bd:1:0123456789abcdef");
    return value;
}

MadeRawClient makeMemcachedSocketClient(const Endpoint& endpoint, const RawItem& item) {
    auto wire = connected(endpoint);
    if (!wire) return std::unexpected(failed("it cannot connect"));
    return std::make_unique<SocketClient>(std::move(wire), item);
}

MadeRaw makeMemcachedPipeline(const Endpoint& endpoint, const std::vector<RawItem>& items) {
    auto wire = connected(endpoint);
    if (!wire) return std::unexpected(failed("it cannot connect"));
    return std::make_unique<Pipeline>(std::move(wire), items);
}

} // namespace lockscope::bench
