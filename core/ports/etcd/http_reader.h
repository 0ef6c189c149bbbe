// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <QString>
#include <expected>

namespace lockscope::etcd {

/// Parses one HTTP/1.1 reply as its bytes arrive: a body of a known length, in chunks, or up to the end of the
/// connection. (The part of RFC 9112 that etcd's gateway uses.)
class HttpReader {
public:
    /// Forgets the last reply: the bytes fed next begin a new one. Surplus bytes are kept for it.
    void begin();
    /// Feeds bytes; true when the reply is complete. The error is a sentence for developers: not HTTP, or too large.
    std::expected<bool, QString> feed(QByteArrayView bytes);
    /// The connection has ended; true when that completes the reply.
    bool finish();

    /// The status code; 0 until the head is complete.
    int status() const { return m_state == State::Status ? 0 : m_status; }
    bool headComplete() const { return m_state > State::Headers; }
    /// Whether the connection can take another request after this reply.
    bool keepsAlive() const { return m_keepAlive; }
    /// The body so far; the caller may remove what it has read.
    QByteArray& body() { return m_body; }
    /// The number of bytes that arrived after the end of the reply.
    qsizetype leftOver() const { return m_in.size(); }

private:
    enum class State : std::uint8_t { Status, Headers, Fixed, UntilClose, ChunkSize, Chunk, ChunkEnd, Trailers, Done };
    std::expected<bool, QString> step(); ///< false: more bytes are needed
    std::expected<bool, QString> head(const QByteArray& line);
    /// Takes the next line; false while its end has not arrived. The error is `complaint`: the line is longer than
    /// `longest` bytes.
    std::expected<bool, QString> takeLine(QByteArray& line, qsizetype longest, const char* complaint);

    State m_state = State::Status;
    QByteArray m_in, m_body;
    qint64 m_left = 0; ///< bytes left of the body, or of the chunk
    int m_status = 0;
    qsizetype m_headSize = 0;
    bool m_keepAlive = true, m_chunked = false, m_lengthKnown = false;
};

} // namespace lockscope::etcd
