// SPDX-License-Identifier: Apache-2.0
#include "session/shared_run.h"

#include "scenario/actions.h"
#include "scenario/fault_check.h"
#include "scenario/scenario_file.h"
#include "scenario/settings.h"
#include "session/open_scenario.h"
#include "session/session.h"
#include "sim/fitting_recipes.h"

#include <QJsonDocument>
#include <QUrl>

namespace lockscope::session {

namespace {

using scenario::Fault;
using scenario::Scenario;

const QString kScheme = QStringLiteral("lockscope:");
constexpr qsizetype kMostLetters = 65'536; ///< of a text: a packed scenario cannot unpack to much more than 60 MB

QString tr(const char* text) {
    return QCoreApplication::translate("SharedRun", text);
}

QString escaped(const QString& text) {
    return QString::fromLatin1(QUrl::toPercentEncoding(text));
}

/// A scenario as a session runs it, without the seed that a file may name: the text has a seed of its own.
Scenario onItsServers(Scenario scenario) {
    scenario.seed.reset();
    return sim::onFittingServers(std::move(scenario));
}

/// The built-in scenario of that id with that recipe; nullopt: there is none that runs.
std::optional<Scenario> builtin(const QString& id, const QString& recipe) {
    if (!scenario::builtinScenarios().contains(id)) return std::nullopt;
    auto opened = openScenario(id, recipe);
    return opened ? std::optional(onItsServers(*std::move(opened))) : std::nullopt;
}

QString packed(const Scenario& scenario) {
    const QByteArray json = QJsonDocument::fromJson(scenario::toJson(scenario)).toJson(QJsonDocument::Compact);
    return QString::fromLatin1(
        qCompress(json, 9).toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals));
}

/// The details of a condition, by the names of scenario files.
QStringList wordsOf(const scenario::Trigger& when) {
    using On = scenario::Trigger::On;
    QStringList words;
    switch (when.on) {
    case On::Step:
        words += u"step="_qs + QString::number(when.step);
        break;
    case On::LeaseLeft:
        words += u"lease_left="_qs + scenario::formatDuration(when.left);
        break;
    case On::Leader:
        words += u"leader="_qs + (when.server.isEmpty() ? u"any"_qs : escaped(when.server));
        break;
    default:
        words += u"when="_qs + QString::fromLatin1(scenario::triggerId(when.on));
        break;
    }
    if (!when.client.isEmpty()) words += u"client="_qs + escaped(when.client);
    if (!when.lock.isEmpty()) words += u"of="_qs + escaped(when.lock);
    if (when.nth != 1) words += u"nth="_qs + QString::number(when.nth);
    if (when.after != Nanos::zero()) words += u"after="_qs + scenario::formatDuration(when.after);
    return words;
}

QString wordsOf(const Fault& fault) {
    Q_ASSERT(fault.at);
    QStringList words{scenario::formatDuration(*fault.at), QString::fromLatin1(scenario::actionId(fault.action))};
    if (!fault.target.isEmpty()) words += escaped(fault.target);
    if (fault.value != Nanos::zero()) words += u"value="_qs + scenario::formatDuration(fault.value);
    if (fault.duration) words += u"for="_qs + scenario::formatDuration(*fault.duration);
    if (fault.every) words += u"every="_qs + scenario::formatDuration(*fault.every);
    if (fault.times > 0) words += u"times="_qs + QString::number(fault.times);
    if (fault.when) words += wordsOf(*fault.when);
    if (fault.action == scenario::Action::EvictKey && !fault.text.isEmpty()) words += u"lock="_qs + escaped(fault.text);
    if (!fault.setting.isEmpty()) words += escaped(fault.setting) + u'=' + escaped(fault.text);
    return words.join(u',');
}

/// Reads one text, and knows where in it a mistake stands.
class Reader {
public:
    explicit Reader(const QString& text) : m_text(text) {}

