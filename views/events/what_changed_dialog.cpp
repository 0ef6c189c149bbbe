// SPDX-License-Identifier: GPL-3.0-or-later
#include "events/what_changed_dialog.h"

#include "theme/style.h"
#include "theme/widgets.h"
#include "trace/time_text.h"
#include "trace/trace_time.h"

#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QListView>
#include <QPushButton>
#include <QStandardItemModel>

namespace lockscope::views {

namespace {
constexpr std::size_t kMostEntries = 2000; ///< of a list that a person may read; the caption counts the others
} // namespace

WhatChangedDialog::WhatChangedDialog(ViewContext* context, Nanos from, Nanos to, QWidget* parent)
    : QDialog(parent),
      m_context(context),
      m_from(from),
      m_to(to),
      m_trace(context->trace()),
      m_caption(new SectionCaption(tr("What changed"))),
      m_list(new QListView),
      m_model(new QStandardItemModel(this)),
      m_copy(new QPushButton(tr("&Copy"))) {
    Q_ASSERT(from < to);
    setWindowTitle(tr("What changed"));
    resize(620, 420);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(3 * kGrid, 2 * kGrid, 3 * kGrid, 2 * kGrid);
    layout->setSpacing(kGrid);
    layout->addWidget(m_caption);
    m_list->setModel(m_model);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setUniformItemSizes(true);
    m_list->setAccessibleName(tr("What changed"));
    layout->addWidget(m_list, 1);
    layout->addWidget(new DimLabel(tr("Open an entry to see the later instant with it selected.")));
    auto* buttons = new QDialogButtonBox;
    buttons->addButton(m_copy, QDialogButtonBox::ActionRole);
    buttons->addButton(QDialogButtonBox::Close);
    layout->addWidget(buttons);
    m_copy->setEnabled(false);
    m_copy->setToolTip(tr("The whole list as text"));
    tell(tr("comparing…"));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_copy, &QPushButton::clicked, this, &WhatChangedDialog::copy);
    connect(m_list, &QListView::activated, this, [this](const QModelIndex& index) { open(index.row()); });
    // Instants of another trace mean something else.
    connect(context, &ViewContext::sessionChanged, this, &QDialog::reject);

    const auto compare = [trace = m_trace, from, to] {
        trace::StateIndex index(trace);
        const trace::State earlier = index.at(from);
        const auto changes = trace::differences(*trace, earlier, from, index.at(to), to);
        QStringList sentences;
        for (std::size_t i = 0; i < std::min(changes.size(), kMostEntries); ++i)
            sentences += trace::sentenceOf(changes[i], *trace);
        return std::pair(changes, sentences);
    };
    m_thread.run(compare, [this](const std::pair<std::vector<trace::Change>, QStringList>& found) {
        take(found.first, found.second);
    });
}

WhatChangedDialog::~WhatChangedDialog() = default;

QStringList WhatChangedDialog::sentences() const {
    QStringList all;
    for (int row = 0; row < m_model->rowCount() && !m_changes.empty(); ++row)
        all += m_model->item(row)->text();
    return all;
}

void WhatChangedDialog::tell(const QString& text) {
    m_caption->setHint(intervalText(*m_trace, m_from, m_to) + QStringLiteral(" · ") + text);
}

void WhatChangedDialog::take(const std::vector<trace::Change>& changes, const QStringList& sentences) {
    m_changes = changes;
    const QSize room(0, m_list->fontMetrics().height() + kGrid);
    for (const QString& sentence : sentences) {
        auto* item = new QStandardItem(sentence); // the model takes it
        item->setSizeHint(room);
        m_model->appendRow(item);
    }
    if (changes.empty()) {
        auto* nothing = new QStandardItem(tr("Nothing: every lock, server and client is as it was."));
        nothing->setEnabled(false);
        nothing->setSizeHint(room);
        m_model->appendRow(nothing);
    }
    const auto more = int(changes.size()) - int(sentences.size()), seen = int(trace::changesSeen(changes));
    QString hint = more > 0 ? tr("%n change(s), %1 of them listed", nullptr, seen).arg(sentences.size())
                            : tr("%n change(s)", nullptr, seen);
    if (trace::endsUnseen(changes)) hint += QStringLiteral(" · ") + tr("not everything was in sight");
    tell(hint);
    m_copy->setEnabled(!changes.empty());
    m_list->setFocus();
    if (!changes.empty()) m_list->setCurrentIndex(m_model->index(0, 0));
    Q_EMIT ready();
}

void WhatChangedDialog::open(int row) {
    if (row < 0 || std::size_t(row) >= m_changes.size()) return;
    m_context->reveal(m_to, m_changes[std::size_t(row)].subject);
}

void WhatChangedDialog::copy() const {
    QStringList lines{tr("From %1 to %2").arg(instantText(*m_trace, m_from), instantText(*m_trace, m_to))};
    for (const trace::Change& change : m_changes)
        lines += trace::sentenceOf(change, *m_trace);
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

} // namespace lockscope::views
