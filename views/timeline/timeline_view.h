// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "timeline/alert_marks.h"
#include "timeline/hit.h"
#include "timeline/legend.h"
#include "timeline/spotlight_paint.h"
#include "timeline/timeline_loader.h"
#include "timeline/zoom.h"

#include <QAbstractScrollArea>
#include <QImage>
#include <set>

class QMenu;

namespace lockscope::views {

class LaneFilter;
class TimelineOverview;
class TimelineRuler;

/// The picture that Lockscope exists for: what each client believed, what the servers had on record, and what the
/// guarded resource accepted, one below the other over one axis of time.
///
/// One widget of the viewport's size paints all lanes. Everything that does not move with the playhead is painted once
/// into a pixmap; the playhead repaints two strips.
class TimelineView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit TimelineView(ViewContext* context, QWidget* parent = nullptr);
    ~TimelineView() override;

    TimelineZoom* zoom() const { return m_zoom; }
    TimelineLoader* loader() const { return m_loader; }
    ViewContext* context() const { return m_context; }
    /// The present picture, for painting and for lookups; valid while the data's mutex is held.
    TimelineScene scene() const;
    /// The signs that the picture shows now.
    std::set<LegendSign> signsInSight() const;

    /// The part of the axis that is looked at, to be looked at again in another view of the same session.
    struct Sight {
        std::int64_t from = 0, to = 0, end = 0; ///< ns
        bool fitted = false, following = true;
    };
    Sight sight() const;
    /// The settings in force at the playhead, as the captions of the lanes say them.
    const TimelineNotes& notes() const { return m_notes; }
    void setSight(const Sight& sight);

    /// The lane with the keyboard's frame: a row of layout(), -1 = none.
    int focusRow() const { return m_focusRow; }
    /// Has the keyboard from now on, with its frame on a lane as soon as there is one.
    void takeKeyboard();
    void setFocusRow(int row);
    const TimelineLayout& layoutOfLanes() const { return m_layout; }
    /// Whether the lane of this lock stands first among the records, and in sight while the others scroll.
    bool isPinned(trace::EntityId lock) const { return m_layout.wanted().pinned.contains(lock); }
    void setPinned(trace::EntityId lock, bool pinned);
    /// Where a row stands in the viewport.
    QRect rowRect(int row) const;
    /// The row at this y of the viewport, -1 = none.
    int rowAt(int y) const { return scene().rowAt(y); }
    /// Whether some of a row is in the viewport, and no pinned lanes stand before it.
    bool isInSight(int row) const;
    /// A lane's name and its state at the playhead: "client A, thread 1: paused; holds #33".
    QString rowWords(int row) const;

    /// Without the overview and the strip of violations: where room is scarce, and others tell of both.
    void setBrief(bool brief);
    /// "BELIEF · what each client could act on · 12 lanes folded": of each section that is folded.
    QString foldedWords() const;
    /// Shown beside a spotlight only.
    void setBet(ShownBet bet) {
        m_bet = std::move(bet);
        viewport()->update();
    }

    /// The measured range, when there is one; to < from when it was dragged to the left.
    std::optional<std::pair<Nanos, Nanos>> measured() const { return m_measured; }
    void clearMeasure();

    /// How much lower this could be, in pixels, with all three truths and the spotlight's lanes still in sight, in
    /// lanes as low as all their words allow; below 0: by how much they do not fit.
    int spareHeight() const;
    /// The faults done by hand that can be changed, in the order of their times.
    const std::vector<DeedMark>& deeds() const { return m_deeds; }
    /// The span that is being drawn for a fault, or that a menu asks about.
    std::optional<std::pair<Nanos, Nanos>> span() const { return m_span; }
    void clearSpan();

    /// The runs that changes have replaced, the newest first.
    const std::vector<GhostRun>& formerRuns() const { return m_formerRuns.all(); }
    /// Adds to a lane's menu: the former run that is drawn faintly becomes the run again; and all that are kept. Adds
    /// nothing where there is none that can be had again.
    void fillGhostMenu(QMenu& menu);

