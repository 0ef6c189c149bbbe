// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/fonts.h"
#include "theme/gauge.h"
#include "theme/icons.h"
#include "theme/palette.h"
#include "theme/style.h"
#include "theme/widgets.h"

#include <QApplication>
#include <QDir>
#include <QPainter>
#include <QSignalSpy>
#include <QStyleOption>
#include <QTest>
#include <cmath>

using namespace lockscope::views;

namespace {

/// WCAG 2: (lighter + 0.05) / (darker + 0.05).
double contrast(const QColor& a, const QColor& b) {
    const auto luminance = [](const QColor& c) {
        const auto channel = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
        return 0.2126 * channel(c.redF()) + 0.7152 * channel(c.greenF()) + 0.0722 * channel(c.blueF());
    };
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

int pixelsLike(const QImage& image, const QColor& wanted) {
    int n = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            n += image.pixelColor(x, y) == wanted;
    return n;
}

} // namespace

class TestTheme : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { Theme::instance().setChoice(ThemeChoice::Light); }

    void textIsReadableOnWhatItStandsOn_data() {
        QTest::addColumn<int>("text");
        QTest::addColumn<int>("ground");
        QTest::addColumn<double>("least");
        const auto row = [](const char* name, Role text, Role ground, double least) {
            QTest::newRow(name) << int(text) << int(ground) << least;
        };
        row("text on surface", Role::Text, Role::Surface, 7);
        row("text on lanes", Role::Text, Role::SurfaceSunken, 7);
        row("text on selection", Role::SelectionText, Role::Selection, 4.5);
        row("dim on surface", Role::TextDim, Role::Surface, 4.5);
        row("dim on band", Role::TextDim, Role::SectionBand, 4.5);
        row("faint on surface", Role::TextFaint, Role::Surface, 3);
        row("holding pill", Role::HoldingText, Role::HoldingSoft, 4.5);
        row("waiting pill", Role::WaitingText, Role::WaitingSoft, 4.5);
        row("accepted pill", Role::AcceptedText, Role::AcceptedSoft, 4.5);
        row("violation pill", Role::ViolationText, Role::ViolationSoft, 4.5);
        row("fault pill", Role::FaultText, Role::FaultSoft, 4.5);
        row("waiting on lanes", Role::WaitingText, Role::SurfaceSunken, 4.5);
        row("violation on lanes", Role::ViolationText, Role::SurfaceSunken, 4.5);
        row("playhead", Role::PlayheadText, Role::Playhead, 7);
        row("holding bar on lanes", Role::Holding, Role::SurfaceSunken, 3);
        row("violation mark on lanes", Role::Violation, Role::SurfaceSunken, 3);
    }
    void textIsReadableOnWhatItStandsOn() {
        QFETCH(int, text);
        QFETCH(int, ground);
        QFETCH(double, least);
        for (const bool dark : {false, true}) {
            const double found = contrast(color(Role(text), dark), color(Role(ground), dark));
            QVERIFY2(found >= least, qPrintable(QStringLiteral("%1: %2").arg(dark ? u"dark" : u"light").arg(found)));
        }
    }

    void changingTheThemeReachesWidgetsAndListeners() {
        QSignalSpy changed(&Theme::instance(), &Theme::changed);
        Pill pill(QStringLiteral("held"), Pill::Tone::Holding);
        pill.resize(pill.sizeHint());
        const QImage light = pill.grab().toImage();
        Theme::instance().setChoice(ThemeChoice::Dark);
        QCOMPARE(changed.count(), 1);
        QVERIFY(Theme::instance().isDark());
        QCOMPARE(QApplication::palette().color(QPalette::Window), color(Role::Surface, true));
        const QImage dark = pill.grab().toImage();
        QVERIFY(pixelsLike(light, color(Role::HoldingSoft, false)) > 50);
        QVERIFY(pixelsLike(dark, color(Role::HoldingSoft, true)) > 50);
        Theme::instance().setChoice(ThemeChoice::Dark);
        QCOMPARE(changed.count(), 1);
    }

    void everyIconDrawsSomethingInTheColourAskedFor() {
        const QStringList files = QDir(QStringLiteral(":/icons")).entryList({QStringLiteral("*.svg")});
        QVERIFY(files.size() >= 50);
        for (const QString& file : files) {
            if (file == QLatin1String("lockscope.svg")) continue;
            const QByteArray name = file.chopped(4).toLatin1();
            const QImage image = icon(name.constData(), Role::Violation).pixmap(48, 48).toImage();
            QVERIFY2(pixelsLike(image, color(Role::Violation)) > 40, name.constData());
        }
    }

