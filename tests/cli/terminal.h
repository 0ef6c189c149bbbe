// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "program.h"

#include <csignal>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockscope::tests {

/// A process of the system as /proc tells of it.
struct ProcessLook {
    /// "T" = stopped, "Z" = ended and not yet missed, "gone"; see proc(5).
    static QByteArray state(const QByteArray& pid) {
        const QByteArrayList fields = look(pid);
        if (fields.isEmpty()) return "gone";
        // Stopped between vfork and exec, a shell's child keeps the shell itself waiting in the kernel: neither goes
        // on.
        return fields[0] == "D" && childStands(pid) ? QByteArray("T") : fields[0];
    }
    static bool alive(const QByteArray& pid) {
        const QByteArray now = state(pid);
        return now != "gone" && now != "Z";
    }
    /// It has a handler for that signal by now.
    static bool catches(const QByteArray& pid, int signal) {
        QFile file(QStringLiteral("/proc/%1/status").arg(QString::fromLatin1(pid)));
        if (!file.open(QIODevice::ReadOnly)) return false;
        const QByteArray status = file.readAll();
        const qsizetype at = status.indexOf("SigCgt:");
        return at >= 0 && (status.mid(at + 7, 17).trimmed().toULongLong(nullptr, 16) >> (signal - 1) & 1U) != 0;
    }

private:
    static QByteArrayList look(const QByteArray& pid) { // from the state on
        QFile file(QStringLiteral("/proc/%1/stat").arg(QString::fromLatin1(pid)));
        if (!file.open(QIODevice::ReadOnly)) return {};
        const QByteArray stat = file.readAll();
        return stat.mid(stat.lastIndexOf(')') + 2).split(' ');
    }
    static bool childStands(const QByteArray& pid) {
        QFile file(QStringLiteral("/proc/%1/task/%1/children").arg(QString::fromLatin1(pid)));
        if (!file.open(QIODevice::ReadOnly)) return false;
        const QByteArrayList children = file.readAll().simplified().split(' ');
        return std::ranges::any_of(children, [](const QByteArray& child) { return state(child) == "T"; });
    }
};

/// A terminal with a program in it, and a person before it.
class PersonAtTerminal {
public:
    /// Starts the program as the first of its terminal. `folder`: where.
    PersonAtTerminal(const QString& folder, const QStringList& words) {
        const QByteArray where = folder.toUtf8();
        std::vector<QByteArray> texts;
        for (const QString& word : words)
            texts.push_back(word.toUtf8());
        std::vector<char*> arguments;
        for (QByteArray& text : texts)
            arguments.push_back(text.data());
        arguments.push_back(nullptr);
        m_pid = ::forkpty(&m_terminal, nullptr, nullptr, nullptr);
        if (m_pid != 0) return;
        if (::chdir(where.constData()) == 0) ::execvp(arguments[0], arguments.data());
        ::_exit(127);
    }
    /// Hangs up, and kills what has not ended by that.
    ~PersonAtTerminal() {
        hangUp();
        if (m_pid <= 0 || m_status) return;
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
    }
    PersonAtTerminal(const PersonAtTerminal&) = delete;
    PersonAtTerminal& operator=(const PersonAtTerminal&) = delete;

    bool there() const { return m_pid > 0; }
    pid_t pid() const { return m_pid; }
    void type(const QByteArray& keys) {
        QCOMPARE(::write(m_terminal, keys.constData(), static_cast<std::size_t>(keys.size())), ssize_t(keys.size()));
    }
    /// All that stood there so far, what was typed among it.
    const QByteArray& seen() {
        char text[4096];
        pollfd ready{m_terminal, POLLIN, 0};
        while (m_terminal >= 0 && ::poll(&ready, 1, 0) == 1) {
            const ssize_t got = ::read(m_terminal, text, sizeof text);
            if (got <= 0) break;
            m_seen.append(text, got);
        }
        return m_seen;
    }
    /// Reads on until that holds: a full terminal would stop who writes to it.
    template <typename Condition>
    bool until(Condition holds, int ms = 20'000) {
        return QTest::qWaitFor([&] { return seen(), holds(); }, ms);
    }
    bool untilSeen(const QByteArray& text) {
        return until([&] { return m_seen.contains(text); });
    }
    /// As waitpid() tells it, once the program has ended.
    std::optional<int> status() {
        int status = 0;
        if (!m_status && ::waitpid(m_pid, &status, WNOHANG) == m_pid) m_status = status;
        return m_status;
    }
    void hangUp() {
        if (m_terminal >= 0) ::close(m_terminal);
        m_terminal = -1;
    }

private:
    int m_terminal = -1;
    pid_t m_pid = -1;
    std::optional<int> m_status;
    QByteArray m_seen;
};

} // namespace lockscope::tests
