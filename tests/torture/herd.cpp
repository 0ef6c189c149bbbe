// SPDX-License-Identifier: Apache-2.0
#include "herd.h"

#include "journal.h"

#include <QCoreApplication>
#include <QDir>

namespace lockscope::torture {

using trace::EventKind;

Herd::Herd(Runtime& runtime, Nanos origin, const Subject& subject, Plan plan)
    : m_runtime(runtime), m_subject(subject), m_plan(plan), m_server(subject.makeServer(runtime)), m_origin(origin) {
}

bool Herd::startWorker(sandbox::ProcessSupervisor& process, const Life& life, Nanos until, const QString& as) {
    QStringList arguments;
    const auto add = [&](const char* name, const QString& value) {
        arguments << QStringLiteral("--%1").arg(QLatin1String(name)) << value;
    };
    add("url", m_server->url());
    add("recipe", QString::fromLatin1(m_subject.recipe.id));
    add("client", QString::fromLatin1(life.identity));
    add("journal", life.journal);
    add("counters", m_workspace.path());
    add("origin", QString::number(m_origin.count()));
    add("until", QString::number(until.count()));
    add("lease", QString::number(m_plan.lease / 1ms));
    add("threads", QString::number(m_plan.threads));
    add("seed", QString::number(m_runtime.random() % 1'000'000'007));
    if (m_subject.boundedWaits) arguments << QStringLiteral("--bounded");
    if (m_subject.recipe.naive) arguments << QStringLiteral("--heedless");
    if (!as.isEmpty()) arguments << QStringLiteral("--%1").arg(as);
    return process.start(QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("torture_worker")),
                         arguments, m_workspace.path());
}

void Herd::launch(Slot& slot) {
    ++slot.generation;
    Life life;
    life.name = slot.generation == 1 ? slot.letter : slot.letter + QByteArray::number(slot.generation);
    life.identity = m_runtime.randomUuid();
    life.journal = m_workspace.file(QStringLiteral("journal-%1").arg(QString::fromLatin1(life.name)));
    life.blocking = slot.blocking;
    slot.life = m_chronicle.lives.size();
    m_chronicle.lives.push_back(life);
    befalls(slot, EventKind::ClientStarted);
    slot.alive = true;
    if (!startWorker(*slot.process, life, m_until, slot.blocking ? QStringLiteral("blocking") : QString()))
        defect(QStringLiteral("%1 could not be started: %2").arg(QLatin1String(life.name), slot.process->lastOutput()));
}

void Herd::befalls(const Slot& slot, EventKind kind) {
    m_chronicle.lives[slot.life].fates.push_back({m_runtime.monotonic(), kind});
}

QCoro::Task<> Herd::run() {
    if (const auto started = co_await m_server->start(); !started) {
        defect(QStringLiteral("the server did not start: %1").arg(started.error()));
        co_return;
    }
    m_chronicle.server.push_back({m_runtime.monotonic(), EventKind::NodeStarted});
    co_await listen();
    m_chronicle.roughFrom = m_runtime.monotonic() + m_plan.gentle;
    m_until = m_chronicle.roughFrom + m_plan.rough;
    m_slots.resize(std::size_t(m_plan.processes));
    for (std::size_t i = 0; i < m_slots.size(); ++i) {
        m_slots[i].letter = QByteArray(1, char('A' + i));
        m_slots[i].blocking = i % 2 == 1;
        m_slots[i].process = std::make_unique<sandbox::ProcessSupervisor>();
        launch(m_slots[i]);
    }
    if (m_plan.saboteur) launchSaboteur();
    ++m_tasks;
    m_runtime.spawn([this] { return strikeServer(m_until - 500ms); });
    co_await torment(m_chronicle.roughFrom);
    m_rough = true;
    // Nobody is stopped beyond the end.
    co_await torment(m_until - 300ms);
    while (m_tasks > 0)
        co_await m_runtime.sleep(10ms);
    co_await finish();
}

QCoro::Task<> Herd::listen() {
    m_chronicle.wallAhead = std::chrono::system_clock::now().time_since_epoch() - m_runtime.monotonic();
    m_witness = makeWitness(m_runtime, m_subject, *m_server, m_chronicle.wallAhead);
    if (!m_witness) {
        defect(QStringLiteral("nobody listens to this server"));
        co_return;
    }
    const auto begun = co_await m_witness->begin();
    if (!begun) defect(QStringLiteral("the server does not say what it does: %1").arg(begun.error()));
}

void Herd::launchSaboteur() {
    Life life;
    life.name = "saboteur";
    life.identity = m_runtime.randomUuid();
    life.journal = m_workspace.file(QStringLiteral("journal-saboteur"));
    m_chronicle.lives.push_back(life);
    if (!startWorker(m_saboteur, life, m_until, QStringLiteral("sabotage"))) defect(QStringLiteral("no saboteur"));
}

QCoro::Task<> Herd::torment(Nanos until) {
    while (m_runtime.monotonic() < until) {
        co_await m_runtime.sleep(m_runtime.random(30ms, 120ms));
        if (m_runtime.monotonic() >= until) break; // slept in by a busy machine: they may have ended by now
        Slot& slot = m_slots[m_runtime.random() % m_slots.size()];
        if (slot.busy || !slot.alive) continue; // one that was killed near the end is not launched again
        slot.busy = true;
        ++m_tasks;
        // A third of the lease: with what may pass since the last renewal that is less than the lease, and to spare.
        const Nanos room = m_until - 100ms - m_runtime.monotonic();
        const bool naive = !m_subject.breaks.isEmpty(); // to be seen failing: no mercy
        const bool rough = naive || (m_rough && room > m_plan.lease && m_runtime.random() % 3 == 0);
        const Nanos longest = naive   ? m_plan.lease * 5 / 2
                              : rough ? m_plan.lease * 3 / 2
                                      : m_plan.lease / 3,
                    shortest = rough ? m_plan.lease : 5ms;
        if (!naive && m_runtime.random() % 6 == 0)
            m_runtime.spawn([this, &slot] { return kill(slot); });
        else
            m_runtime.spawn([this, &slot, length = std::min(m_runtime.random(shortest, longest), room)] {
                return stopAWhile(slot, length);
            });
    }
}

QCoro::Task<> Herd::stopAWhile(Slot& slot, Nanos length) {
    // Written down before it is stopped and before it goes on: what it does meanwhile it did while it ran.
    befalls(slot, EventKind::ClientPaused);
    slot.process->pause();
    co_await m_runtime.sleep(length);
    befalls(slot, EventKind::ClientResumed);
    slot.process->resume();
    slot.busy = false;
    --m_tasks;
}

QCoro::Task<> Herd::kill(Slot& slot) {
    if (!slot.process->running() && slot.process->exitedWell() && m_runtime.monotonic() >= m_until) {
        // A busy machine kept us until its time was up: it is for finish() to look at.
        slot.busy = false;
        --m_tasks;
        co_return;
    }
    if (!slot.process->running())
        defect(QStringLiteral("%1 ended by itself %2: %3")
                   .arg(QLatin1String(m_chronicle.lives[slot.life].name), slot.process->ending(),
                        slot.process->lastOutput()));
    befalls(slot, EventKind::ClientKilled);
    slot.process->kill();
    slot.alive = false;
    const bool dead = co_await ends(slot.process.get(), 5s);
    if (!dead) defect(QStringLiteral("%1 cannot be killed").arg(QLatin1String(slot.letter)));
    co_await m_runtime.sleep(m_runtime.random(10ms, 200ms));
    slot.process = std::make_unique<sandbox::ProcessSupervisor>();
    if (m_runtime.monotonic() < m_until - 400ms) launch(slot);
    slot.busy = false;
    --m_tasks;
}

QCoro::Task<> Herd::strikeServer(Nanos until) {
    for (;;) {
        // A server that comes back gives everybody's session and lease its full time again, the dead ones' too: the
        // second death leaves them time to end.
        const Nanos life = m_chronicle.server.size() == 1 ? m_runtime.random(1500ms, 2500ms) : m_runtime.random(4s, 8s);
        const Nanos pause = m_subject.survivesRestart ? life : m_runtime.random(100ms, 600ms);
        if (m_runtime.monotonic() + pause > until) break;
        co_await m_runtime.sleep(pause);
        if (!m_subject.survivesRestart) {
            if (!co_await m_server->disturb()) break;
            continue;
        }
        if (m_witness) co_await m_witness->beforeDeath();
        m_chronicle.server.push_back({m_runtime.monotonic(), EventKind::NodeKilled});
        m_server->kill();
        while (m_server->running())
            co_await m_runtime.sleep(2ms);
        co_await m_runtime.sleep(m_runtime.random(20ms, 200ms));
        if (const auto again = co_await m_server->start(); !again) {
            defect(QStringLiteral("the server did not come back: %1").arg(again.error()));
            break;
        }
        m_chronicle.server.push_back({m_runtime.monotonic(), EventKind::NodeStarted});
    }
    --m_tasks;
}

QCoro::Task<bool> Herd::ends(sandbox::ProcessSupervisor* process, Nanos within) {
    const Nanos until = m_runtime.monotonic() + within;
    while (process->running() && m_runtime.monotonic() < until)
        co_await m_runtime.sleep(5ms);
    co_return !process->running();
}

QCoro::Task<> Herd::finish() {
    // Holders that were killed are waited out by those behind them; no more than that keeps anybody.
    // A server that was slow to come back may have used their time up: they get theirs from then on.
    const Nanos patience = std::max(Nanos(0), m_until - m_runtime.monotonic()) + 2 * m_plan.lease + 10s;
    for (Slot& slot : m_slots) {
        if (!slot.alive) continue;
        const bool ended = co_await ends(slot.process.get(), patience);
        if (!ended) {
            defect(QStringLiteral("%1 hangs").arg(QLatin1String(m_chronicle.lives[slot.life].name)));
            befalls(slot, EventKind::ClientKilled);
            slot.process->kill();
            continue;
        }
        if (!slot.process->exitedWell())
            defect(QStringLiteral("%1 ended %2: %3")
                       .arg(QLatin1String(m_chronicle.lives[slot.life].name), slot.process->ending(),
                            slot.process->lastOutput()));
    }
    for (int i = 0; i < kLocks; ++i)
        m_chronicle.counters.push_back(Counter(m_workspace.file(QStringLiteral("counter-%1").arg(i))).read());

    // The holds of killed processes end by themselves.
    sandbox::ProcessSupervisor last;
    const Nanos within = m_plan.lease * 2 + 12s;
    Life look;
    look.name = "last";
    look.identity = m_runtime.randomUuid();
    look.journal = m_workspace.file(QStringLiteral("journal-last"));
    m_chronicle.lives.push_back(look);
    const bool begun = startWorker(last, look, m_runtime.monotonic() + within, QStringLiteral("look"));
    const bool ended = co_await ends(&last, within + 5s);
    if (!begun || !ended || !last.exitedWell())
        defect(QStringLiteral("afterwards: %1").arg(last.lastOutput().trimmed()));
    if (m_witness) m_chronicle.testimonies = co_await m_witness->testimonies();
}

} // namespace lockscope::torture
