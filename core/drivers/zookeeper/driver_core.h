// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/zookeeper/data_loss_probe.h"
#include "drivers/zookeeper/handle.h"
#include "drivers/zookeeper/left_session.h"
#include "ports/url.h"
#include "ports/zookeeper/leader_proof.h"
#include "ports/zookeeper/options.h"
#include "ports/zookeeper/port.h"
#include "runtime/signal_count.h"

#include <deque>

namespace lockscope::zookeeper {

/// The state that a driver's coroutines and requests in flight share; lives until the last of them has ended. Keeps the
/// session: makes it, proves it, notices its end.
class DriverCore : public std::enable_shared_from_this<DriverCore> {
public:
    DriverCore(Runtime& runtimeOfDriver, const ConnectionUrl& connectionUrl, DriverOptions driverOptions);
    ~DriverCore();

    Runtime& runtime;
    const ConnectionUrl url;
    const DriverOptions options;
    const QString where;
    const QByteArray chroot; ///< without a final slash; empty: none
    Session session;
    std::shared_ptr<WatchHub> watches = std::make_shared<WatchHub>();
    std::unique_ptr<Handle> handle;
    std::uint64_t sent = 0;

    /// Converts a path of ours to the server's, and back.
    QByteArray full(const QByteArray& path) const;
    QByteArray own(const char* fullPath) const;

    /// Whether there is a connected session, so that nothing must be awaited.
    bool ready() const { return session.state == Session::State::Connected; }
    /// Waits for a session. With a `generation` only for that one: Kind::SessionLost as soon as it has ended.
    static QCoro::Task<Result<void>> waitReady(std::shared_ptr<DriverCore> core, Nanos patience, std::stop_token stop,
                                               std::uint64_t generation = 0);
    /// Whether the session of that generation has ended; false for generation 0.
    bool isOver(std::uint64_t generation) const { return generation && generation != session.generation; }

    /// Notes a request that was given to the C client; `least`: the least size of a good answer, in bytes.
    void submitted(int least);
    /// Takes the newest request back: the C client did not accept it.
    void unsent();
    /// Notes the end of a request that was sent at `sentAt`, and which server answered it, if any.
    enum class By : std::uint8_t {
        Nobody,
        Server, ///< the connected server, from its own knowledge: it may be cut off from the leader
        Leader, ///< through the connected server
    };
    void over(By answered, Nanos sentAt, std::uint64_t generation);

    /// Starts connecting, and keeps at it; does nothing when it is started already.
    void start();
    void stop(Handle::Farewell farewell = Handle::Farewell::Said);
    /// Whether it tries no more: the driver, or its process, is gone.
    bool stopped() const { return m_stop.stop_requested(); }
    static QCoro::Task<> close(std::shared_ptr<DriverCore> core);

private:
    static QCoro::Task<> pulse(std::shared_ptr<DriverCore> core, std::stop_token stop);
    static QCoro::Task<QList<QHostAddress>> addressesOf(std::shared_ptr<DriverCore> core, QString host,
                                                        std::stop_token stop);
    static QCoro::Task<> resolve(std::shared_ptr<DriverCore> core, std::stop_token stop);
    Nanos turn();
    void open(const QByteArray& servers);
    void onSession(int state);
    void heardOfLeader(Nanos sentAt);
    void askQuorum();
    void proved(Nanos at);
    void beat(Nanos now);
    Nanos probe(Nanos now);
    void giveUpSession();
    Nanos endLeftSession();
    QByteArray login() const;
    void suspend();
    void endSession(bool forGood);
    void dropHandle();

    SignalCount m_kick;
    std::stop_source m_stop;
    bool m_running = false;
    bool m_resolving = false;
    bool m_named = false; ///< some endpoint is a host name
    std::optional<Error> m_unresolved;
    bool m_ended = false;   ///< the server has ended the session
    bool m_refused = false; ///< the server refused the login
    bool m_beating = false; ///< a heartbeat is in flight
    Nanos m_beatEvery{};
    LeaderProof m_proof;
    Nanos m_openedAt{}; ///< when the handle was opened
    Nanos m_resolveAgain{};
    QByteArray m_servers;                   ///< the resolved addresses
    std::unique_ptr<DataLossProbe> m_probe; ///< only while suspended, by servers that hang up
    Nanos m_probeAgain{};                   ///< no next probe before
    std::optional<Handle::Key> m_left;      ///< given up by our own clock: to be ended when we are connected again
    Nanos m_leftTimeout{};                  ///< its time-out
    std::unique_ptr<LeftSession> m_leaving; ///< ends it
    std::deque<int> m_least;                ///< least answer sizes of the requests in flight, in order
};

} // namespace lockscope::zookeeper
