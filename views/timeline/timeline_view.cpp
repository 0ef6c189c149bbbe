// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_view.h"
#include "timeline/lane_edge.h"

#include "models/lock_facts.h"
#include "session/trace_joint.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "timeline/lane_filter.h"
#include "timeline/signs_in_sight.h"
#include "timeline/spotlight_paint.h"
#include "timeline/timeline_accessible.h"
#include "timeline/timeline_overview.h"
#include "timeline/timeline_ruler.h"

#include <QElapsedTimer>
#include <QLoggingCategory>
#include <QPaintEvent>
#include <QScrollBar>
#include <cmath>

namespace lockscope::views {
namespace {

constexpr Nanos kClosely = 10s; ///< what is seen at first of a world that goes on

/// The recipe by which the scenario's lock is held at the playhead, or would be.
QString recipeInUse(const ViewContext& context) {
    constexpr std::size_t kLookedAt = 1000; // a server may have very many locks
    const scenario::Scenario& settings = context.settings();
    const auto& locks = context.entities(trace::EntityKind::Lock);
    const QByteArray name = settings.lock.name.toUtf8();
    for (std::size_t i = 0; i < std::min(locks.size(), kLookedAt); ++i)
        if (context.trace()->entity(locks[i]).name == name) return lockFormat(locks[i], context);
    return settings.recipe;
}

} // namespace

Q_LOGGING_CATEGORY(frameTime, "lockscope.timeline.frametime", QtWarningMsg)

TimelineView::TimelineView(ViewContext* context, QWidget* parent)
    : QAbstractScrollArea(parent),
      m_context(context),
      m_zoom(new TimelineZoom(this)),
      m_loader(new TimelineLoader(this)),
      m_ruler(new TimelineRuler(this)),
      m_overview(new TimelineOverview(this)),
      m_filter(new LaneFilter(this)),
      m_metrics(QFontMetricsF(uiFont()).height()),
      m_alerts(context, [this] { viewport()->update(); }) {
    installTimelineAccessibility();
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Timeline"));
    setAccessibleDescription(
        tr("Lanes of belief, record and effect over time. Up and Down choose a lane, Left and Right "
           "go from event to event, Plus and Minus zoom."));
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    viewport()->setMouseTracking(true);
    viewport()->grabGesture(Qt::PinchGesture);
    addCommands();
    m_announce.setSingleShot(true);
    m_announce.setInterval(100);
    connect(&m_announce, &QTimer::timeout, this, [this] { announceTimelineChange(this); });

    // A reader hears how it stands when the playhead has come to rest, and not at each frame of a run.
    auto* rest = new QTimer(this);
    rest->setSingleShot(true);
    rest->setInterval(400);
    connect(rest, &QTimer::timeout, this, [this] { announceTimelineStory(this); });
    connect(context, &ViewContext::playheadChanged, rest, [rest] {
        if (QAccessible::isActive()) rest->start();
    });

    connect(m_zoom, &TimelineZoom::changed, this, &TimelineView::updateAll);
    connect(m_loader, &TimelineLoader::replaced, this, [this] {
        m_layout.clear();
        m_key = {};
        m_focusRow = -1;
        holdBack();
    });
    connect(m_loader, &TimelineLoader::changed, this, &TimelineView::dataChanged);
    connect(context, &ViewContext::sessionChanged, this, &TimelineView::openTrace);
    connect(context, &ViewContext::traceGrew, m_loader, &TimelineLoader::grow);
    connect(context, &ViewContext::playheadChanged, this, &TimelineView::playheadMoved);
    connect(context, &ViewContext::verdictChanged, this, &TimelineView::verdictChanged);
    connect(context, &ViewContext::selectionChanged, this, [this](trace::EntityId entity) {
        showSelected(entity);
        if (m_focusRow < 0 || entityOfRow(m_focusRow) != entity) {
            // Selected elsewhere, as in a table: its lane comes into sight. A server that is selected to be broken
            // stands in the cluster: the three truths do not scroll away for it.
            m_focusRow = m_layout.rowOf(entity);
            if (m_focusRow >= 0 && !m_layout.isBelowStory(m_focusRow)) ensureRowVisible(m_focusRow);
        }
        m_kept = entity == trace::kNoEntity && m_context->trace()->ofRealServers() ? m_context->focusedLock()
                                                                                   : trace::kNoEntity;
        keepInSight();
        viewport()->update();
        announceSoon();
    });
    // A person who scrolls wants to see something else.
    connect(verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] {
        m_kept = trace::kNoEntity;
        scrollByLanes(*this);
    });
    connect(context, &ViewContext::scenarioChanged, this, &TimelineView::readNotes);
    connect(context, &ViewContext::scenarioChanged, this, &TimelineView::readDeeds);
    connect(context, &ViewContext::revealRequested, this, &TimelineView::reveal);
    connect(context, &ViewContext::spotlightChanged, this, &TimelineView::takeSpotlight);
    connect(context, &ViewContext::futureReplaced, this, &TimelineView::showGhost);
    connect(context, &ViewContext::unseenFutureReplaced, this, &TimelineView::keepGhosts);
    updateGeometries();
    openTrace();
}

