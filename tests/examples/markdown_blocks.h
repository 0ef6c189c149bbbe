// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QFile>
#include <QRegularExpression>
#include <QStringList>
#include <vector>

namespace lockscope::test {

/// A code block of a Markdown file.
struct CodeBlock {
    QString file;     ///< as it was asked for
    QString language; ///< "cpp", "console", "cmake"
    QString text;
};

/// The blocks between ``` lines, in order; none when the file cannot be read.
inline std::vector<CodeBlock> blocksOf(const QString& folder, const QString& file) {
    QFile source(folder + QLatin1Char('/') + file);
    if (!source.open(QIODevice::ReadOnly)) return {};
    std::vector<CodeBlock> blocks;
    static const QRegularExpression block(QStringLiteral("^```(\\w+)\\n(.*?)^```$"),
                                          QRegularExpression::MultilineOption |
                                              QRegularExpression::DotMatchesEverythingOption);
    auto all = block.globalMatch(QString::fromUtf8(source.readAll()));
    while (all.hasNext()) {
        const auto found = all.next();
        blocks.push_back({file, found.captured(1), found.captured(2)});
    }
    return blocks;
}

/// The schemes of the URLs in a text, each once, in order: what servers it says that it works on.
inline QStringList schemesIn(const QString& text) {
    static const QRegularExpression url(QStringLiteral("([a-z][a-z+]*)://"));
    QStringList schemes;
    for (auto all = url.globalMatch(text); all.hasNext();)
        schemes += all.next().captured(1);
    schemes.removeDuplicates();
    return schemes;
}

/// A program that runs the block of that number for the URL that it is given: `blocks NUMBER URL`. In each block the
/// first URL in quotes becomes that one. Functions that the blocks take for granted, such as report(), are there.
inline QByteArray programOf(const std::vector<CodeBlock>& blocks) {
    static const QRegularExpression quoted(QStringLiteral("\"[a-z][a-z+]*://[^\"]*\""));
    QString text =
        QStringLiteral("#include <cstdlib>\n#include <iostream>\n#include <lockscope/blocking.h>\n"
                       "#include <mutex>\n"
                       "void report(std::int64_t token) { std::cout << \"token \" << token << std::endl; }\n");
    QString calls;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        QString body = blocks[i].text;
        const auto url = quoted.match(body);
        if (url.hasMatch()) body.replace(url.capturedStart(), url.capturedLength(), QStringLiteral("url"));
        text += QStringLiteral("void block%1(const char* url) {\n%2}\n").arg(i).arg(body);
        calls += QStringLiteral("    if (which == %1) block%1(words[2]);\n").arg(i);
    }
    text += QStringLiteral("int main(int, char** words) try {\n    const int which = std::atoi(words[1]);\n%1"
                           "} catch (const lockscope::LockException& problem) {\n"
                           "    std::cerr << problem.what() << std::endl;\n    return 1;\n}\n")
                .arg(calls);
    return text.toUtf8();
}

/// A command of a console block, and what it prints.
struct ConsoleCommand {
    QString line, output;
};
inline std::vector<ConsoleCommand> commandsOf(const CodeBlock& block) {
    std::vector<ConsoleCommand> commands;
    for (const QString& line : block.text.split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        if (line.startsWith(QLatin1String("$ ")))
            commands.push_back({line.mid(2).section(QStringLiteral("  #"), 0, 0).trimmed(), {}});
        else if (!commands.empty())
            commands.back().output += line + QLatin1Char('\n');
    }
    return commands;
}

} // namespace lockscope::test
