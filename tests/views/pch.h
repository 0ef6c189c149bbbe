// SPDX-License-Identifier: GPL-3.0-or-later
// Headers that nearly every test of views includes, beside those of views; compiled once.
#pragma once
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <ranges>
