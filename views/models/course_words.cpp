// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/course_words.h"

#include "models/fault_words.h"
#include "trace/time_text.h"

#include <QCoreApplication>

namespace lockscope::views {
namespace {

struct Course {
    Q_DECLARE_TR_FUNCTIONS(Course)
};

using Faults = std::vector<scenario::Fault>;

Faults onlyIn(const Faults& here, const Faults& there) {
    Faults only;
    std::ranges::copy_if(here, std::back_inserter(only),
                         [&](const scenario::Fault& fault) { return std::ranges::find(there, fault) == there.end(); });
    return only;
}

} // namespace

QString courseText(const session::Course& former, const session::Course& now) {
    constexpr std::size_t kNamed = 2; // a menu's line is to be read at once
    QStringList parts;
    if (former.recipe != now.recipe) parts += Course::tr("with %1").arg(former.recipe);
    if (former.seed != now.seed) parts += Course::tr("with seed %1").arg(former.seed);
    const Faults had = onlyIn(former.byHand, now.byHand), lacked = onlyIn(now.byHand, former.byHand);
    const auto name = [&](const Faults& faults, const auto& words) {
        for (std::size_t i = 0; i < std::min(faults.size(), kNamed); ++i)
            parts += words(deedText(faults[i]), instantText(faults[i].at.value_or(Nanos(0)), 100ms));
    };
    //: An earlier run had this fault, and the present one has not: %1 "Pause A", %2 "3.0 s".
    name(had, [](const QString& what, const QString& at) { return Course::tr("with %1 at %2").arg(what, at); });
    name(lacked, [](const QString& what, const QString& at) { return Course::tr("without %1 at %2").arg(what, at); });
    const std::size_t more =
        had.size() + lacked.size() - std::min(had.size(), kNamed) - std::min(lacked.size(), kNamed);
    if (more > 0) parts += Course::tr("%n more difference(s)", nullptr, int(more));
    return parts.join(QStringLiteral(" · "));
}

} // namespace lockscope::views
