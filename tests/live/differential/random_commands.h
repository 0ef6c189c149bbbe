// SPDX-License-Identifier: Apache-2.0
// Random commands over small alphabets, so that collisions, wrong types and wrong words are frequent.
#pragma once
#include "ports/redis/reply.h"
#include "templates.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <random>

namespace lockscope::differential {

class RandomCommands {
public:
    /// `large` brings values that make a real server leave its compact encodings, and keys that end in the past.
    RandomCommands(std::uint64_t seed, std::int64_t startMs, bool large)
        : m_random(seed), m_startMs(startMs), m_large(large) {
        for (const char* script : kScripts)
            m_scripts.push_back(script);
        const QDir folder(QStringLiteral(LOCKSCOPE_SOURCE_DIR "/resources/lua"));
        const QStringList names = folder.entryList({QStringLiteral("*.lua")}, QDir::Files, QDir::Name);
        for (const QString& name : names) {
            QFile file(folder.filePath(name));
            // Two servers never read the same instant, and what a script writes by its clock would differ for ever.
            if (file.open(QIODevice::ReadOnly))
                m_lockScripts.push_back(file.readAll().replace(" call('time')", " {'1790000000', '123456'}"));
        }
    }
    std::size_t lockScripts() const { return m_lockScripts.size(); }

    std::uint64_t below(std::uint64_t limit) { return m_random() % limit; }
    bool oneIn(unsigned n) { return below(n) == 0; }

    redis::Args next() {
        redis::Args args = oneIn(8) ? script() : fromTemplate(kTemplates[below(std::size(kTemplates))]);
        if (oneIn(40)) damage(args);
        if (oneIn(4)) args[0] = args[0].toLower();
        return args;
    }

private:
    redis::Args script() {
        redis::Args args;
        const bool lock = !m_lockScripts.empty() && oneIn(2);
        const QByteArray body = lock ? m_lockScripts[below(m_lockScripts.size())] : m_scripts[below(m_scripts.size())];
        if (oneIn(3))
            args = {"EVALSHA", QCryptographicHash::hash(body, QCryptographicHash::Sha1).toHex()};
        else
            args = {oneIn(12) ? "EVAL_RO" : "EVAL", body};
        if (lock) {
            // Two keys and two arguments fit all of them; which argument is the lease differs.
            args.insert(args.end(), {"2", key(), key(), oneIn(2) ? owner() : longMs(), oneIn(2) ? owner() : longMs()});
            return args;
        }
        const std::uint64_t keys = below(3);
        args.push_back(QByteArray::number(qulonglong(keys)));
        for (std::uint64_t i = 0; i < keys; ++i)
            args.push_back(key());
        for (std::uint64_t i = below(3); i > 0; --i)
            args.push_back(value());
        return args;
    }

    /// "?X" is there sometimes, "*X" one to three times; "A/B" is a choice; "EX_sec" are two words.
    redis::Args fromTemplate(const QByteArray& text) {
        redis::Args args;
        for (QByteArray token : text.split(' ')) {
            std::uint64_t times = 1;
            if (token.startsWith('?')) times = oneIn(3);
            if (token.startsWith('*')) times = 1 + below(3);
            if (token.startsWith('?') || token.startsWith('*')) token.remove(0, 1);
            for (; times > 0; --times) {
                const QList<QByteArray> choices = token.split('/');
                for (const QByteArray& word : choices[qsizetype(below(std::uint64_t(choices.size())))].split('_'))
                    args.push_back(resolve(word));
            }
        }
        return args;
    }

