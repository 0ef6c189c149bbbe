// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QStringList>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace lockscope::recipes {

/// The number of a recipe's step, from 1; 0 = none. Made of an enumerator, not of a number: a number in the middle of
/// an algorithm tells nobody which step it is.
///
/// A recipe's own file begins with its steps, its facts and their texts, so that they read beside the algorithm:
///
///     enum class Step : std::uint32_t { Take = 1, Work, Release };
///
///     RecipeInfo exampleInfo() {
///         RecipeInfo info;
///         info.id = "example";
///         info.steps = stepTexts<Step>({{Step::Take, Text::tr("SET {name} me NX")},
///                                       {Step::Work, Text::tr("work, write to the resource")},
///                                       {Step::Release, Text::tr("DEL {name}")}});
///         info.workStep = Step::Work;
///         return info;
///     }
///
/// recipe_infos.h declares exampleInfo(), recipe_info.cpp lists it, and the algorithm says `steps.at(Step::Take)`.
/// Recipes that share their waiting share its steps: then `using Step = TheirBase::Step;` stands in the enum's place.
class StepNumber {
public:
    constexpr StepNumber() = default;
    /// A step of any recipe.
    template <typename S>
    requires std::is_scoped_enum_v<S>
    constexpr StepNumber(S step) : m_number(static_cast<std::uint32_t>(std::to_underlying(step))) {}

    /// As traces keep it.
    constexpr std::uint32_t number() const { return m_number; }

private:
    std::uint32_t m_number = 0;
};

/// A step with its text.
template <typename S>
struct StepText {
    S step;
    QString text;
};

/// The texts as RecipeInfo::steps keeps them. Precondition: all steps from 1, each once, in their order.
template <typename S>
QStringList stepTexts(std::initializer_list<StepText<S>> steps) {
    QStringList texts;
    for (const StepText<S>& one : steps) {
        texts += one.text;
        Q_ASSERT(StepNumber(one.step).number() == std::size_t(texts.size()));
    }
    return texts;
}

} // namespace lockscope::recipes
