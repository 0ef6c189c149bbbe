// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenes.h"
#include "theme/palette.h"
#include "timeline/legend.h"

#include <QPainter>
#include <QTest>
#include <set>

using namespace lockscope;
using namespace lockscope::views;

namespace {

/// The sign alone.
QImage pictureOf(LegendSign sign) {
    QImage image(40, 24, QImage::Format_RGB32);
    image.fill(color(Role::Surface));
    QPainter painter(&image);
    paintLegendItem(painter, image.rect(), sign, {});
    return image;
}

} // namespace

class TestLegend : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void eachSignHasItsPictureAndItsWords() {
        std::vector<QImage> pictures;
        std::set<QString> words;
        for (const LegendItem& item : legendItems()) {
            const QImage picture = pictureOf(item.sign);
            QVERIFY2(std::ranges::find(pictures, picture) == pictures.end(), qPrintable(item.words));
            pictures.push_back(picture);
            QVERIFY(words.insert(item.words).second && !item.words.isEmpty());
            QVERIFY(qstrlen(item.term) > 0);
        }
    }

    /// In the colours of the lanes.
    void theMarginIsGreenAndThenAmber() {
        const QImage picture = pictureOf(LegendSign::Margin);
        const QRect left = picture.rect().adjusted(0, 0, -picture.width() / 2, 0),
                    right = picture.rect().adjusted(picture.width() / 2, 0, 0, 0);
        QVERIFY(countPixels(picture, color(Role::Accepted), left, 8) > 10);
        QCOMPARE(countPixels(picture, color(Role::Waiting), left, 8), 0);
        QVERIFY(countPixels(picture, color(Role::Waiting), right, 8) > 10);
        QVERIFY(countPixels(pictureOf(LegendSign::RenewFailed), color(Role::Waiting), picture.rect(), 8) > 8);
    }
};

QTEST_MAIN(TestLegend)
#include "tst_legend.moc"
