// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/link.h"

#include "drivers/sql/client_handle.h"
#include "drivers/sql/lookout.h"

#include <condition_variable>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace lockscope::sql {

namespace {

/// How long an idle thread looks for more work before it sleeps: a lock is often followed at once by its unlock.
constexpr auto kLookout = 50us;

/// Links at work, of all drivers: while others are, nobody waits for this one awake, and it would take their processor.
std::atomic<int>& atWork() {
    static std::atomic<int> count{0};
    return count;
}

/// How long the end of the program waits for threads that have something to end on a server, and for those that only
/// connect: nobody would notice how that ended.
constexpr auto kEnding = 10s, kConnecting = 1s;

/// How it stands with one thread.
struct Life {
    std::atomic<bool> connecting{false};
    std::atomic<bool> told{false}; ///< to end
    std::atomic<bool> ended{false};
};

/// Tells of a thread's end; a thread that outlives the program's own objects still has it.
struct Bell {
    std::mutex lock;
    std::condition_variable rung;
    void ring(Life& life) {
        const std::lock_guard ringing(lock);
        life.ended = true;
        rung.notify_all();
    }
};

/// All threads, until they have ended. Their owners do not wait for them: one may be deep in a client library that
/// looks up a host name. Only the end of the program does, and not for ever.
class Threads {
public:
    Threads() = default;
    static Threads& all() { return *own().now; }
    void add(std::thread thread, std::shared_ptr<Life> life) {
        const std::lock_guard lock(m_lock);
        collectEnded();
        m_threads.push_back({std::move(thread), std::move(life)});
    }
    const std::shared_ptr<Bell>& bell() const { return m_bell; }
    ~Threads() {
        awaitThoseTold();
        for (Entry& entry : m_threads)
            entry.thread.detach();
    }

private:
    struct Entry {
        std::thread thread;
        std::shared_ptr<Life> life;
    };
    /// A copy of this process (fork) has none of the threads, but keeps its own. It can neither wait for the others nor
    /// let them go, and one of them may have had the locks: so it begins anew, and leaves the old list as it is.
    struct Own {
        Own() {
            // So that QtSql's own register outlives this, and so does what it tells a query's end by: without that one
            // leaves behind what it had read.
            QSqlDatabase::contains(QString());
            const QSqlQuery none{QSqlDatabase()};
            qAddPostRoutine([] { all().awaitThoseTold(); });
            pthread_atfork(nullptr, nullptr, [] {
                own().before = own().now.release();
                own().now = std::make_unique<Threads>();
            });
        }
        std::unique_ptr<Threads> now = std::make_unique<Threads>();
        Threads* before = nullptr; ///< for leak checkers
    };
    static Own& own() {
        static Own own;
        return own;
    }
    void collectEnded() {
        std::erase_if(m_threads, [](Entry& entry) {
            if (!entry.life->ended) return false;
            entry.thread.join();
            return true;
        });
    }
    void awaitThoseTold() {
        const auto due = [](const Entry& entry) { return entry.life->told && !entry.life->ended; };
        const auto busy = [&](const Entry& entry) { return due(entry) && !entry.life->connecting; };
        const std::lock_guard lock(m_lock);
        std::unique_lock listening(m_bell->lock);
        const bool ended =
            m_bell->rung.wait_for(listening, m_patience, [&] { return std::ranges::none_of(m_threads, due); });
        if (!ended) m_patience = 0s; // the end of a program comes here twice
        m_bell->rung.wait_for(listening, kEnding, [&] { return std::ranges::none_of(m_threads, busy); });
        listening.unlock();
        collectEnded();
    }
    std::mutex m_lock;
    std::chrono::seconds m_patience = kConnecting; ///< with those that only connect
    const std::shared_ptr<Bell> m_bell = std::make_shared<Bell>();
    std::vector<Entry> m_threads;
};

} // namespace

struct Link::Shared {
    explicit Shared(Settings s) : settings(std::move(s)) {}
    ~Shared() { closeSocket(); }
    void closeSocket() {
        if (socket >= 0) ::close(std::exchange(socket, -1));
    }
    Settings settings; ///< the thread's
    std::mutex lock;   ///< of all that follows
    std::condition_variable wake;
    Job job;
    bool ending = false;
    bool broken = false;
    int socket = -1;
    bool pooled = false;
    bool readOnly = false;
    std::unique_ptr<Conversation::Means> means; ///< for whoever makes the conversation
    std::unique_ptr<ClientCalls> used;          ///< after it
    std::atomic<bool> waiting{false};           ///< there is a job or an end: what the lookout sees
    const std::shared_ptr<Life> life = std::make_shared<Life>();
};

