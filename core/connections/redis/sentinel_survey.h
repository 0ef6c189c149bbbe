// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/client.h"
#include "runtime/completion.h"

namespace lockscope::redis {

/// The sentinels' answers to the question for the master, as they arrive.
class SentinelSurvey {
public:
    struct Answer {
        Endpoint master;
        std::int64_t epoch = 0; ///< the configuration's epoch: grows with each failover; 0 = not reported
        friend bool operator==(const Answer&, const Answer&) = default;
    };
    explicit SentinelSurvey(std::size_t sentinels) : m_open(sentinels), m_count(sentinels) {}

    /// Enters one more sentinel's answer: it names a master; or it does not, or cannot be asked.
    void answered(Answer answer);
    void failed();
    /// Completes when more than half agree, or all have answered.
    const Completion<bool>& enough() const { return m_enough; }
    /// The best answer: of the latest configuration, then the one that most sentinels give.
    std::optional<Answer> best() const;
    /// Whether more than half of all sentinels give exactly this answer.
    bool majorityFor(const Answer& answer) const;

private:
    void settle();
    std::vector<Answer> m_answers;
    std::size_t m_open;
    std::size_t m_count;
    Completion<bool> m_enough;
};

/// The result of asking one sentinel, besides its answer in the survey: a sentence for the user, and its reaction to
/// the login.
struct SentinelWord {
    enum class Login : std::uint8_t { Fine, Unknown, Missing };
    QString complaint; ///< empty: it named a master
    Login login = Login::Fine;
};
/// Asks one sentinel, within the command time-out of its client; enters the answer in `survey`. Throws Cancelled.
QCoro::Task<SentinelWord> askSentinel(Client& sentinel, QByteArray master, std::shared_ptr<SentinelSurvey> survey,
                                      std::stop_token stop);

} // namespace lockscope::redis
