// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lesson/lesson_table.h"
#include "theme/widgets.h"

#include <QWidget>
#include <thread>

class QGridLayout;

namespace lockscope::views {

/// A lesson's table of recipes and failures. Every cell is played when the table is first shown, on threads of its own,
/// and says how the recipe came through.
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

Q_SIGNALS:
    void computed();

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void fill();

    std::optional<lesson::Table> m_table;
    QString m_language;
    std::vector<std::vector<lesson::TableCell>> m_cells; ///< empty: not computed yet
    QGridLayout* m_grid;
    std::vector<DimLabel*> m_heads, m_names, m_words; ///< m_words: row by row
    Paragraph* m_legend;
    std::jthread m_work; ///< last: it is joined before the rest goes
};

} // namespace lockscope::views
