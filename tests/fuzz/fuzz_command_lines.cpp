// SPDX-License-Identifier: GPL-3.0-or-later
#include "child.h"
#include "cli/cli.h"
#include "cli/exit_status.h"
#include "driver.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <set>

using namespace lockscope;
using namespace lockscope::fuzz;

namespace {

const QByteArray kSecret = "Zq7hunter";

/// Nothing listens at port 1, so nobody is talked to; commands behind "--" are these and no others.
const QByteArray kNobody = "redis://ann:" + kSecret + "@127.0.0.1:1?connect=20ms";

/// Words that say what is to be done. Numbers are small, or refused: a simulation of a year takes its time, rightly.
const std::vector<QByteArray> kWords{
    "simulate",
    "check",
    "export",
    "list",
    "watch",
    "lock",
    "sandbox",
    "compare",
    "manager",
    "--help",
    "--version",
    "-h",
    "--json",
    "--once",
    "--recipe",
    "--recipe=redis-fair",
    "redis-set",
    "redis-fair",
    "redis-lease",
    "zk-mutex",
    "--seed",
    "--seed=7",
    "--seeds",
    "--seeds=1..2",
    "1..2",
    "2..1",
    "..",
    "1..",
    "7",
    "-1",
    "18446744073709551616",
    "--until",
    "--until=1s",
    "1s",
    "200ms",
    "0s",
    "-5s",
    "5",
    "293y",
    "--record",
    "--record=new.lockscope",
    "new.lockscope",
    "--to",
    "--to=csv",
    "--to=svg",
    "csv",
    "jsonl",
    "svg",
    "png",
    "perfetto",
    "jepsen",
    "out.csv",
    "-",
    "--",
    "",
    "contention",
    "gc-pause",
    "made.lockscope",
    "broken.lockscope",
    "some.json",
    "bad.json",
    "nothere.json",
    ".",
    "scenarios",
    "recipes",
    "formats",
    "--markdown",
    "--match",
    "lock:*",
    "--interval",
    "--shared",
    "--permits",
    "2",
    "--lease",
    "--lease=0ms",
    "--wait",
    "--wait=10ms",
    "--id",
    "me",
    "--no-token",
    "orders",
    "--bogus",
    "-x",
    "--=",
    "---",
    "\xe9\x94\x81",
    "\xff\xfe",
    kNobody,
    "zk://127.0.0.1:1?connect=20ms&session=1s",
    "redis+sentinel://127.0.0.1:1/m?connect=20ms&sentinel-password=" + kSecret,
    "redis://:" + kSecret + "@",
    "nosuch://ann:" + kSecret + "@h",
};

const std::vector<QByteArray> kCommands{"true", "false", "./nothere", "."};

const std::vector<QByteArrayList> kLines{
    {"simulate", "gc-pause", "--recipe", "redis-fair", "--until", "1s", "--json"},
    {"simulate", "contention", "--seeds", "1..2", "--until=200ms", "--json"},
    {"simulate", "some.json", "--record", "new.lockscope"},
    {"simulate", "bad.json"},
    {"check", "made.lockscope", "--json"},
    {"check", "broken.lockscope"},
    {"export", "made.lockscope", "--to", "csv", "out.csv"},
    {"export", "made.lockscope", "--to", "jsonl", "-"},
    {"export", "made.lockscope", "--to", "svg", "out.svg"},
    {"list", "recipes", "--json"},
    {"list", "scenarios", "--json"},
    {"watch", kNobody, "--once", "--json"},
    {"lock", "--wait", "10ms", kNobody, "orders", "--", "true"},
    {"lock", "--recipe", "zk-mutex", "--lease=5s", kNobody, "orders", "--", "./nothere"},
    {"--help"},
};

/// Words are separated by zero bytes, as the system hands them over.
QByteArrayList wordsOf(const QByteArray& input) {
    return input.split('\0');
}

/// Whether a command may end with this status (exit_status.h).
bool mayEndWith(const QByteArrayList& words, int status) {
    if (words.first() != "lock") return status >= cli::kFine && status <= cli::kUnknown;
    return status <= cli::kUnreachable || (status >= cli::kLockLost && status <= cli::kNotFound);
}

class CommandLineTarget final : public Target {
public:
    CommandLineTarget() {
        QDir::setCurrent(m_dir.path());
        prepare({"simulate", "gc-pause", "--recipe", "redis-set-del", "--until", "3s", "--record", "made.lockscope"});
        QFile made(QStringLiteral("made.lockscope")), broken(QStringLiteral("broken.lockscope"));
        if (!made.open(QIODevice::ReadOnly) || !broken.open(QIODevice::WriteOnly)) qFatal("no recording");
        broken.write(made.read(made.size() / 2));
        put(QStringLiteral("some.json"), R"({"lockscope": 1, "id": "some", "title": "Some", "until": "300ms"})");
        put(QStringLiteral("bad.json"), R"({"lockscope": 1, "faults": [{"at": "1s", "do": "pause"}]})");
    }

    const char* name() const override { return "fuzz_command_lines"; }

    std::vector<QByteArray> seeds() override {
        std::vector<QByteArray> seeds;
        for (const QByteArrayList& line : kLines)
            seeds.push_back(line.join('\0'));
        return seeds;
    }

