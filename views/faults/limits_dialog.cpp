// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/limits_dialog.h"

#include "models/model_limits.h"
#include "recipes/backend_name.h"
#include "scenario/service_spec.h"
#include "theme/fonts.h"
#include "theme/style.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QDialogButtonBox>
#include <QTabBar>
#include <QTextBrowser>

namespace lockscope::views {

namespace {

/// The product, or several of them.
QString kindName(const QString& id) {
    return id == QLatin1String("sql") ? LimitsDialog::tr("Databases") : recipes::backendName(id);
}

} // namespace

LimitsDialog::LimitsDialog(QWidget* parent)
    : QDialog(parent), m_kinds(new QTabBar), m_summary(new Paragraph), m_list(new QTextBrowser) {
    setWindowTitle(tr("What the simulated servers leave out"));
    setObjectName(QStringLiteral("model.limits"));
    resize(int(760 * textScale()), int(620 * textScale()));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 2 * kGrid);
    column->setSpacing(kGrid);
    m_kinds->setExpanding(false);
    m_kinds->setDrawBase(false);
    m_kinds->setAccessibleName(tr("Kind of server"));
    for (const scenario::ServiceKind& kind : scenario::serviceKinds()) {
        const int index = m_kinds->addTab(kindName(kind.id));
        m_kinds->setTabData(index, QString(kind.id));
    }
    column->addWidget(m_kinds);
    m_summary->setRole(Role::Text);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_summary);
    auto* caption = new SectionCaption(tr("In full"));
    caption->setHint(tr("a number such as R15 is that of a real server's behaviour"));
    column->addWidget(caption);
    m_list->setAccessibleName(tr("Everything that is left out"));
    m_list->setOpenLinks(false);
    makeFrameless(m_list);
    column->addWidget(m_list, 1);
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
    connect(m_kinds, &QTabBar::currentChanged, this, &LimitsDialog::refill);
    refill();
}

QString LimitsDialog::shownKind() const {
    return m_kinds->tabData(m_kinds->currentIndex()).toString();
}

void LimitsDialog::showKind(const QString& kind) {
    const QString wanted = kind == QLatin1String("sentinel") ? QStringLiteral("redis") : kind;
    for (int i = 0; i < m_kinds->count(); ++i)
        if (m_kinds->tabData(i).toString() == wanted) m_kinds->setCurrentIndex(i);
}

void LimitsDialog::refill() {
    m_summary->setText(modelLimits(shownKind()));
    m_list->setMarkdown(modelLimitsInFull(shownKind()));
}

} // namespace lockscope::views
