// SPDX-License-Identifier: Apache-2.0
#include "driver.h"
#include "experiment/run.h"
#include "scenario/scenario_file.h"
#include "session/open_scenario.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

using namespace lockscope;
using namespace lockscope::fuzz;
using scenario::Problem;
using scenario::Scenario;

namespace {

const std::vector<QByteArray> kWords{
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "-",
    "\\u0000",
    "\\ud800",
    "5s",
    "250ms",
    "1.5h",
    "0s",
    "-1s",
    "1ns",
    "292y",
    "9223372036854775807ns",
    "forever",
    "off",
    "holder",
    "waiter",
    "A",
    "B",
    "ZZ",
    "redis-1",
    "A-redis-1",
    "pause-client",
    "kill-node",
    "jump-clock",
    "delay-link",
    "cut-link",
    "lose-reply",
    "heal-all",
    "set",
    "lease",
    "recipe",
    "redis-fair",
    "redis-set",
    "hold",
    "think",
    "clients",
    "faults",
    "when",
    "at",
    "on",
    "nth",
    "after",
    "granted",
    "requested",
    "target",
    "value",
    "for",
    "to",
    "by",
    "hand",
    "expect",
    "*",
    "violates",
    "holds",
    "fifo",
    "mutual-exclusion",
    "title",
    "zh_CN",
    "en",
    "seed",
    "until",
    "nodes",
    "lockscope",
    "a/b~c",
    "locks",
    "name",
    "programs",
    "steps",
    "work",
    "take",
    "release",
    "await",
    "signal",
    "write",
    "wait",
    "mode",
    "shared",
    "permits",
    "program",
    "count",
    "workload",
    "services",
    "kind",
    "redis",
    "shape",
    "cluster",
    "sentinel",
    "masters",
    "step",
    "lease_left",
    "leader",
    "any",
    "client",
    "same",
    "lose-push",
    "hang-work",
    "recorded",
    "recipes",
    "requests_per_second",
    "reaches",
    "redis-multi",
};

/// Every part of the second version.
const QByteArray kWholeFormTwo = R"({
  "lockscope": 2, "id": "whole", "title": {"en": "Whole", "zh_CN": "全"}, "until": "20s", "recipe": "redis-set",
  "services": [{"id": "main", "kind": "redis", "shape": "sentinel", "nodes": 3, "sentinels": 3, "lag": "1ms"}],
  "locks": [{"name": "orders", "lease": "5s", "permits": 3},
            {"name": "stock", "recipe": "redis-rw", "service": "main", "watchdog": "1s", "wait": "9s"}],
  "workload": {"hold": ["1s", "2s"], "think": "100ms", "on_loss": "carry-on"},
  "programs": [
    {"name": "read", "steps": [{"think": true}, {"take": "stock", "mode": "shared", "wait": "2s"}, {"work": "1s"},
                               {"release": "stock"}]},
    {"name": "both", "steps": [{"think": "50ms"}, {"take": ["orders", "stock"]}, {"write": true},
                               {"work": ["10ms", "20ms"], "write_every": "5ms"}, {"signal": "orders"}, {"release": true}]},
    {"name": "wait", "steps": [{"think": "50ms"}, {"take": true}, {"await": true, "wait": "1s"}, {"release": true}]}],
  "clients": [{"program": "read", "count": 2}, {"program": "both"}, {"program": "wait"}, {"count": 1}],
  "faults": [{"when": {"step": 2, "client": "A", "nth": 2}, "do": "pause-client", "target": "same", "for": "1s"},
             {"when": {"lease_left": "4s"}, "do": "hang-work", "target": "holder"},
             {"when": {"leader": "any", "after": "1s"}, "do": "kill-node", "target": "same"},
             {"when": {"on": "recorded", "client": "waiter"}, "do": "lose-push", "target": "B"}],
  "expect": {"*": {"requests_per_second": [0, 100000]}}
})";

class ScenarioTarget final : public Target {
public:
    const char* name() const override { return "fuzz_scenarios"; }

    std::vector<QByteArray> seeds() override {
        std::vector<QByteArray> seeds;
        for (const QString& id : scenario::builtinScenarios()) {
            QFile file(QStringLiteral(":/scenarios/%1.json").arg(id));
            if (file.open(QIODevice::ReadOnly)) seeds.push_back(file.readAll());
        }
        seeds.push_back(kWholeFormTwo);
        return seeds;
    }

