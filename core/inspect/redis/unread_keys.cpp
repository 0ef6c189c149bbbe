// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/unread_keys.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::inspect {

namespace {

using Kind = WatchNote::Kind;

struct Text {
    Q_DECLARE_TR_FUNCTIONS(WatchNote)
};

constexpr std::size_t kExamples = 3;
constexpr std::size_t kMostCounted = 1'000'000; // some tens of megabytes

std::optional<Kind> kindFor(KeyJob::End why) {
    switch (why) {
    case KeyJob::End::LongValue:
        return Kind::LongValues;
    case KeyJob::End::LargeHash:
        return Kind::LargeHashes;
    case KeyJob::End::LongFields:
        return Kind::LongFields;
    case KeyJob::End::Refused:
        return Kind::KeysRefused;
    case KeyJob::End::SizeRefused:
        return Kind::SizesRefused;
    case KeyJob::End::Open:
    case KeyJob::End::Read:
    case KeyJob::End::Dull:
    case KeyJob::End::Gone:
    case KeyJob::End::Elsewhere:
    case KeyJob::End::OtherType:
        break;
    }
    return std::nullopt;
}

} // namespace

QString sentinelText(const QString& where) {
    return Text::tr("%1 is a Sentinel: it has no locks. Write the address of the master that it watches; "
                    "“redis-cli -p PORT sentinel masters” says it.")
        .arg(where);
}

void UnreadKeys::add(const QByteArray& key, KeyJob::End why) {
    const auto kind = kindFor(why);
    if (!kind) return;
    Place& place = m_kinds[*kind];
    if (place.seen.size() >= kMostCounted || !place.seen.insert(qHash(key)).second) return;
    if (place.examples.size() < kExamples) place.examples.push_back(key);
}

std::vector<WatchNote> UnreadKeys::notes() const {
    std::vector<WatchNote> notes;
    for (const auto& [kind, place] : m_kinds) {
        notes.push_back({kind, std::int64_t(place.seen.size()), place.examples});
        std::ranges::sort(notes.back().examples);
    }
    return notes;
}

std::int64_t UnreadKeys::refused() const {
    std::int64_t all = 0;
    for (const Kind kind : {Kind::KeysRefused, Kind::SizesRefused})
        if (const auto found = m_kinds.find(kind); found != m_kinds.end())
            all += std::int64_t(found->second.seen.size());
    return all;
}

} // namespace lockscope::inspect