    std::expected<SharedRun, QString> read() {
        const qsizetype question = m_text.indexOf(u'?');
        const qsizetype end = question < 0 ? m_text.size() : question;
        m_id = Part{kScheme.size(), m_text.mid(kScheme.size(), end - kScheme.size())};
        for (qsizetype at = end + 1; at < m_text.size() && m_wrong.isEmpty();) {
            const qsizetype next = m_text.indexOf(u'&', at);
            const qsizetype stop = next < 0 ? m_text.size() : next;
            field({at, m_text.mid(at, stop - at)});
            at = stop + 1;
        }
        if (m_wrong.isEmpty() && !m_seed) complain(m_id, tr("the seed is missing, such as “?seed=42”"));
        if (m_wrong.isEmpty()) readScenario();
        if (m_wrong.isEmpty()) readChanges();
        if (!m_wrong.isEmpty()) return std::unexpected(m_wrong);
        return std::move(m_run);
    }

private:
    /// A part of the text and where it begins.
    struct Part {
        qsizetype at = 0;
        QString text;
    };

    void complain(const Part& part, const QString& message) {
        constexpr qsizetype kMostShown = 40;
        QString shown = part.text.left(kMostShown);
        if (shown.size() < part.text.size()) shown += QChar(0x2026);
        //: About the text of a shared run: %1 the place of the mistake, %2 the part that is wrong, %3 a sentence.
        if (m_wrong.isEmpty())
            m_wrong = tr("The shared run cannot be read: at character %1, “%2”: %3")
                          .arg(QString::number(part.at + 1), shown, message);
    }

    static QString plain(const QString& text) { return QUrl::fromPercentEncoding(text.toUtf8()); }

    std::optional<Nanos> time(const Part& part) {
        const auto read = scenario::parseDuration(part.text);
        if (!read || *read < Nanos::zero()) {
            complain(part, tr("this is no time; write it with its unit, such as 3.1s"));
            return std::nullopt;
        }
        return read;
    }

    void field(const Part& part) {
        const qsizetype equals = part.text.indexOf(u'=');
        const QString name = part.text.left(equals);
        const Part value{part.at + equals + 1, part.text.mid(equals + 1)};
        if (equals < 0) return complain(part, tr("a name and “=” belong before this"));
        if (name == u"recipe") {
            m_recipe = {value.at, plain(value.text)};
        } else if (name == u"seed") {
            bool number = false;
            const qulonglong seed = value.text.toULongLong(&number);
            if (!number) return complain(value, tr("the seed is a whole number"));
            m_seed = seed;
        } else if (name == u"at") {
            m_run.playhead = time(value);
        } else if (name == u"v") {
            m_run.version = plain(value.text);
        } else if (name == u"do") {
            m_changes.push_back(value);
        } else if (name == u"as") {
            m_packed = value;
        } else {
            const QStringList known{u"recipe"_qs, u"seed"_qs, u"do"_qs, u"at"_qs, u"v"_qs, u"as"_qs};
            complain(part, tr("there is no field “%1”%2").arg(name, suggestion(name, known)));
        }
    }

    void readScenario() {
        m_run.seed = *m_seed;
        if (m_packed) return unpack();
        const QString id = plain(m_id.text);
        const QStringList known = scenario::builtinScenarios();
        if (!known.contains(id)) {
            // A scenario of somebody's own stands packed at the end, which goes first when a text is cut off.
            const QString near = nearestWord(id, known);
            return complain(
                m_id, near.isEmpty()
                          ? tr("there is no built-in scenario “%1”, and none stands packed behind “as=”; was all of "
                               "the text copied?")
                                .arg(id)
                          : tr("there is no built-in scenario “%1”%2").arg(id, suggestion(id, known)));
        }
        auto opened = openScenario(id, m_recipe.text);
        if (!opened) return complain(m_recipe.text.isEmpty() ? m_id : m_recipe, opened.error().front().message);
        m_run.scenario = onItsServers(*std::move(opened));
    }

