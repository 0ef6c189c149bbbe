// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/presenter_bar.h"

#include "models/recipe_lease.h"
#include "theme/fonts.h"
#include "theme/widgets.h"
#include "trace/time_text.h"

#include <QBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

namespace lockscope::views {

PresenterBar::PresenterBar(ViewContext* context, LessonGuide* guide,
                           const QList<std::pair<QString, QString>>& languages, const QString& current, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_guide(guide),
      m_lesson(new QLabel),
      m_world(new ElidedLabel),
      m_settings(new DimLabel),
      m_clock(new QLabel) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
    row->setSpacing(2 * kGrid);
    const auto button = [&](const QString& text) {
        auto* one = new QPushButton(text);
        one->setFocusPolicy(Qt::TabFocus); // a click must not take the keys away from the lesson
        return one;
    };
    auto* list = button(tr("Lessons"));
    connect(list, &QPushButton::clicked, this, &PresenterBar::listWanted);
    row->addWidget(list);
    row->addWidget(m_lesson);
    // Where there is little room the name is shortened, and recipe and lease stay whole.
    auto* world = new QHBoxLayout;
    world->setSpacing(0);
    world->addWidget(m_world);
    world->addWidget(m_settings);
    world->addStretch(1);
    row->addLayout(world, 1);
    m_clock->setFont(fixedFont(3, QFont::Medium));
    row->addWidget(m_clock);
    auto* both = new QHBoxLayout;
    both->setSpacing(0);
    for (const auto& [code, name] : languages) {
        auto* one = button(name);
        one->setCheckable(true);
        one->setChecked(code == current);
        connect(one, &QPushButton::clicked, this, [this, language = code] { Q_EMIT languageWanted(language); });
        both->addWidget(one);
    }
    row->addLayout(both);
    auto* leave = button(tr("Leave (Esc)"));
    connect(leave, &QPushButton::clicked, this, &PresenterBar::leaveWanted);
    row->addWidget(leave);
    connect(guide, &LessonGuide::changed, this, &PresenterBar::refresh);
    connect(context, &ViewContext::sessionChanged, this, &PresenterBar::refresh);
    connect(context, &ViewContext::scenarioChanged, this, &PresenterBar::refresh);
    connect(context, &ViewContext::playheadChanged, this, &PresenterBar::refreshClock);
    refresh();
    refreshClock();
}

void PresenterBar::refresh() {
    m_lesson->setVisible(m_guide->lesson() != nullptr);
    m_lesson->setText(m_guide->number());
    const session::Session* const session = m_context->session();
    const scenario::Scenario& scenario = m_context->settings();
    //: Above the presenter's view, after the name of the session: %1 the recipe, %2 how long the lease is.
    QString settings = tr(" · %1 · lease %2").arg(scenario.recipe, spanText(scenario.lock.lease));
    if (!hasLease(scenario.recipe)) settings = tr(" · %1").arg(scenario.recipe);
    m_settings->setText(session ? settings : QString());
    fitWorld();
}

void PresenterBar::fitWorld() {
    const session::Session* const session = m_context->session();
    if (!session) return m_world->setText(QString());
    constexpr int kLeastTitle = 180; // px of a title that is worth its place although its middle is missing
    const QFontMetrics letters = m_world->fontMetrics();
    const int room = width() - layout()->sizeHint().width() + letters.horizontalAdvance(m_world->text());
    const auto fits = [&](const QString& text) { return letters.horizontalAdvance(text) <= room; };
    const QString whole = session->health().text, title = session->title(), id = m_context->settings().id;
    const bool titled = id.isEmpty() || fits(title) || room >= kLeastTitle * textScale();
    m_world->setText(fits(whole) ? whole : titled ? title : id);
}

bool PresenterBar::event(QEvent* event) {
    const bool taken = QWidget::event(event);
    // Not only with the window: the text's size changes just after the presenter's view has come.
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Resize) fitWorld();
    return taken;
}

void PresenterBar::refreshClock() {
    m_clock->setText(clockText(m_context->playhead()));
    m_clock->setAccessibleName(tr("Time %1").arg(m_clock->text()));
}

void PresenterBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(Role::Surface));
    painter.fillRect(QRect(0, height() - 1, width(), 1), color(Role::Hairline));
}

} // namespace lockscope::views
