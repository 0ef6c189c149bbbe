// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/redis/driver.h"
#include "runtime/completion.h"

namespace lockscope::redis {

/// What the sentinels say who the master is, as it comes in.
class SentinelSurvey {
public:
    struct Answer {
        Endpoint master;
        std::int64_t epoch = 0; ///< of the configuration: grows with each failover; 0 = not told
        friend bool operator==(const Answer&, const Answer&) = default;
    };
    explicit SentinelSurvey(std::size_t sentinels) : m_open(sentinels), m_count(sentinels) {}

    /// One sentinel more has spoken: it names a master; or it does not, or cannot be asked.
    void answered(Answer answer);
    void failed();
    /// True once more than half agree, or all have spoken.
    const Completion<bool>& enough() const { return m_enough; }
    /// The best there is: of the latest configuration, then the one that most name.
    std::optional<Answer> best() const;
    /// More than half of all sentinels say just this.
    bool majorityFor(const Answer& answer) const;

private:
    void settle();
    std::vector<Answer> m_answers;
    std::size_t m_open;
    std::size_t m_count;
    Completion<bool> m_enough;
};

/// Asks one sentinel. What it says goes into the survey; the return value is what to tell people of it, a sentence, and
/// what it thinks of the login.
struct SentinelWord {
    enum class Login : std::uint8_t { Fine, Unknown, Missing };
    QString complaint; ///< empty: it named a master
    Login login = Login::Fine;
};
/// The same: within what an answer of that driver may take. Throws Cancelled.
QCoro::Task<SentinelWord> askSentinel(RedisDriver& sentinel, QByteArray master, std::shared_ptr<SentinelSurvey> survey,
                                      std::stop_token stop);

} // namespace lockscope::redis
