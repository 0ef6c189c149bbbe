// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/queue_model.h"

#include <QListView>

namespace lockscope::views {

/// The queue of one lock, as high as its first few rows.
class QueueView : public QListView {
    Q_OBJECT
public:
    explicit QueueView(QueueModel* model, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {80, sizeHint().height()}; }
};

} // namespace lockscope::views
