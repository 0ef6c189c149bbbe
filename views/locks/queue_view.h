// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QListView>

namespace lockscope::views {

/// A short list of holders or waiters (party::Role), as high as its first few rows.
class QueueView : public QListView {
    Q_OBJECT
public:
    explicit QueueView(QAbstractItemModel* model, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {80, sizeHint().height()}; }
};

} // namespace lockscope::views
