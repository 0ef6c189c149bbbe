// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lesson/lesson_table.h"
#include "theme/widgets.h"

#include <QHash>
#include <QWidget>
#include <thread>

class QGridLayout;

namespace lockscope::views {

class OutcomeCell;

/// A lesson's table of recipes and failures. Every cell is played when the table is first shown, on threads of its own,
/// and says how the recipe came through. A click on a cell, or Enter, asks for its run; Tab comes to one of the cells,
/// and arrow keys go on from there.
class FailureTable : public QWidget {
    Q_OBJECT
public:
    explicit FailureTable(QWidget* parent = nullptr);

    /// Shows this table with its heads in that language; null: none, and the widget is empty.
    void setTable(const lesson::Table* table, const QString& language);
    /// Whether every cell has its outcome.
    bool isComputed() const { return !m_cells.empty(); }
    /// Whether cells are still being played.
    bool isComputing() const { return m_table && m_cells.empty(); }
    /// The words of a cell for its tool tip and for a screen reader: "redis-set, holder pauses: two held it at once,
    /// or an old write was accepted".
    QString sentence(int row, int column) const;
    /// The cell's button, to be pressed once isComputed(); disabled where nothing was played. Row and column from 0.
    QAbstractButton* cell(int row, int column) const;
    /// Whether `widget` is a cell that has a use of its own for this key: to be pressed, or to go to another cell.
    static bool needsKey(const QWidget* widget, int key);
    /// As narrow as may be: then letters and gaps are smaller.
    QSize minimumSizeHint() const override { return {0, QWidget::minimumSizeHint().height()}; }

Q_SIGNALS:
    void computed();
    /// The run of a cell shall open: this scenario with that seed.
    void runWanted(lockscope::scenario::Scenario scenario, quint64 seed);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void build();
    void fill();
    int columns() const { return m_table ? int(m_table->columns.size()) : 0; }
    void fillCell(int row, int column);
    /// A scenario's title in the program's language, or its id. Many cells have the same scenario: it is read once.
    QString titleOf(const QString& scenario);
    /// Whether the usual letters are too wide for all columns.
    bool isTight() const;
    /// The font of a cell's words.
    QFont cellFont() const;
    void open(int row, int column);
    /// The nearest cell in this direction that can be pressed gets the keyboard.
    void step(int from, int key);
    /// Tab comes to this cell, and to no other.
    void setCurrent(int cell);

    std::optional<lesson::Table> m_table;
    QString m_language;
    std::vector<std::vector<lesson::TableCell>> m_cells; ///< empty: not computed yet
    QHash<QString, QString> m_titles;                    ///< by scenario; filled with the cells
    QGridLayout* m_grid;
    std::vector<DimLabel*> m_heads, m_names;
    std::vector<OutcomeCell*> m_outcomes; ///< row by row
    bool m_tight = false;
    Paragraph* m_legend;
    std::jthread m_work; ///< last: it is joined before the rest goes
};

} // namespace lockscope::views
