// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe.h"

#include <map>

namespace lockscope::recipes {

/// Of the fencing tokens of a MultiRecipe's parts.
struct PartTokens {
    bool take = false;                   ///< one with each part that gives any
    std::vector<std::size_t> order = {}; ///< which part's tokensOf() tells first, second …; empty: as they are taken
};

/// Several locks as one, all of them or none, over any recipes, of different backends too.
///
/// They are taken in the order given: give it the same everywhere and nobody waits in a circle. Whoever orders them
/// differently is got through by time-outs: a round that has not all of them within 1.5 s for each after the first, and
/// at most half the lease, gives back what it has in reverse order and begins again after a random pause. (The idea of
/// Redisson's RedissonMultiLock.) What was taken first is renewed while the rest is waited for.
///
/// The hold is lost when any part is lost; the others are then given back. Parts that are held by a lease are renewed;
/// those that live by a session or a connection are watched in the background, and news() tells of all of them
/// together. Grants have no token: there is no one order for the tokens of several locks. Each part's own are taken
/// when asked for, where the part gives any: tokensOf().
class MultiRecipe final : public Recipe {
public:
    /// `info`: who it says that it is; its heldBy, news, reentrant and watchdog become what the parts allow of. At
    /// least one part; the runtime is that of all of them.
    MultiRecipe(Runtime& runtime, RecipeInfo info, std::vector<std::unique_ptr<Recipe>> parts, PartTokens tokens = {});
    const RecipeInfo& info() const override { return m_info; }
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    Outcome<HoldNews> news(Grant grant, std::stop_token stop) override;
    /// Of any part.
    CallList::Registration onReconnect(CallList::Callback ask) override;
    bool listens() const override;
    Outcome<void> listen(Grant grant, CallList::Callback ask, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    /// Frees all parts; true when there was anything to free.
    Outcome<bool> forceRelease(std::stop_token stop) override;
    /// True when any part is held.
    Outcome<bool> isLocked(std::stop_token stop) override;
    void abandoned(const Grant& grant) override;
    /// Gives back, in the background, what the parts' servers still keep: one that does not answer any more is no
    /// reason for others to wait for the rest.
    void overdue(const Grant& grant) override;
    std::vector<std::int64_t> tokensOf(const Grant& grant) const override;

private:
    using Parts = std::vector<std::unique_ptr<Recipe>>;
    struct Own;
    struct Handle;
    static const std::shared_ptr<Own>& ownOf(const Grant& grant);
    /// Shared with background coroutines, which may outlive the recipe.
    struct Core {
        explicit Core(Runtime& r, Parts p) : runtime(r), parts(std::move(p)) {}
        Runtime& runtime;
        Parts parts;
        /// What the holds that are followed have of their parts, by thread and mode.
        std::map<std::pair<QByteArray, Mode>, std::weak_ptr<const Handle>> followed;
    };
    enum class Round : std::uint8_t { All, NotAll };
    /// One round; on anything but All, nothing is held by it.
    Outcome<Round> round(Request request, Nanos giveUpAt, std::vector<Grant>& grants, std::stop_token stop);
    Outcome<Round> takeAll(Request request, Nanos giveUpAt, std::vector<Grant>& grants, std::stop_token stop);
    /// Renews what has used up a third of its lease. False: one of them is lost.
    Outcome<bool> refresh(std::vector<Grant>& grants, std::stop_token stop);
    QCoro::Task<> giveBack(std::vector<Grant> grants);
    /// Ends all holds of all parts, after one of them was lost.
    static QCoro::Task<> giveAllUp(std::shared_ptr<Core> core, std::shared_ptr<Own> own);
    /// Whoever hears of a loss need not wait until all is given back.
    void giveUpBeside(std::shared_ptr<Own> own) {
        m_core->runtime.spawn([core = m_core, own = std::move(own)] { return giveAllUp(core, own); });
    }
    Grant granted(const Request& request, std::vector<Grant> grants);
    void watch(const std::shared_ptr<Own>& own, std::size_t part);
    static QCoro::Task<> follow(std::shared_ptr<Core> core, std::shared_ptr<Own> own, std::size_t part);

    RecipeInfo m_info;
    PartTokens m_tokens;
    std::shared_ptr<Core> m_core;
};

} // namespace lockscope::recipes
