// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/link.h"

namespace lockscope::sql {

/// A link to a SQLite file. SQLite can only block, so the link has a thread of its own. When the link is destroyed, the
/// thread ends its work and closes the file; the end of the program waits for that.
class FileLink final : public Link {
public:
    explicit FileLink(const Settings& settings);
    ~FileLink() override;
    void open(QByteArrayList addresses, std::shared_ptr<Ticket> ticket) override;
    void carryOut(Command command, std::shared_ptr<Ticket> ticket) override;
    bool onThread() const override { return true; }

private:
    struct Shared;
    static void work(Shared& shared);
    void submit(std::optional<Command> command, std::shared_ptr<Ticket> ticket);
    const std::shared_ptr<Shared> m_shared;
};

} // namespace lockscope::sql
