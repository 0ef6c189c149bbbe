// SPDX-License-Identifier: Apache-2.0
#include "trace/export.h"
#include "trace/export_output.h"
#include "trace/part_release.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace lockscope::trace {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Export)
};

enum class Function : std::uint8_t { Acquire, Release };

/// A string as EDN wants it: names are readable already, and have no control characters.
QByteArray ednQuoted(QByteArray text) {
    text.replace('\\', "\\\\").replace('"', "\\\"");
    return '"' + text + '"';
}

class History {
public:
    /// `watched`: operations begin before the look that shows them, so that lines are held back until finish().
    History(const Trace& trace, ExportOutput& output, bool watched)
        : m_trace(trace), m_output(output), m_watched(watched) {}

    /// Writes the lines that were held back, by time.
    void finish() {
        std::ranges::stable_sort(m_lines, {}, &Line::at);
        for (const Line& line : m_lines) {
            if (!m_output.goesOn()) return;
            write(line);
        }
    }

    /// No client has done anything yet: there are faults at most.
    bool empty() const { return m_next == 0; }

    void add(const Event& e) {
        using K = EventKind;
        switch (e.kind) {
        case K::Requested:
            invoke(e, Function::Acquire);
            return;
        case K::Granted:
        case K::Reentered:
            end(e, Function::Acquire, "ok", e.value);
            return;
        case K::TimedOut:
        case K::Interrupted:
            end(e, Function::Acquire, "fail");
            return;
        case K::AcquireFailed:
            end(e, Function::Acquire, "info");
            return;
        case K::ReleaseSent:
            if (!givesBackPart(e)) invoke(e, Function::Release);
            return;
        case K::Released:
            end(e, Function::Release, "ok");
            return;
        case K::ReleaseRefused:
            end(e, Function::Release, "fail");
            return;
        case K::ReleaseFailed:
            end(e, Function::Release, "info");
            return;
        case K::Lost:
            line("info", "lost", value(e.subject), process(e.actor), e.at);
            leave(e.actor);
            return;
        case K::WriteAccepted:
        case K::WriteRefused:
            line("invoke", "write", value(e.subject, e.value), process(e.actor), e.at);
            line(e.kind == K::WriteAccepted ? "ok" : "fail", "write", value(e.subject, e.value), process(e.actor),
                 e.at);
            return;
        default:
            break;
        }
        if (e.kind == K::ClientKilled) die(e);
        if (isLife(e.kind) && e.flags & kFault) {
            const EntityId target = e.actor != kNoEntity ? e.actor : e.subject;
            line("info", kindName(e.kind), target == kNoEntity ? QByteArray("nil") : ednQuoted(name(target)),
                 ":nemesis", e.at);
        }
    }

