// SPDX-License-Identifier: Apache-2.0
#include "recipes/waiting.h"
#include "recipes/zookeeper/zk_patience.h"
#include "recipes/zookeeper/zk_recipe.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {
/// The servers are silent: nobody knows whether the lock is free.
LockError silence(const QByteArray& path) {
    return {LockError::Kind::OutcomeUnknown,
            QCoreApplication::translate("LockError", "The servers did not answer in time for the lock “%1”; the "
                                                     "request is taken back as soon as they do.")
                .arg(QString::fromUtf8(path))};
}
} // namespace

/// A try takes its turn in the queue, too: it ends when it has the lock, when the time is over, or undecided.
class ZkRecipe::Contender final : public LockContender {
public:
    using Of = ZkRecipe;
    struct Asked {
        Request request;
        std::stop_token stop;
    };
    static constexpr Undo kUndo = Undo::Always;
    Contender(ZkRecipe& of, Asked asked)
        : LockContender(of.m_lock.port.runtime(), std::move(asked.request)),
          m(of),
          m_patience(of.m_lock.port, giveUpAt, std::move(asked.stop)) {}

    Outcome<Tried<Grant>> attempt(std::stop_token) override {
        request.steps.at(m.m_steps.create);
        m_attempt = std::make_shared<ZkAttempt>();
        auto grant = co_await unlessStopped(m.attempt(m_attempt, request, giveUpAt, m_patience.token()));
        if (!grant && !m_patience.over()) throw Cancelled(Cancelled::Why::Stopped);
        if (grant && !*grant) {
            m_trouble = grant->error();
            co_return std::unexpected(*m_trouble);
        }
        Tried<Grant> tried;
        if (grant) tried.granted = std::move(**grant);
        if (m_patience.over()) tried.failure = m_trouble ? *m_trouble : silence(m.m_lock.path); // no answer since then
        if (m_attempt->again) tried.next = Tried<Grant>::Next::AtOnce;
        m_trouble.reset();
        co_return tried;
    }
    QCoro::Task<> undo(Then) override {
        // The last one first: a place in a queue keeps the next one out until all that it has led to is gone.
        std::vector<std::shared_ptr<ZkTicket>> tickets = std::exchange(m_attempt->tickets, {});
        std::ranges::reverse(tickets);
        if (!m_patience.over()) {
            co_await takeAwayAll(m.m_lock.port, tickets);
            co_return;
        }
        for (const auto& ticket : tickets)
            takeAwaySoon(m.m_lock.port, ticket);
    }

private:
    ZkRecipe& m;
    ZkPatience m_patience;
    std::shared_ptr<ZkAttempt> m_attempt;
    std::optional<LockError> m_trouble; ///< of the try before
};

Outcome<std::optional<Grant>> ZkRecipe::tryUntilDecided(Request request, std::stop_token stop) {
    Contender::Asked asked{std::move(request), stop};
    return contend<Contender>(*this, std::move(asked), std::move(stop));
}

} // namespace lockscope::recipes