    void theThreeGaugesShowTheSameFraction() {
        // Counts coloured against track pixels in bar and ring for a quarter, a half and three quarters.
        for (const double left : {0.25, 0.5, 0.75}) {
            QImage bar(400, 8, QImage::Format_RGB32), ring(200, 200, QImage::Format_RGB32),
                wedge(100, 100, QImage::Format_RGB32);
            for (QImage* image : {&bar, &ring, &wedge})
                image->fill(color(Role::Surface));
            QPainter onBar(&bar), onRing(&ring), onWedge(&wedge);
            paintTtlBar(onBar, QRectF(0, 0, 400, 8), {left});
            paintTtlRing(onRing, QRectF(0, 0, 200, 200), {left});
            paintTtlWedge(onWedge, QRectF(0, 0, 100, 100), left, left);
            const auto part = [](const QImage& image, Role full, Role track) {
                const double f = pixelsLike(image, color(full)), t = pixelsLike(image, color(track));
                return f / (f + t);
            };
            const Role role = ttlRole({left});
            QVERIFY(std::abs(part(bar, role, Role::GaugeTrack) - left) < 0.03);
            QVERIFY(std::abs(part(ring, role, Role::GaugeTrack) - left) < 0.05);
            QVERIFY(std::abs(part(wedge, Role::Record, Role::RecordTrack) - left) < 0.02);
        }
    }

    void theHatchIsAsSharpAtScaleTwo() {
        for (const double scale : {1.0, 2.0}) {
            QImage image(int(64 * scale), int(64 * scale), QImage::Format_ARGB32_Premultiplied);
            image.setDevicePixelRatio(scale);
            image.fill(Qt::transparent);
            QPainter painter(&image);
            painter.fillRect(QRectF(0, 0, 64, 64), hatchBrush(Role::StaleBelief, scale));
            painter.end();
            int covered = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    covered += qAlpha(image.pixel(x, y)) > 128;
            const double share = double(covered) / (image.width() * image.height());
            QVERIFY2(share > 0.3 && share < 0.65, qPrintable(QString::number(share)));
        }
    }

    void aLongColumnTitleIsCutWithAnEllipsis() {
        const LockscopeStyle style;
        // As a header draws it, whatever it says about cutting.
        const auto drawn = [&](const QString& title, int width, Qt::TextElideMode mode) {
            QStyleOptionHeaderV2 option;
            option.rect = QRect(0, 0, width, 24);
            option.text = title;
            option.textAlignment = Qt::AlignLeft | Qt::AlignVCenter;
            option.state = QStyle::State_Enabled;
            option.textElideMode = mode;
            QImage image(width, 24, QImage::Format_ARGB32_Premultiplied);
            image.fill(Qt::white);
            QPainter painter(&image);
            style.drawControl(QStyle::CE_HeaderLabel, &option, &painter, nullptr);
            return image;
        };
        const QString title = QStringLiteral("Held for, longest first");
        const QFontMetrics metrics(uiFont(-1.5, QFont::DemiBold));
        constexpr int kNarrow = 60;
        const QString cut = metrics.elidedText(title, Qt::ElideRight, kNarrow);
        QVERIFY(cut.endsWith(QChar(0x2026)) && cut.size() > 3);
        const int wide = metrics.horizontalAdvance(title) + 8;
        for (const Qt::TextElideMode mode : {Qt::ElideNone, Qt::ElideRight}) {
            QCOMPARE(drawn(title, kNarrow, mode), drawn(cut, kNarrow, mode));
            QVERIFY(drawn(title, wide, mode).copy(0, 0, kNarrow, 24) != drawn(title, kNarrow, mode));
        }
    }

    void theSortedColumnsArrowStandsOnItsTitlesLine() {
        const LockscopeStyle style;
        QStyleOptionHeader option;
        option.orientation = Qt::Horizontal;
        option.rect = QRect(40, 3, 120, 32);
        option.sortIndicator = QStyleOptionHeader::SortUp;
        const QRect arrow = style.subElementRect(QStyle::SE_HeaderArrow, &option, nullptr);
        QCOMPARE(arrow.center().y(), option.rect.center().y());
        QVERIFY(option.rect.contains(arrow));
    }

    void fixedFiguresAreEquallyWide() {
        const QFontMetricsF metrics(fixedFont());
        for (char digit = '1'; digit <= '9'; ++digit)
            QCOMPARE(metrics.horizontalAdvance(QLatin1Char(digit)), metrics.horizontalAdvance(QLatin1Char('0')));
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
