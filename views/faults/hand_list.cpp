// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/hand_list.h"

#include "faults/plan_dialog.h"
#include "models/deed_keys.h"
#include "models/fault_words.h"
#include "models/planned.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/icons.h"
#include "theme/style.h"
#include "theme/widgets.h"
#include "trace/time_text.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QToolButton>
#include <QTreeWidget>

namespace lockscope::views {

namespace {
constexpr int kIndexRole = Qt::UserRole;
} // namespace

HandList::HandList(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_caption(new SectionCaption(tr("Done by hand"))),
      m_rows(new QTreeWidget),
      m_restart(new QToolButton) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kGrid, 0, 2 * kGrid, kGrid / 4); // as the panels that it stands below
    column->setSpacing(kGrid / 2);
    column->addWidget(new HairLine(Qt::Horizontal));
    column->addWidget(m_caption);
    m_rows->setColumnCount(ColumnCount);
    m_rows->setHeaderHidden(true);
    m_rows->setRootIsDecorated(false);
    m_rows->setUniformRowHeights(true);
    m_rows->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_rows->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_rows->setAccessibleName(tr("Done by hand"));
    m_rows->header()->setStretchLastSection(false);
    m_rows->header()->setSectionResizeMode(TimeColumn, QHeaderView::ResizeToContents);
    m_rows->header()->setSectionResizeMode(WhatColumn, QHeaderView::Stretch);
    m_rows->header()->setSectionResizeMode(TakeBackColumn, QHeaderView::Fixed);
    m_rows->header()->setMinimumSectionSize(20);
    m_rows->header()->resizeSection(TakeBackColumn, 26);
    makeFrameless(m_rows);
    m_rows->installEventFilter(this);
    column->addWidget(m_rows);
    m_restart->setText(tr("Restart without these"));
    m_restart->setIcon(icon("restart", Role::TextDim));
    m_restart->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_restart->setAutoRaise(true);
    m_restart->setFocusPolicy(Qt::TabFocus);
    m_restart->setToolTip(tr("Runs the scenario from its start with the same seed, without what was done by hand"));
    column->addWidget(m_restart, 0, Qt::AlignLeft);
    connect(m_restart, &QToolButton::clicked, this, [this] { m_context->restart(session::ByHand::Drop); });
    connect(m_rows, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* row, int which) {
        if (which == TakeBackColumn) takeBack(row);
    });
    // Not `activated`: where a single click is enough for that, the cross would also go there.
    connect(m_rows, &QTreeWidget::itemDoubleClicked, this, [this](QTreeWidgetItem* row, int which) {
        if (which != TakeBackColumn) goTo(row);
    });
    connect(context, &ViewContext::sessionChanged, this, &HandList::refresh);
    connect(context, &ViewContext::scenarioChanged, this, &HandList::refresh);
    refresh();
}

bool HandList::canTakeBack() const {
    const session::Session* const session = m_context->session();
    return session && session->abilities().rewind;
}

void HandList::refresh() {
    const session::Session* const session = m_context->session();
    std::vector<scenario::Fault> done = session ? session->doneByHand() : std::vector<scenario::Fault>();
    setVisible(!done.empty());
    m_restart->setVisible(session && session->abilities().restart);
    if (done == m_shown && m_rows->topLevelItemCount() == int(done.size())) return;
    int chosen = m_rows->indexOfTopLevelItem(m_rows->currentItem());
    if (chosen >= 0 && std::size_t(chosen) < m_shown.size()) {
        // A fault that was moved may have another place in the list: it stays the chosen one.
        const auto same = std::ranges::find_if(done, [&was = m_shown[std::size_t(chosen)]](const scenario::Fault& now) {
            return now.action == was.action && now.target == was.target && now.setting == was.setting;
        });
        if (done.size() == m_shown.size() && same != done.end()) chosen = int(same - done.begin());
    }
    m_shown = std::move(done);
    m_rows->clear();
    for (std::size_t i = 0; i < m_shown.size(); ++i) {
        const QString when = instantText(m_shown[i].at.value_or(Nanos(0)), 1s), what = deedText(m_shown[i]);
        auto* row = new QTreeWidgetItem(m_rows, {when, what, QString()});
        row->setData(TimeColumn, kIndexRole, qulonglong(i));
        row->setData(TimeColumn, Qt::AccessibleTextRole, tr("%1: %2", "when: what was done").arg(when, what));
        row->setFont(TimeColumn, fixedFont(-1));
        row->setTextAlignment(TimeColumn, Qt::AlignRight | Qt::AlignVCenter);
        row->setToolTip(WhatColumn, what);
        if (!canTakeBack()) continue;
        row->setToolTip(WhatColumn, tr("%1\nAlt+Left and Alt+Right move it, Alt+Up and Alt+Down let it last longer or "
                                       "shorter, F2 changes it, Del takes it back.")
                                        .arg(what));
        row->setIcon(TakeBackColumn, icon("close", Role::TextDim));
        row->setToolTip(TakeBackColumn, tr("Take back “%1” (Del)").arg(what));
        row->setData(TakeBackColumn, Qt::AccessibleTextRole, tr("Take back “%1”").arg(what));
    }
    fit();
    if (!m_shown.empty()) {
        m_rows->setCurrentItem(m_rows->topLevelItem(std::clamp(chosen, 0, int(m_shown.size()) - 1)));
        m_rows->scrollToBottom();
    }
}

void HandList::fit() {
    if (!m_shown.empty()) {
        const int row = m_rows->sizeHintForRow(0);
        m_rows->setFixedHeight(std::min(int(m_shown.size()), m_mostRows) * (row > 0 ? row : 22) + 4);
    }
    m_caption->setHint(m_shown.size() > std::size_t(m_mostRows) ? count(std::int64_t(m_shown.size())) : QString());
}

void HandList::setMostRows(int most) {
    if (std::exchange(m_mostRows, most) == most) return;
    fit();
    m_rows->scrollToBottom();
}

void HandList::goTo(const QTreeWidgetItem* row) {
    if (!row) return;
    const auto index = row->data(TimeColumn, kIndexRole).toULongLong();
    if (index < m_shown.size()) m_context->reveal(m_shown[index].at.value_or(Nanos(0)));
}

void HandList::takeBack(const QTreeWidgetItem* row) {
    session::Session* const session = m_context->session();
    if (row && session && canTakeBack()) session->withdraw(row->data(TimeColumn, kIndexRole).toULongLong());
}

std::optional<std::size_t> HandList::indexOf(const QTreeWidgetItem* row) const {
    if (!row) return std::nullopt;
    const auto index = std::size_t(row->data(TimeColumn, kIndexRole).toULongLong());
    return index < m_shown.size() ? std::optional(index) : std::nullopt;
}

bool HandList::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_rows && event->type() == QEvent::KeyPress) {
        const auto* pressed = static_cast<QKeyEvent*>(event);
        const int key = pressed->key();
        const auto index = indexOf(m_rows->currentItem());
        if (const auto changed = index ? changedByKey(m_shown[*index], *pressed) : std::nullopt) {
            if (canTakeBack()) replaceDeed(*m_context, *index, *changed);
            return true;
        }
        if (takesBack(*pressed)) {
            takeBack(m_rows->currentItem());
            return true;
        }
        if (key == Qt::Key_F2 && index) {
            if (canTakeBack()) changeDeed(window(), *m_context, *index);
            return true;
        }
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            goTo(m_rows->currentItem());
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace lockscope::views
