// SPDX-License-Identifier: Apache-2.0
#include "client/identity_claim.h"

#include <QCoreApplication>
#include <algorithm>
#include <mutex>
#include <set>

namespace lockscope {

struct IdentityClaim::All {
    std::mutex guard;
    std::set<const IdentityClaim*> claims;
    /// Never destroyed: a client in a static variable may end after everything that was made later.
    static All& ofProcess() {
        static All* const all = new All;
        return *all;
    }
};

namespace {
bool sameServer(const ConnectionUrl& one, const ConnectionUrl& other) {
    if (one.service != other.service || one.database != other.database || one.path != other.path) return false;
    if (one.endpoints.empty() && other.endpoints.empty()) return true; // one file
    return std::ranges::any_of(one.endpoints, [&](const Endpoint& at) {
        return std::ranges::find(other.endpoints, at) != other.endpoints.end();
    });
}
} // namespace

IdentityClaim::IdentityClaim(QByteArray identity, std::vector<ConnectionUrl> servers)
    : m_identity(std::move(identity)), m_servers(std::move(servers)), m_process(QCoreApplication::applicationPid()) {
}

IdentityClaim::~IdentityClaim() {
    All& all = All::ofProcess();
    const std::lock_guard held(all.guard);
    all.claims.erase(this);
}

const ConnectionUrl* IdentityClaim::sharedWith(const std::vector<ConnectionUrl>& servers) const {
    for (const ConnectionUrl& mine : m_servers) {
        for (const ConnectionUrl& other : servers) {
            if (sameServer(mine, other)) return &mine;
        }
    }
    return nullptr;
}

std::expected<std::unique_ptr<IdentityClaim>, LockError> IdentityClaim::make(const QByteArray& identity,
                                                                             std::vector<ConnectionUrl> servers) {
    All& all = All::ofProcess();
    std::unique_ptr<IdentityClaim> claim(new IdentityClaim(identity, std::move(servers)));
    const std::lock_guard held(all.guard);
    for (const IdentityClaim* const known : all.claims) {
        if (known->m_identity != identity || known->m_process != claim->m_process) continue;
        const ConnectionUrl* const shared = known->sharedWith(claim->m_servers);
        if (!shared) continue;
        return std::unexpected(LockError{
            LockError::Kind::Refused,
            QCoreApplication::translate("LockError", "Another client of this program has the identity “%1” on %2: each "
                                                     "would take the other's locks for its own. Give each client an "
                                                     "identity of its own, or close the other one first.")
                .arg(QString::fromUtf8(identity), shared->display())});
    }
    all.claims.insert(claim.get());
    return claim;
}

} // namespace lockscope
