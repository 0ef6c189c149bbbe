// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockscope::recipes {

/// To be called when another translation has been installed: from here on the words of allRecipes() are in it. What was
/// asked for before stays as it is, and stays valid. From any thread.
void translateRecipes();

} // namespace lockscope::recipes
