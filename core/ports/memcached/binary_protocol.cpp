// SPDX-License-Identifier: Apache-2.0
#include "ports/memcached/binary_protocol.h"

#include <QtEndian>

namespace lockscope::memcached {

namespace {

using Word = Reply::Word;

constexpr qsizetype kHeader = 24;
constexpr char kRequest = char(0x80), kResponse = char(0x81);

enum Code : std::uint8_t {
    kGet = 0x00,
    kSet = 0x01,
    kAdd = 0x02,
    kDelete = 0x04,
    kVersion = 0x0b,
    kStatistics = 0x10,
    kListMechanisms = 0x20,
    kAuthenticate = 0x21,
    kNothing = 0x7f, ///< no command: servers answer that they do not know it
};
enum Status : std::uint16_t {
    kFine = 0x00,
    kNotThere = 0x01,
    kIsThere = 0x02,
    kNotStored = 0x05,
    kLoginError = 0x20,
    kUnknownCommand = 0x81,
};

template <typename T>
void put(char* at, T number) {
    qToBigEndian(number, at);
}
template <typename T>
T get(const char* at) {
    return qFromBigEndian<T>(at);
}

/// One request. `extras`: what its kind has besides, in front of the key.
void appendRequest(QByteArray& out, Code code, QByteArrayView key, QByteArrayView value = {},
                   QByteArrayView extras = {}, std::uint64_t unique = 0) {
    std::array<char, kHeader> header{};
    header[0] = kRequest;
    header[1] = char(code);
    put(header.data() + 2, std::uint16_t(key.size()));
    header[4] = char(extras.size());
    put(header.data() + 8, std::uint32_t(extras.size() + key.size() + value.size()));
    put(header.data() + 16, unique);
    out.append(header.data(), kHeader);
    for (const QByteArrayView part : {extras, key, value})
        out.append(part.data(), part.size());
}

void appendStore(QByteArray& out, Code code, const Command& command) {
    std::array<char, 8> extras{}; // flags, which are 0, and when it ends
    // Unsigned here: what is to end at once ends at a date that is long past.
    put(extras.data() + 4, std::uint32_t(command.expiry < 0 ? kLongestExpiry + 1 : command.expiry));
    appendRequest(out, code, command.key, command.value, QByteArrayView(extras.data(), 8), command.unique);
    if (command.look) appendRequest(out, kGet, command.key);
}

Word wordOf(std::uint8_t code, std::uint16_t status) {
    if (code == kListMechanisms)
        return status == kFine ? Word::LoginWanted : status == kUnknownCommand ? Word::End : Word::Error;
    if (status == kLoginError) return code == kAuthenticate ? Word::Error : Word::LoginWanted;
    switch (status) {
    case kFine:
        return code == kGet || code == kStatistics ? Word::End
               : code == kDelete                   ? Word::Deleted
               : code == kVersion                  ? Word::Version
                                                   : Word::Stored;
    case kNotThere:
        return code == kGet ? Word::End : Word::NotFound;
    case kIsThere:
        return code == kAdd ? Word::NotStored : Word::Exists;
    case kNotStored:
        return Word::NotStored;
    default:
        return Word::Error;
    }
}

} // namespace

// Which ways there are to log in: servers that want none do not know the question.
QByteArray BinaryProtocol::greeting() const {
    QByteArray out;
    appendRequest(out, kListMechanisms, {});
    return out;
}

QByteArray BinaryProtocol::login(const QByteArray& user, const QByteArray& password) const {
    QByteArray out;
    appendRequest(out, kAuthenticate, "PLAIN", '\0' + user + '\0' + password);
    return out;
}

void BinaryProtocol::append(QByteArray& out, const Command& command) {
    switch (command.kind) {
    case Command::Kind::Add:
        appendStore(out, kAdd, command);
        break;
    case Command::Kind::CompareAndSet:
        appendStore(out, kSet, command);
        break;
    case Command::Kind::Get:
        appendRequest(out, kGet, command.key);
        break;
    case Command::Kind::Remove:
        appendRequest(out, kDelete, command.key);
        break;
    case Command::Kind::Version:
        appendRequest(out, kVersion, {});
        break;
    case Command::Kind::Statistics:
        appendRequest(out, kStatistics, {});
        break;
    case Command::Kind::Lifetime:
    case Command::Kind::List: // this protocol has no way to tell ends or to list keys: the server says so in its order
        appendRequest(out, kNothing, {});
        break;
    }
}

std::expected<std::optional<Reply>, QString> BinaryProtocol::next() {
    for (;;) {
        auto reply = nextPacket();
        if (!reply || !*reply || !std::exchange(m_statistic, false)) return reply; // each of those is a packet
    }
}

std::expected<std::optional<Reply>, QString> BinaryProtocol::nextPacket() {
    const char* const header = m_in.constData() + m_at;
    if (left() > 0 && header[0] != kResponse) return std::unexpected(QStringLiteral("a bad header"));
    if (left() < kHeader) return std::nullopt;
    const auto code = std::uint8_t(header[1]);
    const std::uint64_t key = get<std::uint16_t>(header + 2), extras = std::uint8_t(header[4]);
    const std::uint64_t body = get<std::uint32_t>(header + 8);
    if (key + extras > body || body > kLargestItem) return std::unexpected(QStringLiteral("a bad length"));
    if (left() < kHeader + qsizetype(body)) return std::nullopt;

    Reply reply{wordOf(code, get<std::uint16_t>(header + 6))};
    const QByteArray value = m_in.mid(m_at + kHeader + qsizetype(key + extras), qsizetype(body - key - extras));
    m_statistic = code == kStatistics && key > 0;
    if (m_statistic)
        takeStatistic(QByteArrayView(m_in).sliced(m_at + kHeader + qsizetype(extras), qsizetype(key)), value);
    const bool found = code == kGet && get<std::uint16_t>(header + 6) == kFine;
    if (found) reply.item = Item{value, {get<std::uint64_t>(header + 16)}};
    if (reply.word == Word::Version || reply.word == Word::LoginWanted || reply.word == Word::Error) reply.text = value;
    m_at += kHeader + qsizetype(body);
    return reply;
}

} // namespace lockscope::memcached
