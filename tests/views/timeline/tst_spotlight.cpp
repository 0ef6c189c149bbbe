// SPDX-License-Identifier: GPL-3.0-or-later
// A lesson's spotlight on the picture.
#include "pause_view.h"
#include "timeline/fault_chips.h"
#include "timeline/timeline_ruler.h"

#include <QScrollBar>
#include <cmath>

using namespace lockscope;
using namespace lockscope::views;

namespace {

struct Stage : PauseView {
    /// Near the lower edge of the bar, where no words stand.
    QPoint onBar(trace::EntityId entity, Nanos t) const {
        const QPoint middle = PauseView::onBar(entity, t);
        const int row = view.layoutOfLanes().rowOf(entity);
        const LaneKind kind = view.layoutOfLanes().rows()[std::size_t(row)].lane->kind;
        return {middle.x(), view.rowRect(row).top() + int(view.scene().metrics.bar(kind, 0, 0).bottom()) - 3};
    }
    /// The lanes alone, of which nothing after an instant is drawn.
    QImage lanes(Nanos seen) const {
        const QSize size = view.viewport()->size();
        TimelineScene scene = view.scene();
        scene.seen = seen.count();
        QImage image(size, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        paintLanes(painter, size, scene);
        return image;
    }
    void light(std::vector<trace::EntityId> lanes, Nanos from, Nanos to) {
        context.setSpotlight(Spotlight{std::move(lanes), from, to, std::nullopt});
        settle();
    }
};

} // namespace

class tst_spotlight : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void dimsTheOtherLanesAndTimes() {
        Stage s;
        const QImage before = s.picture();
        s.light({s.cast.a.thread}, 1s, 6s);
        const QImage lit = s.picture();
        const QPoint inside = s.onBar(s.cast.a.thread, 2s), outside = s.onBar(s.cast.lock, 2s);
        QCOMPARE(lit.pixelColor(inside), before.pixelColor(inside));
        QVERIFY(lit.pixelColor(outside) != before.pixelColor(outside));
        s.context.setSpotlight(std::nullopt);
        settle();
        QCOMPARE(s.picture().pixelColor(outside), before.pixelColor(outside));
    }

    /// Words on a dimmed lane stand out from their ground as letters must, and none is cut by the edge of the light.
    void wordsOutsideTheLightStayReadable() {
        Stage s;
        s.light({s.cast.a.thread}, 1s, 6s);
        const QSize size = s.view.viewport()->size();
        const TimelineScene scene = s.view.scene();
        std::vector<WrittenWords> written;
        QImage image(size, QImage::Format_RGB32);
        QPainter painter(&image);
        paintLanes(painter, size, scene, &written);
        QVERIFY(!written.empty());
        const std::vector<QRectF> lit = paintSpotlight(painter, size, scene, *s.context.spotlight(), {}, written);
        painter.end();
        QVERIFY(!lit.empty());
        const auto luminance = [](const QColor& c) {
            const auto part = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
            return 0.2126 * part(c.redF()) + 0.7152 * part(c.greenF()) + 0.0722 * part(c.blueF());
        };
        int dimmed = 0;
        for (const WrittenWords& words : written) {
            const QRectF& place = words.place;
            if (place.left() < scene.metrics.labelWidth() || !QRectF(image.rect()).contains(place)) continue;
            if (place.right() > s.x(6812ms)) continue; // hidden
            if (isLit(place, lit)) {
                // As a whole: the edge would run through it.
                QVERIFY2(std::ranges::any_of(lit,
                                             [&](const QRectF& band) {
                                                 return band.left() <= place.left() && band.right() >= place.right();
                                             }),
                         qPrintable(words.words));
                continue;
            }
            double darkest = 1, lightest = 0;
            for (int x = int(place.left()); x < int(place.right()); ++x)
                for (int y = int(place.top()); y < int(place.bottom()); ++y) {
                    darkest = std::min(darkest, luminance(image.pixelColor(x, y)));
                    lightest = std::max(lightest, luminance(image.pixelColor(x, y)));
                }
            const double contrast = (lightest + 0.05) / (darkest + 0.05);
            QVERIFY2(contrast >= 4.5, qPrintable(QStringLiteral("%1: %2").arg(words.words).arg(contrast)));
            ++dimmed;
        }
        QVERIFY(dimmed > 0);
    }

