// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenes.h"
#include "theme/fonts.h"
#include "theme/palette.h"
#include "timeline/evidence_card.h"
#include "trace/connection.h"
#include "trace/trace_time.h"

#include <QBuffer>
#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>

using namespace lockscope;
using namespace lockscope::views;

namespace {

QImage pageIn(ThemeChoice theme) {
    Theme::instance().setChoice(theme);
    const FixedSession session(gcPause().trace, 10s);
    EvidenceCard card;
    card.run.timeline = {session.trace(), session.verdict(), 0ns, 10s, 7s, {}};
    card.run.title = QStringLiteral("A pause that outlives its lease");
    tellVerdict(card.run);
    card.facts = factsOf(card.run.timeline);
    return imageOf(card, 96);
}

/// A holds from 1 to 2 s. Ends at 10 s.
Cast calm() {
    Cast cast;
    cast.at(0s, trace::EventKind::NodeStarted, cast.node);
    cast.at(0s, trace::EventKind::ClientStarted, cast.a.client);
    cast.ask(900ms, cast.a);
    cast.grant(1s, cast.a, 5s);
    cast.release(2s, cast.a);
    cast.trace->reach(10s);
    return cast;
}

/// The rows of pixels in a picture's head in which something is painted.
std::pair<int, int> inked(const QString& title, const QString& sentence) {
    const FixedSession session(gcPause().trace, 10s);
    RunPicture picture;
    picture.timeline = {session.trace(), session.verdict(), 0ns, 10s, 7s, {}};
    picture.title = QStringLiteral("一把锁");
    picture.sentence = QStringLiteral("成立");
    const QSize size = sizeOf(picture, 800, 2000); // of both, so that each stands where it stands beside the other
    picture.title = title;
    picture.sentence = sentence;
    const QImage image = imageOf(picture, size, 2);
    std::pair rows{-1, -1};
    constexpr int kHead = 100;
    for (int y = 0; y < kHead; ++y)
        for (int x = 0; x < 300; ++x)
            if (image.pixelColor(x, y) != color(Role::Surface)) {
                if (rows.first < 0) rows.first = y;
                rows.second = y;
                break;
            }
    return rows;
}

} // namespace

