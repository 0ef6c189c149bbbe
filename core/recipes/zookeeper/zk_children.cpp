// SPDX-License-Identifier: Apache-2.0
#include "recipes/zookeeper/zk_children.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <array>

namespace lockscope::recipes {

namespace {

constexpr auto kHexDigits = [] {
    std::array<bool, 256> is{};
    for (const char c : {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'})
        is[std::size_t(c)] = true;
    return is;
}();

bool isHexDigit(char c) {
    return kHexDigits[static_cast<unsigned char>(c)];
}

bool isHex(QByteArrayView text) {
    return std::ranges::all_of(text, isHexDigit);
}

bool isUuid(QByteArrayView text) {
    if (text.size() != 36) return false;
    for (const qsizetype dash : {8, 13, 18, 23})
        if (text[dash] != '-') return false;
    return isHex(text.first(8)) && isHex(text.sliced(9, 4)) && isHex(text.sliced(14, 4)) && isHex(text.sliced(19, 4)) &&
           isHex(text.sliced(24));
}

std::string_view asText(QByteArrayView bytes) {
    return {bytes.data(), std::size_t(bytes.size())};
}

bool isDigits(QByteArrayView text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The part behind Curator's protection prefix "_c_<id>-"; `dashes`: whether the id is a UUID with them.
std::optional<QByteArrayView> behindProtection(QByteArrayView stem, bool dashes) {
    const qsizetype length = dashes ? 36 : 32;
    if (stem.size() < length + 4 || !stem.startsWith("_c_") || stem[length + 3] != '-') return std::nullopt;
    const QByteArrayView id = stem.sliced(3, length);
    if (dashes ? !isUuid(id) : !isHex(id)) return std::nullopt;
    return stem.sliced(length + 4);
}

ZkFamily familyOf(QByteArrayView stem, bool& writes) {
    if (const auto kind = behindProtection(stem, true)) {
        if (*kind == QByteArrayView("lock-")) return ZkFamily::Curator;
        if (*kind == QByteArrayView("lease-")) return ZkFamily::Lease;
        if (*kind == QByteArrayView("latch-")) return ZkFamily::Latch;
        writes = *kind == QByteArrayView("__WRIT__");
        if (writes || *kind == QByteArrayView("__READ__")) return ZkFamily::ReadWrite;
        writes = true;
    }
    if (const auto kind = behindProtection(stem, false); kind && *kind == QByteArrayView("lock-"))
        return ZkFamily::GoZooKeeper;
    if (stem.size() > 32 && isHex(stem.first(32))) {
        if (stem.sliced(32) == QByteArrayView("__lock__")) return ZkFamily::Kazoo;
        if (stem.sliced(32) == QByteArrayView("__rlock__")) {
            writes = false;
            return ZkFamily::KazooReadWrite;
        }
    }
    if (stem == QByteArrayView("lock-")) return ZkFamily::Menagerie;
    if (stem == QByteArrayView("readLock-") || stem == QByteArrayView("writeLock-"))
        return ZkFamily::MenagerieReadWrite;
    if (stem == QByteArrayView("condition-")) return ZkFamily::Condition;
    if (stem.startsWith("x-") && stem.endsWith('-')) return ZkFamily::ZkRecipe;
    if (stem.endsWith("-lock-")) return ZkFamily::ZkPage;
    const bool reads = stem == QByteArrayView("read-") || stem.endsWith("-read-");
    if (reads || stem == QByteArrayView("write-") || stem.endsWith("-write-")) {
        writes = !reads;
        return ZkFamily::ZkPage;
    }
    return ZkFamily::Unknown;
}

} // namespace

ZkChild readZkChild(const QByteArray& name) {
    constexpr qsizetype kDigits = 10;
    ZkChild child{name};
    if (name.size() <= kDigits || !isDigits(QByteArrayView(name).last(kDigits))) {
        if (name == "locks" || name == "leases") child.family = ZkFamily::Semaphore;
        if (name == "lease_holder") child.family = ZkFamily::KazooLease;
        return child;
    }
    QByteArrayView stem = QByteArrayView(name).chopped(kDigits);
    qsizetype length = kDigits;
    if (stem.endsWith("--") || stem.endsWith("__-")) { // after 2^31 children the number turns negative
        stem.chop(1);
        ++length;
    }
    child.numberLength = std::uint8_t(length);
    child.family = familyOf(stem, child.writes);
    return child;
}

std::vector<ZkChild> readZkChildren(const std::vector<QByteArray>& names) {
    std::vector<ZkChild> children;
    children.reserve(names.size());
    for (const QByteArray& name : names)
        children.push_back(readZkChild(name));
    // A writer before the reader that has taken its number over: it came first.
    std::ranges::sort(children, [](const ZkChild& a, const ZkChild& b) {
        const int order = asText(a.number()).compare(asText(b.number()));
        return order != 0 ? order < 0 : a.writes > b.writes;
    });
    return children;
}

std::optional<ZkFamily> familyOfData(const QByteArray& data) {
    constexpr qsizetype kLongest = 40; // of an instant with nanoseconds and years of many digits
    if (data.isEmpty() || data.size() > kLongest) return std::nullopt;
    static const auto& instant = *new QRegularExpression( // static locks are given back at exit, and use it
        QStringLiteral("^[+-]?\\d{4,10}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z$"));
    if (instant.match(QString::fromLatin1(data)).hasMatch()) return ZkFamily::ShedLock;
    // As Python writes a number of permits.
    if (const int permits = data.toInt(); permits > 0 && data == QByteArray::number(permits))
        return ZkFamily::KazooSemaphore;
    return std::nullopt;
}

QByteArray zkOwnerIn(const QByteArray& data) {
    constexpr QByteArrayView kOurs = "lockscope:";
    if (!data.startsWith(kOurs)) return {};
    QByteArray who = data.sliced(kOurs.size());
    const qsizetype last = who.lastIndexOf(':');
    if (who.indexOf('-', last) > last) who.truncate(last); // a UUID, where nothing else makes the node unique
    return who;
}

std::set<ZkFamily> familiesOf(const std::vector<ZkChild>& children) {
    std::set<ZkFamily> all;
    for (const ZkChild& child : children) {
        if (child.family != ZkFamily::Condition) all.insert(child.family);
    }
    return all;
}

QString familyName(ZkFamily family) {
    switch (family) {
    case ZkFamily::Curator:
        return QStringLiteral("Curator");
    case ZkFamily::GoZooKeeper:
        return QStringLiteral("go-zookeeper");
    case ZkFamily::Kazoo:
        return QStringLiteral("kazoo");
    case ZkFamily::Menagerie:
        return QStringLiteral("Menagerie");
    case ZkFamily::ReadWrite:
        return QCoreApplication::translate("Recipe", "Curator's read/write lock");
    case ZkFamily::Lease:
    case ZkFamily::Semaphore:
        return QCoreApplication::translate("Recipe", "Curator's semaphore");
    case ZkFamily::Condition:
        return QCoreApplication::translate("Recipe", "Menagerie's condition");
    case ZkFamily::KazooReadWrite:
        return QCoreApplication::translate("Recipe", "kazoo's read/write lock");
    case ZkFamily::KazooLease:
        return QCoreApplication::translate("Recipe", "kazoo's lease");
    case ZkFamily::MenagerieReadWrite:
        return QCoreApplication::translate("Recipe", "Menagerie's read/write lock");
    case ZkFamily::Latch:
        return QCoreApplication::translate("Recipe", "Curator's leader latch");
    case ZkFamily::ZkRecipe:
        return QCoreApplication::translate("Recipe", "ZooKeeper's own lock recipe");
    case ZkFamily::ZkPage:
        return QCoreApplication::translate("Recipe", "the lock of ZooKeeper's documentation");
    case ZkFamily::ShedLock:
        return QStringLiteral("ShedLock");
    case ZkFamily::KazooSemaphore:
        return QCoreApplication::translate("Recipe", "kazoo's semaphore");
    case ZkFamily::Ephemeral:
        return QCoreApplication::translate("Recipe", "a lock that is one ephemeral node");
    case ZkFamily::Unknown:
        break;
    }
    return QCoreApplication::translate("Recipe", "something unknown");
}

} // namespace lockscope::recipes