    QByteArray mutate(const QByteArray& input, std::span<const QByteArray>, Chance& chance) override {
        QByteArrayList words = wordsOf(input);
        for (std::size_t changes = 1 + chance.below(3); changes > 0; --changes) {
            const auto at = qsizetype(chance.below(std::size_t(words.size()) + 1));
            switch (chance.below(5)) {
            case 0:
                words.insert(at, chance.of(kWords));
                break;
            case 1:
                if (words.size() > 1) words.removeAt(at % words.size());
                break;
            case 2:
                words.insert(at, words.at(qsizetype(chance.below(std::size_t(words.size())))));
                break;
            default:
                words[at % words.size()] =
                    chance.oneIn(3) ? misspelt(words[at % words.size()], chance) : chance.of(kWords);
                break;
            }
        }
        return words.join('\0');
    }

    Outcome check(const QByteArray& input) override {
        const QByteArrayList words = harmless(wordsOf(input));
        QStringList texts;
        for (const QByteArray& word : words)
            texts += QString::fromLocal8Bit(word);
        if (!cli::isForTerminal(texts)) return Outcome::fine("the window");
        constexpr int kPatience = 40; // s
        const Ended ended = inChild([&] { return runLine(words); }, kPatience);
        const auto wrong = [&](const char* what) {
            return Outcome::wrong(
                QStringLiteral("%1: status %2, signal %3\nstdout: %4\nstderr: %5")
                    .arg(QLatin1String(what))
                    .arg(ended.status)
                    .arg(ended.signal)
                    .arg(QString::fromUtf8(ended.out.right(2000)), QString::fromUtf8(ended.err.right(4000))));
        };
        if (!ended.inTime) return wrong("it does not end");
        if (ended.signal) return wrong("it crashed");
        if (!mayEndWith(words, ended.status)) return wrong("a status that is not documented");
        if (ended.out.contains(kSecret) || ended.err.contains(kSecret)) return wrong("it shows the password");
        const bool failed = ended.status == cli::kUsage || ended.status == cli::kUnreachable;
        if (failed && ended.err.trimmed().isEmpty()) return wrong("it fails without a word");
        if (words.contains("--json") && !failed && !isAboutUs(words) && !isJson(ended.out)) return wrong("no JSON");
        ++m_statuses[ended.status];
        return Outcome::fine(words.first().left(10) + ' ' + QByteArray::number(ended.status) + ' ' +
                             ended.err.mid(11, 14));
    }

    std::optional<QString> idle() const override {
        return m_statuses.size() >= 3 ? std::nullopt : std::optional(QStringLiteral("all lines end alike"));
    }

private:
    static QByteArray misspelt(QByteArray word, Chance& chance) {
        if (word.contains("://") || word.isEmpty()) return word;
        const auto at = qsizetype(chance.below(std::size_t(word.size())));
        switch (chance.below(3)) {
        case 0:
            return word.remove(at, 1);
        case 1:
            return word.insert(at, char('a' + int(chance.below(26))));
        default:
            return word.insert(at, '=');
        }
    }

    /// Makes any input harmless: only our own words name a place or a command, only small numbers stand where time is
    /// spent, and no watch goes on for ever.
    static QByteArrayList harmless(QByteArrayList words) {
        const auto end = words.indexOf("--");
        for (qsizetype i = 0; i < words.size(); ++i) {
            QByteArray& word = words[i];
            const bool ours = std::ranges::find(kWords, word) != kWords.end();
            if (end >= 0 && i > end)
                word = std::ranges::find(kCommands, word) != kCommands.end() ? word : kCommands.front();
            else if (!ours && (word.contains('/') || word.contains("..") || word.startsWith('.')))
                word = "elsewhere";
            else if (!ours && std::ranges::count_if(word, [](char c) { return c >= '0' && c <= '9'; }) > 1 &&
                     !word.startsWith('-'))
                word = "9";
        }
        if (words.first() == "watch" && !words.contains("--once")) words.insert(1, "--once");
        return words;
    }

    static bool isAboutUs(const QByteArrayList& words) {
        return std::ranges::any_of(words,
                                   [](const QByteArray& w) { return w == "--help" || w == "-h" || w == "--version"; });
    }

    /// One JSON value, or one a line.
    static bool isJson(const QByteArray& out) {
        if (!QJsonDocument::fromJson(out).isNull()) return true;
        for (const QByteArray& line : out.split('\n'))
            if (!line.isEmpty() && QJsonDocument::fromJson(line).isNull()) return false;
        return true;
    }

    static int runLine(const QByteArrayList& words) {
        std::vector<QByteArray> copies{"lockscope"};
        copies.insert(copies.end(), words.begin(), words.end());
        std::vector<char*> argv;
        for (QByteArray& copy : copies)
            argv.push_back(copy.data());
        argv.push_back(nullptr);
        return cli::run(int(copies.size()), argv.data(), [] {});
    }

    static void prepare(const QByteArrayList& words) {
        constexpr int kPatience = 60; // s
        const Ended ended = inChild([&] { return runLine(words); }, kPatience);
        if (!ended.inTime || ended.signal) qFatal("%s", ended.err.constData());
    }

    static void put(const QString& name, const QByteArray& text) {
        QFile file(name);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("no file");
    }

    QTemporaryDir m_dir;
    std::map<int, int> m_statuses;
};

} // namespace

int main(int argc, char** argv) {
    CommandLineTarget target;
    return fuzz::run(argc, argv, target);
}
