// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/change_words.h"

#include "theme/format.h"
#include "trace/duration.h"
#include "trace/text.h"
#include "trace/time_text.h"

#include <QCoreApplication>

namespace lockscope::views {

namespace {
struct Words {
    Q_DECLARE_TR_FUNCTIONS(Faults)
};
} // namespace

QString changeWords(const trace::Event& event, const trace::Trace& trace) {
    const QByteArray text = trace.entity(event.aux).name;
    const qsizetype equals = text.indexOf('=');
    const QString value = trace::readable(text.mid(equals + 1));
    if (text.startsWith("engine=")) return Words::tr("switch to %1").arg(value);
    if (event.actor == trace::kNoEntity) return {};
    const QString actor = trace.displayName(event.actor);
    if (text.startsWith("evict=")) return Words::tr("evicted %1 from %2").arg(value, actor);
    if (text.startsWith("flush=")) return Words::tr("emptied %1").arg(actor);
    if (text == "pool=exhausted") return Words::tr("pool of %1 exhausted").arg(actor);
    if (text == "pool=free") return Words::tr("pool of %1 free again").arg(actor);
    if (text == "disk=stalled") return Words::tr("disk of %1 stalls").arg(actor);
    if (text == "disk=free") return Words::tr("disk of %1 answers again").arg(actor);
    if (!text.startsWith("drift=")) return {};
    const auto gain = parseDuration(value);
    if (!gain || *gain == Nanos(0)) return Words::tr("clock of %1 runs right").arg(actor);
    return *gain > Nanos(0) ? Words::tr("clock of %1 gains %2 a second").arg(actor, spanText(*gain))
                            : Words::tr("clock of %1 loses %2 a second").arg(actor, spanText(-*gain));
}

} // namespace lockscope::views
