// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/lock_chips.h"

#include "theme/format.h"
#include "theme/widgets.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLineEdit>

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
        chip.pill->setVisible(on || chip.count > 0);
        chip.pill->updateGeometry();
    }
}

} // namespace lockscope::views
