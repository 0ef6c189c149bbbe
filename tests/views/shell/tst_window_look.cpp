// SPDX-License-Identifier: GPL-3.0-or-later
// Looks at the window as it is drawn, in both themes and both languages: nothing blank, nothing cut off.
#include "fake_session.h"
#include "theme/palette.h"
#include "transport/player.h"
#include "welcome/welcome_page.h"
#include "window/language.h"
#include "window/main_window.h"
#include "window/screenshot.h"
#include "window/work_area.h"
#include "window_scene.h"

#include <QAbstractButton>
#include <QLabel>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope;
using app::MainWindow;

namespace {

/// How many different colours a part of a picture has, up to a limit.
int coloursIn(const QImage& image, const QRect& part, int limit = 64) {
    QSet<QRgb> seen;
    const QRect r = part & image.rect();
    for (int y = r.top(); y <= r.bottom(); ++y)
        for (int x = r.left(); x <= r.right(); ++x) {
            seen << image.pixel(x, y);
            if (seen.size() >= limit) return limit;
        }
    return int(seen.size());
}

bool inSight(const QWidget* widget) {
    return widget->isVisible() && !widget->visibleRegion().isEmpty();
}

/// Every text of labels, buttons and tabs that is wider than its place.
QStringList clippedTexts(const QWidget& window) {
    QStringList found;
    for (const QLabel* label : window.findChildren<QLabel*>()) {
        if (!inSight(label) || label->text().isEmpty() || label->wordWrap() || label->textFormat() == Qt::RichText)
            continue;
        int width = 0;
        for (const QString& line : label->text().split(QLatin1Char('\n')))
            width = std::max(width, label->fontMetrics().horizontalAdvance(line));
        if (width > label->contentsRect().width() + 1) found << QStringLiteral("label: ") + label->text();
    }
    for (const QAbstractButton* button : window.findChildren<QAbstractButton*>())
        if (inSight(button) && !button->text().isEmpty() && button->inherits("QPushButton") &&
            button->minimumSizeHint().width() > button->width())
            found << QStringLiteral("button: ") + button->text();
    for (const QTabBar* tabs : window.findChildren<QTabBar*>())
        for (int i = 0; inSight(tabs) && i < tabs->count(); ++i)
            if (tabs->fontMetrics().horizontalAdvance(tabs->tabText(i)) > tabs->tabRect(i).width())
                found << QStringLiteral("tab: ") + tabs->tabText(i);
    return found;
}

} // namespace

class TestWindowLook : public QObject {
    Q_OBJECT