    /// The bars of the pause before its word are lit with it, wherever the light begins or ends.
    void thePillIsLitAsAWhole() {
        Stage s;
        int lit = 0;
        for (Nanos at = 2500ms; at < Nanos(6s); at += 100ms) {
            for (const auto& [from, to] : {std::pair{at, Nanos(6800ms)}, std::pair{Nanos(500ms), at}}) {
                s.light({s.cast.a.thread}, from, to);
                const QSize size = s.view.viewport()->size();
                const TimelineScene scene = s.view.scene();
                std::vector<WrittenWords> written;
                QImage image(size, QImage::Format_RGB32);
                QPainter painter(&image);
                paintLanes(painter, size, scene, &written);
                const auto bands = paintSpotlight(painter, size, scene, *s.context.spotlight(), {}, written);
                for (const WrittenWords& words : written) {
                    if (words.words != u"paused" || words.place.left() < scene.metrics.labelWidth()) continue;
                    QVERIFY(words.pill.left() < words.place.left() && words.pill.right() > words.place.right());
                    if (!isLit(words.place, bands)) continue;
                    ++lit;
                    QVERIFY2(std::ranges::any_of(bands,
                                                 [&](const QRectF& band) {
                                                     return band.left() <= words.pill.left() &&
                                                            band.right() >= words.pill.right();
                                                 }),
                             qPrintable(QString::number(at / 1ms)));
                }
            }
        }
        QVERIFY(lit > 10);
    }

    /// Wherever the picture begins, no flag of a fault stands on the word "paused": A is resumed at 7 s.
    void noFlagCoversThePill() {
        const Stage s;
        int seen = 0;
        for (Nanos from = 3s; from < Nanos(7s); from += 100ms) {
            TimelineScene scene = s.view.scene();
            scene.from = from.count();
            scene.to = (from + 10s).count();
            const QSize size = s.view.viewport()->size();
            QImage image(size, QImage::Format_RGB32);
            QPainter painter(&image);
            std::vector<WrittenWords> written;
            paintLanes(painter, size, scene, &written);
            const double flag = scene.metrics.labelWidth() + scene.coordinates(size.width()).x(Nanos(7s).count());
            for (const WrittenWords& words : written) {
                if (words.words != u"paused") continue;
                ++seen;
                QVERIFY2(words.place.right() < flag - 5 || words.place.left() > flag + 5,
                         qPrintable(QString::number(from / 1ms)));
            }
        }
        QVERIFY(seen > 10);
    }

    /// The frame of the light lies within its rows, as the captions' words stand right above them.
    void theFrameTouchesNoCaption() {
        Stage s;
        const auto captions = [&](const QImage& picture) {
            std::vector<QImage> all;
            const TimelineScene scene = s.view.scene();
            for (const auto& section : s.view.layoutOfLanes().sections())
                all.push_back(picture.copy(int(s.x(1s)), scene.yOf(section.y), int(s.x(5s) - s.x(1s)),
                                           scene.metrics.captionHeight()));
            return all;
        };
        const auto before = captions(s.picture());
        s.light({s.cast.a.thread, s.cast.lock}, 0s, 6s);
        QVERIFY(before.size() >= 2);
        QCOMPARE(captions(s.picture()), before);
    }

    void showsNothingRightOfThePlayhead() {
        Stage s;
        s.context.setPlayhead(3s);
        s.light({}, 0s, 0s);
        const QImage picture = s.picture();
        const QColor ground = color(Role::SurfaceSunken);
        const auto isCaption = [&](int y) {
            const int high = s.view.scene().metrics.captionHeight(), top = y + s.view.verticalScrollBar()->value();
            return std::ranges::any_of(s.view.layoutOfLanes().sections(),
                                       [&](const auto& one) { return top >= one.y && top < one.y + high; });
        };
        for (int px = int(s.x(3s)) + 8; px < picture.width(); px += 3)
            for (int y = 0; y < picture.height(); y += 3)
                if (!isCaption(y)) QCOMPARE(picture.pixelColor(px, y), ground);
        // It moves with the playhead.
        s.context.setPlayhead(5s);
        settle();
        const QPoint seen = s.onBar(s.cast.a.thread, 4s);
        QVERIFY(s.picture().pixelColor(seen) != ground);
    }