TimelineView::~TimelineView() = default;

void TimelineView::openTrace() {
    if (m_session && m_session == m_context->session() && session::rowAfter(m_loader->trace(), m_session)) {
        // Times and lanes stay what they are, and so does what a person looks at or measures.
        m_loader->goOnIn(m_context->trace());
        return verdictChanged();
    }
    // A trace replaced within a session (another past, another seed) is looked at through the same window of time.
    const bool other = m_session != m_context->session();
    if (other) {
        m_rangeChosen = false;
        m_lookedAway = false;
        m_zoom->setFollowing(true);
        const std::lock_guard lock(m_loader->data()->mutex());
        LaneChoice wanted = m_layout.wanted();
        wanted.pinned.clear(); // of locks of another trace
        m_layout.setWanted(std::move(wanted), *m_loader->data());
    }
    // Where nobody said from when on the last two runs differ, what came before them cannot be compared either.
    if (other || m_former) {
        m_formerRuns.clear();
        ghostsChanged();
    }
    if (m_lookedAway) setFollowing(true); // another run, or another past: that is looked at now
    m_former = other ? nullptr : m_loader->data();
    m_session = m_context->session();
    m_catchingUp = m_rangeChosen;
    clearMeasure();
    clearSpan();
    readNotes();
    readDeeds();
    m_alerts.gather();
    m_loader->open(m_context->trace());
    verdictChanged();
}

void TimelineView::readNotes() {
    TimelineNotes notes;
    const session::Session* session = m_context->session();
    if (session && session->abilities().workload) {
        // The settings in force at the playhead, as in the form beside it.
        const scenario::Scenario& settings = m_context->settings();
        notes.recipe = recipeInUse(*m_context);
        notes.tokenCheck = settings.resource.tokenCheck;
        for (const scenario::NamedLock& lock : settings.moreLocks)
            if (!lock.recipe.isEmpty()) notes.ownRecipes[lock.settings.name] = lock.recipe;
    }
    if (notes == m_notes) return;
    m_notes = std::move(notes);
    m_key = {}; // the lanes' captions say it
    viewport()->update();
    announceSoon();
}

void TimelineView::dataChanged() {
    std::int64_t now = 0;
    {
        const std::lock_guard lock(m_loader->data()->mutex());
        layOut();
        now = m_loader->data()->now();
    }
    frameFirstLane();
    const session::Session* session = m_context->session();
    constexpr std::int64_t second = 1'000'000'000;
    // Somebody's server has no plan: its first seconds are shown on an axis with room for what comes.
    const bool live = session && session->abilities().live;
    const Nanos planned = session ? std::max(session->planned(), live ? kClosely : Nanos(0)) : Nanos(0);
    // A new past grows from nothing: until it has come to where one looks, the axis does not shrink away from there.
    const std::int64_t looked = std::max(m_context->playhead().count(), m_zoom->isFitted() ? 0 : m_zoom->to());
    m_catchingUp = m_catchingUp && now < looked;
    m_unseen = m_unseen || m_context->unseenFrom().has_value(); // what comes now is hidden until the playhead is there
    m_zoom->setEnd(std::max({now, planned.count(), second, m_catchingUp ? looked : 0, liveEnd()}));
    if (!m_rangeChosen && (now > 0 || session)) {
        m_rangeChosen = true;
        // A world that goes on is watched closely; a recording is looked at as a whole first.
        if (session && (live || session->abilities().speed) && now <= kClosely.count())
            m_zoom->setRange(0, kClosely.count());
        else
            m_zoom->fit();
    }
    updateGeometries();
    keepInSight();
    m_overview->refresh();
    m_ruler->update();
    viewport()->update();
    announceSoon();
}

void TimelineView::verdictChanged() {
    m_verdict = m_context->verdict();
    m_bands.setVerdict(m_verdict);
    holdBack();
    m_overview->refresh();
    m_ruler->update();
    viewport()->update();
}

