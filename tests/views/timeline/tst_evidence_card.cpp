// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenes.h"
#include "theme/fonts.h"
#include "theme/palette.h"
#include "timeline/evidence_card.h"

#include <QTest>

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
