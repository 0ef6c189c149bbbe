// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"
#include "server_record.h"
#include "subjects.h"

namespace lockscope::torture {

/// Takes down what a server itself says of its locks, for as long as a run lasts. How each backend is made to say it
/// stands at Testimony::Kind and at the readers.
class Witness {
public:
    virtual ~Witness() = default;
    /// Returns when nothing that happens from now on is missed; the error says why that does not come about.
    virtual Started begin() = 0;
    /// Before the server is killed: what it keeps in its memory only.
    virtual QCoro::Task<> beforeDeath() { co_return; }
    /// The servers' reports up to now. Precondition: the server is up.
    virtual QCoro::Task<std::vector<Testimony>> testimonies() = 0;
};

/// The witness for a subject on that server, which has started. `ahead`: how far the servers' clock is ahead of the
/// runtime's.
std::unique_ptr<Witness> makeWitness(Runtime& runtime, const Subject& subject, const Server& server, Nanos ahead);

} // namespace lockscope::torture
