// SPDX-License-Identifier: GPL-3.0-or-later
// A window, when the trace of a long watch goes on in another one without its beginning: for how long its thread is
// busy at a time, and after how long the lanes are drawn again. The watch is made up; rows keep coming. Run it with
// QT_QPA_PLATFORM=offscreen where there is no screen.
#include "bench_program.h"
#include "session/trace_joint.h"
#include "timeline/timeline_view.h"
#include "trace/connection.h"
#include "trace/excerpt.h"
#include "trace/recorder.h"
#include "trace/server_told.h"
#include "turns.h"
#include "window/main_window.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTimer>

using namespace lockscope;
using namespace lockscope::bench;
using trace::EntityKind;
using trace::EventKind;

namespace {

/// Locks on a server that is watched, which change hands one after the other, each to a holder of its own.
class Watch final : public session::Session, public session::JoinedTraces {
    Q_OBJECT
    Q_INTERFACES(lockscope::session::JoinedTraces)
public:
    explicit Watch(int locks) {
        m_trace->setOriginWallMs(1'700'000'000'000);
        const trace::EntityId shop = trace::internConnection(*m_trace, "shop", "redis://shop:6379");
        const trace::EntityId node = m_trace->intern(EntityKind::Node, "shop", shop);
        m_recorder.emit(EventKind::NodeStarted, node);
        for (int i = 0; i < locks; ++i)
            m_locks.push_back({m_trace->intern(EntityKind::Lock, "lock:" + QByteArray::number(i), node), 0});
    }

    session::Abilities abilities() const override { return {.live = true}; }
    QString title() const override { return QStringLiteral("shop"); }
    session::Health health() const override { return {session::Health::Level::Good, {}}; }
    std::shared_ptr<const trace::Trace> trace() const override { return m_trace; }
    std::shared_ptr<const verdict::Verdict> verdict() const override { return m_verdict; }
    scenario::Scenario scenario() const override { return {}; }
    std::uint64_t seed() const override { return 0; }
    Nanos planned() const override { return Nanos(0); }
    void advanceTo(Nanos) override {}
    void advanceToNext(session::Milestone, Nanos) override {}
    void apply(scenario::Fault, Nanos) override {}
    void restart(std::uint64_t, session::ByHand) override {}
    session::TraceJoint traceJoint() const override { return m_joint; }

    /// So many rows more.
    void goOn(std::size_t rows) {
        for (const std::size_t end = m_trace->size() + rows; m_trace->size() < end;) {
            auto& [lock, holder] = m_locks[m_turn++ % m_locks.size()];
            m_now += 100us;
            if (holder) m_recorder.emit(EventKind::RecordFreed, holder, lock, 0, holder);
            holder = m_trace->intern(EntityKind::Thread, "1",
                                     m_trace->intern(EntityKind::Client, "worker-" + QByteArray::number(m_turn)));
            m_recorder.emit(EventKind::RecordHeld, holder, lock, (m_now + 30s).count(), 1);
            m_recorder.emit(EventKind::RecordWaiters, trace::kNoEntity, lock, m_turn % 3);
        }
        m_trace->reach(m_now);
        Q_EMIT advanced();
    }
    /// Without the first half of what is there. The excerpt is another thread's work in a real one.
    void leaveOut() {
        const trace::EntityId why = m_trace->text(trace::kLeftOut.toByteArray());
        const trace::EntityId observer = m_trace->intern(EntityKind::Client, "lockscope");
        trace::Excerpt end(m_trace, Nanos(m_trace->timeAt(m_trace->size() / 2)), {observer, why});
        m_joint = {m_trace, end.takeTrace()->size()};
        m_trace = end.takeTrace();
        m_recorder = trace::Recorder(m_trace, [this] { return m_now; });
    }

private:
    Nanos m_now{};
    std::shared_ptr<trace::Trace> m_trace = std::make_shared<trace::Trace>();
    trace::Recorder m_recorder{m_trace, [this] { return m_now; }};
    std::shared_ptr<const verdict::Verdict> m_verdict = std::make_shared<verdict::Verdict>();
    session::TraceJoint m_joint;
    std::vector<std::pair<trace::EntityId, trace::EntityId>> m_locks; ///< each with its holder
    std::size_t m_turn = 0;
};

} // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    const Arguments arguments{{"rows", "600000"}, {"locks", "2000"}, {"rate", "10000"}, {"limit", "120"}};
    const Nanos limit = std::chrono::seconds(arguments.number("limit"));
    const auto perTurn = std::size_t(arguments.number("rate") / 30);

    const QTemporaryDir folder;
    app::Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
    app::MainWindow window(&settings);
    window.resize(1600, 1000);
    window.show();
    auto made = std::make_unique<Watch>(arguments.number("locks"));
    Watch* const watch = made.get();
    watch->goOn(std::size_t(arguments.number("rows")));
    window.setSession(std::move(made));
    const auto* const view = window.findChild<views::TimelineView*>();
    const auto isDrawn = [view, watch] {
        return view->loader()->trace() == watch->trace() && !view->loader()->isBusy();
    };

    QJsonObject line{{QStringLiteral("name"), QStringLiteral("long-watch")},
                     {QStringLiteral("locks"), arguments.number("locks")},
                     {QStringLiteral("rows"), arguments.number("rows")}};
    QTimer rows;
    QObject::connect(&rows, &QTimer::timeout, watch, [watch, perTurn] { watch->goOn(perTurn); });
    rows.start(33);
    Turns turns;
    QElapsedTimer time;
    const auto phase = [&](const QString& name) {
        time.start();
        rest(limit, isDrawn);
        line[name + QStringLiteral("_drawn_s")] = double(time.elapsed()) / 1000;
        line[name + QStringLiteral("_whole")] = isDrawn();
        turns.tell(name, line);
    };
    phase(QStringLiteral("opened"));
    rest(2s, [] { return false; });
    turns.tell(QStringLiteral("still"), line);
    watch->leaveOut();
    turns.forget();
    Q_EMIT watch->traceReplaced();
    phase(QStringLiteral("left_out"));
    printLine(line);
    return isDrawn() ? 0 : kFailed;
}

#include "long_watch_bench.moc"
