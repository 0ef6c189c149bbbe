// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/etcd/http_wire.h"
#include "runtime/signal_count.h"

#include <set>

namespace lockscope::etcd {

class WatchStream;

/// The members of one cluster, and the connections to the one in use. Shared by the driver and its calls in flight,
/// which outlive it briefly.
class Members : public std::enable_shared_from_this<Members> {
public:
    Members(Runtime& runtime, const ConnectionUrl& url, DriverOptions options);

    struct Answer {
        QByteArray body;
        bool repeated = false; ///< the request was sent before, without an answer
        QString where;         ///< the member that answered
    };
    /// Sends a request, to one member after the other, until one answers or the time is over.
    static Result<Answer> ask(std::shared_ptr<Members> self, HttpRequest request, std::stop_token stop);
    /// Sends a request that changes nothing to that address, over a connection of its own, once, and without a login:
    /// members announce such addresses, and nobody knows whose server is there. `patience` is for each of its steps:
    /// connecting, the answer.
    static Result<Answer> askAt(std::shared_ptr<Members> self, Endpoint at, HttpRequest request, Nanos patience,
                                std::stop_token stop);
    /// Starts the watch that the request's body (codec::watch) describes, at one member after the other until one
    /// confirms it.
    static Result<OwnedWatch> watch(std::shared_ptr<Members> self, QByteArray body, std::stop_token stop);

    /// Ends all calls with the error "closed on purpose".
    void shutDown();
    Runtime& runtime() { return m_runtime; }
    QString where() const { return m_url.endpoints[m_current].display(); }
    std::uint64_t sent() const { return m_sent; }

private:
    friend class WatchStream;
    using WirePtr = std::shared_ptr<HttpWire>;

    /// A connection in use; becomes idle again when its last request was answered.
    class Loan {
    public:
        enum class For : std::uint8_t { Request, Stream };
        Loan(std::shared_ptr<Members> members, For use);
        ~Loan();
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;
        WirePtr wire;
        std::size_t member = 0;
        bool reused = false; ///< an old connection: its server may have closed it meanwhile
        bool stream = false;

    private:
        std::shared_ptr<Members> m_members;
    };
    struct Permit;
    struct Aside;
    struct Login;
    /// Result of a login, for everybody who waited for it.
    struct LoggedIn {
        std::optional<Error> refused;
        bool again = true; ///< the login did not get through: another caller must try
    };

    /// Connects a new wire, and logs in if needed; one login serves all.
    static Result<void> prepare(std::shared_ptr<Members> self, WirePtr wire, Nanos timeout, std::stop_token stop);
    static Result<void> logIn(std::shared_ptr<Members> self, WirePtr wire, Nanos timeout, std::stop_token stop);
    /// Drops a token that the server no longer knows; keeps a newer one.
    void forget(const QByteArray& token) {
        if (m_token == token) m_token.clear();
    }
    Nanos oneTry(Nanos left) const;
    void giveUp(std::size_t member); ///< moves on to the next one
    QString whereIs(std::size_t member) const { return m_url.endpoints[member].display(); }

    Runtime& m_runtime;
    ConnectionUrl m_url;
    DriverOptions m_options;
    std::expected<std::optional<QSslConfiguration>, Error> m_tls;
    std::size_t m_current = 0;
    QByteArray m_token;
    bool m_loggingIn = false;
    std::vector<Completion<LoggedIn>> m_waitForLogin;
    std::uint64_t m_sent = 0;
    bool m_gone = false;
    std::vector<WirePtr> m_idle; ///< connections to the member in use
    std::set<Loan*> m_loans;
    std::set<WirePtr> m_asides; ///< connections of askAt()
    SignalCount m_permits;      ///< free connections for requests
};

} // namespace lockscope::etcd
