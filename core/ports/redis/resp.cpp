// SPDX-License-Identifier: Apache-2.0
#include "ports/redis/resp.h"

#include <charconv>
#include <hiredis.h>

namespace lockscope::redis {

namespace {

/// So many elements of an array get room in advance, further ones as they come: the length is only the peer's word.
constexpr int kFirstElements = 1024;

// The parser calls back for each node of a reply; nodes are built in place, so nothing is copied afterwards.
// The resize may move the nodes beside this one. The parser has finished with them; it keeps the addresses of the nodes
// above only.
Reply& nodeOf(const redisReadTask* task, Reply* root) {
    if (!task->parent) return *root;
    auto& items = static_cast<Reply*>(task->parent->obj)->items;
    const auto index = std::size_t(task->idx);
    if (items.size() <= index) items.resize(index + 1);
    return items[index];
}
Reply* rootOf(const redisReadTask* task) {
    return static_cast<Reply*>(task->privdata);
}

void* createString(const redisReadTask* task, char* text, std::size_t size) {
    Reply& node = nodeOf(task, rootOf(task));
    node.type = task->type == REDIS_REPLY_ERROR    ? Reply::Type::Error
                : task->type == REDIS_REPLY_STATUS ? Reply::Type::Status
                                                   : Reply::Type::Bulk;
    if (std::string_view(text, size) == "OK") // the usual answer shares one text
        node.text = argOf("OK");
    else
        node.text = QByteArray(text, qsizetype(size));
    return &node;
}

void* createArray(const redisReadTask* task, int elements) {
    if (elements > ReplyReader::kMaxElements) return nullptr; // the parser reports it as out of memory
    Reply& node = nodeOf(task, rootOf(task));
    node.type = Reply::Type::Array;
    node.items.reserve(std::size_t(std::min(elements, kFirstElements)));
    return &node;
}

void* createInteger(const redisReadTask* task, long long value) {
    Reply& node = nodeOf(task, rootOf(task));
    node.type = Reply::Type::Integer;
    node.integer = value;
    return &node;
}

void* createNil(const redisReadTask* task) {
    return &nodeOf(task, rootOf(task));
}

void freeObject(void*) {
}

redisReplyObjectFunctions kFunctions = {createString, createArray, createInteger, createNil, freeObject};

} // namespace

// Not hiredis' formatter: it makes each command in memory of its own, by printf, and a pipeline is full of commands.
void appendCommand(QByteArray& out, Pieces pieces) {
    constexpr qsizetype kHead = 24; // "$", the digits of a size, and line ends
    const qsizetype before = out.size();
    qsizetype most = kHead;
    std::size_t count = 0;
    for (const auto& piece : pieces) {
        count += piece.size();
        for (const QByteArray& arg : piece)
            most += arg.size() + kHead;
    }
    Q_ASSERT(count > 0);
    if (before + most > out.capacity()) out.reserve(std::max(before + most, 2 * out.capacity()));
    out.resize(before + most);
    char* at = out.data() + before;
    const auto lineEnd = [&at] {
        *at++ = '\r';
        *at++ = '\n';
    };
    const auto head = [&](char mark, qsizetype value) {
        *at++ = mark;
        at = std::to_chars(at, at + kHead, value).ptr;
        lineEnd();
    };
    head('*', qsizetype(count));
    for (const auto& piece : pieces) {
        for (const QByteArray& arg : piece) {
            head('$', arg.size());
            at = std::copy_n(arg.constData(), arg.size(), at);
            lineEnd();
        }
    }
    out.resize(at - out.constData());
}

void ReplyReader::Free::operator()(redisReader* reader) const {
    redisReaderFree(reader);
}

ReplyReader::ReplyReader() : m_reader(redisReaderCreateWithFunctions(&kFunctions)) {
    if (!m_reader) throw std::bad_alloc();
    m_reader->privdata = &m_root;
}

ReplyReader::~ReplyReader() = default;

void ReplyReader::feed(std::string_view bytes) {
    redisReaderFeed(m_reader.get(), bytes.data(), bytes.size());
}

std::expected<std::optional<Reply>, QString> ReplyReader::next() {
    void* reply = nullptr;
    if (redisReaderGetReply(m_reader.get(), &reply) != REDIS_OK)
        return std::unexpected(QString::fromLatin1(m_reader->errstr));
    if (!reply && waitsForTooMuch()) return std::unexpected(QStringLiteral("Bulk string length out of range"));
    if (!reply) return std::optional<Reply>();
    return std::optional<Reply>(std::exchange(m_root, Reply()));
}

bool ReplyReader::waitsForTooMuch() const {
    if (m_reader->ridx < 0 || m_reader->rstack[m_reader->ridx].type != REDIS_REPLY_STRING) return false;
    std::int64_t size = 0; // what follows the "$", as far as it is there
    const auto read = std::from_chars(m_reader->buf + m_reader->pos, m_reader->buf + m_reader->len, size);
    return size > kLargestText || (read.ec == std::errc::result_out_of_range && m_reader->buf[m_reader->pos] != '-');
}

} // namespace lockscope::redis
