// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "recipes/recipe_info.h"

#include <QComboBox>

namespace lockscope::views {

/// The recipes that can be simulated: the safe ones first, then the unsafe ones, each with a line that tells it apart.
/// The list is as wide as its longest line. Recipes that do not fit a scenario can be seen but not chosen.
class RecipeBox : public QComboBox {
    Q_OBJECT
public:
    /// Data of an entry: the recipe's id in UserRole, its line in LineRole. Headings have neither.
    static constexpr int LineRole = Qt::UserRole + 1;

    explicit RecipeBox(QWidget* parent = nullptr);
    /// From now on only these can be chosen.
    void offer(const std::vector<recipes::RecipeInfo>& fitting);
    /// How wide it must be for the chosen recipe to be read as a whole.
    int widthOfText() const;
    void showPopup() override;

Q_SIGNALS:
    /// A recipe was chosen from the open list. A step with the arrow keys in the closed box is none: more may follow.
    void chosenFromList();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    bool m_steps = false; ///< a key is being handled by the closed box
};

} // namespace lockscope::views
