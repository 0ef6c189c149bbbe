// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/zookeeper/client.h"
#include "ports/zookeeper/leader_proof.h"
#include "runtime/completion.h"
#include "runtime/signal_count.h"
#include "sim/process_inbox.h"
#include "sim/zookeeper/socket.h"

namespace lockscope::sim {

/// The session of a simulated client with an ensemble, over one connection at a time: as the C client keeps it, and the
/// driver above that. Shared by the wire, its coroutines and requests in flight.
class ZkLine final : public std::enable_shared_from_this<ZkLine> {
public:
    /// The server at an address; nullptr: there is none.
    using Lookup = std::function<ZkServer*(const Endpoint&)>;
    /// Everything outlives it.
    ZkLine(Grounds grounds, Lookup lookup, Runtime& runtime, trace::EntityId client, const ConnectionUrl& url,
           zookeeper::DriverOptions options);

    Runtime& runtime;
    const ConnectionUrl url;
    const zookeeper::DriverOptions options;
    const QString where;
    const QByteArray chroot;
    zookeeper::Session session;
    const std::shared_ptr<zookeeper::WatchHub> watches = std::make_shared<zookeeper::WatchHub>();

    QByteArray full(const QByteArray& path) const;
    QByteArray own(const QByteArray& fullPath) const;
    bool isOver(std::uint64_t generation) const { return generation && generation != session.generation; }
    bool stopped() const { return m_stop.stop_requested(); }
    /// The access list of the nodes that are created.
    ZkAcl acl() const;

    /// A request, its purpose as errors name it, and how it ends.
    struct Ask {
        const char* what;
        QByteArray path;
        ZkRequest request;                              ///< with full paths
        std::optional<zookeeper::Watch> watch{};        ///< set in the same step
        std::uint64_t generation = 0;                   ///< only in that session
        std::function<void(const ZkReply&)> takeBack{}; ///< undoes it if the caller was stopped before the answer
    };
    /// Sends a request as soon as there is a session. A server's refusal is an answer: its code is in the reply.
    static QCoro::Task<zookeeper::Result<ZkReply>> ask(std::shared_ptr<ZkLine> self, Ask ask, std::stop_token stop);
    static QCoro::Task<zookeeper::Result<void>> waitReady(std::shared_ptr<ZkLine> self, Nanos patience,
                                                          std::stop_token stop, std::uint64_t generation = 0);
    static QCoro::Task<> close(std::shared_ptr<ZkLine> self);
    void stop();

private:
    using Answer = std::expected<ZkReply, int>; ///< or a code of the client
    using Done = std::function<void(Answer)>;
    enum class By : std::uint8_t { Server, Leader };
    struct InFlight {
        Done done;
        Nanos sentAt{};
        std::uint64_t generation = 0;
        By answeredBy = By::Server;
        std::uint64_t watch = 0; ///< its id in the hub
        zookeeper::WatchHub::Table table{};
        QByteArray path; ///< full
    };
    enum class Table : std::uint8_t {
        Data,
        Existence,
        Children
    }; ///< as the client tells its server after a reconnection
    struct Armed {
        Table table{};
        QByteArray path;
    };

    void start();
    static QCoro::Task<> pulse(std::shared_ptr<ZkLine> self, std::stop_token stop);
    Nanos turn();
    void connect();
    void send(ZkRequest request, InFlight flight);
    void send(std::shared_ptr<const ZkRequest> request, InFlight flight);
    void welcomed(const ZkWelcome& welcome);
    void answered(std::uint64_t number, const ZkReply& reply);
    void told(const ZkEvent& event);
    void broken();
    void fail(int code);
    void suspend();
    /// Why a session is over. Refused: the server does not even let the client in, so there is no other one.
    enum class SessionEnd : std::uint8_t { ByServer, Refused, ByClient };
    void endSession(SessionEnd why);
    void askQuorum();
    void beat(Nanos now);
    void ping(Nanos now);
    void proved(Nanos at);
    void tellPhase(trace::SessionPhase phase);
    void rewatch();

    Grounds m_grounds;
    Lookup m_lookup;
    trace::EntityId m_client;
    std::vector<std::pair<ZkServer*, Network::Link*>> m_servers; ///< in the order in which they are tried
    bool m_unresolved = false;                                   ///< some address is nobody's
    std::size_t m_next = 0;
    std::shared_ptr<ZkSocket> m_socket;
    ZkServer* m_at = nullptr;
    std::uint64_t m_password = 0;
    ZkTransaction m_seen = 0;
    std::map<std::uint64_t, InFlight> m_flight;
    std::uint64_t m_lastNumber = 0;
    std::map<std::uint64_t, Armed> m_armed; ///< by id in the hub: watches that the server has set
    ProcessInbox m_inbox;

    SignalCount m_kick;
    SignalCount m_settled; ///< while it closes: requests in flight have ended
    std::stop_source m_stop;
    bool m_running = false;
    bool m_ended = false; ///< the server has ended the session
    bool m_refused = false;
    std::shared_ptr<const ZkRequest> m_beat; ///< the request of every beat, made for the first one
    bool m_beating = false;
    bool m_closing = false; ///< it only waits for what is in flight
    Nanos m_triedAt{}, m_patience{}, m_longestPatience{}, m_rest{}, m_restUntil{};
    Nanos m_greetedAt{}, m_sentAt{}, m_receivedAt{}, m_beatEvery{};
    zookeeper::LeaderProof m_proof;
};

} // namespace lockscope::sim
