// SPDX-License-Identifier: Apache-2.0
#include "backends/sql/file_link.h"

#include "backends/sql/lookout.h"
#include "backends/sql/sqlite_database.h"

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

/// How it stands with one thread.
struct Life {
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

/// All threads, until they have ended. Their owners do not wait for them: only the end of the program does.
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
        const std::lock_guard lock(m_lock);
        std::unique_lock listening(m_bell->lock);
        m_bell->rung.wait_for(listening, kEnding, [&] { return std::ranges::none_of(m_threads, due); });
        listening.unlock();
        collectEnded();
    }
    std::mutex m_lock;
    const std::shared_ptr<Bell> m_bell = std::make_shared<Bell>();
    std::vector<Entry> m_threads;
};

} // namespace

struct FileLink::Shared {
    explicit Shared(const Settings& settings) : file(settings.database), where(settings.where) {}
    /// Opens the file, or runs a command.
    struct Job {
        std::optional<Command> command;
        std::shared_ptr<Ticket> ticket;
    };
    const QString file, where;
    const std::shared_ptr<Post> post = Post::Office::ofThisThread()->post();
    std::mutex lock; ///< of all that follows
    std::condition_variable wake;
    std::optional<Job> job;
    bool ending = false;
    std::atomic<bool> waiting{false}; ///< there is a job or an end: what the lookout sees
    Life life;
};

FileLink::FileLink(const Settings& settings) : m_shared(std::make_shared<Shared>(settings)) {
    const std::shared_ptr<Life> life(m_shared, &m_shared->life);
    std::thread thread([shared = m_shared, bell = Threads::all().bell()] {
        pthread_setname_np(pthread_self(), "sqlite");
        work(*shared);
        bell->ring(shared->life);
    });
    Threads::all().add(std::move(thread), life);
}

FileLink::~FileLink() {
    const std::lock_guard lock(m_shared->lock);
    m_shared->ending = true;
    m_shared->life.told = true;
    m_shared->waiting.store(true, std::memory_order_release);
    m_shared->wake.notify_one();
}

void FileLink::work(Shared& shared) {
    SqliteDatabase database(shared.file, shared.where);
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
    m_shared->wake.notify_one(); // and not inside: whom it wakes would run into the lock
}

void FileLink::open(QByteArrayList, std::shared_ptr<Ticket> ticket) {
    submit(std::nullopt, std::move(ticket));
}

void FileLink::carryOut(Command command, std::shared_ptr<Ticket> ticket) {
    submit(std::move(command), std::move(ticket));
}

} // namespace lockscope::sql
