// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QString>
#include <expected>

namespace lockscope::etcd {

/// Takes one HTTP/1.1 reply apart as its bytes come: a body of a known length, or in chunks, or up to the end of the
/// connection. (RFC 9112; of it what etcd's gateway uses.)
class HttpReader {
public:
    /// Forgets the last reply: what is fed next begins a new one. Bytes that came too many are kept for it.
    void begin();
    /// True when the reply is complete. The error is a sentence for the developer: not HTTP, or too large.
    std::expected<bool, QString> feed(QByteArrayView bytes);
    /// The connection has ended: true when that makes the reply complete.
    bool finish();

    /// 0 as long as the head is not complete.
    int status() const { return m_state == State::Status ? 0 : m_status; }
    bool headComplete() const { return m_state > State::Headers; }
    /// Whether the connection can take another request afterwards.
    bool keepsAlive() const { return m_keepAlive; }
    /// The body so far; the owner may take away from it what it has read.
    QByteArray& body() { return m_body; }
    /// Bytes that came after the end of the reply.
    qsizetype leftOver() const { return m_in.size(); }

private:
    enum class State : std::uint8_t { Status, Headers, Fixed, UntilClose, ChunkSize, Chunk, ChunkEnd, Trailers, Done };
    std::expected<bool, QString> step(); ///< false: more bytes are needed
    std::expected<bool, QString> head(const QByteArray& line);
    /// False: it is not all there. The error is `complaint`: it is longer than `longest` bytes.
    std::expected<bool, QString> takeLine(QByteArray& line, qsizetype longest, const char* complaint);

    State m_state = State::Status;
    QByteArray m_in, m_body;
    qint64 m_left = 0; ///< of the body, or of the chunk
    int m_status = 0;
    qsizetype m_headSize = 0;
    bool m_keepAlive = true, m_chunked = false, m_lengthKnown = false;
};

} // namespace lockscope::etcd
