// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/alert_desks.h"

namespace lockscope::views {

/// The worst critical alert of watched locks at an instant, for where there is room for one sentence.
struct ToldAlert {
    QString sentence, advice;
    Nanos from{};
    trace::EntityId lock = trace::kNoEntity;
    int more = 0; ///< critical alerts with other words besides
};

/// Finds it among the desks of a context's session.
class ToldAlerts : public QObject {
    Q_OBJECT
public:
    explicit ToldAlerts(ViewContext* context, QObject* parent = nullptr);
    /// The one that stands at the playhead; a deadlock goes before all others, then the oldest. Nothing: none stands.
    std::optional<ToldAlert> now() const;

Q_SIGNALS:
    /// now() may be another one at the same playhead.
    void changed();

private:
    ViewContext* m_context;
    AlertDesks m_desks;
};

} // namespace lockscope::views
