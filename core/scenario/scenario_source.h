// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace lockscope::scenario {

/// The reports or articles that tell of what a scenario shows, as its file names them, with their addresses: one of the
/// built-in scenarios, or a person's own of that name. Empty: it names none, or there is no such file.
QString scenarioSource(const QString& id);
/// Such a text without the addresses: "Redisson issue 775".
QString sourceNames(const QString& source);

} // namespace lockscope::scenario
