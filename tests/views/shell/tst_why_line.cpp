// SPDX-License-Identifier: GPL-3.0-or-later
#include "transport/why_line.h"
#include "verdict/why.h"
#include "window_scene.h"

#include <QSignalSpy>

using namespace lockscope;
using tests::WindowScene;

class WhyLineTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aSentenceStandsOverTheLanesWhileAViolationGoesOn() {
        WindowScene scene;
        scene.open("gc-pause");
        auto* line = scene.window->findChild<views::WhyLine*>();
        QVERIFY(line && line->isVisible());
        QVERIFY(line->sentence().isEmpty());
        QVERIFY(!line->isEnabled());
        const auto lanes = [&scene] { return scene.window->centralWidget()->mapTo(scene.window.get(), QPoint(0, 0)); };
        const QPoint before = lanes();

        scene.context()->session()->advanceTo(20s);
        QTRY_VERIFY(scene.context()->trace()->reached() >= Nanos(20s));
        QTRY_VERIFY(!scene.context()->verdict()->violations.empty());
        QTRY_VERIFY(scene.context()->verdict()->violations.front().to != kNever);
        const verdict::Violation first = scene.context()->verdict()->violations.front();
        scene.context()->setPlayhead(first.from + (first.to - first.from) / 2);
        const QString whole = verdict::explain(first, *scene.context()->trace());
        QCOMPARE(line->sentence(), verdict::why(first, *scene.context()->trace()));
        QVERIFY(whole.endsWith(line->sentence()) && whole != line->sentence()); // the banner says the rest
        QVERIFY(line->accessibleName().contains(line->sentence()));
        QCOMPARE(lanes(), before); // nothing moves

        QSignalSpy explained(scene.context(), &views::ViewContext::explanationRequested);
        QTest::mouseClick(line, Qt::LeftButton);
        QCOMPARE(explained.count(), 1);
        QCOMPARE(explained.at(0).at(0).toULongLong(), 0ULL);

        scene.context()->setPlayhead(Nanos(0));
        QVERIFY(line->sentence().isEmpty());
        QCOMPARE(lanes(), before);
        QTest::mouseClick(line, Qt::LeftButton);
        QCOMPARE(explained.count(), 1);
    }
};

QTEST_MAIN(WhyLineTest)
#include "tst_why_line.moc"
