// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/edited_document.h"
#include "experiment/run.h"
#include "runtime/background.h"
#include "timeline/run_picture.h"

#include <QTimer>
#include <QWidget>
#include <functional>
#include <memory>
#include <stop_token>

class QScrollArea;

namespace lockscope::views {

class ElidedLabel;

/// The run of a scenario that is being written, or of a lesson's scene: its clients, servers, locks and faults on their
/// axis of time, and the verdict above them. It is run in the background, whenever the text is without a mistake; until
/// then the picture stays as it was, dimmed, and a sentence says so.
class RunPreview : public QWidget {
    Q_OBJECT
public:
    /// A run that is to be shown.
    struct Wanted {
        scenario::Scenario scenario;
        std::uint64_t seed = scenario::kUsualSeed;
        Nanos until{}; ///< the axis of time ends there; 0: with the run
        friend bool operator==(const Wanted&, const Wanted&) = default;
    };
    /// The run of the document as it stands; nullopt: there is a mistake in it.
    using Source = std::function<std::optional<Wanted>()>;
    RunPreview(EditedDocument* document, Source source, QWidget* parent = nullptr);
    /// Stops a run that is on its way.
    ~RunPreview() override;

    /// Where its time axis begins, px; 0 before the first run.
    int axisLeft() const { return m_lanes ? m_lanes->axisLeft() : 0; }
    /// The sentence above the picture.
    QString sentence() const;
    /// The run in the picture; nullptr: none yet.
    std::shared_ptr<const trace::Trace> trace() const { return m_picture.timeline.trace; }
    /// Whether it shows the text as it stands.
    bool isUpToDate() const { return m_shownFor == m_wanted && m_wanted > 0; }
    QSize sizeHint() const override { return {640, 250}; }
    QSize minimumSizeHint() const override { return {240, 120}; }
    /// In a window this high, px: it takes its part of it, or leaves all to the others.
    void fitInto(int height, bool wanted);
    /// The source gives another run, though the text is as it was.
    void runSoon();

Q_SIGNALS:
    /// Another run is shown.
    void shown();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    class Canvas;
    void begin();
    void take(std::optional<experiment::RunReport> report, const Wanted& run, int of);
    void tell();
    /// Makes the lanes for the height that there is.
    void makeLanes();

    Source m_source;
    std::optional<Wanted> m_run, m_shown; ///< of the text as it stands; in the picture
    ElidedLabel* m_sentence;
    QScrollArea* m_room;
    Canvas* m_canvas;
    QTimer m_soon;
    RunPicture m_picture;
    std::unique_ptr<const TimelineRenderer> m_lanes;
    int m_wanted = 0, m_begun = 0, m_shownFor = 0; ///< numbers of texts
    std::stop_source m_stop;
    Background m_thread{"preview"}; ///< last member: what it runs uses the others
};

} // namespace lockscope::views
