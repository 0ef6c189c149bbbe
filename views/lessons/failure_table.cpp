// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/failure_table.h"

#include "theme/fonts.h"
#include "theme/format.h"

#include <QEvent>
#include <QGridLayout>

namespace lockscope::views {

using experiment::CellOutcome;

namespace {

/// A head with its last word on a line of its own: columns are narrow, and Chinese breaks anywhere.
QString onTwoLines(QString title) {
    if (const qsizetype space = title.lastIndexOf(u' '); space > 0) title[space] = u'\n';
    return title;
}

} // namespace

FailureTable::FailureTable(QWidget* parent) : QWidget(parent), m_legend(new Paragraph) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kGrid);
    m_grid = new QGridLayout;
    m_grid->setHorizontalSpacing(kGrid);
    m_grid->setVerticalSpacing(kGrid / 2);
    column->addLayout(m_grid);
    column->addWidget(m_legend);
    setAccessibleName(tr("How each way of locking comes through each failure"));
}

void FailureTable::setTable(const lesson::Table* table, const QString& language) {
    const bool same = table ? m_table == *table : !m_table;
    if (same && language == m_language) return;
    m_language = language;
    if (!same) {
        m_work = {}; // waits for the table before
        m_cells.clear();
        m_table = table ? std::optional(*table) : std::nullopt;
        if (m_table)
            m_work = std::jthread([this, wanted = *m_table] {
                auto cells = lesson::computed(wanted);
                QMetaObject::invokeMethod(this, [this, wanted, cells = std::move(cells)] {
                    if (m_table != wanted) return;
                    m_cells = cells;
                    fill();
                    Q_EMIT computed();
                });
            });
    }
    build();
}

void FailureTable::build() {
    for (auto* labels : {&m_heads, &m_names, &m_words}) {
        for (DimLabel* label : *labels)
            delete label;
        labels->clear();
    }
    m_legend->setVisible(m_table.has_value());
    if (!m_table) return;
    const int columns = int(m_table->columns.size());
    for (int column = 0; column < columns; ++column) {
        m_heads.push_back(new DimLabel(onTwoLines(m_table->columns[std::size_t(column)].title.in(m_language))));
        m_heads.back()->setWordWrap(true);
        m_heads.back()->setAlignment(Qt::AlignHCenter | Qt::AlignBottom);
        m_grid->addWidget(m_heads.back(), 0, column + 1);
        m_grid->setColumnStretch(column + 1, 1);
    }
    for (int row = 0; row < int(m_table->recipes.size()); ++row) {
        m_names.push_back(new DimLabel(m_table->recipes[row]));
        m_names.back()->setRole(Role::Text);
        m_grid->addWidget(m_names.back(), row + 1, 0);
        for (int column = 0; column < columns; ++column) {
            m_words.push_back(new DimLabel);
            m_words.back()->setAlignment(Qt::AlignCenter);
            m_grid->addWidget(m_words.back(), row + 1, column + 1);
        }
    }
    fill();
}

void FailureTable::fill() {
    for (DimLabel* label : m_heads)
        label->setFont(uiFont(-1));
    for (DimLabel* label : m_names)
        label->setFont(fixedFont(-0.5));
    m_legend->setFont(uiFont(-1));
    m_legend->setText(
        tr("✓ safe · ✓ with a time: safe, but nobody got in for that long · stuck: nobody gets in any more · "
           "✗ two held it, or an old write was accepted"));
    const int columns = m_table ? int(m_table->columns.size()) : 0;
    for (std::size_t i = 0; i < m_words.size(); ++i) {
        DimLabel* const label = m_words[i];
        label->setFont(uiFont(0, QFont::DemiBold));
        if (m_cells.empty()) {
            label->setText(QStringLiteral("…"));
            continue;
        }
        const int row = int(i) / columns, column = int(i) % columns;
        const lesson::TableCell& cell = m_cells[std::size_t(row)][std::size_t(column)];
        const bool played = !cell.scenario.isEmpty();
        switch (cell.outcome) {
        case CellOutcome::Safe:
            label->setText(QStringLiteral("✓"));
            label->setRole(Role::AcceptedText);
            break;
        case CellOutcome::Recovered:
            label->setText(QStringLiteral("✓ %1").arg(duration(cell.outage)));
            label->setRole(Role::WaitingText);
            break;
        case CellOutcome::Stalled:
            //: In a narrow cell of a table: nobody gets the lock any more.
            label->setText(tr("stuck"));
            label->setRole(Role::ViolationText);
            break;
        case CellOutcome::Violated:
            label->setText(QStringLiteral("✗"));
            label->setRole(Role::ViolationText);
            break;
        case CellOutcome::Unknown:
            label->setText(played ? QStringLiteral("?") : QStringLiteral("—"));
            label->setRole(Role::TextDim);
            break;
        }
        label->setToolTip(sentence(row, column));
        label->setAccessibleName(label->toolTip());
    }
}

QString FailureTable::sentence(int row, int column) const {
    if (!m_table || m_cells.empty()) return {};
    const lesson::TableCell& cell = m_cells.at(std::size_t(row)).at(std::size_t(column));
    QString outcome;
    switch (cell.outcome) {
    case CellOutcome::Safe:
        outcome = tr("no rule was broken, and nobody waited for long");
        break;
    case CellOutcome::Recovered:
        outcome = tr("no rule was broken, but nobody got in for %1").arg(duration(cell.outage));
        break;
    case CellOutcome::Stalled:
        outcome = tr("nobody got in any more");
        break;
    case CellOutcome::Violated:
        outcome = tr("two held it at once, or an old write was accepted");
        break;
    case CellOutcome::Unknown:
        outcome = cell.scenario.isEmpty() ? tr("this failure does not exist there") : tr("not all could be seen");
        break;
    }
    const QString failure = m_table->columns[std::size_t(column)].title.in(m_language);
    //: A cell of a table: %1 a recipe, %2 a failure, %3 what came of it.
    return tr("%1, %2: %3").arg(m_table->recipes[row], failure, outcome);
}

void FailureTable::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) fill();
}

} // namespace lockscope::views