std::set<LegendSign> TimelineView::signsInSight() const {
    const std::lock_guard lock(m_loader->data()->mutex());
    return views::signsInSight(scene());
}

TimelineScene TimelineView::scene() const {
    TimelineScene scene{*m_loader->data(), m_layout, m_bands, m_metrics, m_notes};
    if (m_ghostShown && !m_former) scene.ghost = m_formerRuns.shown();
    scene.deeds = m_deeds;
    scene.from = m_zoom->from();
    scene.to = m_zoom->to();
    scene.end = m_zoom->end();
    scene.playhead = m_context && m_context->session() ? m_context->playhead().count() : -1;
    if (const auto unseen = m_context ? m_context->unseenFrom() : std::nullopt) scene.seen = unseen->count();
    scene.hidesFuture = m_context && m_context->spotlight() && scene.playhead >= 0;
    scene.selection = m_context ? m_context->selection() : trace::kNoEntity;
    scene.focusRow = hasFocus() ? m_focusRow : -1;
    scene.scroll = verticalScrollBar()->value();
    // A spotlight scrolls by itself to what it is about.
    if (!m_context || !m_context->spotlight()) scene.pinned = m_layout.pinned(scene.scroll, viewport()->height());
    scene.devicePixelRatio = viewport()->devicePixelRatioF();
    return scene;
}

double TimelineView::canvasX(std::int64_t t) const {
    const int labels = m_metrics.labelWidth();
    return labels + TimelineCoordinates(m_zoom->from(), m_zoom->to(), viewport()->width() - labels).x(t);
}

std::int64_t TimelineView::timeAt(double viewportX) const {
    const int labels = m_metrics.labelWidth();
    return TimelineCoordinates(m_zoom->from(), m_zoom->to(), viewport()->width() - labels).time(viewportX - labels);
}

void TimelineView::playheadMoved(Nanos t) {
    if (const std::int64_t end = liveEnd(); end > m_zoom->end()) m_zoom->setEnd(end);
    // It was set, or has come, where one looks.
    if (m_lookedAway && t.count() >= m_zoom->from() && t.count() <= m_zoom->to()) setFollowing(true);
    if (!m_seeking) {
        // A lesson has chosen the time in sight. It stays as long as the playhead is there, and comes back with it: how
        // a step looks does not depend on how it was come to.
        const auto range = [this] { return std::pair{m_zoom->from(), m_zoom->to()}; };
        const bool chosen = m_zoom->isFollowing() && m_spotWindow && m_spotShown == range();
        if (chosen && t >= m_spotWindow->first && t <= m_spotWindow->second)
            showSpotWindow();
        else
            m_zoom->follow(t.count());
        if (chosen) m_spotShown = range();
    }
    if (m_measuresPlayhead) measureTo(t);
    readNotes();
    const std::int64_t before = m_paintedPlayhead;
    if (before == t.count()) return;
    // Two strips, and the words on the leases that the playhead crosses.
    const auto strip = [this](std::int64_t at) {
        viewport()->update(QRect(int(canvasX(at)) - 6, 0, 12, viewport()->height()));
    };
    if (before >= 0) strip(before);
    strip(t.count());
    // A part that nobody had seen yet is painted when it is seen.
    const bool unseen = m_context->unseenFrom().has_value();
    const bool more = std::exchange(m_unseen, unseen) || unseen;
    if (m_context->spotlight() || more) viewport()->update(); // what is drawn ends at the playhead
    for (const LeaseAtPlayhead& lease : m_leases)
        viewport()->update(lease.place.toAlignedRect());
    {
        const std::lock_guard lock(m_loader->data()->mutex());
        const TimelineScene now = scene();
        m_leases = leasesAtPlayhead(now, viewport()->size());
    }
    for (const LeaseAtPlayhead& lease : m_leases)
        viewport()->update(lease.place.toAlignedRect());
    viewport()->update(QRect(0, 0, m_metrics.labelWidth(), viewport()->height())); // margins, copies, clocks
    m_paintedPlayhead = t.count();
    m_ruler->update();
    if (more)
        m_overview->refresh();
    else
        m_overview->update();
    announceSoon();
}

void TimelineView::reveal(Nanos t, trace::EntityId entity) {
    m_zoom->reveal(t.count());
    const int row = m_layout.rowOf(entity);
    if (row >= 0) ensureRowVisible(row);
    viewport()->update();
}