    /// The words of what happened just before the playhead stand left of it: right of it they would be hidden.
    void wordsEndAtThePlayhead() {
        Stage s;
        s.context.setPlayhead(3200ms); // A was paused at 3 s
        s.light({}, 0s, 0s);
        const TimelineScene scene = s.view.scene();
        const TimelineCoordinates axis = scene.coordinates(s.view.viewport()->width());
        const auto chipAt = [&](const TimelineScene& shown) {
            const auto chips = faultChips(shown, axis);
            const auto found = std::ranges::find(chips, std::int64_t(3'000'000'000), &FaultChip::at);
            return found == chips.end() ? FaultChip{} : *found;
        };
        const FaultChip chip = chipAt(scene);
        QVERIFY(!chip.words.isEmpty());
        QVERIFY2(chip.box.right() <= axis.x(3'200'000'000), "the mark of the pause is cut by the playhead");
        QVERIFY(chip.box.left() >= 0);
        s.context.setSpotlight(std::nullopt);
        settle();
        QVERIFY(chipAt(s.view.scene()).box.left() >= axis.x(3'000'000'000) - 1); // else they stand right of it
    }

    /// The lease under the playhead is said by the overlay alone, also while the run is computed further than is shown.
    void theLeaseUnderThePlayheadIsSaidOnce() {
        Stage s;
        s.context.setPlayhead(3s);
        settle();
        // The words' line, below the slope of the wedge, up to the playhead.
        const QRect row = s.view.rowRect(s.view.layoutOfLanes().rowOf(s.cast.lock));
        const int foot = row.top() + int(s.view.scene().metrics.bar(LaneKind::Record, 0, 0).bottom());
        const QRect left(QPoint(int(s.x(800ms)) + 2, foot - 16), QPoint(int(s.x(3s)) - 4, foot - 2));
        const QImage whole = s.lanes(9s).copy(left);
        QCOMPARE(s.lanes(3s).copy(left), whole);
        // Words stand there as soon as the playhead is elsewhere: the comparison sees them.
        s.context.setPlayhead(8s);
        settle();
        QVERIFY(s.lanes(9s).copy(left) != whole);
    }

    /// B waits from 1.4 s to 6 s: until then nobody knows for how long.
    void theLengthOfAWaitIsToldAtItsEnd() {
        Stage s;
        s.context.setPlayhead(9s);
        settle();
        QRect words = s.view.rowRect(s.view.layoutOfLanes().rowOf(s.cast.b.thread));
        words.setLeft(int(s.x(1400ms)) + 2);
        words.setRight(int(s.x(2900ms)));
        const QImage goesOn = s.lanes(3s).copy(words);
        QCOMPARE(s.lanes(5s).copy(words), goesOn);
        QVERIFY(s.lanes(9s).copy(words) != goesOn);
    }

    /// Back before the pause of A at 3 s, which has been played already: its pill is hidden with it, and stands nowhere
    /// left of the playhead. Nor is it told how long B will wait.
    void whatIsHiddenAgainIsNotTold() {
        Stage s;
        s.context.setPlayhead(2500ms);
        s.light({}, 0s, 0s);
        TimelineScene scene = s.view.scene();
        QVERIFY(scene.seen > Nanos(6s).count()); // it has been played
        const auto leftOf = [&](trace::EntityId entity, const QImage& image) {
            QRect place = s.view.rowRect(s.view.layoutOfLanes().rowOf(entity));
            place.setLeft(int(s.x(0s)));
            place.setRight(int(s.x(2500ms)) - 8);
            place.setHeight(int(s.view.scene().metrics.bar(LaneKind::Belief, 0, 0).top()) - 1); // the words above bars
            return image.copy(place);
        };
        const QSize size = s.view.viewport()->size();
        const auto lanes = [&](std::int64_t seen) {
            scene.seen = seen;
            QImage image(size, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            paintLanes(painter, size, scene);
            return image;
        };
        const QImage again = lanes(scene.seen), first = lanes(Nanos(2500ms).count());
        for (const auto& actor : {s.cast.a, s.cast.b})
            QCOMPARE(leftOf(actor.thread, again), leftOf(actor.thread, first));
    }

    /// A message takes 2 s: as long as nobody has seen it arrive, nothing is drawn where it would, and no words either.
    void aMessageUnderWayEndsAtThePlayhead() {
        Stage s;
        // Links with nothing wrong are folded.
        s.cast.at(19s, trace::EventKind::LinkDelayed, 0, s.cast.a.link, Nanos(2s).count(), 0, trace::kFault);
        s.cast.at(20s, trace::EventKind::Request, s.cast.a.client, s.cast.node, Nanos(2s).count(),
                  s.cast.trace->text("GET orders"));
        s.cast.trace->reach(24s);
        s.session.grew();
        s.view.zoom()->setRange(Nanos(18s).count(), Nanos(24s).count());
        s.context.setPlayhead(24s);
        settle();
        const auto rightOf = [&](Nanos t, Nanos seen) {
            const int row = s.view.layoutOfLanes().rowOf(s.cast.a.link);
            Q_ASSERT(row >= 0);
            QRect place = s.view.rowRect(row);
            place.setLeft(int(s.x(t)) + 2);
            return s.lanes(seen).copy(place);
        };
        QVERIFY(rightOf(21s, 24s) != rightOf(21s, 19s)); // it has arrived
        QCOMPARE(rightOf(21s, 21s), rightOf(21s, 19s));  // it is under way
    }

    /// A fault left of the time in sight shows no half word.
    void noHalfWordAtTheLeftEdge() {
        Stage s;
        s.view.zoom()->setRange(3'100'000'000, 9'000'000'000);
        settle();
        const TimelineScene scene = s.view.scene();
        for (const FaultChip& chip : faultChips(scene, scene.coordinates(s.view.viewport()->width())))
            QVERIFY(chip.at >= 3'100'000'000 || chip.words.isEmpty());
    }

    /// The time that a step has chosen stays in sight while the playhead runs through it, also near its right end, and
    /// comes back with a playhead that comes from outside; where a person has looked elsewhere it does not.
    void theChosenTimeStaysInSight() {
        Stage s;
        const auto range = [&] { return std::pair{s.view.zoom()->from(), s.view.zoom()->to()}; };
        const auto at = [&](Nanos t) {
            s.context.setPlayhead(t);
            settle();
        };
        at(1s);
        s.context.setSpotlight(Spotlight{{s.cast.lock}, 5s, 8s, std::pair<Nanos, Nanos>{4s, 9s}});
        settle();
        const auto chosen = range();
        QCOMPARE(chosen.first, Nanos(4s).count());
        at(1500ms);
        QVERIFY(range() != chosen); // the playhead is in sight
        at(4500ms);
        QCOMPARE(range(), chosen);
        at(8900ms);
        QCOMPARE(range(), chosen);
        s.view.zoom()->setRange(Nanos(6s).count(), Nanos(8s).count());
        at(8950ms);
        QVERIFY(range() != chosen);
    }

    /// Right of the playhead stands how the lit lanes are now, and the bet; a lane that is not lit says nothing.
    void notesAndBetStandWhereTheAnswerComes() {
        Stage s;
        s.context.setPlayhead(6812ms);
        s.light({s.cast.a.thread}, 1s, 6s);
        s.view.zoom()->setEnd(Nanos(20s).count());
        s.view.zoom()->setRange(0, Nanos(20s).count());
        settle();
        const auto inkIn = [&](trace::EntityId entity) {
            const QImage picture = s.picture();
            const QRect row = s.view.rowRect(s.view.layoutOfLanes().rowOf(entity));
            int ink = 0;
            for (int px = int(s.x(6812ms)) + 8; px < picture.width(); ++px)
                ink += picture.pixelColor(px, row.center().y()) != color(Role::SurfaceSunken);
            return ink;
        };
        QVERIFY(inkIn(s.cast.a.thread) > 0);
        QCOMPARE(inkIn(s.cast.b.thread), 0);
        const trace::EntityId resource = s.context.entities(trace::EntityKind::Resource).front();
        QCOMPARE(inkIn(resource), 0);
        s.view.setBet({QStringLiteral("bet: both"), QStringLiteral("your bet"), {}});
        settle();
        QVERIFY(inkIn(resource) > 0);
    }

    /// Where the lanes do not all fit, the first one in sight is whole.
    void noLaneIsCutAtTheTop() {
        Stage s;
        const trace::EntityId resource = s.context.entities(trace::EntityKind::Resource).front();
        for (int height = 300; height < 460; height += 7) {
            s.view.resize(1000, height);
            s.view.verticalScrollBar()->setValue(0);
            settle();
            s.context.setSpotlight(std::nullopt);
            s.light({resource}, 1s, 6s);
            const QRect lit = s.view.rowRect(s.view.layoutOfLanes().rowOf(resource));
            QVERIFY(lit.top() >= 0 && lit.bottom() < s.view.viewport()->height());
            if (s.view.verticalScrollBar()->value() == s.view.verticalScrollBar()->maximum()) continue;
            for (std::size_t row = 0; row < s.view.layoutOfLanes().rows().size(); ++row) {
                const QRect lane = s.view.rowRect(int(row));
                QVERIFY2(lane.top() >= 0 || lane.bottom() < 0, qPrintable(QString::number(height)));
            }
        }
    }

    void staysInSightUntilAPersonScrolls() {
        Stage s;
        const trace::EntityId resource = s.context.entities(trace::EntityKind::Resource).front();
        const auto resize = [&](int height) {
            s.view.resize(1000, height);
            settle();
        };
        const QScrollBar* const bar = s.view.verticalScrollBar();
        const auto inSight = [&] {
            const QRect lit = s.view.rowRect(s.view.layoutOfLanes().rowOf(resource));
            return lit.top() >= 0 && lit.bottom() < s.view.viewport()->height();
        };
        resize(240); // even the lowest lanes do not all fit
        s.light({resource}, 1s, 6s);
        QVERIFY(bar->value() > 0);
        resize(220);
        QVERIFY(inSight());
        resize(900);
        QVERIFY(inSight());
        QCOMPARE(bar->value(), 0);
        resize(240);
        QVERIFY(inSight());
        s.view.verticalScrollBar()->setValue(0);
        resize(230);
        QCOMPARE(bar->value(), 0);
        QVERIFY(!inSight());
    }

    /// In a view that is too low all three truths are in sight, by lower lanes: all of them a little, or where that is
    /// not enough those that can do with less, the more the lower it is.
    void lanesAreLowerWhereTheThreeTruthsThenFit() {
        Stage s;
        const auto& layout = s.view.layoutOfLanes();
        const double usual = s.view.scene().metrics.u;
        int lower = 0, dense = 0;
        double least = TimelineMetrics::kWhole;
        for (int height = 300; height < 700; height += 5) {
            s.view.resize(1000, height);
            settle();
            const double u = s.view.scene().metrics.u;
            const int spare = s.view.spareHeight();
            QVERIFY(u <= usual);
            if (spare < 0) QCOMPARE(u, usual);
            lower += u < usual;
            dense += s.view.scene().metrics.density != TimelineMetrics::Density::Usual;
            least = std::min(least, s.view.scene().metrics.belief);
            for (const auto& row : layout.rows())
                if (row.lane->kind == LaneKind::Record || row.lane->kind == LaneKind::Effect)
                    QVERIFY2(row.y + row.height <= s.view.viewport()->height(), qPrintable(QString::number(height)));
        }
        QVERIFY(lower > 3 && dense > 3 && least >= 12);
        QCOMPARE(s.view.scene().metrics.density, TimelineMetrics::Density::Usual);
    }

    /// The window of a step was chosen for all of it: a stop near its right edge does not push its beginning away.
    void theChosenTimeStaysUntilTheStop() {
        Stage s;
        s.context.setPlayhead(2s);
        s.context.setSpotlight(Spotlight{{}, 2s, 9500ms, std::pair{Nanos(1s), Nanos(9700ms)}});
        QVERIFY(s.view.zoom()->isFollowing());
        s.context.setPlayhead(9500ms);
        QVERIFY(double(Nanos(9500ms).count() - s.view.zoom()->from()) > 0.8 * double(s.view.zoom()->span()));
        QCOMPARE(Nanos(s.view.zoom()->from()), Nanos(1s));
    }

    void bringsItsTimeIntoSight() {
        Stage s;
        s.context.setSpotlight(Spotlight{{}, 0s, 0s, std::pair{Nanos(2s), Nanos(5s)}});
        QCOMPARE(Nanos(s.view.zoom()->from()), Nanos(2s));
        QCOMPARE(Nanos(s.view.zoom()->to()), Nanos(5s));
    }
};

QTEST_MAIN(tst_spotlight)
#include "tst_spotlight.moc"
