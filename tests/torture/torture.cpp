// SPDX-License-Identifier: Apache-2.0
// Processes that fight over the same locks on a real server, and are stopped, continued and killed while they do; so is
// the server, where its locks survive that. Each writes down what it believes; all of it together is judged.
//
//   torture [--recipe R]… [--seconds S] [--processes N] [--threads N] [--saboteur] [--keep FOLDER] [--seen FOLDER]
//           [--list]
//
// --seen: a violation is noted there, and whoever runs that recipe again is shown it: going well at a second try
// proves nothing.
// Without --recipe: all of them. --saboteur: somebody frees what others hold, and must be found out. Ends with 0 when
// nothing happened that recipes may not do, 1 else, 2 for bad arguments.
#include "herd.h"
#include "machine_watch.h"
#include "report.h"
#include "runtime/event_loop_runtime.h"
#include "trace/recording.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QDir>
#include <algorithm>
#include <cstdio>

using namespace lockscope;
using namespace lockscope::torture;

namespace {

/// So often in a row a machine may stand still, until its complaints count all the same.
constexpr int kMostDisturbed = 5;

void keep(const QString& folder, const Subject& subject, const Ruling& ruling) {
    trace::RecordingMeta meta;
    meta.recipe = QString::fromLatin1(subject.recipe.id);
    meta.origin = QStringLiteral("torture");
    const QString path = QDir(folder).filePath(QStringLiteral("torture-%1.lockscope").arg(subject.id));
    const auto saved = trace::saveRecording(path, ruling.trace, meta);
    Report::say(saved ? QStringLiteral("  recorded: %1").arg(path)
                      : QStringLiteral("  ! %1").arg(saved.error().message));
}

struct Wish {
    std::vector<Subject> subjects;
    Plan plan;
    QString keep, seen;
};

QString noteOf(const Wish& wish, const Subject& subject) {
    return QDir(wish.seen).filePath(subject.id);
}

/// The failure that an earlier try has seen; empty: none.
QString seenBefore(const Wish& wish, const Subject& subject) {
    QFile note(noteOf(wish, subject));
    return !wish.seen.isEmpty() && note.open(QIODevice::ReadOnly) ? QString::fromUtf8(note.readAll()) : QString();
}

void noteSeen(const Wish& wish, const Subject& subject, const Ruling& ruling) {
    if (wish.seen.isEmpty() || ruling.violations.isEmpty()) return;
    QFile note(noteOf(wish, subject));
    if (!QDir().mkpath(wish.seen) || !note.open(QIODevice::WriteOnly | QIODevice::Append) ||
        note.write(ruling.violations.join(u'\n').toUtf8() + '\n') < 0)
        Report::say(QStringLiteral("  ! %1 cannot be written").arg(note.fileName()));
}

QCoro::Task<> tortureAll(Runtime& runtime, Nanos origin, const Wish& wish) {
    bool well = true;
    Report report;
    for (const Subject& subject : wish.subjects) {
        if (!subject.excluded.isEmpty()) {
            Report::say(QStringLiteral("%1 not run: %2").arg(subject.id, -24).arg(subject.excluded));
            continue;
        }
        if (const QString before = seenBefore(wish, subject); !before.isEmpty()) {
            Report::say(
                QStringLiteral("%1 not run again, it has been seen to fail:\n%2").arg(subject.id, -24).arg(before));
            well = false;
            continue;
        }
        // A recipe that can fail fails by chance only: it gets several rounds.
        const bool mayFail = !subject.breaks.isEmpty() || wish.plan.saboteur;
        const int rounds = mayFail ? 5 : 1;
        bool good = false;
        int disturbed = 0;
        for (int round = 0; round < rounds && !good; ++round) {
            const MachineWatch machine;
            Herd herd(runtime, origin, subject, wish.plan);
            co_await herd.run();
            const Ruling ruling = rule(subject, wish.plan, herd.chronicle());
            const QString disturbance = machine.disturbance(wish.plan.lease);
            if (!mayFail && !ruling.complaints.isEmpty() && !disturbance.isEmpty() && ++disturbed < kMostDisturbed) {
                Report::say(QStringLiteral("%1 not judged, once more: %2. Without that, it would be:\n  %3")
                                .arg(subject.id, -24)
                                .arg(disturbance, ruling.complaints.join(QStringLiteral("\n  "))));
                --round;
                continue;
            }
            good = report.add(subject, wish.plan, ruling);
            if (!mayFail) noteSeen(wish, subject, ruling);
            if (!wish.keep.isEmpty()) keep(wish.keep, subject, ruling);
        }
        well &= good;
    }
    report.table();
    runtime.post([well] { QCoreApplication::exit(well ? 0 : 1); });
}

} // namespace

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("Tortures locks on real servers."));
    parser.addHelpOption();
    const QCommandLineOption recipe(QStringLiteral("recipe"), QStringLiteral("One that is run; may come again."),
                                    QStringLiteral("id"));
    const QCommandLineOption seconds(QStringLiteral("seconds"), QStringLiteral("How long each."), QStringLiteral("S"),
                                     QStringLiteral("4"));
    const QCommandLineOption processes(QStringLiteral("processes"), {}, QStringLiteral("N"), QStringLiteral("8"));
    const QCommandLineOption threads(QStringLiteral("threads"), {}, QStringLiteral("N"), QStringLiteral("3"));
    const QCommandLineOption folder(QStringLiteral("keep"), QStringLiteral("Saves a recording of each there."),
                                    QStringLiteral("folder"));
    const QCommandLineOption seen(QStringLiteral("seen"), QStringLiteral("Remembers violations there."),
                                  QStringLiteral("folder"));
    const QCommandLineOption list(QStringLiteral("list"), QStringLiteral("Says what would be run."));
    const QCommandLineOption saboteur(QStringLiteral("saboteur"),
                                      QStringLiteral("Lets somebody free what others hold, who must be found out."));
    parser.addOptions({recipe, seconds, processes, threads, saboteur, folder, seen, list});
    parser.process(application);

    Wish wish;
    const QStringList wanted = parser.values(recipe);
    for (Subject& subject : allSubjects())
        if (wanted.isEmpty() || wanted.contains(subject.id) || wanted.contains(QString::fromLatin1(subject.recipe.id)))
            wish.subjects.push_back(std::move(subject));
    if (parser.isSet(list)) {
        for (const Subject& subject : wish.subjects)
            Report::say(subject.id +
                        (subject.excluded.isEmpty() ? QString() : QStringLiteral(": ") + subject.excluded));
        return 0;
    }
    const double length = parser.value(seconds).toDouble();
    if (wish.subjects.empty() || length < 1) {
        std::fprintf(stderr, "torture: no such recipe, or less than a second\n");
        return 2;
    }
    // The first half without a stop that any lease could not stand.
    wish.plan.gentle = Nanos(std::int64_t(length * 0.5e9));
    wish.plan.rough = Nanos(std::int64_t(length * 0.5e9));
    wish.plan.processes = std::clamp(parser.value(processes).toInt(), 1, 26);
    wish.plan.threads = std::max(1, parser.value(threads).toInt());
    wish.plan.saboteur = parser.isSet(saboteur);
    wish.keep = parser.value(folder);
    wish.seen = parser.value(seen);

    const auto origin = std::chrono::steady_clock::now();
    EventLoopRuntime runtime(origin);
    runtime.spawn([&] { return tortureAll(runtime, origin.time_since_epoch(), wish); });
    const int status = QCoreApplication::exec();
    runtime.kill();
    return status;
}