    /// Time of the last full repaint of the lanes, ms: for the status bar.
    double lastFrameMs() const { return m_lastFrameMs; }
    QSize sizeHint() const override { return {900, 560}; }
    QSize minimumSizeHint() const override { return {320, 200}; }

public Q_SLOTS:
    void zoomIn();
    void zoomOut();
    void fit();
    void panLeft();
    void panRight();
    void setFollowing(bool following);
    /// Whether the run before the last change in its past is drawn faintly behind the present one.
    void setGhostShown(bool shown);
    /// Draws the run before the one that is drawn faintly; behind the oldest one that is kept, the newest.
    void showOlderGhost();
    /// The run that is drawn faintly becomes the run again; the present one is drawn faintly then. Does nothing where
    /// none is drawn, or the session cannot have it again.
    void runGhostAgain();
    /// Opens a list of the former runs: the one under the cursor is drawn faintly, a chosen one becomes the run again.
    void listGhosts();
    /// Measures from the playhead to wherever it is moved; called again, stops there.
    void measureFromPlayhead();

Q_SIGNALS:
    /// A right click on a lane, or the menu key: the window fills the menu.
    void contextMenuRequested(lockscope::trace::EntityId entity, const QPoint& globalPos);
    /// Enter or a double click on a lane.
    void detailRequested(lockscope::trace::EntityId entity);
    /// A violation was clicked; index into the verdict's violations.
    void violationActivated(int index);
    /// Lanes came, went, or changed their height.
    void lanesChanged();
    /// A span was drawn for a fault, over the lane of that entity or beside all lanes (kNoEntity); from = to: an
    /// instant. The span stays in sight until clearSpan().
    void spanDrawn(lockscope::trace::EntityId entity, lockscope::Nanos from, lockscope::Nanos to,
                   const QPoint& globalPos);
    /// A fault done by hand is to be changed; its place in Session::doneByHand().
    void deedChangeRequested(std::size_t index);
    /// A fault is to be added at that instant.
    void planRequested(lockscope::Nanos at);
    /// A range was measured; 0 = the measure was taken away.
    void measureChanged(lockscope::Nanos length);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    friend class TimelineRuler;
    friend class TimelineOverview;

    /// Everything that the pixmap of lanes depends on.
    struct CacheKey {
        const void* data = nullptr;
        std::size_t rows = 0, lanes = 0;
        std::int64_t now = 0, from = 0, to = 0, hiddenFrom = -1;
        const void* verdict = nullptr;
        const void* ghost = nullptr;
        QSize size;
        double dpr = 0;
        int scroll = 0, focusRow = -1;
        TimelineLayout::Pinned pinned;
        trace::EntityId selection = trace::kNoEntity;
        qint64 palette = 0;
        std::vector<std::uint32_t> leases;  ///< spans under the playhead
        QStringList copies;                 ///< what the copies of locks are at the playhead
        std::vector<std::size_t> believers; ///< rows whose names come first
        bool operator==(const CacheKey&) const = default;
    };

    // timeline_commands.cpp
    void addCommands();
    void toggleSection(LaneKind section);
    /// Pins the lane of the lock that is looked at, or takes the pin out.
    void togglePin();
    /// Folds the section of the lane with the keyboard's frame; without one, unfolds the section folded last.
    void foldOrUnfold();
    void openFilter();
    void closeFilter();

    // timeline_view.cpp: assembly and painting
    void openTrace();
    void dataChanged();
    void verdictChanged();
    /// Lets the lanes tell no more than a lesson's bet allows.
    void holdBack();
    void playheadMoved(Nanos t);
    /// Where the axis of watched servers ends: a little right of now, so that now is in sight; 0 for other sessions.
    std::int64_t liveEnd() const;
    void reveal(Nanos t, trace::EntityId entity);
    /// Where lanes stand in the present room; true when something moved. The caller holds the data's mutex.
    bool layOut();
    /// Lays the lanes out anew, those that a person wants to see.
    void want(LaneChoice wanted);
    /// Gives the selected entity a lane, if it has none in sight but could have one.
    void showSelected(trace::EntityId entity);
    /// The lane of the lock that has the worst alert stays in sight, as long as nobody scrolls or selects.
    void keepInSight();
    /// Takes up the text's size and setBrief().
    void measure();
    void takeSpotlight();
    void showSpotWindow();
    void sendAway();
    void followSpotlight();
    std::optional<int> topThatShows(const std::vector<trace::EntityId>& lanes) const;
    /// Lowers the lanes as far as their words allow if the three truths then have room; true when that changed them.
    bool tighten();
    /// The heights of what stands above and below the lanes.
    std::pair<int, int> frameOf(const TimelineMetrics& metrics) const;
    void updateGeometries();
    void updateAll();
    /// True when the picture of the lanes was painted anew.
    bool refreshLanes(const TimelineScene& scene);
    void paintOverlay(QPainter& painter, const TimelineScene& scene);
    void paintEmpty(QPainter& painter);
    /// The first y from `top` on where something of that height covers no caption, px of the viewport.
    int belowCaptions(int top, int height) const;
    double canvasX(std::int64_t t) const;
    std::int64_t timeAt(double viewportX) const;
    void readNotes();

