// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenes.h"
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
};

QTEST_MAIN(tst_evidence_card)
#include "tst_evidence_card.moc"
