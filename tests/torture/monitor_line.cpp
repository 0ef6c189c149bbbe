// SPDX-License-Identifier: Apache-2.0
#include "monitor_line.h"

#include "server_record.h"

#include <QList>

namespace lockscope::torture {

namespace {

/// "redis-cli" style words: quoted, with \xNN, \n, \" and the like inside.
std::vector<QByteArray> wordsOf(const QByteArray& line, qsizetype at) {
    static const std::map<char, char> kEscapes{{'n', '\n'}, {'r', '\r'}, {'t', '\t'}, {'a', '\a'}, {'b', '\b'}};
    std::vector<QByteArray> words;
    while ((at = line.indexOf('"', at)) >= 0) {
        QByteArray word;
        for (++at; at < line.size() && line[at] != '"'; ++at) {
            if (line[at] != '\\' || at + 1 == line.size()) {
                word += line[at];
                continue;
            }
            const char what = line[++at];
            if (what == 'x') {
                word += QByteArray::fromHex(line.mid(at + 1, 2));
                at += 2;
            } else {
                const auto escape = kEscapes.find(what);
                word += escape == kEscapes.end() ? what : escape->second;
            }
        }
        words.push_back(word);
        ++at;
    }
    return words;
}

} // namespace

// 1700000000.123456 [0 127.0.0.1:50000] "set" "key" "value" …; in a script [0 lua].
std::optional<MonitorLine> MonitorLines::read(const QByteArray& line) {
    const qsizetype dot = line.indexOf('.'), from = line.indexOf('['), to = line.indexOf(']', from);
    if (dot <= 0 || from < dot || to < 0) return std::nullopt;
    MonitorLine said;
    said.at = (line.left(dot).toLongLong() * 1'000'000 + line.mid(dot + 1, 6).toLongLong()) * 1000;
    said.words = wordsOf(line, to);
    if (said.words.size() < 2) return std::nullopt;
    const QByteArray address = line.mid(from + 1, to - from - 1).split(' ').back();
    said.inScript = address == "lua";
    if (!said.inScript) {
        QByteArray& named = m_named[address];
        for (const QByteArray& word : said.words) {
            const QByteArray identity = identityIn(word);
            if (!identity.isEmpty()) named = identity;
        }
        const QByteArray client = m_speakers.at(address.mid(address.lastIndexOf(':') + 1).toUShort(), said.at);
        // Use the identity that the client names, unless its port tells another one.
        m_caller = client.isEmpty() || named.startsWith(client) ? named : someoneOf(client);
    }
    said.caller = m_caller;
    return said;
}

} // namespace lockscope::torture
