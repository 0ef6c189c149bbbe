// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/like_names.h"

#include <QTest>

using namespace lockscope::inspect;

/// Keys of like names are guessed to be alike.
class TestLikeNames : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void likeNames_data() {
        QTest::addColumn<QByteArray>("one");
        QTest::addColumn<QByteArray>("other");
        QTest::addColumn<bool>("alike");
        const auto row = [](const char* one, const char* other, bool alike) {
            QTest::addRow("%s ~ %s", one, other) << QByteArray(one) << QByteArray(other) << alike;
        };
        row("user:17", "user:4711", true);
        row("user:17:name", "user:4711:name", true);
        row("user:17:name", "user:17:address", false);
        row("user:17", "cart:17", false);
        row("user:17", "user:ada", false);
        row("user17", "user18", true);
        row("user:{17}", "user:{18}", true);
        row("user:17", "user.17", false);
        row("3b241101-e2bb-4255-8caf-4136c566a962", "1b9e5a64-09c7-4d9e-9a51-7a1d5f0c2e88", true);
        row("s:QwErTyUiOpAsDfGhJkLzXc", "s:MnBvCxZlKjHgFdSaPoIuYt", true); // too long for a word
        row("s:morning", "s:evening", false);
        row("", "", true);
        row("", "1", false);
    }
    void likeNames() {
        QFETCH(const QByteArray, one);
        QFETCH(const QByteArray, other);
        QFETCH(const bool, alike);
        QCOMPARE(hashOfLikeNames(one) == hashOfLikeNames(other), alike);
    }

    void itTakesEnoughOfThemToGuess() {
        using enum LikeNames::Trait;
        LikeNames names;
        for (int i = 1; i < LikeNames::kEnough; ++i)
            names.learn(String, "user:" + QByteArray::number(i), true);
        QVERIFY(!names.likely(String, "user:99"));
        names.learn(String, "user:100", true);
        QVERIFY(names.likely(String, "user:99"));
        QVERIFY(!names.likely(Readable, "user:99"));
        QVERIFY(!names.likely(String, "cart:99"));
        names.clear();
        QVERIFY(!names.likely(String, "user:99"));
    }

    void oneThatIsOtherwiseEndsTheGuess() {
        using enum LikeNames::Trait;
        LikeNames names;
        for (int wrong = 0; wrong < LikeNames::kMostWrong; ++wrong) {
            for (int i = 0; i < LikeNames::kEnough; ++i)
                names.learn(String, "user:1", true);
            QVERIFY(names.likely(String, "user:99"));
            names.learn(String, "user:2", false);
            QVERIFY(!names.likely(String, "user:99"));
        }
        for (int i = 0; i < 2 * LikeNames::kEnough; ++i)
            names.learn(String, "user:1", true);
        QVERIFY(!names.likely(String, "user:99")); // it has misled too often
    }

    void namesAreBounded() {
        using enum LikeNames::Trait;
        LikeNames names;
        const auto word = [](int i) {
            QByteArray text;
            for (; i > 0; i /= 26)
                text += char('a' + i % 26);
            return text;
        };
        for (int i = 1; i <= LikeNames::kMostNames; ++i)
            names.learn(String, word(i), true);
        const QByteArray late = "late:1";
        for (int i = 0; i < LikeNames::kEnough; ++i)
            names.learn(String, late, true);
        QVERIFY(!names.likely(String, late));
        for (int i = 0; i < LikeNames::kEnough; ++i)
            names.learn(String, word(1), true);
        QVERIFY(names.likely(String, word(1)));
    }
};

QTEST_GUILESS_MAIN(TestLikeNames)
#include "tst_like_names.moc"
