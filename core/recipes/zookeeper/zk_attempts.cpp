// SPDX-License-Identifier: Apache-2.0
#include "recipes/backoff.h"
#include "recipes/zookeeper/zk_patience.h"
#include "recipes/zookeeper/zk_recipe.h"

namespace lockscope::recipes {

Outcome<std::optional<Grant>> ZkRecipe::tryUntilDecided(Request request, std::stop_token stop) {
    zookeeper::Port& port = m_lock.port;
    Runtime& runtime = port.runtime();
    const Nanos giveUpAt = laterBy(runtime.monotonic(), request.wait);
    const ZkPatience patience(port, giveUpAt, stop);
    Backoff backoff;
    std::optional<LockError> trouble;
    for (;;) {
        request.steps.at(m_steps.create);
        const auto mine = std::make_shared<ZkAttempt>();
        std::expected<std::optional<Grant>, LockError> grant;
        ZkInterruption interruption;
        try {
            grant = co_await attempt(mine, request, giveUpAt, patience.token());
        } catch (const Cancelled& cancelled) {
            interruption.caught(cancelled);
        }
        if (!interruption.stopped && grant && *grant) co_return grant;
        const bool troubled = !grant && passes(grant.error());
        // The last one first: a place in a queue keeps the next one out until all that it has led to is gone.
        std::ranges::reverse(mine->tickets);
        if (patience.over()) {
            for (const auto& ticket : mine->tickets)
                takeAwaySoon(port, ticket);
            if (grant && trouble) grant = std::unexpected(*trouble);
        } else {
            co_await takeAwayAll(port, mine->tickets);
            interruption.goOn();
        }
        if ((!troubled && !mine->again) || runtime.monotonic() >= giveUpAt) {
            request.steps.leave();
            co_return grant;
        }
        trouble.reset();
        if (!troubled) continue;
        trouble = grant.error(); // nobody tells when servers are back: look again, less often each time
        co_await runtime.sleep(backoff.next(runtime, giveUpAt), stop);
    }
}

} // namespace lockscope::recipes
