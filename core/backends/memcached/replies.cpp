// SPDX-License-Identifier: Apache-2.0
#include "backends/memcached/replies.h"

#include <charconv>

namespace lockscope::memcached {

namespace {

constexpr qsizetype kLongestLine = 2048;
constexpr std::uint64_t kLargestItem = 16ULL * 1024 * 1024;

using Word = Reply::Word;

std::optional<Word> wordOf(QByteArrayView line) {
    constexpr std::pair<const char*, Word> kWords[] = {
        {"STORED", Word::Stored},        {"DELETED", Word::Deleted}, {"END", Word::End},
        {"NOT_STORED", Word::NotStored}, {"EXISTS", Word::Exists},   {"NOT_FOUND", Word::NotFound},
        {"ERROR", Word::Error},
    };
    for (const auto& [text, word] : kWords)
        if (line == QByteArrayView(text)) return word;
    if (line.startsWith("CLIENT_ERROR") || line.startsWith("SERVER_ERROR")) return Word::Error;
    if (line.startsWith("VERSION ")) return Word::Version;
    return std::nullopt;
}

/// Takes the next word off a line; as a number, nullopt when it is none.
std::optional<std::uint64_t> nextNumber(QByteArrayView& line) {
    const qsizetype space = line.indexOf(' ');
    const QByteArrayView word = space < 0 ? line : line.first(space);
    line = space < 0 ? QByteArrayView() : line.sliced(space + 1);
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(word.begin(), word.end(), number);
    if (problem != std::errc() || end != word.end() || word.isEmpty()) return std::nullopt;
    return number;
}

} // namespace

void ReplyReader::feed(const char* bytes, qsizetype size) {
    if (left() == 0) {
        m_in.resize(0); // keeps its room
    } else if (m_at > 0) {
        m_in.remove(0, m_at);
    }
    m_at = 0;
    m_in.append(bytes, size);
}

void ReplyReader::clear() {
    m_in.clear();
    m_at = 0;
    m_item.reset();
}

std::expected<std::optional<Reply>, QString> ReplyReader::next() {
    for (;;) {
        const QByteArrayView rest = QByteArrayView(m_in).sliced(m_at);
        const qsizetype end = rest.indexOf(QByteArrayView("\r\n"));
        if (end < 0) {
            if (rest.size() > kLongestLine) return std::unexpected(QStringLiteral("a line without an end"));
            return std::nullopt;
        }
        const QByteArrayView line = rest.first(end);
        if (line.startsWith("VALUE ")) {
            const auto whole = takeItem(line);
            if (!whole) return std::unexpected(whole.error());
            if (!*whole) return std::nullopt;
            continue;
        }
        const std::optional<Word> word = wordOf(line);
        if (!word) {
            const QByteArray shown = line.first(std::min<qsizetype>(line.size(), 40)).toByteArray();
            return std::unexpected(QStringLiteral("“%1”").arg(QString::fromLatin1(shown.toPercentEncoding(" /"))));
        }
        Reply reply{*word};
        if (*word == Word::Version || *word == Word::Error) reply.text = line.toByteArray();
        if (*word == Word::End) reply.item = std::exchange(m_item, std::nullopt);
        m_at += end + 2;
        return reply;
    }
}

/// VALUE key flags bytes unique, and below it the bytes. False: they are not all there.
std::expected<bool, QString> ReplyReader::takeItem(QByteArrayView line) {
    const auto bad = [] { return std::unexpected(QStringLiteral("a bad item")); };
    QByteArrayView numbers = line.sliced(6);
    const qsizetype key = numbers.indexOf(' ');
    if (key < 0) return bad();
    numbers = numbers.sliced(key + 1);
    const auto flags = nextNumber(numbers);
    const auto size = nextNumber(numbers);
    const auto unique = numbers.isEmpty() ? std::optional<std::uint64_t>(0) : nextNumber(numbers);
    if (!flags || !size || !unique || *size > kLargestItem) return bad();
    const qsizetype begin = m_at + line.size() + 2, length = qsizetype(*size);
    if (m_in.size() < begin + length + 2) return false;
    if (QByteArrayView(m_in).sliced(begin + length, 2) != QByteArrayView("\r\n")) return bad();
    m_item = Item{m_in.mid(begin, length), {*unique}};
    m_at = begin + length + 2;
    return true;
}

} // namespace lockscope::memcached
