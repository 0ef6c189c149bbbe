// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/run_window.h"

#include "compare/compare_window.h"
#include "lesson/lesson_file.h"
#include "ports/url_login.h"
#include "scenario/scenario.h"
#include "session/shared_run.h"
#include "theme/fonts.h"
#include "theme/icons.h"
#include "theme/palette.h"
#include "theme/plain_tips.h"
#include "welcome/url_parts.h"
#include "window/compare_desk.h"
#include "window/keyboard_courtesy.h"
#include "window/language.h"
#include "window/large_pages.h"
#include "window/lesson_desk.h"
#include "window/main_window.h"
#include "window/presenter.h"
#include "window/screenshot.h"
#include "window/session_opener.h"
#include "window/window_keeper.h"
#include "window/work_area.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QImage>
#include <QTemporaryDir>
#include <QTimer>
#include <cstdio>
#include <cstring>

namespace lockscope::app {
namespace {

struct Shell {
    Q_DECLARE_TR_FUNCTIONS(Shell)
};

bool has(int argc, char** argv, const char* option) {
    for (int i = 1; i < argc; ++i)
        if (std::strncmp(argv[i], option, std::strlen(option)) == 0) return true;
    return false;
}

/// The program's words as they were given; first asked for before they are hidden.
const QStringList& givenWords() {
    static const QStringList words = QApplication::arguments();
    return words;
}

/// A message may repeat the user's words, but no logins.
QString shown(const QString& message) {
    return withoutLogins(message, givenWords().mid(1));
}

int usage(const QString& message) {
    std::fprintf(stderr, "lockscope: %s\n", qPrintable(shown(message)));
    return 2;
}

const QCommandLineOption kScreenshot{QStringLiteral("screenshot"), {}, QStringLiteral("file")};
const QCommandLineOption kTheme{QStringLiteral("theme"), {}, QStringLiteral("name")};
const QCommandLineOption kLanguage{QStringLiteral("language"), {}, QStringLiteral("code")};
const QCommandLineOption kScenario{QStringLiteral("scenario"), {}, QStringLiteral("id")};
const QCommandLineOption kLesson{QStringLiteral("lesson"), {}, QStringLiteral("id")};
const QCommandLineOption kStep{QStringLiteral("step"), {}, QStringLiteral("number")};
const QCommandLineOption kAt{QStringLiteral("at"), {}, QStringLiteral("time")};
const QCommandLineOption kSeed{QStringLiteral("seed"), {}, QStringLiteral("number")};
const QCommandLineOption kLayout{QStringLiteral("layout"), {}, QStringLiteral("name")};
const QCommandLineOption kPanel{QStringLiteral("panel"), {}, QStringLiteral("name")};
const QCommandLineOption kSize{QStringLiteral("size"), {}, QStringLiteral("WxH")};
const QCommandLineOption kPresent{QStringLiteral("present")};
const QCommandLineOption kCompare{QStringLiteral("compare"), {}, QStringLiteral("change")};
const QCommandLineOption kConnect{QStringLiteral("connect"), {}, QStringLiteral("url")};
const QCommandLineOption kWelcome{QStringLiteral("welcome")};
const QCommandLineOption kExit{QStringLiteral("exit-after-first-paint")};

/// Applies the options to the settings; returns an error sentence or nothing.
QString applyOptions(const QCommandLineParser& parser, Settings& settings) {
    if (parser.isSet(kTheme)) {
        const QString name = parser.value(kTheme);
        if (name == QLatin1String("light"))
            settings.setThemeForNow(views::ThemeChoice::Light);
        else if (name == QLatin1String("dark"))
            settings.setThemeForNow(views::ThemeChoice::Dark);
        else if (name == QLatin1String("system"))
            settings.setThemeForNow(views::ThemeChoice::System);
        else
            return Shell::tr("--theme %1: light, dark or system").arg(name);
    }
    if (parser.isSet(kLanguage)) {
        if (!languages().contains(parser.value(kLanguage)))
            return Shell::tr("--language %1: one of %2")
                .arg(parser.value(kLanguage), languages().join(QStringLiteral(", ")));
        settings.setLanguageForNow(parser.value(kLanguage));
    }
    if (parser.isSet(kLayout)) {
        bool known = false;
        for (Layout layout : kLayouts)
            if (layoutId(layout) == parser.value(kLayout)) {
                settings.setLayout(layout);
                known = true;
            }
        if (!known) return Shell::tr("--layout %1: teach, monitor or break").arg(parser.value(kLayout));
    }
    return {};
}

/// A seed is one of a scenario's runs; an error sentence or nothing.
QString checkSeed(const QCommandLineParser& parser) {
    if (!parser.isSet(kSeed)) return {};
    const QStringList named = parser.positionalArguments();
    const bool recorded = !named.isEmpty() && (looksLikeUrl(named.first()) || looksRecorded(named.first()));
    const bool scenario = parser.isSet(kScenario) || parser.isSet(kScreenshot) || !named.isEmpty();
    return scenario && !recorded ? QString()
                                 : Shell::tr("--seed %1: this needs a scenario to run, such as --scenario gc-pause")
                                       .arg(parser.value(kSeed));
}

/// Opens a lesson at a step, counted from 1; an error sentence or nothing.
QString openLesson(const QCommandLineParser& parser, MainWindow& window, bool play) {
    const QString id = parser.value(kLesson);
    const auto lesson = lesson::loadLesson(id);
    if (!lesson) return lesson.error().front().toString();
    const int steps = int(lesson->steps.size()) + (lesson->turn ? 1 : 0);
    bool number = true;
    const int step = parser.isSet(kStep) ? parser.value(kStep).toInt(&number) : 1;
    if (!number || step < 1 || step > steps)
        return Shell::tr("--step %1: the lesson has the steps 1 to %2").arg(parser.value(kStep)).arg(steps);
    window.lessons()->open(id, step - 1,
                           play ? views::LessonGuide::Arrival::Play : views::LessonGuide::Arrival::AtOnce);
    return {};
}

/// "redis://host" or "NAME=redis://host".
session::ConnectionWish wishOf(const QString& word) {
    const qsizetype scheme = word.indexOf(QLatin1String("://")), equals = word.indexOf(QLatin1Char('='));
    if (equals <= 0 || equals > scheme) return {{}, word, false};
    return {word.left(equals), word.mid(equals + 1), false};
}

/// The servers to watch side by side: each --connect, and each word that is an address.
std::vector<session::ConnectionWish> wantedConnections(const QCommandLineParser& parser) {
    std::vector<session::ConnectionWish> wishes;
    for (const QString& word : parser.values(kConnect) + parser.positionalArguments())
        if (looksLikeUrl(word)) wishes.push_back(wishOf(word));
    return wishes;
}

/// Opens what the arguments name; an error sentence or nothing.
QString openWanted(const QCommandLineParser& parser, MainWindow& window, bool play) {
    if (parser.isSet(kLesson)) return openLesson(parser, window, play);
    for (const QString& word : parser.values(kConnect))
        if (!looksLikeUrl(word))
            return Shell::tr("--connect %1: the address of a server, such as redis://host:6379, or NAME=redis://host")
                .arg(word);
    if (const auto wishes = wantedConnections(parser); !wishes.empty()) {
        auto opened = openConnections(wishes);
        if (!opened && play && wishes.size() == 1 && views::UrlParts::of(wishes.front().url).lacksPassword()) {
            // Once the window is there to lie over.
            QTimer::singleShot(0, &window, [&window, wish = wishes.front()] { window.askForPassword(wish); });
            return {};
        }
        if (!opened) return opened.error();
        for (const session::ConnectionWish& one : wishes)
            window.settings()->addRecentConnection(one.url);
        window.setSession(std::move(*opened), play);
        return {};
    }
    QString wanted = parser.value(kScenario);
    if (!parser.positionalArguments().isEmpty()) wanted = parser.positionalArguments().first();
    if (wanted.isEmpty() && parser.isSet(kScreenshot) && !parser.isSet(kWelcome)) wanted = QStringLiteral("gc-pause");
    if (wanted.isEmpty()) return {};
    bool number = true;
    std::optional<std::uint64_t> seed;
    if (parser.isSet(kSeed)) seed = parser.value(kSeed).toULongLong(&number);
    if (!number) return Shell::tr("--seed %1: a whole number").arg(parser.value(kSeed));
    if (session::looksShared(wanted)) {
        if (seed) return Shell::tr("--seed %1: the shared run has its own seed").arg(parser.value(kSeed));
        if (const auto run = session::readSharedText(wanted); !run) return run.error();
        window.openShared(wanted);
        return {};
    }
    const bool file = looksRecorded(wanted);
    auto opened = file ? openFile(wanted) : openScenario(wanted, seed);
    if (!opened) return opened.error();
    if (file) window.noteFile(wanted);
    window.setSession(std::move(*opened), play);
    return {};
}

/// Opens the comparison that --compare names; an error sentence or nothing.
QString openComparison(const QString& change, MainWindow& window, views::CompareWindow*& opened) {
    const auto contrast = experiment::parseContrast(change, window.context()->scenario());
    if (!contrast)
        return Shell::tr("--compare %1: a setting and its other value, such as watchdog=off or recipe=redis-fair, or "
                         "“fencing”")
            .arg(change);
    if (const auto other = experiment::contrasted(window.context()->scenario(), *contrast); !other)
        return Shell::tr("--compare %1: %2").arg(change, other.error());
    opened = window.comparison()->open(contrast);
    return opened ? QString() : Shell::tr("--compare %1: this needs a scenario to run").arg(change);
}

/// Brings a panel to the front once the window is laid out; an error sentence or nothing.
QString bringForward(const QString& panel, MainWindow& window) {
    QStringList known;
    for (QDockWidget* const dock : window.needWork()->docks()) {
        known << dock->objectName().section(QLatin1Char('.'), 1);
        if (known.back() != panel) continue;
        QTimer::singleShot(0, dock, [dock] { // tabs come into being with the layout
            dock->show();
            dock->raise();
        });
        return {};
    }
    return Shell::tr("--panel %1: one of %2").arg(panel, known.join(QStringLiteral(", ")));
}

/// The program's picture goes into this file; gives the exit status.
int save(const QImage& image, const QString& path) {
    if (!image.isNull() && image.save(path)) return 0;
    return usage(Shell::tr("%1: the picture could not be written").arg(path));
}

/// Whether Qt would look for a display and find none; it ends the program then, before anything could be said.
bool lacksDisplay(int argc, char** argv) {
    for (const char* place : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
        if (!qEnvironmentVariableIsEmpty(place)) return false;
    return !has(argc, argv, "-platform") && !has(argc, argv, "--platform");
}

} // namespace

int runWindow(int& argc, char** argv) {
    // A picture needs no display, nor does a complaint about the words.
    const bool picture = has(argc, argv, "--screenshot"), noDisplay = lacksDisplay(argc, argv);
    if (noDisplay) qputenv("QT_QPA_PLATFORM", "offscreen");

    preferLargePages();
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("Lockscope"));
    QApplication::setApplicationName(QStringLiteral("Lockscope"));
    QApplication::setApplicationVersion(QStringLiteral(LOCKSCOPE_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("lockscope"));
    // Our own engine reads the drawing: the image plug-ins that QIcon would load cost more than the rest of the window.
    QApplication::setWindowIcon(views::icon("lockscope"));

    QCommandLineParser parser;
    parser.addPositionalArgument(QStringLiteral("file"), {});
    parser.addOptions({kScreenshot, kTheme, kLanguage, kScenario, kLesson, kStep, kAt, kSeed, kLayout, kPanel, kSize,
                       kCompare, kConnect, kWelcome, kPresent, kExit});
    const QStringList& words = givenWords();
    hideLogins(argc, argv);
    if (!parser.parse(words)) {
        // It repeats parts of words, in which a login could not be told.
        const bool secret = !words.filter(QStringLiteral("@")).isEmpty();
        return usage(secret ? Shell::tr("an option is not known, or lacks its value") : parser.errorText());
    }

    if (const QString error = checkSeed(parser); !error.isEmpty()) return usage(error);
    const bool shows = !picture && !parser.isSet(kExit);
    if (noDisplay && shows) {
        if (parser.isSet(kLesson))
            if (const auto lesson = lesson::loadLesson(parser.value(kLesson)); !lesson)
                return usage(lesson.error().front().toString());
        return usage(Shell::tr("there is no display for the window: neither DISPLAY nor WAYLAND_DISPLAY is set. "
                               "“lockscope --help” tells what works in a terminal"));
    }

    // Pictures and measurements neither read nor write the user's settings: equal everywhere.
    QTemporaryDir scratch;
    const bool apart = picture || parser.isSet(kExit);
    const auto store = apart ? std::make_unique<Settings>(scratch.filePath(QStringLiteral("settings.ini")))
                             : std::make_unique<Settings>();
    Settings& settings = *store;
    if (const QString error = applyOptions(parser, settings); !error.isEmpty()) return usage(error);
    views::Theme::instance().setChoice(settings.theme());
    views::setTextScale(settings.textScale());
    KeyboardCourtesy courtesy;
    application.installEventFilter(&courtesy);
    views::PlainTips tips;
    application.installEventFilter(&tips);

    WindowKeeper keeper(&settings);
    QObject::connect(&courtesy, &KeyboardCourtesy::chosenByMouse, &application, [&keeper](const QWidget* box) {
        if (box->window() == keeper.window()) keeper.window()->keysToTheTimeline();
    });
    MainWindow& window = *keeper.window();
    if (parser.isSet(kSize)) {
        const QStringList parts = parser.value(kSize).split(QLatin1Char('x'));
        if (parts.size() == 2) window.resize(parts[0].toInt(), parts[1].toInt());
    } else if (picture) {
        window.resize(1600, 1000);
    }
    if (const QString error = shown(openWanted(parser, window, !picture)); !error.isEmpty()) {
        // Nobody looks at a window's message bar when a picture was asked for.
        if (picture) return usage(error);
        window.complain(error);
    }
    if (parser.isSet(kPresent)) window.presenter()->setOn(true);
    if (parser.isSet(kExit))
        // exit() and not quit(): windows are not closed, so that nothing but the start is measured.
        QObject::connect(&window, &MainWindow::firstPainted, &application, [] {
            std::puts("painted");
            std::fflush(stdout);
            QApplication::exit(0);
        });
    window.show();
    // A window that was hidden has shown no focus.
    QObject::connect(
        &window, &MainWindow::firstPainted, &window, [&window] { window.lessons()->takeKeyboard(); },
        Qt::QueuedConnection);
    if (parser.isSet(kPanel))
        if (const QString error = bringForward(parser.value(kPanel), window); !error.isEmpty()) return usage(error);
    views::CompareWindow* compared = nullptr;
    if (parser.isSet(kCompare)) {
        const QString error = shown(openComparison(parser.value(kCompare), window, compared));
        if (!error.isEmpty() && picture) return usage(error);
        if (!error.isEmpty()) window.complain(error);
    }
    if (!picture) return QApplication::exec();
    if (compared) {
        compared->resize(window.size());
        QObject::connect(compared, &views::CompareWindow::ready, compared, [&parser, compared] {
            // Lanes are painted within a frame or two of the last change.
            QTimer::singleShot(600ms, compared, [&parser, compared] {
                QApplication::exit(save(compared->grab().toImage(), parser.value(kScreenshot)));
            });
        });
        return QApplication::exec();
    }

    std::optional<Nanos> at;
    if (parser.isSet(kAt)) {
        at = scenario::parseDuration(parser.value(kAt));
        if (!at) return usage(Shell::tr("--at %1: a time such as 6.8s").arg(parser.value(kAt)));
    }
    for (const QString& given : parser.positionalArguments()) {
        if (at || !session::looksShared(given)) continue;
        if (const auto run = session::readSharedText(given)) at = run->playhead; // a mistake in it was told before
    }
    Screenshot screenshot(&window, at);
    QObject::connect(&screenshot, &Screenshot::taken, &application,
                     [&](const QImage& image) { QApplication::exit(save(image, parser.value(kScreenshot))); });
    screenshot.start();
    return QApplication::exec();
}

} // namespace lockscope::app
