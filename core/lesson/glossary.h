// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lesson/lesson.h"

namespace lockscope::lesson {

/// A word of the program, with one sentence on what it means and the lesson that shows it.
struct Term {
    enum class Kind : std::uint8_t {
        Word,
        Role,      ///< of a server or a client
        Invariant, ///< the id is the invariant's; the sentence is the judge's own
        Recipe,    ///< the id is the recipe's; the sentence is the recipe's own
        Mark,      ///< of the timeline
    };
    QString id;
    Kind kind = Kind::Word;
    Texts name;
    Texts text;     ///< empty: of an invariant or a recipe
    QString lesson; ///< the id of the lesson to open
    QString also;   ///< other words by which people look for it, in all languages

    /// The sentence, in that language; an invariant's and a recipe's is in the program's language.
    QString sentence(const QString& language) const;
};

/// All terms of resources/glossary/glossary.json, in its order. Any thread.
const std::vector<Term>& glossary();
/// nullptr: there is no term of that id.
const Term* findTerm(const QString& id);
/// The terms that answer what was typed, best first: by name, by id, by the other words, by the sentence. All of them
/// for an empty text.
std::vector<const Term*> findTerms(const QString& typed, const QString& language);
/// The terms that a text in that language uses by their names, in order of appearance; marks of the timeline are none.
/// GUI thread, or the only thread of a program.
std::vector<const Term*> termsIn(const QString& text, const QString& language);

} // namespace lockscope::lesson
