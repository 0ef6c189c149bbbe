// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockscope::recipes {

/// Call this after installing another translation: from then on, allRecipes() and its siblings return texts in that
/// language. References that they returned before stay valid, with the former texts. Thread-safe.
void translateRecipes();

} // namespace lockscope::recipes
