// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/run_preview.h"

#include "editor/axis_scale.h"
#include "theme/fonts.h"
#include "theme/palette.h"
#include "theme/widgets.h"

#include <QBoxLayout>
#include <QEvent>
#include <QPainter>
#include <QResizeEvent>
#include <QScrollArea>

namespace lockscope::views {

namespace {

constexpr auto kRest = 500ms;           ///< after a change, before it is run
constexpr Nanos kMost{300'000'000'000}; ///< of the run, which may go on for hours

} // namespace

/// The lanes, as high as they are.
class RunPreview::Canvas : public QWidget {
public:
    explicit Canvas(const RunPreview* preview) : m_preview(preview) {}

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(rect(), color(Role::SurfaceSunken));
        if (!m_preview->m_lanes) return;
        if (!m_preview->isUpToDate()) painter.setOpacity(0.5);
        const TimelineRenderer& lanes = *m_preview->m_lanes;
        // The overview below the lanes would only repeat them: all of the run is in sight.
        lanes.paint(painter, {m_preview->width() - AxisScale::kMargin, height() + lanes.overviewHeight()},
                    m_preview->m_picture.timeline);
    }

private:
    const RunPreview* m_preview;
};

RunPreview::RunPreview(EditedDocument* document, Source source, QWidget* parent)
    : QWidget(parent),
      m_source(std::move(source)),
      m_sentence(new ElidedLabel),
      m_room(new QScrollArea),
      m_canvas(new Canvas(this)) {
    setAccessibleName(tr("What the scenario does"));
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_sentence->setContentsMargins(2 * kGrid, kGrid / 2, 2 * kGrid, kGrid / 2);
    column->addWidget(m_sentence);
    m_room->setWidget(m_canvas);
    m_room->setWidgetResizable(true);
    m_room->setFrameShape(QFrame::NoFrame);
    m_room->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_room->setAccessibleName(accessibleName());
    column->addWidget(m_room, 1);
    m_soon.setSingleShot(true);
    m_soon.setInterval(kRest);
    connect(&m_soon, &QTimer::timeout, this, &RunPreview::begin);
    connect(document, &EditedDocument::changed, this, &RunPreview::runSoon);
    runSoon();
}

RunPreview::~RunPreview() {
    m_stop.request_stop(); // its thread is waited for
}

QString RunPreview::sentence() const {
    return m_sentence->text();
}

void RunPreview::fitInto(int height, bool wanted) {
    constexpr int kRoom = 760, kHighest = 400; // px: below the first, form and text would have too little
    setFixedHeight(std::clamp(height * 33 / 100, minimumSizeHint().height(), kHighest));
    setVisible(wanted && height >= kRoom * textScale());
}

void RunPreview::runSoon() {
    ++m_wanted;
    m_stop.request_stop();
    m_run = m_source();
    if (m_run && m_run == m_shown) m_begun = m_shownFor = m_wanted; // as when a change is taken back
    if (isVisible() && m_begun != m_wanted) m_soon.start();
    tell();
}

void RunPreview::begin() {
    if (!m_run || m_begun == m_wanted || !isVisible()) return;
    m_begun = m_wanted;
    m_stop = std::stop_source();
    const Wanted run = *m_run;
    scenario::Scenario first = run.scenario;
    first.until = std::min(first.until, kMost);
    if (first.liveness && *first.liveness >= first.until) first.liveness.reset();
    m_thread.run(
        [first, seed = run.seed, stop = m_stop.get_token()] { return experiment::run(first, seed, {.stop = stop}); },
        [this, run, of = m_begun](std::optional<experiment::RunReport> report) { take(std::move(report), run, of); });
}

void RunPreview::take(std::optional<experiment::RunReport> report, const Wanted& run, int of) {
    if (!report) return; // another text came meanwhile
    m_shownFor = of;
    m_shown = run;
    m_picture = {};
    TimelinePicture& timeline = m_picture.timeline;
    timeline.trace = report->trace;
    timeline.verdict = std::make_shared<const verdict::Verdict>(std::move(report->verdict));
    timeline.to = std::min(run.until > Nanos{} ? run.until : run.scenario.until, kMost);
    timeline.notes = {run.scenario.recipe, run.scenario.resource.tokenCheck};
    for (const scenario::NamedLock& lock : run.scenario.moreLocks)
        if (!lock.recipe.isEmpty()) timeline.notes.ownRecipes[lock.settings.name] = lock.recipe;
    m_picture.goesOn = run.scenario.until > timeline.to;
    tellVerdict(m_picture);
    makeLanes();
    tell();
    Q_EMIT shown();
}

void RunPreview::makeLanes() {
    m_lanes = std::make_unique<const TimelineRenderer>(m_picture.timeline, m_room->height());
    m_canvas->setFixedHeight(std::max(1, m_lanes->height() - m_lanes->overviewHeight()));
    m_canvas->update();
}

void RunPreview::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (m_lanes && event->oldSize().height() != event->size().height()) makeLanes();
}

void RunPreview::tell() {
    QString words;
    Role role = Role::TextDim;
    if (!m_run) {
        words = m_lanes ? tr("There is a mistake in the text: this is the run of the last text without one.")
                        : tr("Its run stands here as soon as the text has no mistake.");
    } else if (!isUpToDate()) {
        words = tr("Running it …");
    } else {
        //: The line above a picture of a run: %1 a number, %2 a sentence, such as "All invariants hold".
        words = tr("Seed %1: %2").arg(QString::number(m_run->seed), m_picture.sentence);
        if (m_picture.violated) role = Role::ViolationText;
    }
    m_sentence->setRole(role);
    m_sentence->setText(words);
    setAccessibleDescription(words);
    m_room->setAccessibleDescription(words);
    m_canvas->update();
}

void RunPreview::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_begun != m_wanted) m_soon.start();
}

void RunPreview::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    // The lanes are as high as their words.
    if (event->type() == QEvent::FontChange && m_lanes) makeLanes();
}

} // namespace lockscope::views