    void unpack() {
        const auto bytes = QByteArray::fromBase64Encoding(
            m_packed->text.toLatin1(), QByteArray::Base64UrlEncoding | QByteArray::AbortOnBase64DecodingErrors);
        const QByteArray json = bytes ? qUncompress(*bytes) : QByteArray();
        if (json.isEmpty()) return complain(*m_packed, tr("the packed scenario is damaged; was all of it copied?"));
        auto read = scenario::parseScenario(json, QString());
        if (!read) return complain(*m_packed, read.error().front().message);
        if (!m_recipe.text.isEmpty()) read->recipe = m_recipe.text;
        if (const auto problems = recipeProblems(*read, QString()); !problems.empty())
            return complain(*m_packed, problems.front().message);
        m_run.scenario = onItsServers(*std::move(read));
    }

    void readChanges() {
        for (const Part& part : m_changes) {
            const auto fault = change(part);
            if (!fault) return;
            if (const QString why = scenario::refusalOf(*fault, m_run.whole()); !why.isEmpty())
                return complain(part, why);
            if (fault->setting == u"recipe")
                if (const QString why = sim::whyNotNow(m_run.whole(), fault->text); !why.isEmpty())
                    return complain(part, why);
            m_run.byHand.push_back(*fault);
        }
    }

    void number(const Part& part, int& into) {
        bool fine = false;
        const int read = plain(part.text).toInt(&fine);
        if (!fine || read < 1) return complain(part, tr("this is a number from 1 on"));
        into = read;
    }

    /// "3.1s,pause-client,A,for=8s"; nullopt after a complaint.
    std::optional<Fault> change(const Part& whole) {
        std::vector<Part> words;
        for (qsizetype at = 0; at <= whole.text.size();) {
            const qsizetype comma = whole.text.indexOf(u',', at);
            const qsizetype stop = comma < 0 ? whole.text.size() : comma;
            words.push_back({whole.at + at, whole.text.mid(at, stop - at)});
            at = stop + 1;
        }
        Fault fault;
        fault.byHand = true;
        fault.at = time(words.front());
        if (!fault.at) return std::nullopt;
        const auto action = words.size() > 1 ? scenario::actionFromId(words[1].text.toUtf8()) : std::nullopt;
        if (!action) {
            complain(words[std::min<std::size_t>(1, words.size() - 1)],
                     tr("no action stands here, such as pause-client"));
            return std::nullopt;
        }
        fault.action = *action;
        Condition condition;
        for (std::size_t i = 2; i < words.size() && m_wrong.isEmpty(); ++i)
            if (!take(words[i], condition)) detail(words[i], fault);
        if (condition.met) fault.when = condition.when;
        if (condition.detail && !condition.met)
            complain(*condition.detail, tr("this belongs to a condition, such as when=granted, and none stands here"));
        return m_wrong.isEmpty() ? std::optional(fault) : std::nullopt;
    }

    /// A condition as far as it was read.
    struct Condition {
        scenario::Trigger when;
        bool met = false;           ///< it is known what has to happen
        std::optional<Part> detail; ///< the last one of which, when and how long after
    };
    /// Reads a detail of a condition. False: it is none.
    bool take(const Part& part, Condition& condition) {
        scenario::Trigger& when = condition.when;
        using On = scenario::Trigger::On;
        const qsizetype equals = part.text.indexOf(u'=');
        if (equals < 0) return false; // a target, also of that name
        const QString name = part.text.left(equals);
        const Part value{part.at + equals + 1, part.text.mid(equals + 1)};
        const QString text = plain(value.text);
        const auto duration = [&](Nanos& into) { into = time(value).value_or(into); };
        if (name == u"when") {
            const auto same = [&](On on) { return text.toUtf8() == scenario::triggerId(on); };
            constexpr std::array kKnown{On::Granted, On::Requested, On::Released, On::Recorded};
            const auto* const found = std::ranges::find_if(kKnown, same);
            if (found == kKnown.end())
                complain(value, tr("a condition is granted, requested, released or recorded"));
            else
                when.on = *found;
        } else if (name == u"step") {
            when.on = On::Step;
            number(value, when.step);
        } else if (name == u"lease_left") {
            when.on = On::LeaseLeft;
            duration(when.left);
        } else if (name == u"leader") {
            when.on = On::Leader;
            when.server = text == u"any" ? QString() : text;
        } else if (name == u"client" || name == u"of" || name == u"nth" || name == u"after") {
            if (name == u"client") when.client = text;
            if (name == u"of") when.lock = text; // “lock” is the one whose keys are evicted
            if (name == u"nth") number(value, when.nth);
            if (name == u"after") duration(when.after);
            condition.detail = part;
            return true;
        } else {
            return false;
        }
        if (std::exchange(condition.met, true)) complain(part, tr("a fault has one condition at most"));
        return true;
    }

