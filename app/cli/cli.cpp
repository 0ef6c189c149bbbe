// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli.h"

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/text.h"
#include "cli/usage.h"
#include "loader/servers.h"
#include "ports/url_login.h"
#include "scenario/schema_check.h"
#include "session/shared_run.h"

#include <QApplication>
#include <QFileInfo>
#include <cstring>
#include <fcntl.h>
#include <map>

namespace lockscope::cli {

namespace {

using Run = int (*)(const QStringList& words);

int notYet(const QStringList&) {
    return kUsage;
}

/// Loads the code that talks to servers when it is first needed. Null, after a complaint, when it cannot be loaded.
const servers::Servers* onServers() {
    const auto loaded = servers::load();
    if (!loaded) complain(loaded.error());
    return loaded.value_or(nullptr);
}

int watch(const QStringList& words) {
    const servers::Servers* const servers = onServers();
    return servers ? servers->watch(words) : kUsage;
}

int manager(const QStringList& words) {
    const servers::Servers* const servers = onServers();
    return servers ? servers->manager(words) : kUsage;
}

/// `command`: what stands behind "--", as it was given.
int lock(const QStringList& words, const std::vector<QByteArray>& command) {
    const servers::Servers* const servers = onServers();
    return servers ? servers->lock(words, command) : kLockFailed;
}

Run runOf(const Usage& usage) {
    static const std::map<QLatin1String, Run> commands{
        {QLatin1String("simulate"), simulate}, {QLatin1String("compare"), compare},   {QLatin1String("watch"), watch},
        {QLatin1String("check"), check},       {QLatin1String("export"), exportFile}, {QLatin1String("list"), list},
        {QLatin1String("manager"), manager},   {QLatin1String("diff"), diff},
    };
    const auto found = commands.find(QLatin1String(usage.name));
    return found == commands.end() ? notYet : found->second;
}

QString aboutLocking() {
    return tr("“lock” also takes redis+sentinel://, redis+cluster://, redlock://, zookeeper://, mysql://, "
              "postgresql://, sqlite:///FILE, memcached:// and etcd://, each with a recipe from “lockscope list "
              "recipes”. --shared holds it as a reader, beside other readers; writers of the same lock name the recipe "
              "for both: redis-rw or zk-rw, and on PostgreSQL readers, too, name sql-advisory. --permits N makes it a "
              "semaphore of N permits in all and takes one (as --recipe redis-semaphore). --wait bounds the "
              "connecting, too, which has a second at least. --id is a name for others to see; two runs of one name "
              "exclude each other all the same. COMMAND sees LOCKSCOPE_LOCK and, where the recipe gives one, "
              "LOCKSCOPE_TOKEN.");
}

QString aboutComparing() {
    return tr(
        "Each line of “compare” is one recipe under one scenario, over all seeds (1..100 if you name none): "
        "“violated” when an invariant was, “stalled” when the lock was not granted any more, “recovered” when for "
        "more than a second nobody could get it, else “safe”. Recipes may end in *, such as zk-*. Waits and costs "
        "in the tables of markdown and html are those of the scenario “contention”. The status is 0 when all "
        "cells came out as their scenarios expect, 1 when one did not, 4 when a scenario expects nothing.");
}

QString aboutManagers() {
    return tr(
        "A manager's CONFIG is a JSON file that names up to three engines for a namespace of locks: servers, and a "
        "recipe for each. “check” tells its mistakes and asks all its servers; “status” says which engine is in "
        "use, and how each server does; “switch” and “fail-back” change the engine for all processes, and show "
        "how far they have come; “watch” has a line for every change. ENGINE is a number, “primary”, or a part of "
        "its address. --immediate ends the holders at once where they could finish; “lock --manager” takes a lock "
        "on the engine in use, and its --recipe and --lease stand in CONFIG.");
}

QString aboutUrls() {
    return tr("A URL may have options, such as redis://host?timeout=500ms&connect=2s: how long one answer may take "
              "(not with ZooKeeper), and how long connecting may (not with SQLite), each from 10ms to 1h. redlock:// "
              "takes node=50ms, from 1ms to 1m, the wait for each server; redis+sentinel:// takes sentinel-user= and "
              "sentinel-password= where the sentinels have a login of their own.") +
           QLatin1Char(' ') +
           tr("zookeeper:// has options, for example ?session=10s&layout=kazoo&acl=open: how long a silent holder "
              "keeps its locks; whose locks see zk-mutex and zk-rw, kazoo's or Curator's (curator, the default); "
              "whether others may do nothing (creator), look (read) or do everything (open) with our nodes.");
}

QString helpText() {
    QStringList lines{
        tr("An oscilloscope for distributed locks."), QString(),
        QStringLiteral(
            "lockscope [FILE.lockscope | URL… | lockscope:…] [--connect [NAME=]URL]… [--lesson ID [--step N]] "
            "[--present]"),
        QStringLiteral("    ") + tr("open the window, with a recording, or with servers side by side, if you like")};
    for (const Usage& command : usages()) {
        if (!command.words) continue;
        lines += QStringLiteral("lockscope ") + QString::fromUtf8(command.words);
        lines += QStringLiteral("    ") + tr(command.purpose);
    }
    lines += {QStringLiteral("lockscope help [COMMAND] | --help | --version"),
              QString(),
              tr("SCENARIO is a file, a name from “lockscope list scenarios”, or a run that was copied as text "
                 "(lockscope:…; quote it). URL is "
                 "redis://[user:password@]host:port[/db] "
                 "or rediss:// for TLS. Times have a unit: 250ms, 5s, 2m."),
              aboutUrls(),
              aboutLocking(),
              aboutManagers(),
              tr("Exit status: 0 fine, 1 an invariant was violated, 2 usage or bad input, 3 server unreachable, 4 "
                 "verdict unknown; "
                 "“lock” passes its command's status through, or 123 lock lost, 124 not acquired in time, 125 failed, "
                 "126/127 command cannot run / not found.")};
    return lines.join(QLatin1Char('\n'));
}

int unknownCommand(const QString& word) {
    QStringList names;
    for (const Usage& command : usages()) {
        if (command.words) names += QString::fromLatin1(command.name);
    }
    complainOfWords(tr("“%1” is neither a command, a file nor a URL%2").arg(word, scenario::suggestion(word, names)));
    return kUsage;
}

bool isUtf8(const QByteArray& word) {
    return QString::fromUtf8(word).toUtf8() == word;
}

/// Qt tells of a locale without UTF-8 that it changes it for itself, and of a missing folder that it takes another.
bool isHarmless(const QString& message) {
    return message.startsWith(QLatin1String("Detected locale")) ||
           message.startsWith(QLatin1String("QStandardPaths: XDG_RUNTIME_DIR"));
}

void messageHandler(QtMsgType type, const QMessageLogContext&, const QString& message) {
    if (type != QtDebugMsg && type != QtInfoMsg && !isHarmless(message)) complain(message);
}

QtMessageHandler s_beforeHush = nullptr;

} // namespace

void hushHarmlessRemarks() {
    s_beforeHush = qInstallMessageHandler([](QtMsgType type, const QMessageLogContext& place, const QString& message) {
        if (!isHarmless(message)) s_beforeHush(type, place, message);
    });
}

bool isForTerminal(const QStringList& words) {
    if (words.isEmpty()) return false;
    const QString& first = words.front();
    const QStringList about{QStringLiteral("--help"), QStringLiteral("-h"), QStringLiteral("help"),
                            QStringLiteral("--version")};
    if (about.contains(first)) return true;
    if (first.startsWith(QLatin1Char('-'))) return false; // an option of the window
    if (findUsage(first)) return true;
    return !first.contains(QLatin1String("://")) && !session::looksShared(first) && !QFileInfo::exists(first);
}

namespace {
/// Opens the standard streams that are closed, so that no file opened later gets their numbers: messages would be
/// written into it. The command finds them closed.
void fillStandardStreams() {
    for (int stream = 0; stream <= 2; ++stream)
        if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", O_RDWR | O_CLOEXEC); // gets that very number
}
} // namespace

int run(int argc, char** argv, const std::function<void()>& speak) {
    fillStandardStreams();
    qInstallMessageHandler(messageHandler);
    // Before Qt takes options of its own out of what may be somebody else's command.
    const std::vector<QByteArray> raw(argv + 1, argv + argc);
    const auto end = std::ranges::find(raw, QByteArray("--"));
    QStringList given;
    for (const QByteArray& word : raw)
        given += QString::fromLocal8Bit(word);
    // Everything but a picture starts faster without the means of a window; a picture needs them, but no display.
    std::unique_ptr<QCoreApplication> application;
    if (given.value(0) == QLatin1String("export") && exportPaints(given)) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        application = std::make_unique<QApplication>(argc, argv);
    } else {
        application = std::make_unique<QCoreApplication>(argc, argv);
    }
    speak();

