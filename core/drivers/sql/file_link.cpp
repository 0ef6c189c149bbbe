// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/file_link.h"

#include "drivers/sql/lookout.h"
#include "drivers/sql/sqlite_database.h"

#include <QCoreApplication>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <thread>

namespace lockscope::sql {

namespace {

/// How long an idle thread looks for more work before it sleeps: a lock is often followed at once by its unlock.
constexpr auto kLookout = 50us;
/// How long the end of the program waits for threads that have something to end.
constexpr auto kEnding = 10s;

/// Links at work, of all drivers: while others are, nobody waits for this one awake, and it would take their processor.
std::atomic<int>& atWork() {
    static std::atomic<int> count{0};
    return count;
}

/// Threads whose links are gone, and which have not ended yet. Links do not wait for them: only the end of the program
/// does.
class Endings {
public:
    static std::shared_ptr<Endings> all() { return own().now; }
    void begin() { ++m_count; }
    void end() {
        const std::lock_guard lock(m_lock);
        --m_count;
        m_ended.notify_all();
    }

private:
    void await() {
        std::unique_lock lock(m_lock);
        m_ended.wait_for(lock, kEnding, [&] { return m_count == 0; });
    }
    struct Own {
        Own() {
            qAddPostRoutine([] { all()->await(); });
            // A copy of this process (fork) has none of the threads.
            pthread_atfork(nullptr, nullptr, [] { own().now = std::make_shared<Endings>(); });
            std::atexit([] { own().now->await(); });
        }
        std::shared_ptr<Endings> now = std::make_shared<Endings>();
    };
    static Own& own() {
        static auto& own = *new Own; // static locks are given back at exit, and use it
        return own;
    }
    std::mutex m_lock;
    std::condition_variable m_ended;
    std::atomic<int> m_count = 0;
};

} // namespace

struct FileLink::Shared {
    explicit Shared(const Settings& settings)
        : file(settings.database), where(settings.where), makesFile(settings.makesFile) {}
    /// Opens the file, or runs a command.
    struct Job {
        std::optional<Command> command;
        std::shared_ptr<Ticket> ticket;
    };
    const QString file, where;
    const bool makesFile;
    const std::shared_ptr<Post> post = Post::Office::ofThisThread()->post();
    const std::shared_ptr<Endings> endings = Endings::all();
    std::mutex lock; ///< of all that follows
    std::condition_variable wake;
    std::optional<Job> job;
    bool ending = false;
    std::atomic<bool> waiting{false}; ///< there is a job or an end: what the lookout sees
};

FileLink::FileLink(const Settings& settings) : m_shared(std::make_shared<Shared>(settings)) {
    std::thread([shared = m_shared] {
        pthread_setname_np(pthread_self(), "sqlite");
        work(*shared);
        shared->endings->end();
    }).detach();
}

FileLink::~FileLink() {
    m_shared->endings->begin();
    const std::lock_guard lock(m_shared->lock);
    m_shared->ending = true;
    m_shared->waiting.store(true, std::memory_order_release);
    m_shared->wake.notify_one();
}

void FileLink::work(Shared& shared) {
    SqliteDatabase database(shared.file, shared.where, shared.makesFile);
    Lookout lookout(kLookout);
    for (;;) {
        if (atWork().load(std::memory_order_relaxed) == 0)
            (void)lookout.until([&] { return shared.waiting.load(std::memory_order_acquire); });
        Shared::Job job;
        {
            std::unique_lock lock(shared.lock);
            shared.wake.wait(lock, [&] { return shared.job || shared.ending; });
            if (shared.ending) return;
            job = *std::exchange(shared.job, std::nullopt);
            shared.waiting.store(false, std::memory_order_release);
        }
        ++atWork();
        job.ticket->result.emplace(job.command ? database.run(*job.command) : database.open());
        if (job.ticket->state.exchange(Ticket::Done, std::memory_order_acq_rel) == Ticket::Lettered)
            shared.post->put(std::move(job.ticket));
        --atWork();
    }
}

void FileLink::submit(std::optional<Command> command, std::shared_ptr<Ticket> ticket) {
    {
        const std::lock_guard lock(m_shared->lock);
        m_shared->job = Shared::Job{std::move(command), std::move(ticket)};
        m_shared->waiting.store(true, std::memory_order_release);
    }
    m_shared->wake.notify_one(); // and not inside: the woken thread would run into the lock
}

void FileLink::open(QByteArrayList, std::shared_ptr<Ticket> ticket) {
    submit(std::nullopt, std::move(ticket));
}

void FileLink::carryOut(Command command, std::shared_ptr<Ticket> ticket) {
    submit(std::move(command), std::move(ticket));
}

} // namespace lockscope::sql
