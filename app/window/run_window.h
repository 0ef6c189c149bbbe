// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lockscope::app {

/// Opens the window and runs until it is closed. `arguments` as main() got them: [FILE | URL | SCENARIO] [options]; see
/// `lockscope --help`. Returns the exit status: 0, or 2 for arguments that make no sense.
///
/// For pictures and measurements: --screenshot OUT.png [--theme light|dark] [--language en|zh_CN] [--scenario ID]
/// [--at 6.8s] [--seed N] [--layout teach|monitor|break] [--panel NAME]
/// [--size 1600x1000] [--welcome]; --exit-after-first-paint.
int runWindow(int& argc, char** argv);

} // namespace lockscope::app
