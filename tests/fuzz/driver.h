// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "mutator.h"

#include <QString>
#include <optional>

namespace lockscope::fuzz {

/// The outcome of one input.
struct Outcome {
    /// The program's defect; nothing when all properties hold.
    std::optional<QString> complaint;
    /// Names the kind of outcome ("refused: a bad length"). An input that gives one not seen before is kept, and
    /// changed further.
    QByteArray kind;

    static Outcome fine(QByteArray kind) { return {std::nullopt, std::move(kind)}; }
    static Outcome wrong(QString complaint) { return {std::move(complaint), "wrong"}; }
};

/// The constant part of a message: without quoted text and without digits.
QByteArray sayingOf(const QString& message);

/// A part of the program that reads what others wrote, and what must be true of it whatever the input.
class Target {
public:
    virtual ~Target() = default;
    /// As its program is called: "fuzz_urls".
    virtual const char* name() const = 0;
    /// Inputs to begin with; at least one. They are tried as they are, too.
    virtual std::vector<QByteArray> seeds() = 0;
    /// Inputs that are tried as they are, and not changed further: the edges that chance would rarely find.
    virtual std::vector<QByteArray> edges() { return {}; }
    /// A changed input. `others`: inputs to splice with. Must depend on its arguments alone.
    virtual QByteArray mutate(const QByteArray& input, std::span<const QByteArray> others, Chance& chance) = 0;
    /// Tries one input. Must depend on it alone.
    virtual Outcome check(const QByteArray& input) = 0;
    /// After a run of at least `cases` inputs: what shows that the run proved nothing ("no recording could be opened").
    virtual std::optional<QString> idle() const { return std::nullopt; }
};

/// The main function of a target's program:
///   --cases N     so many changed inputs (default 1000)
///   --seconds S   instead: for so long
///   --seed N      of the random numbers (default 1); "random" draws one. It is printed.
///   --input FILE  tries this input only
///   --keep FOLDER where an input that fails is stored (default: fuzz/ in the build folder)
/// Inputs that failed once lie in tests/fuzz/found/<name>/ and are tried first. Returns 0 when all properties held, 1
/// when not, 2 for wrong words. An input that crashes the program, or does not end within a minute, is stored as well.
int run(int argc, char** argv, Target& target);

} // namespace lockscope::fuzz
