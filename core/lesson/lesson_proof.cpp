// SPDX-License-Identifier: Apache-2.0
#include "lesson/lesson_proof.h"

#include "lesson/scene_run.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace lockscope::lesson {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("lesson", text);
}

constexpr int kLongest = 260; ///< characters: two or three short sentences beside the picture
constexpr int kMostSentences = 3;

/// An English sentence ends with its mark before a space or the end: "0.7 s" is no end.
qsizetype sentencesIn(const QString& text) {
    static const QRegularExpression kEnd(QStringLiteral("[.!?](?=\\s|$)|[。！？]"));
    return text.count(kEnd);
}

/// Plays a lesson's steps in order, and collects everything that is not as it says.
class Proof {
public:
    explicit Proof(const Lesson& lesson) : m_lesson(lesson) {}

    std::vector<Untruth> play() {
        for (const Scene& scene : m_lesson.scenes) {
            auto run = playScene(scene);
            if (!run) return {{-1, run.error()}};
            m_runs.emplace(scene.id, *run);
        }
        for (std::size_t i = 0; i < m_lesson.steps.size(); ++i)
            step(i);
        return m_wrong;
    }

private:
    void step(std::size_t i) {
        const Step& step = m_lesson.steps[i];
        const Scene& scene = *m_lesson.scene(step.scene);
        const Facts& facts = *m_runs.at(step.scene).facts;
        const Nanos here = facts.time(step.until, {});
        const auto wrong = [&](const QString& what) {
            m_wrong.push_back({int(i), tr("step %1: %2").arg(QString::number(i + 1), what)});
        };
        Nanos from = step.from ? facts.time(*step.from, here) : Nanos{};
        const bool follows = i > 0 && !step.from && m_lesson.steps[i - 1].scene == step.scene;
        if (follows) from = facts.time(m_lesson.steps[i - 1].until, {});
        if (here < from) wrong(tr("it ends before it begins"));
        // A table is something to look at while the run stands.
        if (here == from && follows && !step.table)
            wrong(tr("it ends where the step before it ends: let it end later, or join the two"));
        if (here > facts.trace().reached()) wrong(tr("it ends after its run"));
        for (const Condition& claim : step.claims)
            if (!facts.holds(claim, here)) wrong(tr("a claim is false: %1").arg(told(claim, facts, here)));
        texts(step.say, scene, facts, here, wrong);
        if (!step.ask) return;
        if (i + 1 == m_lesson.steps.size())
            wrong(tr("its answer is told in the next step, and there is none: add one"));
        texts(step.ask->text, scene, facts, here, wrong);
        for (const Choice& choice : step.ask->choices)
            texts(choice.text, scene, facts, here, wrong);
        if (facts.answer(*step.ask, here)) return;
        QStringList values;
        for (const Choice& choice : step.ask->choices)
            for (const Condition& condition : choice.when)
                values += told(condition, facts, here);
        wrong(tr("not exactly one answer is right: %1").arg(values.join(QStringLiteral("; "))));
    }

    template <typename Wrong>
    void texts(const Texts& texts, const Scene& scene, const Facts& facts, Nanos here, const Wrong& wrong) {
        for (const auto& [language, plain] : texts.byLanguage) {
            const QString text = facts.filled(plain, scene, here);
            if (text.contains(u'{') || text.contains(u'}')) wrong(tr("a name is not filled in: %1").arg(text));
            if (text.size() > kLongest)
                wrong(tr("this text is longer than %1 characters: %2").arg(QString::number(kLongest), text));
            if (sentencesIn(text) > kMostSentences)
                wrong(tr("this text has more than %1 sentences: %2").arg(QString::number(kMostSentences), text));
        }
    }

    const Lesson& m_lesson;
    std::map<QString, SceneRun> m_runs;
    std::vector<Untruth> m_wrong;
};

} // namespace

std::vector<Untruth> untruthsOf(const Lesson& lesson) {
    return Proof(lesson).play();
}

QString told(const Condition& condition, const Facts& facts, Nanos here) {
    return tr("%1 is %2").arg(QString::fromLatin1(factId(condition.fact.kind)), facts.text(condition.fact, here));
}

} // namespace lockscope::lesson
