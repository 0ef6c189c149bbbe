// SPDX-License-Identifier: GPL-3.0-or-later
// Headers that nearly every test of views includes; compiled once.
#pragma once
#include "../../views/pch.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <ranges>
