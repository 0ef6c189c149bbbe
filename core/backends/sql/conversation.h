// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/client_calls.h"
#include "backends/sql/database.h"
#include "backends/sql/post.h"
#include "runtime/reactor.h"

namespace lockscope::sql {

/// The commands of one connection, carried out on the thread of the runtime by calls of the client library that never
/// wait: many connections cost one wake-up together, and no thread is woken for a statement.
///
/// What several of them are asked for in one pass of the reactor is sent at its end, one right behind the other: a
/// server that is woken for each by itself falls asleep between them, and waking it again costs more than the request.
class Conversation final : TextRunner, ValueRunner, Reactor::Watcher, Reactor::Job {
public:
    struct Means {
        std::unique_ptr<ClientCalls> calls;
        CommandRunner commands;
        QString where;
    };
    /// Of a connection that is open, to be closed after the conversation has ended. On its thread, for any other.
    /// nullptr: its client library has no such calls.
    static std::unique_ptr<Means> meansOf(const Database& database);
    /// `socket` stays the caller's, who closes it after this is gone.
    Conversation(Means means, int socket);
    /// A command under way ends in an error.
    ~Conversation();
    /// Its calls, which may have things to say to the server when they go, and wait for it. Nothing else can be asked
    /// of it then.
    std::unique_ptr<ClientCalls> end();
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;

    /// The answer comes by the ticket. Precondition: the command before has been answered.
    void carryOut(Command command, std::shared_ptr<Ticket> ticket);
    /// A millisecond ago its other side had not ended it, also not after an answer, and had said nothing that nobody
    /// asked for. False: not known.
    bool surelySound() const;

private:
    /// What a text's coroutine waits by: it is resumed by the reactor's own calls, run(), readable() and writable().
    struct Answered {
        Conversation& mine;
        bool await_ready() const { return mine.m_ending; }
        void await_suspend(std::coroutine_handle<> handle) const { mine.m_waits = handle; }
        void await_resume() const {}
    };
    /// Of a command that takes more than one round trip.
    static QCoro::Task<> fulfil(Conversation& mine, Command command, std::shared_ptr<Ticket> ticket);
    /// Of one that takes one.
    void settle();
    QCoro::Task<Result> run(QByteArray text, int before) override;
    ValueRunner* values() override { return this; }
    QCoro::Task<Result> prepare(QByteArray name, QByteArray text) override;
    QCoro::Task<Result> execute(QByteArray name, Values values) override;
    /// A text; with a name, to be prepared under it; or, with values, what was prepared.
    struct Request {
        QByteArray text, name;
        const Values* values = nullptr; ///< theirs who ask, until it is answered
    };
    void ask(Request request);
    QCoro::Task<Result> answerTo(Request request);
    /// Sends the request that waits for it.
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
    std::optional<Request> m_request; ///< to be sent
    Command m_command;                ///< the one of the ticket
    std::shared_ptr<Ticket> m_ticket; ///< of a command that takes one round trip, until it is answered
    ClientCalls::Now m_now = ClientCalls::Now::Done;
    std::coroutine_handle<> m_waits; ///< who goes on with an answer; nobody while there is a ticket
    Reactor::Id m_id = 0;
    std::chrono::steady_clock::time_point m_watchedSince; ///< by the reactor
    bool m_writing = false;                               ///< the reactor tells when there is room
    bool m_ending = false;
    bool m_hungUp = false;
};

} // namespace lockscope::sql
