// SPDX-License-Identifier: Apache-2.0
#include "driver.h"
#include "inspect/redis/recogniser.h"
#include "lock_rows.h"

using namespace lockscope;
using namespace lockscope::fuzz;
using namespace lockscope::inspect;

namespace {

constexpr std::int64_t kNow = 1'790'000'000'000; // ms since 1970

const QByteArray kUuid = "0dd4b2a4-5b1e-4c39-9a39-0c9f2b3d7e11", kOther = "4b7c4a1e-0a51-4a56-8f1e-6f0b0c1d2e3f";

/// Inputs are lines: TYPE KEY TTL, then elements; fields are separated by tabs. TTL -1: never expires. The type
/// "channel" is no key: KEY has so many subscribers as TTL says.
QByteArray line(const QByteArrayList& fields) {
    return fields.join('\t') + '\n';
}

/// One lock of each format, as their libraries write them.
std::vector<QByteArray> keysOfEachFormat() {
    return {
        line({"hash", "orders", "29000", kUuid + ":1", "2"}) +
            line({"string", "redisson_lock_token:{orders}", "-1", "7"}),
        line({"hash", "fair", "29000", kUuid + ":1", "1"}) +
            line({"list", "redisson_lock_queue:{fair}", "-1", kOther + ":7", kUuid + ":9"}) +
            line({"zset", "redisson_lock_timeout:{fair}", "-1", kOther + ":7", "1790000005000", kUuid + ":9",
                  "1790000010000"}),
        line({"hash", "rw", "29000", "mode", "read", kUuid + ":1", "1"}) +
            line({"string", "{rw}:" + kUuid + ":1:rwlock_timeout:1", "29000", "1"}),
        line({"string", "permits", "-1", "2"}) + line({"zset", "{permits}:timeout", "-1", "aabb", "1790000005000"}),
        line({"string", "lock:a", "5000", kUuid + ":1:0123456789abcdef"}) +
            line({"channel", "lockscope_lock__channel:{lock:a}", "2"}),
        line({"string", "job", "5000", "ADDED:2026-11-23T10:00:00.000Z@host-1"}),
        line({"string", "lock:old", "-1", "1790000005"}) + line({"string", "my:lock", "-1", "whoever"}),
        line({"string", "redlock:x", "8000", kUuid}) +
            line({"string", "y", "8000", "0123456789abcdef0123456789abcdef"}),
        line({"string", "z", "8000", "q83vEjRWeJCrze8SNFZ4kA=="}) +
            line({"string", "w", "8000", "aB3dEfGhIjKlMnOpQrStUv"}),
        line({"zset", "semaphore:s", "-1", kUuid, "1"}) + line({"channel", "redisson_lock__channel:{gone}", "3"}),
        line({"list", "redisson_lock_queue:{empty}", "-1", kOther + ":7"}) + line({"set", "members", "-1", "a"}),
        line({"hash", "rw2", "29000", "mode", "write", kUuid + ":1:write", "1"}),
        line({"string", "latch", "-1", "2"}) + line({"channel", "redisson_countdownlatch__channel__{latch}", "2"}),
        line({"string", "semaphore", "-1", "0"}) + line({"channel", "redisson_sc:{semaphore}", "2"}),
        line({"hash", "fast", "29000", "a", kUuid + ":1", "a:" + kUuid + ":1:expire_time", "1790000005000",
              "a:" + kUuid + ":1:lock_count", "2"}),
        line({"string", "c", "8000", "0123456789ABCDEF0123456789ABCDEF01234567"}) +
            line({"string", "lock:p", "8000", "q83vEjRWeJCrze8SNFZ4kA=="}),
    };
}

const std::vector<QByteArray> kWords{
    "\t",
    "\n",
    ":",
    "{",
    "}",
    "{}",
    "mode",
    "read",
    "write",
    ":write",
    kUuid,
    kUuid + ":1",
    kOther + ":7",
    "redisson_lock_queue:",
    "redisson_lock_timeout:",
    "redisson_lock__channel:",
    "redisson_lock_token:",
    "redisson_countdownlatch__channel__",
    "redisson_sc:",
    ":rwlock_timeout:1",
    ":timeout",
    "lock:",
    ":lock",
    "mutex:",
    "semaphore:",
    "ADDED:",
    "@host",
    "lockscope_lock__channel:",
    "string\t",
    "hash\t",
    "zset\t",
    "list\t",
    "stream\t",
    "channel\t",
    "-1",
    "-2",
    "nan",
    "inf",
    QByteArray("\0", 1),
    "\xff",
    "\xe2\x80\xae",
    "string\tlock:n\t-1\t",
    "hash\tn\t-1\t",
};

/// The keys of one look and who is subscribed.
struct Look {
    std::vector<KeySnapshot> keys;
    Subscriptions subscriptions;
    qsizetype elements = 0;
};

Look read(const QByteArray& input) {
    Look look;
    std::set<QByteArray> names; // a server has one key of a name
    for (const QByteArray& text : input.split('\n')) {
        const QByteArrayList fields = text.split('\t');
        if (fields.size() < 3) continue;
        KeySnapshot key;
        key.type = fields[0];
        key.key = fields[1];
        const std::int64_t number = fields[2].toLongLong();
        if (key.type == "channel") {
            look.subscriptions[key.key] = std::max<std::int64_t>(number, 0); // servers count connections
            continue;
        }
        if (!names.insert(key.key).second) continue;
        if (number >= 0) key.ttlMs = number;
        const QByteArrayList elements = fields.mid(3);
        look.elements += elements.size() + 1;
        if (key.type == "string") key.string = elements.join('\t');
        for (qsizetype i = 0; i < elements.size(); ++i) {
            if (key.type == "list") key.list.push_back(elements[i]);
            if (i + 1 == elements.size() || i % 2 == 1) continue;
            if (key.type == "hash") key.hash.emplace_back(elements[i], elements[i + 1]);
            if (key.type == "zset") key.zset.emplace_back(elements[i], elements[i + 1].toDouble());
        }
        key.tooBig = key.type == "big";
        look.keys.push_back(std::move(key));
    }
    return look;
}

/// A string as applications keep them, with nothing about it that only locks have.
KeySnapshot noise(Chance& chance) {
    const auto letters = [&](const char* alphabet, std::size_t count) {
        QByteArray text;
        for (; count > 0; --count)
            text += alphabet[chance.below(qstrlen(alphabet))];
        return text;
    };
    KeySnapshot key;
    key.type = "string";
    key.key = letters("abdefghijnpqrstuvwz", 3 + chance.below(8)); // too few letters for "lock" and "mutex"
    if (chance.oneIn(2)) key.ttlMs = std::int64_t(chance.below(100'000));
    switch (chance.below(5)) {
    case 0:
        key.string = letters("0123456789", 1 + chance.below(14));
        break;
    case 1:
        key.string = letters("0123456789abcdef", chance.oneIn(2) ? 32 : 40);
        break;
    case 2:
        key.string = kUuid;
        break;
    case 3:
        key.string = letters("ABCabcdefghij0123456789", 22) + (chance.oneIn(2) ? "==" : "");
        break;
    default:
        key.string = letters("abc: {}\"", chance.below(60));
        break;
    }
    return key;
}

class RecogniserTarget final : public Target {
public:
    const char* name() const override { return "fuzz_recognisers"; }
    std::vector<QByteArray> seeds() override { return keysOfEachFormat(); }
    QByteArray mutate(const QByteArray& input, std::span<const QByteArray> others, Chance& chance) override {
        return m_mutator.mutate(input, others, chance);
    }
    Outcome check(const QByteArray& input) override {
        const Look look = read(input);
        RecogniserOptions options;
        options.wallMs = kNow;
        const std::vector<LockRow> rows = recognise(look.keys, look.subscriptions, options);
        std::vector<KeySnapshot> backwards = look.keys;
        std::ranges::reverse(backwards);
        if (recognise(backwards, look.subscriptions, options) != rows)
            return Outcome::wrong(QStringLiteral("the order of the keys makes a difference"));
        (void)recognise(look.keys, std::nullopt, options);
        if (qsizetype(rows.size()) > look.elements + qsizetype(look.subscriptions.size()))
            return Outcome::wrong(QStringLiteral("%1 rows of %2 elements").arg(rows.size()).arg(look.elements));
        if (!std::ranges::is_sorted(rows, {}, &LockRow::name))
            return Outcome::wrong(QStringLiteral("rows are not sorted"));
        for (const LockRow& row : rows)
            if (const auto wrong = wrongIn(row))
                return Outcome::wrong(QString::fromLatin1(row.format) + QStringLiteral(": ") + *wrong);
        if (const auto wrong = checkKeys(look, rows, options)) return Outcome::wrong(*wrong);
        if (const auto wrong = checkNoise(input, options)) return Outcome::wrong(*wrong);
        m_rows += int(rows.size());
        QByteArray kind = QByteArray::number(qsizetype(std::min<std::size_t>(rows.size(), 4)));
        for (const LockRow& row : rows)
            kind += ' ' + row.format + char('0' + int(row.state)) +
                    char('0' + std::min<int>(9, int(row.holders.size()))) + (row.waiters ? "w" : "") +
                    (row.token ? "t" : "");
        return Outcome::fine(kind.left(120));
    }
    std::optional<QString> idle() const override {
        return m_rows > 100 ? std::nullopt : std::optional(QStringLiteral("%1 rows").arg(m_rows));
    }

private:
    /// The questions that the reader of real servers asks about single keys agree with the recognised locks.
    static std::optional<QString> checkKeys(const Look& look, const std::vector<LockRow>& rows,
                                            const RecogniserOptions& options) {
        for (const KeySnapshot& key : look.keys) {
            const std::vector<QByteArray> companions = companionsOf(key);
            if (companions.size() > 1000 * (key.hash.size() + 1)) return QStringLiteral("companions without end");
            if (key.type != "string" || mayBeLock(key, options)) continue;
            for (const LockRow& row : rows)
                if (std::ranges::any_of(row.raw, [&](const RawKey& raw) { return raw.key == key.key; }))
                    return QStringLiteral("“%1” makes a row, and would never be read: no lock may be in it")
                        .arg(QString::fromLatin1(key.key));
        }
        return std::nullopt;
    }

    /// A key that may be a lock or anything else is never called certain.
    static std::optional<QString> checkNoise(const QByteArray& input, const RecogniserOptions& options) {
        std::uint64_t hash = std::uint64_t(input.size());
        for (const char c : input)
            hash = hash * 31 + uchar(c);
        Chance chance(hash);
        const std::vector<KeySnapshot> keys{noise(chance), noise(chance), noise(chance)};
        for (const LockRow& row : recognise(keys, std::nullopt, options))
            if (row.certainty == Certainty::Certain)
                return QStringLiteral("“%1” = “%2” is called a lock for certain, as %3")
                    .arg(QString::fromLatin1(row.name), QString::fromLatin1(keys.front().string),
                         QString::fromLatin1(row.format));
        return std::nullopt;
    }

    Mutator m_mutator{kWords};
    int m_rows = 0;
};

} // namespace

int main(int argc, char** argv) {
    RecogniserTarget target;
    return fuzz::run(argc, argv, target);
}