    /// Mostly a value of the document; sometimes bytes of its text.
    QByteArray mutate(const QByteArray& input, std::span<const QByteArray> others, Chance& chance) override {
        const QJsonDocument document = QJsonDocument::fromJson(input);
        if (!document.isObject() || chance.oneIn(4)) return m_mutator.mutate(input, others, chance);
        QJsonValue value = document.object();
        for (std::size_t changes = 1 + chance.below(3); changes > 0; --changes)
            value = mutateJson(value, kWords, chance);
        return QJsonDocument(value.toObject()).toJson();
    }

    Outcome check(const QByteArray& input) override {
        const QString file = QStringLiteral("some.json");
        const auto read = scenario::parseScenario(input, file);
        if (!read) return checkRefusal(read.error(), file, input.count('\n') + 1);
        ++m_accepted;
        const QByteArray written = scenario::toJson(*read);
        const auto again = scenario::parseScenario(written, file);
        if (!again)
            return Outcome::wrong(QStringLiteral("accepted, but not what is written of it: ") +
                                  (again.error().empty() ? QString() : again.error().front().toString()));
        if (!(*again == *read)) return Outcome::wrong(QStringLiteral("read back, it is another scenario"));
        if (scenario::toJson(*again) != written) return Outcome::wrong(QStringLiteral("written twice, it differs"));
        if (const auto problems = session::recipeProblems(*read, file); !problems.empty())
            return checkRefusal(problems, file, 0);
        return play(*read);
    }

    std::optional<QString> idle() const override {
        if (m_accepted > 40 && m_refused > 40 && m_played > 20) return std::nullopt;
        return QStringLiteral("%1 scenarios accepted, %2 played, %3 refused")
            .arg(m_accepted)
            .arg(m_played)
            .arg(m_refused);
    }

private:
    /// `lines`: how many the text has; 0: lines are not told.
    Outcome checkRefusal(const std::vector<Problem>& problems, const QString& file, qsizetype lines) {
        ++m_refused;
        if (problems.empty()) return Outcome::wrong(QStringLiteral("refused without a word"));
        for (const Problem& problem : problems) {
            const QString told = problem.toString();
            if (problem.message.isEmpty() || problem.file != file || !told.contains(file) ||
                !told.contains(problem.message))
                return Outcome::wrong(QStringLiteral("a complaint without a file or a message: ") + told);
            if (!problem.path.isEmpty() && !problem.path.startsWith(u'/'))
                return Outcome::wrong(QStringLiteral("“%1” is no path").arg(problem.path));
            if (lines > 0 && (problem.line < 1 || problem.line > lines))
                return Outcome::wrong(QStringLiteral("line %1 of %2: %3").arg(problem.line).arg(lines).arg(told));
        }
        const Problem& first = problems.front();
        return Outcome::fine("refused " + first.path.toUtf8() + ' ' + sayingOf(first.message).left(40));
    }

    /// A short run of it, twice: it ends, and the same way.
    Outcome play(Scenario scenario) {
        constexpr Nanos kShort = 300ms, kBusy = 100us;
        scenario.until = std::min(scenario.until, kShort);
        for (scenario::Range* range : {&scenario.workload.hold, &scenario.workload.writeEvery}) {
            range->low = std::max(range->low, kBusy);
            range->high = std::max(range->high, kBusy);
        }
        scenario.workload.clients = std::min(scenario.workload.clients, 12);
        if (!scenario.faults.empty()) { // they may name clients that the shortened run has not
            const auto read = scenario::parseScenario(scenario::toJson(scenario), QString());
            if (!read) return Outcome::fine("not played");
        }
        ++m_played;
        const experiment::RunReport one = experiment::run(scenario, 1), two = experiment::run(scenario, 1);
        if (one.digest() != two.digest()) return Outcome::wrong(QStringLiteral("two runs of one seed differ"));
        if (one.trace->reached() != scenario.until)
            return Outcome::wrong(QStringLiteral("the run ended at %1 ns").arg(one.trace->reached().count()));
        for (const verdict::Violation& violation : one.verdict.violations)
            if (verdict::explain(violation, *one.trace).isEmpty() || verdict::headline(violation, *one.trace).isEmpty())
                return Outcome::wrong(QStringLiteral("a violation without a word"));
        return Outcome::fine("played " + scenario.recipe.toUtf8() +
                             QByteArray::number(qsizetype(scenario.faults.size())) +
                             (one.verdict.violations.empty() ? "" : " violated"));
    }

    Mutator m_mutator{kWords};
    int m_accepted = 0, m_refused = 0, m_played = 0;
};

} // namespace

int main(int argc, char** argv) {
    ScenarioTarget target;
    return fuzz::run(argc, argv, target);
}
