// SPDX-License-Identifier: Apache-2.0
// Included first by every header: says in words what a compiler lacks, before the language does.
#pragma once
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "Lockscope needs C++20: compile with -std=c++20 or later (CMake: target_link_libraries(… Lockscope::Lockscope))."
#endif
