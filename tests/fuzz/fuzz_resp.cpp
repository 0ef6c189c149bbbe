// SPDX-License-Identifier: Apache-2.0
#include "answers.h"
#include "heap_watch.h"
#include "ports/redis/resp.h"

using namespace lockscope;
using namespace lockscope::fuzz;
using redis::Reply;

namespace {

/// Answers of Redis, byte for byte: PING, SET, GET, HGETALL, EXEC, EVALSHA, a message, CLUSTER SLOTS, refusals.
const std::vector<QByteArray> kAnswers{
    "+PONG\r\n",
    "+OK\r\n$-1\r\n:1\r\n:0\r\n:-2\r\n",
    "$36\r\n0dd4b2a4-5b1e-4c39-9a39-0c9f2b3d7e11\r\n$0\r\n\r\n",
    "*4\r\n$38\r\n0dd4b2a4-5b1e-4c39-9a39-0c9f2b3d7e11:1\r\n$1\r\n2\r\n$4\r\nmode\r\n$4\r\nread\r\n*0\r\n*-1\r\n",
    "-NOSCRIPT No matching script. Please use EVAL.\r\n-MOVED 3999 127.0.0.1:6381\r\n",
    "-LOADING Redis is loading the dataset in memory\r\n-WRONGTYPE Operation against a key\r\n",
    "*3\r\n$9\r\nsubscribe\r\n$38\r\nredisson_lock__channel:{lockscope test}\r\n:1\r\n"
    "*3\r\n$7\r\nmessage\r\n$2\r\nch\r\n$1\r\n0\r\n",
    "*2\r\n*3\r\n:0\r\n:8191\r\n*3\r\n$9\r\n127.0.0.1\r\n:7000\r\n$2\r\nab\r\n"
    "*3\r\n:8192\r\n:16383\r\n*3\r\n$9\r\n127.0.0.1\r\n:7001\r\n$2\r\ncd\r\n",
    "*2\r\n$1\r\n0\r\n*2\r\n$3\r\na:b\r\n$6\r\nlock:1\r\n",
    "*2\r\n+QUEUED\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
};

const std::vector<QByteArray> kWords{"\r\n",
                                     "*",
                                     "$",
                                     ":",
                                     "+",
                                     "-",
                                     "*-1\r\n",
                                     "$-1\r\n",
                                     "*1\r\n",
                                     "*0\r\n",
                                     ":1\r\n",
                                     "$1152921504606846976\r\n",
                                     "*1048576\r\n",
                                     "*2147483647\r\n",
                                     "%1\r\n",
                                     "_\r\n"};

void encode(const Reply& reply, QByteArray& out) {
    const auto text = [&](char mark) { (out += mark).append(reply.text).append("\r\n"); };
    switch (reply.type) {
    case Reply::Type::Nil:
        out += "$-1\r\n";
        break;
    case Reply::Type::Status:
        text('+');
        break;
    case Reply::Type::Error:
        text('-');
        break;
    case Reply::Type::Integer:
        out += ':' + QByteArray::number(qlonglong(reply.integer)) + "\r\n";
        break;
    case Reply::Type::Bulk:
        out += '$' + QByteArray::number(reply.text.size()) + "\r\n" + reply.text + "\r\n";
        break;
    case Reply::Type::Array:
        out += '*' + QByteArray::number(qulonglong(reply.items.size())) + "\r\n";
        for (const Reply& item : reply.items)
            encode(item, out);
        break;
    }
}

Parsed<Reply> parse(const std::vector<QByteArrayView>& pieces) {
    Parsed<Reply> parsed;
    const HeapWatch heap;
    redis::ReplyReader reader;
    for (const QByteArrayView piece : pieces) {
        reader.feed({piece.data(), std::size_t(piece.size())});
        for (;;) {
            auto reply = reader.next();
            if (!reply) parsed.error = reply.error();
            if (!reply || !*reply) break;
            parsed.answers.push_back(**std::move(reply));
        }
        if (!parsed.error.isEmpty()) break;
    }
    parsed.largest = heap.largest();
    return parsed;
}

class RespTarget final : public Target {
public:
    const char* name() const override { return "fuzz_resp"; }
    std::vector<QByteArray> seeds() override { return kAnswers; }
    QByteArray mutate(const QByteArray& input, std::span<const QByteArray> others, Chance& chance) override {
        return m_mutator.mutate(input, others, chance);
    }
    Outcome check(const QByteArray& input) override {
        constexpr std::size_t kPerByte = 3 * sizeof(Reply); // the shortest element has three bytes; room grows twofold
        const Outcome outcome = checkPieces(input, kPerByte, &parse);
        if (outcome.complaint) return outcome;

        const Parsed<Reply> whole = parse({QByteArrayView(input)});
        QByteArray again;
        for (const Reply& reply : whole.answers)
            encode(reply, again);
        if (const auto second = parse({QByteArrayView(again)});
            second.answers != whole.answers || !second.error.isEmpty())
            return Outcome::wrong(QStringLiteral("what was read is not what is read when it is sent once more"));
        // Any bytes may be a value.
        const QByteArray bulk = '$' + QByteArray::number(input.size()) + "\r\n" + input + "\r\n";
        if (const auto value = parse({QByteArrayView(bulk)});
            value.answers != std::vector<Reply>{Reply::bulk(input)} || !value.error.isEmpty())
            return Outcome::wrong(QStringLiteral("the input as a value did not come back: “%1”").arg(value.error));
        return outcome;
    }

private:
    Mutator m_mutator{kWords};
};

} // namespace

int main(int argc, char** argv) {
    RespTarget target;
    return fuzz::run(argc, argv, target);
}
