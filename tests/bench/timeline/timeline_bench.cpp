// SPDX-License-Identifier: GPL-3.0-or-later
// How long a large recording takes to open in the timeline, and how long its frames take to paint.
//
//   timeline_bench [--events N] [--clients N] [--frames N] [--json]
//
// The recording is made once and kept in the temporary directory. It is opened as the window opens one: read on one
// thread, folded into lanes on another, judged on a third, painted on the GUI thread from the first rows on. Frames are
// those of the real widget at 1920×1080, rendered by Qt's software rasterizer, each after a zoom, a pan or a scroll.
// first_picture_ms and open_ms count from the moment of opening to the end of the first painted picture with lanes in
// it, and of the first painted picture of everything, violations included.
#include "scenes.h"

#include "synthetic/synthetic.h"
#include "theme/palette.h"
#include "timeline/timeline_view.h"
#include "trace/recording.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QScrollBar>
#include <cmath>
#include <thread>

using namespace lockscope;
using namespace lockscope::views;

namespace {

constexpr QSize kWindow(1920, 1080);

/// CPU time of this thread, ms: on a busy machine it tells the cost of a frame from the waiting.
double cpuMs() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e3 + double(t.tv_nsec) / 1e6;
}

/// A field of /proc/self/status in MB.
double memoryMb(const char* field) {
    QFile status(QStringLiteral("/proc/self/status"));
    if (!status.open(QIODevice::ReadOnly)) return 0;
    for (const QByteArray& line : status.readAll().split('\n'))
        if (line.startsWith(field))
            return line.mid(qsizetype(qstrlen(field))).simplified().split(' ').value(0).toDouble() / 1024;
    return 0;
}

QString recordingOf(std::size_t events, unsigned clients) {
    const QString path =
        QDir::temp().filePath(QStringLiteral("lockscope-timeline-bench-%1-%2.lockscope").arg(events).arg(clients));
    if (QFile::exists(path)) return path;
    fprintf(stderr, "making %s ...\n", qPrintable(path));
    const auto saved = trace::saveRecording(path, trace::syntheticTrace(events, clients, 1), {});
    if (!saved) {
        fprintf(stderr, "%s\n", qPrintable(saved.error().message));
        exit(2);
    }
    return path;
}

/// A session over a recording that is still being read, as the window has it.
class Opening : public FixedSession {
public:
    explicit Opening(const QString& path) : FixedSession(std::make_shared<trace::Trace>()), m_reader(path) {
        m_thread = std::jthread([this](std::stop_token stop) {
            const auto meta = m_reader.open();
            if (meta) m_reached = meta->reached.count();
            const auto loaded = meta ? m_reader.load({}, stop) : std::unexpected(meta.error());
            if (!loaded) {
                fprintf(stderr, "%s\n", qPrintable(loaded.error().message));
                exit(2);
            }
            m_loaded = true;
        });
        m_judge = std::jthread([this](std::stop_token stop) {
            verdict::Judge judge(m_reader.trace());
            bool last = false;
            while (!stop.stop_requested() && !last) {
                last = m_loaded;
                const std::size_t before = judge.verdict().rows;
                judge.consume();
                if (judge.verdict().rows == before) std::this_thread::sleep_for(5ms);
            }
            m_final = std::make_shared<verdict::Verdict>(judge.verdict(true));
            m_judged = true;
        });
    }
    std::shared_ptr<const trace::Trace> trace() const override { return m_reader.trace(); }
    std::shared_ptr<const verdict::Verdict> verdict() const override {
        return m_judged ? m_final : FixedSession::verdict();
    }
    Nanos planned() const override { return Nanos(m_reached.load()); }
    bool isLoaded() const { return m_loaded; }
    bool isJudged() const { return m_judged; }

private:
    trace::RecordingReader m_reader;
    std::atomic<std::int64_t> m_reached{0};
    std::shared_ptr<const verdict::Verdict> m_final;
    std::atomic<bool> m_loaded{false}, m_judged{false};
    std::jthread m_thread, m_judge;
};

