// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/condition.h"

namespace lockscope {

/// A recipe that keeps its port alive. A hold that is given back in the background keeps its recipe, and so reaches the
/// server even after the connection object was destroyed.
class KeptRecipe final : public recipes::Recipe {
public:
    KeptRecipe(std::shared_ptr<const void> alive, std::unique_ptr<recipes::Recipe> recipe)
        : m_alive(std::move(alive)), m_recipe(std::move(recipe)) {}
    const recipes::RecipeInfo& info() const override { return m_recipe->info(); }
    recipes::Outcome<std::optional<recipes::Grant>> acquire(recipes::Request request, std::stop_token stop) override {
        return m_recipe->acquire(std::move(request), std::move(stop));
    }
    recipes::Outcome<bool> renew(recipes::Grant grant, std::stop_token stop) override {
        return m_recipe->renew(std::move(grant), std::move(stop));
    }
    recipes::Outcome<recipes::HoldNews> news(recipes::Grant grant, std::stop_token stop) override {
        return m_recipe->news(std::move(grant), std::move(stop));
    }
    CallList::Registration onReconnect(CallList::Callback ask) override {
        return m_recipe->onReconnect(std::move(ask));
    }
    bool listens() const override { return m_recipe->listens(); }
    recipes::Outcome<void> listen(recipes::Grant grant, CallList::Callback ask, std::stop_token stop) override {
        return m_recipe->listen(std::move(grant), std::move(ask), std::move(stop));
    }
    Nanos newsRest() const override { return m_recipe->newsRest(); }
    recipes::Outcome<int> release(recipes::Grant grant, std::stop_token stop) override {
        return m_recipe->release(std::move(grant), std::move(stop));
    }
    recipes::Grant takePart(recipes::Grant& grant, int permits) override { return m_recipe->takePart(grant, permits); }
    recipes::Outcome<bool> forceRelease(std::stop_token stop) override {
        return m_recipe->forceRelease(std::move(stop));
    }
    recipes::Outcome<bool> isLocked(std::stop_token stop) override { return m_recipe->isLocked(std::move(stop)); }
    bool prolongs() const override { return m_recipe->prolongs(); }
    recipes::Outcome<std::vector<recipes::HolderInfo>> holders(std::stop_token stop) override {
        return m_recipe->holders(std::move(stop));
    }
    recipes::Outcome<std::optional<int>> permitsFree(std::stop_token stop) override {
        return m_recipe->permitsFree(std::move(stop));
    }
    recipes::Outcome<std::optional<int>> queueLength(std::stop_token stop) override {
        return m_recipe->queueLength(std::move(stop));
    }
    void abandoned(const recipes::Grant& grant) override { m_recipe->abandoned(grant); }
    void overdue(const recipes::Grant& grant) override { m_recipe->overdue(grant); }
    std::vector<std::int64_t> tokensOf(const recipes::Grant& grant) const override { return m_recipe->tokensOf(grant); }

private:
    std::shared_ptr<const void> m_alive;
    std::unique_ptr<recipes::Recipe> m_recipe; ///< destroyed first
};

/// A condition that keeps its port alive, as KeptRecipe.
class KeptCondition final : public recipes::ConditionRecipe {
public:
    KeptCondition(std::shared_ptr<const void> alive, std::unique_ptr<recipes::ConditionRecipe> condition)
        : m_alive(std::move(alive)), m_condition(std::move(condition)) {}
    recipes::Outcome<void> enlist(QByteArray thread, std::stop_token stop) override {
        return m_condition->enlist(std::move(thread), std::move(stop));
    }
    recipes::Outcome<bool> awaitSignal(QByteArray thread, Nanos wait, std::stop_token stop) override {
        return m_condition->awaitSignal(std::move(thread), wait, std::move(stop));
    }
    recipes::Outcome<int> signal(int most, std::stop_token stop) override {
        return m_condition->signal(most, std::move(stop));
    }

private:
    std::shared_ptr<const void> m_alive;
    std::unique_ptr<recipes::ConditionRecipe> m_condition; ///< destroyed first
};

} // namespace lockscope
