// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli.h"

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/output.h"
#include "cli/text.h"
#include "scenario/schema_check.h"

#include <QApplication>
#include <QFileInfo>

namespace lockscope::cli {

namespace {

struct Command {
    const char* name;
    int (*run)(const QStringList& words);
    const char* usage;
    const char* purpose;
};

int notYet(const QStringList&) {
    return kUsage;
}

const std::array kCommands{
    Command{"simulate", simulate,
            "simulate SCENARIO [--recipe R] [--seed N | --seeds A..B] [--until 60s] [--record FILE] [--json]",
            QT_TRANSLATE_NOOP("cli", "play a scenario in virtual time and judge it")},
    Command{"lock", lock,
            "lock [--recipe R] [--shared | --permits N] [--lease 30s] [--wait 10s] [--id CLIENT] URL NAME -- COMMAND…",
            QT_TRANSLATE_NOOP("cli", "run a command while holding a lock on a real server")},
    Command{"watch", watch, "watch URL [--once] [--json]",
            QT_TRANSLATE_NOOP("cli", "locks on a running server; without --once, a line per change")},
    Command{"check", check, "check FILE [--json]", QT_TRANSLATE_NOOP("cli", "judge a recording")},
    Command{"export", exportFile, "export FILE --to png|svg|csv|jsonl OUT",
            QT_TRANSLATE_NOOP("cli", "turn a recording into a picture or a table")},
    Command{"list", list, "list scenarios|recipes|formats [--json]", QT_TRANSLATE_NOOP("cli", "what there is")},
    Command{"sandbox", notYet, nullptr, nullptr},
    Command{"compare", notYet, nullptr, nullptr},
};

const Command* findCommand(const QString& name) {
    const auto found = std::ranges::find_if(kCommands, [&](const Command& c) { return name == QLatin1String(c.name); });
    return found == kCommands.end() ? nullptr : &*found;
}

QString helpText() {
    QStringList lines{tr("An oscilloscope for distributed locks."), QString(),
                      QStringLiteral("lockscope [FILE.lockscope | URL]"),
                      QStringLiteral("    ") + tr("open the window, with a recording or a server if you like")};
    for (const Command& command : kCommands) {
        if (!command.usage) continue;
        lines += QStringLiteral("lockscope ") + QString::fromUtf8(command.usage);
        lines += QStringLiteral("    ") + tr(command.purpose);
    }
    lines += {QStringLiteral("lockscope --help | --version"), QString(),
              tr("SCENARIO is a file or a name from “lockscope list scenarios”. URL is "
                 "redis://[user:password@]host:port[/db] "
                 "or rediss:// for TLS. Times have a unit: 250ms, 5s, 2m."),
              tr("“lock” also takes redis+sentinel://, redis+cluster://, redlock://, zookeeper://, mysql://, "
                 "postgresql://, sqlite:///FILE, memcached:// and etcd://, each with a recipe from “lockscope list "
                 "recipes”. --shared holds it as a reader, beside other readers (a recipe for reading and writing is "
                 "chosen). --permits N makes it a semaphore of N permits in all and takes one (as --recipe "
                 "redis-semaphore). COMMAND sees LOCKSCOPE_LOCK and, where the recipe gives one, LOCKSCOPE_TOKEN."),
              tr("Exit status: 0 fine, 1 an invariant was violated, 2 usage or bad input, 3 server unreachable, 4 "
                 "verdict unknown; "
                 "“lock” passes its command's status through, or 123 lock lost, 124 not acquired in time, 125 failed, "
                 "126/127 command cannot run / not found.")};
    return lines.join(QLatin1Char('\n'));
}

int unknownCommand(const QString& word) {
    QStringList names;
    for (const Command& command : kCommands) {
        if (command.usage) names += QString::fromLatin1(command.name);
    }
    complain(tr("“%1” is neither a command, a file nor a URL%2").arg(word, scenario::suggestion(word, names)));
    return kUsage;
}

/// Qt tells of a locale without UTF-8 that it changes it for itself; scripts and cron jobs have such, and it does no
/// harm.
void messageHandler(QtMsgType type, const QMessageLogContext&, const QString& message) {
    if (type == QtDebugMsg || type == QtInfoMsg || message.startsWith(QLatin1String("Detected locale")) ||
        message.startsWith(QLatin1String("QStandardPaths: XDG_RUNTIME_DIR")))
        return;
    complain(message);
}

} // namespace

bool isForTerminal(const QStringList& words) {
    if (words.isEmpty()) return false;
    const QString& first = words.front();
    if (first == QLatin1String("--help") || first == QLatin1String("-h") || first == QLatin1String("--version"))
        return true;
    if (first.startsWith(QLatin1Char('-'))) return false; // an option of the window
    if (findCommand(first)) return true;
    return !first.contains(QLatin1String("://")) && !QFileInfo::exists(first);
}

QString usageOf(const char* command) {
    return QStringLiteral("lockscope ") + QString::fromUtf8(findCommand(QLatin1String(command))->usage);
}

int misused(const char* command, const QString& complaint) {
    lockscope::cli::complain(complaint);
    lockscope::cli::complain(tr("usage: %1").arg(usageOf(command)));
    return kUsage;
}

int run(int argc, char** argv, const std::function<void()>& speak) {
    qInstallMessageHandler(messageHandler);
    QStringList given;
    for (int i = 1; i < argc; ++i)
        given += QString::fromLocal8Bit(argv[i]);
    // Everything but a picture starts faster without the means of a window; a picture needs them, but no display.
    std::unique_ptr<QCoreApplication> application;
    if (given.value(0) == QLatin1String("export") && exportPaints(given)) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        application = std::make_unique<QApplication>(argc, argv);
    } else {
        application = std::make_unique<QCoreApplication>(argc, argv);
    }
    speak();

    const QStringList words = QCoreApplication::arguments().mid(1);
    const QString first = words.value(0);
    if (words.isEmpty() || first == QLatin1String("--help") || first == QLatin1String("-h")) {
        say(helpText());
        return kFine;
    }
    if (first == QLatin1String("--version")) {
        say(QStringLiteral("lockscope " LOCKSCOPE_VERSION));
        return kFine;
    }
    const Command* command = findCommand(first);
    if (!command) return unknownCommand(first);
    if (!command->usage) {
        complain(tr("“%1” does not exist yet in this version; “lockscope --help” tells what does").arg(first));
        return kUsage;
    }
    // Help for a command; not what stands behind "--", which belongs to somebody else's command.
    const QStringList own =
        words.mid(0, words.indexOf(QStringLiteral("--")) < 0 ? words.size() : words.indexOf(QStringLiteral("--")));
    if (own.contains(QStringLiteral("--help")) || own.contains(QStringLiteral("-h"))) {
        say(usageOf(command->name));
        say(QStringLiteral("    ") + tr(command->purpose));
        return kFine;
    }
    return command->run(words.mid(1));
}

} // namespace lockscope::cli