    QStringList words = QCoreApplication::arguments().mid(1);
    keepWords(words);
    hideLogins(argc, argv);
    if (words.value(0) == QLatin1String("help")) words = words.mid(1) + QStringList{QStringLiteral("--help")};
    const QString first = words.value(0);
    if (words.isEmpty() || first == QLatin1String("--help") || first == QLatin1String("-h")) {
        say(helpText());
        return kFine;
    }
    if (first == QLatin1String("--version")) {
        say(QStringLiteral("lockscope " LOCKSCOPE_VERSION));
        return kFine;
    }
    const Usage* command = findUsage(first);
    if (!command) return unknownCommand(first);
    if (!command->words) {
        complain(tr("“%1” does not exist yet in this version; “lockscope --help” tells what does").arg(first));
        return kUsage;
    }
    // Help for a command; not what stands behind "--", which belongs to somebody else's command.
    const QStringList own =
        words.mid(0, words.indexOf(QStringLiteral("--")) < 0 ? words.size() : words.indexOf(QStringLiteral("--")));
    if (own.contains(QStringLiteral("--help")) || own.contains(QStringLiteral("-h"))) {
        say(usageOf(command->name));
        say(QStringLiteral("    ") + tr(command->purpose));
        if (first == QLatin1String("lock")) say(QLatin1Char('\n') + aboutLocking() + QLatin1Char('\n') + aboutUrls());
        if (first == QLatin1String("compare")) say(QLatin1Char('\n') + aboutComparing());
        if (first == QLatin1String("manager")) say(QLatin1Char('\n') + aboutManagers());
        return kFine;
    }
    const bool locks = first == QLatin1String("lock");
    if (!std::all_of(raw.begin(), end, isUtf8)) { // read as text it would name something else
        misused(command->name, tr("a word is not UTF-8; names, files and addresses are"));
        return locks ? kLockFailed : kUsage;
    }
    if (locks) return lock(words.mid(1), std::vector<QByteArray>(end == raw.end() ? end : end + 1, raw.end()));
    return runOf(*command)(words.mid(1));
}

} // namespace lockscope::cli
