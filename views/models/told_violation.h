// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "verdict/verdict.h"

#include <QObject>
#include <optional>

namespace lockscope::views {

class ViewContext;

/// The violation that an instant is told by: the one that goes on then, else the latest that began before it; an index
/// into the verdict's violations. nullopt: none has begun by then.
std::optional<std::size_t> toldViolation(const verdict::Verdict& verdict, Nanos at);
/// Remembers which violation was explained last, as long as the playhead stays where that begins: several may have
/// begun by then, and what the user has asked for is the one to tell. A child of its context.
class Explained : public QObject {
    Q_OBJECT
public:
    /// Begins to remember, before the views that tell of it connect to the context.
    static void follow(ViewContext* context);
    std::optional<std::size_t> violation() const { return m_violation; }

private:
    explicit Explained(ViewContext* context);
    std::optional<std::size_t> m_violation;
};

/// As it stands at the playhead: the one that was explained there, if any.
std::optional<std::size_t> toldViolation(const ViewContext& context);
/// Whether this violation goes on at that instant.
bool goesOnAt(const verdict::Violation& violation, Nanos at);

/// Whether something can be said of the run up to the playhead: at its very beginning nothing has happened, which is
/// not even fine.
bool isJudged(const ViewContext& context);

/// A violation with nothing of what the player had computed ahead and nobody has seen: it goes on then, and is counted
/// to the playhead. `at` is for verdict::headline(), explain() and why().
struct AsSeen {
    verdict::Violation violation;
    Nanos at{};
};
AsSeen asSeen(const verdict::Violation& violation, const ViewContext& context);
/// The last instant of the trace that may be seen.
Nanos seenTo(const ViewContext& context);
/// Where `seenTo` is the end of what may be seen.
AsSeen asSeen(const verdict::Violation& violation, Nanos seenTo, Nanos playhead);

} // namespace lockscope::views
