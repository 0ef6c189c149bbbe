// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_panel.h"

#include "session/recording_session.h"
#include "theme/format.h"
#include "timeline/legend_bar.h"
#include "timeline/timeline_view.h"

#include <QBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

namespace lockscope::views {

namespace {
/// Below this nobody needs to be told that lanes are being made.
constexpr std::size_t kWorthMention = 400'000;
} // namespace

TimelinePanel::TimelinePanel(ViewContext* context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_view(new TimelineView(context, this)),
      m_legend(new LegendBar(this)),
      m_strip(new QWidget(this)),
      m_words(new QLabel(m_strip)),
      m_bar(new QProgressBar(m_strip)),
      m_cancel(new QPushButton(tr("Stop reading"), m_strip)) {
    auto* row = new QHBoxLayout(m_strip);
    row->setContentsMargins(16, 6, 16, 6);
    row->addWidget(m_words);
    row->addWidget(m_bar, 1);
    row->addWidget(m_cancel);
    m_bar->setTextVisible(false);
    m_bar->setMaximumHeight(6);
    m_bar->setRange(0, 1000);
    m_bar->setAccessibleName(tr("How much of the recording has been read"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_strip);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_legend);
    m_legend->hide();
    setFocusProxy(m_view);
    m_strip->hide();
    connect(m_cancel, &QPushButton::clicked, this, &TimelinePanel::stopOrGoOn);
    connect(m_view->loader(), &TimelineLoader::changed, this, &TimelinePanel::refresh);
    connect(m_view->loader(), &TimelineLoader::finished, this, &TimelinePanel::refresh);
    connect(context, &ViewContext::sessionChanged, this, &TimelinePanel::attach);
    constexpr auto kPace = 300ms;
    m_pace.setSingleShot(true);
    m_pace.setInterval(kPace);
    connect(&m_pace, &QTimer::timeout, this, [this] { m_legend->setInSight(m_view->signsInSight()); });
    const auto soon = [this] {
        if (m_legend->isVisible() && !m_pace.isActive()) m_pace.start();
    };
    connect(context, &ViewContext::playheadChanged, this, soon);
    connect(context, &ViewContext::spotlightChanged, this, soon);
    connect(m_view->loader(), &TimelineLoader::changed, this, soon);
    connect(m_legend, &LegendBar::appeared, this, soon);
    attach();
}

void TimelinePanel::attach() {
    m_rows = m_total = 0;
    if (auto* recording = qobject_cast<session::RecordingSession*>(m_context->session())) {
        recording->disconnect(this); // its trace may be another one by now
        connect(recording, &session::RecordingSession::progress, this, [this](quint64 rows, quint64 total) {
            m_rows = rows;
            m_total = total;
            refresh();
        });
        connect(recording, &session::RecordingSession::loaded, this, &TimelinePanel::refresh);
    }
    refresh();
}

void TimelinePanel::refresh() {
    const auto* recording = qobject_cast<session::RecordingSession*>(m_context->session());
    const bool reading = recording && recording->isLoading() && m_total > 0;
    const std::size_t rows = m_context->trace()->size();
    // The lanes stay while a watch goes on without its beginning: nothing is missing meanwhile.
    const bool drawing = m_view->loader()->isBusy() && !m_view->loader()->isGoingOn() && rows > kWorthMention;
    // Where nothing is drawn, nothing seems to have happened: that it was left out stays said.
    const bool stopped = !reading && m_view->loader()->isCancelled();
    m_strip->setVisible(reading || drawing || stopped);
    m_cancel->setText(stopped ? tr("Go on") : tr("Stop reading"));
    m_cancel->setToolTip(stopped ? tr("Draws the rest") : tr("What has been read so far stays open"));
    const std::size_t drawn = std::min(m_view->loader()->rows(), rows);
    if (reading) {
        m_words->setText(tr("Reading %1 of %2 events").arg(count(std::int64_t(m_rows)), count(std::int64_t(m_total))));
        m_bar->setValue(int(m_rows * 1000 / m_total));
    } else if (stopped) {
        const Nanos upTo = drawn > 0 ? Nanos(m_context->trace()->timeAt(drawn - 1)) : Nanos(0);
        m_words->setText(
            tr("Drawn up to %1 only: %2 of %3 events")
                .arg(instant(*m_context->trace(), upTo), count(std::int64_t(drawn)), count(std::int64_t(rows))));
        m_bar->setValue(int(drawn * 1000 / rows));
    } else if (drawing) {
        m_words->setText(tr("Drawing %1 of %2 events").arg(count(std::int64_t(drawn)), count(std::int64_t(rows))));
        m_bar->setValue(int(drawn * 1000 / rows));
    }
}

void TimelinePanel::stopOrGoOn() {
    if (m_view->loader()->isCancelled()) {
        m_view->loader()->grow();
        refresh();
        return;
    }
    if (auto* recording = qobject_cast<session::RecordingSession*>(m_context->session())) recording->cancelLoading();
    m_view->loader()->cancel();
}

} // namespace lockscope::views
