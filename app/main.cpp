// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli.h"
#include "window/language.h"
#include "window/run_window.h"

using namespace lockscope;

int main(int argc, char** argv) {
    QStringList words;
    for (int i = 1; i < argc; ++i)
        words += QString::fromLocal8Bit(argv[i]);
    // Decided before any application object: a command starts without a display, and without waiting for one.
    if (!cli::isForTerminal(words)) {
        cli::hushHarmlessRemarks();
        return app::runWindow(argc, argv);
    }
    return cli::run(argc, argv, [] { app::speak(app::resolvedLanguage(QString())); });
}
