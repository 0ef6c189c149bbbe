// SPDX-License-Identifier: Apache-2.0
#include "trace/suggestion.h"

#include <QCoreApplication>

namespace lockscope {

namespace {
/// Edit distance where a swap of neighbours is one edit (Damerau-Levenshtein, restricted).
int distance(const QString& a, const QString& b) {
    const auto rows = static_cast<std::size_t>(a.size()) + 1;
    const auto columns = static_cast<std::size_t>(b.size()) + 1;
    std::vector<std::vector<int>> d(rows, std::vector<int>(columns));
    for (std::size_t i = 0; i < rows; ++i)
        d[i][0] = static_cast<int>(i);
    for (std::size_t j = 0; j < columns; ++j)
        d[0][j] = static_cast<int>(j);
    const auto at = [](const QString& text, std::size_t i) { return text[static_cast<qsizetype>(i) - 1].toLower(); };
    for (std::size_t i = 1; i < rows; ++i) {
        for (std::size_t j = 1; j < columns; ++j) {
            const int change = at(a, i) == at(b, j) ? 0 : 1;
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && at(a, i) == at(b, j - 1) && at(a, i - 1) == at(b, j)) {
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[rows - 1][columns - 1];
}

} // namespace

QString nearestWord(const QString& word, const QStringList& known) {
    QString best;
    int bestDistance = std::max(2, static_cast<int>(word.size()) / 3) + 1;
    for (const QString& candidate : known) {
        // A word that was cut short ("watch") or said too long ("clients_count") is near, too.
        const bool part = word.size() >= 3 && (candidate.startsWith(word) || word.startsWith(candidate));
        const int d = part ? 1 : distance(word, candidate);
        if (d < bestDistance) {
            bestDistance = d;
            best = candidate;
        }
    }
    return best;
}

QString suggestion(const QString& word, const QStringList& known) {
    const QString best = nearestWord(word, known);
    if (!best.isEmpty()) return QCoreApplication::translate("scenario", "; did you mean “%1”?").arg(best);
    if (known.isEmpty()) return {};
    return QCoreApplication::translate("scenario", "; known are %1").arg(known.join(QStringLiteral(", ")));
}

} // namespace lockscope