    void rows() {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<QString>("language");
        QTest::newRow("light, English") << false << QStringLiteral("en");
        QTest::newRow("dark, English") << true << QStringLiteral("en");
        QTest::newRow("light, Chinese") << false << QStringLiteral("zh_CN");
        QTest::newRow("dark, Chinese") << true << QStringLiteral("zh_CN");
    }
    QTemporaryDir m_folder;
    std::unique_ptr<app::Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    /// A new window in this theme and language, with settings of its own.
    void open() {
        QFETCH(bool, dark);
        QFETCH(QString, language);
        views::Theme::instance().setChoice(dark ? views::ThemeChoice::Dark : views::ThemeChoice::Light);
        app::speak(language);
        QFile::remove(m_folder.filePath(QStringLiteral("s.ini")));
        m_settings = std::make_unique<app::Settings>(m_folder.filePath(QStringLiteral("s.ini")));
        m_window = std::make_unique<MainWindow>(m_settings.get());
        m_window->resize(1600, 1000);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void checkNothingClipped() {
        // A text that has just changed has its place when its layout was asked, which waits in the queue.
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        const QStringList clipped = clippedTexts(*m_window);
        QVERIFY2(clipped.isEmpty(), qPrintable(clipped.join(QLatin1Char('\n'))));
    }

private Q_SLOTS:
    void cleanup() {
        m_window.reset();
        m_settings.reset();
        app::speak(QStringLiteral("en"));
    }

    void theWelcomePage_data() { rows(); }
    void theWelcomePage() {
        open();
        QFETCH(bool, dark);
        QTRY_VERIFY(m_window->welcome()->urlField()); // the rest of the page is there
        const QImage picture = m_window->grab().toImage();
        QCOMPARE(picture.pixelColor(5, 400), views::color(views::Role::Surface, dark));
        QVERIFY(coloursIn(picture, picture.rect()) >= 40);
        checkNothingClipped();
    }

    void aScenarioAtItsViolation_data() { rows(); }
    void aScenarioAtItsViolation() {
        open();
        QFETCH(bool, dark);
        m_window->openScenario(QStringLiteral("gc-pause"));
        app::Screenshot screenshot(m_window.get(), std::nullopt);
        QImage picture;
        connect(&screenshot, &app::Screenshot::taken, this, [&](const QImage& image) { picture = image; });
        screenshot.start();
        QTRY_VERIFY_WITH_TIMEOUT(!picture.isNull(), 20'000);
        QCOMPARE(picture.size(), QSize(1600, 1000));

        // Each part has something in it, and what is violated shows in the colour that nothing else has.
        const auto part = [&](const QWidget* widget) {
            return QRect(widget->mapTo(m_window.get(), QPoint()), widget->size());
        };
        for (const QDockWidget* dock :
             {m_window->work()->controls(), m_window->work()->inspector(), m_window->work()->locks()})
            QVERIFY2(coloursIn(picture, part(dock)) >= 12, qPrintable(dock->objectName()));
        QVERIFY(coloursIn(picture, part(m_window->work()->timeline())) >= 3);
        int violation = 0;
        const QRgb wanted = views::color(views::Role::Violation, dark).rgb();
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x)
                violation += picture.pixel(x, y) == wanted;
        QVERIFY(violation > 60);
        checkNothingClipped();
    }

    void aSmallWindowCutsNothingOffEither_data() { rows(); }
    void aSmallWindowCutsNothingOffEither() {
        open();
        m_window->openScenario(QStringLiteral("contention"));
        m_window->resize(m_window->minimumSize());
        QTRY_COMPARE(m_window->size(), m_window->minimumSize());
        checkNothingClipped();
    }

    /// Where there is little room, the last words go as a whole, into the tool tip.
    void noWordAtTheFootIsCut() {
        struct LoadedSession : FakeSession {
            std::optional<double> ownLoad() const override { return 40; }
        };
        tests::WindowScene scene;
        auto session = std::make_unique<LoadedSession>();
        session->can = {};
        session->can.live = true;
        scene.window->setSession(std::move(session), false);
        QStatusBar* const foot = scene.window->statusBar();
        const auto labels = foot->findChildren<QLabel*>();
        const auto load = std::ranges::find_if(
            labels, [](const QLabel* label) { return label->accessibleName().startsWith(QStringLiteral("Load: ")); });
        QVERIFY(load != labels.end());
        const auto all = [&] { return (*load)->accessibleName().mid(6); };
        QTRY_VERIFY2(all().startsWith(u"our own load 40"_qs) && all().contains(u"events"_qs), qPrintable(all()));
        int shorter = 0;
        for (int width = 1600; width >= 500; width -= 50) {
            foot->resize(width, foot->height());
            const QString words = (*load)->text();
            shorter += words != all();
            QVERIFY2(all().startsWith(words), qPrintable(words));
            QCOMPARE((*load)->toolTip(), words == all() ? QString() : all());
            const int needed = (*load)->fontMetrics().horizontalAdvance(words);
            QVERIFY2((*load)->width() >= needed && foot->rect().contains((*load)->geometry()),
                     qPrintable(QStringLiteral("%1: %2").arg(width).arg(words)));
        }
        QVERIFY(shorter > 0);
    }
};

QTEST_MAIN(TestWindowLook)
#include "tst_window_look.moc"
