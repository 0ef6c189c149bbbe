// SPDX-License-Identifier: Apache-2.0
#include "answers.h"
#include "heap_watch.h"
#include "ports/etcd/codec.h"
#include "ports/etcd/http_reader.h"

using namespace lockscope;
using namespace lockscope::fuzz;
using etcd::HttpReader;

namespace {

QByteArray answer(const QByteArray& status, const QByteArray& body) {
    return "HTTP/1.1 " + status +
           "\r\nContent-Type: application/json\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" +
           body;
}

const QByteArray kHeader = R"("header":{"cluster_id":"14841639068965178418","member_id":"10276657743932975437",)"
                           R"("revision":"7","raft_term":"2"})";

/// Answers of etcd's gateway: a lease, a keepalive, a range, a transaction, a login, a watch in chunks, refusals.
const std::vector<QByteArray> kAnswers{
    answer("200 OK", '{' + kHeader + R"(,"ID":"7587886","TTL":"10"})"),
    answer("200 OK", R"({"result":{)" + kHeader +
                         R"(,"ID":"7587886","TTL":"10"}})"
                         "\n"),
    answer("200 OK", '{' + kHeader + R"(,"ID":"7587886","TTL":"9","grantedTTL":"10","keys":["b3JkZXJz"]})"),
    answer("200 OK", '{' + kHeader +
                         R"(,"kvs":[{"key":"b3JkZXJz","create_revision":"5","mod_revision":"5",)"
                         R"("version":"1","value":"QQ==","lease":"7587886"}],"count":"1"})"),
    answer("200 OK", '{' + kHeader +
                         R"(,"succeeded":true,"responses":[{"response_put":{"header":{"revision":"8"}}},)"
                         R"({"response_range":{"header":{"revision":"8"},"count":"0"}},)"
                         R"({"response_delete_range":{"deleted":"1"}}]})"),
    answer("200 OK", '{' + kHeader + R"(,"token":"abc.7"})"),
    answer("400 Bad Request",
           R"({"error":"etcdserver: lease not found","code":5,"message":"etcdserver: lease not found"})"),
    answer("503 Service Unavailable",
           R"({"error":"etcdserver: no leader","code":14,"message":"etcdserver: no leader"})"),
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2c\r\n"
    R"({"result":{"header":{},"created":true}})"
    "\r\n   \r\n"
    "64;a=b\r\n"
    R"({"result":{"header":{"revision":"9"},"events":[{"type":"DELETE","kv":{"key":"b3JkZXJz"}}],"a":"aaa"}})"
    "\r\n"
    "0\r\nX-Trailer: 1\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nall up to the end",
    R"({"error":{"grpc_code":7,"http_code":403,"message":"etcdserver: permission denied","http_status":"Forbidden"}})",
    R"({"result":{"header":{"revision":"9"},"canceled":true,"compact_revision":"8","cancel_reason":"compacted"}})",
};

const std::vector<QByteArray> kWords{"\r\n",
                                     "\n",
                                     "\r\n\r\n",
                                     "HTTP/1.1 200 OK\r\n",
                                     "Content-Length: ",
                                     "Content-Length: 1152921504606846976\r\n",
                                     "Transfer-Encoding: chunked\r\n",
                                     "Connection: close\r\n",
                                     "0\r\n\r\n",
                                     "fffffffffffffff\r\n",
                                     "5;x=y\r\nabcde\r\n",
                                     "\"header\":{}",
                                     "{",
                                     "}",
                                     "[",
                                     "]",
                                     "\"",
                                     ",",
                                     ":",
                                     "null",
                                     "\"TTL\":\"9223372036854775807\"",
                                     "\"events\":[{}]"};

struct Told {
    int status;
    bool keepsAlive, whole;
    QByteArray body;
    friend bool operator==(const Told&, const Told&) = default;
};

Parsed<Told> parse(const std::vector<QByteArrayView>& pieces) {
    Parsed<Told> parsed;
    const HeapWatch heap;
    HttpReader reader;
    reader.begin();
    for (QByteArrayView piece : pieces) {
        for (;;) {
            const auto complete = reader.feed(piece);
            piece = {};
            if (!complete) parsed.error = complete.error();
            if (!complete || !*complete) break;
            parsed.answers.push_back({reader.status(), reader.keepsAlive(), true, reader.body()});
            if (reader.leftOver() == 0) {
                reader.begin();
                break;
            }
            reader.begin();
        }
        if (!parsed.error.isEmpty()) break;
    }
    if (parsed.error.isEmpty() && reader.headComplete()) {
        const bool whole = reader.finish();
        parsed.answers.push_back({reader.status(), reader.keepsAlive(), whole, reader.body()});
    }
    parsed.largest = heap.largest();
    return parsed;
}

/// As what the messages inside of an answer are read, in short.
QByteArray readAs(const QByteArray& body) {
    using namespace etcd::codec;
    const auto line = watchLine(body, QString());
    const auto range = rangeResult(body);
    const auto transaction = transactionResult(body);
    return QByteArray(leaseState(body) ? "l" : "") + (token(body) ? "t" : "") +
           (range ? 'r' + QByteArray::number(qsizetype(std::min<std::size_t>(range->keys.size(), 3))) : "") +
           (transaction ? 'x' + QByteArray::number(qsizetype(std::min<std::size_t>(transaction->results.size(), 3)))
                        : "") +
           (line ? 'w' + QByteArray::number(qsizetype(std::min<std::size_t>(line->events.size(), 3))) : "");
}

/// The defect in how the messages inside an answer are read; nothing: none.
std::optional<QString> misread(const QByteArray& body) {
    using namespace etcd::codec;
    if (const auto lease = leaseState(body); !lease) {
        if (lease.error().isEmpty()) return QStringLiteral("a lease is refused without a word");
    } else if (lease->ttl < Nanos::zero() || lease->granted < Nanos::zero() || lease->ttl % 1s != Nanos::zero() ||
               lease->granted % 1s != Nanos::zero()) { // it is told in whole seconds: anything else ran over
        return QStringLiteral("a lease of %1 ns, %2 ns granted, is no time")
            .arg(lease->ttl.count())
            .arg(lease->granted.count());
    }
    if (const auto read = rangeResult(body); !read && read.error().isEmpty())
        return QStringLiteral("a range is refused without a word");
    if (const auto read = transactionResult(body); !read && read.error().isEmpty())
        return QStringLiteral("a transaction is refused without a word");
    if (const auto read = token(body); read && (read->isEmpty() || read->contains('\n') || read->contains('\r')))
        return QStringLiteral("a token that would break the next request's head");
    (void)removal(body);
    (void)deleted(body);
    (void)revision(body);
    const QString where = QStringLiteral("etcd-1:2379");
    if (const auto line = watchLine(body, where)) {
        for (const etcd::WatchEvent& event : line->events)
            if (event.kind == etcd::WatchEvent::Kind::Gap && (!event.error || event.error->message.isEmpty()))
                return QStringLiteral("a watch ends without a word");
    }
    for (const int status : {200, 400, 401, 404, 500, 503})
        if (const etcd::Error error = refusal(status, body, where); error.message.isEmpty())
            return QStringLiteral("a refusal with status %1 has no message").arg(status);
    return std::nullopt;
}

class HttpTarget final : public Target {
public:
    const char* name() const override { return "fuzz_http"; }
    std::vector<QByteArray> seeds() override { return kAnswers; }
    QByteArray mutate(const QByteArray& input, std::span<const QByteArray> others, Chance& chance) override {
        return m_mutator.mutate(input, others, chance);
    }
    Outcome check(const QByteArray& input) override {
        constexpr std::size_t kPerByte = 2 * sizeof(Told);
        const Outcome outcome = checkPieces(input, kPerByte, &parse);
        if (outcome.complaint) return outcome;
        // Any bytes may be a body, of a known length or in chunks.
        QByteArray chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        for (const QByteArrayView piece : cut(input, 2))
            chunked += QByteArray::number(piece.size(), 16) + "\r\n" + piece.toByteArray() + "\r\n";
        for (const QByteArray& sent : {answer("200 OK", input), chunked + "0\r\n\r\n"})
            if (const auto read = parse({QByteArrayView(sent)});
                read.answers != std::vector<Told>{{200, true, true, input}} || !read.error.isEmpty())
                return Outcome::wrong(QStringLiteral("the input as a body did not come back: “%1”").arg(read.error));
        if (const auto wrong = misread(input)) return Outcome::wrong(*wrong);
        QByteArray kind = outcome.kind + readAs(input);
        for (const Told& told : parse({QByteArrayView(input)}).answers) {
            if (const auto wrong = misread(told.body)) return Outcome::wrong(*wrong);
            kind += ' ' + QByteArray::number(told.status) + (told.whole ? "" : "?") + readAs(told.body);
        }
        return Outcome::fine(kind.left(100));
    }

private:
    Mutator m_mutator{kWords};
};

} // namespace

int main(int argc, char** argv) {
    HttpTarget target;
    return fuzz::run(argc, argv, target);
}
