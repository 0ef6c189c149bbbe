// SPDX-License-Identifier: Apache-2.0
// concurrency.Mutex and Election of etcd's own client, `etcdctl lock` and `elect`, the server's Lock service, and
// Lockscope's etcd-lease: a key <name>/<lease in hex> for each contender; the oldest holds.
#include "inspect/etcd/formats.h"
#include "trace/digits.h"

#include <algorithm>

namespace lockscope::inspect {

std::vector<LockRow> readEtcdMutex(const SeenKeys& seen) {
    const QByteArray below = seen.name + '/';
    const auto isForm = [&](const etcd::KeyValue& key) {
        return key.key.startsWith(below) &&
               QByteArrayView(key.key).sliced(below.size()) == trace::Digits(std::uint64_t(key.lease), 16).view();
    };
    if (seen.keys.empty() || !std::ranges::all_of(seen.keys, isForm)) return {};
    const bool election =
        std::ranges::any_of(seen.keys, [](const etcd::KeyValue& key) { return !key.value.isEmpty(); });
    LockRow row = etcdRow(seen, election ? "etcd-election" : "etcd-mutex");
    // An older key of a lock below this name is waited for, too: then all of these wait.
    const bool first = seen.oldest.isEmpty() || seen.oldest == seen.keys.front().key;
    std::vector<Party> waiters;
    waiters.reserve(seen.keys.size());
    for (const etcd::KeyValue& key : seen.keys) {
        Party party = etcdParty(seen, key, "exclusive");
        party.about = key.value;
        if (first && &key == &seen.keys.front()) {
            endsWith(row, party);
            party.ttlMs.reset(); // it is the lock's
            party.ends.reset();
            party.neverExpires = false;
            row.token = key.createRevision;
            row.entries.push_back({key.key, {}, key.createRevision});
            row.holders.push_back(std::move(party));
            continue;
        }
        party.position = int(waiters.size());
        waiters.push_back(std::move(party));
    }
    row.state = first ? LockRow::State::Held : LockRow::State::Queued;
    row.waiterCount = std::int64_t(waiters.size());
    row.waiters = std::move(waiters);
    return {std::move(row)};
}

} // namespace lockscope::inspect
