// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/comparison_report.h"

#include "cli/output.h"
#include "cli/text.h"
#include "recipes/recipe_info.h"
#include "trace/time_text.h"

namespace lockscope::cli {

namespace {

using experiment::Cell;
using experiment::CellOutcome;

/// The scenario without faults, whose waits and requests are what a recipe costs.
constexpr QLatin1String kBaseline("contention");

QStringList violatedIn(const Cell& cell) {
    QStringList ids;
    for (const verdict::Invariant invariant : verdict::kInvariants)
        if (cell.invariants[static_cast<std::size_t>(invariant)] == verdict::Outcome::Violated)
            ids += QString::fromLatin1(verdict::invariantId(invariant));
    return ids;
}

QString outcomeText(CellOutcome outcome) {
    switch (outcome) {
    case CellOutcome::Safe:
        return tr("safe");
    case CellOutcome::Recovered:
        return tr("recovered");
    case CellOutcome::Unknown:
        return tr("unknown");
    case CellOutcome::Stalled:
        return tr("STALLED");
    case CellOutcome::Violated:
        break;
    }
    return tr("VIOLATED");
}

/// The outcome with a mark that is told apart without colour, and what it is about.
QString matrixText(const Cell& cell) {
    QString text;
    switch (cell.outcome) {
    case CellOutcome::Safe:
        text = QStringLiteral("✓ ") + tr("safe");
        break;
    case CellOutcome::Recovered:
        text = QStringLiteral("↻ ") +
               (cell.recovery == kNever ? tr("recovered") : tr("after %1").arg(durationText(cell.recovery)));
        break;
    case CellOutcome::Unknown:
        text = QStringLiteral("? ") + tr("unknown");
        break;
    case CellOutcome::Stalled:
        text = QStringLiteral("■ ") + (cell.starved > 0 ? tr("a waiter starved") : tr("stalled"));
        break;
    case CellOutcome::Violated:
        text = QStringLiteral("✗ ") + violatedIn(cell).join(QStringLiteral(", "));
        break;
    }
    return cell.difference.isEmpty() ? text : text + QStringLiteral(" ⚠");
}

/// The words of one table; the first column names the row.
struct Table {
    QString caption, note;
    QStringList header;
    QList<QStringList> rows;
};

/// The values of one field, each once, in the order of cells.
QStringList valuesOf(const std::vector<Cell>& cells, QString Cell::*field) {
    QStringList values;
    for (const Cell& cell : cells)
        if (!values.contains(cell.*field)) values += cell.*field;
    return values;
}

/// The recipes of all cells, in the documentation's order.
QStringList recipesOf(const std::vector<Cell>& cells) {
    const QStringList compared = valuesOf(cells, &Cell::recipe);
    QStringList ordered;
    for (const recipes::RecipeInfo& recipe : recipes::simulatedRecipes())
        if (compared.contains(QString::fromLatin1(recipe.id))) ordered += QString::fromLatin1(recipe.id);
    return ordered;
}

const Cell* find(const std::vector<Cell>& cells, const QString& recipe, const QString& scenario) {
    const auto found = std::ranges::find_if(
        cells, [&](const Cell& cell) { return cell.recipe == recipe && cell.scenario == scenario; });
    return found == cells.end() ? nullptr : &*found;
}

Table outcomesOf(const std::vector<Cell>& cells) {
    Table table{
        tr("What held and what broke"),
        tr("✓ no invariant violated · ↻ nobody got the lock for more than a second, then it was granted again · "
           "■ not granted any more, or not to a waiter that others passed · ✗ violated · — the recipe cannot run it · "
           "⚠ not as the scenario expects"),
        {tr("Scenario")},
        {}};
    const QStringList recipes = recipesOf(cells);
    table.header += recipes;
    for (const QString& scenario : valuesOf(cells, &Cell::scenario)) {
        QStringList row{scenario};
        for (const QString& recipe : recipes) {
            const Cell* const cell = find(cells, recipe, scenario);
            row += cell ? matrixText(*cell) : QStringLiteral("—");
        }
        table.rows += row;
    }
    return table;
}

/// How many of a recipe's cells came out so.
QString countOf(const std::vector<Cell>& cells, const QString& recipe, CellOutcome outcome) {
    return QString::number(std::ranges::count_if(
        cells, [&](const Cell& cell) { return cell.recipe == recipe && cell.outcome == outcome; }));
}

Table figuresOf(const std::vector<Cell>& cells) {
    Table table{tr("What each recipe cost and kept"),
                tr("Waits and requests: of the scenario “%1”. The other columns count scenarios.").arg(kBaseline),
                {tr("Recipe"), tr("Backend"), tr("Wait, median"), tr("Wait, 99 of 100"), tr("Requests per acquisition"),
                 tr("Safe"), tr("Recovered"), tr("Stalled"), tr("Violated"), tr("Unknown")},
                {}};
    const QString none = QStringLiteral("—");
    for (const QString& recipe : recipesOf(cells)) {
        const recipes::RecipeInfo* const info = recipes::findRecipe(recipe.toLatin1());
        QStringList row{recipe, info ? QString::fromLatin1(info->backend) : none};
        const Cell* const baseline = find(cells, recipe, kBaseline);
        if (baseline && baseline->acquisitions > 0)
            row += {durationText(baseline->waitP50), durationText(baseline->waitP99),
                    QString::number(requestsPerAcquisition(*baseline), 'f', 1)};
        else
            row += {none, none, none};
        for (const CellOutcome outcome : {CellOutcome::Safe, CellOutcome::Recovered, CellOutcome::Stalled,
                                          CellOutcome::Violated, CellOutcome::Unknown})
            row += countOf(cells, recipe, outcome);
        table.rows += row;
    }
    return table;
}

/// Servers of one sort, as a person chooses among them.
struct Family {
    const char* name; ///< to be translated, if it is a word
    std::vector<QByteArray> backends;
};
const std::vector<Family>& families() {
    static const std::vector<Family> kFamilies{{QT_TRANSLATE_NOOP("cli", "Database"), {"sql"}},
                                               {QT_TRANSLATE_NOOP("cli", "Cache"), {"redis", "memcached"}},
                                               {"ZooKeeper", {"zookeeper"}},
                                               {"etcd", {"etcd"}}};
    return kFamilies;
}

/// From the least to the most of them: "2.0 – 61.8".
template <typename T>
QString rangeText(const std::vector<T>& values, QString (*text)(T)) {
    if (values.empty()) return QStringLiteral("—");
    const auto [least, most] = std::ranges::minmax(values);
    const QString low = text(least), high = text(most);
    return low == high ? low : QStringLiteral("%1 – %2").arg(low, high);
}

/// One sort of servers from four sides, over its recipes that are not there to be seen failing.
QStringList sidesOf(const std::vector<Cell>& cells, const Family& family) {
    std::vector<int> steps;
    std::vector<double> requests;
    std::vector<Nanos> medians, longest;
    for (const QString& recipe : recipesOf(cells)) {
        const recipes::RecipeInfo* const info = recipes::findRecipe(recipe.toLatin1());
        if (info->naive || std::ranges::find(family.backends, info->backend) == family.backends.end()) continue;
        steps.push_back(int(info->steps.size()));
        const Cell* const baseline = find(cells, recipe, kBaseline);
        if (!baseline || baseline->acquisitions == 0) continue;
        requests.push_back(requestsPerAcquisition(*baseline));
        medians.push_back(baseline->waitP50);
        longest.push_back(baseline->waitP99);
    }
    if (steps.empty()) return {};
    std::int64_t all = 0, kept = 0, granted = 0;
    for (const Cell& cell : cells) {
        const recipes::RecipeInfo* const info = recipes::findRecipe(cell.recipe.toLatin1());
        if (info->naive || std::ranges::find(family.backends, info->backend) == family.backends.end()) continue;
        ++all;
        kept += cell.outcome != CellOutcome::Violated;
        granted += cell.outcome == CellOutcome::Safe || cell.outcome == CellOutcome::Recovered;
    }
    const auto share = [all](std::int64_t part) { return tr("%1 of %2").arg(part).arg(all); };
    return {rangeText<int>(steps, [](int count) { return QString::number(count); }),
            rangeText<double>(requests, [](double each) { return QString::number(each, 'f', 1); }),
            rangeText<Nanos>(medians, durationText),
            rangeText<Nanos>(longest, durationText),
            share(kept),
            share(granted)};
}

/// The table that articles on distributed locks end with, measured.
Table sidesTable(const std::vector<Cell>& cells) {
    Table table{tr("Which servers for a lock"),
                tr("From the least to the most of the recipes on such servers, without those that exist to be seen "
                   "failing. Waits and requests: of the scenario “%1”. Safety counts runs of a recipe in a scenario.")
                    .arg(kBaseline),
                {QString()},
                {{tr("Understanding, implementation: steps of the algorithm")},
                 {tr("Performance: requests per acquisition")},
                 {tr("Performance: wait, median")},
                 {tr("Performance: wait, 99 of 100")},
                 {tr("Safety: nothing violated but progress")},
                 {tr("Safety: and granted again to the end")}}};
    for (const Family& family : families()) {
        const QStringList sides = sidesOf(cells, family);
        if (sides.empty()) continue;
        table.header += tr(family.name);
        for (qsizetype i = 0; i < sides.size(); ++i)
            table.rows[i] += sides[i];
    }
    return table;
}

QString markdownRow(const QStringList& words) {
    return QStringLiteral("| ") +
           QStringList(words).replaceInStrings(QStringLiteral("|"), QStringLiteral("\\|")).join(QStringLiteral(" | ")) +
           QStringLiteral(" |");
}

QStringList markdownLines(const Table& table) {
    QStringList lines{QStringLiteral("## ") + table.caption,
                      QString(),
                      table.note,
                      QString(),
                      markdownRow(table.header),
                      markdownRow(QStringList(table.header.size(), QStringLiteral("---")))};
    for (const QStringList& row : table.rows)
        lines += markdownRow(row);
    return lines;
}

QString htmlRow(const QStringList& words, const char* first, const char* rest) {
    QString row = QStringLiteral("<tr>");
    for (qsizetype i = 0; i < words.size(); ++i) {
        const QLatin1String tag(i == 0 ? first : rest);
        row += QStringLiteral("<%1>%2</%1>").arg(tag, words[i].toHtmlEscaped());
    }
    return row + QStringLiteral("</tr>");
}

QStringList htmlLines(const Table& table) {
    QStringList lines{QStringLiteral("<h2>%1</h2>").arg(table.caption.toHtmlEscaped()),
                      QStringLiteral("<p>%1</p>").arg(table.note.toHtmlEscaped()), QStringLiteral("<table>"),
                      QStringLiteral("<thead>") + htmlRow(table.header, "th", "th") +
                          QStringLiteral("</thead><tbody>")};
    for (const QStringList& row : table.rows)
        lines += htmlRow(row, "th", "td");
    return lines << QStringLiteral("</tbody></table>");
}

QByteArray csvField(const QString& text) {
    QByteArray field = text.toUtf8();
    if (!field.contains(',') && !field.contains('"') && !field.contains('\n')) return field;
    return '"' + field.replace('"', "\"\"") + '"';
}

} // namespace

double requestsPerAcquisition(const Cell& cell) {
    Q_ASSERT(cell.acquisitions > 0);
    return double(cell.requests) / double(cell.acquisitions);
}

QByteArray expectedId(const Cell& cell) {
    return cell.expected ? experiment::outcomeId(*cell.expected) : QByteArrayLiteral("any");
}

QByteArray csvHeader() {
    return "recipe,scenario,outcome,violated,recovery_ms,acquisitions,wait_p50_ms,wait_p99_ms,requests_per_acquisition,"
           "seeds,expected,as_expected";
}

QByteArray csvLine(const Cell& cell) {
    const bool acquired = cell.acquisitions > 0;
    const QByteArrayList fields{csvField(cell.recipe),
                                csvField(cell.scenario),
                                experiment::outcomeId(cell.outcome),
                                violatedIn(cell).join(QLatin1Char(' ')).toLatin1(),
                                cell.recovery == kNever ? QByteArray() : milliseconds(cell.recovery.count()),
                                QByteArray::number(qulonglong(cell.acquisitions)),
                                acquired ? milliseconds(cell.waitP50.count()) : QByteArray(),
                                acquired ? milliseconds(cell.waitP99.count()) : QByteArray(),
                                acquired ? QByteArray::number(requestsPerAcquisition(cell), 'f', 2) : QByteArray(),
                                QByteArray::number(qulonglong(cell.seeds)),
                                cell.promised ? expectedId(cell) : QByteArray(),
                                cell.promised ? (cell.asExpected ? QByteArray("true") : QByteArray("false"))
                                              : QByteArray()};
    return fields.join(',');
}

QString textLine(const Cell& cell) {
    constexpr int kScenarioWidth = 26, kRecipeWidth = 20, kOutcomeWidth = 10;
    QStringList details;
    if (const QStringList violated = violatedIn(cell); !violated.empty())
        details += violated.join(QStringLiteral(", "));
    if (cell.starved > 0) details += tr("a waiter starved");
    if (!cell.unknown.isEmpty()) details += tr("not all could be judged: %1", "a reason").arg(cell.unknown);
    if (cell.recovery != kNever) details += tr("granted again after %1").arg(durationText(cell.recovery));
    if (cell.acquisitions > 0)
        //: How long clients waited for the lock.
        details +=
            tr("waits %1 (median), %2 (99th percentile)").arg(durationText(cell.waitP50), durationText(cell.waitP99));
    if (!cell.promised)
        details += tr("nothing was expected");
    else if (!cell.asExpected)
        details += tr("NOT AS EXPECTED");
    return QStringLiteral("%1 %2 %3 %4")
        .arg(cell.scenario, -kScenarioWidth)
        .arg(cell.recipe, -kRecipeWidth)
        .arg(outcomeText(cell.outcome), -kOutcomeWidth)
        .arg(details.join(QStringLiteral("; ")));
}

QString summaryText(const std::vector<Cell>& cells) {
    const auto expected = std::ranges::count_if(cells, &Cell::asExpected);
    std::uint64_t runs = 0;
    for (const Cell& cell : cells)
        runs += cell.seeds;
    return tr("%1 of %2 cells are as expected; %3 runs")
        .arg(QString::number(expected), QString::number(cells.size()), QString::number(runs));
}

QString markdownOf(const std::vector<Cell>& cells) {
    QStringList lines = markdownLines(outcomesOf(cells));
    lines << QString() << markdownLines(figuresOf(cells));
    if (const Table sides = sidesTable(cells); sides.header.size() > 1) lines << QString() << markdownLines(sides);
    lines << QString() << summaryText(cells);
    return lines.join(QLatin1Char('\n'));
}

QString htmlOf(const std::vector<Cell>& cells) {
    QStringList lines{QStringLiteral("<!DOCTYPE html>"), QStringLiteral("<meta charset=\"utf-8\">"),
                      QStringLiteral("<title>%1</title>").arg(tr("Locks compared").toHtmlEscaped()),
                      // Follows the reader's light or dark colours; the first column and the head stay in sight.
                      QStringLiteral("<style>:root{color-scheme:light dark;font:14px system-ui,sans-serif}"
                                     "table{border-collapse:collapse}th,td{padding:4px 8px;text-align:left;"
                                     "border-bottom:1px solid GrayText;white-space:nowrap}"
                                     "thead th,tbody th{background:Canvas;position:sticky;left:0;top:0}</style>"),
                      QStringLiteral("<h1>%1</h1>").arg(tr("Locks compared").toHtmlEscaped())};
    lines << htmlLines(outcomesOf(cells)) << htmlLines(figuresOf(cells));
    if (const Table sides = sidesTable(cells); sides.header.size() > 1) lines << htmlLines(sides);
    lines << QStringLiteral("<p>%1</p>").arg(summaryText(cells).toHtmlEscaped());
    return lines.join(QLatin1Char('\n'));
}

} // namespace lockscope::cli
