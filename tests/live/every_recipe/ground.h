// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe.h"
#include "support/live.h"

#include <set>

namespace lockscope::test {

/// Real servers of one kind that recipes are tried on, and how to look what is left there.
class Ground {
public:
    virtual ~Ground() = default;

    /// Starts the servers; what went wrong, empty when they are up.
    virtual QString start() = 0;
    /// For clients that go straight there. Precondition of this and all that follows: started.
    virtual QString url() const = 0;
    /// The ports in that URL, and those that clients learn of from these servers; none: it is a file.
    virtual std::vector<std::uint16_t> ports() const = 0;
    /// The servers' answer about one of those ports, rewritten for a client that reaches that server at `other`.
    virtual QByteArray movedTo(QByteArray said, std::uint16_t /*port*/, std::uint16_t /*other*/) const { return said; }
    /// Whether drivers and servers exchange such a piece of bytes now and then, whoever locks.
    virtual bool isLookout(const QByteArray& /*piece*/) const { return false; }
    /// Whether who waits for a lock of that recipe is woken by messages, and whether a piece of bytes is such ones.
    virtual bool wakes(const recipes::RecipeInfo& /*recipe*/) const { return false; }
    virtual bool isWakeUp(const QByteArray& /*piece*/) const { return false; }
    /// The name of a lock that consists of several, for who takes `name` as one of them.
    virtual QByteArray severalWith(const QByteArray& name) const { return name + ",other-than-" + name; }
    /// Everything that locks of that recipe leave there, in words that differ when it differs: keys and how much is in
    /// them, nodes of sessions, rows with an owner, waiting connections. `name`: of a lock, where one must know.
    virtual std::set<QByteArray> left(const recipes::RecipeInfo& recipe, const QByteArray& name) = 0;
    /// A short lease that these servers keep exactly enough; what renews it may be late on a busy machine.
    virtual Nanos lease() const { return 800ms; }
};

/// A kind of servers, and which recipes are tried there.
struct GroundKind {
    QByteArray name;    ///< "postgresql"
    QByteArray backend; ///< RecipeInfo::backend
    bool (*takes)(const recipes::RecipeInfo&, recipes::Mode);
    std::unique_ptr<Ground> (*make)(Runtime&);
};

/// All of them.
const std::vector<GroundKind>& groundKinds();

} // namespace lockscope::test