    /// A target, or a detail with a name.
    void detail(const Part& part, Fault& fault) {
        const qsizetype equals = part.text.indexOf(u'=');
        const QString name = part.text.left(equals);
        const Part value{part.at + equals + 1, part.text.mid(equals + 1)};
        if (equals < 0) {
            fault.target = plain(part.text);
        } else if (name == u"for") {
            fault.duration = time(value);
        } else if (name == u"every") {
            fault.every = time(value);
        } else if (name == u"times") {
            number(value, fault.times);
        } else if (name == u"value") {
            // A clock can be set back.
            const auto read = scenario::parseDuration(value.text);
            if (!read) return complain(value, tr("this is no time; write it with its unit, such as 3.1s"));
            fault.value = *read;
        } else if (name == u"lock" && fault.action == scenario::Action::EvictKey) {
            fault.text = plain(value.text);
        } else if (fault.action == scenario::Action::Set && scenario::findSetting(name)) {
            fault.setting = name;
            fault.text = plain(value.text);
        } else {
            complain(
                part,
                tr("this detail is not known; there are for=8s, every=3s, value=-10s and settings such as lease=5s"));
        }
    }

    const QString m_text;
    SharedRun m_run;
    Part m_id, m_recipe;
    std::optional<Part> m_packed;
    std::optional<std::uint64_t> m_seed;
    std::vector<Part> m_changes;
    QString m_wrong;
};

} // namespace

Scenario SharedRun::whole() const {
    Scenario all = scenario;
    all.faults.insert(all.faults.end(), byHand.begin(), byHand.end());
    all.seed = seed;
    return all;
}

SharedRun sharedRunOf(const Session& session) {
    Q_ASSERT(session.abilities().rewind);
    SharedRun run;
    run.scenario = session.scenario();
    run.byHand = session.doneByHand();
    Q_ASSERT(run.scenario.faults.size() >= run.byHand.size());
    run.scenario.faults.resize(run.scenario.faults.size() - run.byHand.size());
    run.scenario.seed.reset();
    run.seed = session.seed();
    return run;
}

QString sharedText(const SharedRun& run) {
    Scenario plain = run.scenario;
    plain.seed.reset();
    const bool known = builtin(plain.id, plain.recipe) == plain;
    QStringList fields;
    if (known) fields += u"recipe="_qs + escaped(plain.recipe);
    fields += u"seed="_qs + QString::number(run.seed);
    for (const Fault& fault : run.byHand)
        fields += u"do="_qs + wordsOf(fault);
    if (run.playhead) fields += u"at="_qs + scenario::formatDuration(*run.playhead);
    if (!run.version.isEmpty()) fields += u"v="_qs + escaped(run.version);
    if (!known) fields += u"as="_qs + packed(plain);
    return kScheme + escaped(plain.id) + u'?' + fields.join(u'&');
}

bool looksShared(const QString& text) {
    return text.trimmed().startsWith(kScheme, Qt::CaseInsensitive) &&
           !text.trimmed().startsWith(kScheme + u"//"_qs, Qt::CaseInsensitive);
}

std::expected<SharedRun, QString> readSharedText(const QString& text) {
    Q_ASSERT(looksShared(text));
    // A mail breaks a long text into lines; no space of its own stands in it.
    QString line = text;
    line.removeIf([](QChar letter) { return letter.isSpace(); });
    if (line.size() > kMostLetters)
        return std::unexpected(tr("The shared run is too long: %1 characters, and at most %2 can be read.")
                                   .arg(line.size())
                                   .arg(kMostLetters));
    return Reader(line).read();
}

} // namespace lockscope::session
