// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/axis_scale.h"
#include "editor/edited_document.h"

#include <QTimer>
#include <QWidget>

namespace lockscope::views {

/// The narration of a lesson on the axis of time of its scene: above, the moments that have names, by the run itself;
/// below, the steps, from where each begins to where it stops. The end of a step is dragged; it keeps the moment that
/// it is told by ("wake+300ms"). Faults that the lesson itself plans at an instant stand below the steps: they are
/// dragged, too, and removed by Delete.
///
/// By keys: Up and Down choose a step, Page Up and Page Down a fault; Left and Right move it by 100 ms (with Shift by
/// 1 s). The scenes are played in the background, whenever the lesson is without a mistake; until then the axis stays
/// as it was.
class StepAxis : public QWidget {
    Q_OBJECT
public:
    explicit StepAxis(EditedDocument* document, QWidget* parent = nullptr);

    /// The number of the chosen step, from 0; the axis shows its scene.
    int current() const { return m_current; }
    void setCurrent(int index);
    /// The scene of the chosen step; nullptr: the lesson has a mistake.
    const lesson::Scene* scene() const;
    /// Where the axis ends.
    Nanos until() const { return scale().until; }
    /// As FaultAxis::setLeft().
    void setLeft(int px);
    /// Where a step's bar is, px; empty: it belongs to another scene, or its scene was not played yet.
    QRect barOf(int index) const;
    /// How many faults stand on the axis, and where one of them does, px; empty: there is none of this number.
    int faultCount() const { return int(faults().size()); }
    QRect faultMark(int index) const;
    /// A sentence in place of the steps, where the scene of the chosen one is being played or cannot be; else empty.
    QString notice() const { return shown() ? QString() : notShown(); }
    /// Whether the scenes of the document as it stands have been played.
    bool isUpToDate() const { return m_playedFor == m_wanted && m_wanted > 0; }
    int xOf(Nanos at) const { return scale().xOf(at); }
    QSize sizeHint() const override { return {640, 118}; }
    QSize minimumSizeHint() const override { return {240, 118}; }

Q_SIGNALS:
    void currentChanged(int index);
    /// The chosen step in words, for a status line.
    void told(QString sentence);
    /// The scenes were played.
    void played();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Named {
        QString name;
        Nanos at{};
    };
    struct Part {
        int index = 0; ///< of the step
        Nanos from{}, until{};
    };
    /// A scene as it was played.
    struct Played {
        QString scene;
        Nanos end{};
        std::vector<Named> moments;
        std::vector<Part> steps;
        QString error; ///< a sentence: why it does not play; empty: it did
    };
    /// A fault that the lesson plans for the scene in sight.
    struct PlannedFault {
        QString place; ///< in the document: "/scenes/0/change/faults/2"
        Nanos at{};
        QString words;
        QRect mark;
    };
    static std::vector<Played> play(const lesson::Lesson& lesson);
    void playSoon();
    void begin();
    const Played* shown() const;
    /// Why the chosen step's scene is not in sight, a sentence.
    QString notShown() const;
    const Part* part(int index) const;
    AxisScale scale() const;
    QRect barOf(const Part& part) const;
    /// The end of the step at a pixel, -1: none.
    int gripAt(const QPoint& at) const;
    void moveEnd(int index, Nanos to);
    std::vector<PlannedFault> faults() const;
    void paintFaults(QPainter& painter, int bottom) const;
    void chooseFault(int index);
    void moveFault(Nanos to);
    void removeFault();
    void tell();
    void tellFault();

    EditedDocument* m_document;
    std::vector<Played> m_played;
    QTimer m_soon;
    int m_wanted = 0, m_playedFor = 0; ///< generations of the document
    int m_left = AxisScale::kMargin;   ///< px
    int m_current = 0;
    int m_fault = -1;               ///< the chosen one among faults(); -1: a step is chosen
    std::optional<Nanos> m_dragged; ///< where the end of the chosen step, or the chosen fault, is being dragged to
    bool m_gripped = false;
    int m_grip = 0; ///< from a fault's instant to where it was gripped, px
};

} // namespace lockscope::views
