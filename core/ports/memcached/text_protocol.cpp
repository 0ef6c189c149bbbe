// SPDX-License-Identifier: Apache-2.0
#include "ports/memcached/text_protocol.h"

#include <charconv>
#include <limits>

namespace lockscope::memcached {

namespace {

constexpr qsizetype kLongestLine = 2048;

using Word = Reply::Word;

std::optional<Word> wordOf(QByteArrayView line) {
    constexpr std::pair<const char*, Word> kWords[] = {
        {"STORED", Word::Stored},        {"DELETED", Word::Deleted}, {"END", Word::End},
        {"NOT_STORED", Word::NotStored}, {"EXISTS", Word::Exists},   {"NOT_FOUND", Word::NotFound},
        {"ERROR", Word::Error},          {"EN", Word::End},
    };
    for (const auto& [text, word] : kWords)
        if (line == QByteArrayView(text)) return word;
    if (line == QByteArrayView("CLIENT_ERROR unauthenticated")) return Word::LoginWanted;
    for (const char* error : {"CLIENT_ERROR", "SERVER_ERROR", "ERROR "})
        if (line.startsWith(error)) return Word::Error;
    if (line.startsWith("BUSY ")) return Word::Busy;
    if (line.startsWith("VERSION ")) return Word::Version;
    if (line.startsWith("HD ")) return Word::End;
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

/// HD t… c…: the seconds that are left, -1 for no end, and the item's number.
std::expected<Lifetime, QString> lifetimeOf(QByteArrayView line) {
    std::optional<std::uint64_t> unique, seconds;
    bool endless = false;
    for (QByteArrayView rest = line.sliced(3); !rest.isEmpty();) {
        const qsizetype end = rest.indexOf(' ');
        QByteArrayView flag = end < 0 ? rest : rest.first(end);
        rest = end < 0 ? QByteArrayView() : rest.sliced(end + 1);
        if (flag == QByteArrayView("t-1")) endless = true;
        if (flag.startsWith('c')) unique = nextNumber(flag = flag.sliced(1));
        if (flag.startsWith('t')) seconds = nextNumber(flag = flag.sliced(1));
    }
    const bool known = endless || (seconds && *seconds <= std::numeric_limits<std::uint32_t>::max());
    if (!unique || !known) return std::unexpected(QStringLiteral("a bad end of an item"));
    Lifetime lifetime{*unique, std::nullopt};
    if (!endless) lifetime.seconds = std::int64_t(*seconds);
    return lifetime;
}

void appendNumber(QByteArray& out, auto number) {
    std::array<char, 24> digits{};
    const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end - digits.data());
}

void appendStore(QByteArray& out, const char* word, const Command& command) {
    out.append(word).append(command.key).append(" 0 ");
    appendNumber(out, command.expiry);
    out.append(' ');
    appendNumber(out, command.value.size());
    if (command.kind == Command::Kind::CompareAndSet) {
        out.append(' ');
        appendNumber(out, command.unique);
    }
    out.append("\r\n").append(command.value).append("\r\n");
    if (command.look) out.append("gets ").append(command.key).append("\r\n");
}

} // namespace

// Reads a key that does not exist; the answer says whether a login is wanted. A login sent at once would be stored as
// an item, for everybody to read, by a server that wants none. The line is longer than a header of the binary protocol:
// a server that speaks only that one hangs up at once, instead of waiting for more.
QByteArray TextProtocol::greeting() const {
    return "get lockscope-asks-whether-it-may\r\n";
}

/// A server that wants a login takes the first `set` of a connection for it, whatever its key.
QByteArray TextProtocol::login(const QByteArray& user, const QByteArray& password) const {
    const QByteArray both = user + ' ' + password;
    return "set lockscope 0 0 " + QByteArray::number(both.size()) + "\r\n" + both + "\r\n";
}

void TextProtocol::append(QByteArray& out, const Command& command) {
    switch (command.kind) {
    case Command::Kind::Add:
        appendStore(out, "add ", command);
        break;
    case Command::Kind::CompareAndSet:
        appendStore(out, "cas ", command);
        break;
    case Command::Kind::Get:
        out.append("gets ").append(command.key).append("\r\n");
        break;
    case Command::Kind::Lifetime:
        out.append("mg ").append(command.key).append(" t c\r\n");
        break;
    case Command::Kind::Remove:
        out.append("delete ").append(command.key).append("\r\n");
        break;
    case Command::Kind::Version:
        out.append("version\r\n");
        break;
    case Command::Kind::Statistics:
        out.append("stats\r\n");
        break;
    case Command::Kind::List:
        m_wants = command.wants;
        out.append("lru_crawler metadump all\r\n");
        break;
    }
}

std::expected<std::optional<Reply>, QString> TextProtocol::next() {
    for (;;) {
        const QByteArrayView rest = QByteArrayView(m_in).sliced(m_at);
        const bool listed = rest.startsWith("key="); // such lines have no \r
        const qsizetype end = listed ? rest.indexOf('\n') : rest.indexOf(QByteArrayView("\r\n"));
        // The verdict must not depend on how the bytes arrive: a line of the greatest length may lack only its last
        // byte.
        if (end > kLongestLine || (end < 0 && rest.size() > kLongestLine + 1))
            return std::unexpected(QStringLiteral("a line without an end"));
        if (end < 0) return std::nullopt;
        const QByteArrayView line = rest.first(end);
        if (line.startsWith("VALUE ")) {
            const auto whole = takeItem(line);
            if (!whole) return std::unexpected(whole.error());
            if (!*whole) return std::nullopt;
            continue;
        }
        if (listed) {
            if (const auto taken = takeListed(line); !taken) return std::unexpected(taken.error());
            m_at += end + 1;
            continue;
        }
        if (line.startsWith("STAT ")) {
            const QByteArrayView statistic = line.sliced(5);
            const qsizetype space = std::max<qsizetype>(statistic.indexOf(' '), 0);
            takeStatistic(statistic.first(space), statistic.sliced(space).trimmed());
            m_at += end + 2;
            continue;
        }
        const std::optional<Word> word = wordOf(line);
        if (!word) {
            const QByteArray shown = line.first(std::min<qsizetype>(line.size(), 40)).toByteArray();
            return std::unexpected(QStringLiteral("“%1”").arg(QString::fromLatin1(shown.toPercentEncoding(" /"))));
        }
        Reply reply{*word};
        if (*word == Word::Version) reply.text = line.sliced(8).toByteArray();
        if (*word == Word::Error) reply.text = line.toByteArray();
        if (*word == Word::End) {
            reply.item = std::exchange(m_item, std::nullopt);
            reply.list = std::exchange(m_list, {});
        }
        if (line.startsWith("HD ")) {
            const auto lifetime = lifetimeOf(line);
            if (!lifetime) return std::unexpected(lifetime.error());
            reply.lifetime = *lifetime;
        }
        m_at += end + 2;
        return reply;
    }
}

/// VALUE key flags bytes unique, and below it the bytes. False: they are not all there.
std::expected<bool, QString> TextProtocol::takeItem(QByteArrayView line) {
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

/// key=… exp=… la=… cas=… fetch=… cls=… size=…, the key in percent-encoding.
std::expected<void, QString> TextProtocol::takeListed(QByteArrayView line) {
    std::optional<std::uint64_t> unique, size;
    const qsizetype space = line.indexOf(' ');
    for (QByteArrayView rest = space < 0 ? QByteArrayView() : line.sliced(space + 1); !rest.isEmpty();) {
        const qsizetype end = rest.indexOf(' ');
        QByteArrayView fact = (end < 0 ? rest : rest.first(end)).trimmed();
        rest = end < 0 ? QByteArrayView() : rest.sliced(end + 1);
        if (fact.startsWith("cas=")) unique = nextNumber(fact = fact.sliced(4));
        if (fact.startsWith("size=")) size = nextNumber(fact = fact.sliced(5));
    }
    if (!unique || !size) return std::unexpected(QStringLiteral("a bad key of a list"));
    ++m_list.there;
    QByteArray key = QByteArray::fromPercentEncoding(line.sliced(4, space - 4).toByteArray());
    if (validKey(key) && (!m_wants || m_wants(key, *size))) m_list.keys.push_back({std::move(key), *unique});
    return {};
}

} // namespace lockscope::memcached
