// SPDX-License-Identifier: Apache-2.0
#include "driver.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QRandomGenerator>
#include <QRegularExpression>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <set>
#include <sys/time.h>
#include <unistd.h>

extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace lockscope::fuzz {

namespace {

constexpr int kLongestCase = 60; // s

/// Data for the signal handlers, which may call next to nothing.
struct {
    const char* bytes = nullptr;
    std::size_t size = 0;
    char path[1024] = {}; ///< where the input goes
} g_current;

void write(const char* text) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

void storeCurrent() {
    if (!g_current.bytes) return;
    if (const int file = ::open(g_current.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644); file >= 0) {
        [[maybe_unused]] const auto written = ::write(file, g_current.bytes, g_current.size);
        ::close(file);
        write("The input is in ");
        write(g_current.path);
        write("; to try it again: --input FILE\n");
    }
    g_current.bytes = nullptr;
}

void onCrash(int signal) {
    write("FAILED: the program crashed. ");
    storeCurrent();
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

void onLate(int) {
    write("FAILED: a case did not end within a minute. ");
    storeCurrent();
    ::_exit(1);
}

void catchCrashes() {
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(&storeCurrent); // its report is worth more than our handlers
    } else {
        for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
            ::signal(signal, &onCrash);
    }
    ::signal(SIGABRT, &onCrash);
    ::signal(SIGALRM, &onLate);
}

void setAlarm(int seconds) {
    const itimerval timer{{0, 0}, {seconds, 0}};
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

struct Words {
    std::uint64_t seed = 1;
    std::uint64_t cases = 1000;
    double seconds = 0; ///< 0: by `cases`
    QString input;
    QString keep = QStringLiteral(LOCKSCOPE_FUZZ_FOLDER);
};

std::optional<Words> readWords(int argc, char** argv) {
    Words words;
    for (int i = 1; i < argc; i += 2) {
        const QByteArray name(argv[i]);
        if (i + 1 == argc) return std::nullopt;
        const QByteArray value(argv[i + 1]);
        bool fine = true;
        if (name == "--seed")
            words.seed = value == "random" ? QRandomGenerator::system()->generate64() : value.toULongLong(&fine);
        else if (name == "--cases")
            words.cases = value.toULongLong(&fine);
        else if (name == "--seconds")
            words.seconds = value.toDouble(&fine);
        else if (name == "--input")
            words.input = QString::fromLocal8Bit(value);
        else if (name == "--keep")
            words.keep = QString::fromLocal8Bit(value);
        else
            return std::nullopt;
        if (!fine) return std::nullopt;
    }
    return words;
}

/// One run of a target.
class Run {
public:
    Run(Target& target, const Words& words) : m_target(target), m_words(words) {
        QDir().mkpath(words.keep);
        catchCrashes();
    }

    int oneInput() {
        QFile file(m_words.input);
        if (!file.open(QIODevice::ReadOnly)) {
            std::fprintf(stderr, "%s cannot be read: %s\n", qPrintable(m_words.input), qPrintable(file.errorString()));
            return 2;
        }
        const Outcome outcome = tried(file.readAll());
        std::printf("%s: %s\n", m_target.name(),
                    outcome.complaint ? qPrintable(QStringLiteral("FAILED: ") + *outcome.complaint)
                                      : outcome.kind.constData());
        return outcome.complaint ? 1 : 0;
    }

    int allInputs() {
        QElapsedTimer clock;
        clock.start();
        std::printf("%s: seed %llu\n", m_target.name(), static_cast<unsigned long long>(m_words.seed));
        std::fflush(stdout);
        for (const std::vector<QByteArray>& inputs : {foundBefore(), m_target.edges()})
            for (const QByteArray& input : inputs)
                if (!take(input, Keep::Never)) return 1;
        for (const QByteArray& input : m_target.seeds())
            if (!take(input, Keep::Always)) return 1;
        m_seeds = m_corpus.size();
        const bool timed = m_words.seconds > 0;
        while (timed ? double(clock.elapsed()) < 1000 * m_words.seconds : m_case < m_words.cases) {
            Chance chance(m_words.seed * 0x9e3779b97f4a7c15ULL + ++m_case);
            // Half of them from the seeds: most of what is kept was refused.
            const QByteArray& base = m_corpus[chance.below(chance.oneIn(2) ? m_seeds : m_corpus.size())];
            if (!take(m_target.mutate(base, m_corpus, chance), Keep::IfNew)) return 1;
        }
        std::printf("%s: %llu cases, %zu kinds of outcome, %.1f s\n", m_target.name(),
                    static_cast<unsigned long long>(m_case), m_kinds.size(), double(clock.elapsed()) / 1000);
        if (const auto idle = m_target.idle()) {
            std::printf("FAILED: the run proves nothing: %s\n", qPrintable(*idle));
            return 1;
        }
        return 0;
    }

private:
    std::vector<QByteArray> foundBefore() const {
        const QDir folder(QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/fuzz/found/") + QLatin1String(m_target.name()));
        std::vector<QByteArray> inputs;
        for (const QString& name : folder.entryList(QDir::Files, QDir::Name)) {
            QFile file(folder.filePath(name));
            if (file.open(QIODevice::ReadOnly)) inputs.push_back(file.readAll());
        }
        return inputs;
    }

    QString placeOf(const char* what) const {
        return QStringLiteral("%1/%2-%3-%4-%5")
            .arg(m_words.keep, QLatin1String(m_target.name()), QLatin1String(what), QString::number(m_words.seed),
                 QString::number(m_case));
    }

    Outcome tried(const QByteArray& input) {
        qstrncpy(g_current.path, placeOf("crash").toLocal8Bit().constData(), sizeof g_current.path);
        g_current.size = std::size_t(input.size());
        g_current.bytes = input.constData();
        setAlarm(kLongestCase);
        Outcome outcome = m_target.check(input);
        setAlarm(0);
        g_current.bytes = nullptr;
        return outcome;
    }

    enum class Keep : std::uint8_t { Never, IfNew, Always };
    /// False when a property did not hold. `keep`: whether it is changed further.
    bool take(const QByteArray& input, Keep keep) {
        const Outcome outcome = tried(input);
        if (outcome.complaint) {
            tell(input, *outcome.complaint);
            return false;
        }
        const bool fresh = m_kinds.insert(outcome.kind).second;
        if (keep == Keep::Always || (keep == Keep::IfNew && fresh)) m_corpus.push_back(input);
        return true;
    }

    /// Leaves parts out as long as it still fails.
    QByteArray shrunk(QByteArray input) {
        QElapsedTimer clock;
        clock.start();
        constexpr qint64 kPatience = 5000; // ms
        for (qsizetype piece = input.size() / 2; piece > 0; piece /= 2) {
            for (qsizetype at = 0; at < input.size() && clock.elapsed() < kPatience;) {
                QByteArray shorter = input;
                shorter.remove(at, piece);
                if (tried(shorter).complaint)
                    input = shorter;
                else
                    at += piece;
            }
        }
        return input;
    }

    void tell(const QByteArray& input, const QString& complaint) {
        const QByteArray least = shrunk(input);
        const QString path = placeOf("failed");
        QFile file(path);
        const bool kept = file.open(QIODevice::WriteOnly) && file.write(least) == least.size();
        constexpr qsizetype kShown = 400;
        std::printf("FAILED: %s\n", qPrintable(tried(least).complaint.value_or(complaint)));
        std::printf("  seed %llu, case %llu; the input has %lld bytes, as C has them: \"%s\"%s\n",
                    static_cast<unsigned long long>(m_words.seed), static_cast<unsigned long long>(m_case),
                    static_cast<long long>(least.size()), escaped(least.left(kShown)).constData(),
                    least.size() > kShown ? " …" : "");
        if (kept)
            std::printf("  again: %s --input %s\n", m_target.name(), qPrintable(path));
        else
            std::printf("  it could not be stored: %s\n", qPrintable(file.errorString()));
    }

    static QByteArray escaped(const QByteArray& bytes) {
        QByteArray text;
        for (const char c : bytes) {
            if (c == '"' || c == '\\')
                (text += '\\') += c;
            else if (c >= ' ' && c < 127)
                text += c;
            else
                text += "\\" + QByteArray::number(uchar(c), 8).rightJustified(3, '0');
        }
        return text;
    }

    Target& m_target;
    Words m_words;
    std::uint64_t m_case = 0;
    std::vector<QByteArray> m_corpus;
    std::size_t m_seeds = 0; ///< that many of the first
    std::set<QByteArray> m_kinds;
};

} // namespace

QByteArray sayingOf(const QString& message) {
    static const QRegularExpression details(QStringLiteral("“[^”]*”|[0-9]+"));
    constexpr qsizetype kLongest = 80;
    return QString(message).remove(details).left(kLongest).toUtf8();
}

int run(int argc, char** argv, Target& target) {
    const auto words = readWords(argc, argv);
    if (!words) {
        std::fprintf(stderr, "usage: %s [--cases N | --seconds S] [--seed N|random] [--input FILE] [--keep FOLDER]\n",
                     target.name());
        return 2;
    }
    Run run(target, *words);
    return words->input.isEmpty() ? run.allInputs() : run.oneInput();
}

} // namespace lockscope::fuzz
