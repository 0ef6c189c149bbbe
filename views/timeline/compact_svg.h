// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>

namespace lockscope::views {

/// A drawing by QSvgGenerator with the same picture in a third of the bytes. The generator repeats pen, brush, font and
/// place for each mark: here neighbours with equal ones are one group, defaults are left out, and so are empty groups.
/// Textures that the generator left out are patterns.
QByteArray compactSvg(const QByteArray& svg);

} // namespace lockscope::views
