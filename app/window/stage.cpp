// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/stage.h"

#include <QBoxLayout>

namespace lockscope::app {
namespace {

template <typename Layout>
Layout* tight(QBoxLayout* into) {
    auto* layout = new Layout;
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    into->addLayout(layout);
    return layout;
}

} // namespace

Stage::Stage(QWidget* centre, QWidget* parent) : QWidget(parent) {
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    m_top = tight<QVBoxLayout>(rows);
    auto* middle = tight<QHBoxLayout>(rows);
    rows->setStretchFactor(middle, 1);
    m_left = tight<QVBoxLayout>(middle);
    auto* column = tight<QVBoxLayout>(middle);
    middle->setStretchFactor(column, 1);
    m_above = tight<QVBoxLayout>(column);
    auto* row = tight<QHBoxLayout>(column);
    column->setStretchFactor(row, 1);
    row->addWidget(centre, 1);
    m_right = tight<QVBoxLayout>(row);
    m_below = tight<QVBoxLayout>(column);
    m_bottom = tight<QVBoxLayout>(rows);
}

void Stage::put(Place place, QWidget* widget) {
    switch (place) {
    case Place::Top:
        return m_top->addWidget(widget);
    case Place::Left:
        return m_left->addWidget(widget);
    case Place::Above:
        return m_above->addWidget(widget);
    case Place::Right:
        return m_right->addWidget(widget);
    case Place::Below:
        return m_below->addWidget(widget);
    case Place::Bottom:
        return m_bottom->addWidget(widget);
    }
}

} // namespace lockscope::app
