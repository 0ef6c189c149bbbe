// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "experiment/contrast.h"
#include "models/view_context.h"
#include "session/shared_run.h"

#include <QTimer>
#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QToolButton;

namespace lockscope::views {

class DifferenceMark;
class Player;
class TimelineView;
class VerdictBanner;

/// Two runs of one scenario, one seed and the same faults that differ in one setting, one above the other over one axis
/// of time. It marks the first place where they part, and says in words what happens there.
class CompareWindow : public QWidget {
    Q_OBJECT
public:
    /// `run`: the upper one. `contrast`: the change for the lower one; none: the first that the scenario offers.
    explicit CompareWindow(const session::SharedRun& run, std::optional<experiment::Contrast> contrast = {},
                           QWidget* parent = nullptr);
    ~CompareWindow() override;

    /// Whether both are computed to their end and compared.
    bool isReady() const { return m_ready; }
    const std::optional<experiment::Difference>& difference() const { return m_difference; }
    /// The sentence on where the runs part.
    QString story() const;
    /// The sentence on how they end.
    QString outcome() const;
    QComboBox* choice() const { return m_choice; }
    ViewContext* context(int which) const { return m_sides[std::size_t(which)].context; }
    TimelineView* timeline(int which) const { return m_sides[std::size_t(which)].view; }

public Q_SLOTS:
    /// Goes to where the runs part.
    void showDifference();

Q_SIGNALS:
    void ready();
    /// The lower run is to be opened in the main window.
    void openWanted(lockscope::session::SharedRun run);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Side {
        ViewContext* context = nullptr;
        QLabel* caption = nullptr;
        VerdictBanner* banner = nullptr;
        TimelineView* view = nullptr;
        DifferenceMark* mark = nullptr;
        std::unique_ptr<session::Session> session;
    };
    QWidget* makeSide(Side& side);
    void setRun(Side& side, const session::SharedRun& run);
    void choose(int index);
    void contrast(const experiment::Contrast& contrast);
    void check();
    void followSight(int from);
    void tell();
    QString happening(const Side& side, std::optional<std::size_t> row) const;
    QString brokenBy(const Side& side) const;

    session::SharedRun m_run, m_other;
    std::vector<experiment::Contrast> m_contrasts;
    std::array<Side, 2> m_sides;
    Player* m_player;
    QComboBox* m_choice;
    QToolButton* m_play;
    QLabel* m_clock;
    QPushButton* m_story;
    QLabel* m_outcome;
    QTimer m_pace;
    std::optional<experiment::Difference> m_difference;
    bool m_ready = false;
    bool m_following = false; ///< one view is just taking the sight of the other
};

/// A contrast in words: "with fencing: the resource checks tokens", "recipe redis-fair".
QString contrastWords(const experiment::Contrast& contrast);

} // namespace lockscope::views
