// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "statistics/statistics_model.h"
#include "theme/palette.h"

#include <QWidget>

namespace lockscope::views {

/// The figures of all locks at a glance, above their table: the locks that were waited for longest, those that are held
/// longest now, how long a lock takes from one holder to the next, and where servers are watched, how often the locks
/// of each are taken. A click on a lock's bar selects it.
class StatisticsStrip : public QWidget {
    Q_OBJECT
public:
    StatisticsStrip(ViewContext* context, const StatisticsModel* model, QWidget* parent = nullptr);
    QSize sizeHint() const override { return {480, usualHeight()}; }
    static int usualHeight();

protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    /// A lock or a connection, how long its bar is in relation to the others, and the words for that.
    struct Bar {
        trace::EntityId entity = trace::kNoEntity;
        double length = 0;
        QString words;
    };
    using Bars = std::vector<Bar>;
    static Bars barsOf(const std::vector<StatisticsModel::Longest>& locks);
    /// "3.2 now, usual 2.9": over all connections.
    /// The kind of time that the histogram shows, or how exactly it is known.
    QString handOverWords() const;
    QString churnWords() const;
    int parts() const;
    struct Part {
        QRect room;  ///< below the caption
        QRect whole; ///< with it
    };
    Part part(int index) const;
    QRect bar(const QRect& room, int row) const;
    /// The lock whose bar is there; kNoEntity: none.
    trace::EntityId lockAt(QPoint at) const;
    QString tipAt(QPoint at) const;
    void paintBars(QPainter& painter, const QRect& room, const Bars& bars, Role fill, const QString& nothing) const;
    void paintChurn(QPainter& painter, const QRect& room) const;
    void paintHistogram(QPainter& painter, const QRect& room) const;
    void tell();

    ViewContext* m_context;
    const StatisticsModel* m_model;
};

} // namespace lockscope::views