    /// Adds what a watched server has shown: the exclusive holds of locks, each change of which lies between the last
    /// look before it and the look that saw it.
    void addObserved(const Event& e) {
        using K = EventKind;
        if (m_trace.copyOf(e.subject) != kNoEntity) return; // a lock of several servers is told once
        switch (e.kind) {
        case K::RecordHeld:
        case K::RecordRenewed:
            return seeHeld(e);
        case K::RecordDeadline:
        case K::RecordWaiters:
        case K::RecordQueued:
            if (const auto seen = m_seen.find(e.subject); seen != m_seen.end()) seen->second.at = e.at;
            return;
        case K::RecordFreed:
            return seeFreed(e, FreedBy(e.flags & kFreedByMask));
        default:
            return;
        }
    }

private:
    struct Line {
        std::int64_t at = 0;
        QByteArray text; ///< up to the time
    };
    /// A lock as it was seen last.
    struct Seen {
        EntityId holder = kNoEntity;
        std::int64_t at = 0; ///< 0: the recording's begin
    };
    void seeHeld(const Event& e) {
        if (HoldMode(e.flags & kHoldModeMask) != HoldMode::Exclusive) return;
        Seen& seen = m_seen[e.subject];
        const std::int64_t lastLook = seen.at; // a hold that follows another directly began after it, too
        if (seen.holder != kNoEntity && seen.holder != e.actor) endSeen(e.subject, seen, "info", e.at);
        if (std::exchange(seen.holder, e.actor) != e.actor) {
            const QByteArray by = process(e.actor, e.subject);
            line("invoke", "acquire", value(e.subject), by, lastLook);
            line("ok", "acquire", value(e.subject), by, e.at);
        }
        seen.at = e.at;
    }
    void seeFreed(const Event& e, FreedBy why) {
        const auto seen = m_seen.find(e.subject);
        if (seen == m_seen.end()) return;
        // A lease that has ended, or was lost with its server, is nobody's release: its holder may not know.
        const bool released = why == FreedBy::Release || why == FreedBy::Force;
        if (seen->second.holder != kNoEntity) endSeen(e.subject, seen->second, released ? "ok" : "info", e.at);
        seen->second = {kNoEntity, e.at};
    }
    void endSeen(EntityId lock, Seen& seen, const char* type, std::int64_t at) {
        const QByteArray by = process(seen.holder, lock);
        line("invoke", "release", value(lock), by, seen.at);
        line(type, "release", value(lock), by, at);
        if (qstrcmp(type, "info") == 0) m_observers.erase({seen.holder, lock});
        seen = {kNoEntity, at};
    }
    /// The process of a thread at one lock: nobody knows in which order it changed several between two looks.
    QByteArray process(EntityId thread, EntityId lock) {
        const auto [found, fresh] = m_observers.try_emplace({thread, lock}, m_next);
        if (fresh) ++m_next;
        return QByteArray::number(found->second);
    }
    struct Open {
        Function function;
        EntityId lock;
    };
    static const char* word(Function function) { return function == Function::Acquire ? "acquire" : "release"; }
    QByteArray name(EntityId id) const { return exportedName(m_trace, id); }
    QByteArray value(EntityId subject, std::int64_t token = 0) const {
        return '[' + ednQuoted(name(subject)) +
               (token > 0 ? ' ' + QByteArray::number(qlonglong(token)) : QByteArray()) + ']';
    }
    QByteArray process(EntityId thread) {
        const auto [found, fresh] = m_processes.try_emplace(thread, m_next);
        if (fresh) ++m_next;
        return QByteArray::number(found->second);
    }
    /// Its operation's outcome is unknown: what it does next is another process's.
    void leave(EntityId thread) {
        m_processes.erase(thread);
        m_open.erase(thread);
    }
    void line(const char* type, const char* function, const QByteArray& of, const QByteArray& by, std::int64_t at) {
        Line line{at, QByteArray("{:type :") + type + ", :f :" + function + ", :value " + of + ", :process " + by};
        if (m_watched)
            m_lines.push_back(std::move(line));
        else
            write(line);
    }
    void write(const Line& line) {
        m_output.text() += line.text + ", :time " + QByteArray::number(qlonglong(line.at)) + ", :index " +
                           QByteArray::number(qlonglong(m_index++)) + "}\n";
    }
    void invoke(const Event& e, Function function) {
        // A recording may begin or have a gap inside of an operation.
        if (m_open.contains(e.actor)) {
            line("info", word(m_open.at(e.actor).function), value(m_open.at(e.actor).lock), process(e.actor), e.at);
            leave(e.actor);
        }
        line("invoke", word(function), value(e.subject), process(e.actor), e.at);
        m_open[e.actor] = {function, e.subject};
    }
    void end(const Event& e, Function function, const char* type, std::int64_t token = 0) {
        const auto open = m_open.find(e.actor);
        if (open == m_open.end() || open->second.function != function || open->second.lock != e.subject) {
            line("invoke", word(function), value(e.subject), process(e.actor), e.at); // the trace does not tell of it
        }
        line(type, word(function), value(e.subject, token), process(e.actor), e.at);
        m_open.erase(e.actor);
        if (qstrcmp(type, "info") == 0) leave(e.actor);
    }
    void die(const Event& e) {
        std::vector<EntityId> threads;
        for (const auto& [thread, number] : m_processes)
            if (m_trace.entity(thread).parent == e.actor) threads.push_back(thread);
        for (const EntityId thread : threads) {
            if (const auto open = m_open.find(thread); open != m_open.end())
                line("info", word(open->second.function), value(open->second.lock), process(thread), e.at);
            leave(thread);
        }
    }

    const Trace& m_trace;
    ExportOutput& m_output;
    bool m_watched;
    std::vector<Line> m_lines;                                ///< held back
    std::map<EntityId, int> m_processes;                      ///< by thread
    std::map<EntityId, Open> m_open;                          ///< by thread
    std::map<EntityId, Seen> m_seen;                          ///< by lock
    std::map<std::pair<EntityId, EntityId>, int> m_observers; ///< processes, by thread and lock
    int m_next = 0;
    std::size_t m_index = 0;
};

} // namespace

/// Whether clients of our own tell what they do; else everything is known from servers that are watched.
static bool hasOperations(const Trace& trace) {
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (isBelief(trace.kindAt(i)) || isEffect(trace.kindAt(i))) return true;
    return false;
}

std::expected<void, QString> exportJepsen(const Trace& trace, QIODevice& device, std::stop_token stop) {
    ExportOutput output(device, std::move(stop));
    const bool watched = !hasOperations(trace);
    History history(trace, output, watched);
    const std::size_t rows = trace.size();
    for (std::size_t i = 0; i < rows && output.goesOn(); ++i) {
        if (watched) history.addObserved(trace.at(i));
        history.add(trace.at(i));
    }
    history.finish();
    const std::expected<void, QString> ended = output.end();
    if (ended && history.empty())
        return std::unexpected(
            Words::tr("There is no operation of a client to write, and no exclusive hold was seen. Export as csv or "
                      "perfetto instead."));
    return ended;
}

} // namespace lockscope::trace
