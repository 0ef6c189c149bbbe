// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/failure_table.h"

#include "scenario/scenario_file.h"
#include "theme/fonts.h"
#include "theme/format.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QKeyEvent>
#include <QPainter>
#include <array>

namespace lockscope::views {

using experiment::CellOutcome;

namespace {

constexpr double kTightWords = -2; ///< points, where there is little room

/// A head with its last word on a line of its own: columns are narrow, and Chinese breaks anywhere.
QString onTwoLines(QString title) {
    if (const qsizetype space = title.lastIndexOf(u' '); space > 0) title[space] = u'\n';
    return title;
}

} // namespace

/// A cell that can be pressed: as quiet as a word of a table, but for the mouse over it and for the keyboard.
class OutcomeCell : public QAbstractButton {
public:
    OutcomeCell() {
        setFocusPolicy(Qt::NoFocus);
        setAttribute(Qt::WA_Hover);
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    }
    void tell(const QString& words, Role role) {
        setText(words);
        m_role = role;
        updateGeometry();
        update();
    }
    QSize sizeHint() const override {
        return {fontMetrics().horizontalAdvance(text()) + kGrid, fontMetrics().height() + kGrid / 2};
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const bool hot = isEnabled() && (underMouse() || isDown());
        if (hot || hasFocus()) {
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(hasFocus() ? QPen(color(Role::FocusRing), 1.5) : QPen(Qt::NoPen));
            painter.setBrush(hot ? QBrush(color(Role::SurfaceHover)) : QBrush(Qt::NoBrush));
            painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), kGrid / 2, kGrid / 2);
        }
        painter.setPen(color(m_role));
        painter.drawText(rect(), Qt::AlignCenter, text());
    }
    void changeEvent(QEvent* event) override {
        QAbstractButton::changeEvent(event);
        if (event->type() == QEvent::EnabledChange) isEnabled() ? setCursor(Qt::PointingHandCursor) : unsetCursor();
    }

private:
    Role m_role = Role::TextDim;
};

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
    m_titles.clear(); // the language may be another one
    for (auto* labels : {&m_heads, &m_names}) {
        for (DimLabel* label : *labels)
            delete label;
        labels->clear();
    }
    for (OutcomeCell* cell : m_outcomes)
        delete cell;
    m_outcomes.clear();
    m_legend->setVisible(m_table.has_value());
    if (!m_table) return;
    for (int column = 0; column < columns(); ++column) {
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
        for (int column = 0; column < columns(); ++column) {
            auto* const cell = new OutcomeCell;
            cell->installEventFilter(this);
            connect(cell, &OutcomeCell::clicked, this, [this, row, column] { open(row, column); });
            m_outcomes.push_back(cell);
            m_grid->addWidget(cell, row + 1, column + 1);
        }
    }
    fill();
}

void FailureTable::fill() {
    m_tight = isTight();
    m_grid->setHorizontalSpacing(m_tight ? kGrid / 4 : kGrid);
    for (DimLabel* label : m_heads)
        label->setFont(uiFont(m_tight ? kTightWords : -1));
    for (DimLabel* label : m_names)
        label->setFont(fixedFont(m_tight ? kTightWords : -0.5));
    m_legend->setFont(uiFont(-1));
    m_legend->setText(
        tr("✓ safe · ✓ with a time: safe, but nobody got in for that long · stuck: nobody gets in any more · "
           "✗ two held it, or an old write was accepted · refused: two held it, no old write was accepted · "
           "— does not apply"));
    for (int cell = 0; cell < int(m_outcomes.size()); ++cell)
        fillCell(cell / columns(), cell % columns());
    if (isTight() != m_tight) return fill(); // the cells have their words now
    const auto first = std::ranges::find_if(m_outcomes, &QWidget::isEnabled);
    if (first != m_outcomes.end()) setCurrent(int(first - m_outcomes.begin()));
}

bool FailureTable::isTight() const {
    if (!m_table) return false;
    const QFontMetrics names(fixedFont(-0.5)), words(uiFont(0, QFont::DemiBold));
    int name = 0, cell = 0;
    for (const QString& recipe : m_table->recipes)
        name = std::max(name, names.horizontalAdvance(recipe));
    for (const OutcomeCell* const one : m_outcomes)
        cell = std::max(cell, words.horizontalAdvance(one->text()));
    return name + columns() * (cell + 2 * kGrid) > width();
}

QFont FailureTable::cellFont() const {
    return uiFont(m_tight ? kTightWords : 0, QFont::DemiBold);
}

void FailureTable::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (isTight() != m_tight) fill();
}