/// One gesture: zoom in and out about several places, pan at every depth, scroll through the lanes.
void gesture(TimelineView& view, int frame, int frames) {
    TimelineZoom& zoom = *view.zoom();
    const double phase = double(frame) / frames;
    const std::int64_t middle = zoom.from() + zoom.span() / 2;
    switch (frame % 3) {
    case 0:
        zoom.zoomAbout(middle + zoom.span() / 7, phase < 0.4 ? 0.83 : phase < 0.7 ? 1.21 : 0.7);
        break;
    case 1:
        zoom.panBy((frame % 2 ? 1 : -1) * zoom.span() / 23);
        break;
    default:
        view.verticalScrollBar()->setValue(int(std::abs(std::sin(frame * 0.07)) * view.verticalScrollBar()->maximum()));
        break;
    }
}

} // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("Measures opening, panning and zooming of a large recording."));
    parser.addHelpOption();
    const QCommandLineOption events(QStringLiteral("events"), QStringLiteral("Rows of the recording."),
                                    QStringLiteral("N"), QStringLiteral("10000000"));
    const QCommandLineOption clients(QStringLiteral("clients"), QStringLiteral("Clients in it."), QStringLiteral("N"),
                                     QStringLiteral("20"));
    const QCommandLineOption frames(QStringLiteral("frames"), QStringLiteral("Frames to paint."), QStringLiteral("N"),
                                    QStringLiteral("300"));
    const QCommandLineOption json(QStringLiteral("json"), QStringLiteral("Print one JSON object."));
    parser.addOptions({events, clients, frames, json});
    parser.process(app);
    const std::size_t rows = parser.value(events).toULongLong();
    const int count = std::max(10, parser.value(frames).toInt());
    if (rows == 0) parser.showHelp(2);
    const QString path = recordingOf(rows, std::max(1u, parser.value(clients).toUInt()));

    Theme::instance().setChoice(ThemeChoice::Light);
    QImage screen(kWindow, QImage::Format_RGB32);
    ViewContext context;
    TimelineView view(&context);
    view.resize(kWindow);
    view.ensurePolished();
    view.show();
    const auto paint = [&] { view.render(&screen); };
    paint();

    QElapsedTimer clock;
    clock.start();
    Opening opening(path);
    context.setSession(&opening);
    double firstPicture = 0, loaded = 0, folded = 0, open = 0;
    bool judged = false;
    QTimer poll;
    poll.setInterval(20);
    QObject::connect(&poll, &QTimer::timeout, &app, [&] {
        if (opening.trace()->size() > view.loader()->rows()) Q_EMIT opening.advanced();
        if (loaded == 0 && opening.isLoaded()) loaded = double(clock.nsecsElapsed()) / 1e6;
        if (!judged && opening.isJudged()) {
            judged = true;
            Q_EMIT opening.verdictChanged();
        }
        if (folded == 0 && opening.isLoaded() && view.loader()->rows() == opening.trace()->size())
            folded = double(clock.nsecsElapsed()) / 1e6;
        if (firstPicture == 0 && !view.layoutOfLanes().rows().empty() && view.loader()->rows() > 0) {
            paint();
            firstPicture = double(clock.nsecsElapsed()) / 1e6;
        }
        if (folded > 0 && judged && !view.loader()->isBusy()) {
            paint();
            open = double(clock.nsecsElapsed()) / 1e6;
            app.quit();
        }
    });
    poll.start();
    app.exec();
    poll.stop();

    context.setPlayhead(Nanos(opening.planned().count() / 2));
    view.fit();
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        QElapsedTimer frame;
        const double cpu = cpuMs();
        frame.start();
        gesture(view, i, count);
        paint();
        times.push_back(double(frame.nsecsElapsed()) / 1e6);
        if (qEnvironmentVariableIsSet("LOCKSCOPE_BENCH_FRAMES"))
            fprintf(stderr, "%d: %.2f ms, CPU %.2f (lanes %.2f) span %.6f s\n", i, times.back(), cpuMs() - cpu,
                    view.lastFrameMs(), double(view.zoom()->span()) / 1e9);
        app.processEvents(); // what a timer brings belongs to no frame
    }
    std::sort(times.begin(), times.end());
    const auto percentile = [&](double p) {
        const double tenths = times[std::min(times.size() - 1, std::size_t(std::ceil(p * double(times.size())) - 1))];
        return std::round(tenths * 100) / 100;
    };
    double lanesMb = 0, traceMb = double(opening.trace()->memoryBytes()) / 1e6;
    {
        const std::lock_guard lock(view.loader()->data()->mutex());
        lanesMb = double(view.loader()->data()->memoryBytes()) / 1e6;
    }
    if (parser.isSet(json)) {
        const QJsonObject result{{QStringLiteral("events"), double(opening.trace()->size())},
                                 {QStringLiteral("p50_ms"), percentile(0.5)},
                                 {QStringLiteral("p99_ms"), percentile(0.99)},
                                 {QStringLiteral("worst_ms"), percentile(1)},
                                 {QStringLiteral("rss_mb"), std::round(memoryMb("VmRSS:"))},
                                 {QStringLiteral("peak_rss_mb"), std::round(memoryMb("VmHWM:"))},
                                 {QStringLiteral("first_picture_ms"), std::round(firstPicture)},
                                 {QStringLiteral("open_ms"), std::round(open)},
                                 {QStringLiteral("loaded_ms"), std::round(loaded)},
                                 {QStringLiteral("folded_ms"), std::round(folded)},
                                 {QStringLiteral("frames"), count}};
        printf("%s\n", QJsonDocument(result).toJson(QJsonDocument::Compact).constData());
    } else {
        printf("%zu events, %d frames of 1920x1080\n", opening.trace()->size(), count);
        printf("frame      p50 %.2f ms, p99 %.2f ms, worst %.2f ms\n", percentile(0.5), percentile(0.99),
               percentile(1));
        printf("opening    first picture %.0f ms; rows read %.0f ms, in lanes %.0f ms, judged and painted %.0f ms\n",
               firstPicture, loaded, folded, open);
        printf("memory     %.0f MB resident, of it trace %.0f MB, lanes %.0f MB\n", memoryMb("VmRSS:"), traceMb,
               lanesMb);
    }
    return 0;
}
