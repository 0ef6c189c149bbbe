// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_job.h"
#include "ports/redis/reading_port.h"

namespace lockscope::inspect {

/// The result of reading some keys.
struct KeysRead {
    std::vector<KeySnapshot> keys;                           ///< read, or refused
    std::vector<std::pair<QByteArray, KeyJob::End>> notRead; ///< all others that are there
    std::vector<QByteArray> ofOtherTypes;                    ///< keys that have another type than wanted
    std::vector<QByteArray> elsewhere;                       ///< keys that another node of the cluster has
    std::int64_t looked = 0;                                 ///< keys that were asked about
    std::size_t recalled = 0; ///< so many of `keys`, the first ones, were read in an earlier look
};

/// Reads the content of many keys in few round trips, and of a long one only the first elements: of a queue that is
/// long, of many readers or permits, it knows then how many more there are. Nothing longer than a lock's is read.
///
/// TTLs are measured between two answers to TIME, so that ends compare by the server's own clock; where this user may
/// not ask for that, by our clock and the whole round trip.
class KeyReader {
public:
    explicit KeyReader(redis::ReadingPort& port, int mostElements = 256) : m_port(port), m_mostElements(mostElements) {}

    void setDoubt(KeyDoubt doubt) { m_doubt = std::move(doubt); }

    /// Returns the first error that is not about one key; what was read before it stays. Throws Cancelled.
    QCoro::Task<std::optional<redis::Error>> read(std::vector<WantedKey> wanted, KeysRead& out, std::stop_token stop);
    /// Since when answers are awaited; nullopt: they are not.
    std::optional<Nanos> unansweredSince() const { return m_askedSince; }
    /// Commands sent so far.
    std::uint64_t commands() const { return m_commands; }
    /// How long the server may have worked for us so far: what it took to answer, less the way to it.
    Nanos serverTime() const { return m_serverTime; }
    /// Compares that with the processor time that the server says it has used so far, for all its clients: answers are
    /// late for other reasons, too, this machine's and the network's. From now on, measured times count for so much
    /// less.
    void weighBy(Nanos processorTime);

    /// How much of the server's time reading may take, until it is set again: 1 = all. read() rests between batches.
    void setShare(double share) { setShare(share, m_port.runtime().monotonic(), m_serverTime); }
    /// As if it had been set at `since`, when serverTime() was `spent`.
    void setShare(double share, Nanos since, Nanos spent);
    /// Rests while the commands since setShare() have cost the server more than the share. Throws Cancelled.
    QCoro::Task<> keepShare(std::stop_token stop);
    /// This user may not ask for the server's time: ends are measured by our own clock.
    bool clockRefused() const { return m_clockRefused; }

    /// Runs commands in one go; their results in order. Throws Cancelled.
    QCoro::Task<std::vector<redis::Result>> callAll(std::vector<redis::Args> commands, std::stop_token stop);

private:
    QCoro::Task<std::optional<redis::Error>> readBatch(std::vector<KeyJob>& jobs, std::stop_token stop);

    redis::ReadingPort& m_port;
    int m_mostElements;
    KeyDoubt m_doubt;
    bool m_clockRefused = false;
    std::uint64_t m_commands = 0;
    std::optional<Nanos> m_askedSince;
    Nanos m_serverTime{};
    Nanos m_measured{};              ///< as m_serverTime, with full weight
    double m_weight = 1;             ///< of what is measured: the part of it that the server works for
    Nanos m_weighedAt{}, m_worked{}; ///< m_measured and the server's processor time when it was weighed
    Nanos m_way = kNever;            ///< the shortest round trip so far
    double m_share = 1;
    Nanos m_shareSince{}, m_spentBefore{}; ///< when the share was set, and the server's time until then
};

} // namespace lockscope::inspect