void FailureTable::fillCell(int row, int column) {
    OutcomeCell* const shown = m_outcomes[std::size_t(row * columns() + column)];
    shown->setFont(cellFont());
    if (m_cells.empty()) {
        shown->tell(QStringLiteral("…"), Role::TextDim);
        shown->setEnabled(false);
        return;
    }
    const lesson::TableCell& cell = m_cells[std::size_t(row)][std::size_t(column)];
    const bool played = !cell.scenario.isEmpty();
    switch (cell.outcome) {
    case CellOutcome::Safe:
        shown->tell(QStringLiteral("✓"), Role::AcceptedText);
        break;
    case CellOutcome::Recovered:
        shown->tell(QStringLiteral("✓ %1").arg(duration(cell.outage)), Role::WaitingText);
        break;
    case CellOutcome::Stalled:
        //: In a narrow cell of a table: nobody gets the lock any more.
        shown->tell(tr("stuck"), Role::ViolationText);
        break;
    case CellOutcome::Violated:
        if (cell.harmless)
            //: In a narrow cell of a table: two clients held the lock, but the resource refused the older one's writes.
            shown->tell(tr("refused"), Role::AcceptedText);
        else
            shown->tell(QStringLiteral("✗"), Role::ViolationText);
        break;
    case CellOutcome::Unknown:
        shown->tell(played ? QStringLiteral("?") : QStringLiteral("—"), Role::TextDim);
        break;
    }
    shown->setEnabled(played);
    const QString words = sentence(row, column);
    QString tip = words;
    if (played) {
        //: In the tip of a cell, below what came of it: %1 a scenario, %2 a seed.
        tip += u'\n' + tr("Open the run: %1, seed %2").arg(titleOf(cell.scenario)).arg(cell.seed);
    }
    shown->setToolTip(tip);
    shown->setAccessibleName(words);
    shown->setAccessibleDescription(played ? tr("Enter opens the run") : QString());
}

QString FailureTable::titleOf(const QString& scenario) {
    QString& title = m_titles[scenario];
    if (!title.isEmpty()) return title;
    const auto read = scenario::loadScenario(scenario); // called as the run will be
    if (read) title = read->titleIn(QCoreApplication::translate("Language", "en"));
    if (title.isEmpty()) title = scenario;
    return title;
}

QAbstractButton* FailureTable::cell(int row, int column) const {
    return m_outcomes.at(std::size_t(row * columns() + column));
}

void FailureTable::open(int row, int column) {
    const auto run = lesson::runOf(*m_table, row, column);
    if (run) Q_EMIT runWanted(*run, m_cells.at(std::size_t(row)).at(std::size_t(column)).seed);
}

bool FailureTable::needsKey(const QWidget* widget, int key) {
    if (!dynamic_cast<const OutcomeCell*>(widget)) return false;
    constexpr std::array kKeys{Qt::Key_Left,  Qt::Key_Right,  Qt::Key_Up,   Qt::Key_Down,
                               Qt::Key_Space, Qt::Key_Return, Qt::Key_Enter};
    return std::ranges::find(kKeys, key) != kKeys.end();
}

void FailureTable::setCurrent(int cell) {
    for (int i = 0; i < int(m_outcomes.size()); ++i)
        m_outcomes[std::size_t(i)]->setFocusPolicy(i == cell ? Qt::TabFocus : Qt::NoFocus);
}

void FailureTable::step(int from, int key) {
    const bool across = key == Qt::Key_Left || key == Qt::Key_Right;
    const int by = key == Qt::Key_Left || key == Qt::Key_Up ? -1 : 1;
    int row = from / columns(), column = from % columns();
    for (;;) {
        (across ? column : row) += by;
        if (row < 0 || column < 0 || row >= int(m_table->recipes.size()) || column >= columns()) return;
        if (!cell(row, column)->isEnabled()) continue;
        setCurrent(row * columns() + column);
        return cell(row, column)->setFocus(Qt::TabFocusReason);
    }
}

bool FailureTable::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
        return QWidget::eventFilter(watched, event);
    auto* const key = static_cast<QKeyEvent*>(event);
    const auto cell = std::ranges::find(m_outcomes, watched);
    if (cell == m_outcomes.end() || key->modifiers() & ~Qt::KeypadModifier || !needsKey(*cell, key->key()))
        return QWidget::eventFilter(watched, event);
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept(); // the keys of the run, which would go from event to event
        return true;
    }
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter)
        (*cell)->click();
    else if (key->key() == Qt::Key_Space)
        return false; // as any button has it
    else
        step(int(cell - m_outcomes.begin()), key->key());
    return true;
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
        outcome = cell.harmless ? tr("two held it at once, but the resource accepted no old write")
                                : tr("two held it at once, or an old write was accepted");
        break;
    case CellOutcome::Unknown:
        outcome = cell.notPlayed == lesson::NotPlayed::NoFault    ? tr("this failure does not exist there")
                  : cell.notPlayed == lesson::NotPlayed::NoTokens ? tr("it gives no tokens that could be checked")
                                                                  : tr("not all could be seen");
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