void TimelineView::setBrief(bool brief) {
    if (brief == m_brief) return;
    m_brief = brief;
    m_overview->setVisible(!brief);
    measure();
    if (m_context) sendAway();
}

void TimelineView::updateAll() {
    m_ruler->update();
    m_overview->update();
    viewport()->update();
}

std::pair<int, int> TimelineView::frameOf(const TimelineMetrics& metrics) const {
    // Before a class a fault that somebody has caused is named; those of a lesson are told by its words.
    const bool byHand =
        m_context && std::ranges::any_of(m_context->scenario().faults, [](const auto& fault) { return fault.byHand; });
    return m_brief ? std::pair(metrics.rulerHeight() + (byHand ? metrics.stripHeight() : 0), 0)
                   : std::pair(metrics.rulerHeight() + metrics.stripHeight(), metrics.overviewHeight());
}

void TimelineView::updateGeometries() {
    if (tighten()) Q_EMIT lanesChanged();
    const auto [top, bottom] = frameOf(m_metrics);
    setViewportMargins(0, top, 0, bottom);
    const bool follows = m_spotTop && *m_spotTop == verticalScrollBar()->value();
    const QRect port = viewport()->geometry();
    m_ruler->setGeometry(port.x(), port.y() - top, port.width(), top);
    m_filter->setGeometry(port.x() + m_metrics.px(6), port.y() - top + m_metrics.px(4),
                          m_metrics.labelWidth() - m_metrics.px(10), m_metrics.rulerHeight() - m_metrics.px(8));
    m_overview->setGeometry(port.x(), port.bottom() + 1, port.width(), bottom);
    // While a run with another past is being read there is no lane: the place that a person has scrolled to is kept.
    // While one grows up to where one looks, its lanes turn up one after the other.
    if (!m_layout.rows().empty() || !m_session) {
        const int room = std::max(0, m_layout.height() - port.height());
        verticalScrollBar()->setRange(0, m_catchingUp ? std::max(room, verticalScrollBar()->maximum()) : room);
    }
    verticalScrollBar()->setPageStep(port.height());
    verticalScrollBar()->setSingleStep(m_metrics.px(20));
    if (follows) m_spotTop.reset();
    followSpotlight();
}

void TimelineView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    if (m_context && m_spotShown == std::pair{m_zoom->from(), m_zoom->to()}) showSpotWindow();
    {
        const std::lock_guard lock(m_loader->data()->mutex());
        layOut();
    }
    updateGeometries();
    keepInSight();
}

void TimelineView::scrollContentsBy(int, int) {
    viewport()->update();
}

void TimelineView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange &&
        event->type() != QEvent::ApplicationFontChange)
        return;
    measure();
}

void TimelineView::measure() {
    m_metrics = TimelineMetrics(QFontMetricsF(uiFont()).height(), m_tight);
    m_key = {};
    {
        const std::lock_guard lock(m_loader->data()->mutex());
        layOut();
    }
    updateGeometries();
    m_overview->refresh();
    updateAll();
}

QString TimelineView::rowWords(int row) const {
    if (row < 0 || row >= int(m_layout.rows().size())) return {};
    const std::lock_guard lock(m_loader->data()->mutex());
    const TimelineLayout::Row& shown = m_layout.rows()[std::size_t(row)];
    const Lane& lane = *shown.lane;
    // A new past is folded in after the playhead has come there.
    const std::int64_t t = std::min(m_context ? m_context->playhead().count() : 0, m_loader->data()->now());
    const QString title = rowTitle(*m_loader->data(), shown);
    const bool stateSays = lane.kind == LaneKind::Copy; // what stands below its name is the beginning of its state
    const QString subtitle = stateSays ? QString() : laneSubtitle(*m_loader->data(), lane, m_notes, t);
    //: What a screen reader says of a lane: %1 its name, %2 how it stands.
    return tr("%1: %2").arg(subtitle.isEmpty() ? title : title + QStringLiteral(", ") + subtitle,
                            laneState(*m_loader->data(), lane, t));
}

