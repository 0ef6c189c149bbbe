// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ruling.h"

namespace lockscope::torture {

/// The report about the runs, on standard output.
class Report {
public:
    /// Says how one went; whether it went as it must: what is judged must also have had an occasion to go wrong. Naive
    /// ones must not go well, and nobody's locks may when a saboteur was about. Rounds of one subject are counted
    /// together.
    bool add(const Subject& subject, const Plan& plan, const Ruling& ruling);
    /// Which invariants were judged of which, on how many occasions.
    void table() const;

    static void say(const QString& text);

private:
    struct Line {
        Subject subject;
        std::map<verdict::Invariant, int> occasions, violated;
        int allowed = 0;
    };
    Line& lineOf(const Subject& subject);
    static bool asItMust(const Line& line, const QStringList& breaks);
    std::vector<Line> m_lines;
};

} // namespace lockscope::torture