    // timeline_ghosts.cpp
    void showGhost(session::Rewrite why, Nanos from);
    /// Nobody had seen the part that was replaced: the kept ghosts stay, and there is no new one.
    void keepGhosts(Nanos from);
    /// The kept runs are others: those that equal the present one go, and the commands follow.
    void ghostsChanged();
    /// The former run in words, by what differs from the present one; empty: it cannot be had again.
    QString ghostWords(const GhostRun& ghost) const;
    void fillGhostList(QMenu& menu);

    // timeline_hands.cpp: faults that a person draws and moves
    void readDeeds();
    /// A round instant near t that a mouse can hit, ns, on the axis.
    std::int64_t snapped(std::int64_t t) const;
    void drawSpan(std::int64_t from, std::int64_t to);
    void finishSpan(trace::EntityId entity, const QPoint& globalPos);
    void paintSpan(QPainter& painter);

    // timeline_input.cpp: mouse, wheel, keys
    void zoomAt(double viewportX, double factor);
    void panPixels(double pixels);
    void panByHand(std::int64_t delta);
    bool handleWheel(QWheelEvent* event, double viewportX);
    bool handleGesture(QEvent* event);
    void showToolTip(const QPoint& viewportPos, const QPoint& globalPos);
    void measureTo(Nanos t);
    void clickAt(const QPointF& position);
    /// The violation that a write of that instant was, by its place in the verdict; none if it did no damage.
    std::optional<std::size_t> damageAt(std::int64_t at) const;
    void moveFocusRow(int by);
    /// The keyboard's frame stands on a lane as soon as there is one, if Tab led here.
    void frameFirstLane();
    void ensureRowVisible(int row);
    bool handlesKey(const QKeyEvent* event) const;
    trace::EntityId entityOfRow(int row) const;
    void selectRow(int row);
    void announceSoon();

    QPointer<ViewContext> m_context;
    TimelineZoom* m_zoom;
    TimelineLoader* m_loader;
    TimelineRuler* m_ruler;
    TimelineOverview* m_overview;
    LaneFilter* m_filter;
    TimelineLayout m_layout;
    TimelineMetrics m_metrics;
    ViolationBands m_bands;
    AlertMarks m_alerts;
    std::shared_ptr<const verdict::Verdict> m_verdict;
    TimelineNotes m_notes;
    QImage m_lanes;
    CacheKey m_key;
    std::vector<LeaseAtPlayhead> m_leases;
    std::vector<WrittenWords> m_written;      ///< on m_lanes
    std::optional<std::vector<QRectF>> m_lit; ///< by a spotlight; missing: none dims anything
    std::int64_t m_paintedPlayhead = -1;
    bool m_unseen = false; ///< a part of the trace was hidden when the playhead was moved last
    double m_lastFrameMs = 0;
    int m_focusRow = -1;
    trace::EntityId m_kept = trace::kNoEntity; ///< keepInSight()
    std::optional<LaneKind> m_foldedLast;
    bool m_tabbedIn = false; ///< the focus came by the keyboard
    QPointer<session::Session> m_session;
    bool m_brief = false;
    ShownBet m_bet;
    std::optional<std::pair<Nanos, Nanos>> m_spotWindow;              ///< the spotlight's last one
    std::optional<std::pair<std::int64_t, std::int64_t>> m_spotShown; ///< the range that was shown for it
    std::optional<int> m_spotTop;                                     ///< where the spotlight has scrolled to
    double m_tight = 1;                                               ///< as in TimelineMetrics
    std::shared_ptr<TimelineData> m_former; ///< of the run just replaced, until it is known from when on they differ
    FormerRuns m_formerRuns;
    bool m_ghostShown = true;
    bool m_lookedAway = false;  ///< the playhead is not followed, as somebody has moved away from it
    bool m_rangeChosen = false; ///< the first range of this trace was chosen
    bool m_catchingUp = false;  ///< the trace was replaced, and is not yet where one looks

    enum class Drag : std::uint8_t { None, Pressed, Pan, Measure, Span };
    Drag m_drag = Drag::None;
    QPointF m_pressGlobal, m_lastGlobal, m_press;
    bool m_seeking = false; ///< the playhead is being dragged
    std::vector<DeedMark> m_deeds;
    std::optional<std::pair<Nanos, Nanos>> m_span;
    trace::EntityId m_spanOf = trace::kNoEntity; ///< over whose lane it is drawn
    std::optional<std::pair<Nanos, Nanos>> m_measured;
    bool m_measuresPlayhead = false; ///< the measure goes on to wherever the playhead goes
    QTimer m_announce;               ///< tells assistive technology at most ten times a second
};

} // namespace lockscope::views
