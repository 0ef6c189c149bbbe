// SPDX-License-Identifier: Apache-2.0
#include "lesson/glossary.h"

#include "recipes/recipe_info.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <map>

namespace lockscope::lesson {

namespace {

Texts textsOf(const QJsonValue& value) {
    Texts texts;
    const QJsonObject object = value.toObject();
    for (auto it = object.begin(); it != object.end(); ++it)
        texts.byLanguage[it.key()] = it->toString();
    return texts;
}

Term::Kind kindOf(const QString& word) {
    if (word == QLatin1String("role")) return Term::Kind::Role;
    if (word == QLatin1String("invariant")) return Term::Kind::Invariant;
    if (word == QLatin1String("recipe")) return Term::Kind::Recipe;
    if (word == QLatin1String("mark")) return Term::Kind::Mark;
    return Term::Kind::Word;
}

std::vector<Term> read() {
    QFile file(QStringLiteral(":/glossary/glossary.json"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("the glossary is missing from the program");
    std::vector<Term> terms;
    for (const QJsonValue& one : QJsonDocument::fromJson(file.readAll())[u"terms"].toArray())
        terms.push_back({one[u"id"].toString(), kindOf(one[u"kind"].toString()), textsOf(one[u"name"]),
                         textsOf(one[u"text"]), one[u"lesson"].toString(), one[u"also"].toString()});
    return terms;
}

/// How well a term answers what was typed; smaller is better, nullopt: not at all.
std::optional<int> rankOf(const Term& term, const QString& typed, const QString& language) {
    const auto among = [&](const QString& text) { return text.contains(typed, Qt::CaseInsensitive); };
    const QString name = term.name.in(language);
    if (name.compare(typed, Qt::CaseInsensitive) == 0 || term.id == typed) return 0;
    if (name.startsWith(typed, Qt::CaseInsensitive)) return 1;
    if (among(name) || among(term.id)) return 2;
    for (const auto& [other, text] : term.name.byLanguage)
        if (among(text)) return 3;
    if (among(term.also)) return 4;
    if (among(term.sentence(language))) return 5;
    return std::nullopt;
}

} // namespace

QString Term::sentence(const QString& language) const {
    if (!text.isEmpty()) return text.in(language);
    if (kind == Kind::Recipe) {
        const recipes::RecipeInfo* const info = recipes::findRecipe(id.toUtf8());
        return info ? info->summary : QString();
    }
    for (const verdict::Invariant invariant : verdict::kInvariants)
        if (verdict::invariantId(invariant) == id.toUtf8()) return verdict::invariantMeaning(invariant);
    return {};
}

const std::vector<Term>& glossary() {
    static const std::vector<Term> kTerms = read();
    return kTerms;
}

const Term* findTerm(const QString& id) {
    const auto found = std::ranges::find(glossary(), id, &Term::id);
    return found == glossary().end() ? nullptr : &*found;
}

std::vector<const Term*> findTerms(const QString& typed, const QString& language) {
    const QString wanted = typed.simplified();
    std::vector<std::pair<int, const Term*>> found;
    for (const Term& term : glossary())
        if (const auto rank = wanted.isEmpty() ? std::optional(0) : rankOf(term, wanted, language))
            found.emplace_back(*rank, &term);
    std::ranges::stable_sort(found, {}, &std::pair<int, const Term*>::first);
    std::vector<const Term*> terms;
    for (const auto& [rank, term] : found)
        terms.push_back(term);
    return terms;
}

namespace {

/// A name of a term as it stands in a text.
struct NameInTexts {
    const Term* term;
    QRegularExpression pattern;
};

/// All names of a language: compiling them takes longer than a window that is being resized has.
const std::vector<NameInTexts>& namesIn(const QString& language) {
    // Every page speaks of these, and nobody looks them up.
    static const QStringList common{QStringLiteral("client"), QStringLiteral("server")};
    static const QRegularExpression between(QStringLiteral(", |、|，"));
    static std::map<QString, std::vector<NameInTexts>> all;
    const auto [place, isNew] = all.try_emplace(language);
    if (!isNew) return place->second;
    for (const Term& term : glossary()) {
        if (term.kind == Term::Kind::Mark || common.contains(term.id)) continue;
        for (const QString& name : term.name.in(language).split(between, Qt::SkipEmptyParts)) {
            // Words end at letters and digits only in a script that has spaces; the hyphens of "redis-set" are its own.
            const bool spaced = std::ranges::all_of(name, [](QChar c) { return c.unicode() < 0x80; });
            // "leases", "watches", "majorities"
            const QString pattern = name.endsWith(QLatin1Char('y'))
                                        ? QRegularExpression::escape(name.chopped(1)) + QStringLiteral("(?:y|ies)")
                                        : QRegularExpression::escape(name) + QStringLiteral("(?:s|es)?");
            place->second.push_back(
                {&term, QRegularExpression(spaced ? QStringLiteral("(?<![A-Za-z0-9-])%1(?![A-Za-z0-9-])").arg(pattern)
                                                  : QRegularExpression::escape(name),
                                           QRegularExpression::CaseInsensitiveOption)});
        }
    }
    return place->second;
}

} // namespace

std::vector<const Term*> termsIn(const QString& text, const QString& language) {
    struct Place {
        qsizetype from, length;
        const Term* term;
    };
    std::vector<Place> places;
    for (const NameInTexts& name : namesIn(language))
        if (const auto match = name.pattern.match(text); match.hasMatch())
            places.push_back({match.capturedStart(), match.capturedLength(), name.term});
    // A longer name is meant where a shorter one is a part of it.
    std::ranges::stable_sort(places, {}, [](const Place& place) { return std::pair(place.from, -place.length); });
    std::vector<const Term*> terms;
    qsizetype end = 0;
    for (const Place& place : places) {
        if (place.from < end || std::ranges::find(terms, place.term) != terms.end()) continue;
        terms.push_back(place.term);
        end = place.from + place.length;
    }
    return terms;
}

} // namespace lockscope::lesson
