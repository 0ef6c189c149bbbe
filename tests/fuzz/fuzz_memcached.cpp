// SPDX-License-Identifier: Apache-2.0
#include "answers.h"
#include "heap_watch.h"
#include "ports/memcached/binary_protocol.h"
#include "ports/memcached/text_protocol.h"

#include <QtEndian>

using namespace lockscope;
using namespace lockscope::fuzz;
using memcached::Reply;

namespace {

/// A binary answer: header and body as memcached's documentation has them.
QByteArray binary(char code, std::uint16_t status, const QByteArray& extras, const QByteArray& key,
                  const QByteArray& value, std::uint64_t unique = 0) {
    QByteArray header(24, '\0');
    header[0] = char(0x81);
    header[1] = code;
    qToBigEndian(std::uint16_t(key.size()), header.data() + 2);
    header[4] = char(extras.size());
    qToBigEndian(status, header.data() + 6);
    qToBigEndian(std::uint32_t(extras.size() + key.size() + value.size()), header.data() + 8);
    qToBigEndian(unique, header.data() + 16);
    return header + extras + key + value;
}

const QByteArray kFlags(4, '\0');

const std::vector<QByteArray> kAnswers{
    "END\r\n",
    "STORED\r\nVALUE lockscope:orders 0 41 7\r\n0dd4b2a4-5b1e-4c39-9a39-0c9f2b3d7e11:1:ab\r\nEND\r\n",
    "NOT_STORED\r\nEXISTS\r\nNOT_FOUND\r\nDELETED\r\n",
    "VALUE a 0 0 18446744073709551615\r\n\r\nEND\r\n",
    "VERSION 1.6.18\r\nERROR\r\n",
    "HD t-1 c12\r\nHD t20 c18446744073709551615\r\nEN\r\n",
    "CLIENT_ERROR unauthenticated\r\nSERVER_ERROR out of memory storing object\r\n",
    "key=a%3A1 exp=-1 la=1795819776 cas=1 fetch=no cls=1 size=65\nkey=b exp=1 la=1 cas=2 fetch=yes cls=1 "
    "size=1\nEND\r\n",
    "BUSY currently processing crawler request\r\nERROR metadump not allowed\r\n",
    binary(0x20, 0x81, {}, {}, "Unknown command"),
    binary(0x20, 0, {}, {}, "PLAIN SCRAM-SHA-1") + binary(0x21, 0, {}, {}, "Authenticated"),
    binary(0x02, 0, {}, {}, {}, 5) + binary(0x00, 0, kFlags, {}, "0dd4b2a4:1:ab", 5),
    binary(0x02, 2, {}, {}, "Data exists for key.") + binary(0x00, 1, {}, {}, "Not found"),
    binary(0x04, 0x20, {}, {}, "Auth failure.") + binary(0x0b, 0, {}, {}, "1.6.18"),
};

const std::vector<QByteArray> kWords{"\r\n",
                                     " ",
                                     "VALUE ",
                                     "END\r\n",
                                     "STORED\r\n",
                                     "VALUE a 0 1152921504606846976\r\n",
                                     "VALUE a 0 16777217 1\r\n",
                                     "SERVER_ERROR ",
                                     "VERSION ",
                                     QByteArray("\x81\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x05", 12),
                                     QByteArray("\xff\xff\xff\xff", 4),
                                     QByteArray("\x00\x00\x00\x00", 4)};

/// One answer, to compare.
struct Told {
    Reply::Word word;
    QByteArray text, value;
    std::uint64_t unique;
    bool item;
    friend bool operator==(const Told&, const Told&) = default;
};

template <typename Protocol>
Parsed<Told> parse(const std::vector<QByteArrayView>& pieces) {
    Parsed<Told> parsed;
    const HeapWatch heap;
    Protocol protocol;
    for (const QByteArrayView piece : pieces) {
        protocol.feed(piece.data(), piece.size());
        for (;;) {
            const auto reply = protocol.next();
            if (!reply) parsed.error = reply.error();
            if (!reply || !*reply) break;
            const Reply& r = **reply;
            parsed.answers.push_back({r.word, r.text, r.item ? r.item->value : QByteArray(),
                                      r.item ? r.item->mark.unique : 0, r.item.has_value()});
        }
        if (!parsed.error.isEmpty()) break;
    }
    parsed.largest = heap.largest();
    return parsed;
}

class MemcachedTarget final : public Target {
public:
    const char* name() const override { return "fuzz_memcached"; }
    std::vector<QByteArray> seeds() override { return kAnswers; }
    QByteArray mutate(const QByteArray& input, std::span<const QByteArray> others, Chance& chance) override {
        return m_mutator.mutate(input, others, chance);
    }
    Outcome check(const QByteArray& input) override {
        constexpr std::size_t kPerByte = 2 * sizeof(Told);
        const Outcome text = checkPieces(input, kPerByte, &parse<memcached::TextProtocol>);
        if (text.complaint) return Outcome::wrong(QStringLiteral("text protocol: ") + *text.complaint);
        const Outcome binaries = checkPieces(input, kPerByte, &parse<memcached::BinaryProtocol>);
        if (binaries.complaint) return Outcome::wrong(QStringLiteral("binary protocol: ") + *binaries.complaint);

        // Any bytes may be a value.
        const Told item{Reply::Word::End, {}, input, 7, true};
        const QByteArray asText = "VALUE k 0 " + QByteArray::number(input.size()) + " 7\r\n" + input + "\r\nEND\r\n";
        if (parse<memcached::TextProtocol>({QByteArrayView(asText)}).answers != std::vector<Told>{item})
            return Outcome::wrong(QStringLiteral("text protocol: the input as a value did not come back"));
        const QByteArray asBinary = binary(0, 0, kFlags, {}, input, 7);
        if (parse<memcached::BinaryProtocol>({QByteArrayView(asBinary)}).answers != std::vector<Told>{item})
            return Outcome::wrong(QStringLiteral("binary protocol: the input as a value did not come back"));
        return Outcome::fine(text.kind + " | " + binaries.kind);
    }

private:
    Mutator m_mutator{kWords};
};

} // namespace

int main(int argc, char** argv) {
    MemcachedTarget target;
    return fuzz::run(argc, argv, target);
}
