// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/lock_chips.h"

#include "theme/format.h"
#include "theme/widgets.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QTimer>
#include <limits>

namespace lockscope::views {

namespace {

constexpr std::array kTerms{"state:held", "waiters>=1", "alert:any", "ttl:never", "certainty:guess"};
constexpr std::array kTones{Pill::Tone::Holding, Pill::Tone::Waiting, Pill::Tone::Violation, Pill::Tone::Fault,
                            Pill::Tone::Neutral};

QStringList termsOf(const QString& filter) {
    return filter.split(u' ', Qt::SkipEmptyParts);
}

} // namespace

LockChips::LockChips(QLineEdit* filter, QWidget* parent) : QWidget(parent), m_filter(filter) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    for (std::size_t i = 0; i < m_chips.size(); ++i) {
        Chip& chip = m_chips[i];
        chip.term = QLatin1String(kTerms[i]);
        chip.pill = new Pill;
        chip.pill->setCheckable(true);
        chip.pill->setClickable(true);
        layout->addWidget(chip.pill);
        connect(chip.pill, &Pill::clicked, this, [this, &chip] { toggle(chip); });
        auto* const key = new QAction(this);
        key->setShortcut(QKeySequence(Qt::ALT | Qt::Key(int(Qt::Key_1) + int(i))));
        key->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        key->setText(tr("Show only these locks: %1").arg(nameOf(i)));
        connect(key, &QAction::triggered, this, [this, &chip] { toggle(chip); });
        (parent ? parent : this)->addAction(key);
        chip.pill->setToolTip(tr("%1 (%2)").arg(key->text(), key->shortcut().toString(QKeySequence::NativeText)));
    }
    layout->addStretch();
    connect(filter, &QLineEdit::textChanged, this, &LockChips::tell);
    tell();
}

QString LockChips::nameOf(std::size_t chip) {
    switch (chip) {
    case 0:
        return tr("held");
    case 1:
        return tr("waited for");
    case 2:
        return tr("with alerts");
    case 3:
        return tr("never expires");
    default:
        //: Keys that may be locks, by the shape of their values alone.
        return tr("perhaps");
    }
}

void LockChips::setCounts(const LockCounts& counts) {
    if (counts == m_counts) return;
    m_counts = counts;
    m_chips[0].count = counts.held;
    m_chips[1].count = counts.waitedFor;
    m_chips[2].count = counts.alerted;
    m_chips[3].count = counts.endless;
    m_chips[4].count = counts.guesses;
    tell();
}

void LockChips::toggle(const Chip& chip) {
    QStringList terms = termsOf(m_filter->text());
    if (terms.removeAll(chip.term) == 0) terms.prepend(chip.term);
    m_filter->setText(terms.join(u' '));
}

void LockChips::tell() {
    const QStringList terms = termsOf(m_filter->text());
    for (std::size_t i = 0; i < m_chips.size(); ++i) {
        const Chip& chip = m_chips[i];
        const bool on = terms.contains(chip.term);
        const QString words = tr("%1 %2").arg(nameOf(i), views::count(chip.count));
        chip.pill->setChecked(on);
        chip.pill->setText(on ? QChar(0x2713) + QStringLiteral(" ") + words : words);
        chip.pill->setTone(on ? kTones[i] : Pill::Tone::Neutral);
        chip.pill->setAccessibleName(words);
        chip.pill->updateGeometry();
    }
    updateGeometry();
    fit();
    QTimer::singleShot(0, this, &LockChips::fit); // by then it has the width that it asks for
}

/// Where there is too little room the last ones go: a filter that is set can be typed, too.
void LockChips::fit() {
    const QStringList terms = termsOf(m_filter->text());
    int left = isVisible() ? width() : std::numeric_limits<int>::max() / 2; // it has no width of its own before
    for (const Chip& chip : m_chips) {
        const bool wanted = terms.contains(chip.term) || chip.count > 0;
        if (wanted) left -= chip.pill->sizeHint().width();
        chip.pill->setVisible(wanted && (left >= 0 || &chip == &m_chips.front()));
        if (wanted) left -= layout()->spacing();
    }
}

QSize LockChips::sizeHint() const {
    const QStringList terms = termsOf(m_filter->text());
    int wide = 0, high = 0;
    for (const Chip& chip : m_chips) {
        const QSize its = chip.pill->sizeHint();
        high = std::max(high, its.height());
        if (terms.contains(chip.term) || chip.count > 0) wide += its.width() + (wide > 0 ? layout()->spacing() : 0);
    }
    return {wide, high};
}

QSize LockChips::minimumSizeHint() const {
    return {std::min(sizeHint().width(), m_chips.front().pill->sizeHint().width()), sizeHint().height()};
}

void LockChips::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

} // namespace lockscope::views
