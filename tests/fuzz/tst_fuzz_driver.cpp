// SPDX-License-Identifier: Apache-2.0
#include "driver.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace lockscope::fuzz;

namespace {

/// Claims that no input holds `forbidden`, and keeps a list of what it was asked.
class Planted final : public Target {
public:
    explicit Planted(QByteArray forbidden) : m_forbidden(std::move(forbidden)) {}
    const char* name() const override { return "planted"; }
    std::vector<QByteArray> seeds() override { return {"a seed of some length", "another one 17"}; }
    QByteArray mutate(const QByteArray& input, std::span<const QByteArray> others, Chance& chance) override {
        return m_mutator.mutate(input, others, chance);
    }
    Outcome check(const QByteArray& input) override {
        asked.push_back(input);
        if (!m_forbidden.isEmpty() && input.contains(m_forbidden))
            return Outcome::wrong(QStringLiteral("it is in there"));
        return Outcome::fine(QByteArray::number(input.size() / 8));
    }
    std::optional<QString> idle() const override {
        return asked.size() > 20 ? std::nullopt : std::optional(QStringLiteral("too few"));
    }

    std::vector<QByteArray> asked;

private:
    QByteArray m_forbidden;
    Mutator m_mutator{{"needle", "hay"}};
};

int runWith(Target& target, QByteArrayList words) {
    words.prepend("planted");
    std::vector<char*> argv;
    for (QByteArray& word : words)
        argv.push_back(word.data());
    return run(int(argv.size()), argv.data(), target);
}

} // namespace

/// A fuzzer that finds nothing says nothing: this one finds what was planted for it, and finds it again.
class TestFuzzDriver : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void equalSeedsGiveEqualInputs() {
        Planted one({}), two({}), other({});
        QCOMPARE(runWith(one, {"--seed", "5", "--cases", "300", "--keep", m_dir.path().toUtf8()}), 0);
        QCOMPARE(runWith(two, {"--seed", "5", "--cases", "300", "--keep", m_dir.path().toUtf8()}), 0);
        QCOMPARE(runWith(other, {"--seed", "6", "--cases", "300", "--keep", m_dir.path().toUtf8()}), 0);
        QCOMPARE(one.asked.size(), std::size_t(302));
        QVERIFY(one.asked == two.asked);
        QVERIFY(one.asked != other.asked);
    }

    void whatFailsIsFoundStoredAndFailsAgain() {
        Planted target("needle");
        QCOMPARE(runWith(target, {"--cases", "5000", "--keep", m_dir.path().toUtf8()}), 1);
        const QStringList kept = QDir(m_dir.path()).entryList({QStringLiteral("planted-failed-1-*")});
        QCOMPARE(kept.size(), 1);
        const QString path = m_dir.filePath(kept.front());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("needle")); // all else was left out
        Planted again("needle");
        QCOMPARE(runWith(again, {"--input", path.toUtf8()}), 1);
        QCOMPARE(again.asked.size(), std::size_t(1));
        Planted mended({});
        QCOMPARE(runWith(mended, {"--input", path.toUtf8()}), 0);
    }

    void aRunThatProvesNothingFails() {
        Planted target({});
        QCOMPARE(runWith(target, {"--cases", "3", "--keep", m_dir.path().toUtf8()}), 1);
    }

    void wrongWordsAreRefused() {
        Planted target({});
        QCOMPARE(runWith(target, {"--cases"}), 2);
        QCOMPARE(runWith(target, {"--cases", "many"}), 2);
        QCOMPARE(runWith(target, {"--bogus", "1"}), 2);
        QCOMPARE(runWith(target, {"--input", m_dir.filePath(QStringLiteral("gone")).toUtf8()}), 2);
        QVERIFY(target.asked.empty());
    }

private:
    QTemporaryDir m_dir;
};

QTEST_GUILESS_MAIN(TestFuzzDriver)
#include "tst_fuzz_driver.moc"
