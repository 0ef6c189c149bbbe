// SPDX-License-Identifier: Apache-2.0
#include "scenario/program.h"

namespace lockscope::scenario {

Program defaultProgram() {
    using Do = ProgramStep::Do;
    Program program;
    for (const Do act : {Do::Think, Do::Take, Do::Work, Do::Release})
        program.steps.emplace_back().act = act;
    return program;
}

} // namespace lockscope::scenario