class tst_evidence_card : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aPageIsLightInEveryTheme() {
        const QImage light = pageIn(ThemeChoice::Light), dark = pageIn(ThemeChoice::Dark);
        QCOMPARE(light.pixelColor(2, 2), color(Role::Surface, false));
        QCOMPARE(dark, light);
        QCOMPARE(color(Role::Surface), color(Role::Surface, true)); // the window stays as it is
    }

    /// Locks that a page has no room for are counted.
    void aPictureKnowsHowManyLocksItShows() {
        Cast cast = gcPause();
        constexpr int kLocks = 40;
        for (int i = 0; i < kLocks; ++i) {
            const auto lock = cast.trace->intern(trace::EntityKind::Lock, "lock " + QByteArray::number(i));
            cast.at(10s, trace::EventKind::RecordHeld, cast.a.thread, lock, Nanos(20s).count(), 1);
        }
        cast.trace->reach(12s);
        TimelinePicture picture;
        picture.trace = cast.trace;
        const TimelineRenderer lanes(picture);
        const auto [shown, all] = lanes.locksWithin(lanes.height());
        QVERIFY(all >= kLocks);
        QCOMPARE(shown, all);
        const auto part = lanes.locksWithin(lanes.height() - 200);
        QCOMPARE(part.second, all);
        QVERIFY(part.first > 0 && part.first < all);
    }

    void watchedServersAreCalledByTheirNames() {
        Cast cast = calm();
        QCOMPARE(watchedServers(*cast.trace), QString());
        trace::internConnection(*cast.trace, "shop", "redis://10.0.0.1:6379");
        trace::internConnection(*cast.trace, "bank", "etcd://10.0.0.2:2379");
        QCOMPARE(watchedServers(*cast.trace), QStringLiteral("shop, bank"));
    }

    /// A page is full of facts, and not of letters a hand high.
    void lettersOfAPageAreOfTheirSize() {
        const FixedSession session(gcPause().trace, 10s);
        EvidenceCard card;
        card.run.timeline = {session.trace(), session.verdict(), 0ns, 10s, 7s, {}};
        card.run.title = QStringLiteral("A pause");
        tellVerdict(card.run);
        card.facts = factsOf(card.run.timeline);
        QBuffer buffer;
        QVERIFY(buffer.open(QIODevice::WriteOnly));
        QVERIFY(writePdf(card, buffer));
        // "/F7 21.3 Tf" chooses a font and its size, in units of the page as it is laid out.
        static const QRegularExpression fonts(QStringLiteral("/F\\d+ ([\\d.]+) Tf"));
        QList<double> sizes;
        const QByteArray& pdf = buffer.data();
        for (qsizetype at = pdf.indexOf("stream\n"); at >= 0; at = pdf.indexOf("stream\n", at + 1)) {
            if (pdf.mid(at - 3, 3) == "end") continue;
            const qsizetype from = at + 7, end = pdf.indexOf("endstream", from);
            QByteArray packed = pdf.mid(from, end - from);
            packed.prepend(QByteArray("\0\1\0\0", 4)); // the length that qUncompress() wants; a hint
            const QString page = QString::fromLatin1(qUncompress(packed));
            for (auto found = fonts.globalMatch(page); found.hasNext();)
                sizes << found.next().captured(1).toDouble();
        }
        QVERIFY(sizes.size() > 10);
        QVERIFY2(std::ranges::max(sizes) < 40, qPrintable(QString::number(std::ranges::max(sizes))));
        QVERIFY2(std::ranges::max(sizes) > 12, qPrintable(QString::number(std::ranges::max(sizes))));
    }

    /// Hatches and dots tell what colour alone must not: a drawing has them, too.
    void aDrawingHasItsTextures() {
        const FixedSession session(gcPause().trace, 10s);
        RunPicture picture;
        picture.timeline = {session.trace(), session.verdict(), 0ns, 10s, 7s, {}};
        picture.title = QStringLiteral("A pause");
        tellVerdict(picture);
        QBuffer buffer;
        QVERIFY(buffer.open(QIODevice::WriteOnly));
        QVERIFY(writeSvg(picture, sizeOf(picture, 900, 1200), buffer));
        const QString svg = QString::fromUtf8(buffer.data());
        QVERIFY(!svg.contains(QStringLiteral("\"#0102"))); // the colours that stood for them
        static const QRegularExpression uses(QStringLiteral("url\\(#(texture-\\d+)\\)"));
        QSet<QString> used;
        for (auto found = uses.globalMatch(svg); found.hasNext();)
            used << found.next().captured(1);
        QVERIFY(used.size() >= 3); // waiting, paused, believes it holds
        for (const QString& one : used)
            QCOMPARE(svg.count(QStringLiteral("<pattern id=\"%1\"").arg(one)), 1);
        // The ground of each lane ends with the lane, else a violation would hide what happened in it.
        QVERIFY(svg.count(QStringLiteral("<clipPath ")) >= 6);
        QCOMPARE(svg.count(QStringLiteral("clip-path=\"url(#clip-")), svg.count(QStringLiteral("<clipPath ")));
        QVERIFY(!svg.contains(QStringLiteral("\"#010300\"")) && !svg.contains(QStringLiteral("\"#010400\"")));
        QXmlStreamReader xml(buffer.data());
        while (!xml.atEnd())
            xml.readNext();
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    }

    /// The card is evidence of it: the server did it, and not a client.
    void whatHappenedToAServerIsAFact() {
        const auto trace = std::make_shared<trace::Trace>();
        trace->setOriginWallMs(1'764'424'800'000);
        const auto shop = trace::internConnection(*trace, "shop", "redis://shop");
        const auto node = trace->intern(trace::EntityKind::Node, "shop", shop);
        const auto observer = trace->intern(trace::EntityKind::Client, "lockscope");
        for (const auto& [at, why] : {std::pair(2s, "server-failed-over"), {3s, "refused"}, {8s, "server-emptied"}})
            trace->append({.at = Nanos(at).count(),
                           .actor = observer,
                           .subject = node,
                           .aux = trace->text(why),
                           .kind = trace::EventKind::ConnectionLost});
        trace->reach(10s);
        const FixedSession session(trace, 10s);
        const auto facts = factsOf({session.trace(), session.verdict(), 0ns, 5s, 5s, {}});
        const auto failedOver =
            std::ranges::find(facts, QStringLiteral("Failed over"), &std::pair<QString, QString>::first);
        QVERIFY(failedOver != facts.end());
        QCOMPARE(failedOver->second, QStringLiteral("shop at %1").arg(instantText(*trace, 2s)));
        QVERIFY(std::ranges::find(facts, QStringLiteral("Emptied"), &std::pair<QString, QString>::first) ==
                facts.end());
    }

    /// Chinese letters come from another font, which is taller.
    void titleAndVerdictStandApartInChinese() {
        Theme::instance().setChoice(ThemeChoice::Light);
        const QString blank = QStringLiteral("\u3000"); // as tall, and without ink
        const auto title = inked(QStringLiteral("一把锁，四个客户端"), blank);
        const auto sentence = inked(blank, QStringLiteral("一切不变量成立"));
        QVERIFY(title.first >= 0 && sentence.first >= 0);
        QVERIFY2(title.second < sentence.first,
                 qPrintable(QStringLiteral("%1, %2").arg(title.second).arg(sentence.first)));
    }

    /// A picture claims no more than the part of the run that it shows.
    void aVerdictSaysHowFarItGoes() {
        const auto told = [](Nanos from, Nanos to, bool goesOn, bool hidesFuture) {
            const FixedSession session(calm().trace, 10s);
            RunPicture picture;
            picture.timeline = {session.trace(), session.verdict(), from, to, to, {}, hidesFuture};
            picture.goesOn = goesOn;
            tellVerdict(picture);
            return picture.sentence;
        };
        QCOMPARE(told(0s, 10s, false, false), QStringLiteral("All invariants hold"));
        QCOMPARE(told(0s, 20s, false, false), QStringLiteral("All invariants hold"));
        QCOMPARE(told(0s, 10s, true, false), QStringLiteral("All invariants hold so far"));
        QCOMPARE(told(0s, 4s, false, true), QStringLiteral("All invariants hold so far")); // a frame of a movie
        const auto stretch = QStringLiteral("No invariant breaks in this stretch of the run");
        QCOMPARE(told(2s, 10s, false, false), stretch);
        QCOMPARE(told(0s, 4s, false, false), stretch);
        QCOMPARE(told(0s, 4s, true, false), stretch);
    }

    /// The line above a picture is about the instant that it was taken at, not about the first trouble in sight.
    void aPictureTellsOfItsPlayhead() {
        Cast cast;
        cast.grant(1s, cast.a, 1s);
        cast.grant(3s, cast.b, 1s); // A believes on until 4 s
        cast.release(4s, cast.a);
        cast.grant(6s, cast.c, 5s); // B believes on
        cast.trace->reach(10s);
        const FixedSession session(cast.trace, 10s);
        const auto told = [&](std::optional<Nanos> playhead, bool hidesFuture = false) {
            RunPicture picture;
            picture.timeline = {session.trace(), session.verdict(), 0s, 10s, playhead, {}, hidesFuture};
            tellVerdict(picture);
            return picture.sentence;
        };
        const QString first = told(std::nullopt);
        QVERIFY2(first.contains(u"A and B"), qPrintable(first));
        QCOMPARE(told(5s), first); // nothing is wrong there
        QVERIFY2(told(7s).contains(u"B and C"), qPrintable(told(7s)));
        QCOMPARE(told(7s, true), first); // a movie's head stays as high as it is
    }

    /// The cause stands at the end of a verdict: where one line is too short for it, it has more.
    void aLongVerdictIsWhole() {
        const FixedSession session(gcPause().trace, 10s);
        RunPicture picture;
        picture.timeline = {session.trace(), session.verdict(), 0ns, 10s, 7s, {}};
        tellVerdict(picture);
        const int wide = sizeOf(picture, 4000, 4000).height();
        picture.sentence = picture.sentence.repeated(3);
        const int line = QFontMetrics(uiFont()).height();
        QVERIFY(sizeOf(picture, 700, 4000).height() >= wide + 2 * line);
        picture.roomFor = QStringLiteral("short"); // as a movie keeps its lanes where they are
        QVERIFY(sizeOf(picture, 700, 4000).height() <= wide);
    }
};

QTEST_MAIN(tst_evidence_card)
#include "tst_evidence_card.moc"
