// SPDX-License-Identifier: Apache-2.0
// The experimental RWMutex of etcd's own client: <name>/read/<number> and <name>/write/<number>, by creation revision.
#include "inspect/etcd/formats.h"

namespace lockscope::inspect {

std::vector<LockRow> readEtcdReadWrite(const SeenKeys& seen) {
    const QByteArray read = seen.name + "/read/", write = seen.name + "/write/";
    const auto reads = [&read](const etcd::KeyValue& key) { return key.key.startsWith(read); };
    const auto writes = [&write](const etcd::KeyValue& key) { return key.key.startsWith(write); };
    bool any = false;
    for (const etcd::KeyValue& key : seen.keys)
        any = any || ((reads(key) || writes(key)) && !key.key.endsWith('/' + leaseInHex(key.lease)));
    if (!any) return {};
    LockRow row = etcdRow(seen, "etcd-rw");
    std::vector<Party> waiters;
    bool nobody = true, noWriter = true; // is before this one
    for (const etcd::KeyValue& key : seen.keys) {
        const bool reader = reads(key);
        Party party = etcdParty(seen, key, reader ? "shared" : "exclusive");
        const bool holds = reader ? noWriter : nobody;
        nobody = false;
        noWriter = noWriter && reader;
        if (!holds) {
            party.position = int(waiters.size());
            waiters.push_back(std::move(party));
            continue;
        }
        if (row.holders.empty()) {
            row.mode = party.mode;
            row.token = key.createRevision;
            endsWith(row, party);
        }
        row.entries.push_back({key.key, {}, key.createRevision});
        row.holders.push_back(std::move(party));
    }
    row.state = LockRow::State::Held;
    row.waiterCount = std::int64_t(waiters.size());
    row.waiters = std::move(waiters);
    return {std::move(row)};
}

} // namespace lockscope::inspect
