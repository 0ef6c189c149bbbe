// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe.h"

#include <map>

namespace lockscope::recipes {

/// How a MultiRecipe treats its parts' fencing tokens.
struct PartTokens {
    bool take = false;                   ///< take one with each part that can give one
    std::vector<std::size_t> order = {}; ///< part indices in tokensOf()'s order; empty: as the parts are taken
};

/// Several locks as one, all of them or none, over any recipes and backends.
///
/// The parts are taken in the given order; if that is equal in all processes, nobody waits in a circle. Time-outs
/// resolve a deadlock with clients of another order: a round that has not taken all parts in time gives them back in
/// reverse order and starts again after a random pause of 10 to 100 ms. A round's time is 1.5 s per part, at most half
/// the lease, counted from taking the first part. (The idea is that of Redisson's RedissonMultiLock.) Parts taken early
/// are renewed while it waits for the rest.
///
/// The hold is lost when any part is lost; the others are then given back. Parts held by a lease are renewed. Parts
/// held by a session or a connection are watched in the background, and news() reports all of them together. Grants
/// have no token, because several locks have no common order. Each part's own token is taken on request, where the part
/// gives one: tokensOf().
class MultiRecipe final : public Recipe {
public:
    /// `info`: the id and texts to report; heldBy, news, reentrant and watchdog are derived from the parts. At least
    /// one part; all parts use `runtime`.
    MultiRecipe(Runtime& runtime, RecipeInfo info, std::vector<std::unique_ptr<Recipe>> parts, PartTokens tokens = {});
    const RecipeInfo& info() const override { return m_info; }
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    Outcome<HoldNews> news(Grant grant, std::stop_token stop) override;
    /// As Recipe::onReconnect(), for any part.
    CallList::Registration onReconnect(CallList::Callback ask) override;
    bool listens() const override;
    Outcome<void> listen(Grant grant, CallList::Callback ask, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    /// Frees all parts; true when any was held.
    Outcome<bool> forceRelease(std::stop_token stop) override;
    /// Whether any part is held.
    Outcome<bool> isLocked(std::stop_token stop) override;
    /// Kind::NotSupported: each part has a holder of its own.
    Outcome<std::vector<HolderInfo>> holders(std::stop_token stop) override;
    void abandoned(const Grant& grant) override;
    /// Gives back, in the background, what the parts' servers still keep, so that one silent server does not make
    /// others wait for the remaining parts.
    void overdue(const Grant& grant) override;
    std::vector<std::int64_t> tokensOf(const Grant& grant) const override;

private:
    using Parts = std::vector<std::unique_ptr<Recipe>>;
    friend struct MultiHold;
    struct Own;
    static std::shared_ptr<Own> partsOf(const Grant& grant);
    /// Shared with background coroutines, which may outlive the recipe.
    struct Core {
        explicit Core(Runtime& r, Parts p) : runtime(r), parts(std::move(p)) {}
        Runtime& runtime;
        Parts parts;
        /// The holds in progress, by thread and mode, with their parts.
        std::map<std::pair<QByteArray, Mode>, std::weak_ptr<const MultiHold>> followed;
    };
    enum class Round : std::uint8_t { All, NotAll };
    class Contender;
    /// One round: takes the parts in turn, and enters into `grants` what it has.
    Outcome<Round> takeAll(Request request, Nanos giveUpAt, std::vector<Grant>& grants, std::stop_token stop);
    /// Renews the parts that have used up a third of their lease; false when one of them is lost.
    Outcome<bool> refresh(std::vector<Grant>& grants, std::stop_token stop);
    QCoro::Task<> giveBack(std::vector<Grant> grants);
    /// Ends all holds of all parts, after one of them was lost.
    static QCoro::Task<> giveAllUp(std::shared_ptr<Core> core, std::shared_ptr<Own> own);
    /// Gives all parts up in the background, so that the report of a loss is not delayed.
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
