// SPDX-License-Identifier: Apache-2.0
#include "fighter.h"

#include <QDir>

namespace lockscope::torture {

Fighter::Fighter(const WorkerTask& task)
    : m_task(task), m_recipe(*recipes::findRecipe(task.recipe)), m_journal(task.journal) {
    for (int i = 0; i < kLocks; ++i)
        m_counters.push_back(
            std::make_unique<Counter>(QDir(task.counters).filePath(QStringLiteral("counter-%1").arg(i))));
}

HoldOptions Fighter::options() const {
    HoldOptions options;
    options.recipe = m_task.recipe.toStdString();
    options.lease = m_task.lease;
    options.watchdog = m_recipe.watchdog && m_recipe.heldBy == recipes::HeldBy::Lease ? m_task.lease / 3 : Nanos(0);
    options.token = m_recipe.token;
    options.allowNaive = true;
    options.honourDeadline = !m_task.heedless;
    options.capacity = m_recipe.permits ? kPermits : 0;
    return options;
}

Fighter::Wish Fighter::anything(Random& random) const {
    Wish wish;
    wish.lock = below(random, kLocks);
    wish.mode = m_recipe.permits                                               ? Mode::Permit
                : m_recipe.shared && (!m_recipe.exclusive || below(random, 2)) ? Mode::Shared
                                                                               : Mode::Exclusive;
    wish.permits = wish.mode == Mode::Permit ? 1 + int(below(random, 2)) : 1;
    switch (below(random, m_task.bounded ? 3 : 5)) {
    case 0:
        wish.wait = Nanos(0);
        break;
    case 1:
    case 2:
        wish.wait = between(random, 20ms, 1500ms);
        break;
    default:
        break;
    }
    if (below(random, 8) == 0) wish.interruptAfter = between(random, 1ms, 60ms);
    return wish;
}

bool Fighter::takesItTwice(Random& random, Mode mode) const {
    return m_recipe.reentrant && mode != Mode::Permit && below(random, 4) == 0;
}

Nanos Fighter::work(Random& random) const {
    if (m_task.heedless) return between(random, 80ms, 300ms);
    return below(random, 12) == 0 ? between(random, 20ms, 80ms) : between(random, 500us, 10ms);
}

Nanos Fighter::rest(Random& random, bool troubled) {
    return troubled ? between(random, 20ms, 80ms) : between(random, 100us, 4ms);
}

void Fighter::note(const trace::Trace& trace, const trace::Event& event, Nanos ahead) {
    Entry entry;
    entry.event = event;
    entry.event.at += ahead.count();
    if (event.kind == trace::EventKind::BelievedUntil && event.value >= 0) entry.event.value += ahead.count();
    if (trace::auxIsEntity(event.kind)) {
        entry.text = trace.entity(event.aux).name;
        entry.event.aux = 0;
    }
    entry.event.actor = event.actor == trace::kNoEntity ? 0 : trace.entity(event.actor).name.toUInt();
    entry.event.subject = numberOf(trace.entity(event.subject).name);
    m_journal.write(entry);
}

void Fighter::increment(std::size_t lock, std::int64_t before) {
    counter(lock).write(before + 1);
    write(Entry::What::Increment, lock, {});
}

void Fighter::checkHoldsLeft(std::size_t lock, int is, int expected) {
    if (is == expected) return;
    defect(lock, "unlock left " + QByteArray::number(is) + " holds, not " + QByteArray::number(expected));
}

void Fighter::write(Entry::What what, std::size_t lock, const QByteArray& text) {
    Entry entry;
    entry.what = what;
    entry.event.at = m_task.now().count();
    entry.event.subject = trace::EntityId(lock);
    entry.text = text;
    m_journal.write(entry);
}

std::uint32_t Fighter::numberOf(const QByteArray& lock) const {
    for (std::uint32_t i = 0; i < kLocks; ++i)
        if (nameOf(i) == lock) return i;
    qFatal("a lock that is none of ours: %s", lock.constData());
}

} // namespace lockscope::torture