    QByteArray resolve(const QByteArray& word) {
        if (word == "key") return key();
        if (word == "field") return member();
        if (word == "val") return value();
        if (word == "int") return integer();
        if (word == "idx") return QByteArray::number(int(below(9)) - 4);
        if (word == "score") return score();
        if (word == "bound") return (oneIn(3) ? "(" : "") + score();
        if (word == "sec") return oneIn(12) ? oddTime() : QByteArray::number(qulonglong(1000 + below(1000000)));
        if (word == "ms") return oneIn(12) ? oddTime() : longMs();
        if (word == "absms") return absolute(1);
        if (word == "abssec") return absolute(1000);
        if (word == "pattern") return pattern();
        if (word == "channel") return "ch" + QByteArray::number(int(below(3)));
        if (word == "lex") return lex();
        return word;
    }
    QByteArray key() { return "k" + QByteArray::number(int(below(7))); }
    QByteArray member() { return oneIn(20) ? value() : "f" + QByteArray::number(int(below(6))); }
    QByteArray owner() { return "f" + QByteArray::number(int(below(6))); }
    /// Never a short time: the two servers would not end it at the same command.
    QByteArray oddTime() {
        const QByteArray odd = integer();
        return odd.toLongLong() > 0 && odd.size() < 10 ? QByteArray("-5") : odd;
    }
    QByteArray longMs() { return QByteArray::number(qulonglong(1000000 + below(1000000000))); }
    /// One of a few instants, so that equal deadlines happen; some are past where the seed has such keys.
    QByteArray absolute(std::int64_t unit) {
        if (oneIn(12)) return oddTime();
        const std::int64_t ahead = (std::int64_t(below(6)) - (m_large ? 1 : 0)) * 5000000 + 2500000;
        return QByteArray::number(qlonglong((m_startMs + ahead) / unit));
    }
    QByteArray integer() {
        static const char* const kOdd[] = {"0",
                                           "-1",
                                           "9223372036854775807",
                                           "-9223372036854775808",
                                           "9223372036854775808",
                                           "",
                                           "abc",
                                           "1.5",
                                           " 1",
                                           "1 ",
                                           "+1",
                                           "01",
                                           "-0",
                                           "1e3",
                                           "9223372036854775"};
        return oneIn(4) ? QByteArray(kOdd[below(std::size(kOdd))]) : QByteArray::number(int(below(40)) - 20);
    }
    QByteArray score() {
        static const char* const kOdd[] = {"inf", "-inf",     "+inf",  "1e3",    "nan",      "0x10", "",
                                           " 1",  "1.5e300",  "1e400", "1e-400", "abc",      "-0",   ".5",
                                           "5.",  "Infinity", "1e",    "1.5x",   "-0x1.8p3", "+3"};
        if (oneIn(6)) return kOdd[below(std::size(kOdd))];
        if (oneIn(3)) return QByteArray::number(double(int(below(2000)) - 1000) / 64);
        if (oneIn(3)) return QByteArray::number(double(below(1000)) / 10);
        return QByteArray::number(int(below(12)) - 6);
    }
    QByteArray value() {
        if (oneIn(3)) return integer();
        if (oneIn(10)) return QByteArray("\x00\xff\r\n", 4);
        if (m_large && oneIn(15)) return QByteArray(100, char('a' + below(3)));
        return "v" + QByteArray::number(int(below(5)));
    }
    QByteArray pattern() {
        static const char* const kPatterns[] = {"*", "k*",     "?1",  "k[1-3]", "[^k]*", "k\\1",
                                                "",  "f[5-1]", "**2", "k[",     "nope"};
        return kPatterns[below(std::size(kPatterns))];
    }
    QByteArray lex() {
        static const char* const kBounds[] = {"-", "+", "[f1", "(f2", "[f4", "(f5", "f", ""};
        return kBounds[below(std::size(kBounds))];
    }
    void damage(redis::Args& args) {
        // WAIT may wait for ever, and the scores of this set are to stay equal.
        if (args[0] == "WAIT" || (args.size() > 1 && args[1] == "samescore")) return;
        switch (below(4)) {
        case 0:
            if (args.size() > 1) args.pop_back();
            break;
        case 1:
            args.push_back(oneIn(2) ? value() : key());
            break;
        case 2:
            args[below(args.size())] = value();
            break;
        default:
            std::swap(args[below(args.size())], args[below(args.size())]);
        }
        if (args[0].isEmpty()) args[0] = "nosuch";
    }

    std::mt19937_64 m_random;
    std::int64_t m_startMs;
    bool m_large;
    std::vector<QByteArray> m_scripts, m_lockScripts;
};

} // namespace lockscope::differential
