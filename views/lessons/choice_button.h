// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractButton>

namespace lockscope::views {

/// An answer to a lesson's question: its key in a cap, and its words in as many lines as they need.
class ChoiceButton : public QAbstractButton {
    Q_OBJECT
public:
    enum class Mark : std::uint8_t {
        Open,   ///< can be chosen
        Chosen, ///< marked, and can be changed
        Locked, ///< the bet
        Passed, ///< not the bet, and too late to change
    };
    explicit ChoiceButton(int number, QWidget* parent = nullptr);
    void setChoice(const QString& words, Mark mark);
    /// The hands of a class for this answer, and the most that any answer has; 0 of 0: none were counted.
    void setHands(int hands, int most);
    /// With less air above and below its words, where there is little room.
    void setTight(bool tight);
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent*) override;

private:
    /// Says the state to a screen reader.
    void tellState();
    int wordsLeft() const;
    int wordsRight() const;
    int m_number, m_hands = 0, m_mostHands = 0;
    Mark m_mark = Mark::Open;
    bool m_tight = false;
};

/// Where in a lesson the reader is: a dot for each step.
class StepDots : public QWidget {
    Q_OBJECT
public:
    explicit StepDots(QWidget* parent = nullptr);
    /// `step` from 0.
    void setStep(int step, int steps);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    int m_step = 0, m_steps = 0;
};

} // namespace lockscope::views
