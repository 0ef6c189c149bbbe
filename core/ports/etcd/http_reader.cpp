// SPDX-License-Identifier: Apache-2.0
#include "ports/etcd/http_reader.h"

namespace lockscope::etcd {

namespace {
constexpr qsizetype kHeadLimit = 64 * qsizetype(1024);
constexpr qsizetype kChunkLineLimit = 1024;             // its size and extensions, which nobody uses
constexpr qint64 kBodyLimit = 64 * qint64(1024 * 1024); // an etcd request is 1.5 MB at most; ranges can be larger
} // namespace

void HttpReader::begin() {
    m_state = State::Status;
    m_body.clear();
    m_left = 0;
    m_status = 0;
    m_headSize = 0;
    m_keepAlive = true;
    m_chunked = m_lengthKnown = false;
}

std::expected<bool, QString> HttpReader::feed(QByteArrayView bytes) {
    m_in.append(bytes);
    while (m_state != State::Done) {
        const auto more = step();
        if (!more) return std::unexpected(more.error());
        if (!*more) return false;
    }
    return true;
}

bool HttpReader::finish() {
    if (m_state == State::UntilClose) m_state = State::Done;
    return m_state == State::Done;
}

std::expected<bool, QString> HttpReader::takeLine(QByteArray& line, qsizetype longest, const char* complaint) {
    const qsizetype end = m_in.indexOf('\n');
    // The verdict must not depend on how the bytes arrive: a line that is too long is refused, complete or not.
    if (end > longest || (end < 0 && m_in.size() > longest)) return std::unexpected(QString::fromLatin1(complaint));
    if (end < 0) return false;
    line = m_in.left(end > 0 && m_in[end - 1] == '\r' ? end - 1 : end);
    m_in.remove(0, end + 1);
    m_headSize += end + 1;
    return true;
}

std::expected<bool, QString> HttpReader::head(const QByteArray& line) {
    if (m_state == State::Status) {
        bool ok = false;
        m_status = line.mid(9, 3).toInt(&ok);
        if (!line.startsWith("HTTP/1.") || !ok || m_status < 100)
            return std::unexpected(
                QStringLiteral("“%1”").arg(QString::fromLatin1(line.left(40).toPercentEncoding(" /"))));
        m_keepAlive = line.startsWith("HTTP/1.1");
        m_state = State::Headers;
        return true;
    }
    if (line.isEmpty()) { // the end of the head
        if (m_status == 100)
            begin();
        else if (m_chunked)
            m_state = State::ChunkSize;
        else if (m_status == 204 || m_status == 304)
            m_state = State::Done;
        else if (!m_lengthKnown)
            m_state = State::UntilClose, m_keepAlive = false;
        else
            m_state = m_left > 0 ? State::Fixed : State::Done;
        return true;
    }
    const qsizetype colon = line.indexOf(':');
    if (colon <= 0) return std::unexpected(QStringLiteral("a header without a colon"));
    const QByteArray name = line.left(colon).trimmed().toLower(), value = line.mid(colon + 1).trimmed();
    if (name == "content-length") {
        bool ok = false;
        m_left = value.toLongLong(&ok);
        m_lengthKnown = true;
        if (!ok || m_left < 0 || m_left > kBodyLimit) return std::unexpected(QStringLiteral("a bad content length"));
    } else if (name == "transfer-encoding") {
        m_chunked = value.toLower().contains("chunked");
    } else if (name == "connection") {
        m_keepAlive = m_keepAlive && value.toLower() != "close";
    }
    return true;
}

std::expected<bool, QString> HttpReader::step() {
    QByteArray line;
    switch (m_state) {
    case State::Status:
    case State::Headers: {
        const auto taken = takeLine(line, kHeadLimit, "a line without an end");
        if (!taken || !*taken) return taken;
        if (m_headSize > kHeadLimit) return std::unexpected(QStringLiteral("a head without an end"));
        return head(line);
    }
    case State::Fixed:
    case State::Chunk:
    case State::UntilClose: {
        const qint64 take = m_state == State::UntilClose ? m_in.size() : std::min<qint64>(m_left, m_in.size());
        if (m_body.size() + take > kBodyLimit) return std::unexpected(QStringLiteral("a reply that is too large"));
        m_body.append(m_in.constData(), take);
        m_in.remove(0, take);
        if (m_state == State::UntilClose) return false;
        m_left -= take;
        if (m_left > 0) return false;
        m_state = m_state == State::Fixed ? State::Done : State::ChunkEnd;
        return true;
    }
    case State::ChunkSize: {
        const auto taken = takeLine(line, kChunkLineLimit, "a bad chunk");
        if (!taken || !*taken) return taken;
        bool ok = false;
        m_left = line.split(';').front().trimmed().toLongLong(&ok, 16);
        if (!ok || m_left < 0 || m_left > kBodyLimit) return std::unexpected(QStringLiteral("a bad chunk"));
        m_headSize = 0;
        m_state = m_left > 0 ? State::Chunk : State::Trailers;
        return true;
    }
    case State::ChunkEnd: {
        const auto taken = takeLine(line, 1, "a chunk without an end");
        if (!taken || !*taken) return taken;
        if (!line.isEmpty()) return std::unexpected(QStringLiteral("a chunk without an end"));
        m_state = State::ChunkSize;
        return true;
    }
    case State::Trailers: {
        const auto taken = takeLine(line, kHeadLimit, "a trailer without an end");
        if (!taken || !*taken) return taken;
        if (m_headSize > kHeadLimit) return std::unexpected(QStringLiteral("a trailer without an end"));
        if (line.isEmpty()) m_state = State::Done;
        return true;
    }
    case State::Done:
        break;
    }
    return false;
}

} // namespace lockscope::etcd
