// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/compact_svg.h"

#include "theme/svg_texture.h"
#include "timeline/svg_clip.h"

#include <algorithm>
#include <vector>

namespace lockscope::views {
namespace {

struct Attribute {
    QByteArrayView name, value;
    friend bool operator==(const Attribute&, const Attribute&) = default;
};
using Attributes = std::vector<Attribute>;

/// `tag`: between "<g" and ">".
Attributes attributesOf(QByteArrayView tag) {
    Attributes all;
    for (qsizetype equals = tag.indexOf('='); equals >= 0; equals = tag.indexOf('=')) {
        const QByteArrayView name = tag.first(equals).trimmed();
        const qsizetype open = tag.indexOf('"', equals);
        const qsizetype close = open < 0 ? -1 : tag.indexOf('"', open + 1);
        if (close < 0) break;
        all.push_back({name, tag.sliced(open + 1, close - open - 1)});
        tag = tag.sliced(close + 1);
    }
    return all;
}

/// Attributes of a group that are no defaults, and are not those of all groups anyway. Texts have their fonts
/// themselves.
Attributes neededOf(const Attributes& group, const Attributes& outer) {
    Attributes needed;
    for (const Attribute& one : group) {
        const bool opaque = one.name.endsWith("-opacity") && one.value == QByteArrayView("1");
        const bool here = one.name == QByteArrayView("transform") && one.value == QByteArrayView("matrix(1,0,0,1,0,0)");
        const bool inherited = std::ranges::find(outer, one) != outer.end();
        if (!opaque && !here && !inherited && !one.name.startsWith("font-")) needed.push_back(one);
    }
    return needed;
}

/// The end of the tag that begins at `from`: its ">", which no value has.
qsizetype tagEnd(QByteArrayView svg, qsizetype from) {
    return svg.indexOf('>', from);
}

bool isA(QByteArrayView fill, const Attributes& group) {
    return std::ranges::find(group, Attribute{"fill", fill}) != group.end();
}

QByteArray placeOf(const Attributes& group) {
    const auto place = std::ranges::find(group, QByteArrayView("transform"), &Attribute::name);
    return place == group.end() ? QByteArray("translate(0,0)") : place->value.toByteArray();
}

} // namespace

QByteArray compactSvg(const QByteArray& svg) {
    const QByteArrayView all = svg;
    qsizetype at = all.indexOf(QByteArrayView("<g "));
    const qsizetype outerEnd = at < 0 ? -1 : tagEnd(all, at);
    if (outerEnd < 0) return svg;
    const Attributes outer = attributesOf(all.sliced(at + 2, outerEnd - at - 2));
    QByteArray compact = svg.first(outerEnd + 1);
    compact.append('\n');
    Attributes open;
    bool isOpen = false;
    const auto close = [&] {
        if (std::exchange(isOpen, false)) compact.append("</g>\n");
    };
    int clips = 0;
    bool clipped = false;
    at = outerEnd + 1;
    for (qsizetype group = all.indexOf(QByteArrayView("<g "), at); group >= 0;
         group = all.indexOf(QByteArrayView("<g "), at)) {
        const qsizetype begin = tagEnd(all, group) + 1;
        const qsizetype end = all.indexOf(QByteArrayView("</g>"), begin);
        if (begin <= 0 || end < 0) return svg; // not as the generator writes it
        at = end + 4;
        const QByteArrayView marks = all.sliced(begin, end - begin).trimmed();
        if (marks.contains(QByteArrayView("<g "))) return svg;
        if (marks.isEmpty()) continue;
        Attributes needed = neededOf(attributesOf(all.sliced(group + 2, begin - group - 3)), outer);
        if (isA(kClipBegins, needed)) {
            close();
            // A shape of a clip has its place itself.
            const QByteArray id = "clip-" + QByteArray::number(++clips),
                             place = " transform=\"" + placeOf(needed) + '"';
            const qsizetype name = marks.indexOf(' ');
            compact.append("<clipPath id=\"" + id + "\">").append(marks.first(name)).append(place);
            compact.append(marks.sliced(name)).append("</clipPath>\n<g clip-path=\"url(#" + id + ")\">\n");
            clipped = true;
            continue;
        }
        if (isA(kClipEnds, needed)) {
            close();
            if (std::exchange(clipped, false)) compact.append("</g>\n");
            continue;
        }
        if (!isOpen || needed != open) {
            close();
            compact.append("<g");
            for (const Attribute& one : needed)
                compact.append(' ').append(one.name).append("=\"").append(one.value).append('"');
            compact.append(">\n");
            open = std::move(needed);
            isOpen = true;
        }
        compact.append(marks).append('\n');
    }
    close();
    if (clipped) compact.append("</g>\n");
    // Clips and patterns are no part of the tiny profile, which the generator names.
    compact.replace(QByteArrayView("version=\"1.2\" baseProfile=\"tiny\""), QByteArrayView("version=\"1.1\""));
    return withTextures(compact.append(all.sliced(at).trimmed()).append('\n'));
}

} // namespace lockscope::views
