// SPDX-License-Identifier: Apache-2.0
// The glossary: one entry for everything that has a name, in both languages, and each leads to a lesson that has it, if
// one does.
#include "lesson/glossary.h"
#include "lesson/lesson_file.h"
#include "recipes/recipe_info.h"

#include <QSet>
#include <QTest>

using namespace lockscope;
using namespace lockscope::lesson;

namespace {

const QString kEnglish = QStringLiteral("en"), kChinese = QStringLiteral("zh_CN");

bool hasChinese(const QString& text) {
    return std::ranges::any_of(text, [](QChar c) { return c.script() == QChar::Script_Han; });
}

} // namespace

class TestGlossary : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyInvariantAndRecipeHasAnEntry() {
        for (const verdict::Invariant invariant : verdict::kInvariants) {
            const Term* const term = findTerm(QString::fromLatin1(verdict::invariantId(invariant)));
            QVERIFY2(term, verdict::invariantId(invariant).constData());
            QCOMPARE(term->kind, Term::Kind::Invariant);
            QCOMPARE(term->sentence(kEnglish), verdict::invariantMeaning(invariant));
        }
        for (const recipes::RecipeInfo& recipe : recipes::allRecipes()) {
            const Term* const term = findTerm(QString::fromLatin1(recipe.id));
            QVERIFY2(term, recipe.id.constData());
            QCOMPARE(term->kind, Term::Kind::Recipe);
            QCOMPARE(term->sentence(kEnglish), recipe.summary);
        }
    }

    void termsOfATextAreFoundByTheirNames_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("ids");
        QTest::newRow("in order") << kEnglish << u"The lease ends, and the record names nobody."_qs
                                  << QStringList{u"lease"_qs, u"record"_qs};
        QTest::newRow("plural, capital") << kEnglish << u"Leases end. The LEASE ends."_qs << QStringList{u"lease"_qs};
        QTest::newRow("other plurals") << kEnglish << u"Two majorities: each waiter watches one node."_qs
                                       << QStringList{u"quorum"_qs, u"waiter"_qs, u"watch"_qs};
        QTest::newRow("not within a word")
            << kEnglish << u"It was released and recorded by redis-set-del."_qs << QStringList{u"redis-set-del"_qs};
        QTest::newRow("the longer name") << kEnglish << u"A fencing token is checked."_qs
                                         << QStringList{u"fencing-token"_qs};
        QTest::newRow("one of two names") << kEnglish << u"A quorum remembers."_qs << QStringList{u"quorum"_qs};
        QTest::newRow("Chinese") << kChinese << u"租约到期，记录没了。"_qs << QStringList{u"lease"_qs, u"record"_qs};
        QTest::newRow("a command") << kChinese << u"先发 SETNX（没人占才写入），再设租约。"_qs
                                   << QStringList{u"setnx"_qs, u"lease"_qs};
        QTest::newRow("common words") << kEnglish << u"A client asks a server."_qs << QStringList{};
    }
    void termsOfATextAreFoundByTheirNames() {
        QFETCH(QString, language);
        QFETCH(QString, text);
        QFETCH(QStringList, ids);
        QStringList found;
        for (const Term* term : termsIn(text, language))
            found << term->id;
        QCOMPARE(found, ids);
    }

    void everyEntryIsWhole() {
        QVERIFY(glossary().size() > 90);
        QSet<QString> ids;
        for (const Term& term : glossary()) {
            QVERIFY2(!term.id.isEmpty() && !ids.contains(term.id), qPrintable(term.id));
            ids += term.id;
            for (const QString& language : {kEnglish, kChinese}) {
                QVERIFY2(!term.name.in(language).isEmpty(), qPrintable(term.id));
                const QString sentence = term.sentence(language);
                QVERIFY2(sentence.size() > 4 && sentence.size() < 260, qPrintable(term.id + u": "_qs + sentence));
            }
            const bool own = term.kind == Term::Kind::Invariant || term.kind == Term::Kind::Recipe;
            QVERIFY2(term.text.isEmpty() == own, qPrintable(term.id));
            if (own) continue;
            QVERIFY2(term.text.in(kEnglish).endsWith(u'.') && !hasChinese(term.text.in(kEnglish)), qPrintable(term.id));
            QVERIFY2(term.text.in(kChinese).endsWith(u'。') && hasChinese(term.text.in(kChinese)), qPrintable(term.id));
            // A command of a server has one name in all languages.
            const bool command = term.name.in(kEnglish) == term.name.in(kEnglish).toUpper();
            if (!command && term.id != QLatin1String("sentinel"))
                QVERIFY2(hasChinese(term.name.in(kChinese)), qPrintable(term.id));
        }
    }

    void everyLessonLinkLeadsSomewhere() {
        const QStringList course = builtinLessons();
        int without = 0;
        for (const Term& term : glossary()) {
            without += term.lesson.isEmpty() ? 1 : 0;
            QVERIFY2(term.lesson.isEmpty() || course.contains(term.lesson),
                     qPrintable(term.id + u" → "_qs + term.lesson));
        }
        QVERIFY(without < 20); // most of what has a name is taught
        // No lesson speaks of permits, of readers and writers, or of what a table's own lock can do.
        for (const char* id : {"permit", "shared-mode", "sql-advisory", "optimistic-lock", "memcached-add"})
            QVERIFY2(findTerm(QLatin1String(id))->lesson.isEmpty(), id);
        QCOMPARE(findTerm(u"memcached-lease"_qs)->lesson, u"which-one"_qs);
    }

    void wordsAreFound() {
        const auto first = [](const char* typed, const QString& language) {
            const auto found = findTerms(QString::fromUtf8(typed), language);
            return found.empty() ? QString() : found.front()->id;
        };
        QCOMPARE(first("lease", kEnglish), QStringLiteral("lease"));
        QCOMPARE(first("租约", kChinese), QStringLiteral("lease"));
        QCOMPARE(first("看门", kChinese), QStringLiteral("watchdog"));
        QCOMPARE(first("watchdog", kChinese), QStringLiteral("watchdog")); // English words are found in Chinese, too
        QCOMPARE(first("redis-fair", kEnglish), QStringLiteral("redis-fair"));
        QCOMPARE(first("garbage", kEnglish), QStringLiteral("garbage-collection"));
        QCOMPARE(first("freeze", kEnglish), QStringLiteral("pause"));
        QCOMPARE(first("SETNX", kChinese), QStringLiteral("setnx"));
        QCOMPARE(first("红线", kChinese), QStringLiteral("playhead"));
        QCOMPARE(first("no such word at all", kEnglish), QString());
        QCOMPARE(findTerms(QString(), kEnglish).size(), glossary().size());
        QVERIFY(!findTerm(QStringLiteral("no-such-term")));
    }
};

QTEST_GUILESS_MAIN(TestGlossary)
#include "tst_glossary.moc"
