// SPDX-License-Identifier: GPL-3.0-or-later
#include "locks/pulse_paint.h"
#include "models/hold_history.h"
#include "theme/palette.h"

#include <QImage>
#include <QPainter>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using trace::EventKind;

/// The holds that were seen of a lock, and the picture of their renewals in a cell.
class TestHoldHistory : public QObject {
    Q_OBJECT

    std::shared_ptr<trace::Trace> m_trace;
    trace::EntityId m_lock = 0, m_other = 0, m_owner = 0;

    void add(EventKind kind, Nanos at, trace::EntityId lock) {
        trace::Event event;
        event.at = at.count();
        event.kind = kind;
        event.actor = m_owner;
        event.subject = lock;
        m_trace->append(event);
    }
    static QList<qint64> at(std::initializer_list<Nanos> times) {
        QList<qint64> list;
        for (const Nanos time : times)
            list += time.count();
        return list;
    }
    /// How many pixels of a picture of the pulse are nearer to this colour than to the ground.
    static int inked(const Pulse& pulse, Role role) {
        QImage image(40, 16, QImage::Format_RGB32);
        image.fill(color(Role::Surface));
        QPainter painter(&image);
        paintPulse(painter, QRectF(image.rect()), pulse);
        painter.end();
        const auto far = [](QColor a, QColor b) {
            return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue());
        };
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) {
                const QColor pixel = image.pixelColor(x, y);
                count += far(pixel, color(role)) < far(pixel, color(Role::Surface)) && far(pixel, color(role)) < 60;
            }
        return count;
    }

private Q_SLOTS:
    void init() {
        Theme::instance().setChoice(ThemeChoice::Light);
        m_trace = std::make_shared<trace::Trace>();
        m_lock = m_trace->intern(trace::EntityKind::Lock, "orders");
        m_other = m_trace->intern(trace::EntityKind::Lock, "stock");
        m_owner = m_trace->intern(trace::EntityKind::Client, "A");
    }

    void beatsAreThoseOfThePresentHold() {
        add(EventKind::RecordHeld, 1s, m_lock);
        add(EventKind::RecordRenewed, 3s, m_lock);
        add(EventKind::RecordRenewed, 4s, m_other);
        add(EventKind::RecordRenewed, 5s, m_lock);
        add(EventKind::RecordFreed, 6s, m_lock);
        add(EventKind::RecordHeld, 7s, m_lock);
        add(EventKind::RecordRenewed, 9s, m_lock);
        HoldHistory beats;
        beats.moveTo(m_trace, 5s);
        QCOMPARE(beats.beatsOf(m_lock), at({3s, 5s}));
        QCOMPARE(beats.beatsOf(m_other), at({4s}));
        beats.moveTo(m_trace, 6s);
        QCOMPARE(beats.beatsOf(m_lock), at({}));
        beats.moveTo(m_trace, 9s);
        QCOMPARE(beats.beatsOf(m_lock), at({9s}));
        beats.moveTo(m_trace, 4s); // back: as if nobody had looked further
        QCOMPARE(beats.beatsOf(m_lock), at({3s}));
        beats.moveTo(std::make_shared<trace::Trace>(), 4s);
        QCOMPARE(beats.beatsOf(m_lock), at({}));
    }

    void theLastOnesAreKept() {
        add(EventKind::RecordHeld, 0s, m_lock);
        for (int i = 1; i <= 20; ++i)
            add(EventKind::RecordRenewed, i * 1s, m_lock);
        HoldHistory beats;
        beats.moveTo(m_trace, 20s);
        QCOMPARE(beats.beatsOf(m_lock).size(), HoldHistory::kMost);
        QCOMPARE(beats.beatsOf(m_lock).back(), Nanos(20s).count());
        // Renewals of long ago are not looked for, wherever one comes from.
        m_trace->reach(20s + 2 * HoldHistory::kReach);
        HoldHistory later;
        later.moveTo(m_trace, 20s + 2 * HoldHistory::kReach);
        QVERIFY(later.beatsOf(m_lock).isEmpty());
    }

    void theUsualHoldIsTheMedianOfWholeOnes() {
        Nanos now = 0s;
        for (const Nanos length : {2s, 9s}) {
            add(EventKind::RecordHeld, now += 1s, m_lock);
            add(EventKind::RecordFreed, now += length, m_lock);
        }
        HoldHistory history;
        history.moveTo(m_trace, now);
        QCOMPARE(history.usualOf(m_lock), Nanos(0)); // two are not enough
        add(EventKind::RecordHeld, now += 1s, m_lock);
        add(EventKind::RecordUnobserved, now += 1s, m_lock); // how long this one lasted nobody knows
        add(EventKind::RecordObserved, now += 60s, m_lock);
        add(EventKind::RecordFreed, now += 1s, m_lock);
        history.moveTo(m_trace, now);
        QCOMPARE(history.usualOf(m_lock), Nanos(0));
        add(EventKind::RecordHeld, now += 1s, m_lock);
        add(EventKind::RecordHeld, now += 3s, m_lock); // taken over without a moment between
        add(EventKind::RecordRenewed, now += 50s, m_lock);
        history.moveTo(m_trace, now);
        QCOMPARE(history.usualOf(m_lock), Nanos(3s));
        QCOMPARE(history.beatsOf(m_lock).size(), 1);
        QCOMPARE(history.usualOf(m_other), Nanos(0));
    }

    void thePeriodIsTheMedian() {
        QCOMPARE((Pulse{at({10s, 20s, 30s, 31s, 41s}), 0, false}.period()), Nanos(10s).count());
        QCOMPARE((Pulse{at({10s}), 0, false}.period()), qint64(0));
    }

    void aMissedBeatIsARing() {
        const Pulse well{at({10s, 20s, 30s}), Nanos(35s).count(), false};
        Pulse late = well;
        late.now = Nanos(47s).count();
        late.missed = true;
        QVERIFY(inked(well, Role::Holding) > 20);
        QCOMPARE(inked(well, Role::Waiting), 0);
        QVERIFY(inked(late, Role::Holding) > 20);
        QVERIFY(inked(late, Role::Waiting) >= 4);
        // One beat has no period: the ring stands at the end.
        QVERIFY(inked({at({10s}), Nanos(47s).count(), true}, Role::Waiting) >= 4);
    }
};

QTEST_MAIN(TestHoldHistory)
#include "tst_hold_history.moc"
