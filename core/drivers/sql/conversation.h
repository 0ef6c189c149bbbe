// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/client_calls.h"
#include "drivers/sql/database.h"
#include "drivers/sql/post.h"
#include "runtime/reactor.h"

namespace lockscope::sql {

/// Runs the commands of one connection on the runtime's thread, by non-blocking calls of the client library: many
/// connections cost one wake-up together, and no thread is woken for a statement.
///
/// Requests of several conversations in one pass of the reactor are sent together at its end: a server that is woken
/// for each one falls asleep in between, and waking it costs more than the request.
class Conversation final : TextRunner, ValueRunner, Reactor::Watcher, Reactor::Job {
public:
    struct Means {
        std::unique_ptr<ClientCalls> calls;
        CommandRunner commands;
        QString where;
    };
    /// The means of an open connection, which must be closed after the conversation has ended. Called on the
    /// connection's thread; the result may be used on another one. nullptr: its client library has no such calls.
    static std::unique_ptr<Means> meansOf(const Database& database);
    /// The caller keeps `socket` and closes it after this object is destroyed.
    Conversation(Means means, int socket);
    /// A command in progress ends in an error.
    ~Conversation();
    /// Returns its calls, whose destruction may send something to the server and wait for it. Nothing else may be
    /// called then.
    std::unique_ptr<ClientCalls> end();
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;

    /// Runs a command; the answer comes by the ticket. Precondition: the previous command was answered.
    void carryOut(Command command, std::shared_ptr<Ticket> ticket);
    /// Whether, as of a millisecond ago, the server had neither ended the connection nor sent anything unrequested.
    /// False: not known.
    bool surelySound() const;

private:
    /// The wait of a text's coroutine; the reactor's calls run(), readable() and writable() resume it.
    struct Answered {
        Conversation& mine;
        bool await_ready() const { return mine.m_ending; }
        void await_suspend(std::coroutine_handle<> handle) const { mine.m_waits = handle; }
        void await_resume() const {}
    };
    /// Runs a command of more than one round trip.
    static QCoro::Task<> fulfil(Conversation& mine, Command command, std::shared_ptr<Ticket> ticket);
    /// Completes a command of one round trip.
    void settle();
    QCoro::Task<Result> run(QByteArray text, int before) override;
    ValueRunner* values() override { return this; }
    QCoro::Task<Result> prepare(QByteArray name, QByteArray text) override;
    QCoro::Task<Result> execute(QByteArray name, Values values) override;
    /// A text to run; with a name: to prepare under it; with values: a prepared statement to run.
    struct Request {
        QByteArray text, name;
        const Values* values = nullptr; ///< owned by the caller until it is answered
    };
    void ask(Request request);
    QCoro::Task<Result> answerTo(Request request);
    /// Sends the waiting request.
    void run() override;
    ClientCalls::Now begin(const Request& request);
    void answered();
    void cutShort();
    Result answer();
    void readable() override;
    void writable() override;
    void hungUp() override { m_hungUp = true; }
    void goOn(bool readable, bool writable);
    void listen();

    std::shared_ptr<Reactor> m_reactor = Reactor::ofThisThread();
    std::unique_ptr<ClientCalls> m_calls;
    CommandRunner m_commands;
    const int m_socket;
    const QString m_where;
    std::optional<Request> m_request; ///< waiting to be sent
    Command m_command;                ///< the ticket's command
    std::shared_ptr<Ticket> m_ticket; ///< belongs to a command of one round trip, until it is answered
    ClientCalls::Now m_now = ClientCalls::Now::Done;
    std::coroutine_handle<> m_waits; ///< resumed with an answer; none while there is a ticket
    Reactor::Id m_id = 0;
    std::chrono::steady_clock::time_point m_watchedSince; ///< by the reactor
    bool m_writing = false;                               ///< the reactor reports when there is room
    bool m_ending = false;
    bool m_hungUp = false;
};

} // namespace lockscope::sql
