// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/password_prompt.h"

#include "cli/text.h"
#include "ports/url_login.h"

#include <QRegularExpression>
#include <QUrl>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

namespace lockscope::cli {

namespace {

/// Where the login of a URL begins, and how long it is, without its "@".
struct Login {
    qsizetype begin = 0, length = -1; ///< negative: there is none
};

Login loginOf(const QString& url) {
    const qsizetype mark = url.indexOf(QLatin1String("://"));
    if (mark < 0) return {};
    const qsizetype begin = mark + 3;
    return {begin, loginEnd(QStringView(url).sliced(begin))};
}

volatile std::sig_atomic_t caught = 0;

/// Signals that end the program, kept back: each only ends the read that waits for a line.
class KeptBack {
public:
    KeptBack() {
        caught = 0;
        struct sigaction note = {};
        note.sa_handler = [](int signal) { caught = signal; };
        for (std::size_t i = 0; i < kSignals.size(); ++i)
            ::sigaction(kSignals[i], &note, &m_before[i]);
    }
    /// The signals do again what they did; one that came meanwhile does it now.
    ~KeptBack() {
        for (std::size_t i = 0; i < kSignals.size(); ++i)
            ::sigaction(kSignals[i], &m_before[i], nullptr);
        if (caught != 0) ::raise(caught);
    }
    KeptBack(const KeptBack&) = delete;
    KeptBack& operator=(const KeptBack&) = delete;

private:
    static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    std::array<struct sigaction, kSignals.size()> m_before{};
};

/// A terminal that does not show what is typed, for as long as this lives.
class Hidden {
public:
    explicit Hidden(int terminal) : m_terminal(terminal), m_hides(::tcgetattr(terminal, &m_before) == 0) {
        if (!m_hides) return;
        termios quiet = m_before;
        quiet.c_lflag &= ~tcflag_t(ECHO);
        quiet.c_cc[VSUSP] = _POSIX_VDISABLE; // stopped, it would leave the shell without its echo
        m_hides = ::tcsetattr(terminal, TCSAFLUSH, &quiet) == 0;
    }
    ~Hidden() {
        if (m_hides) ::tcsetattr(m_terminal, TCSAFLUSH, &m_before);
    }
    Hidden(const Hidden&) = delete;
    Hidden& operator=(const Hidden&) = delete;
    bool hides() const { return m_hides; }

private:
    int m_terminal;
    termios m_before{};
    bool m_hides;
};

void write(int terminal, const QByteArray& text) {
    [[maybe_unused]] const ssize_t written = ::write(terminal, text.constData(), std::size_t(text.size()));
}

/// One line from the terminal; empty: it ended, a signal came, or the terminal would show what is typed.
QByteArray askedAt(int terminal, const QString& question) {
    const KeptBack keptBack;
    const Hidden hidden(terminal);
    if (!hidden.hides()) return {};
    write(terminal, question.toLocal8Bit());
    QByteArray line;
    std::array<char, 256> part{};
    while (!line.endsWith('\n') && caught == 0) {
        const ssize_t got = ::read(terminal, part.data(), part.size());
        if (got < 0 && errno == EINTR && caught == 0) continue;
        if (got <= 0) break;
        line.append(part.data(), got);
    }
    write(terminal, "\n");
    return caught == 0 && line.endsWith('\n') ? line.chopped(1) : QByteArray();
}

} // namespace

QString userWithoutPassword(const QString& url) {
    const Login login = loginOf(url);
    if (login.length <= 0) return {};
    const QString user = url.sliced(login.begin, login.length);
    static const QRegularExpression kNamed(QStringLiteral("[?&]%1=").arg(QLatin1String(kPasswordOption)));
    if (user.contains(u':') || url.indexOf(kNamed, login.begin + login.length) >= 0) return {};
    return QUrl::fromPercentEncoding(user.toUtf8());
}

QString withPassword(const QString& url, const QString& password) {
    const Login login = loginOf(url);
    Q_ASSERT(login.length > 0);
    return url.first(login.begin + login.length) + u':' + QString::fromLatin1(QUrl::toPercentEncoding(password)) +
           url.sliced(login.begin + login.length);
}

QString withAskedPassword(const QString& url) {
    const QString user = userWithoutPassword(url);
    if (user.isEmpty() || ::isatty(STDIN_FILENO) == 0) return url;
    const int terminal = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (terminal < 0) return url;
    QByteArray typed = askedAt(terminal, tr("Password of %1 (%2): ").arg(user, withoutPassword(url)));
    ::close(terminal);
    const QString password = QString::fromLocal8Bit(typed);
    typed.fill('\0');
    return password.isEmpty() ? url : withPassword(url, password);
}

} // namespace lockscope::cli
