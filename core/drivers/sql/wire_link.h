// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/client_calls.h"
#include "drivers/sql/command_runner.h"
#include "drivers/sql/link.h"
#include "runtime/reactor.h"

namespace lockscope::sql {

/// A link to a server, by non-blocking calls of its client library on the runtime's thread: many connections cost one
/// wake-up together, and no thread is woken for a statement.
///
/// Requests of several links in one pass of the reactor are sent together at its end: a server that is woken for each
/// one falls asleep in between, and waking it costs more than the request.
class WireLink final : public Link, Wire, Reactor::Watcher, Reactor::Job {
public:
    explicit WireLink(const Settings& settings);
    /// A request in progress ends in an error.
    ~WireLink() override;
    void open(QByteArrayList addresses, std::shared_ptr<Ticket> ticket) override;
    void carryOut(Command command, std::shared_ptr<Ticket> ticket) override;
    void breakOff() override;
    bool stale() const override;
    bool ended() const override;
    int socket() const override { return m_socket; }

private:
    /// One request to the client library. `values` belong to the caller until it is answered.
    struct Request {
        enum class Kind : std::uint8_t { Connect, Text, Prepare, Execute } kind = Kind::Text;
        QByteArray text; ///< Connect: the address
        QByteArray name = {};
        const Values* values = nullptr;
    };
    /// The wait of a coroutine for the answer to its request; the reactor's calls run(), readable() and writable()
    /// resume it.
    struct Answered {
        WireLink& mine;
        bool await_ready() const { return mine.m_ending; }
        void await_suspend(std::coroutine_handle<> handle) const { mine.m_waits = handle; }
        void await_resume() const {}
    };
    static QCoro::Task<> opening(WireLink& mine, QByteArrayList addresses, std::shared_ptr<Ticket> ticket);
    QCoro::Task<Result> connectTo(QByteArray address);
    QCoro::Task<Result> greet();
    QCoro::Task<Result> greetMySql();
    QCoro::Task<Result> greetPostgreSql();
    /// Runs a command of more than one round trip.
    static QCoro::Task<> fulfil(WireLink& mine, Command command, std::shared_ptr<Ticket> ticket);
    /// Completes a command of one round trip.
    void settle();
    QCoro::Task<Result> run(QByteArray text) override;
    QCoro::Task<Result> prepare(QByteArray name, QByteArray text) override;
    QCoro::Task<Result> execute(QByteArray name, Values values) override;
    void ask(Request request);
    QCoro::Task<Result> answerTo(Request request);
    /// Sends the waiting request.
    void run() override;
    ClientCalls::Now begin(const Request& request);
    void follow(ClientCalls::Now now);
    void answered();
    Result answer();
    void readable() override;
    void writable() override;
    void hungUp() override { m_hungUp = true; }
    void listen();
    void unlisten();
    void takeSocket();
    bool surelySound() const;
    bool pollShows(short events) const;

    const std::shared_ptr<Reactor> m_reactor = Reactor::ofThisThread();
    const Settings m_settings;
    std::unique_ptr<ClientCalls> m_calls;
    CommandRunner m_commands;
    /// A duplicate of the library's, which may close its own at any time: a closed number could be another socket's.
    int m_socket = -1;
    std::optional<Request> m_request; ///< waiting to be sent
    Command m_command;                ///< the ticket's command
    std::shared_ptr<Ticket> m_ticket; ///< belongs to a command of one round trip, until it is answered
    ClientCalls::Now m_now = ClientCalls::Now::Done;
    std::coroutine_handle<> m_waits; ///< resumed with an answer; none while there is a ticket
    Reactor::Id m_id = 0;
    std::chrono::steady_clock::time_point m_watchedSince; ///< by the reactor
    bool m_connecting = false;
    bool m_writing = false; ///< the reactor reports when there is room
    bool m_ending = false;
    bool m_hungUp = false;
};

} // namespace lockscope::sql