bool TimelineView::refreshLanes(const TimelineScene& scene) {
    CacheKey key;
    key.data = &scene.data;
    key.rows = scene.data.rows();
    key.lanes = scene.layout.rows().size();
    key.now = scene.data.now();
    key.from = scene.from;
    key.to = scene.to;
    key.hiddenFrom = scene.hidesFuture ? scene.playhead : scene.seen;
    key.verdict = m_verdict.get();
    key.ghost = scene.ghost.data.get();
    key.size = viewport()->size();
    key.dpr = scene.devicePixelRatio;
    key.scroll = scene.scroll;
    key.pinned = scene.pinned;
    key.focusRow = scene.focusRow;
    key.selection = scene.selection;
    key.palette = palette().cacheKey();
    m_leases = leasesAtPlayhead(scene, key.size);
    for (const LeaseAtPlayhead& lease : m_leases)
        key.leases.push_back(lease.row);
    key.copies = copyStates(scene);
    key.believers = believersAtPlayhead(scene);
    if (key == m_key && !m_lanes.isNull()) return false;

    QElapsedTimer timer;
    timer.start();
    const QSize pixels = (QSizeF(key.size) * key.dpr).toSize();
    if (m_lanes.size() != pixels) m_lanes = QImage(pixels, QImage::Format_RGB32);
    m_lanes.setDevicePixelRatio(key.dpr);
    QPainter painter(&m_lanes);
    m_written.clear();
    paintLanes(painter, key.size, scene, &m_written);
    painter.end();
    m_key = std::move(key);
    m_lastFrameMs = double(timer.nsecsElapsed()) / 1e6;
    qCDebug(frameTime, "%.2f ms for %d lanes", m_lastFrameMs, int(m_layout.rows().size()));
    return true;
}

void TimelineView::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    {
        const std::lock_guard lock(m_loader->data()->mutex());
        if (layOut()) QMetaObject::invokeMethod(this, &TimelineView::updateGeometries, Qt::QueuedConnection);
        const TimelineScene now = scene();
        // Where only a strip was to be repainted, the rest of the screen has the picture before.
        if (refreshLanes(now) && event->region() != QRegion(viewport()->rect())) viewport()->update();
        painter.drawImage(0, 0, m_lanes); // clipped to what is to be repainted
        m_lit.reset();
        if (m_context && m_context->spotlight()) {
            std::vector<WrittenWords> words = m_written;
            std::ranges::transform(m_leases, std::back_inserter(words), wordsOf);
            const auto lit = paintSpotlight(painter, viewport()->size(), now, *m_context->spotlight(), m_bet, words);
            if (!lit.empty()) m_lit = lit;
        }
        m_alerts.paint(painter, viewport()->size(), now, m_written);
        paintOverlay(painter, now);
        m_paintedPlayhead = now.playhead;
    }
    if (m_layout.rows().empty()) paintEmpty(painter);
}

void TimelineView::paintOverlay(QPainter& painter, const TimelineScene& scene) {
    const int labels = m_metrics.labelWidth(), height = viewport()->height();
    painter.save();
    painter.setClipRect(QRect(labels, 0, viewport()->width() - labels, height), Qt::IntersectClip);
    paintSpan(painter);
    if (m_measured) {
        double left = canvasX(m_measured->first.count()), right = canvasX(m_measured->second.count());
        if (right < left) std::swap(left, right);
        painter.fillRect(QRectF(left, 0, right - left, height), color(Role::Accent, 0.14));
        painter.fillRect(QRectF(left - 0.5, 0, 1, height), color(Role::Accent));
        painter.fillRect(QRectF(right - 0.5, 0, 1, height), color(Role::Accent));
        const Nanos length = m_measured->second - m_measured->first;
        const QString words = QStringLiteral("Δ ") + duration(length < Nanos(0) ? -length : length);
        const PaintKit kit(painter, scene.data, scene.coordinates(viewport()->width()), m_metrics,
                           scene.devicePixelRatio);
        const double width = kit.smallBold.width(words) + m_metrics.px(16);
        kit.chip(std::clamp((left + right - width) / 2, double(labels),
                            std::max<double>(labels, viewport()->width() - width)),
                 belowCaptions(4, m_metrics.px(22)), words, Role::Surface, Role::Accent, Role::Text);
    }
    if (scene.playhead >= scene.from && scene.playhead <= scene.to && !m_layout.rows().empty()) {
        paintPlayheadLine(painter, canvasX(scene.playhead), height);
        paintCrossedCaptions(painter, viewport()->size(), scene, canvasX(scene.playhead));
    }
    for (const LeaseAtPlayhead& lease : m_leases)
        paintLeaseAtPlayhead(painter, lease, m_lit && !isLit(lease.place, *m_lit));
    painter.restore();
    painter.save();
    painter.setClipRect(QRect(0, 0, labels, height), Qt::IntersectClip);
    for (const MarginAtPlayhead& margin : marginsAtPlayhead(scene, viewport()->size()))
        paintMarginAtPlayhead(painter, margin);
    painter.restore();
}

} // namespace lockscope::views