Link::Link(Settings settings) : m_shared(std::make_shared<Shared>(std::move(settings))) {
    std::thread thread([shared = m_shared, bell = Threads::all().bell()] {
        pthread_setname_np(pthread_self(), "sql");
        work(shared);
        bell->ring(*shared->life);
    });
    Threads::all().add(std::move(thread), m_shared->life);
}

Link::~Link() {
    std::unique_ptr<ClientCalls> used = m_conversation ? m_conversation->end() : nullptr;
    const std::lock_guard lock(m_shared->lock);
    m_shared->used = std::move(used);
    m_shared->ending = true;
    m_shared->life->told = true;
    m_shared->waiting.store(true, std::memory_order_release);
    m_shared->wake.notify_one();
}

void Link::work(const std::shared_ptr<Shared>& shared) {
    Database database(std::move(shared->settings));
    Lookout lookout(kLookout);
    for (;;) {
        if (atWork().load(std::memory_order_relaxed) == 0)
            (void)lookout.until([&] { return shared->waiting.load(std::memory_order_acquire); });
        Job job;
        {
            std::unique_lock lock(shared->lock);
            shared->wake.wait(lock, [&] { return shared->job || shared->ending; });
            if (shared->ending) break;
            job = std::exchange(shared->job, nullptr);
            shared->waiting.store(false, std::memory_order_release);
        }
        ++atWork();
        job(database);
        --atWork();
        job = nullptr; // with what it holds, before the next sleep
    }
    const std::lock_guard lock(shared->lock);
    shared->means.reset();
    shared->used.reset(); // before the connection is closed
    shared->closeSocket();
}

void Link::submit(Job job) {
    {
        const std::lock_guard lock(m_shared->lock);
        m_shared->job = std::move(job);
        m_shared->waiting.store(true, std::memory_order_release);
    }
    m_shared->wake.notify_one(); // and not inside: whom it wakes would run into the lock
}

Link::Job Link::opening(std::function<void(Result)> opened) {
    return [shared = std::weak_ptr(m_shared), life = m_shared->life, opened = std::move(opened)](Database& database) {
        life->connecting = true;
        Result result = database.open();
        life->connecting = false;
        const auto link = shared.lock();
        if (result && link) {
            const int duplicate = duplicateSocket(*database.driver(), database.dialect());
            const std::lock_guard lock(link->lock);
            link->socket = duplicate;
            link->pooled = database.pooled();
            link->readOnly = database.readOnly();
            if (duplicate >= 0) link->means = Conversation::meansOf(database);
            if (link->broken && duplicate >= 0) ::shutdown(duplicate, SHUT_RDWR);
        }
        opened(std::move(result));
    };
}

void Link::carryOut(Command command, const std::shared_ptr<Ticket>& ticket, const std::shared_ptr<Post>& post) {
    if (!m_conversation) {
        const std::lock_guard lock(m_shared->lock);
        if (m_shared->means)
            m_conversation = std::make_unique<Conversation>(std::move(*m_shared->means), m_shared->socket);
        m_shared->means.reset();
    }
    if (m_conversation) return m_conversation->carryOut(std::move(command), ticket);
    submit([ticket, post, command = std::move(command)](Database& database) {
        ticket->result.emplace(database.run(command));
        if (ticket->state.exchange(Ticket::Done, std::memory_order_acq_rel) == Ticket::Lettered) post->put(ticket);
    });
}

void Link::breakOff() {
    dead = true;
    const std::lock_guard lock(m_shared->lock);
    m_shared->broken = true;
    if (m_shared->socket >= 0) ::shutdown(m_shared->socket, SHUT_RDWR);
}

bool Link::stale() const {
    if (m_conversation && m_conversation->surelySound()) return false;
    const std::lock_guard lock(m_shared->lock);
    if (m_shared->socket < 0) return false;
    pollfd look{m_shared->socket, POLLIN | POLLRDHUP, 0};
    return ::poll(&look, 1, 0) != 0;
}

bool Link::ended() const {
    if (m_conversation && m_conversation->surelySound()) return false;
    const std::lock_guard lock(m_shared->lock);
    if (m_shared->socket < 0) return false;
    pollfd look{m_shared->socket, POLLRDHUP, 0};
    return ::poll(&look, 1, 0) != 0;
}

bool Link::pooled() const {
    const std::lock_guard lock(m_shared->lock);
    return m_shared->pooled;
}

bool Link::readOnly() const {
    const std::lock_guard lock(m_shared->lock);
    return m_shared->readOnly;
}

int Link::socket() const {
    const std::lock_guard lock(m_shared->lock);
    return m_shared->socket;
}

} // namespace lockscope::sql
