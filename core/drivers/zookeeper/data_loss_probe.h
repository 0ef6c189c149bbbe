// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/zookeeper/handle.h"

#include <optional>

namespace lockscope::zookeeper {

/// Finds out whether servers that hang up on our session have lost committed transactions. A server refuses a client
/// that has seen a newer transaction than itself, without a word: it may be behind the others, or it may have come back
/// with its data gone. In the second case nothing that the session held is there any more, and the client would learn
/// of it only when its time-out is over.
///
/// The probe opens a second session, which has seen nothing and is welcome everywhere, and makes a transaction that
/// changes nothing. Most servers must accept it, and each transaction has a greater number (zxid) than all committed
/// ones before. So an answer with a number that is not above the newest one seen before the question proves the loss; a
/// server that is behind, or a leader that is cut off from the others, cannot give such an answer.
///
/// Driven like its Handle: call look() when the time that it returned has passed, or when `lookSoon` was called.
class DataLossProbe {
public:
    enum class Finding : std::uint8_t {
        Kept,    ///< the servers have all that was seen
        Lost,    ///< committed transactions are gone
        Unknown, ///< the probe's own session came to nothing
    };

    /// The probe's question: `servers`, `session` and `login` as for a Handle; `seen`: the newest transaction known.
    struct Question {
        QByteArray servers;
        Nanos session{};
        QByteArray login; ///< "user:password"; empty: none
        std::int64_t seen = 0;
    };
    DataLossProbe(Runtime& runtime, const Question& question, std::function<void()> lookSoon);
    /// Ends its session, without waiting for the answer. Not to be called in a callback of the probe.
    ~DataLossProbe();
    DataLossProbe(const DataLossProbe&) = delete;
    DataLossProbe& operator=(const DataLossProbe&) = delete;

    /// Does what is due; returns how long until the next call.
    Nanos look();
    /// nullopt: no answer yet.
    std::optional<Finding> finding() const { return m_finding; }

private:
    void onSession(int state);
    void find(Finding finding);

    std::int64_t m_seen;
    std::function<void()> m_lookSoon;
    bool m_asked = false; ///< the question is on its way
    std::optional<Finding> m_finding;
    std::unique_ptr<Handle> m_handle; ///< last: its requests in flight end in its destructor
};

} // namespace lockscope::zookeeper
