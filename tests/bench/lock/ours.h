// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/connection.h"
#include "lock/distributed_lock.h"
#include "runtime/signal_count.h"
#include "samples.h"
#include "workload.h"

namespace lockscope::bench {

/// The clients of one measurement, over the library as a program uses it.
class Ours {
public:
    Ours(Runtime& runtime, ConnectionUrl url, QByteArray recipe, Workload workload);

    /// Connects; the error is a sentence.
    QCoro::Task<std::expected<void, QString>> open();
    /// Works for so long and adds what it measured. Nothing is held or awaited afterwards.
    QCoro::Task<std::expected<void, QString>> run(Nanos duration, Samples& samples);
    QCoro::Task<> close();

    /// The cost of the renewals of Workload::Kind::Held.
    struct Keeping {
        double cpuPercent = 0; ///< of one core, of this process
        double latestMs = 0;   ///< after its time: the latest renewal
        std::int64_t renewals = 0;
        std::int64_t lost = 0;
    };
    /// Holds all locks for so long.
    QCoro::Task<std::expected<Keeping, QString>> keep(Nanos duration);

private:
    struct Client {
        Connection* connection = nullptr;
        std::unique_ptr<DistributedLock> lock;
        SignalCount turn;
    };
    QCoro::Task<> loop(int index, std::int64_t until);
    QCoro::Task<bool> lockOnce(int index, Acquisition& one);
    QCoro::Task<bool> unlockOnce(int index, Acquisition& one);
    QCoro::Task<bool> stayAway(int index, std::int64_t until);
    QCoro::Task<> wakeLoop(std::int64_t until);
    QCoro::Task<> takeSome(std::size_t begin, std::size_t step);
    void finish(const Acquisition& one);
    void complain(const LockError& error);

    Runtime& m_runtime;
    ConnectionUrl m_url;
    QByteArray m_recipe;
    Workload m_workload;
    QByteArray m_name;
    LockRequest m_request;     ///< of a semaphore: its only permit
    bool m_optimistic = false; ///< nobody is kept out: some releases fail
    std::vector<std::unique_ptr<Connection>> m_connections;
    std::vector<Client> m_clients;
    Samples* m_samples = nullptr;
    int m_beginner = 0; ///< of the next wakeLoop()
    QString m_error;
};

} // namespace lockscope::bench
