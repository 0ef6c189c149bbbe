<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AlertCauses</name>
    <message numerus="yes">
        <source>%n lock(s)</source>
        <translation>
            <numerusform>%n 把锁</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2</source>
        <extracomment>%1 the short words for an alert such as "renewal late", %2 its locks.</extracomment>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>AlertWords</name>
    <message>
        <source>held for long</source>
        <translation>持有太久</translation>
    </message>
    <message>
        <source>lease ends</source>
        <translation>租约将尽</translation>
    </message>
    <message>
        <source>never expires</source>
        <translation>永不过期</translation>
    </message>
    <message>
        <source>many wait</source>
        <translation>等待者多</translation>
    </message>
    <message>
        <source>long wait</source>
        <translation>等待太久</translation>
    </message>
    <message>
        <source>dead waiters</source>
        <translation>失效的等待者</translation>
    </message>
    <message>
        <source>many hand-overs</source>
        <translation>频繁易手</translation>
    </message>
    <message>
        <source>longer than usual</source>
        <translation>超出常态</translation>
    </message>
    <message>
        <source>herd</source>
        <translation>羊群效应</translation>
    </message>
    <message>
        <source>deadlock</source>
        <translation>死锁</translation>
    </message>
    <message>
        <source>token went back</source>
        <translation>令牌倒退</translation>
    </message>
    <message>
        <source>not reachable</source>
        <translation>读不到</translation>
    </message>
    <message>
        <source>renewal late</source>
        <translation>续期迟到</translation>
    </message>
    <message>
        <source>failed over</source>
        <translation>故障转移</translation>
    </message>
    <message>
        <source>holder gone</source>
        <translation>持有者已离开</translation>
    </message>
    <message>
        <source>may be dropped</source>
        <translation>可能被丢弃</translation>
    </message>
    <message>
        <source>many changes</source>
        <translation>易手频率高</translation>
    </message>
    <message>
        <source>many locks</source>
        <translation>锁很多</translation>
    </message>
    <message>
        <source>dead waiter first</source>
        <translation>队首已失效</translation>
    </message>
    <message>
        <source>held twice</source>
        <translation>同时持有</translation>
    </message>
    <message>
        <source>One client holds a lock for longer than</source>
        <translation>一个客户端持有一把锁超过</translation>
    </message>
    <message>
        <source>A lease is about to end: less is left than</source>
        <translation>租约即将结束：剩余不足</translation>
    </message>
    <message>
        <source>A lock is held and never expires</source>
        <translation>锁被持有且永不过期</translation>
    </message>
    <message>
        <source>More clients wait for one lock than</source>
        <translation>等待一把锁的客户端多于</translation>
    </message>
    <message>
        <source>The first of a queue waits for longer than</source>
        <translation>队列中第一个等待超过</translation>
    </message>
    <message>
        <source>More queue entries belong to nobody than</source>
        <translation>不属于任何客户端的排队条目多于</translation>
    </message>
    <message>
        <source>A lock changes hands within a minute more often than</source>
        <translation>一把锁一分钟内易手次数多于</translation>
    </message>
    <message>
        <source>A hold is longer than usual by a factor of more than</source>
        <translation>持有时间超过通常的倍数</translation>
    </message>
    <message>
        <source>When a hold ends, more clients try at once than</source>
        <translation>持有结束时，同时尝试的客户端多于</translation>
    </message>
    <message>
        <source>Holders wait for each other in a ring</source>
        <translation>持有者互相等待成环</translation>
    </message>
    <message>
        <source>A fencing token goes back: the server lost data</source>
        <translation>栅栏令牌倒退：服务器丢失了数据</translation>
    </message>
    <message>
        <source>The server cannot be read for longer than</source>
        <translation>读不到服务器超过</translation>
    </message>
    <message>
        <source>A holder is behind its usual renewals by more than</source>
        <translation>持有者比平常的续期迟到超过</translation>
    </message>
    <message>
        <source>Another server takes over while a lock is held</source>
        <translation>持有锁时另一台服务器接管</translation>
    </message>
    <message>
        <source>A holder has no connection left, and its lock never expires</source>
        <translation>持有者已没有连接，而它的锁永不到期</translation>
    </message>
    <message>
        <source>The server drops locks when its memory is full</source>
        <translation>内存满时服务器会丢弃锁</translation>
    </message>
    <message>
        <source>A ZooKeeper's locks change hands more often a second than</source>
        <translation>ZooKeeper 上的锁每秒易手次数多于</translation>
    </message>
    <message>
        <source>A ZooKeeper keeps more locks than</source>
        <translation>ZooKeeper 保存的锁多于</translation>
    </message>
    <message>
        <source>The first entry of a queue belongs to nobody</source>
        <translation>队首条目已不属于任何客户端</translation>
    </message>
    <message>
        <source>Two clients hold one lock, because their libraries do not see each other</source>
        <translation>两个客户端持有同一把锁，因为它们的库互相看不到对方</translation>
    </message>
    <message>
        <source>critical</source>
        <translation>严重</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>note</source>
        <translation>提示</translation>
    </message>
</context>
<context>
    <name>Alerts</name>
    <message>
        <source>%1 waits for “%2”</source>
        <translation>%1 等待“%2”</translation>
    </message>
    <message>
        <source>%1 waits for “%2” on %3</source>
        <translation>%1 在等待 %3 上的“%2”</translation>
    </message>
    <message>
        <source>“%1” on %2</source>
        <translation>%2 上的“%1”</translation>
    </message>
    <message numerus="yes">
        <source>Stop %1, or free %2 by force: %n client(s) wait for that. Then let all take their locks in one order.</source>
        <translation>
            <numerusform>停止 %1，或强制释放 %2：有 %n 个客户端在等它。然后让所有客户端按同一顺序获取锁。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Stop %1: %n client(s) wait for %2. Then let all take their locks in one order.</source>
        <translation>
            <numerusform>请停止 %1：有 %n 个客户端在等待 %2。然后让所有客户端按同一顺序加锁。</numerusform>
        </translation>
    </message>
    <message>
        <source>None of them goes on by itself.</source>
        <translation>它们都不会自行继续。</translation>
    </message>
    <message>
        <source>Unless %1 renews it, the lease of “%2” ends in %3, and then they go on.</source>
        <translation>除非 %1 续期，否则“%2”的租约将在 %3 后结束，届时它们会继续。</translation>
    </message>
    <message>
        <source>“%1” is no alert: %2. There are %3.</source>
        <translation>“%1”不是告警：%2。可用的有 %3。</translation>
    </message>
    <message>
        <source>it should be a name, a sign and a threshold</source>
        <translation>应当是名称、符号和阈值</translation>
    </message>
    <message>
        <source>nothing is called %1%2</source>
        <translation>没有叫 %1 的告警%2</translation>
    </message>
    <message>
        <source>%1 has no threshold</source>
        <translation>%1 没有阈值</translation>
    </message>
    <message>
        <source>behind %1 comes %2</source>
        <translation>%1 后面应当是 %2</translation>
    </message>
    <message>
        <source>%1 is no time with its unit</source>
        <translation>%1 不是带单位的时间</translation>
    </message>
    <message>
        <source>%1 is no whole number from 0 on</source>
        <translation>%1 不是从 0 起的整数</translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>When last seen, at %1: %2</source>
        <extracomment>%1 a time of day, %2 a sentence.</extracomment>
        <translation>上次看到时（%1）：%2</translation>
    </message>
    <message>
        <source>The server cannot be seen now, and this may be over: see first why it does not answer.</source>
        <translation>现在看不到该服务器，此情况可能已结束：先查它为何不应答。</translation>
    </message>
    <message>
        <source>%1 does not answer.</source>
        <translation>%1 没有应答。</translation>
    </message>
    <message>
        <source>Every lock is known from the others, as long as a majority of the servers answers.</source>
        <translation>只要多数服务器有应答，从其余服务器就能得知所有锁的状态。</translation>
    </message>
    <message>
        <source>The locks there are not known meanwhile.</source>
        <translation>在此期间，那里的锁状态未知。</translation>
    </message>
    <message>
        <source>“%1” is held by %2 for %3.</source>
        <translation>“%1”已由 %2 持有 %3。</translation>
    </message>
    <message>
        <source>See whether that client still works; if it does not, stop it, or free the lock by force.</source>
        <translation>请查看该客户端是否还在工作；如果没有，请停止它，或强制释放这把锁。</translation>
    </message>
    <message>
        <source>See whether that client still works; if it does not, stop it.</source>
        <translation>请查看该客户端是否仍在工作；如果没有，请停止它。</translation>
    </message>
    <message>
        <source>The lease of “%1” ends in %2 unless %3 renews it.</source>
        <translation>除非 %3 续期，“%1”的租约将在 %2 后结束。</translation>
    </message>
    <message>
        <source>See whether that client is paused or cut off.</source>
        <translation>请查看该客户端是否停顿或断网。</translation>
    </message>
    <message>
        <source>“%1” is held by %2, and nothing ends it by itself.</source>
        <translation>“%1”由 %2 持有，而且不会自行结束。</translation>
    </message>
    <message>
        <source>If that client is gone, free the lock with “liquibase releaseLocks”: its row must stay.</source>
        <translation>如果该客户端已不在，请用“liquibase releaseLocks”释放锁：它的行必须保留。</translation>
    </message>
    <message>
        <source>If that client is gone, free the lock by force, and let locks expire.</source>
        <translation>如果该客户端已不在，请强制释放这把锁，并让锁能够到期。</translation>
    </message>
    <message>
        <source>If that client is gone, take its entry away on the server, and let locks expire.</source>
        <translation>如果该客户端已不在，请在服务器上删除其条目，并让锁会过期。</translation>
    </message>
    <message>
        <source>“%1” is held by %2, which has no connection to this server any more, and nothing ends it by itself.</source>
        <translation>“%1”由 %2 持有，而它与该服务器已没有连接，且这把锁不会自行结束。</translation>
    </message>
    <message>
        <source>Make sure that this client is dead, then free the lock by force; and let locks expire.</source>
        <translation>请确认该客户端确实已死，再强制释放锁；并让锁能够到期。</translation>
    </message>
    <message>
        <source>Make sure that this client is dead, then take its entry away on the server; and let locks expire.</source>
        <translation>请确认该客户端已终止，然后在服务器上删除其条目；并让锁会过期。</translation>
    </message>
    <message numerus="yes">
        <source>%n client(s) are subscribed to the release of “%1”.</source>
        <translation>
            <numerusform>有 %n 个客户端订阅了“%1”的释放。</numerusform>
        </translation>
    </message>
    <message>
        <source>Hold it for a shorter time, or split it.</source>
        <translation>请缩短持有时间，或把锁拆分。</translation>
    </message>
    <message numerus="yes">
        <source>%n client(s) wait for “%1”.</source>
        <translation>
            <numerusform>有 %n 个客户端在等待“%1”。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 waits for “%2” for %3, and nobody holds it.</source>
        <translation>%1 已等待“%2” %3，而现在没有持有者。</translation>
    </message>
    <message>
        <source>See whether that client still works: it could take the lock now.</source>
        <translation>检查该客户端是否仍在工作：它现在就可以获取该锁。</translation>
    </message>
    <message>
        <source>%1, first in the queue of “%2”, waits for %3.</source>
        <translation>“%2”队列中的第一个 %1 已等待 %3。</translation>
    </message>
    <message>
        <source>See what the holder, %1, does.</source>
        <translation>请查看持有者 %1 在做什么。</translation>
    </message>
    <message>
        <source>%1, number %2 in the queue of “%3”, waits for %4.</source>
        <translation>%1 排在“%3”队列的第 %2 位，已等了 %4。</translation>
    </message>
    <message>
        <source>Others that wait for less time stand before it, or get in before it. A fair lock, or shorter holds, let it in.</source>
        <translation>等得更短的客户端排在它前面，或先于它得到了锁。用公平锁，或缩短每次持有，它就能得到锁。</translation>
    </message>
    <message numerus="yes">
        <source>%n entry(ies) in the queue of “%1” belong to nobody any more.</source>
        <translation>
            <numerusform>“%1”的队列中有 %n 个条目已不属于任何客户端。</numerusform>
        </translation>
    </message>
    <message>
        <source>Others wait behind them until they time out: see which client died while it waited.</source>
        <translation>其他等待者排在它们后面，直到它们超时：请查看哪个客户端在等待时死掉了。</translation>
    </message>
    <message>
        <source>The first entry in the queue of “%1”, %2, belongs to nobody any more: nobody behind it gets the lock until it times out.</source>
        <translation>“%1”的队首条目 %2 已不属于任何客户端：在它超时之前，排在后面的等待者都得不到锁。</translation>
    </message>
    <message>
        <source>It goes by itself; see which client died while it waited, and why.</source>
        <translation>它会自行消失；请查明哪个客户端在等待时死亡以及原因。</translation>
    </message>
    <message numerus="yes">
        <source>“%1” is held by %n client(s) at once, each for itself: %2.</source>
        <translation>
            <numerusform>“%1”同时被 %n 个客户端各自持有：%2。</numerusform>
        </translation>
    </message>
    <message>
        <source>Their libraries do not see each other's nodes: let all clients take this lock with one library, or give each library a path of its own.</source>
        <translation>它们的库互相看不到对方的节点：让所有客户端用同一个库获取这把锁，或给每个库各自的路径。</translation>
    </message>
    <message numerus="yes">
        <source>“%1” went from hand to hand %n time(s) within a minute.</source>
        <translation>
            <numerusform>“%1”在一分钟内易手 %n 次。</numerusform>
        </translation>
    </message>
    <message>
        <source>Do more under each hold.</source>
        <translation>请在每次持有期间多做些工作。</translation>
    </message>
    <message>
        <source>“%1” is held by %2 for %3; usually it is held for %4.</source>
        <translation>“%1”已由 %2 持有 %3；通常只持有 %4。</translation>
    </message>
    <message>
        <source>See what that client does otherwise than before: a slow call, a longer list, a lost reply.</source>
        <translation>看看该客户端与以往有何不同：调用变慢、列表变长，还是丢了应答。</translation>
    </message>
    <message numerus="yes">
        <source>A hold of “%1” ended while %n client(s) waited without a queue: all of them try at once.</source>
        <translation>
            <numerusform>“%1”的一次持有结束时，有 %n 个客户端在没有队列的情况下等待：它们会同时尝试。</numerusform>
        </translation>
    </message>
    <message>
        <source>A fair lock wakes the next one only; or hold it for a shorter time, so that fewer wait.</source>
        <translation>公平锁只唤醒下一个；或者缩短持有时间，让等待者更少。</translation>
    </message>
    <message>
        <source>Possible deadlock: %1, if clients of one name are one client.</source>
        <extracomment>%1: "A waits for “x”, B waits for “y”"</extracomment>
        <translation>可能死锁：%1（如果同名客户端是同一个客户端）。</translation>
    </message>
    <message>
        <source>Deadlock: %1.</source>
        <translation>死锁：%1。</translation>
    </message>
    <message>
        <source>The fencing token of “%1” went back from %2 to %3: the server has lost data.</source>
        <translation>“%1”的栅栏令牌从 %2 退回到 %3：服务器丢失了数据。</translation>
    </message>
    <message>
        <source>What checks tokens refuses new holders, or has let an old one in: compare it with the lock.</source>
        <translation>检查令牌的资源会拒绝新的持有者，或者已放进旧的持有者：请把它与锁对照。</translation>
    </message>
    <message>
        <source>%1 at the longest, %2 at the shortest</source>
        <extracomment>After "every": how often a lock is renewed.</extracomment>
        <translation>最短 %2、最长 %1</translation>
    </message>
    <message>
        <source>%1 renewed “%2” every %3, and is late by %4.</source>
        <translation>%1 一直每 %3 给“%2”续期一次，现已迟到 %4。</translation>
    </message>
    <message>
        <source>%1 renewed “%2” every %3, and is late by %4; %5 of its lease are left.</source>
        <translation>%1 一直每 %3 给“%2”续期一次，现已迟到 %4；租约还剩 %5。</translation>
    </message>
    <message>
        <source>See whether that client is paused or cut off: another one gets the lock when the lease ends.</source>
        <translation>请查看该客户端是否停顿或断网：租约结束后，别的客户端会得到这把锁。</translation>
    </message>
    <message>
        <source>%1 held “%2” when another server took over at %3: the lock may exist twice.</source>
        <translation>%3 另一台服务器接管时，%1 正持有“%2”：这把锁可能有两份。</translation>
    </message>
    <message>
        <source>A client that still reaches the old server may hold it, too. See who writes under this lock, and let fencing tokens decide.</source>
        <translation>仍连着旧服务器的客户端可能也持有它。请查明谁在这把锁下写入，并由栅栏令牌裁决。</translation>
    </message>
    <message>
        <source>%1 of its %2 servers could not be read for %3: %4</source>
        <translation>其 %2 台服务器中有 %1 台已有 %3 无法读取：%4</translation>
    </message>
    <message>
        <source>Lockscope keeps trying.</source>
        <translation>Lockscope 会继续尝试。</translation>
    </message>
    <message>
        <source>The server could not be read for %1: %2</source>
        <translation>已有 %1 无法读取服务器：%2</translation>
    </message>
    <message>
        <source>it has not answered yet.</source>
        <translation>它还没有应答。</translation>
    </message>
    <message>
        <source>Its locks are not known meanwhile. Lockscope keeps trying.</source>
        <translation>这段时间不知道它的锁的情况。Lockscope 会继续尝试。</translation>
    </message>
    <message>
        <source>When its memory is full, this server drops keys, locks among them (maxmemory-policy %1).</source>
        <translation>内存满时，这台服务器会丢弃键，锁也不例外（maxmemory-policy %1）。</translation>
    </message>
    <message>
        <source>Set its maxmemory-policy to noeviction, or keep locks on a server of their own: a lock that is dropped is granted again.</source>
        <translation>把它的 maxmemory-policy 设为 noeviction，或把锁放到专用的服务器上：被丢弃的锁会再次被授予。</translation>
    </message>
    <message>
        <source>Locks of this ZooKeeper changed hands at least %1 times a second within the last minute.</source>
        <translation>最近一分钟内，这个 ZooKeeper 上的锁每秒至少易手 %1 次。</translation>
    </message>
    <message>
        <source>Each change goes through its leader. Do more under each hold, or spread the locks over several ensembles.</source>
        <translation>每次变化都要经过领导者。请在每次持有中多做些事，或把锁分散到多个集群。</translation>
    </message>
    <message>
        <source>This ZooKeeper keeps %1 locks.</source>
        <translation>这个 ZooKeeper 保存着 %1 把锁。</translation>
    </message>
    <message>
        <source>All of them lie in its memory, and each session's end deletes many. Remove what nobody uses, or spread the locks over several ensembles.</source>
        <translation>它们都在内存里，每个会话结束时都要删除许多。请清除无人使用的锁，或把锁分散到多个集群。</translation>
    </message>
</context>
<context>
    <name>CardWords</name>
    <message>
        <source>Made by</source>
        <translation>制作</translation>
    </message>
</context>
<context>
    <name>Chapters</name>
    <message>
        <source>First steps</source>
        <translation>入门</translation>
    </message>
    <message>
        <source>Leases, pauses and clocks</source>
        <translation>租约、停顿与时钟</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Replicas and forgotten data</source>
        <translation>副本与丢失的数据</translation>
    </message>
    <message>
        <source>Redlock</source>
        <translation>Redlock</translation>
    </message>
    <message>
        <source>Changing the engine</source>
        <translation>更换引擎</translation>
    </message>
    <message>
        <source>Sessions: ZooKeeper and etcd</source>
        <translation>会话：ZooKeeper 与 etcd</translation>
    </message>
    <message>
        <source>Databases</source>
        <translation>数据库</translation>
    </message>
    <message>
        <source>Museum: failures that were published</source>
        <translation>博物馆：公开报道过的故障</translation>
    </message>
</context>
<context>
    <name>ClientName</name>
    <message>
        <source>somebody</source>
        <translation>某个客户端</translation>
    </message>
</context>
<context>
    <name>ClientRule</name>
    <message>
        <source>“%1” is no rule: %2 at letter %3. Write name, address, or a pattern with one group, such as app=([a-z-]+).</source>
        <translation>“%1”不是规则：第 %3 个字符处 %2。请写 name、address，或带一个分组的模式，例如 app=([a-z-]+)。</translation>
    </message>
    <message>
        <source>“%1” is no rule: put the part that names the client in one pair of brackets, such as app=([a-z-]+); or write name, or address.</source>
        <translation>“%1”不是规则：请用一对括号括住表示客户端的部分，例如 app=([a-z-]+)；或者写 name 或 address。</translation>
    </message>
</context>
<context>
    <name>Cluster</name>
    <message>
        <source>clock %1 a second</source>
        <translation>时钟每秒 %1</translation>
    </message>
    <message>
        <source>clock %1</source>
        <translation>时钟 %1</translation>
    </message>
    <message>
        <source>slots %1</source>
        <extracomment>Of a cluster's server, in a small box: the numbers of its slots, such as "448 5461-5470".</extracomment>
        <translation>槽 %1</translation>
    </message>
    <message>
        <source>dead</source>
        <comment>a server</comment>
        <translation>已宕机</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>not seen yet</source>
        <translation>尚未见到</translation>
    </message>
    <message>
        <source>out of sight</source>
        <translation>不可见</translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s) held</source>
        <translation>
            <numerusform>持有 %n 把锁</numerusform>
        </translation>
    </message>
    <message>
        <source>session given up by the client</source>
        <translation>客户端已放弃会话</translation>
    </message>
    <message>
        <source>session suspended</source>
        <translation>会话中断</translation>
    </message>
    <message>
        <source>session expired</source>
        <translation>会话过期</translation>
    </message>
    <message>
        <source>dead</source>
        <translation>已死</translation>
    </message>
    <message>
        <source>holds, by the record</source>
        <translation>按记录持有</translation>
    </message>
    <message>
        <source>holds nothing in sight</source>
        <translation>看得到的锁都不持有</translation>
    </message>
    <message>
        <source>not observed</source>
        <translation>未观察到</translation>
    </message>
    <message>
        <source>waits: engines change</source>
        <translation>等待：切换引擎</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>paused, waits</source>
        <translation>已暂停，在等待</translation>
    </message>
    <message>
        <source>waits %1</source>
        <translation>在等待 %1</translation>
    </message>
    <message>
        <source>paused, holds</source>
        <translation>已暂停，持有中</translation>
    </message>
    <message>
        <source>holds</source>
        <translation>持有</translation>
    </message>
    <message>
        <source>paused, believes it holds</source>
        <translation>已暂停，仍以为持有</translation>
    </message>
    <message>
        <source>believes it holds</source>
        <translation>仍以为持有</translation>
    </message>
    <message>
        <source>+%1 on %2 links</source>
        <extracomment>Three links of a client at least, each of which is slower by %1.</extracomment>
        <translation>%2 条链路各 +%1</translation>
    </message>
    <message>
        <source>pool exhausted</source>
        <translation>连接池耗尽</translation>
    </message>
    <message>
        <source>disk stalls</source>
        <translation>磁盘卡住</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>a client's state, its clock</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1, no watchdog</source>
        <translation>%1，无看门狗</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>a client's state, its session</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1, now at %2</source>
        <comment>a client's state, the server that it is connected with</comment>
        <translation>%1，已转到 %2</translation>
    </message>
    <message>
        <source>lost: %1</source>
        <translation>已丢失：%1</translation>
    </message>
    <message>
        <source>out of service</source>
        <extracomment>A server of a group that is neither a master with slots now nor a connected replica.</extracomment>
        <translation>不在服务中</translation>
    </message>
    <message>
        <source>does not answer</source>
        <translation>没有应答</translation>
    </message>
    <message>
        <source>in step</source>
        <extracomment>Of a replica: it has confirmed all of its master's changes.</extracomment>
        <translation>已同步</translation>
    </message>
    <message>
        <source>%1 behind</source>
        <extracomment>Of a replica: how much of its master's changes it has not confirmed.</extracomment>
        <translation>落后 %1</translation>
    </message>
    <message>
        <source>sees nothing wrong</source>
        <translation>未见异常</translation>
    </message>
    <message>
        <source>agreed: %1 is down</source>
        <translation>一致认为：%1 已宕机</translation>
    </message>
    <message>
        <source>%1 is down?</source>
        <translation>%1 已宕机？</translation>
    </message>
    <message>
        <source>%1, voted for %2</source>
        <translation>%1，投票给 %2</translation>
    </message>
    <message>
        <source>candidate</source>
        <translation>候选者</translation>
    </message>
    <message>
        <source>votes for %1</source>
        <translation>投票给 %1</translation>
    </message>
    <message>
        <source>lag %1</source>
        <translation>延迟 %1</translation>
    </message>
</context>
<context>
    <name>ConnectionTrial</name>
    <message>
        <source>%1 %2</source>
        <comment>a sentence after a sentence</comment>
        <extracomment>A sentence after a sentence, as the language spaces them.</extracomment>
        <translation>%1%2</translation>
    </message>
    <message>
        <source>Connected to %1.</source>
        <translation>已连接到 %1。</translation>
    </message>
    <message>
        <source>Connected to %1, version %2.</source>
        <translation>已连接到 %1，版本 %2。</translation>
    </message>
    <message>
        <source>It is a replica.</source>
        <translation>它是副本。</translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s) seen.</source>
        <translation>
            <numerusform>看到 %n 把锁。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s) seen so far; this test did not go through everything.</source>
        <translation>
            <numerusform>到目前为止看到 %n 把锁；这次测试没有看完全部。</numerusform>
        </translation>
    </message>
    <message>
        <source>This server serves everybody: the login in the address is not used.</source>
        <translation>这台服务器对谁都开放：没有用到地址中的登录信息。</translation>
    </message>
    <message>
        <source>%1 lets clients in, but told nothing of its content in time. Is it busy, or loading its data?</source>
        <translation>%1 允许客户端连接，但没有及时说明它的内容。它是否很忙，或正在加载数据？</translation>
    </message>
</context>
<context>
    <name>ConnectionUrl</name>
    <message>
        <source>The URL contains a stray “%”; write %25 for a percent sign.</source>
        <translation>URL 中有多余的“%”；百分号请写成 %25。</translation>
    </message>
    <message>
        <source>The address “%1” has no closing bracket “]”.</source>
        <translation>地址“%1”缺少右方括号“]”。</translation>
    </message>
    <message>
        <source>After “]” in “%1” only “:port” may follow.</source>
        <translation>“%1”中“]”之后只能跟“:端口”。</translation>
    </message>
    <message>
        <source>“%1” ends in a colon; write host:port or leave the colon out.</source>
        <translation>“%1”以冒号结尾；请写 主机:端口，或去掉冒号。</translation>
    </message>
    <message>
        <source>A host has more than one colon; write an IPv6 address as [::1]:6379, and a login as user:password@host.</source>
        <translation>主机中有不止一个冒号；IPv6 地址请写成 [::1]:6379，登录信息请写成 user:password@host。</translation>
    </message>
    <message>
        <source>The URL names no host; write for example redis://127.0.0.1:6379.</source>
        <translation>URL 没有主机名；例如写 redis://127.0.0.1:6379。</translation>
    </message>
    <message>
        <source>The host “%1” contains a space.</source>
        <translation>主机“%1”中含有空格。</translation>
    </message>
    <message>
        <source>The port of “%1” is not a number from 1 to 65535; a login is written as user:password@host.</source>
        <translation>“%1”的端口不是 1 到 65535 之间的数字；登录信息请写成 user:password@host。</translation>
    </message>
    <message>
        <source>The URL has a password and “%1”; write only one of them.</source>
        <translation>URL 里既有密码又有“%1”；只写其中一个。</translation>
    </message>
    <message>
        <source>The URL has a user but no password; write user:password@ (or :password@ for the default user).</source>
        <translation>URL 有用户名却没有密码；请写 用户:密码@（默认用户写 :密码@）。</translation>
    </message>
    <message>
        <source>The password in the URL is empty; leave out “user:@” to connect without a login.</source>
        <translation>URL 中的密码为空；不登录连接时请去掉“用户:@”。</translation>
    </message>
    <message>
        <source>The option “%1=%2” is not a time from %3 to %4 with its unit; write for example %1=500ms.</source>
        <translation>选项“%1=%2”不是从 %3 到 %4 的带单位的时间；例如写成 %1=500ms。</translation>
    </message>
    <message>
        <source>“%1” stands inside of another option; options are separated by “&amp;”.</source>
        <translation>“%1”写在了另一个选项里面；选项之间用“&amp;”分隔。</translation>
    </message>
    <message>
        <source>The environment has no variable of the name that “%1” gives; set it to the password.</source>
        <translation>环境里没有“%1”所指的变量；请把它设为密码。</translation>
    </message>
    <message>
        <source>The option “%1” is given twice.</source>
        <translation>选项“%1”给出了两次。</translation>
    </message>
    <message>
        <source>An option beside “%1” is not known; write %26 for a “&amp;” in a password.</source>
        <translation>“%1”旁边有不认识的选项；密码中的“&amp;”请写成 %26。</translation>
    </message>
    <message>
        <source>The option “%1” is not known; there are %2.</source>
        <translation>不认识选项“%1”；可用的有 %2。</translation>
    </message>
    <message>
        <source>; also %1</source>
        <translation>；还有 %1</translation>
    </message>
    <message>
        <source>The option “%1” is not known; there are ca=, cert= and key=, each a file name%2.</source>
        <translation>不认识选项“%1”；可用的有 ca=、cert= 和 key=，各为一个文件名%2。</translation>
    </message>
    <message>
        <source>The option “%1” is empty; give it a file name.</source>
        <translation>选项“%1”为空；请给出文件名。</translation>
    </message>
    <message>
        <source>The option “%1” is empty; give it a value.</source>
        <translation>选项“%1”为空；请给它一个值。</translation>
    </message>
    <message>
        <source>“sentinel-user” goes together with “%1”.</source>
        <translation>“sentinel-user”必须与“%1”一起使用。</translation>
    </message>
    <message>
        <source>The option “tls” is either on or off.</source>
        <translation>选项“tls”只能是 on 或 off。</translation>
    </message>
    <message>
        <source>The option “list” is metadump, or left out.</source>
        <translation>选项“list”只能是 metadump，或不写。</translation>
    </message>
    <message>
        <source>The option “%1” needs TLS, which connections of this kind do not have.</source>
        <translation>选项“%1”需要 TLS，而这类连接没有 TLS。</translation>
    </message>
    <message>
        <source>The option “%1” needs TLS; begin the URL with %2.</source>
        <translation>选项“%1”需要 TLS；请让 URL 以 %2 开头。</translation>
    </message>
    <message>
        <source>A client certificate needs both cert= and key=.</source>
        <translation>客户端证书需要同时给出 cert= 和 key=。</translation>
    </message>
    <message>
        <source>The database “%1” is not a number; write for example /0.</source>
        <translation>数据库“%1”不是数字；例如写 /0。</translation>
    </message>
    <message>
        <source>“%1://” takes no path; leave out “/%2”.</source>
        <translation>“%1://”不带路径；请去掉“/%2”。</translation>
    </message>
    <message>
        <source>The URL does not say which master; write for example %1://host:26379/mymaster.</source>
        <translation>URL 没有说明是哪个主节点；例如写成 %1://host:26379/mymaster。</translation>
    </message>
    <message>
        <source>The path “/%1” has an empty part.</source>
        <translation>路径“/%1”中有空的部分。</translation>
    </message>
    <message>
        <source>The URL names no database; write for example %1://host/locks.</source>
        <translation>URL 没有指定数据库；例如写成 %1://host/locks。</translation>
    </message>
    <message>
        <source>The database “%1” contains a slash.</source>
        <translation>数据库名“%1”中含有斜杠。</translation>
    </message>
    <message>
        <source>The URL names no file; write for example %1:///tmp/locks.db.</source>
        <translation>URL 没有指定文件；例如写成 %1:///tmp/locks.db。</translation>
    </message>
    <message>
        <source>This is not a connection URL; write for example redis://127.0.0.1:6379.</source>
        <translation>这不是连接 URL；例如写 redis://127.0.0.1:6379。</translation>
    </message>
    <message>
        <source>“%1://” is not supported; there are %2.</source>
        <translation>不支持“%1://”；可用的有 %2。</translation>
    </message>
    <message>
        <source>An “@” stands behind an option; write %40 for this sign there, and %3F for a “?” in a password.</source>
        <translation>选项后面有“@”；那里的这个符号请写成 %40，密码中的“?”请写成 %3F。</translation>
    </message>
    <message>
        <source>A connection URL has no “#” part; write %23 for this sign in a password.</source>
        <translation>连接 URL 没有“#”部分；密码中的这个符号请写成 %23。</translation>
    </message>
    <message>
        <source>An option stands in front of the “?” that options begin with.</source>
        <translation>选项写在了开始选项的“?”之前。</translation>
    </message>
    <message>
        <source>A file has no host: write three slashes, %1:///%2.</source>
        <translation>文件没有主机：请写三个斜杠，%1:///%2。</translation>
    </message>
    <message numerus="yes">
        <source>“%1://” takes one host; there are %n.</source>
        <translation>
            <numerusform>“%1://”只能有一个主机；这里有 %n 个。</numerusform>
        </translation>
    </message>
    <message>
        <source>The URL names “%1” twice.</source>
        <translation>URL 两次写了“%1”。</translation>
    </message>
    <message>
        <source>The option “session=%1” is no duration; write for example session=10s.</source>
        <translation>选项“session=%1”不是时长；例如写成 session=10s。</translation>
    </message>
    <message>
        <source>The option “layout” is curator, kazoo or both: whose names locks have on the server, and so which libraries see them.</source>
        <translation>选项“layout”是 curator、kazoo 或 both：锁在服务器上用谁的节点名，因而哪些库能看到它们。</translation>
    </message>
    <message>
        <source>The option “acl” is creator, read or open: whether others may do nothing, look, or do everything with the nodes that are made.</source>
        <translation>选项“acl”是 creator、read 或 open：别人对所建的节点什么都不能做、只能读，或者都能做。</translation>
    </message>
    <message>
        <source>The option “acl=%1” needs a login, whose nodes they are to be; write zookeeper://user:password@host, or acl=open.</source>
        <translation>选项“acl=%1”需要登录，节点归该登录所有；请写 zookeeper://user:password@host，或 acl=open。</translation>
    </message>
</context>
<context>
    <name>ConnectionWords</name>
    <message>
        <source>by name</source>
        <translation>按名称</translation>
    </message>
    <message>
        <source>by address</source>
        <extracomment>Clients on several servers were told to be one client by their network address.</extracomment>
        <translation>按地址</translation>
    </message>
    <message>
        <source>by %1</source>
        <extracomment>%1 is a regular expression by which names on several servers were told to be one client.</extracomment>
        <translation>由 %1 持有</translation>
    </message>
</context>
<context>
    <name>Course</name>
    <message>
        <source>with %1</source>
        <translation>使用 %1</translation>
    </message>
    <message>
        <source>with seed %1</source>
        <translation>种子为 %1</translation>
    </message>
    <message>
        <source>with %1 at %2</source>
        <extracomment>An earlier run had this fault, and the present one has not: %1 "Pause A", %2 "3.0 s".</extracomment>
        <translation>有“%1”（%2）</translation>
    </message>
    <message>
        <source>without %1 at %2</source>
        <translation>没有“%1”（%2）</translation>
    </message>
    <message numerus="yes">
        <source>%n more difference(s)</source>
        <translation>
            <numerusform>另有 %n 处不同</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Difference</name>
    <message numerus="yes">
        <source>%1 and %n other(s)</source>
        <translation>
            <numerusform>%1 和另外 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 was not seen from %2 to %3: what changed there is not known.</source>
        <translation>从 %2 到 %3 看不到 %1：那里有什么变化无从得知。</translation>
    </message>
    <message>
        <source>%1 was not seen from %2 to %3: what it held at first is not known.</source>
        <translation>从 %2 到 %3 看不到 %1：起初它持有什么无从得知。</translation>
    </message>
    <message>
        <source>%1 was not seen from %2 to %3: what it holds at last is not known.</source>
        <translation>从 %2 到 %3 看不到 %1：最后它持有什么无从得知。</translation>
    </message>
    <message>
        <source>%1 was not seen from %2 to %3: what came and went meanwhile is not known.</source>
        <translation>从 %2 到 %3 看不到 %1：其间有什么来去无从得知。</translation>
    </message>
    <message>
        <source>Why: %1</source>
        <translation>原因：%1</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>not running</source>
        <translation>未运行</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>no end</source>
        <translation>无期限</translation>
    </message>
    <message>
        <source>nobody held it</source>
        <translation>无人持有</translation>
    </message>
    <message>
        <source>%1 held it</source>
        <translation>由 %1 持有</translation>
    </message>
    <message>
        <source>At %1, %2: %3.</source>
        <extracomment>"At 10:02:31, redis-1: failed over: another server answers, …"</extracomment>
        <translation>%1，%2：%3。</translation>
    </message>
    <message>
        <source>restarted</source>
        <translation>已重启</translation>
    </message>
    <message>
        <source>“%1”, held by %2, went on to another server at %3: the hold may exist twice.</source>
        <translation>“%1”由 %2 持有，在 %3 转到了另一台服务器：这次持有可能存在两份。</translation>
    </message>
    <message>
        <source>“%1” went from %2 to %3.</source>
        <translation>“%1”从 %2 转到 %3。</translation>
    </message>
    <message numerus="yes">
        <source>It was taken %n time(s) in between.</source>
        <translation>
            <numerusform>其间被获取 %n 次。</numerusform>
        </translation>
    </message>
    <message>
        <source>“%1” is held by %2; nothing was known of it before.</source>
        <translation>“%1”由 %2 持有；此前对它一无所知。</translation>
    </message>
    <message>
        <source>“%1” was free, and %2 holds it.</source>
        <translation>“%1”原本空闲，现由 %2 持有。</translation>
    </message>
    <message>
        <source>“%1” was held by %2, and is free.</source>
        <translation>“%1”原由 %2 持有，现已空闲。</translation>
    </message>
    <message>
        <source>“%1” is held by %2 again, who let it go in between.</source>
        <translation>“%1”又由 %2 持有，其间它曾放开。</translation>
    </message>
    <message>
        <source>“%1” has other holders than before beside those that stay.</source>
        <translation>“%1”除了仍在的持有者外，其余的换了人。</translation>
    </message>
    <message>
        <source>Holders of “%1”: %2, then %3.</source>
        <translation>“%1”的持有者：先是 %2 个，后来 %3 个。</translation>
    </message>
    <message>
        <source>“%1” shows no longer, as nobody waits for it: it may be held still.</source>
        <translation>“%1”已没有等待者，因此不再显示：它可能仍被持有。</translation>
    </message>
    <message>
        <source>“%1” cannot be seen any more: when it was last seen %2.</source>
        <extracomment>%2 is a clause such as "nobody held it" and "A held it".</extracomment>
        <translation>“%1”已看不到：上次看到时%2。</translation>
    </message>
    <message>
        <source>it is free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>%1 holds it</source>
        <translation>%1 持有它</translation>
    </message>
    <message>
        <source>“%1” can be seen again: when it was last seen %2; now %3.</source>
        <extracomment>%2 and %3 are clauses such as "nobody held it" and "A holds it".</extracomment>
        <translation>又能看到“%1”了：上次看到时%2；现在%3。</translation>
    </message>
    <message>
        <source>“%1” could be seen neither then nor later.</source>
        <translation>“%1”当时和后来都看不到。</translation>
    </message>
    <message>
        <source>Waiters for “%1”: %2, then %3.</source>
        <translation>“%1”的等待者：先是 %2，后来 %3。</translation>
    </message>
    <message>
        <source>The lease of “%1”, held by %2, had %3 left, and has %4.</source>
        <translation>“%1”由 %2 持有，其租约的剩余时间原为 %3，现为 %4。</translation>
    </message>
    <message>
        <source>%1 held “%2” %3 times over, and holds it %4 times.</source>
        <translation>%1 对“%2”的可重入次数从 %3 变为 %4。</translation>
    </message>
    <message>
        <source>The fencing token of “%1” is %2; none was known before.</source>
        <translation>“%1”的栅栏令牌是 %2；此前未知。</translation>
    </message>
    <message>
        <source>The fencing token of “%1” went from %2 to %3.</source>
        <translation>“%1”的栅栏令牌从 %2 变为 %3。</translation>
    </message>
    <message>
        <source>Server %1: %2, then %3.</source>
        <translation>服务器 %1：原为%2，现为%3。</translation>
    </message>
    <message>
        <source>Client %1: %2, then %3.</source>
        <translation>客户端 %1：原为%2，现为%3。</translation>
    </message>
</context>
<context>
    <name>EditorFields</name>
    <message>
        <source>Id</source>
        <translation>标识</translation>
    </message>
    <message>
        <source>Lower-case words joined by hyphens, such as my-lock</source>
        <translation>小写单词用连字符相连，如 my-lock</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>A few words</source>
        <translation>几个字</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>简介</translation>
    </message>
    <message>
        <source>What happens, and what to look at</source>
        <translation>发生什么，该看哪里</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>出处</translation>
    </message>
    <message>
        <source>The report or the article that tells of it</source>
        <translation>讲到它的报告或文章</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>算法</translation>
    </message>
    <message>
        <source>The lock algorithm, such as redis-set</source>
        <translation>锁算法，如 redis-set</translation>
    </message>
    <message>
        <source>Only for recipes</source>
        <translation>只用于算法</translation>
    </message>
    <message>
        <source>Several with commas; empty: all that its servers can run</source>
        <translation>多个用逗号分开；空着：服务器能跑的全部</translation>
    </message>
    <message>
        <source>Until</source>
        <translation>直到</translation>
    </message>
    <message>
        <source>How long it runs, or where the step stops: 60s, 6.4s, a moment, wake+300ms</source>
        <translation>运行多久，或这一步停在哪里：60s、6.4s、某个时刻名、wake+300ms</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>The same seed makes the same run; empty: the program chooses</source>
        <translation>种子相同，运行就相同；空着：由程序选</translation>
    </message>
    <message>
        <source>Chapter</source>
        <translation>章节</translation>
    </message>
    <message>
        <source>The group that it stands in, in lists</source>
        <translation>它在列表中属于哪一组</translation>
    </message>
    <message>
        <source>Place in lists</source>
        <translation>列表中的位置</translation>
    </message>
    <message>
        <source>Smaller numbers come first</source>
        <translation>数字小的在前</translation>
    </message>
    <message>
        <source>Services</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>Servers of one kind that are one thing to their clients</source>
        <translation>对客户端来说是一个整体的同类服务器</translation>
    </message>
    <message>
        <source>Lock manager</source>
        <translation>锁管理器</translation>
    </message>
    <message>
        <source>Servers as engines that clients change between</source>
        <translation>作为引擎、供客户端切换的服务器</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>The kind of servers</source>
        <translation>服务器的种类</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形态</translation>
    </message>
    <message>
        <source>How the servers stand together; empty: the usual shape of their kind</source>
        <translation>服务器如何组成；空着：该种类的常用形态</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>How many, without Sentinels</source>
        <translation>有几台，不算哨兵</translation>
    </message>
    <message>
        <source>Sentinels</source>
        <translation>哨兵</translation>
    </message>
    <message>
        <source>How many watch the master and replace it</source>
        <translation>有几个监视主节点并替换它</translation>
    </message>
    <message>
        <source>Persistence</source>
        <translation>持久化</translation>
    </message>
    <message>
        <source>What a server finds after a restart</source>
        <translation>服务器重启后还剩什么</translation>
    </message>
    <message>
        <source>Replication lag</source>
        <translation>复制延迟</translation>
    </message>
    <message>
        <source>How long a write stays on the master before it leaves, such as 200ms</source>
        <translation>写入在主节点停留多久才发出，如 200ms</translation>
    </message>
    <message>
        <source>Full copy takes</source>
        <translation>全量复制用时</translation>
    </message>
    <message>
        <source>Until a new replica has its copy, such as 5s</source>
        <translation>新副本拿到全部数据要多久，如 5s</translation>
    </message>
    <message>
        <source>Down after</source>
        <translation>判定下线</translation>
    </message>
    <message>
        <source>Silence after which a Sentinel calls a server down, such as 2s</source>
        <translation>沉默多久后哨兵认为服务器下线，如 2s</translation>
    </message>
    <message>
        <source>Failover time-out</source>
        <translation>故障转移超时</translation>
    </message>
    <message>
        <source>A time, such as 6s</source>
        <translation>一段时间，如 6s</translation>
    </message>
    <message>
        <source>Tick</source>
        <translation>时间单位</translation>
    </message>
    <message>
        <source>ZooKeeper's unit of time-outs, such as 2s</source>
        <translation>ZooKeeper 超时的单位，如 2s</translation>
    </message>
    <message>
        <source>Session</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>The session time-out that clients ask for, such as 10s</source>
        <translation>客户端要求的会话超时，如 10s</translation>
    </message>
    <message>
        <source>Database</source>
        <translation>数据库</translation>
    </message>
    <message>
        <source>Unique index</source>
        <translation>唯一索引</translation>
    </message>
    <message>
        <source>Whether a row is found by an index</source>
        <translation>是否用索引找到行</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>连接数</translation>
    </message>
    <message>
        <source>The most that the database takes</source>
        <translation>数据库最多接受多少</translation>
    </message>
    <message>
        <source>Lock wait</source>
        <translation>行锁等待</translation>
    </message>
    <message>
        <source>How long a statement waits for a row's lock; 0s: without end</source>
        <translation>语句等行锁多久；0s：无限</translation>
    </message>
    <message>
        <source>Keep-alive</source>
        <translation>保活</translation>
    </message>
    <message>
        <source>Until a silent client's connection is given up</source>
        <translation>多久后放弃沉默客户端的连接</translation>
    </message>
    <message>
        <source>Locks</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>The first one is meant where none is named</source>
        <translation>没写名字时指第一把</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Service</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>The id of the service that keeps it; empty: the first one</source>
        <translation>保存它的服务的标识；空着：第一个</translation>
    </message>
    <message>
        <source>Lease</source>
        <translation>租约</translation>
    </message>
    <message>
        <source>After this time without a renewal the server frees the lock, such as 5s</source>
        <translation>这么久没有续期，服务器就释放锁，如 5s</translation>
    </message>
    <message>
        <source>Watchdog</source>
        <translation>看门狗</translation>
    </message>
    <message>
        <source>How often a holder renews, such as 2s, or off</source>
        <translation>持有者多久续期一次，如 2s，或 off</translation>
    </message>
    <message>
        <source>Longest wait</source>
        <translation>最长等待</translation>
    </message>
    <message>
        <source>A time such as 10s, or forever</source>
        <translation>一段时间，如 10s，或 forever</translation>
    </message>
    <message>
        <source>Longest hold</source>
        <translation>最长持有</translation>
    </message>
    <message>
        <source>Then the lock is given back, renewed or not: a time such as 10s, or off</source>
        <translation>到时归还锁，无论是否续期：一个时间，如 10s，或 off</translation>
    </message>
    <message>
        <source>At its deadline</source>
        <translation>到截止时间时</translation>
    </message>
    <message>
        <source>Whether a client stops when its lease has ended by its own clock</source>
        <translation>按自己的时钟租约已到期时，客户端是否停下</translation>
    </message>
    <message>
        <source>Tokens are checked</source>
        <translation>检查令牌</translation>
    </message>
    <message>
        <source>The resource checks fencing tokens: only recipes that give some play</source>
        <translation>资源检查栅栏令牌：只有给出令牌的算法才参加</translation>
    </message>
    <message>
        <source>Fencing token</source>
        <translation>栅栏令牌</translation>
    </message>
    <message>
        <source>Take tokens where the recipe gives them</source>
        <translation>算法提供令牌时就取用</translation>
    </message>
    <message>
        <source>Permits</source>
        <translation>许可数</translation>
    </message>
    <message>
        <source>Of a semaphore: how many at once</source>
        <translation>信号量：同时几个</translation>
    </message>
    <message>
        <source>Resource</source>
        <translation>资源</translation>
    </message>
    <message>
        <source>What the lock guards</source>
        <translation>锁保护的东西</translation>
    </message>
    <message>
        <source>Token check</source>
        <translation>令牌检查</translation>
    </message>
    <message>
        <source>Refuse a write whose token is below the highest seen</source>
        <translation>令牌小于见过的最大值时拒绝写入</translation>
    </message>
    <message>
        <source>All clients</source>
        <translation>所有客户端</translation>
    </message>
    <message>
        <source>What holds where a step of a program does not say otherwise</source>
        <translation>程序步骤没有另说时适用</translation>
    </message>
    <message>
        <source>How many</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>How many clients, from 1 to 200</source>
        <translation>客户端数量，1 到 200</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>工作</translation>
    </message>
    <message>
        <source>How long the work takes: shortest – longest, such as 2s – 4s</source>
        <translation>工作多久：最短 – 最长，如 2s – 4s</translation>
    </message>
    <message>
        <source>Rest</source>
        <translation>间歇</translation>
    </message>
    <message>
        <source>Time without the lock: 1s, 500ms – 2s, or true for the usual time</source>
        <translation>不持锁的时间：1s、500ms – 2s，或 true 表示通常的时间</translation>
    </message>
    <message>
        <source>Write every</source>
        <translation>写入间隔</translation>
    </message>
    <message>
        <source>Between two writes to the resource: shortest – longest</source>
        <translation>两次写资源之间：最短 – 最长</translation>
    </message>
    <message>
        <source>When lost</source>
        <translation>失去锁时</translation>
    </message>
    <message>
        <source>What a client does that learns it has lost the lock</source>
        <translation>客户端得知丢了锁后怎么办</translation>
    </message>
    <message>
        <source>Programs</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>What clients do, for ever; empty: rest, take the first lock, work, release</source>
        <translation>客户端反复做的事；空着：休息、取第一把锁、工作、释放</translation>
    </message>
    <message>
        <source>Clients</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>Who runs which program: named A, B, C … in this order</source>
        <translation>谁跑哪个程序：依次叫 A、B、C……</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>The name of one of the programs</source>
        <translation>某个程序的名称</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>Take</source>
        <translation>取锁</translation>
    </message>
    <message>
        <source>A lock, several as one with commas, or true for the first lock</source>
        <translation>一把锁，多把合一用逗号分开，或 true 表示第一把</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>Of take</source>
        <translation>取锁的方式</translation>
    </message>
    <message>
        <source>Hold on for so long, and write now and then; true for the usual time</source>
        <translation>持有这么久并不时写入；true 表示通常的时间</translation>
    </message>
    <message>
        <source>Write once</source>
        <translation>写一次</translation>
    </message>
    <message>
        <source>true writes to the resource, held or not</source>
        <translation>true：不管是否持锁都写资源</translation>
    </message>
    <message>
        <source>Release</source>
        <translation>释放</translation>
    </message>
    <message>
        <source>A lock, several with commas, or true for the first lock</source>
        <translation>一把锁，多把用逗号分开，或 true 表示第一把</translation>
    </message>
    <message>
        <source>Wait for the condition of</source>
        <translation>等待其条件</translation>
    </message>
    <message>
        <source>A lock, or true for the first lock</source>
        <translation>一把锁，或 true 表示第一把</translation>
    </message>
    <message>
        <source>Signal the condition of</source>
        <translation>通知其条件</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>One way, between a client and a server: 50us – 150us</source>
        <translation>客户端与服务器之间单程：50us – 150us</translation>
    </message>
    <message>
        <source>Messages lost</source>
        <translation>丢失的消息</translation>
    </message>
    <message>
        <source>Of 1000</source>
        <translation>每 1000 条</translation>
    </message>
    <message>
        <source>Faults</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>What goes wrong, or is put right, at an instant or when something happens</source>
        <translation>在某一时刻或某事发生时出的故障或修复</translation>
    </message>
    <message>
        <source>At</source>
        <translation>时刻</translation>
    </message>
    <message>
        <source>An instant, such as 3s</source>
        <translation>一个时刻，如 3s</translation>
    </message>
    <message>
        <source>By a condition</source>
        <translation>按条件</translation>
    </message>
    <message>
        <source>Instead of an instant: when this happens</source>
        <translation>不按时刻，而在此事发生时</translation>
    </message>
    <message>
        <source>Does</source>
        <translation>动作</translation>
    </message>
    <message>
        <source>What happens to the target</source>
        <translation>对目标做什么</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>A client (A, holder, waiter, same), a server (redis-1, leader) or a link (A-redis-1)</source>
        <translation>客户端（A、holder、waiter、same）、服务器（redis-1、leader）或链路（A-redis-1）</translation>
    </message>
    <message>
        <source>Undone after</source>
        <translation>多久后恢复</translation>
    </message>
    <message>
        <source>A time, such as 8s; empty: it stays</source>
        <translation>一段时间，如 8s；空着：一直保持</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Of delay-link: extra latency; of jump-clock: offset, such as -2s</source>
        <translation>delay-link：额外延迟；jump-clock：偏移，如 -2s</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Which setting changes</source>
        <translation>改哪个设置</translation>
    </message>
    <message>
        <source>To</source>
        <translation>至</translation>
    </message>
    <message>
        <source>The new value of the setting, or an instant</source>
        <translation>设置的新值，或一个时刻</translation>
    </message>
    <message>
        <source>Done by</source>
        <translation>由谁</translation>
    </message>
    <message>
        <source>hand: a person did it live</source>
        <translation>hand：由人现场做的</translation>
    </message>
    <message>
        <source>When</source>
        <translation>当</translation>
    </message>
    <message>
        <source>What happens then, such as granted</source>
        <translation>发生什么，如 granted</translation>
    </message>
    <message>
        <source>At step</source>
        <translation>到第几步</translation>
    </message>
    <message>
        <source>A client comes to this step of its recipe, from 1</source>
        <translation>客户端走到算法的这一步，从 1 数起</translation>
    </message>
    <message>
        <source>Lease left</source>
        <translation>租约剩余</translation>
    </message>
    <message>
        <source>So much is left of the lock's lease, such as 1s</source>
        <translation>锁的租约还剩这么多，例如 1s</translation>
    </message>
    <message>
        <source>Leader</source>
        <translation>领导者</translation>
    </message>
    <message>
        <source>This server leads, already or later; any: the next that does</source>
        <translation>这台服务器是领导者，无论已经是还是以后成为；any：下一个成为领导者的</translation>
    </message>
    <message>
        <source>Only of client</source>
        <translation>只限客户端</translation>
    </message>
    <message>
        <source>A, holder, waiter</source>
        <translation>A、holder、waiter</translation>
    </message>
    <message>
        <source>Which time</source>
        <translation>第几次</translation>
    </message>
    <message>
        <source>Counted over all that fit, from 1</source>
        <translation>在所有符合的里面数，从 1 起</translation>
    </message>
    <message>
        <source>Later by</source>
        <translation>再过</translation>
    </message>
    <message>
        <source>So much after it, such as 300ms</source>
        <translation>此后这么久，如 300ms</translation>
    </message>
    <message>
        <source>Promises</source>
        <translation>承诺</translation>
    </message>
    <message>
        <source>What must come of it for every seed, by recipe</source>
        <translation>每个种子都必须得到的结果，按算法写</translation>
    </message>
    <message>
        <source>Again every</source>
        <translation>重复间隔</translation>
    </message>
    <message>
        <source>It strikes again after this long, such as 2s</source>
        <translation>隔这么久再发生一次，如 2s</translation>
    </message>
    <message>
        <source>How often</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>In all; empty: again and again until the end of the run</source>
        <translation>总次数；留空：一直重复到运行结束</translation>
    </message>
    <message>
        <source>All heals at</source>
        <translation>全部修复于</translation>
    </message>
    <message>
        <source>From then on the lock must be granted within the bound of its recipe</source>
        <translation>从此刻起，锁必须在其算法的界限内再次授予</translation>
    </message>
    <message>
        <source>Semi-synchronous</source>
        <translation>半同步</translation>
    </message>
    <message>
        <source>How long a commit waits for a replica, such as 1s; 0s: not at all</source>
        <translation>一次提交等待副本多久，如 1s；0s：完全不等</translation>
    </message>
    <message>
        <source>Shared connections</source>
        <translation>共享连接</translation>
    </message>
    <message>
        <source>A pool that all clients borrow from; 0: each client has its own</source>
        <translation>所有客户端借用的连接池；0：各用各的</translation>
    </message>
    <message>
        <source>Holds</source>
        <translation>成立</translation>
    </message>
    <message>
        <source>The invariants that hold, with commas</source>
        <translation>成立的不变量，用逗号分隔</translation>
    </message>
    <message>
        <source>Violated</source>
        <translation>违反</translation>
    </message>
    <message>
        <source>The invariants that are violated, with commas</source>
        <translation>被违反的不变量，用逗号分隔</translation>
    </message>
    <message>
        <source>Granted again within</source>
        <translation>重新获得锁的时限</translation>
    </message>
    <message>
        <source>After the first fault, such as 5s</source>
        <translation>第一次故障之后，如 5s</translation>
    </message>
    <message>
        <source>Stalls</source>
        <translation>停滞</translation>
    </message>
    <message>
        <source>The lock is never granted again</source>
        <translation>再也没有人获得锁</translation>
    </message>
    <message>
        <source>Of all waits, from and to</source>
        <translation>所有等待的最长时间，从多少到多少</translation>
    </message>
    <message>
        <source>Comes to</source>
        <translation>走到</translation>
    </message>
    <message>
        <source>Rare paths of the simulator or kinds of events that every run takes</source>
        <translation>每次运行都会走到的模拟器罕见路径或事件类型</translation>
    </message>
    <message>
        <source>Requests a second</source>
        <translation>每秒请求数</translation>
    </message>
    <message>
        <source>The least and the most of all clients together</source>
        <translation>所有客户端合计的最少与最多</translation>
    </message>
    <message>
        <source>Engines</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Servers with commas, the primary first</source>
        <translation>服务器用逗号分开，主引擎在前</translation>
    </message>
    <message>
        <source>Witnesses</source>
        <translation>见证者</translation>
    </message>
    <message>
        <source>Servers that only keep the record of which engine is in use</source>
        <translation>只记录当前引擎的服务器</translation>
    </message>
    <message>
        <source>Drain for</source>
        <translation>排空时间</translation>
    </message>
    <message>
        <source>How long holders may go on after their engine is left</source>
        <translation>离开引擎后持有者还能继续多久</translation>
    </message>
    <message>
        <source>Trust a reading for</source>
        <translation>读取结果可信时间</translation>
    </message>
    <message>
        <source>Leave a failing engine</source>
        <translation>引擎失效时离开</translation>
    </message>
    <message>
        <source>Plain</source>
        <translation>简洁</translation>
    </message>
    <message>
        <source>No panels beside the picture</source>
        <translation>图的旁边不放面板</translation>
    </message>
    <message>
        <source>Minutes</source>
        <translation>分钟</translation>
    </message>
    <message>
        <source>How long it takes a reader</source>
        <translation>读者要花多久</translation>
    </message>
    <message>
        <source>The one idea</source>
        <translation>一个要点</translation>
    </message>
    <message>
        <source>A sentence</source>
        <translation>一句话</translation>
    </message>
    <message>
        <source>To remember</source>
        <translation>要记住</translation>
    </message>
    <message>
        <source>The sentence to keep</source>
        <translation>要记住的一句话</translation>
    </message>
    <message>
        <source>Sources</source>
        <translation>出处</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文字</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>网址</translation>
    </message>
    <message>
        <source>Of the page; empty: it is not on the web</source>
        <translation>网页地址；空着：不在网上</translation>
    </message>
    <message>
        <source>Scenes</source>
        <translation>场次</translation>
    </message>
    <message>
        <source>Scenarios with a seed, and names for what happens in them</source>
        <translation>带种子的场景，以及其中各事的名字</translation>
    </message>
    <message>
        <source>Scene</source>
        <translation>场次</translation>
    </message>
    <message>
        <source>Empty: that of the step before</source>
        <translation>空着：与上一步相同</translation>
    </message>
    <message>
        <source>Scenario</source>
        <translation>场景</translation>
    </message>
    <message>
        <source>A built-in scenario, or one of your own, by its id</source>
        <translation>内置或自编的场景，写它的标识</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>改动</translation>
    </message>
    <message>
        <source>Fields of the scenario that are other here</source>
        <translation>场景中在这里不同的字段</translation>
    </message>
    <message>
        <source>Moments</source>
        <translation>时刻</translation>
    </message>
    <message>
        <source>Rows of the run that get a name; each is sought after the one before</source>
        <translation>运行中得到名字的事件；每个都在前一个之后找</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>More names for texts</source>
        <translation>供文字使用的其他名字</translation>
    </message>
    <message>
        <source>Invariant</source>
        <translation>不变量</translation>
    </message>
    <message>
        <source>After the moment</source>
        <translation>在此时刻之后</translation>
    </message>
    <message>
        <source>Empty: after the one before; start: from the start</source>
        <translation>空着：在前一个之后；start：从头</translation>
    </message>
    <message>
        <source>Not before</source>
        <translation>不早于</translation>
    </message>
    <message>
        <source>So much later, such as 1s</source>
        <translation>再过这么久，如 1s</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>A name for it, such as H; texts say {H}</source>
        <translation>给它的名字，如 H；文字里写 {H}</translation>
    </message>
    <message>
        <source>Not to</source>
        <translation>不发给</translation>
    </message>
    <message>
        <source>With push: messages to other clients than this one</source>
        <translation>与 push 一起：只算发给其他客户端的消息</translation>
    </message>
    <message>
        <source>Owner</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>With record-freed: whose entry went</source>
        <translation>用于 record-freed：谁的记录没了</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Empty: any</source>
        <translation>空着：任意</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Empty: the first one</source>
        <translation>空着：第一把</translation>
    </message>
    <message>
        <source>From</source>
        <translation>从</translation>
    </message>
    <message>
        <source>An instant: 6.4s, here, end, a moment, wake+300ms</source>
        <translation>一个时刻：6.4s、here、end、时刻名、wake+300ms</translation>
    </message>
    <message>
        <source>In sight</source>
        <translation>可见范围</translation>
    </message>
    <message>
        <source>The part of the time axis: two instants with a comma, such as 0s, 10s</source>
        <translation>时间轴的一段：两个时刻用逗号分开，如 0s, 10s</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>1 is as fast as the clock</source>
        <translation>1 表示与时钟一样快</translation>
    </message>
    <message>
        <source>Narration</source>
        <translation>旁白</translation>
    </message>
    <message>
        <source>Two or three short sentences; {H} is a client of the scene</source>
        <translation>两三个短句；{H} 是本场的一个客户端</translation>
    </message>
    <message>
        <source>Where to look</source>
        <translation>看哪里</translation>
    </message>
    <message>
        <source>The rest of the timeline is dimmed</source>
        <translation>时间线的其余部分变暗</translation>
    </message>
    <message>
        <source>Lanes</source>
        <translation>泳道</translation>
    </message>
    <message>
        <source>With commas: belief, belief:H, record, copies, effect, server:redis-1</source>
        <translation>用逗号分开：belief、belief:H、record、copies、effect、server:redis-1</translation>
    </message>
    <message>
        <source>Panel</source>
        <translation>面板</translation>
    </message>
    <message>
        <source>Beside the timeline while the step is shown</source>
        <translation>这一步显示期间，出现在时间线旁边</translation>
    </message>
    <message>
        <source>Steps of the recipe</source>
        <translation>算法的步骤</translation>
    </message>
    <message>
        <source>Their numbers, with commas</source>
        <translation>步骤的号码，用逗号隔开</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Recipes and failures below the words; every cell is played</source>
        <translation>旁白下面的算法与故障；每一格都会跑一遍</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Recipes, with commas</source>
        <translation>算法，用逗号隔开</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Scenarios</source>
        <translation>场景</translation>
    </message>
    <message>
        <source>With commas; a recipe plays the first that it can begin with</source>
        <translation>用逗号隔开；算法用第一个它能开始的场景</translation>
    </message>
    <message>
        <source>Claims</source>
        <translation>论断</translation>
    </message>
    <message>
        <source>What the words say, checked against the run</source>
        <translation>旁白所说的，与运行核对</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>提问</translation>
    </message>
    <message>
        <source>A bet; the run itself answers it</source>
        <translation>一个押注；由运行本身回答</translation>
    </message>
    <message>
        <source>Choices</source>
        <translation>选项</translation>
    </message>
    <message>
        <source>Exactly one must be true of the run</source>
        <translation>恰好一个与运行相符</translation>
    </message>
    <message>
        <source>Fact</source>
        <translation>事实</translation>
    </message>
    <message>
        <source>Computed from the run</source>
        <translation>从运行算出</translation>
    </message>
    <message>
        <source>is</source>
        <translation>是</translation>
    </message>
    <message>
        <source>A number, a time, true, false, never, a client, nobody</source>
        <translation>数字、时间、true、false、never、客户端或 nobody</translation>
    </message>
    <message>
        <source>is not</source>
        <translation>不是</translation>
    </message>
    <message>
        <source>is at least</source>
        <translation>至少</translation>
    </message>
    <message>
        <source>is at most</source>
        <translation>至多</translation>
    </message>
    <message>
        <source>includes</source>
        <translation>包含</translation>
    </message>
    <message>
        <source>A client</source>
        <translation>一个客户端</translation>
    </message>
    <message>
        <source>Your turn</source>
        <translation>轮到你了</translation>
    </message>
    <message>
        <source>A task whose goal the judge checks</source>
        <translation>由裁判检查目标的任务</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Hint</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Told only when asked for: where to look, not what to do</source>
        <translation>读者要求时才显示：说该看哪里，不说该做什么</translation>
    </message>
    <message>
        <source>Goal</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>All of it true: the task is done</source>
        <translation>全部成立：任务完成</translation>
    </message>
    <message>
        <source>Solution</source>
        <translation>解法</translation>
    </message>
    <message>
        <source>A change of the scene that reaches the goal</source>
        <translation>能达到目标的场次改动</translation>
    </message>
    <message>
        <source>Other settings than</source>
        <translation>除此之外的设置</translation>
    </message>
    <message>
        <source>With by-hand: changes of all settings but this one</source>
        <translation>用于 by-hand：对这个设置以外的设置所做的改动</translation>
    </message>
    <message>
        <source>See also</source>
        <translation>另请看</translation>
    </message>
    <message>
        <source>Built-in scenarios to look at afterwards, by their ids, with commas</source>
        <translation>课后可看的内置场景，写 id，用逗号隔开</translation>
    </message>
    <message>
        <source>A client gets the lock</source>
        <translation>客户端获得锁</translation>
    </message>
    <message>
        <source>A client asks for the lock</source>
        <translation>客户端请求锁</translation>
    </message>
    <message>
        <source>A client gives the lock back</source>
        <translation>客户端归还锁</translation>
    </message>
    <message>
        <source>The server records a new holder</source>
        <translation>服务器记下新的持有者</translation>
    </message>
    <message>
        <source>A client pauses</source>
        <translation>客户端暂停</translation>
    </message>
    <message>
        <source>A client goes on</source>
        <translation>客户端继续</translation>
    </message>
    <message>
        <source>A client is killed</source>
        <translation>客户端被杀死</translation>
    </message>
    <message>
        <source>A client starts</source>
        <translation>客户端启动</translation>
    </message>
    <message>
        <source>A server pauses</source>
        <translation>服务器暂停</translation>
    </message>
    <message>
        <source>A server goes on</source>
        <translation>服务器继续</translation>
    </message>
    <message>
        <source>A server is killed</source>
        <translation>服务器被杀死</translation>
    </message>
    <message>
        <source>A server starts</source>
        <translation>服务器启动</translation>
    </message>
    <message>
        <source>An invariant is violated</source>
        <translation>某个不变量被违反</translation>
    </message>
    <message>
        <source>stops</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>goes on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>nothing is kept</source>
        <translation>什么也不保留</translation>
    </message>
    <message>
        <source>written every second</source>
        <translation>每秒写盘</translation>
    </message>
    <message>
        <source>written at once</source>
        <translation>立即写盘</translation>
    </message>
    <message>
        <source>one server</source>
        <translation>一台服务器</translation>
    </message>
    <message>
        <source>master, replicas and Sentinels</source>
        <translation>主节点、副本和哨兵</translation>
    </message>
    <message>
        <source>independent masters</source>
        <translation>互不相干的主节点</translation>
    </message>
    <message>
        <source>Redis Cluster</source>
        <translation>Redis Cluster</translation>
    </message>
    <message>
        <source>ensemble with a leader</source>
        <translation>有领导者的集群</translation>
    </message>
    <message>
        <source>primary and replicas</source>
        <translation>主节点和副本</translation>
    </message>
    <message>
        <source>waits for the old holders</source>
        <translation>等旧持有者结束</translation>
    </message>
    <message>
        <source>takes the lock from the old holders</source>
        <translation>收回旧持有者的锁</translation>
    </message>
    <message>
        <source>tells nobody</source>
        <translation>谁也不通知</translation>
    </message>
    <message>
        <source>alone</source>
        <translation>独占</translation>
    </message>
    <message>
        <source>with other readers</source>
        <translation>与其他读者共享</translation>
    </message>
    <message>
        <source>one of several permits</source>
        <translation>多个许可之一</translation>
    </message>
    <message>
        <source>the holder in the record</source>
        <translation>记录中的持有者</translation>
    </message>
    <message>
        <source>the holder in a server's copy</source>
        <translation>某台服务器副本中的持有者</translation>
    </message>
    <message>
        <source>copies that name a client</source>
        <translation>写着某客户端的副本数</translation>
    </message>
    <message>
        <source>clients that believe they hold</source>
        <translation>自认持有的客户端</translation>
    </message>
    <message>
        <source>most believers at once</source>
        <translation>同时自认持有者的最大数</translation>
    </message>
    <message>
        <source>waiting clients</source>
        <translation>等待的客户端</translation>
    </message>
    <message>
        <source>time left of the lease</source>
        <translation>租约剩余时间</translation>
    </message>
    <message>
        <source>accepted writes</source>
        <translation>被接受的写入</translation>
    </message>
    <message>
        <source>refused writes</source>
        <translation>被拒绝的写入</translation>
    </message>
    <message>
        <source>rows of a kind</source>
        <translation>某类记录行的数量</translation>
    </message>
    <message>
        <source>time until the next grant</source>
        <translation>到下次授予的时间</translation>
    </message>
    <message>
        <source>time between two instants</source>
        <translation>两个时刻之间的时间</translation>
    </message>
    <message>
        <source>an instant</source>
        <translation>一个时刻</translation>
    </message>
    <message>
        <source>an invariant is violated</source>
        <translation>某个不变量被违反</translation>
    </message>
    <message>
        <source>fencing token</source>
        <translation>栅栏令牌</translation>
    </message>
    <message>
        <source>lease in force</source>
        <translation>生效的租约</translation>
    </message>
    <message>
        <source>longest gap between belief and record</source>
        <translation>信念与记录不一致的最长时间</translation>
    </message>
    <message>
        <source>longest suspension of a holder</source>
        <translation>持有者挂起的最长时间</translation>
    </message>
    <message>
        <source>requests for each grant</source>
        <translation>每次授予的请求数</translation>
    </message>
    <message>
        <source>done by hand</source>
        <translation>手动操作</translation>
    </message>
    <message>
        <source>who waits for whom</source>
        <translation>谁在等谁</translation>
    </message>
    <message>
        <source>the verdict</source>
        <translation>裁决</translation>
    </message>
    <message>
        <source>the statistics</source>
        <translation>统计</translation>
    </message>
    <message>
        <source>the servers and their links</source>
        <translation>服务器和它们之间的链路</translation>
    </message>
    <message>
        <source>the nodes in the queue</source>
        <translation>队列里的节点</translation>
    </message>
    <message>
        <source>a client</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>a server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>a setting</source>
        <translation>一项设置</translation>
    </message>
    <message>
        <source>Change a setting</source>
        <translation>更改设置</translation>
    </message>
</context>
<context>
    <name>Engines</name>
    <message>
        <source>draining: nobody gets in until about %1</source>
        <translation>排空中：大约到 %1 之前谁也进不来</translation>
    </message>
    <message>
        <source>engines change: nobody gets in until about %1</source>
        <translation>切换引擎：大约到 %1 之前谁也进不来</translation>
    </message>
    <message>
        <source>the first engine</source>
        <translation>首个引擎</translation>
    </message>
    <message>
        <source>switched by hand</source>
        <translation>手动切换</translation>
    </message>
    <message>
        <source>the configuration names another primary</source>
        <translation>配置指定了另一个主引擎</translation>
    </message>
    <message>
        <source>the engine fails its health checks</source>
        <translation>该引擎未通过健康检查</translation>
    </message>
    <message>
        <source>the primary is healthy again</source>
        <translation>主引擎已恢复健康</translation>
    </message>
    <message>
        <source>two processes wanted different engines</source>
        <translation>两个进程要求不同的引擎</translation>
    </message>
    <message>
        <source>too few servers answer for the record</source>
        <translation>保存记录的服务器应答不足</translation>
    </message>
    <message>
        <source>%1 fails its health checks</source>
        <translation>%1 未通过健康检查</translation>
    </message>
    <message>
        <source>%1 is healthy again</source>
        <translation>%1 已恢复健康</translation>
    </message>
    <message>
        <source>leaves %1</source>
        <translation>离开 %1</translation>
    </message>
    <message>
        <source>uses %1, epoch %2</source>
        <translation>使用 %1，第 %2 纪元</translation>
    </message>
    <message>
        <source>a switch to %1 was refused</source>
        <translation>切换到 %1 被拒绝</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>EtcdError</name>
    <message>
        <source>%1 closed the connection during the TLS handshake. If it does not speak TLS, write etcd:// instead of etcds://; if it wants a client certificate, name one (cert=, key=).</source>
        <translation>%1 在 TLS 握手期间关闭了连接。如果它不使用 TLS，请把 etcds:// 写成 etcd://；如果它要求客户端证书，请指定一个（cert=、key=）。</translation>
    </message>
    <message>
        <source>%1 refused the connection. Is etcd running there, and is this its client port?</source>
        <translation>%1 拒绝了连接。etcd 在那里运行吗？这是它的客户端端口吗？</translation>
    </message>
    <message>
        <source>The connection to %1 broke; whether the last request ran is not known.</source>
        <translation>到 %1 的连接断开了；最后一个请求是否已执行，不得而知。</translation>
    </message>
    <message>
        <source>%1 did not answer within %2; whether the request ran is not known.</source>
        <translation>%1 在 %2 内没有应答；请求是否已执行，不得而知。</translation>
    </message>
    <message>
        <source>%1 closed the connection. Is it an etcd, and is this its client port? If it wants TLS, write etcds://.</source>
        <translation>%1 关闭了连接。它是 etcd 吗？这是它的客户端端口吗？如果它要求 TLS，请写 etcds://。</translation>
    </message>
    <message>
        <source>%1 did not answer in time. Check address, port and firewall.</source>
        <translation>%1 没有及时应答。请检查地址、端口和防火墙。</translation>
    </message>
    <message>
        <source>What %1 sends is not the answer of an etcd (%2). Is it an etcd 3.4 or newer, and is this its client port?</source>
        <translation>%1 发来的不是 etcd 的应答（%2）。它是 etcd 3.4 或更新版本吗？这是它的客户端端口吗？</translation>
    </message>
    <message>
        <source>%1 no longer accepts this login: %2.</source>
        <translation>%1 不再接受这次登录：%2。</translation>
    </message>
    <message>
        <source>%1 wants a login. In a URL: etcd://user:password@host.</source>
        <translation>%1 需要登录。写在 URL 里是：etcd://user:password@host。</translation>
    </message>
    <message>
        <source>%1 refused the login. Check user and password in the URL.</source>
        <translation>%1 拒绝了登录。请检查 URL 中的用户和密码。</translation>
    </message>
    <message>
        <source>%1 does not allow this user to do that with this key (%2). Ask for a role that does.</source>
        <translation>%1 不允许该用户对这个键这样做（%2）。请申请有此权限的角色。</translation>
    </message>
    <message>
        <source>%1 says: %2</source>
        <translation>%1 说：%2</translation>
    </message>
    <message>
        <source>%1 can not serve requests now (%2); whether this one ran is not known. Has the cluster a quorum?</source>
        <translation>%1 现在无法处理请求（%2）；这个请求是否已执行，不得而知。集群还有多数派吗？</translation>
    </message>
    <message>
        <source>it has no JSON gateway at /v3/</source>
        <translation>它在 /v3/ 没有 JSON 网关</translation>
    </message>
</context>
<context>
    <name>Events</name>
    <message>
        <source>another kind of lock has this key</source>
        <translation>此键已被另一种锁占用</translation>
    </message>
    <message>
        <source>the server was not reached</source>
        <translation>未能连上服务器</translation>
    </message>
    <message>
        <source>no answer: whether it was done is unknown</source>
        <translation>没有应答：是否已执行未知</translation>
    </message>
    <message>
        <source>the server says: not yours</source>
        <translation>服务器说：不是你的</translation>
    </message>
    <message>
        <source>the server refused it</source>
        <translation>服务器拒绝</translation>
    </message>
    <message>
        <source>this server cannot do it</source>
        <translation>此服务器做不到</translation>
    </message>
    <message>
        <source>failed over: another server answers, or this one has another role</source>
        <translation>故障转移：现由另一台服务器应答，或其角色已变</translation>
    </message>
    <message>
        <source>another database took its place (SWAPDB)</source>
        <translation>另一个数据库换到了它的位置（SWAPDB）</translation>
    </message>
    <message>
        <source>all keys were deleted</source>
        <translation>所有键都被删除</translation>
    </message>
    <message>
        <source>the window keeps no more of a busy watch: the recording of the last hour may reach further back</source>
        <translation>观察繁忙时窗口不再保留更早的内容：最近一小时的记录可能更早</translation>
    </message>
    <message>
        <source>it is neither a master that serves nor a connected replica</source>
        <translation>它既不是提供服务的主节点，也不是已连接的副本</translation>
    </message>
    <message>
        <source>the wait is over</source>
        <translation>等待已结束</translation>
    </message>
    <message>
        <source>%1 does not answer any more</source>
        <extracomment>Each %1 is the address of a member of an ensemble of servers.</extracomment>
        <translation>%1 不再应答</translation>
    </message>
    <message>
        <source>%1 answers again</source>
        <translation>%1 又有应答了</translation>
    </message>
    <message>
        <source>%1 leads now</source>
        <translation>%1 成为领导者</translation>
    </message>
    <message>
        <source>%1 was started again</source>
        <translation>%1 已重新启动</translation>
    </message>
    <message>
        <source>all keys of %1 were deleted</source>
        <translation>%1 的所有键被删除</translation>
    </message>
    <message>
        <source>another server took the place of one</source>
        <translation>另一台服务器取代了其中一台</translation>
    </message>
    <message>
        <source>%1 took the place of %2</source>
        <extracomment>%1 and %2 are addresses of servers.</extracomment>
        <translation>%1 取代了 %2</translation>
    </message>
    <message>
        <source>slots went to another server</source>
        <translation>一些槽迁到了另一台服务器</translation>
    </message>
    <message>
        <source>slots %1 went from %2 to %3</source>
        <extracomment>Of a cluster: %1 are numbers of slots such as "448 5461-5470", %2 and %3 addresses of servers.</extracomment>
        <translation>槽 %1 从 %2 迁到了 %3</translation>
    </message>
    <message>
        <source>Life and faults</source>
        <translation>生命周期与故障</translation>
    </message>
    <message>
        <source>Belief</source>
        <translation>信念</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Effect</source>
        <translation>效果</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>started</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>resumed</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>killed</source>
        <translation>被杀死</translation>
    </message>
    <message>
        <source>link cut</source>
        <translation>链路切断</translation>
    </message>
    <message>
        <source>link mended</source>
        <translation>链路修复</translation>
    </message>
    <message>
        <source>link delayed</source>
        <translation>链路延迟</translation>
    </message>
    <message>
        <source>clock jumped</source>
        <translation>时钟跳变</translation>
    </message>
    <message>
        <source>watchdog stopped</source>
        <translation>看门狗停止</translation>
    </message>
    <message>
        <source>next reply will be lost</source>
        <translation>下一个应答将丢失</translation>
    </message>
    <message>
        <source>next message will be lost</source>
        <translation>下一条消息将丢失</translation>
    </message>
    <message>
        <source>next request will be done twice</source>
        <translation>下一个请求会执行两次</translation>
    </message>
    <message>
        <source>server tells</source>
        <extracomment>A watched server tells something of itself, such as a setting.</extracomment>
        <translation>服务器告知</translation>
    </message>
    <message>
        <source>work hangs</source>
        <translation>工作卡住</translation>
    </message>
    <message>
        <source>everything healed</source>
        <translation>全部复原</translation>
    </message>
    <message>
        <source>setting changed</source>
        <translation>设置改变</translation>
    </message>
    <message>
        <source>role</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>replication lag</source>
        <translation>复制延迟</translation>
    </message>
    <message>
        <source>session</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>lock manager</source>
        <translation>锁管理器</translation>
    </message>
    <message>
        <source>believes it down?</source>
        <translation>认为已宕机？</translation>
    </message>
    <message>
        <source>votes for</source>
        <translation>投票给</translation>
    </message>
    <message>
        <source>failover</source>
        <translation>故障转移</translation>
    </message>
    <message>
        <source>asks by recipe</source>
        <translation>请求所用算法</translation>
    </message>
    <message>
        <source>wants the lock</source>
        <translation>请求锁</translation>
    </message>
    <message>
        <source>believes: granted</source>
        <translation>自认：已获得</translation>
    </message>
    <message>
        <source>entered again</source>
        <translation>重入</translation>
    </message>
    <message>
        <source>gave up waiting</source>
        <translation>放弃等待</translation>
    </message>
    <message>
        <source>wait cancelled</source>
        <translation>等待被取消</translation>
    </message>
    <message>
        <source>request refused</source>
        <translation>请求被拒绝</translation>
    </message>
    <message>
        <source>own deadline</source>
        <translation>自身截止时间</translation>
    </message>
    <message>
        <source>renewed</source>
        <translation>已续期</translation>
    </message>
    <message>
        <source>renewal refused</source>
        <translation>续期被拒</translation>
    </message>
    <message>
        <source>renewal failed</source>
        <translation>续期失败</translation>
    </message>
    <message>
        <source>learned of the loss</source>
        <translation>得知丢锁</translation>
    </message>
    <message>
        <source>released</source>
        <translation>已释放</translation>
    </message>
    <message>
        <source>release refused</source>
        <translation>释放被拒</translation>
    </message>
    <message>
        <source>release failed</source>
        <translation>释放失败</translation>
    </message>
    <message>
        <source>gives it up</source>
        <translation>放弃锁</translation>
    </message>
    <message>
        <source>not exclusively</source>
        <translation>非独占</translation>
    </message>
    <message>
        <source>permits in all</source>
        <translation>许可总数</translation>
    </message>
    <message>
        <source>suspended</source>
        <translation>已挂起</translation>
    </message>
    <message>
        <source>record: held</source>
        <translation>记录：已持有</translation>
    </message>
    <message>
        <source>record: renewed</source>
        <translation>记录：已续期</translation>
    </message>
    <message>
        <source>record: deadline moved</source>
        <translation>记录：截止时间变了</translation>
    </message>
    <message>
        <source>record: renewal missed</source>
        <translation>记录：错过续期</translation>
    </message>
    <message>
        <source>record: renewals stopped</source>
        <translation>记录：续期停止</translation>
    </message>
    <message>
        <source>record: since when</source>
        <translation>记录：自何时起</translation>
    </message>
    <message>
        <source>record: failed over</source>
        <translation>记录：故障转移</translation>
    </message>
    <message>
        <source>record: free</source>
        <translation>记录：空闲</translation>
    </message>
    <message>
        <source>record: waiters</source>
        <translation>记录：等待者</translation>
    </message>
    <message>
        <source>record: token</source>
        <translation>记录：令牌</translation>
    </message>
    <message>
        <source>record: one of the holders</source>
        <translation>记录：持有者之一</translation>
    </message>
    <message>
        <source>record: a holder went</source>
        <translation>记录：一个持有者离开</translation>
    </message>
    <message>
        <source>record: in the queue</source>
        <translation>记录：进入队列</translation>
    </message>
    <message>
        <source>record: out of the queue</source>
        <translation>记录：离开队列</translation>
    </message>
    <message>
        <source>seen on the server</source>
        <translation>在服务器上看到</translation>
    </message>
    <message>
        <source>record: format</source>
        <translation>记录：格式</translation>
    </message>
    <message>
        <source>record: holders in all</source>
        <translation>记录：持有者总数</translation>
    </message>
    <message>
        <source>record: permits</source>
        <translation>记录：许可</translation>
    </message>
    <message>
        <source>record: a lock?</source>
        <translation>记录：是否为锁</translation>
    </message>
    <message>
        <source>record: who decides</source>
        <translation>记录：由谁裁定</translation>
    </message>
    <message>
        <source>record out of sight</source>
        <translation>记录不可见</translation>
    </message>
    <message>
        <source>record in sight again</source>
        <translation>记录重新可见</translation>
    </message>
    <message>
        <source>write accepted</source>
        <translation>写入被接受</translation>
    </message>
    <message>
        <source>write refused</source>
        <translation>写入被拒绝</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>asks</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>answers</source>
        <translation>应答</translation>
    </message>
    <message>
        <source>publishes</source>
        <translation>发布</translation>
    </message>
    <message>
        <source>sends</source>
        <extracomment>An event between two servers: the one sends this to the other.</extracomment>
        <translation>发送</translation>
    </message>
    <message>
        <source>connection lost</source>
        <translation>连接丢失</translation>
    </message>
    <message>
        <source>connection restored</source>
        <translation>连接恢复</translation>
    </message>
    <message>
        <source>crashed</source>
        <translation>崩溃</translation>
    </message>
    <message>
        <source>restarted</source>
        <extracomment>Of a server: another process was seen in its place.</extracomment>
        <translation>重启过</translation>
    </message>
    <message>
        <source>refuses</source>
        <extracomment>Of a machine whose server is dead: it refuses a request.</extracomment>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>token %1</source>
        <translation>令牌 %1</translation>
    </message>
    <message>
        <source>hold %1</source>
        <translation>第 %1 次持有</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>until when is unknown</source>
        <translation>到何时未知</translation>
    </message>
    <message>
        <source>never expires</source>
        <translation>永不过期</translation>
    </message>
    <message>
        <source>lease until %1</source>
        <translation>租约至 %1</translation>
    </message>
    <message>
        <source>lost on its way</source>
        <translation>途中丢失</translation>
    </message>
    <message>
        <source>%1 on its way</source>
        <translation>途中 %1</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>共享读取</translation>
    </message>
    <message>
        <source>holds a permit</source>
        <translation>持有一个许可</translation>
    </message>
    <message>
        <source>%1 behind</source>
        <translation>落后 %1</translation>
    </message>
    <message>
        <source>connected</source>
        <translation>已连接</translation>
    </message>
    <message>
        <source>expired</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>given up by the client</source>
        <translation>客户端已放弃</translation>
    </message>
    <message numerus="yes">
        <source>%n free</source>
        <comment>permits</comment>
        <translation>
            <numerusform>%n 个空闲</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 free</source>
        <comment>permits</comment>
        <translation>%2 个中 %1 个空闲</translation>
    </message>
    <message>
        <source>it was %1's; released by another</source>
        <translation>它属于 %1；由他人释放</translation>
    </message>
    <message>
        <source>released or deleted</source>
        <translation>已释放或被删除</translation>
    </message>
    <message>
        <source>%1's lease has expired</source>
        <translation>%1 的租约已到期</translation>
    </message>
    <message>
        <source>taken from %1 by force</source>
        <translation>从 %1 处强制夺走</translation>
    </message>
    <message>
        <source>%1's hold was overwritten</source>
        <translation>%1 的持有被覆盖</translation>
    </message>
    <message>
        <source>%1 decides now, and does not know that %2 has it</source>
        <translation>现在由 %1 裁定，而它不知道 %2 持有锁</translation>
    </message>
    <message>
        <source>all data of %1 were deleted, with %2's lock</source>
        <translation>%1 的全部数据被删除，%2 的锁也随之消失</translation>
    </message>
    <message>
        <source>the server lost it with %1 as its owner</source>
        <translation>服务器丢失了它，当时持有者是 %1</translation>
    </message>
    <message>
        <source>the server evicted it with %1 as its owner</source>
        <translation>服务器淘汰了它，当时的持有者是 %1</translation>
    </message>
    <message>
        <source>%1's hold ended while it was not shown: when and how is not known</source>
        <translation>%1 的持有在未显示期间结束：何时、如何结束无从得知</translation>
    </message>
    <message>
        <source>why is not known</source>
        <translation>原因不明</translation>
    </message>
    <message>
        <source>its client has no connection to the server any more</source>
        <translation>它的客户端与服务器已没有连接</translation>
    </message>
    <message>
        <source>its client is still connected: it stands still, or its watchdog has stopped</source>
        <translation>它的客户端仍连着服务器：要么停住了，要么看门狗停了</translation>
    </message>
    <message>
        <source>has no connection left in its pool, and a client asks for one</source>
        <translation>连接池已无连接，而有客户端在请求</translation>
    </message>
    <message>
        <source>has connections in its pool again</source>
        <translation>连接池又有连接可用</translation>
    </message>
    <message>
        <source>drops no lock when its memory is full</source>
        <translation>内存满时不丢弃锁</translation>
    </message>
    <message>
        <source>may drop locks when its memory is full (%1)</source>
        <translation>内存满时可能丢弃锁（%1）</translation>
    </message>
    <message>
        <source>has no slots</source>
        <extracomment>Of a cluster's server: the numbers of its slots, such as "448 5461-5470".</extracomment>
        <translation>没有槽</translation>
    </message>
    <message>
        <source>has slots %1</source>
        <translation>拥有槽 %1</translation>
    </message>
    <message>
        <source>looked at every %1 or more often: no time is known more exactly</source>
        <translation>至少每 %1 查看一次：任何时间都不会比这更精确</translation>
    </message>
    <message>
        <source>it tells of each change</source>
        <translation>它会告知每一次变化</translation>
    </message>
    <message>
        <source>forgotten: it begins anew with the new master</source>
        <extracomment>A Sentinel's doubts end with a promotion: it knows nothing of any server of the group yet.</extracomment>
        <translation>已忘记：它随新主节点重新开始</translation>
    </message>
    <message>
        <source>it answers again</source>
        <translation>它又有应答了</translation>
    </message>
    <message>
        <source>down, it believes</source>
        <translation>它认为已宕机</translation>
    </message>
    <message>
        <source>down: %1 agree</source>
        <translation>已宕机：%1 个一致认为</translation>
    </message>
    <message>
        <source>down: enough agree</source>
        <translation>已宕机：达到法定数量</translation>
    </message>
    <message>
        <source>nobody decides</source>
        <translation>无人裁定</translation>
    </message>
    <message>
        <source>most servers decide together</source>
        <translation>多数服务器共同裁定</translation>
    </message>
    <message>
        <source>%1 decides</source>
        <translation>由 %1 裁定</translation>
    </message>
    <message>
        <source>any %1 of its servers decide</source>
        <translation>其中任意 %1 台服务器即可决定</translation>
    </message>
    <message>
        <source>%1 more each way</source>
        <translation>单程增加 %1</translation>
    </message>
    <message>
        <source>no longer</source>
        <translation>不再延迟</translation>
    </message>
    <message>
        <source>%1 from true time</source>
        <translation>与真实时间相差 %1</translation>
    </message>
    <message>
        <source>waits as long as it takes</source>
        <translation>一直等到获得为止</translation>
    </message>
    <message>
        <source>waits at most %1</source>
        <translation>最多等 %1</translation>
    </message>
    <message>
        <source>as one reader of many</source>
        <translation>作为众多读者之一</translation>
    </message>
    <message numerus="yes">
        <source>%n permit(s)</source>
        <translation>
            <numerusform>%n 个许可</numerusform>
        </translation>
    </message>
    <message>
        <source>it waits for the change of engines</source>
        <translation>它等待引擎切换</translation>
    </message>
    <message>
        <source>it cannot read which engine is in use</source>
        <translation>它读不到正在使用哪个引擎</translation>
    </message>
    <message>
        <source>after %1</source>
        <translation>%1 之后</translation>
    </message>
    <message>
        <source>it ignores its deadline</source>
        <translation>它忽略自己的截止时间</translation>
    </message>
    <message>
        <source>gives it up at %1 by itself</source>
        <translation>到 %1 自行放弃</translation>
    </message>
    <message numerus="yes">
        <source>%n hold(s) left</source>
        <translation>
            <numerusform>还剩 %n 次持有</numerusform>
        </translation>
    </message>
    <message>
        <source>nobody renewed it</source>
        <translation>没有人续期</translation>
    </message>
    <message>
        <source>every %1 until now, due by %2</source>
        <translation>此前每 %1 一次，最迟应在 %2 到来</translation>
    </message>
    <message>
        <source>every %1 until now, the last one at %2</source>
        <translation>此前每 %1 一次，最后一次在 %2</translation>
    </message>
    <message>
        <source>waits since %1</source>
        <translation>自 %1 起等待</translation>
    </message>
    <message>
        <source>holds it since %1</source>
        <translation>自 %1 起持有</translation>
    </message>
    <message>
        <source>its server shows it only while somebody waits: it may be held still</source>
        <translation>它的服务器只在有等待者时显示它：它可能仍被持有</translation>
    </message>
    <message>
        <source>held on, on another server: it may exist twice</source>
        <translation>在另一台服务器上继续持有：可能同时存在两份</translation>
    </message>
    <message>
        <source>place %1</source>
        <translation>第 %1 位</translation>
    </message>
    <message>
        <source>nobody waits there any more</source>
        <translation>那里已无人等待</translation>
    </message>
    <message>
        <source>those that are named</source>
        <translation>即列出的那些</translation>
    </message>
    <message>
        <source>epoch %1</source>
        <translation>纪元 %1</translation>
    </message>
    <message>
        <source>no token</source>
        <translation>无令牌</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>refused: no process there</source>
        <translation>被拒绝：那里没有进程</translation>
    </message>
    <message>
        <source>its machine lost its power</source>
        <translation>其机器断电</translation>
    </message>
    <message>
        <source>master</source>
        <translation>主节点</translation>
    </message>
    <message>
        <source>replica</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>Sentinel</source>
        <translation>哨兵</translation>
    </message>
    <message>
        <source>leader</source>
        <translation>领导者</translation>
    </message>
    <message>
        <source>follower</source>
        <translation>跟随者</translation>
    </message>
    <message>
        <source>observer</source>
        <translation>观察者</translation>
    </message>
    <message>
        <source>primary</source>
        <translation>主节点</translation>
    </message>
    <message>
        <source>standby</source>
        <translation>备用</translation>
    </message>
    <message>
        <source>looking</source>
        <translation>寻找中</translation>
    </message>
    <message>
        <source>replica of nobody</source>
        <translation>副本，无主节点</translation>
    </message>
    <message>
        <source>replica of %1</source>
        <translation>%1 的副本</translation>
    </message>
    <message>
        <source>wants to replace it</source>
        <translation>要替换它</translation>
    </message>
    <message>
        <source>elected leader of the failover</source>
        <translation>当选故障转移的领导者</translation>
    </message>
    <message>
        <source>chosen to be promoted</source>
        <translation>被选中待提升</translation>
    </message>
    <message>
        <source>promoted</source>
        <translation>已提升</translation>
    </message>
    <message>
        <source>told to clients as the master</source>
        <translation>作为主节点告知客户端</translation>
    </message>
    <message>
        <source>failover ended</source>
        <translation>故障转移结束</translation>
    </message>
    <message>
        <source>failover given up</source>
        <translation>放弃故障转移</translation>
    </message>
    <message>
        <source>a failover is asked for, to replace it</source>
        <translation>请求故障转移以替换它</translation>
    </message>
    <message>
        <source>made a replica again</source>
        <translation>重新成为副本</translation>
    </message>
</context>
<context>
    <name>EvidenceCard</name>
    <message>
        <source>In the picture</source>
        <extracomment>On a page with a picture that has no room for all locks.</extracomment>
        <translation>图中</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n locks, for want of room</source>
        <translation>
            <numerusform>%n 个锁中的 %1 个，因空间不足</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <extracomment>%1 a server, %2 an instant.</extracomment>
        <translation>%1：在 %2</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between names of servers</comment>
        <translation>、</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>还有 %n 次</numerusform>
        </translation>
    </message>
    <message>
        <source>Restarted</source>
        <translation>已重启</translation>
    </message>
    <message>
        <source>Failed over</source>
        <translation>已故障转移</translation>
    </message>
    <message>
        <source>Swapped (SWAPDB)</source>
        <translation>已交换（SWAPDB）</translation>
    </message>
    <message>
        <source>Emptied</source>
        <translation>已清空</translation>
    </message>
    <message>
        <source>Time span</source>
        <translation>时间段</translation>
    </message>
    <message>
        <source>By the clock</source>
        <extracomment>%1 and %2 are instants such as 2026-11-23T21:04:05.678Z.</extracomment>
        <translation>时钟时间</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>In the whole recording</source>
        <translation>整个录制中</translation>
    </message>
    <message>
        <source>clients: %1, locks: %2, servers: %3, events: %4</source>
        <translation>客户端：%1，锁：%2，服务器：%3，事件：%4</translation>
    </message>
</context>
<context>
    <name>Export</name>
    <message>
        <source>There is no operation of a client to write, and no exclusive hold was seen. Export as csv or perfetto instead.</source>
        <translation>没有可写出的客户端操作，也没有看到独占持有。请改为导出 csv 或 perfetto。</translation>
    </message>
    <message>
        <source>The export was stopped; the file is incomplete.</source>
        <translation>导出已中止；文件不完整。</translation>
    </message>
    <message>
        <source>The export could not be written: %1.</source>
        <translation>无法写出导出文件：%1。</translation>
    </message>
</context>
<context>
    <name>Faults</name>
    <message>
        <source>%1 keeps its data in memory only: it waits for no disk.</source>
        <translation>%1 只把数据放在内存里：它不等任何磁盘。</translation>
    </message>
    <message>
        <source>%1 is a Sentinel: it keeps no locks, and its model has no disk.</source>
        <translation>%1 是哨兵：它不保存锁，模型里也没有磁盘。</translation>
    </message>
    <message>
        <source>%1 writes nothing to its disk: its persistence is none.</source>
        <translation>%1 不向磁盘写入任何数据：它没有开启持久化。</translation>
    </message>
    <message>
        <source>%1 is a ZooKeeper server: the ensemble elects its leader by itself.</source>
        <translation>%1 是 ZooKeeper 服务器：集群自行选举领导者。</translation>
    </message>
    <message>
        <source>%1 is a database without a replica: nothing could replace it.</source>
        <translation>%1 是没有副本的数据库：没有什么能接替它。</translation>
    </message>
    <message>
        <source>%1 is a memcached: no other server replaces it, as they share nothing.</source>
        <translation>%1 是 memcached：各服务器互不共享数据，没有服务器会接替它。</translation>
    </message>
    <message>
        <source>%1 is alone: there is no other member to hand over to.</source>
        <translation>只有 %1 一个成员：没有可以交接的对象。</translation>
    </message>
    <message>
        <source>%1 is a server of a Redis Cluster: when a master is gone, the other masters elect one of its replicas by themselves.</source>
        <translation>%1 是 Redis Cluster 的服务器：主节点消失后，其他主节点会自行选出它的一个副本接替。</translation>
    </message>
    <message>
        <source>There are no Sentinels to ask for a failover.</source>
        <translation>没有可以请求故障转移的哨兵。</translation>
    </message>
    <message>
        <source>%1 is not the master.</source>
        <translation>%1 不是主节点。</translation>
    </message>
    <message>
        <source>Demote %1, and a replica is promoted.</source>
        <extracomment>After a sentence that a server is not the master: %1 is its master.</extracomment>
        <translation>让 %1 降级，就会有一个副本被提升。</translation>
    </message>
    <message>
        <source>%1 ↔ %2</source>
        <translation>%1 ↔ %2</translation>
    </message>
    <message>
        <source>Nothing is open.</source>
        <translation>没有打开任何会话。</translation>
    </message>
    <message>
        <source>There is no client yet.</source>
        <translation>还没有客户端。</translation>
    </message>
    <message>
        <source>%1 is no client of ours at this instant: only those can be broken here.</source>
        <translation>此刻 %1 不是我们的客户端：这里只能破坏我们自己的客户端。</translation>
    </message>
    <message>
        <source>It is cut off already.</source>
        <translation>它已经被隔离。</translation>
    </message>
    <message>
        <source>None of its links is cut.</source>
        <translation>它的链路都没有切断。</translation>
    </message>
    <message>
        <source>%1 is dead.</source>
        <translation>%1 已死。</translation>
    </message>
    <message>
        <source>It is paused already.</source>
        <translation>它已经暂停。</translation>
    </message>
    <message>
        <source>It is not paused.</source>
        <translation>它没有暂停。</translation>
    </message>
    <message>
        <source>It hangs already: “Heal everything” lets it go on.</source>
        <translation>它已经卡住了：“全部复原”会让它继续。</translation>
    </message>
    <message>
        <source>The servers here send no messages of their own: clients ask.</source>
        <translation>这里的服务器不主动发消息：客户端自己来问。</translation>
    </message>
    <message>
        <source>There is no message to lose: waiters poll, and no server tells them anything.</source>
        <translation>没有消息可丢：等待者靠轮询，服务器不会通知它们。</translation>
    </message>
    <message>
        <source>TCP brings each request once, and only drivers and proxies of Redis send one again.</source>
        <translation>TCP 只把每个请求送达一次，只有 Redis 的驱动和代理会重发。</translation>
    </message>
    <message>
        <source>There is no watchdog: see the workload's settings.</source>
        <translation>没有看门狗：见负载设置。</translation>
    </message>
    <message>
        <source>It is stopped already.</source>
        <translation>它已经停了。</translation>
    </message>
    <message>
        <source>There is no server yet.</source>
        <translation>还没有服务器。</translation>
    </message>
    <message>
        <source>%1 is dead.</source>
        <comment>a server</comment>
        <translation>%1 已宕机。</translation>
    </message>
    <message>
        <source>There is no lock manager that could change its engine.</source>
        <translation>这里没有可以更换引擎的锁管理器。</translation>
    </message>
    <message>
        <source>The lock manager does not have %1 among its engines.</source>
        <translation>%1 不是锁管理器的引擎之一。</translation>
    </message>
    <message>
        <source>There is no link yet.</source>
        <translation>还没有链路。</translation>
    </message>
    <message>
        <source>Servers connect again at once: only connections of clients can be reset.</source>
        <translation>服务器之间会立刻重连：只有客户端的连接可以重置。</translation>
    </message>
    <message>
        <source>It is cut already.</source>
        <translation>它已经切断。</translation>
    </message>
    <message>
        <source>It is not cut.</source>
        <translation>它没有切断。</translation>
    </message>
    <message>
        <source>%1 keeps its data: only Redis and memcached servers throw keys out.</source>
        <translation>%1 会保留数据：只有 Redis 和 memcached 服务器会淘汰键。</translation>
    </message>
    <message>
        <source>%1 is a replica: it drops only the data that its master drops.</source>
        <translation>%1 是副本：只有主节点丢弃的数据它才会丢弃。</translation>
    </message>
    <message>
        <source>It is paused.</source>
        <translation>它已暂停。</translation>
    </message>
    <message>
        <source>Its disk stalls: a command may wait for it.</source>
        <translation>它的磁盘卡住了：命令可能要等它。</translation>
    </message>
    <message>
        <source>%1 keeps its data in memory only: it starts without them.</source>
        <translation>%1 只把数据放在内存中：重启后数据不会恢复。</translation>
    </message>
    <message>
        <source>Its disk stalls already.</source>
        <translation>它的磁盘已经卡住了。</translation>
    </message>
    <message>
        <source>Its disk does not stall.</source>
        <translation>它的磁盘没有卡住。</translation>
    </message>
    <message>
        <source>%1 is no database: its clients have no pool of connections.</source>
        <translation>%1 不是数据库：它的客户端没有连接池。</translation>
    </message>
    <message>
        <source>The clients of %1 share no pool: each has connections of its own.</source>
        <translation>%1 的客户端不共用连接池：各用各的连接。</translation>
    </message>
    <message>
        <source>Its pool is exhausted already.</source>
        <translation>它的连接池已经耗尽。</translation>
    </message>
    <message>
        <source>Its pool is not exhausted.</source>
        <translation>它的连接池没有耗尽。</translation>
    </message>
    <message>
        <source>%1 is not the leader.</source>
        <translation>%1 不是领导者。</translation>
    </message>
    <message>
        <source>No replica runs that could replace %1.</source>
        <translation>没有正在运行的副本可以接替 %1。</translation>
    </message>
    <message>
        <source>No Sentinel runs.</source>
        <translation>没有哨兵在运行。</translation>
    </message>
    <message>
        <source>“%1” is no engine of a lock manager.</source>
        <translation>“%1”不是锁管理器的引擎。</translation>
    </message>
    <message>
        <source>No client is running that could change the engine.</source>
        <translation>没有正在运行、可以更换引擎的客户端。</translation>
    </message>
    <message>
        <source>%1 does not lead an etcd cluster: it has nothing to hand over.</source>
        <translation>%1 不是 etcd 集群的领导者：没有可移交的领导权。</translation>
    </message>
    <message>
        <source>“%1” does not fit this scenario's servers and programs; these do: %2.</source>
        <translation>“%1”不适合此场景的服务器和程序；适合的有：%2。</translation>
    </message>
    <message>
        <source>one %1 server</source>
        <translation>一台 %1 服务器</translation>
    </message>
    <message>
        <source>%1 Redis servers with Sentinels</source>
        <extracomment>%1 a number.</extracomment>
        <translation>%1 台带哨兵的 Redis 服务器</translation>
    </message>
    <message>
        <source>a Redis Cluster of %1 servers</source>
        <extracomment>%1 a number.</extracomment>
        <translation>由 %1 台服务器组成的 Redis Cluster</translation>
    </message>
    <message>
        <source>%1 independent Redis servers</source>
        <extracomment>%1 a number.</extracomment>
        <translation>%1 台独立的 Redis 服务器</translation>
    </message>
    <message>
        <source>%1 %2 servers</source>
        <extracomment>%1 a number, %2 "ZooKeeper".</extracomment>
        <translation>%1 台 %2 服务器</translation>
    </message>
    <message>
        <source>%1 does not work on %2: the run is on %3 instead</source>
        <translation>%1 不能用于 %2：改在 %3 上运行</translation>
    </message>
    <message>
        <source>“%1” does not work on the servers that are named here, %2: choose one of %3, or servers for it</source>
        <translation>“%1”不能用于这里写明的服务器（%2）：请改用 %3 之一，或换成它能用的服务器</translation>
    </message>
    <message>
        <source>%1 is a Sentinel: it keeps no locks.</source>
        <translation>%1 是哨兵：它不保存锁。</translation>
    </message>
    <message>
        <source>%1 keeps its data: it throws no key out by itself.</source>
        <translation>%1 会保留数据：它不会自己淘汰键。</translation>
    </message>
    <message>
        <source>A time, such as 250ms or 3s; for a clock also -10s:</source>
        <translation>时间，如 250ms 或 3s；时钟还可写 -10s：</translation>
    </message>
    <message>
        <source>“%1” is not a time. Write one such as 250ms or 3s:</source>
        <translation>“%1”不是时间。请写如 250ms 或 3s：</translation>
    </message>
    <message>
        <source>What this model leaves out…</source>
        <translation>此模型省略了什么…</translation>
    </message>
    <message>
        <source>Evict a lock from %1</source>
        <translation>从 %1 淘汰一把锁</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Clock</source>
        <translation>时钟</translation>
    </message>
    <message>
        <source>Data and connections</source>
        <translation>数据与连接</translation>
    </message>
    <message>
        <source>On a condition, or another target…</source>
        <translation>按条件，或对其他目标…</translation>
    </message>
    <message>
        <source>Only in a simulation can faults be planned.</source>
        <translation>只有在模拟中才能安排故障。</translation>
    </message>
    <message>
        <source>Other…</source>
        <translation>其他…</translation>
    </message>
    <message>
        <source>Restart %1 with what its disk has, as after a crash</source>
        <translation>如崩溃后那样重启 %1，只剩磁盘上的数据</translation>
    </message>
    <message>
        <source>Restart %1 with its data</source>
        <translation>重启 %1，保留数据</translation>
    </message>
    <message>
        <source>%1 for %2</source>
        <comment>a fault</comment>
        <extracomment>%1 a fault, %2 how long it lasts.</extracomment>
        <translation>%1，持续 %2</translation>
    </message>
    <message>
        <source>Pause %1</source>
        <translation>暂停 %1</translation>
    </message>
    <message>
        <source>Pause client</source>
        <translation>暂停客户端</translation>
    </message>
    <message>
        <source>Pause</source>
        <comment>button</comment>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Resume %1</source>
        <translation>恢复 %1</translation>
    </message>
    <message>
        <source>Resume client</source>
        <translation>恢复客户端</translation>
    </message>
    <message>
        <source>Resume</source>
        <comment>button</comment>
        <translation>继续</translation>
    </message>
    <message>
        <source>Kill %1</source>
        <translation>杀死 %1</translation>
    </message>
    <message>
        <source>Kill client</source>
        <translation>杀死客户端</translation>
    </message>
    <message>
        <source>Kill</source>
        <comment>button</comment>
        <translation>杀死</translation>
    </message>
    <message>
        <source>Restart %1</source>
        <translation>重启 %1</translation>
    </message>
    <message>
        <source>Restart client</source>
        <translation>重启客户端</translation>
    </message>
    <message>
        <source>Restart</source>
        <comment>button</comment>
        <translation>重启</translation>
    </message>
    <message>
        <source>Lose the next reply to %1</source>
        <translation>丢失给 %1 的下一个应答</translation>
    </message>
    <message>
        <source>Lose next reply</source>
        <translation>丢失下一个应答</translation>
    </message>
    <message>
        <source>Lose reply</source>
        <comment>button</comment>
        <translation>丢失应答</translation>
    </message>
    <message>
        <source>Lose the next message to %1</source>
        <translation>丢失发给 %1 的下一条消息</translation>
    </message>
    <message>
        <source>Lose next message</source>
        <translation>丢失下一条消息</translation>
    </message>
    <message>
        <source>Lose push</source>
        <comment>button</comment>
        <translation>丢失消息</translation>
    </message>
    <message>
        <source>Repeat the next request of %1</source>
        <translation>让 %1 的下一个请求重复一次</translation>
    </message>
    <message>
        <source>Repeat next request</source>
        <translation>重复下一个请求</translation>
    </message>
    <message>
        <source>Repeat</source>
        <comment>button</comment>
        <translation>重复</translation>
    </message>
    <message>
        <source>Hang the work of %1</source>
        <translation>让 %1 的工作卡住</translation>
    </message>
    <message>
        <source>Hang work</source>
        <translation>让工作卡住</translation>
    </message>
    <message>
        <source>Hang work</source>
        <comment>button</comment>
        <translation>让工作卡住</translation>
    </message>
    <message>
        <source>Stop the watchdog of %1</source>
        <translation>停止 %1 的看门狗</translation>
    </message>
    <message>
        <source>Stop watchdog</source>
        <translation>停止看门狗</translation>
    </message>
    <message>
        <source>Watchdog</source>
        <comment>button</comment>
        <translation>看门狗</translation>
    </message>
    <message>
        <source>Pause server</source>
        <translation>暂停服务器</translation>
    </message>
    <message>
        <source>Resume server</source>
        <translation>恢复服务器</translation>
    </message>
    <message>
        <source>Kill server</source>
        <translation>杀死服务器</translation>
    </message>
    <message>
        <source>Crash the machine of %1</source>
        <translation>让 %1 的机器崩溃</translation>
    </message>
    <message>
        <source>Crash machine</source>
        <translation>机器崩溃</translation>
    </message>
    <message>
        <source>Crash</source>
        <comment>button</comment>
        <translation>崩溃</translation>
    </message>
    <message>
        <source>Restart server</source>
        <translation>重启服务器</translation>
    </message>
    <message>
        <source>Restart…</source>
        <comment>button</comment>
        <translation>重启…</translation>
    </message>
    <message>
        <source>Restart %1 without its data</source>
        <translation>重启 %1，不带数据</translation>
    </message>
    <message>
        <source>Without data</source>
        <translation>不带数据</translation>
    </message>
    <message>
        <source>Restart empty</source>
        <comment>button</comment>
        <translation>清空重启</translation>
    </message>
    <message>
        <source>Demote %1: ask for a failover</source>
        <translation>降级 %1：请求故障转移</translation>
    </message>
    <message>
        <source>Demote</source>
        <translation>降级</translation>
    </message>
    <message>
        <source>Demote</source>
        <comment>button</comment>
        <translation>降级</translation>
    </message>
    <message>
        <source>Evict the lock from %1</source>
        <translation>从 %1 淘汰锁</translation>
    </message>
    <message>
        <source>Evict lock</source>
        <translation>淘汰锁</translation>
    </message>
    <message>
        <source>Evict</source>
        <comment>button</comment>
        <translation>淘汰</translation>
    </message>
    <message>
        <source>Delete all data of %1</source>
        <translation>删除 %1 的全部数据</translation>
    </message>
    <message>
        <source>Delete data</source>
        <translation>删除数据</translation>
    </message>
    <message>
        <source>Flush</source>
        <comment>button</comment>
        <translation>清空</translation>
    </message>
    <message>
        <source>Take all connections of the pool of %1</source>
        <translation>占满 %1 的连接池</translation>
    </message>
    <message>
        <source>Exhaust pool</source>
        <translation>耗尽连接池</translation>
    </message>
    <message>
        <source>Pool</source>
        <comment>button</comment>
        <translation>连接池</translation>
    </message>
    <message>
        <source>Give the pool of %1 its connections back</source>
        <translation>归还 %1 连接池的连接</translation>
    </message>
    <message>
        <source>Free pool</source>
        <translation>释放连接池</translation>
    </message>
    <message>
        <source>Free pool</source>
        <comment>button</comment>
        <translation>释放连接池</translation>
    </message>
    <message>
        <source>Stall the disk of %1</source>
        <translation>卡住 %1 的磁盘</translation>
    </message>
    <message>
        <source>Stall disk</source>
        <translation>卡住磁盘</translation>
    </message>
    <message>
        <source>Disk</source>
        <comment>button</comment>
        <translation>磁盘</translation>
    </message>
    <message>
        <source>Let the disk of %1 go on</source>
        <translation>让 %1 的磁盘继续</translation>
    </message>
    <message>
        <source>Free disk</source>
        <translation>放开磁盘</translation>
    </message>
    <message>
        <source>Free disk</source>
        <comment>button</comment>
        <translation>放开磁盘</translation>
    </message>
    <message>
        <source>Make %1 the lock manager's engine</source>
        <translation>让锁管理器改用 %1</translation>
    </message>
    <message>
        <source>Change engine</source>
        <translation>更换引擎</translation>
    </message>
    <message>
        <source>Engine</source>
        <comment>button</comment>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Cut %1</source>
        <translation>切断 %1</translation>
    </message>
    <message>
        <source>Cut link</source>
        <translation>切断链路</translation>
    </message>
    <message>
        <source>Cut</source>
        <comment>button</comment>
        <translation>切断</translation>
    </message>
    <message>
        <source>Mend %1</source>
        <translation>修复 %1</translation>
    </message>
    <message>
        <source>Mend link</source>
        <translation>修复链路</translation>
    </message>
    <message>
        <source>Mend</source>
        <comment>button</comment>
        <translation>修复</translation>
    </message>
    <message>
        <source>Delay %1</source>
        <translation>延迟 %1</translation>
    </message>
    <message>
        <source>Delay link</source>
        <translation>延迟链路</translation>
    </message>
    <message>
        <source>Delay…</source>
        <comment>button</comment>
        <translation>延迟…</translation>
    </message>
    <message>
        <source>Make the latency of %1 vary</source>
        <translation>让 %1 的延迟抖动</translation>
    </message>
    <message>
        <source>Jitter</source>
        <translation>抖动</translation>
    </message>
    <message>
        <source>Jitter…</source>
        <comment>button</comment>
        <translation>抖动…</translation>
    </message>
    <message>
        <source>Reset the connections of %1</source>
        <translation>重置 %1 的连接</translation>
    </message>
    <message>
        <source>Reset connections</source>
        <translation>重置连接</translation>
    </message>
    <message>
        <source>Reset</source>
        <comment>button</comment>
        <translation>重置</translation>
    </message>
    <message>
        <source>Make the clock of %1 run fast or slow</source>
        <translation>让 %1 的时钟走快或走慢</translation>
    </message>
    <message>
        <source>Clock drift</source>
        <translation>时钟漂移</translation>
    </message>
    <message>
        <source>Drift…</source>
        <comment>button</comment>
        <translation>漂移…</translation>
    </message>
    <message>
        <source>Jump the clock of %1</source>
        <translation>拨动 %1 的时钟</translation>
    </message>
    <message>
        <source>Jump clock</source>
        <translation>拨动时钟</translation>
    </message>
    <message>
        <source>Clock…</source>
        <comment>button</comment>
        <translation>时钟…</translation>
    </message>
    <message>
        <source>Heal everything</source>
        <translation>全部复原</translation>
    </message>
    <message>
        <source>Heal all</source>
        <comment>button</comment>
        <translation>全部复原</translation>
    </message>
    <message>
        <source>Isolate %1</source>
        <translation>隔离 %1</translation>
    </message>
    <message>
        <source>Isolate client</source>
        <translation>隔离客户端</translation>
    </message>
    <message>
        <source>Isolate</source>
        <comment>button</comment>
        <translation>隔离</translation>
    </message>
    <message>
        <source>Reconnect %1</source>
        <translation>重新连接 %1</translation>
    </message>
    <message>
        <source>Reconnect client</source>
        <translation>重新连接客户端</translation>
    </message>
    <message>
        <source>Reconnect</source>
        <comment>button</comment>
        <translation>重新连接</translation>
    </message>
    <message>
        <source>Slow %1 down</source>
        <translation>使 %1 变慢</translation>
    </message>
    <message>
        <source>Slow client down</source>
        <translation>使客户端变慢</translation>
    </message>
    <message>
        <source>Slow…</source>
        <comment>button</comment>
        <translation>变慢…</translation>
    </message>
    <message>
        <source>Client's jitter</source>
        <translation>客户端抖动</translation>
    </message>
    <message>
        <source>Reset client's connections</source>
        <translation>重置客户端连接</translation>
    </message>
    <message>
        <source>Client's clock drift</source>
        <translation>客户端时钟漂移</translation>
    </message>
    <message>
        <source>Jump client's clock</source>
        <translation>拨动客户端时钟</translation>
    </message>
    <message>
        <source>Isolate server</source>
        <translation>隔离服务器</translation>
    </message>
    <message>
        <source>Reconnect server</source>
        <translation>重新连接服务器</translation>
    </message>
    <message>
        <source>Slow server down</source>
        <translation>使服务器变慢</translation>
    </message>
    <message>
        <source>Server's jitter</source>
        <translation>服务器抖动</translation>
    </message>
    <message>
        <source>Reset server's connections</source>
        <translation>重置服务器的连接</translation>
    </message>
    <message>
        <source>Server's clock drift</source>
        <translation>服务器时钟漂移</translation>
    </message>
    <message>
        <source>Jump server's clock</source>
        <translation>拨动服务器时钟</translation>
    </message>
    <message>
        <source>Evict %1 from %2</source>
        <comment>a lock, a server</comment>
        <translation>从 %2 淘汰 %1</translation>
    </message>
    <message>
        <source>%1 more each way</source>
        <translation>单程增加 %1</translation>
    </message>
    <message>
        <source>no delay</source>
        <translation>无延迟</translation>
    </message>
    <message>
        <source>up to %1 more each way, by chance</source>
        <translation>每个方向随机最多增加 %1</translation>
    </message>
    <message>
        <source>no jitter</source>
        <translation>没有抖动</translation>
    </message>
    <message>
        <source>gains %1 a second</source>
        <translation>每秒快 %1</translation>
    </message>
    <message>
        <source>loses %1 a second</source>
        <translation>每秒慢 %1</translation>
    </message>
    <message>
        <source>right speed</source>
        <translation>正常速度</translation>
    </message>
    <message>
        <source>%1 ahead</source>
        <translation>快 %1</translation>
    </message>
    <message>
        <source>%1 behind</source>
        <translation>慢 %1</translation>
    </message>
    <message>
        <source>back to true time</source>
        <translation>拨回真实时间</translation>
    </message>
    <message>
        <source>%1 paused</source>
        <translation>%1 已暂停</translation>
    </message>
    <message>
        <source>%1 dead</source>
        <translation>%1 已死</translation>
    </message>
    <message>
        <source>%1 dead</source>
        <comment>a server</comment>
        <translation>%1 已宕机</translation>
    </message>
    <message>
        <source>clock of %1 off</source>
        <translation>%1 时钟偏差</translation>
    </message>
    <message>
        <source>clock of %1 drifts</source>
        <translation>%1 的时钟漂移</translation>
    </message>
    <message>
        <source>%1 cut</source>
        <translation>%1 已切断</translation>
    </message>
    <message>
        <source>disk of %1 stalls</source>
        <translation>%1 的磁盘卡住</translation>
    </message>
    <message>
        <source>pool of %1 exhausted</source>
        <translation>%1 的连接池已耗尽</translation>
    </message>
    <message>
        <source>%1 slower</source>
        <translation>慢 %1</translation>
    </message>
    <message>
        <source>%1 ↔ %2 others</source>
        <extracomment>Links of one client or server: %1 its name, %2 the number of parties at the other ends, three at least.</extracomment>
        <translation>%1 ↔ 其他 %2 方</translation>
    </message>
    <message>
        <source>dead</source>
        <comment>a server</comment>
        <translation>已宕机</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>selected</source>
        <translation>已选中</translation>
    </message>
    <message>
        <source>holds</source>
        <translation>持有</translation>
    </message>
    <message>
        <source>dead, on record</source>
        <translation>已死，仍在记录上</translation>
    </message>
    <message>
        <source>waits longest</source>
        <translation>等待最久</translation>
    </message>
    <message>
        <source>acts on %1, selected</source>
        <translation>作用于选中的 %1</translation>
    </message>
    <message>
        <source>acts on %1, paused</source>
        <translation>作用于 %1（已暂停）</translation>
    </message>
    <message>
        <source>acts on %1, the holder</source>
        <translation>作用于持有者 %1</translation>
    </message>
    <message>
        <source>acts on %1, dead and on record</source>
        <translation>作用于 %1（已死，仍在记录上）</translation>
    </message>
    <message>
        <source>acts on %1, waiting longest</source>
        <translation>作用于等待最久的 %1</translation>
    </message>
    <message>
        <source>acts on %1</source>
        <translation>作用于 %1</translation>
    </message>
    <message>
        <source>switch to %1</source>
        <translation>切换到 %1</translation>
    </message>
    <message>
        <source>evicted %1 from %2</source>
        <translation>从 %2 淘汰了 %1</translation>
    </message>
    <message>
        <source>emptied %1</source>
        <translation>清空了 %1</translation>
    </message>
    <message>
        <source>pool of %1 free again</source>
        <translation>%1 的连接池恢复</translation>
    </message>
    <message>
        <source>disk of %1 answers again</source>
        <translation>%1 的磁盘恢复应答</translation>
    </message>
    <message>
        <source>clock of %1 runs right</source>
        <translation>%1 的时钟走得正常</translation>
    </message>
    <message>
        <source>clock of %1 gains %2 a second</source>
        <translation>%1 的时钟每秒快 %2</translation>
    </message>
    <message>
        <source>clock of %1 loses %2 a second</source>
        <translation>%1 的时钟每秒慢 %2</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <comment>what the first one sends</comment>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>%1 ← %2</source>
        <comment>what the first one gets</comment>
        <translation>%1 ← %2</translation>
    </message>
    <message>
        <source>any client</source>
        <translation>任一客户端</translation>
    </message>
    <message>
        <source>the holder</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>the longest waiter</source>
        <translation>等待最久者</translation>
    </message>
    <message>
        <source>the one found</source>
        <translation>条件找到的那一个</translation>
    </message>
    <message>
        <source>Demote %1: failover</source>
        <translation>降级 %1：故障转移</translation>
    </message>
    <message>
        <source>Slow %1 down by %2</source>
        <translation>使 %1 慢 %2</translation>
    </message>
    <message>
        <source>Delay %1 by %2</source>
        <translation>%1 延迟 %2</translation>
    </message>
    <message>
        <source>Jitter of %1: up to %2</source>
        <translation>%1 抖动：最多 %2</translation>
    </message>
    <message>
        <source>Clock of %1 gains %2 a second</source>
        <translation>%1 的时钟每秒快 %2</translation>
    </message>
    <message>
        <source>Clock of %1 off by %2</source>
        <translation>%1 的时钟偏差 %2</translation>
    </message>
    <message>
        <source>Change the engine to %1</source>
        <translation>把引擎换为 %1</translation>
    </message>
    <message>
        <source>when %1 of the lease is left</source>
        <translation>当租约还剩 %1 时</translation>
    </message>
    <message>
        <source>when %1 of the lease of %2 is left</source>
        <translation>当 %2 的租约还剩 %1 时</translation>
    </message>
    <message>
        <source>when %1 of the lease on %2 is left</source>
        <extracomment>%1 a time, %2 a lock.</extracomment>
        <translation>当 %2 的租约剩 %1 时</translation>
    </message>
    <message>
        <source>when %1 of the lease of %2 on %3 is left</source>
        <extracomment>%1 a time, %2 a client, %3 a lock.</extracomment>
        <translation>当 %2 在 %3 上的租约剩 %1 时</translation>
    </message>
    <message>
        <source>when %1 gets the lock</source>
        <translation>当 %1 获得锁时</translation>
    </message>
    <message>
        <source>when %1 gets the lock %2</source>
        <translation>当 %1 得到锁 %2 时</translation>
    </message>
    <message>
        <source>when %1 asks for the lock</source>
        <translation>当 %1 请求锁时</translation>
    </message>
    <message>
        <source>when %1 asks for the lock %2</source>
        <translation>当 %1 请求锁 %2 时</translation>
    </message>
    <message>
        <source>when %1 gives the lock back</source>
        <translation>当 %1 归还锁时</translation>
    </message>
    <message>
        <source>when %1 gives the lock %2 back</source>
        <translation>当 %1 归还锁 %2 时</translation>
    </message>
    <message>
        <source>when the server records %1 as the holder</source>
        <translation>当服务器把 %1 记为持有者时</translation>
    </message>
    <message>
        <source>when the server records %1 as the holder of %2</source>
        <translation>当服务器把 %1 记为 %2 的持有者时</translation>
    </message>
    <message>
        <source>when %1 is at step %2</source>
        <translation>当 %1 到达第 %2 步时</translation>
    </message>
    <message>
        <source>when %1 is at step %2 for the lock %3</source>
        <translation>当 %1 为锁 %3 走到第 %2 步时</translation>
    </message>
    <message>
        <source>when another server becomes the leader</source>
        <translation>当另一台服务器成为领导者时</translation>
    </message>
    <message>
        <source>when %1 is the leader</source>
        <translation>当 %1 是领导者时</translation>
    </message>
    <message>
        <source>%1 (no. %2)</source>
        <extracomment>%1 a condition, %2 which time it is met, 2 at least.</extracomment>
        <translation>%1（第 %2 次）</translation>
    </message>
    <message>
        <source>%1, and %2 later</source>
        <extracomment>%1 a condition, %2 how long after it.</extracomment>
        <translation>%1，再过 %2</translation>
    </message>
    <message>
        <source>%1, again every %2, %3 times in all</source>
        <extracomment>%1 a fault, %2 after which time it strikes again, %3 how often.</extracomment>
        <translation>%1，每隔 %2 再来一次，共 %3 次</translation>
    </message>
    <message>
        <source>%1, again every %2</source>
        <translation>%1，每隔 %2 再来一次</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>a fault</comment>
        <extracomment>%1 a fault, %2 its condition: "Pause A, when B gets the lock".</extracomment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1 = %2</source>
        <comment>a setting and its new value</comment>
        <translation>%1 = %2</translation>
    </message>
    <message>
        <source>There is no node “%1”; the node here is “%2”.</source>
        <translation>没有节点“%1”；这里的节点是“%2”。</translation>
    </message>
    <message>
        <source>%1 does not run.</source>
        <translation>%1 没有在运行。</translation>
    </message>
    <message>
        <source>%1 waits for its disk, and does nothing else.</source>
        <translation>%1 在等自己的磁盘，别的什么也不做。</translation>
    </message>
    <message>
        <source>There is no client “%1” to do this to now.</source>
        <translation>现在没有客户端“%1”可供这样操作。</translation>
    </message>
</context>
<context>
    <name>Finder</name>
    <message>
        <source>Lesson</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>your own: %1</source>
        <translation>自编：%1</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>What is this?</source>
        <translation>这是什么？</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Resource</source>
        <translation>资源</translation>
    </message>
    <message>
        <source>Break</source>
        <translation>破坏</translation>
    </message>
    <message>
        <source>Open the shared run</source>
        <translation>打开分享的运行</translation>
    </message>
</context>
<context>
    <name>Format</name>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>never</source>
        <extracomment>No deadline: it never expires.</extracomment>
        <translation>永不</translation>
    </message>
    <message>
        <source>%1 ns</source>
        <translation>%1 ns</translation>
    </message>
    <message>
        <source>%1 µs</source>
        <translation>%1 µs</translation>
    </message>
    <message>
        <source>%1 m %2 s</source>
        <translation>%1 m %2 s</translation>
    </message>
    <message>
        <source>%1 h %2 m</source>
        <translation>%1 h %2 m</translation>
    </message>
    <message>
        <source>%1 d %2 h</source>
        <translation>%1 d %2 h</translation>
    </message>
    <message>
        <source>%1 – now</source>
        <translation>%1 – 现在</translation>
    </message>
    <message>
        <source>%1 – %2 s</source>
        <translation>%1 – %2 s</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>unknown</source>
        <extracomment>This format of lock does not say.</extracomment>
        <translation>未知</translation>
    </message>
    <message>
        <source>%1 G</source>
        <translation>%1 G</translation>
    </message>
    <message>
        <source>%1 M</source>
        <translation>%1 M</translation>
    </message>
    <message>
        <source>%1 k</source>
        <translation>%1 k</translation>
    </message>
    <message>
        <source>%1 GB</source>
        <translation>%1 GB</translation>
    </message>
    <message>
        <source>%1 MB</source>
        <translation>%1 MB</translation>
    </message>
    <message>
        <source>%1 kB</source>
        <translation>%1 kB</translation>
    </message>
    <message>
        <source>%1 B</source>
        <translation>%1 B</translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message>
        <source>Protocol</source>
        <translation>协议</translation>
    </message>
    <message>
        <source>Protocol and verdict</source>
        <translation>协议与裁决</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>裁决</translation>
    </message>
</context>
<context>
    <name>Language</name>
    <message>
        <source>en</source>
        <extracomment>The language code of this translation, e.g. zh_CN. Leave as en for English.</extracomment>
        <translation>zh_CN</translation>
    </message>
</context>
<context>
    <name>LineName</name>
    <message>
        <source>(empty)</source>
        <extracomment>A lock whose name is the empty text.</extracomment>
        <translation>（空）</translation>
    </message>
    <message numerus="yes">
        <source>%1…%2 (%n characters)</source>
        <extracomment>The beginning and the end of a name, and its length.</extracomment>
        <translation>
            <numerusform>%1…%2（%n 个字符）</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Lock</name>
    <message>
        <source>a hold of “%1” could not be given back: %2</source>
        <translation>对“%1”的一次持有无法归还：%2</translation>
    </message>
    <message>
        <source>the last object of the lock “%1” was destroyed while a thread held it: it is given back</source>
        <translation>锁“%1”的最后一个对象在仍有线程持有时被销毁：锁已被归还</translation>
    </message>
    <message>
        <source>the lock “%1” was taken</source>
        <translation>已获得锁“%1”</translation>
    </message>
    <message>
        <source>the lock “%1” was taken again</source>
        <translation>再次获得锁“%1”</translation>
    </message>
    <message>
        <source>the lock “%1” was renewed</source>
        <translation>已为锁“%1”续期</translation>
    </message>
    <message>
        <source>the lock “%1” was given back</source>
        <translation>已归还锁“%1”</translation>
    </message>
    <message>
        <source>the lock “%1” was lost: %2</source>
        <translation>锁“%1”已丢失：%2</translation>
    </message>
    <message>
        <source>the server does not answer for the lock “%1”: %2</source>
        <translation>服务器对锁“%1”没有应答：%2</translation>
    </message>
    <message>
        <source>the lock “%1” was not taken: %2</source>
        <translation>未获得锁“%1”：%2</translation>
    </message>
    <message>
        <source>the lock “%1” could not be given back: %2</source>
        <translation>锁“%1”无法归还：%2</translation>
    </message>
    <message>
        <source>renewal refused: the server no longer knows this hold</source>
        <translation>续期被拒：服务器已不认得这次持有</translation>
    </message>
    <message>
        <source>the server granted the lock anew: it had freed this hold before</source>
        <translation>服务器重新授予了锁：此前它已释放这次持有</translation>
    </message>
    <message>
        <source>the server no longer knows this hold</source>
        <translation>服务器上已没有这次持有的记录</translation>
    </message>
    <message>
        <source>own clock past the end of the lease</source>
        <translation>自身时钟已过租约终点</translation>
    </message>
    <message>
        <source>held for the maximum hold time</source>
        <translation>持有已达最长持有时间</translation>
    </message>
    <message>
        <source>its manager has been closed</source>
        <translation>它的管理器已关闭</translation>
    </message>
    <message>
        <source>another engine is used for locks from now on</source>
        <translation>从现在起锁使用另一个引擎</translation>
    </message>
    <message>
        <source>nothing can be heard of a part of it any more</source>
        <translation>其中一部分已经没有任何消息</translation>
    </message>
    <message>
        <source>the database does not answer on the connection that holds the lock</source>
        <translation>数据库在持有锁的连接上没有应答</translation>
    </message>
    <message>
        <source>the connection that held the lock is gone</source>
        <translation>持有锁的连接已经断开</translation>
    </message>
    <message>
        <source>the session with the server has ended</source>
        <translation>与服务器的会话已经结束</translation>
    </message>
    <message>
        <source>the connection to the server is lost</source>
        <translation>与服务器的连接已断开</translation>
    </message>
    <message>
        <source>somebody removed our node on the server</source>
        <translation>有人删除了我们在服务器上的节点</translation>
    </message>
</context>
<context>
    <name>LockCopies</name>
    <message>
        <source>dead</source>
        <translation>已宕机</translation>
    </message>
    <message>
        <source>decides</source>
        <translation>裁定</translation>
    </message>
    <message>
        <source>a copy</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>its own</source>
        <translation>独立</translation>
    </message>
</context>
<context>
    <name>LockError</name>
    <message>
        <source>Locks over %1 are not supported.</source>
        <translation>不支持 %1 上的锁。</translation>
    </message>
    <message>
        <source>If this account may not create tables, let another account create them and set ClientOptions::prepare = false.</source>
        <translation>若此账号不能建表，请用另一个账号建好，并设置 ClientOptions::prepare = false。</translation>
    </message>
    <message>
        <source>A wait for a condition wants a lock that owns the condition's mutex.</source>
        <translation>等待条件变量时，传入的锁须持有该条件变量的互斥锁。</translation>
    </message>
    <message>
        <source>A lock of several needs one part at least.</source>
        <translation>由多把锁合成的锁至少要有一个组成部分。</translation>
    </message>
    <message>
        <source>The clients of a MultiLock's parts share one thread: make all but the first with ClientOptions::beside.</source>
        <translation>MultiLock 各部分的客户端须共用一个线程：除第一个外，其余都用 ClientOptions::beside 创建。</translation>
    </message>
    <message>
        <source>Another thread of this program does. Take what is to change threads by acquire(); giveBack() frees what was left behind.</source>
        <translation>本程序的另一个线程持有它。要在线程之间转移的持有请用 acquire() 获取；被遗留的持有可用 giveBack() 归还。</translation>
    </message>
    <message>
        <source>Another client writes this History, or has written it. Give each client one of its own, or let them share a service thread (ClientOptions::beside).</source>
        <translation>另一个客户端正在写入或已写入过这个 History。请为每个客户端各给一个，或让它们共用一个服务线程（ClientOptions::beside）。</translation>
    </message>
    <message>
        <source>The client of this lock belongs to the process that this one was copied from (fork): make a new one here.</source>
        <translation>此锁的客户端属于复制出本进程（fork）的那个进程：请在这里新建一个。</translation>
    </message>
    <message>
        <source>The client or manager has been closed; make a new one.</source>
        <translation>客户端或管理器已关闭；请新建一个。</translation>
    </message>
    <message>
        <source>A blocking call from a callback of a lock would wait for itself; let another thread make it.</source>
        <translation>在锁的回调中做阻塞调用会等待自己；请让另一个线程来做。</translation>
    </message>
    <message>
        <source>This client has the lock “%1” already, with other options (%2): all objects of one client and name have the same ones.</source>
        <translation>此客户端已有锁“%1”，但选项不同（%2）：同一客户端、同一名称的所有对象须用相同的选项。</translation>
    </message>
    <message>
        <source>%1 names fewer than three servers, so none of them may be away: a majority is all of them. Name three or five.</source>
        <translation>%1 列出的服务器少于三台，因此任何一台都不能缺席：多数派就是全部。请列出三台或五台。</translation>
    </message>
    <message>
        <source>An election needs a watchdog: LockOptions::watchdog is 0, and the leader would end with its lease.</source>
        <translation>选举需要看门狗：LockOptions::watchdog 为 0，领导者会随租约结束而失去领导权。</translation>
    </message>
    <message>
        <source>The recipe “%1” cannot elect a leader: nothing would end the leadership of one that dies.</source>
        <translation>算法“%1”不能用于选举领导者：领导者死亡后，没有什么会结束它的领导权。</translation>
    </message>
    <message>
        <source>Another client of this program has the identity “%1” on %2: each would take the other's locks for its own. Give each client an identity of its own, or close the other one first.</source>
        <translation>本程序的另一个客户端已在 %2 上使用标识“%1”：两者会把对方的锁当成自己的。请给每个客户端各自的标识，或先关闭另一个。</translation>
    </message>
    <message>
        <source>Another object of this connection uses the lock “%1” for thread %2: to the servers both are one holder. Share one object, or give each coroutine that locks a thread number of its own.</source>
        <translation>此连接的另一个对象正在为线程 %2 使用锁“%1”：对服务器来说，两者是同一个持有者。请共用一个对象，或者给每个要加锁的协程一个自己的线程号。</translation>
    </message>
    <message>
        <source>Locks of the recipe “%1” have no conditions; those of %2 do.</source>
        <translation>算法“%1”的锁没有条件变量；%2 的锁有。</translation>
    </message>
    <message>
        <source>The recipe “%1” needs several servers that know nothing of each other, and %2 is not that: write redlock://host1,host2,host3.</source>
        <translation>算法“%1”需要几台互不相识的服务器，而 %2 不是：请写 redlock://host1,host2,host3。</translation>
    </message>
    <message>
        <source>A lock on etcd needs a name.</source>
        <translation>etcd 上的锁需要一个名称。</translation>
    </message>
    <message>
        <source>The cluster %1 is down: some of its slots have no master. Look at CLUSTER INFO.</source>
        <translation>集群 %1 不可用：部分槽没有主节点。请查看 CLUSTER INFO。</translation>
    </message>
    <message>
        <source>The lock needs a name.</source>
        <translation>锁需要一个名称。</translation>
    </message>
    <message>
        <source>The URL's option wait=%1 is not a number of replicas; write for example wait=1.</source>
        <translation>URL 的选项 wait=%1 不是副本数；例如写成 wait=1。</translation>
    </message>
    <message>
        <source>“%1” names no locks; write their names with commas: a,b,c.</source>
        <translation>“%1”没有指定锁；请用逗号写出它们的名称：a,b,c。</translation>
    </message>
    <message>
        <source>%1 is a replica and takes no writes: connect to its master, or by its sentinels.</source>
        <translation>%1 是副本，不接受写入：请连接其主节点，或通过哨兵连接。</translation>
    </message>
    <message>
        <source>Over independent servers (%1) there is the recipe redis-redlock only, not “%2”.</source>
        <translation>在相互独立的服务器（%1）上只有算法 redis-redlock，没有“%2”。</translation>
    </message>
    <message>
        <source>“%1” cannot be the name of a record: it takes 1 to %2 bytes of UTF-8 without a zero byte.</source>
        <translation>“%1”不能作为记录名：它须为 1 到 %2 字节、不含零字节的 UTF-8。</translation>
    </message>
    <message>
        <source>The semaphore “%1” needs at least one permit, not %2.</source>
        <translation>信号量“%1”至少需要一个许可，而不是 %2 个。</translation>
    </message>
    <message>
        <source>“%1” has no names that kazoo sees. With layout=kazoo there are zk-mutex and zk-rw; or leave the option out of the URL.</source>
        <translation>“%1”没有 kazoo 能看到的节点名。layout=kazoo 时可用 zk-mutex 和 zk-rw；或者从 URL 中去掉这个选项。</translation>
    </message>
    <message>
        <source>“%1” cannot have nodes of two libraries. With layout=both there is zk-mutex; or leave the option out of the URL.</source>
        <translation>“%1”不能有两种库的节点。layout=both 时可用 zk-mutex；或者从 URL 中去掉这个选项。</translation>
    </message>
    <message>
        <source>Somebody holds the lock “%1”, and the database did not tell who: its tables of waiting transactions are old while others keep reading them. Nothing was changed; try again.</source>
        <translation>锁“%1”正被持有，但数据库没有说出持有者：只要一直有人读取，它的事务等待表就是旧的。什么都没有改变；请重试。</translation>
    </message>
    <message>
        <source>The server ended the wait for the lock “%1”. Try again.</source>
        <translation>服务器结束了对锁“%1”的等待。请重试。</translation>
    </message>
    <message>
        <source>“%1” cannot be the name of a table: write letters, digits and underscores, at most 41, after table= in the URL.</source>
        <translation>“%1”不能作表名：请在 URL 的 table= 后面写字母、数字和下划线，最多 41 个。</translation>
    </message>
    <message>
        <source>The connections of a MultiLock's parts belong together: make all but the first beside it.</source>
        <translation>MultiLock 各部分的连接必须属于同一组：除第一个连接外，其余连接都要与它一起（beside）创建。</translation>
    </message>
    <message>
        <source>A lock of several names “%1” on %2 twice: it would wait for itself.</source>
        <translation>由多把锁合成的锁两次列出了 %2 上的“%1”：它会等待自己。</translation>
    </message>
    <message>
        <source>Several locks as one (%1)</source>
        <translation>合为一把的多把锁（%1）</translation>
    </message>
    <message>
        <source>This thread does not hold the lock of the condition.</source>
        <translation>这个线程没有持有该条件变量的锁。</translation>
    </message>
    <message>
        <source>Another lock object of this thread holds the lock, too: nobody could come in to signal. Wait with the only one.</source>
        <translation>本线程的另一个锁对象也持有该锁：没有人能进来发信号。请只用一个锁对象等待。</translation>
    </message>
    <message>
        <source>%1: they cannot be kept for longer than was granted, %2 s.</source>
        <translation>%1：保持时间不能超过授予时的 %2 秒。</translation>
    </message>
    <message>
        <source>The recipe “%1” cannot prolong a lease beyond what was granted, %2 s.</source>
        <translation>算法“%1”不能把租约延长到超过授予的 %2 秒。</translation>
    </message>
    <message>
        <source>A manager's lock cannot be kept for longer than its namespace's lease, %1 s: a switch of its engine waits for as long as that.</source>
        <translation>由管理器管理的锁，保持时间不能超过其命名空间的租约 %1 秒：更换引擎时最多只等待这么久。</translation>
    </message>
    <message>
        <source>At least one permit must be asked for, not %1.</source>
        <translation>至少须申请一个许可，而不是 %1 个。</translation>
    </message>
    <message>
        <source>%1 permits cannot be given back: the hold has %2.</source>
        <translation>不能归还 %1 个许可：该持有只有 %2 个。</translation>
    </message>
    <message>
        <source>The lock was lost: %1.</source>
        <translation>锁已丢失：%1。</translation>
    </message>
    <message>
        <source>This thread does not hold the lock.</source>
        <translation>此线程不持有该锁。</translation>
    </message>
    <message>
        <source>The wait was interrupted.</source>
        <translation>等待已被中断。</translation>
    </message>
    <message>
        <source>exclusive holds</source>
        <translation>独占持有</translation>
    </message>
    <message>
        <source>shared holds</source>
        <translation>共享持有</translation>
    </message>
    <message>
        <source>permits</source>
        <translation>许可</translation>
    </message>
    <message>
        <source>The recipe “%1” offers no %2, nor does any other there.</source>
        <translation>算法“%1”不提供%2，那里的其他算法也不提供。</translation>
    </message>
    <message>
        <source>The recipe “%1” offers no %2; take %3.</source>
        <translation>算法“%1”不提供%2；请用 %3。</translation>
    </message>
    <message>
        <source>If the server does it all the same, the lock is free by itself at most %1 s after that.</source>
        <translation>如果服务器仍然执行了该请求，锁最迟会在此后 %1 秒内自行释放。</translation>
    </message>
    <message>
        <source>If it was not done, the lock is free by itself within %1 s.</source>
        <translation>如果该操作未被执行，锁会在 %1 秒内自行释放。</translation>
    </message>
    <message>
        <source>The epoch %1 does not fit into a token: it is 0 to %2.</source>
        <translation>纪元 %1 放不进令牌：须为 0 到 %2。</translation>
    </message>
    <message>
        <source>No server grants a lease without end: 100 years at most. Let a watchdog renew a shorter one.</source>
        <translation>没有服务器会授予无限期的租约：最长 100 年。请使用较短的租约并让看门狗续期。</translation>
    </message>
    <message>
        <source>A lease of %1 ms cannot be granted: servers count whole milliseconds. Ask for 1 ms at least.</source>
        <translation>无法授予 %1 毫秒的租约：服务器以整毫秒计。请至少申请 1 毫秒。</translation>
    </message>
    <message>
        <source>A watchdog's period and the longest and shortest time of a hold cannot be negative: 0 is none.</source>
        <translation>看门狗的周期以及持有的最长和最短时间不能为负：0 表示没有。</translation>
    </message>
    <message>
        <source>The recipe “%1” is unsafe: it exists to be seen failing. Take another one, or set LockOptions::allowNaive.</source>
        <translation>算法“%1”不安全：它为了展示失败而存在。请换用别的算法，或设置 LockOptions::allowNaive。</translation>
    </message>
    <message>
        <source>No recipe on %1 offers %2.</source>
        <translation>%1 上没有算法提供%2。</translation>
    </message>
    <message>
        <source>The name “%1” is no 64-bit number, and the URL says key=number; write for example 4242, or leave the option out to have names hashed.</source>
        <translation>名称“%1”不是 64 位整数，而 URL 写了 key=number；例如写成 4242，或去掉这个选项，让名称取哈希值。</translation>
    </message>
    <message>
        <source>The name “%1” is not two 32-bit numbers, and the URL says key=two-int; write for example 12,34.</source>
        <translation>名称“%1”不是两个 32 位整数，而 URL 写了 key=two-int；例如写成 12,34。</translation>
    </message>
    <message>
        <source>ShedLock's lock</source>
        <translation>ShedLock 的锁</translation>
    </message>
    <message>
        <source>other data</source>
        <translation>其他数据</translation>
    </message>
    <message>
        <source>an election's candidate</source>
        <translation>选举的候选者</translation>
    </message>
    <message>
        <source>a read/write lock</source>
        <translation>读写锁</translation>
    </message>
    <message>
        <source>The key “%1” is %2, not a lock of this kind: it was left alone. Use another lock name than “%3”.</source>
        <translation>键“%1”是%2，不是这类锁：未作改动。请使用“%3”以外的锁名。</translation>
    </message>
    <message>
        <source>The lock “%1” is no longer ours: its lease ended or somebody freed it.</source>
        <translation>锁“%1”已不属于我们：租约到期，或有人释放了它。</translation>
    </message>
    <message>
        <source>The connection to etcd was closed meanwhile.</source>
        <translation>到 etcd 的连接在此期间已关闭。</translation>
    </message>
    <message>
        <source>The server ends each lease as soon as it has granted it.</source>
        <translation>服务器刚给出租约就将其终止。</translation>
    </message>
    <message>
        <source>“%1” can not be a lock's name on memcached: its keys have 1 to 250 bytes, without spaces and control characters.</source>
        <translation>“%1”不能作 memcached 上的锁名：它的键为 1 到 250 字节，不含空格和控制字符。</translation>
    </message>
    <message>
        <source>The key “%1” carries %2, which this recipe does not write: it was left alone. Use another lock name, or the recipe that wrote it.</source>
        <translation>键“%1”上是%2，不是这个算法写的：未作改动。请换一个锁名，或使用写它的算法。</translation>
    </message>
    <message>
        <source>data of another kind</source>
        <translation>另一种数据</translation>
    </message>
    <message>
        <source>The lock “%1” is being changed all the time.</source>
        <translation>锁“%1”一直在被改动。</translation>
    </message>
    <message>
        <source>This memcached runs without cas (-C), which is what tells one holder's item from another's. Start it without -C.</source>
        <translation>这个 memcached 以不带 cas 的方式（-C）运行，而持有者的条目正靠 cas 区分。请不带 -C 启动它。</translation>
    </message>
    <message>
        <source>memcached takes a lease of 30 days or more for a date. Ask for a shorter one, and let it be renewed.</source>
        <translation>memcached 会把 30 天及以上的租约当作日期。请用较短的租约并让它续期。</translation>
    </message>
    <message>
        <source>%1: each of them has its holder. Ask for the locks one by one.</source>
        <translation>%1：其中每一把各有持有者，请逐把查询。</translation>
    </message>
    <message>
        <source>It was only a question: nothing was changed.</source>
        <translation>这只是查询：没有任何更改。</translation>
    </message>
    <message>
        <source>The recipe “%1” cannot do this.</source>
        <translation>算法“%1”做不到这一点。</translation>
    </message>
    <message>
        <source>Locks of the recipe “%1” do not say who holds them.</source>
        <translation>算法“%1”的锁不记录持有者是谁。</translation>
    </message>
    <message>
        <source>An earlier request of this thread for “%1” has had no answer yet. Nothing was sent; try again.</source>
        <translation>本线程先前对“%1”的一个请求仍未得到应答。没有发送任何内容；请重试。</translation>
    </message>
    <message>
        <source>a string, as locks by SET NX leave it</source>
        <translation>字符串，如 SET NX 锁所留下的</translation>
    </message>
    <message>
        <source>a number: a SETNX lock's expiry time, a semaphore or a counter</source>
        <translation>数字：SETNX 锁的过期时间、信号量或计数器</translation>
    </message>
    <message>
        <source>a lock in Redisson's layout (redisson)</source>
        <translation>Redisson 布局的锁（redisson）</translation>
    </message>
    <message>
        <source>a read/write lock in Redisson's layout (redisson-rw)</source>
        <translation>Redisson 布局的读写锁（redisson-rw）</translation>
    </message>
    <message>
        <source>Redisson's fast multi-lock (redisson-fastmulti)</source>
        <translation>Redisson 的快速多重锁（redisson-fastmulti）</translation>
    </message>
    <message>
        <source>a hash</source>
        <translation>哈希</translation>
    </message>
    <message>
        <source>a list</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>a set</source>
        <translation>集合</translation>
    </message>
    <message>
        <source>a sorted set</source>
        <translation>有序集合</translation>
    </message>
    <message>
        <source>a stream</source>
        <translation>流</translation>
    </message>
    <message>
        <source>The lock “%1” was given back: %2 of %3 replicas confirmed it within a second. Look after the replicas, or ask for fewer with ?wait=.</source>
        <translation>锁“%1”已归还：一秒内 %3 个副本中只有 %2 个确认。请检查副本，或用 ?wait= 要求少一些。</translation>
    </message>
    <message>
        <source>%1. The server is one of a cluster: begin the URL with redis+cluster://.</source>
        <translation>%1。该服务器属于一个集群：URL 请以 redis+cluster:// 开头。</translation>
    </message>
    <message>
        <source>%1. It is a replica and takes no writes: connect to its master, or by its sentinels.</source>
        <translation>%1。它是副本，不接受写入：请连接其主节点，或通过哨兵连接。</translation>
    </message>
    <message>
        <source>%1. The server is none of a cluster: begin the URL with redis://.</source>
        <translation>%1。该服务器不属于任何集群：URL 请以 redis:// 开头。</translation>
    </message>
    <message>
        <source>The key “%1” holds data of another kind than this recipe writes: it was left alone. Use another lock name, or the recipe that wrote it.</source>
        <translation>键“%1”中的数据不是这种算法写的：未作改动。请换一个锁名，或使用写入它的算法。</translation>
    </message>
    <message>
        <source>The semaphore “%1” has %2 permits in all: %3 at once can never be had. Ask for fewer.</source>
        <translation>信号量“%1”一共只有 %2 个许可：永远不可能一次得到 %3 个。请少要一些。</translation>
    </message>
    <message>
        <source>The semaphore “%1” has %2 permits in all, not %3, and some of them are taken. Everybody must say the same number: say %2, or try again when nobody has a permit.</source>
        <translation>信号量“%1”一共有 %2 个许可，而不是 %3 个，并且其中一些已被占用。各方必须给出相同的数目：请改用 %2，或等无人持有许可时再试。</translation>
    </message>
    <message>
        <source>The key “%1” carries the number %2, and nothing says that it counts permits: it was left alone. If it is another library's semaphore, say %2 permits instead of %3; otherwise use another lock name.</source>
        <translation>键“%1”中是数字 %2，没有迹象表明它是许可的计数，因此未作改动。如果它是其他库的信号量，请把许可总数由 %3 改为 %2；否则请换一个锁名。</translation>
    </message>
    <message>
        <source>Only %1 of %2 servers answered; %3 are needed.</source>
        <translation>%2 台服务器中只有 %1 台应答；需要 %3 台。</translation>
    </message>
    <message>
        <source>The servers granted the lock “%1” so late that too little was left of the lease; it was given back. Take a longer lease, or look at why they are slow.</source>
        <translation>服务器授予锁“%1”太晚，租约所剩太少；已归还。请用更长的租约，或查明它们为何缓慢。</translation>
    </message>
    <message>
        <source>A lease of %1 ms is too short for several servers: nothing would be left of it after what their clocks may drift.</source>
        <translation>%1 ms 的租约对多台服务器来说太短：扣除时钟可能的漂移后就什么都不剩了。</translation>
    </message>
    <message>
        <source>The lock is free there when its lease ends, in %1 ms at the latest.</source>
        <translation>租约结束时锁在那里会被释放，最迟在 %1 ms 后。</translation>
    </message>
    <message>
        <source>The lock “%1” would be a connection's, and a pooler that stands in between may hand the server's process on to others with every transaction. Connect to the server itself; or write pooler=session in the URL if it gives each connection a process of its own.</source>
        <translation>锁“%1”将归连接所有，而中间的连接池可能在每个事务之后把服务器进程交给别人。请直接连接服务器；若连接池为每个连接保留一个进程，请在 URL 中写 pooler=session。</translation>
    </message>
    <message>
        <source>This thread has “%1” as a writer and would wait for itself before it could read. Release that hold first.</source>
        <translation>本线程以写者身份持有“%1”，在能够读取之前会一直等待自己。请先释放那次持有。</translation>
    </message>
    <message>
        <source>This thread reads under “%1” and would wait for itself before it could write. Release the shared hold first.</source>
        <translation>这个线程正以读者身份持有“%1”，要写就得等待自己。请先释放共享持有。</translation>
    </message>
    <message>
        <source>“%1” cannot be the name of this lock: it takes 1 to %2 bytes of UTF-8 without a zero byte.</source>
        <translation>“%1”不能作这把锁的名称：需要 1 到 %2 字节的 UTF-8，不含零字节。</translation>
    </message>
    <message>
        <source>SQLite locks its whole file and no rows: a held row lock would stop every other user of the file. Use sql-lease there.</source>
        <translation>SQLite 锁的是整个文件而不是行：持有行锁会挡住该文件的所有其他用户。请在那里使用 sql-lease。</translation>
    </message>
    <message>
        <source>SQLite has no advisory locks: sql-lease works there, for exclusive holds. Readers that share a lock need PostgreSQL, or redis-rw or zk-rw.</source>
        <translation>SQLite 没有建议锁：可在其上使用 sql-lease，仅限独占持有。共享锁的读者需要 PostgreSQL，或 redis-rw、zk-rw。</translation>
    </message>
    <message>
        <source>The client's name “%1…” has %2 bytes and does not fit into the locks' table: take one of at most %3 bytes.</source>
        <translation>客户端名称“%1…”有 %2 字节，放不进锁的表：请取一个至多 %3 字节的名称。</translation>
    </message>
    <message>
        <source>The connection to the database broke before the lock “%1” was taken: it was not taken.</source>
        <translation>在取得锁“%1”之前数据库连接断开了：没有取得锁。</translation>
    </message>
    <message>
        <source>The lock “%1” is no longer ours: its lease or its connection ended, or somebody freed it.</source>
        <translation>锁“%1”已不属于我们：它的租约或连接已结束，或者有人释放了它。</translation>
    </message>
    <message>
        <source>The row of the lock “%1” belongs to the recipe %2: it was left alone. Use that recipe, or another lock name.</source>
        <translation>锁“%1”的行属于算法 %2：未作改动。请使用那个算法，或换一个锁名。</translation>
    </message>
    <message>
        <source>Somebody else changed “%1” first: throw the result away and do it again.</source>
        <translation>别人先改了“%1”：请丢弃结果重做。</translation>
    </message>
    <message>
        <source>The servers did not answer in time for the lock “%1”; the request is taken back as soon as they do.</source>
        <translation>服务器未能及时响应锁“%1”的请求；一旦服务器恢复响应，该请求就会被撤回。</translation>
    </message>
    <message>
        <source>somebody who keeps a lasting node at that very path</source>
        <translation>在该路径上保留持久节点的客户端</translation>
    </message>
    <message>
        <source>%1 and %2 do not see each other there:</source>
        <translation>%1 和 %2 在那里互相看不见：</translation>
    </message>
    <message>
        <source>a mixture of Curator and kazoo</source>
        <translation>Curator 与 kazoo 的混合</translation>
    </message>
    <message>
        <source>%1 The lock “%2” is given back as soon as the server can be reached again, at the latest when the session ends.</source>
        <translation>%1 一旦能再次连上服务器，锁“%2”就会归还，最迟在会话结束时。</translation>
    </message>
    <message>
        <source>A lock's name on ZooKeeper cannot have %1 bytes: its servers take at most %2.</source>
        <translation>ZooKeeper 上的锁名不能有 %1 个字节：其服务器最多接受 %2 个。</translation>
    </message>
    <message>
        <source>“%1” can not be a lock's name on ZooKeeper: it becomes a path, which has no empty, “.” or “..” parts, no control characters, emoji or what is not UTF-8, and is not the server's own “/zookeeper”.</source>
        <translation>“%1”不能作为 ZooKeeper 上的锁名：它会成为一个路径，其中没有空的、“.”或“..”部分，没有控制字符、表情符号或非 UTF-8 的内容，也不是服务器自己的“/zookeeper”。</translation>
    </message>
    <message>
        <source>The lock “%1” is no longer ours: its session ended or somebody freed it.</source>
        <translation>锁“%1”已不属于我们：它的会话已结束，或者有人释放了它。</translation>
    </message>
    <message>
        <source>At “%1” or below it there is what %2 writes, which this recipe does not share a lock with: it was left alone. Use another lock name, or the recipe and the layout= that fit.</source>
        <translation>“%1”处或其下是 %2 所写的内容，这个算法不与它共用锁：未作改动。请换一个锁名，或使用合适的算法和 layout=。</translation>
    </message>
    <message>
        <source>Below “%1” there are nodes that are no lock known here, such as the path of another lock whose name begins with “%1/”: it was left alone, since somebody may hold it by them. Use another lock name.</source>
        <translation>在“%1”之下有一些节点，它们不是这里认识的锁，例如名称以“%1/”开头的另一把锁的路径：没有动它，因为可能有人凭借它们持有锁。请换一个锁名。</translation>
    </message>
    <message>
        <source>The semaphore “%1” has %2 permits in all; %3 can not be taken at once.</source>
        <translation>信号量“%1”一共有 %2 个许可；不能一次取 %3 个。</translation>
    </message>
</context>
<context>
    <name>LockFilter</name>
    <message>
        <source>There is no “%1” to compare; there are ttl, held, waiters, holds and token.</source>
        <translation>没有“%1”可比较；可用的有 ttl、held、waiters、holds 和 token。</translation>
    </message>
    <message>
        <source>“%1” needs a value after it.</source>
        <translation>“%1”后面需要一个值。</translation>
    </message>
    <message>
        <source>“%1” is a word: write %1:%2.</source>
        <translation>“%1”是词语：请写 %1:%2。</translation>
    </message>
    <message>
        <source>“%1” is not a time, such as 5s, 250ms or 2m.</source>
        <translation>“%1”不是时间，如 5s、250ms 或 2m。</translation>
    </message>
    <message>
        <source>“%1” is not a whole number.</source>
        <translation>“%1”不是整数。</translation>
    </message>
</context>
<context>
    <name>LockManager</name>
    <message>
        <source>Not all namespaces have an engine in use after %1 s: too few of the servers that keep their records answer.</source>
        <translation>%1 秒后仍有命名空间没有可用的引擎：保存其记录的服务器中应答的太少。</translation>
    </message>
    <message>
        <source>no answer within %1</source>
        <translation>%1 内没有应答</translation>
    </message>
    <message>
        <source>There is no namespace “%1” in the configuration.</source>
        <translation>配置中没有命名空间“%1”。</translation>
    </message>
    <message>
        <source>The namespace “%1” has no engine %2.</source>
        <translation>命名空间“%1”没有引擎 %2。</translation>
    </message>
    <message>
        <source>The namespace “%1” is in use and not in the new configuration. Leave it there, or start this process anew without it.</source>
        <translation>命名空间“%1”正在使用，却不在新配置中。请保留它，或不带它重新启动本进程。</translation>
    </message>
    <message>
        <source>The namespace “%1” is new, or names other servers or other recipes on them than before. All processes agree on one of those: end them all, then start them with the new configuration.</source>
        <translation>命名空间“%1”是新的，或者指定的服务器或其上的算法与之前不同。所有进程必须采用同一种：请先结束它们，再以新配置启动。</translation>
    </message>
    <message>
        <source>The namespace “%1” reaches its servers in another way than before: by another password, certificate or option in a URL. Connections that there are stay as they are: end this process, then start it with the new configuration.</source>
        <translation>命名空间“%1”连接其服务器的方式与之前不同：URL 中的密码、证书或选项有变。现有连接保持原样：请先结束本进程，再以新配置启动。</translation>
    </message>
    <message>
        <source>The namespace “%1” has another switch mode, drain-for, confirm-for or lease than before. Processes wait for each other as long as those say: end them all, then start them with the new configuration.</source>
        <translation>命名空间“%1”的切换方式、drain-for、confirm-for 或租约与之前不同。各进程按这些时间互相等待：请先全部结束，再用新配置启动。</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2.</source>
        <translation>无法读取 %1：%2。</translation>
    </message>
    <message>
        <source>A lease of its own can be no longer than those of “%1”, %2 s: a switch of its engine waits for as long as that.</source>
        <translation>单独的租约不能比“%1”的租约（%2 秒）更长：切换引擎时只等待这么久。</translation>
    </message>
    <message>
        <source>a namespace needs a name</source>
        <translation>命名空间需要名称</translation>
    </message>
    <message>
        <source>at least one check counts</source>
        <translation>至少要计一次检查</translation>
    </message>
    <message>
        <source>one to three engines are needed: the primary, and up to two fallbacks</source>
        <translation>需要一到三个引擎：主引擎，以及至多两个备用引擎</translation>
    </message>
    <message>
        <source>the engine %1 stands here twice</source>
        <translation>引擎 %1 在这里出现了两次</translation>
    </message>
    <message>
        <source>the recipe to lock with is missing</source>
        <translation>缺少用于加锁的算法</translation>
    </message>
    <message>
        <source>the recipe “%1” is unsafe and exists to be seen failing; "allow-naive": true accepts such</source>
        <translation>算法“%1”不安全，只用来演示失败；"allow-naive": true 才接受这样的算法</translation>
    </message>
    <message>
        <source>this is longer than 365 days</source>
        <translation>这比 365 天还长</translation>
    </message>
    <message>
        <source>a time cannot be negative</source>
        <translation>时间不能为负</translation>
    </message>
    <message>
        <source>this is too short for the servers to answer; at least 200ms</source>
        <translation>太短，服务器来不及应答；至少 200ms</translation>
    </message>
    <message>
        <source>a time of at least 1ms is needed</source>
        <translation>需要至少 1ms 的时间</translation>
    </message>
    <message>
        <source>without "on-failure": true the primary is left by hand only, and what was switched by hand is not switched back</source>
        <translation>没有 "on-failure": true 时，只有手动切换才会离开主引擎，而手动切换的不会自动切回</translation>
    </message>
    <message>
        <source>this is shorter than a switch takes, %1 s; engines would change all the time</source>
        <translation>这比一次切换所需的 %1 秒还短；引擎会不停地更换</translation>
    </message>
    <message>
        <source>line %1</source>
        <translation>第 %1 行</translation>
    </message>
    <message>
        <source>at least one namespace is needed</source>
        <translation>至少需要一个命名空间</translation>
    </message>
    <message>
        <source>there are two namespaces of the name “%1”</source>
        <translation>有两个名为“%1”的命名空间</translation>
    </message>
    <message>
        <source>The namespace “%1”: %2</source>
        <translation>命名空间“%1”：%2</translation>
    </message>
    <message>
        <source>an object, { … }, should stand here</source>
        <translation>这里应是一个对象 { … }</translation>
    </message>
    <message>
        <source>a text, "…", should stand here</source>
        <translation>这里应是一段文本 "…"</translation>
    </message>
    <message>
        <source>true or false should stand here</source>
        <translation>这里应是 true 或 false</translation>
    </message>
    <message>
        <source>a whole number from 1 to 1000 should stand here</source>
        <translation>这里应是 1 到 1000 的整数</translation>
    </message>
    <message>
        <source>a time with its unit should stand here, such as "250ms", "5s", "2m" or "1h"</source>
        <translation>这里应是带单位的时间，例如 "250ms"、"5s"、"2m" 或 "1h"</translation>
    </message>
    <message>
        <source>“%1” is not known here%2</source>
        <translation>这里不认识“%1”%2</translation>
    </message>
    <message>
        <source>a list, [ … ], should stand here</source>
        <translation>这里应是一个列表 [ … ]</translation>
    </message>
    <message>
        <source>the address is missing, such as "redis://host:6379"</source>
        <translation>缺少地址，例如 "redis://host:6379"</translation>
    </message>
    <message>
        <source>there is no field “%1” here%2</source>
        <translation>这里没有字段“%1”%2</translation>
    </message>
    <message>
        <source>this is no JSON object, { … }, but another JSON value</source>
        <translation>这不是 JSON 对象 { … }，而是另一种 JSON 值</translation>
    </message>
    <message>
        <source>this is not JSON: %1</source>
        <translation>这不是 JSON：%1</translation>
    </message>
    <message>
        <source>“lockscope-manager” is not 1: this is no configuration of a lock manager, or one of a later version</source>
        <translation>“lockscope-manager”不是 1：这不是锁管理器的配置，或者属于更新的版本</translation>
    </message>
    <message>
        <source>this field stands here for the second time; leave one out</source>
        <translation>此字段在这里第二次出现；请去掉一个</translation>
    </message>
    <message>
        <source>the agreed engine is not in this process's configuration</source>
        <translation>商定的引擎不在本进程的配置中</translation>
    </message>
    <message>
        <source>The namespace has no such engine.</source>
        <translation>该命名空间没有这样的引擎。</translation>
    </message>
    <message>
        <source>The namespace “%1” switches immediately: its processes do not wait for each other's holders, so none of them may drain. Write "mode": "drain" into its configuration.</source>
        <translation>命名空间“%1”采用立即切换：各进程不等待彼此的持有者，因此谁也不能排空。请在其配置中写入 "mode": "drain"。</translation>
    </message>
    <message>
        <source>The lock manager has been closed.</source>
        <translation>锁管理器已关闭。</translation>
    </message>
    <message>
        <source>The switch of “%1” to another engine may still happen: fewer than %2 of the %3 servers that keep its record have confirmed it. See which engine is in use before you try again.</source>
        <translation>“%1”向另一个引擎的切换仍可能发生：保存其记录的 %3 台服务器中，确认的不足 %2 台。再试之前请先看看正在使用哪个引擎。</translation>
    </message>
    <message>
        <source>The engine of “%1” could not be changed: fewer than %2 of the %3 servers that keep its record agreed. Add witnesses, or wait for them.</source>
        <translation>无法更换“%1”的引擎：保存其记录的 %3 台服务器中同意的少于 %2 台。请增加见证者，或等待它们。</translation>
    </message>
    <message>
        <source>The engine that is in use for “%1”, %2, is not in this process's configuration: give all processes the same one.</source>
        <translation>“%1”正在使用的引擎 %2 不在本进程的配置中：请给所有进程相同的配置。</translation>
    </message>
    <message>
        <source>No engine of “%1” is in use just now: it is being changed, or too few of the servers that keep its record answer. Try again.</source>
        <translation>“%1”此刻没有可用的引擎：正在切换，或者保存其记录的服务器中应答的太少。请再试。</translation>
    </message>
    <message>
        <source>This thread holds the lock more than once, and the recipe “%1” could not give that back after the wait. Wait where it is held once.</source>
        <translation>此线程多次持有该锁，而等待之后算法“%1”无法恢复多次持有。请在只持有一次时等待。</translation>
    </message>
    <message>
        <source>The namespace “%1” locks with it on %2.</source>
        <translation>命名空间“%1”在 %2 上用它加锁。</translation>
    </message>
    <message>
        <source>none of the servers keeps records; name a Redis, ZooKeeper, etcd or a database among the witnesses</source>
        <translation>没有一台服务器保存记录；请在见证者中加入 Redis、ZooKeeper、etcd 或数据库</translation>
    </message>
    <message>
        <source>switching on failure needs three servers that keep records, and there are %1; name witnesses</source>
        <translation>故障时自动切换需要三台保存记录的服务器，现在有 %1 台；请增加见证者</translation>
    </message>
    <message>
        <source>the first engine</source>
        <translation>首个引擎</translation>
    </message>
    <message>
        <source>switched by hand</source>
        <translation>手动切换</translation>
    </message>
    <message>
        <source>the configuration names another primary</source>
        <translation>配置指定了另一个主引擎</translation>
    </message>
    <message>
        <source>the engine in use fails its health checks</source>
        <translation>正在使用的引擎未通过健康检查</translation>
    </message>
    <message>
        <source>the primary has been healthy again for long enough</source>
        <translation>主引擎恢复健康已足够久</translation>
    </message>
    <message>
        <source>two processes wanted different engines at once</source>
        <translation>两个进程同时想要不同的引擎</translation>
    </message>
    <message>
        <source>too few servers answer for the record of the engine in use</source>
        <translation>保存正在使用的引擎记录的服务器中应答的太少</translation>
    </message>
</context>
<context>
    <name>LockNews</name>
    <message>
        <source>found held</source>
        <extracomment>Of a lock on a watched server, as all of these: it was held already at the first look.</extracomment>
        <translation>首次看到时已被持有</translation>
    </message>
    <message>
        <source>taken</source>
        <translation>取得</translation>
    </message>
    <message>
        <source>handed over</source>
        <translation>易手</translation>
    </message>
    <message>
        <source>held by one more</source>
        <translation>又多一个持有者</translation>
    </message>
    <message>
        <source>one holder left</source>
        <translation>一个持有者离开</translation>
    </message>
    <message>
        <source>renewed</source>
        <translation>已续期</translation>
    </message>
    <message>
        <source>re-entered</source>
        <translation>重入</translation>
    </message>
    <message>
        <source>held once less</source>
        <translation>重入次数减一</translation>
    </message>
    <message>
        <source>deadline moved</source>
        <translation>截止时间变动</translation>
    </message>
    <message>
        <source>released</source>
        <translation>已释放</translation>
    </message>
    <message>
        <source>expired</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>freed by force</source>
        <translation>被强制释放</translation>
    </message>
    <message>
        <source>overwritten</source>
        <translation>被覆盖</translation>
    </message>
    <message>
        <source>lost with its server</source>
        <translation>随服务器丢失</translation>
    </message>
    <message>
        <source>failed over while held</source>
        <translation>持有期间发生故障转移</translation>
    </message>
    <message>
        <source>no longer seen</source>
        <extracomment>A lock that its server shows only while somebody waits for it, and nobody does any more.</extracomment>
        <translation>不再可见</translation>
    </message>
    <message>
        <source>ended unseen</source>
        <translation>在未见时结束</translation>
    </message>
</context>
<context>
    <name>Locks</name>
    <message>
        <source>by session</source>
        <extracomment>In the column of times left: the lock is kept by its holder's session.</extracomment>
        <translation>由会话保持</translation>
    </message>
    <message>
        <source>by transaction</source>
        <translation>由事务保持</translation>
    </message>
    <message>
        <source>session or txn</source>
        <extracomment>In the column of times left, and in a ring of 14 letters: the session or the transaction keeps the lock.</extracomment>
        <translation>会话或事务</translation>
    </message>
    <message>
        <source>ends at commit</source>
        <extracomment>In the column of renewals: nobody renews the lock, it ends with its holder's transaction.</extracomment>
        <translation>提交时结束</translation>
    </message>
    <message>
        <source>none: the session keeps it</source>
        <translation>无：由会话保持</translation>
    </message>
    <message>
        <source>none: it ends at commit</source>
        <translation>无：提交时结束</translation>
    </message>
    <message>
        <source>none: the session or the transaction keeps it</source>
        <translation>无：由会话或事务保持</translation>
    </message>
    <message>
        <source>certain</source>
        <translation>确定</translation>
    </message>
    <message>
        <source>likely</source>
        <translation>很可能</translation>
    </message>
    <message>
        <source>a guess</source>
        <translation>猜测</translation>
    </message>
    <message>
        <source>Certainly a lock: nothing else looks like it.</source>
        <translation>确定是锁：没有别的数据与它相像。</translation>
    </message>
    <message>
        <source>Likely a lock: its value or its name says so.</source>
        <translation>很可能是锁：从它的值或名称看出。</translation>
    </message>
    <message>
        <source>A guess: its value has the shape of a lock's, which other data has, too. It is not counted as held.</source>
        <translation>猜测：它的值形似锁的值，但别的数据也有这种形状。不计入被持有的锁。</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <extracomment>A lock's format and how sure it is that its key is a lock: "node-redlock, a guess".</extracomment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>no longer seen</source>
        <translation>不再可见</translation>
    </message>
    <message>
        <source>not observed</source>
        <translation>未观察到</translation>
    </message>
    <message>
        <source>engines change</source>
        <extracomment>How it stands with a lock: it is free, but nobody gets in while its servers are being changed.</extracomment>
        <translation>切换引擎</translation>
    </message>
    <message>
        <source>draining</source>
        <translation>排空中</translation>
    </message>
    <message>
        <source>undecided</source>
        <extracomment>How it stands with a lock: no server can decide who has it.</extracomment>
        <translation>无人裁定</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>有人排队</translation>
    </message>
    <message>
        <source>perhaps held</source>
        <translation>可能被持有</translation>
    </message>
    <message numerus="yes">
        <source>held by %n</source>
        <translation>
            <numerusform>%n 个持有者</numerusform>
        </translation>
    </message>
    <message>
        <source>held</source>
        <translation>被持有</translation>
    </message>
    <message>
        <source>never expires</source>
        <translation>永不过期</translation>
    </message>
    <message>
        <source>renewal missed</source>
        <translation>错过续期</translation>
    </message>
    <message>
        <source>left over</source>
        <extracomment>A lock that stands on the server, though its client gave it up.</extracomment>
        <translation>遗留</translation>
    </message>
    <message>
        <source>orphan?</source>
        <translation>孤儿锁？</translation>
    </message>
    <message>
        <source>stale belief</source>
        <translation>过时的信念</translation>
    </message>
    <message numerus="yes">
        <source>%n believer(s)</source>
        <translation>
            <numerusform>%n 个自认持有者</numerusform>
        </translation>
    </message>
    <message>
        <source>nobody decides</source>
        <translation>无人裁定</translation>
    </message>
    <message>
        <source>a majority: %1 of %2 servers</source>
        <extracomment>The servers of an ensemble that decide on a lock: %1 how many it takes, %2 of how many.</extracomment>
        <translation>多数：%2 台服务器中的 %1 台</translation>
    </message>
    <message numerus="yes">
        <source>any %n copies</source>
        <comment>of a lock, which decide together</comment>
        <translation>
            <numerusform>任意 %n 份副本</numerusform>
        </translation>
    </message>
    <message>
        <source>≤ %1</source>
        <extracomment>At most so much of a lock's lease is left: its server tells whole seconds.</extracomment>
        <translation>≤ %1</translation>
    </message>
    <message>
        <source>≥ %1</source>
        <extracomment>At least so much.
----------
At least so long: the lock was held already when it was first seen.</extracomment>
        <translation>≥ %1</translation>
    </message>
    <message>
        <source>%1 of %2 permits</source>
        <translation>%2 个许可中已取 %1 个</translation>
    </message>
    <message numerus="yes">
        <source>%n permit(s) taken</source>
        <translation>
            <numerusform>已取 %n 个许可</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n permit(s) free</source>
        <translation>
            <numerusform>空闲 %n 个许可</numerusform>
        </translation>
    </message>
    <message>
        <source>not named</source>
        <translation>未具名</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <comment>names</comment>
        <translation>
            <numerusform>%1 以及另外 %n 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n reader(s): %1</source>
        <translation>
            <numerusform>%n 个读者：%1</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 sessions: %2</source>
        <extracomment>Of a row or table that transactions share, also to write in it: %1 how many sessions, %2 their names.</extracomment>
        <translation>%1 个会话：%2</translation>
    </message>
    <message>
        <source>exclusive</source>
        <translation>独占</translation>
    </message>
    <message>
        <source>shared</source>
        <translation>共享</translation>
    </message>
    <message>
        <source>permits</source>
        <translation>许可</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <extracomment>A list of clients: "A, B and C". %1 is all but the last, already joined with commas.</extracomment>
        <translation>%1 和 %2</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>no watchdog</source>
        <translation>无看门狗</translation>
    </message>
    <message>
        <source>watchdog stopped</source>
        <translation>看门狗停止</translation>
    </message>
    <message>
        <source>in %1</source>
        <translation>%1 后</translation>
    </message>
    <message>
        <source>late by %1</source>
        <translation>迟了 %1</translation>
    </message>
    <message>
        <source>seen just now</source>
        <translation>刚刚看到</translation>
    </message>
    <message>
        <source>just now</source>
        <translation>刚刚</translation>
    </message>
    <message>
        <source>seen %1 ago</source>
        <translation>%1 前见到</translation>
    </message>
    <message>
        <source>%1 ago</source>
        <translation>%1 前</translation>
    </message>
    <message>
        <source>none seen</source>
        <translation>未见到</translation>
    </message>
</context>
<context>
    <name>MemcachedError</name>
    <message>
        <source>%1 refused the connection. Is memcached running there, and on this port?</source>
        <translation>%1 拒绝了连接。memcached 在那里、在这个端口上运行吗？</translation>
    </message>
    <message>
        <source>The connection to %1 broke; whether the last commands ran is not known.</source>
        <translation>与 %1 的连接中断；最后的命令是否执行不得而知。</translation>
    </message>
    <message>
        <source>%1 ended the TLS connection without a word. Does it want a certificate of ours? Name it by cert= and key= in the URL.</source>
        <translation>%1 未作任何应答就结束了 TLS 连接。它是否要求客户端证书？请在 URL 中用 cert= 和 key= 指定。</translation>
    </message>
    <message>
        <source>%1 ended the connection without a word. If it wants TLS, begin the URL with memcacheds://.</source>
        <translation>%1 未作任何应答就结束了连接。如果它要求 TLS，请让 URL 以 memcacheds:// 开头。</translation>
    </message>
    <message>
        <source>%1 did not answer within %2; whether the command ran is not known.</source>
        <translation>%1 在 %2 内没有应答；命令是否已执行，不得而知。</translation>
    </message>
    <message>
        <source>What %1 sends is not memcached's protocol (%2). Is it a memcached, without TLS?</source>
        <translation>%1 发来的不是 memcached 的协议（%2）。它是没有 TLS 的 memcached 吗？</translation>
    </message>
    <message>
        <source>%1 wants a login. In a URL: memcached://user:password@host.</source>
        <translation>%1 要求登录。写在 URL 里是：memcached://user:password@host。</translation>
    </message>
    <message>
        <source>%1 refused the login. Check user and password in the URL, and what memcached knows of them: its file of logins (-Y), or SASL's database (-S).</source>
        <translation>%1 拒绝了登录。请检查 URL 中的用户和密码，以及 memcached 所知的登录：登录文件（-Y）或 SASL 的数据库（-S）。</translation>
    </message>
    <message>
        <source>%1 takes logins by SASL's %2 only; allow PLAIN there, best with TLS.</source>
        <translation>%1 只接受 SASL 的 %2 方式登录；请在那里允许 PLAIN，最好配合 TLS。</translation>
    </message>
    <message>
        <source>A login at memcached has a user and a password, both without spaces and control characters: write memcached://user:password@host.</source>
        <translation>memcached 的登录由用户和密码组成，两者都不能含空格和控制字符：请写成 memcached://user:password@host。</translation>
    </message>
    <message>
        <source>The keys of this server cannot be listed.</source>
        <translation>这台服务器的键无法列出。</translation>
    </message>
    <message>
        <source>This server does not tell when its items end.</source>
        <translation>此服务器不告知其条目何时到期。</translation>
    </message>
    <message>
        <source>%1 says: %2</source>
        <translation>%1 说：%2</translation>
    </message>
</context>
<context>
    <name>ModelLimits</name>
    <message>
        <source>Commands take no time, and run one after another. Memory is not counted.
A replica gets a full copy after one fixed delay. It has no replicas of its own.
A message over a severed link is lost; TCP would deliver it if the link heals in time.
Servers and Sentinels know each other from the start. Access lists, TLS and modules are left out.</source>
        <translation>命令不耗时间，逐条执行。内存不计。
副本在一段固定延迟后得到完整副本，它自己没有副本。
断开的链路上的消息会丢失；真实的 TCP 会在链路及时恢复后送达。
服务器和哨兵一开始就互相认识。访问控制列表、TLS 和模块省略。</translation>
    </message>
    <message>
        <source>Everything that a server acknowledged is on its disk; writing takes no time.
A new leader's followers take over its whole state at once.
There are no pauses of the JVM, unless you pause a server.
Observers, reconfiguration, read-only mode and TLS are left out.</source>
        <translation>服务器确认过的一切都在它的磁盘上；写入不耗时间。
新领导者的跟随者立即接收它的全部状态。
没有 JVM 停顿，除非你暂停服务器。
观察者、重新配置、只读模式和 TLS 省略。</translation>
    </message>
    <message>
        <source>The disk keeps the whole log, and writing an entry takes 0.3 to 2 ms.
A member that lost its disk is filled again; a real one has to be removed and added.
Lease checkpoints, logins, TLS and changes of the members are left out.</source>
        <translation>磁盘保存全部日志，写一条需要 0.3 到 2 毫秒。
丢了磁盘的成员会重新补齐；真实的成员必须先移除再加入。
租约检查点、登录、TLS 和成员变更省略。</translation>
    </message>
    <message>
        <source>Memory is a number of items for each class of sizes, without pages.
Each call is a packet of its own.
Meta commands, logins, TLS and a limit of connections are left out.</source>
        <translation>内存按每个大小类的条目数计算，没有内存页。
每次调用是一个单独的数据包。
meta 命令、登录、TLS 和连接数上限省略。</translation>
    </message>
    <message>
        <source>Statements take no time: two overlap only while one waits for a lock.
The table of locks is there from the start. Other indexes and savepoints are left out.
A replica has a commit applied when it arrives. An operator promotes; nobody does so by itself.
A client's address leads to the new master at once.</source>
        <translation>语句不耗时间：只有一条在等锁时，两条才会重叠。
锁表一开始就存在。其他索引和保存点省略。
提交一到达副本就已应用。由运维人员提升副本，没有谁会自动这样做。
客户端的地址立即指向新的主节点。</translation>
    </message>
</context>
<context>
    <name>Opener</name>
    <message numerus="yes">
        <source>… and %n more problem(s)</source>
        <translation>
            <numerusform>……还有 %n 个问题</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: there is no such file. Was it moved or renamed?</source>
        <translation>%1：没有这个文件。是否已移动或改名？</translation>
    </message>
    <message>
        <source>%1: not a file that Lockscope knows. It opens recordings (.lockscope) and scenarios (.json).</source>
        <translation>%1：Lockscope 不认识的文件。它能打开录制文件（.lockscope）和场景（.json）。</translation>
    </message>
</context>
<context>
    <name>OtherService</name>
    <message>
        <source>a Redis</source>
        <translation>Redis</translation>
    </message>
    <message>
        <source>a MySQL or MariaDB</source>
        <translation>MySQL 或 MariaDB</translation>
    </message>
    <message>
        <source>a PostgreSQL</source>
        <translation>PostgreSQL</translation>
    </message>
    <message>
        <source>a memcached</source>
        <translation>memcached</translation>
    </message>
    <message>
        <source>a ZooKeeper</source>
        <translation>ZooKeeper</translation>
    </message>
    <message>
        <source>an etcd</source>
        <translation>etcd</translation>
    </message>
    <message>
        <source>a web server</source>
        <translation>网页服务器</translation>
    </message>
    <message>
        <source>an SSH server</source>
        <translation>SSH 服务器</translation>
    </message>
    <message>
        <source>a server that wants TLS</source>
        <translation>要求 TLS 的服务器</translation>
    </message>
    <message>
        <source>%2 listens at %1, not %3: check the port, or the URL's beginning.</source>
        <extracomment>%1 an address, %2 the program that listens there and begins the sentence, %3 the one that the URL names.</extracomment>
        <translation>在 %1 监听的是 %2，不是 %3：请检查端口，或 URL 的开头。</translation>
    </message>
</context>
<context>
    <name>PartyAbout</name>
    <message>
        <source>transaction open since</source>
        <extracomment>Before a date and time.</extracomment>
        <translation>事务开始于</translation>
    </message>
    <message>
        <source>asked to give up the lock</source>
        <extracomment>Of a lock's holder: somebody has asked it to release the lock early.</extracomment>
        <translation>已被要求放弃这把锁</translation>
    </message>
</context>
<context>
    <name>Recipe</name>
    <message>
        <source>etcd's own mutex: a key under a lease queues by its revision and waits for the next older one</source>
        <translation>etcd 自己的互斥锁：租约下的键按修订号排队，等待比它早的前一个</translation>
    </message>
    <message>
        <source>a lease of {lease}, shared by locks that are kept; nobody at {name}, nobody under {name}/ → put {name}/lease</source>
        <translation>一个 {lease} 的租约，由保持中的锁共用；{name} 处与 {name}/ 下都没有人 → put {name}/租约</translation>
    </message>
    <message>
        <source>txn: {name} and {name}/lease absent → put it; get the oldest</source>
        <translation>txn：没有 {name} 和 {name}/租约 → put；取最旧的</translation>
    </message>
    <message>
        <source>mine is the oldest → hold</source>
        <translation>我的最旧 → 持有</translation>
    </message>
    <message>
        <source>else watch the next older until it is deleted; again 3</source>
        <translation>否则监视前一个，直到它被删除；再做 3</translation>
    </message>
    <message>
        <source>work, write to the resource with my revision</source>
        <translation>工作，带着我的修订号写入资源</translation>
    </message>
    <message>
        <source>delete {name}/lease; alone: revoke the lease, too</source>
        <translation>删除 {name}/租约；租约没有别的锁在用时一并撤销</translation>
    </message>
    <message>
        <source>add with an expiry, and a delete that does not look whose lock it is</source>
        <translation>带过期时间的 add，以及不看锁属于谁的 delete</translation>
    </message>
    <message>
        <source>add {name} me {lease}</source>
        <translation>add {name} 我 {lease}</translation>
    </message>
    <message>
        <source>NOT_STORED → wait a little, again 1</source>
        <translation>NOT_STORED → 稍等，再做 1</translation>
    </message>
    <message>
        <source>work, write to the resource</source>
        <translation>工作，写入资源</translation>
    </message>
    <message>
        <source>delete {name}, whoever holds it</source>
        <translation>delete {name}，不管谁持有</translation>
    </message>
    <message>
        <source>add with a unique value; renewal and release compare its version by cas</source>
        <translation>带唯一值的 add；续期和释放用 cas 比较版本</translation>
    </message>
    <message>
        <source>value := new unique id</source>
        <translation>值 := 新的唯一 id</translation>
    </message>
    <message>
        <source>add {name} value {lease}; gets {name} → version; taken → wait a little, again</source>
        <translation>add {name} 值 {lease}；gets {name} → 版本；被占用 → 稍等，再来</translation>
    </message>
    <message>
        <source>STORED → hold until sent + {lease}; watchdog: cas {lease}</source>
        <translation>STORED → 持有到发送时刻 + {lease}；看门狗：cas {lease}</translation>
    </message>
    <message>
        <source>work, write to the resource with the version</source>
        <translation>工作，带着版本写入资源</translation>
    </message>
    <message>
        <source>cas {name} version, expiring at once</source>
        <translation>cas {name} 版本，立即到期</translation>
    </message>
    <message>
        <source>Several reentrant locks as one, all of them or none: “a,b,c”</source>
        <translation>把多把可重入锁当作一把，要么全有要么全无：“a,b,c”</translation>
    </message>
    <message>
        <source>take each in the order of its name</source>
        <translation>按名字的顺序逐个获取</translation>
    </message>
    <message>
        <source>not all in time → give back in reverse, again 1</source>
        <translation>未能及时全部取得 → 倒序归还，再做 1</translation>
    </message>
    <message>
        <source>hold, work; watchdog: renew each</source>
        <translation>持有，工作；看门狗：逐个续期</translation>
    </message>
    <message>
        <source>give back in reverse</source>
        <translation>倒序归还</translation>
    </message>
    <message>
        <source>Redisson's fair lock: a queue on the server, in which dead waiters time out</source>
        <translation>Redisson 的公平锁：服务器上的队列，死掉的等待者会超时</translation>
    </message>
    <message>
        <source>script: drop dead waiters; free and I am first → HSET me 1, PEXPIRE {lease}; else queue up</source>
        <translation>脚本：清掉死掉的等待者；空闲且我在最前 → HSET 我 1，PEXPIRE {lease}；否则排队</translation>
    </message>
    <message>
        <source>queued → SUBSCRIBE my own channel, try again</source>
        <translation>排队 → SUBSCRIBE 我自己的频道，再试一次</translation>
    </message>
    <message>
        <source>wait for my message, at most PTTL; again 1</source>
        <translation>等我的消息，最多 PTTL；再做 1</translation>
    </message>
    <message>
        <source>hold; watchdog: PEXPIRE {lease} if mine</source>
        <translation>持有；看门狗：是我的就 PEXPIRE {lease}</translation>
    </message>
    <message>
        <source>script: HINCRBY me -1; at 0 DEL, PUBLISH 0 to the first in the queue</source>
        <translation>脚本：HINCRBY 我 -1；到 0 就 DEL，向队首 PUBLISH 0</translation>
    </message>
    <message>
        <source>Redisson's read/write lock: many readers or one writer; writers may starve</source>
        <translation>Redisson 的读写锁：多个读者或一个写者；写者可能饿死</translation>
    </message>
    <message>
        <source>script: free, mine, or readers among themselves → HINCRBY me 1, PEXPIRE {lease}</source>
        <translation>脚本：空闲、是我的，或都是读者 → HINCRBY 我 1，PEXPIRE {lease}</translation>
    </message>
    <message>
        <source>taken → SUBSCRIBE its channel, try again</source>
        <translation>被占用 → SUBSCRIBE 它的频道，再试一次</translation>
    </message>
    <message>
        <source>wait for a message, at most PTTL; again 1</source>
        <translation>等消息，最多 PTTL；再做 1</translation>
    </message>
    <message>
        <source>hold; watchdog: PEXPIRE {lease} of my own holds</source>
        <translation>持有；看门狗：对我自己的持有 PEXPIRE {lease}</translation>
    </message>
    <message>
        <source>script: HINCRBY me -1; nobody left → DEL, PUBLISH</source>
        <translation>脚本：HINCRBY 我 -1；没有人了 → DEL，PUBLISH</translation>
    </message>
    <message>
        <source>Redisson's reentrant lock: a hash of holds, woken by messages, renewed by a watchdog</source>
        <translation>Redisson 的可重入锁：记录持有次数的哈希，由消息唤醒，由看门狗续期</translation>
    </message>
    <message>
        <source>script: free or mine → HINCRBY me 1, PEXPIRE {lease}</source>
        <translation>脚本：空闲或是我的 → HINCRBY 我 1，PEXPIRE {lease}</translation>
    </message>
    <message>
        <source>script: HINCRBY me -1; at 0 DEL, PUBLISH 0</source>
        <translation>脚本：HINCRBY 我 -1；到 0 就 DEL，PUBLISH 0</translation>
    </message>
    <message>
        <source>Redisson's fenced lock: the reentrant one, and a counter that numbers every grant</source>
        <translation>Redisson 的栅栏锁：可重入锁，加上为每次授予编号的计数器</translation>
    </message>
    <message>
        <source>script: free or mine → INCR token, HINCRBY me 1, PEXPIRE {lease}</source>
        <translation>脚本：空闲或是我的 → INCR 令牌，HINCRBY 我 1，PEXPIRE {lease}</translation>
    </message>
    <message>
        <source>hold and show the token; watchdog: PEXPIRE {lease} if mine</source>
        <translation>持有并出示令牌；看门狗：是我的就 PEXPIRE {lease}</translation>
    </message>
    <message>
        <source>script: HINCRBY me -1; at 0 DEL, PUBLISH 0; the counter stays</source>
        <translation>脚本：HINCRBY 我 -1；到 0 就 DEL，PUBLISH 0；计数器留下</translation>
    </message>
    <message>
        <source>Redisson's semaphore whose permits expire: a counter, and a lease for each permit</source>
        <translation>Redisson 的许可会过期的信号量：一个计数器，每个许可一个租约</translation>
    </message>
    <message>
        <source>script: take ended permits back; enough free → DECRBY {name}, ZADD ids</source>
        <translation>脚本：收回到期的许可；空闲够用 → DECRBY {name}，ZADD 各 id</translation>
    </message>
    <message>
        <source>too few → SUBSCRIBE its channel, try again</source>
        <translation>不够 → SUBSCRIBE 它的频道，再试一次</translation>
    </message>
    <message>
        <source>wait for a message, at most until a permit ends; again 1</source>
        <translation>等消息，最多到某个许可到期；再做 1</translation>
    </message>
    <message>
        <source>hold; watchdog: ZADD my ids with {lease} again</source>
        <translation>持有；看门狗：以 {lease} 再次 ZADD 我的 id</translation>
    </message>
    <message>
        <source>script: ZREM my ids, INCRBY {name}, PUBLISH</source>
        <translation>脚本：ZREM 我的 id，INCRBY {name}，PUBLISH</translation>
    </message>
    <message>
        <source>SET NX PX with a unique value; release and renewal compare it first</source>
        <translation>带唯一值的 SET NX PX；释放和续期前先比对</translation>
    </message>
    <message>
        <source>SET {name} value NX PX {lease}, a new unique value each time</source>
        <translation>SET {name} 值 NX PX {lease}，每次用新的唯一值</translation>
    </message>
    <message>
        <source>wait for a message, a little while; again 1</source>
        <translation>等消息，只等一会儿；再做 1</translation>
    </message>
    <message>
        <source>hold until sent + {lease}; watchdog: script: if value is mine, PEXPIRE {lease}</source>
        <translation>持有到发送时刻 + {lease}；看门狗：脚本：值是我的就 PEXPIRE {lease}</translation>
    </message>
    <message>
        <source>script: if value is mine, DEL, PUBLISH 0</source>
        <translation>脚本：值是我的就 DEL，PUBLISH 0</translation>
    </message>
    <message>
        <source>SET NX with an expiry, and a DEL that does not look whose lock it is</source>
        <translation>带过期时间的 SET NX，DEL 时不看锁属于谁</translation>
    </message>
    <message>
        <source>SET {name} me NX PX {lease}</source>
        <translation>SET {name} 我 NX PX {lease}</translation>
    </message>
    <message>
        <source>taken → wait a little, again 1</source>
        <translation>被占用 → 稍等，再做 1</translation>
    </message>
    <message>
        <source>DEL {name}</source>
        <translation>DEL {name}</translation>
    </message>
    <message>
        <source>SET NX PX with a unique value; GET, compare and DEL as separate commands</source>
        <translation>带唯一值的 SET NX PX；GET、比较和 DEL 是分开的命令</translation>
    </message>
    <message>
        <source>SET {name} value NX PX {lease}</source>
        <translation>SET {name} 值 NX PX {lease}</translation>
    </message>
    <message>
        <source>GET {name}: is it my value?</source>
        <translation>GET {name}：是我的值吗？</translation>
    </message>
    <message>
        <source>SETNX with an expiry time by the client's own clock; GETSET takes an expired one</source>
        <translation>SETNX，过期时间按客户端自己的时钟；GETSET 夺取已过期的锁</translation>
    </message>
    <message>
        <source>SETNX {name} (my clock + {lease})</source>
        <translation>SETNX {name} (我的时钟 + {lease})</translation>
    </message>
    <message>
        <source>taken → GET: is its time past? no → wait a little, again 1</source>
        <translation>被占用 → GET：到期了吗？没有 → 稍等，再做 1</translation>
    </message>
    <message>
        <source>GETSET {name} (my clock + {lease}); was it what I had read?</source>
        <translation>GETSET {name} (我的时钟 + {lease})；旧值是我读到的吗？</translation>
    </message>
    <message>
        <source>SETNX, then its expiry as a second command</source>
        <translation>SETNX，再用第二条命令设过期时间</translation>
    </message>
    <message>
        <source>SETNX {name} me</source>
        <translation>SETNX {name} 我</translation>
    </message>
    <message>
        <source>PEXPIRE {name} {lease}</source>
        <translation>PEXPIRE {name} {lease}</translation>
    </message>
    <message>
        <source>Redlock: a majority of independent masters; held for the lease less what getting it took</source>
        <translation>Redlock：独立主节点的多数派；持有时间为租约减去获取所花的时间</translation>
    </message>
    <message>
        <source>on all servers at once: SET {name} value NX PX {lease}</source>
        <translation>同时在所有服务器上：SET {name} 值 NX PX {lease}</translation>
    </message>
    <message>
        <source>majority, and {lease} − elapsed − drift &gt; 0 → hold that long</source>
        <translation>过半数，且 {lease} − 耗时 − 漂移 &gt; 0 → 持有这么久</translation>
    </message>
    <message>
        <source>on all servers: script: if value is mine, DEL</source>
        <translation>在所有服务器上：脚本：值是我的就 DEL</translation>
    </message>
    <message>
        <source>The server's own named lock, held by a connection; on PostgreSQL also shared</source>
        <translation>服务器自己的命名锁，由连接持有；在 PostgreSQL 上也可共享</translation>
    </message>
    <message>
        <source>GET_LOCK({name}) · pg_advisory_lock(hash of {name})</source>
        <translation>GET_LOCK({name}) · pg_advisory_lock({name} 的散列)</translation>
    </message>
    <message>
        <source>taken → wait in the server's queue</source>
        <translation>被占用 → 在服务器的队列里等</translation>
    </message>
    <message>
        <source>work, write to the resource; sign of life on the same connection</source>
        <translation>工作，写入资源；在同一连接上定期探活</translation>
    </message>
    <message>
        <source>RELEASE_LOCK({name}) · pg_advisory_unlock</source>
        <translation>RELEASE_LOCK({name}) · pg_advisory_unlock</translation>
    </message>
    <message>
        <source>A transaction locks the row and holds it until its end; waiters stand in the server's queue</source>
        <translation>事务锁住该行直到结束；等待者排在服务器的队列中</translation>
    </message>
    <message>
        <source>no row → INSERT ({name})</source>
        <translation>没有行 → INSERT ({name})</translation>
    </message>
    <message>
        <source>BEGIN; SELECT … WHERE name = {name} FOR UPDATE</source>
        <translation>BEGIN; SELECT … WHERE name = {name} FOR UPDATE</translation>
    </message>
    <message>
        <source>COMMIT</source>
        <translation>COMMIT</translation>
    </message>
    <message>
        <source>A SELECT … FOR UPDATE that finds no row counts as the lock; the row is inserted at the end</source>
        <translation>SELECT … FOR UPDATE 没找到行也当作已加锁；行到最后才插入</translation>
    </message>
    <message>
        <source>no row → INSERT ({name}) now, in the same transaction</source>
        <translation>没有行 → 此时在同一事务里 INSERT ({name})</translation>
    </message>
    <message>
        <source>a row, or none: work, write to the resource</source>
        <translation>有行或没有行：工作，写资源</translation>
    </message>
    <message>
        <source>A row with an owner, an expiry by the server's clock, a heartbeat and a version as token</source>
        <translation>一行记录，含持有者、按服务器时钟的过期时间、心跳，版本作令牌</translation>
    </message>
    <message>
        <source>UPDATE owner = me, version + 1, expires = now + {lease} WHERE name = {name} AND (free OR expired)</source>
        <translation>UPDATE owner = 我, version + 1, expires = now + {lease} WHERE name = {name} AND (空闲 OR 到期)</translation>
    </message>
    <message>
        <source>0 rows → wait a little, at most what is left of the lease; again 1</source>
        <translation>0 行 → 稍等，最多到租约结束；再做 1</translation>
    </message>
    <message>
        <source>hold, write with the version; heartbeat: expires = now + {lease} if mine</source>
        <translation>持有，带着版本写入；心跳：是我的就 expires = now + {lease}</translation>
    </message>
    <message>
        <source>UPDATE owner = NULL WHERE name = {name} AND owner = me</source>
        <translation>UPDATE owner = NULL WHERE name = {name} AND owner = 我</translation>
    </message>
    <message>
        <source>A row under a unique key is the lock, without an expiry; waiters poll</source>
        <translation>唯一键下的一行就是锁，没有过期时间；等待者轮询</translation>
    </message>
    <message>
        <source>INSERT ({name}, me)</source>
        <translation>INSERT ({name}, 我)</translation>
    </message>
    <message>
        <source>duplicate key → wait a little, again 1</source>
        <translation>键重复 → 稍等，再做 1</translation>
    </message>
    <message>
        <source>DELETE WHERE name = {name}, whoever's it is</source>
        <translation>DELETE WHERE name = {name}，不管是谁的</translation>
    </message>
    <message>
        <source>Optimistic: read a version, and let the release succeed only if nobody raised it since</source>
        <translation>乐观：读取版本，只有此后无人改过版本，释放才成功</translation>
    </message>
    <message>
        <source>v := SELECT version WHERE name = {name}</source>
        <translation>v := SELECT version WHERE name = {name}</translation>
    </message>
    <message>
        <source>work on what was read; nobody is kept out</source>
        <translation>在读到的数据上工作；谁也不挡</translation>
    </message>
    <message>
        <source>UPDATE version = v + 1 WHERE name = {name} AND version = v; 0 rows → do it again</source>
        <translation>UPDATE version = v + 1 WHERE name = {name} AND version = v；0 行 → 重做</translation>
    </message>
    <message>
        <source>Curator's read/write lock</source>
        <translation>Curator 的读写锁</translation>
    </message>
    <message>
        <source>Curator's semaphore</source>
        <translation>Curator 的信号量</translation>
    </message>
    <message>
        <source>Menagerie's condition</source>
        <translation>Menagerie 的条件变量</translation>
    </message>
    <message>
        <source>kazoo's read/write lock</source>
        <translation>kazoo 的读写锁</translation>
    </message>
    <message>
        <source>kazoo's lease</source>
        <translation>kazoo 的租约</translation>
    </message>
    <message>
        <source>Menagerie's read/write lock</source>
        <translation>Menagerie 的读写锁</translation>
    </message>
    <message>
        <source>Curator's leader latch</source>
        <translation>Curator 的领导者闩锁</translation>
    </message>
    <message>
        <source>ZooKeeper's own lock recipe</source>
        <translation>ZooKeeper 自带的锁算法</translation>
    </message>
    <message>
        <source>the lock of ZooKeeper's documentation</source>
        <translation>ZooKeeper 文档中的锁</translation>
    </message>
    <message>
        <source>kazoo's semaphore</source>
        <translation>kazoo 的信号量</translation>
    </message>
    <message>
        <source>a lock that is one ephemeral node</source>
        <translation>由一个临时节点构成的锁</translation>
    </message>
    <message>
        <source>something unknown</source>
        <translation>未知的东西</translation>
    </message>
    <message>
        <source>One ephemeral node, and everybody watches it: a herd</source>
        <translation>一个临时节点，人人监视它：羊群效应</translation>
    </message>
    <message>
        <source>create {name} ephemeral</source>
        <translation>create {name} 临时节点</translation>
    </message>
    <message>
        <source>there already → watch it; gone → all again 1</source>
        <translation>已存在 → 监视它；消失后所有人再做 1</translation>
    </message>
    <message>
        <source>delete {name}</source>
        <translation>delete {name}</translation>
    </message>
    <message>
        <source>Curator's mutex: a fair queue, reentrant, with names that survive a lost reply; joins kazoo's, and has its names with layout=kazoo</source>
        <translation>Curator 的互斥锁：公平队列，可重入，名称能经受丢失的回复；可加入 kazoo 的队列，layout=kazoo 时用它的节点名</translation>
    </message>
    <message>
        <source>create {name}/_c_{uuid}-lock- ephemeral sequential</source>
        <translation>create {name}/_c_{uuid}-lock- 临时顺序节点</translation>
    </message>
    <message>
        <source>children of {name}: is ours the lowest?</source>
        <translation>列出 {name} 的子节点：我们的序号最小吗？</translation>
    </message>
    <message>
        <source>watch the next lower one until it is gone</source>
        <translation>监视前一个，直到它消失</translation>
    </message>
    <message>
        <source>delete ours</source>
        <translation>delete 我们的节点</translation>
    </message>
    <message>
        <source>Curator's read/write lock, or kazoo's with layout=kazoo: one queue for readers and writers, in order</source>
        <translation>Curator 的读写锁，layout=kazoo 时是 kazoo 的：读者和写者排在同一队列，先来先得</translation>
    </message>
    <message>
        <source>create {name}/_c_{uuid}-__READ__ or -__WRIT__ ephemeral sequential</source>
        <translation>create {name}/_c_{uuid}-__READ__ 或 -__WRIT__ 临时顺序节点</translation>
    </message>
    <message>
        <source>children of {name}: a writer before ours, or anybody before our writer?</source>
        <translation>列出 {name} 的子节点：读者前面有写者，或写者前面有任何人？</translation>
    </message>
    <message>
        <source>watch the first writer, or the next lower one, until it is gone</source>
        <translation>监视第一个写者，或前一个，直到它消失</translation>
    </message>
    <message>
        <source>Curator's semaphore: permits are nodes, taken one client at a time</source>
        <translation>Curator 的信号量：许可是节点，一次由一个客户端获取</translation>
    </message>
    <message>
        <source>create {name}/locks/_c_{uuid}-lock- ephemeral sequential</source>
        <translation>create {name}/locks/_c_{uuid}-lock- 临时顺序节点</translation>
    </message>
    <message>
        <source>wait until ours is the lowest</source>
        <translation>等到我们的序号最小</translation>
    </message>
    <message>
        <source>create {name}/leases/_c_{uuid}-lease- ephemeral sequential, for each permit</source>
        <translation>每个许可 create {name}/leases/_c_{uuid}-lease- 临时顺序节点</translation>
    </message>
    <message>
        <source>more leases than there may be → watch them</source>
        <translation>租约多于许可总数 → 监视它们</translation>
    </message>
    <message>
        <source>delete our leases</source>
        <translation>delete 我们的租约</translation>
    </message>
    <message>
        <source>A queue of numbered ephemeral nodes, each watching the one before</source>
        <translation>编号临时节点的队列，各自监视前一个</translation>
    </message>
    <message>
        <source>create {name}/lock- ephemeral sequential</source>
        <translation>create {name}/lock- 临时顺序节点</translation>
    </message>
</context>
<context>
    <name>Recipes</name>
    <message>
        <source>there is no recipe “%1”%2</source>
        <translation>没有算法“%1”%2</translation>
    </message>
    <message>
        <source>“%1” does not work on the servers that keep “%2”</source>
        <translation>“%1”不能用在保存“%2”的服务器上</translation>
    </message>
    <message>
        <source>“%1” names no lock: redis-multi takes names such as "a,b"</source>
        <translation>“%1”中没有锁的名字：redis-multi 使用 "a,b" 这样的名字</translation>
    </message>
    <message>
        <source>this fault never strikes: the steps of %1 are 1 to %2</source>
        <translation>此故障永远不会发生：%1 的步骤是 1 到 %2</translation>
    </message>
</context>
<context>
    <name>Recording</name>
    <message>
        <source>another program is writing to it</source>
        <translation>另一个程序正在写入它</translation>
    </message>
    <message>
        <source>there is not enough memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>it may only be read</source>
        <translation>它是只读的</translation>
    </message>
    <message>
        <source>the disk could not read or write it</source>
        <translation>磁盘无法读写它</translation>
    </message>
    <message>
        <source>its content is damaged</source>
        <translation>其内容已损坏</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>磁盘已满</translation>
    </message>
    <message>
        <source>the file or its folder is not there, or may not be opened</source>
        <translation>文件或其文件夹不存在，或无权打开</translation>
    </message>
    <message>
        <source>its tables are not those of a recording</source>
        <translation>其中的表不是录制文件的表</translation>
    </message>
    <message>
        <source>%1 is damaged in its first part: none of its %2 events can be read.</source>
        <translation>%1 在第一部分就已损坏：它的 %2 个事件都无法读取。</translation>
    </message>
    <message>
        <source>%1 is damaged in its first part: none of its events can be read.</source>
        <translation>%1 在第一部分就已损坏：它的事件都无法读取。</translation>
    </message>
    <message>
        <source>%1 Copy it again from where it was made, or record anew.</source>
        <translation>%1请从生成它的地方重新复制，或重新录制。</translation>
    </message>
    <message>
        <source>%1 It recorded the scenario “%2” with the seed %3: run that again, or copy the file again from where it was made.</source>
        <translation>%1它录制的是场景“%2”，种子 %3：请重新运行，或从生成它的地方重新复制文件。</translation>
    </message>
    <message>
        <source>%1 is damaged after event %2. What lies before can be read.</source>
        <translation>%1 在第 %2 个事件之后已损坏。在此之前的内容可以读取。</translation>
    </message>
    <message>
        <source>%1 is damaged after event %2 of %3, at %4. What lies before can be read; the rest is lost.</source>
        <translation>%1 在第 %2 个事件之后已损坏（共 %3 个，%4 处）。在此之前的内容可以读取，其余的丢失了。</translation>
    </message>
    <message>
        <source>%1 could not be read beyond event %2: %3.</source>
        <translation>%1 在第 %2 个事件之后无法读取：%3。</translation>
    </message>
    <message>
        <source>%1 is a folder. Choose a recording in it.</source>
        <translation>%1 是文件夹。请选择其中的录制文件。</translation>
    </message>
    <message>
        <source>%1 does not exist. Was it moved or renamed?</source>
        <translation>%1 不存在。是否已移动或改名？</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2. Check its permissions.</source>
        <translation>无法读取 %1：%2。请检查其权限。</translation>
    </message>
    <message>
        <source>%1 is empty: nothing was recorded into it.</source>
        <translation>%1 是空的：没有录制任何内容。</translation>
    </message>
    <message>
        <source>%1 is not a recording; it looks like a scenario. Open it in the window, or play it with “lockscope simulate”.</source>
        <translation>%1 不是录制文件，看起来是一个场景。请在窗口中打开它，或用“lockscope simulate”播放。</translation>
    </message>
    <message>
        <source>%1 is not a Lockscope recording: something else is in it. Choose a file that Lockscope has recorded.</source>
        <translation>%1 不是 Lockscope 录制文件：里面是别的内容。请选择 Lockscope 录制的文件。</translation>
    </message>
    <message>
        <source>%1 is damaged from its first bytes on: nothing of it can be read. If there is another copy, open that.</source>
        <translation>%1 从开头就已损坏：无法读取任何内容。如有其他副本，请打开副本。</translation>
    </message>
    <message>
        <source>%1 cannot be opened: %2. Try again, or open a copy of it.</source>
        <translation>无法打开 %1：%2。请重试，或打开它的副本。</translation>
    </message>
    <message>
        <source>%1 belongs to another program: it is not a Lockscope recording. Choose a file that Lockscope has recorded.</source>
        <translation>%1 属于其他程序，不是 Lockscope 录制文件。请选择 Lockscope 录制的文件。</translation>
    </message>
    <message>
        <source>%1 was recorded by a newer Lockscope (format %2, this one reads up to %3). Update Lockscope to open it.</source>
        <translation>%1 由更新版本的 Lockscope 录制（格式 %2，本版本最高读 %3）。请更新 Lockscope 再打开。</translation>
    </message>
    <message>
        <source>Opening %1 was cancelled: what was read so far is shown.</source>
        <translation>已取消打开 %1：显示到目前为止读入的内容。</translation>
    </message>
    <message>
        <source>%1 was changed after it was recorded: its scenario, its recipe or the bound that it is judged by. Its events are whole.</source>
        <translation>%1 在录制之后被改动：它的场景、算法或判定所用的上限。其事件完好无损。</translation>
    </message>
    <message>
        <source>%1 is a folder. Name a file in it.</source>
        <translation>%1 是文件夹。请写出其中的文件名。</translation>
    </message>
    <message>
        <source>%1 could not be written: %2. What was recorded before is kept; free some space or choose another place.</source>
        <translation>无法写入 %1：%2。之前录制的内容已保留；请腾出空间或换个位置。</translation>
    </message>
    <message>
        <source>%1 is there and is no recording: it would be lost. Choose another name.</source>
        <translation>%1 已存在且不是录制文件：它会丢失。请换一个名称。</translation>
    </message>
    <message>
        <source>%1 is a device or a pipe, and a recording needs a file. Choose another name.</source>
        <translation>%1 是设备或管道，而录制需要一个文件。请换一个名称。</translation>
    </message>
    <message>
        <source>%1 exists and could not be replaced: %2. Close it elsewhere or choose another name.</source>
        <translation>%1 已存在且无法替换：%2。请在别处关闭它，或换个名字。</translation>
    </message>
    <message>
        <source>%1 could not be created: %2. Check that the folder exists and that you may write there.</source>
        <translation>无法创建 %1：%2。请检查文件夹是否存在、是否有写权限。</translation>
    </message>
    <message>
        <source>%1 cannot be renamed to %2: %3</source>
        <translation>无法把 %1 改名为 %2：%3</translation>
    </message>
    <message>
        <source>Nothing is recorded in %1 any more.</source>
        <translation>%1 中已不再录制任何内容。</translation>
    </message>
</context>
<context>
    <name>RedisError</name>
    <message>
        <source>the cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>%1 is a Redis server and no Sentinel: give the Sentinels’ own ports, such as 26379, or write redis:// for this server alone.</source>
        <translation>%1 是 Redis 服务器，不是 Sentinel：请写 Sentinel 自己的端口（例如 26379），或对这台服务器单独使用 redis://。</translation>
    </message>
    <message>
        <source>%1 watches over no master “%2”.</source>
        <translation>%1 没有监视主节点“%2”。</translation>
    </message>
    <message>
        <source>%1 was asked.</source>
        <translation>已询问 %1。</translation>
    </message>
    <message>
        <source>The sentinels name no master “%1” that can be used, for %2 now. %3</source>
        <translation>哨兵已经 %2 没有给出可用的主节点“%1”。%3</translation>
    </message>
    <message>
        <source>The master “%1” was replaced (it was %2) while %3 was on its way; whether it ran is not known.</source>
        <translation>%3 还在途中时，主节点“%1”（原为 %2）被替换；它是否已执行，不得而知。</translation>
    </message>
    <message>
        <source>%1 should be the master but says that it is: %2. It was not used.</source>
        <translation>%1 应该是主节点，却说自己是：%2。没有使用它。</translation>
    </message>
    <message>
        <source>The keys of %1 are in different slots of the cluster. Choose a lock name without braces, or with one pair around the part that all its keys share: {orders}.</source>
        <translation>%1 的键位于集群的不同槽中。请选用不含花括号的锁名，或只用一对括住所有键共有的部分：{orders}。</translation>
    </message>
    <message>
        <source>No node of the cluster could be asked for slot %1 within %2. %3</source>
        <translation>在 %2 内无法就槽 %1 询问集群的任何节点。%3</translation>
    </message>
    <message>
        <source>The cluster has not served slot %1 for %2. %3</source>
        <translation>集群已经 %2 没有服务槽 %1。%3</translation>
    </message>
    <message>
        <source>%1 refused the connection. Is Redis running there, and on this port?</source>
        <translation>%1 拒绝连接。Redis 是否在那里、在这个端口上运行？</translation>
    </message>
    <message>
        <source>%1 did not answer within %2. If it does not speak TLS, write redis:// instead of rediss://; else check address, port and firewall.</source>
        <translation>%1 在 %2 内没有应答。如果它不使用 TLS，请把 rediss:// 改为 redis://；否则请检查地址、端口和防火墙。</translation>
    </message>
    <message>
        <source>%1 closed the connection during the greeting. Does it want a client certificate?</source>
        <translation>%1 在握手时关闭了连接。它是否要求客户端证书？</translation>
    </message>
    <message>
        <source>%1 closed the connection during the greeting. If it wants TLS, write rediss://.</source>
        <translation>%1 在握手时关闭了连接。如果它要求 TLS，请写 rediss://。</translation>
    </message>
    <message>
        <source>The connection to %1 broke; whether the last commands ran is not known.</source>
        <translation>与 %1 的连接中断；最后的命令是否执行不得而知。</translation>
    </message>
    <message>
        <source>The connection to %1 broke before %2, which has to go over the same one: it was not sent.</source>
        <translation>到 %1 的连接在 %2 之前断开，而该命令必须经由同一连接发送：它没有被发送。</translation>
    </message>
    <message>
        <source>%1 has said nothing for %2; the connection was given up.</source>
        <translation>%1 已有 %2 没有任何消息；已放弃该连接。</translation>
    </message>
    <message>
        <source>What %1 sends is not the Redis protocol (%2). Is it a Redis?</source>
        <translation>%1 发来的不是 Redis 协议（%2）。它是 Redis 吗？</translation>
    </message>
    <message>
        <source>%1 did not answer %2 within %3; whether it ran is not known.</source>
        <translation>%1 在 %3 内没有应答 %2；是否执行不得而知。</translation>
    </message>
    <message>
        <source>%1 did not confirm the subscription within %2.</source>
        <translation>%1 在 %2 内没有确认订阅。</translation>
    </message>
    <message>
        <source>%1 says: %2</source>
        <translation>%1 说：%2</translation>
    </message>
    <message>
        <source>%1 has no password, but the URL gives one: take it out of the URL.</source>
        <translation>%1 没有设置密码，但 URL 中给出了密码：请从 URL 中去掉密码。</translation>
    </message>
    <message>
        <source>%1 wants a password. In a URL: redis://:password@host.</source>
        <translation>%1 要求密码。写在 URL 里是：redis://:password@host。</translation>
    </message>
    <message>
        <source>%1 refused the login (%2). Check user and password in the URL.</source>
        <translation>%1 拒绝登录（%2）。请检查 URL 中的用户名和密码。</translation>
    </message>
    <message>
        <source>%1 does not allow this user to run %2. Ask for an ACL that does.</source>
        <translation>%1 不允许此用户执行 %2。请申请允许它的 ACL。</translation>
    </message>
    <message>
        <source>%1 has no such database (%2). Check the number at the end of the URL.</source>
        <translation>%1 没有这个数据库（%2）。请检查 URL 末尾的数字。</translation>
    </message>
    <message>
        <source>%1 is not ready: %2</source>
        <translation>%1 尚未就绪：%2</translation>
    </message>
    <message>
        <source>%1 · not connected</source>
        <translation>%1 · 未连接</translation>
    </message>
    <message>
        <source>%1 · connecting</source>
        <translation>%1 · 正在连接</translation>
    </message>
    <message>
        <source>%1 · connected</source>
        <translation>%1 · 已连接</translation>
    </message>
    <message>
        <source>%1 · lost: %2 Trying again in %3.</source>
        <translation>%1 · 已断开：%2 %3 后重试。</translation>
    </message>
    <message>
        <source>%1 · failed: %2</source>
        <translation>%1 · 失败：%2</translation>
    </message>
</context>
<context>
    <name>Replay</name>
    <message>
        <source>Between %1 and %2 nobody used a lock: choose another stretch.</source>
        <translation>从 %1 到 %2 没有人使用锁：请另选一段。</translation>
    </message>
    <message>
        <source>Replay of %1</source>
        <translation>重演：%1</translation>
    </message>
    <message>
        <source>a recording</source>
        <translation>一份录制</translation>
    </message>
    <message numerus="yes">
        <source>%n client(s) over %1 of a recording, each with the requests and holds that it had. Change the lease, the recipe or a fault to see what would have been.</source>
        <translation>
            <numerusform>录制中 %1 内的 %n 个客户端，各有其当时的请求与持有。改变租约、算法或故障，看看会怎样。</numerusform>
        </translation>
    </message>
    <message>
        <source>nameless</source>
        <translation>无名</translation>
    </message>
    <message numerus="yes">
        <source>A scenario has %1 clients at most: %n client(s) with the fewest requests are left out.</source>
        <translation>
            <numerusform>一个场景最多有 %1 个客户端：请求最少的 %n 个被略去。</numerusform>
        </translation>
    </message>
    <message>
        <source>For a part of this stretch the servers could not be seen: what happened meanwhile is missing.</source>
        <translation>这一段中有一部分看不到服务器：其间发生的事情缺失。</translation>
    </message>
    <message numerus="yes">
        <source>%n lease(s) ran out without a release: each of these holders is stopped after its last renewal.</source>
        <translation>
            <numerusform>有 %n 个租约到期而未释放：这些持有者在最后一次续期之后被停止。</numerusform>
        </translation>
    </message>
    <message>
        <source>The recipe is the one that the locks on the server look like: %1, held until their connection ends.</source>
        <translation>算法按服务器上锁的样子推断：%1，持有到其连接结束为止。</translation>
    </message>
    <message>
        <source>Recipe, lease and watchdog are those that the locks on the server look like: %1, lease %2.</source>
        <translation>算法、租约和看门狗按服务器上锁的样子推断：%1，租约 %2。</translation>
    </message>
    <message>
        <source>at least %1</source>
        <extracomment>Of a lease of which only the rest was seen.</extracomment>
        <translation>至少 %1</translation>
    </message>
    <message numerus="yes">
        <source>%1 for %n lock(s)</source>
        <translation>
            <numerusform>%n 个锁用 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Each lock has the recipe, the lease and the server of its own kind: %1.</source>
        <translation>每个锁都使用其所属种类的算法、租约和服务器：%1。</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between recipes</comment>
        <translation>、</translation>
    </message>
    <message numerus="yes">
        <source>Only the %1 of %n lock(s) of “%2” are in the scenario: one scenario cannot play all of them. Left out: %3.</source>
        <extracomment>%1 a number, %2 a kind of server or a recipe, %3 recipes with the numbers of their locks.</extracomment>
        <translation>
            <numerusform>%n 个锁中只有 “%2” 的 %1 个在场景中：一个场景无法同时演示全部。未包含：%3。</numerusform>
        </translation>
    </message>
    <message>
        <source>No recipe of the simulator does what these clients did with “%1”: choose another stretch.</source>
        <translation>模拟器中没有算法能像这些客户端那样使用 “%1”：请选择另一段。</translation>
    </message>
    <message>
        <source>The stretch is empty: its end must be later than its beginning.</source>
        <translation>这一段是空的：终点必须晚于起点。</translation>
    </message>
    <message numerus="yes">
        <source>%n fault(s) of the recording cannot be repeated here, and are left out.</source>
        <translation>
            <numerusform>录制中有 %n 个故障在这里无法重演，已略去。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RunPicture</name>
    <message>
        <source>No invariant breaks in this stretch of the run</source>
        <translation>在运行的这一段中没有不变量被违反</translation>
    </message>
    <message>
        <source>All invariants hold so far</source>
        <translation>至今所有不变量都成立</translation>
    </message>
    <message>
        <source>All invariants hold</source>
        <translation>所有不变量都成立</translation>
    </message>
    <message>
        <source>What was seen holds, but not all was seen</source>
        <translation>所见均成立，但并非全部可见</translation>
    </message>
    <message>
        <source>What can be judged holds, but not all can</source>
        <translation>能判断的都成立，但有些无法判断</translation>
    </message>
</context>
<context>
    <name>Sandbox</name>
    <message>
        <source>No private directory can be made for the server.</source>
        <translation>无法为服务器建立私有目录。</translation>
    </message>
    <message>
        <source>etcd can not be run: %1. Is the package etcd-server installed?</source>
        <translation>无法运行 etcd：%1。是否安装了软件包 etcd-server？</translation>
    </message>
    <message>
        <source>etcd did not come up on port %1. It said: %2</source>
        <translation>etcd 没有在端口 %1 上启动。它说：%2</translation>
    </message>
    <message>
        <source>etcd did not take the login. It said: %1</source>
        <translation>etcd 没有接受登录设置。它说：%1</translation>
    </message>
    <message>
        <source>memcached can not be run: %1. Is the package memcached installed?</source>
        <translation>无法运行 memcached：%1。是否已安装软件包 memcached？</translation>
    </message>
    <message>
        <source>memcached did not come up on port %1. It said: %2</source>
        <translation>memcached 没有在端口 %1 上启动。它说：%2</translation>
    </message>
    <message>
        <source>The files can not be given to the user postgres.</source>
        <translation>无法把文件交给用户 postgres。</translation>
    </message>
    <message>
        <source>with status %1</source>
        <translation>，状态码 %1</translation>
    </message>
    <message>
        <source>by signal %1</source>
        <translation>，信号 %1</translation>
    </message>
    <message>
        <source>%1 can not be run: %2.</source>
        <translation>无法运行 %1：%2。</translation>
    </message>
    <message>
        <source>%1 did not end in time.</source>
        <translation>%1 没有按时结束。</translation>
    </message>
    <message>
        <source>%1 failed: %2</source>
        <translation>%1 失败：%2</translation>
    </message>
    <message>
        <source>There is no free port on 127.0.0.1.</source>
        <translation>127.0.0.1 上没有空闲端口。</translation>
    </message>
    <message>
        <source>The node on port %1 answers to %2: %3</source>
        <translation>端口 %1 上的节点对 %2 的应答：%3</translation>
    </message>
    <message>
        <source>The nodes of the cluster did not find each other.</source>
        <translation>集群的节点没有互相找到。</translation>
    </message>
    <message>
        <source>The replica on port %1 did not get in step with its master.</source>
        <translation>端口 %1 上的副本没有与主节点同步。</translation>
    </message>
    <message>
        <source>The file %1 can not be written.</source>
        <translation>无法写入文件 %1。</translation>
    </message>
    <message>
        <source>redis-server can not be run: %1. Is the package redis-server installed?</source>
        <translation>无法运行 redis-server：%1。是否已安装软件包 redis-server？</translation>
    </message>
    <message>
        <source>redis-server did not come up on port %1. It said: %2</source>
        <translation>redis-server 没有在端口 %1 上启动。它说：%2</translation>
    </message>
    <message>
        <source>The sentinels did not find each other and the replicas.</source>
        <translation>哨兵没有找到彼此和副本。</translation>
    </message>
    <message>
        <source>The database server can not be run: %1. Is the package %2 installed?</source>
        <translation>无法运行数据库服务器：%1。是否已安装软件包 %2？</translation>
    </message>
    <message>
        <source>The database server did not come up on port %1. It said: %2</source>
        <translation>数据库服务器没有在端口 %1 上启动。它说：%2</translation>
    </message>
    <message>
        <source>The directory %1 can not be written.</source>
        <translation>无法写入目录 %1。</translation>
    </message>
    <message>
        <source>java can not be run: %1. Are the packages default-jre-headless and libzookeeper-java installed?</source>
        <translation>无法运行 java：%1。是否已安装软件包 default-jre-headless 和 libzookeeper-java？</translation>
    </message>
    <message>
        <source>ZooKeeper did not come up on port %1. It said: %2</source>
        <translation>ZooKeeper 没有在端口 %1 上启动。它说：%2</translation>
    </message>
    <message>
        <source>The ZooKeeper ensemble did not come up. It said: %1</source>
        <translation>ZooKeeper 集群没有启动。它说：%1</translation>
    </message>
</context>
<context>
    <name>SeenLines</name>
    <message>
        <source>not read</source>
        <translation>未读取</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <comment>elements of a key</comment>
        <translation>
            <numerusform>以及另外 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>nobody holds “%1”</source>
        <translation>没有人持有“%1”</translation>
    </message>
    <message>
        <source>no key “%1”</source>
        <translation>没有键“%1”</translation>
    </message>
    <message>
        <source>on %1</source>
        <extracomment>The server on which a lock lies.</extracomment>
        <translation>位于 %1</translation>
    </message>
    <message>
        <source>client %1: %2</source>
        <extracomment>A holder or waiter, and what the server knows of it: address, program, statement.</extracomment>
        <translation>客户端 %1：%2</translation>
    </message>
    <message>
        <source>client %1 has no connection any more</source>
        <extracomment>A holder whose connections have all ended, while its lock is still there.</extracomment>
        <translation>客户端 %1 已没有任何连接</translation>
    </message>
    <message numerus="yes">
        <source>and %n more keys</source>
        <translation>
            <numerusform>以及另外 %n 个键</numerusform>
        </translation>
    </message>
    <message>
        <source>long texts are cut</source>
        <translation>长文本已截断</translation>
    </message>
    <message>
        <source>the transaction of %1 has locked its row, until it ends</source>
        <translation>%1 的事务锁住了它的行，直到事务结束</translation>
    </message>
    <message>
        <source>no transaction has locked its row</source>
        <translation>没有事务锁住它的行</translation>
    </message>
    <message>
        <source>the session of %1 has it, in the server's memory</source>
        <translation>%1 的会话持有它，只在服务器的内存里</translation>
    </message>
    <message>
        <source>no session has it</source>
        <translation>没有会话持有它</translation>
    </message>
    <message>
        <source>nobody has looked yet at what the server holds of it</source>
        <translation>尚未查看服务器上的内容</translation>
    </message>
</context>
<context>
    <name>ServerConnection</name>
    <message>
        <source>The host of %1 is not known. Check its name.</source>
        <translation>找不到 %1 的主机。请检查名字。</translation>
    </message>
    <message>
        <source>%1 did not answer. Check address, port and firewall.</source>
        <translation>%1 没有应答。请检查地址、端口和防火墙。</translation>
    </message>
    <message>
        <source>No connection to %1: %2.</source>
        <translation>无法连接 %1：%2。</translation>
    </message>
    <message>
        <source>No TLS connection to %1: %2. Check ca=, cert= and key= in the URL.</source>
        <translation>无法与 %1 建立 TLS 连接：%2。请检查 URL 中的 ca=、cert= 和 key=。</translation>
    </message>
    <message>
        <source>%1 did not answer within %2. Check address, port and firewall.</source>
        <translation>%1 在 %2 内没有应答。请检查地址、端口和防火墙。</translation>
    </message>
    <message>
        <source>The connection to %1 was closed on purpose.</source>
        <translation>与 %1 的连接已主动关闭。</translation>
    </message>
    <message>
        <source>%1 commands wait for %2 already; this one was not sent.</source>
        <translation>已有 %1 条命令在等 %2；这条没有发送。</translation>
    </message>
</context>
<context>
    <name>ServerWords</name>
    <message>
        <source>it does not answer</source>
        <translation>没有应答</translation>
    </message>
    <message>
        <source>%1 not in step</source>
        <translation>%1 未同步</translation>
    </message>
    <message>
        <source>%1 (%2 behind)</source>
        <extracomment>A replica's address, and how much of the master's changes it has not confirmed.</extracomment>
        <translation>%1（落后 %2）</translation>
    </message>
    <message>
        <source>master</source>
        <translation>主节点</translation>
    </message>
    <message>
        <source>replica</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>replica of %1</source>
        <translation>%1 的副本</translation>
    </message>
    <message>
        <source>leader</source>
        <translation>领导者</translation>
    </message>
    <message>
        <source>follower</source>
        <translation>跟随者</translation>
    </message>
    <message>
        <source>observer</source>
        <translation>观察者</translation>
    </message>
    <message>
        <source>learner</source>
        <translation>学习者</translation>
    </message>
    <message>
        <source>the only server</source>
        <translation>唯一的服务器</translation>
    </message>
    <message>
        <source>role not known</source>
        <translation>角色未知</translation>
    </message>
    <message>
        <source>not known: %1</source>
        <translation>未知：%1</translation>
    </message>
    <message>
        <source>slots %1</source>
        <extracomment>Of a cluster's node: the numbers of the slots that it has.</extracomment>
        <translation>槽 %1</translation>
    </message>
    <message>
        <source>run id %1…</source>
        <translation>run id %1…</translation>
    </message>
    <message>
        <source>%1 behind</source>
        <extracomment>Of a replica: how much of its master's changes its data lack.</extracomment>
        <translation>落后 %1</translation>
    </message>
    <message>
        <source>%1 s behind</source>
        <extracomment>Of a database that is a replica: the age of what it shows, in seconds.</extracomment>
        <translation>落后 %1 秒</translation>
    </message>
    <message numerus="yes">
        <source>%n entry(ies) behind</source>
        <extracomment>Of an etcd's follower: how many entries of the cluster's log it has not applied yet.</extracomment>
        <translation>
            <numerusform>落后 %n 条日志</numerusform>
        </translation>
    </message>
    <message>
        <source>no replica</source>
        <translation>没有副本</translation>
    </message>
    <message>
        <source>replicas: %1</source>
        <translation>副本：%1</translation>
    </message>
    <message>
        <source>nothing outlives a restart</source>
        <translation>重启后数据全部丢失</translation>
    </message>
    <message>
        <source>persistence %1</source>
        <extracomment>The ways in which a Redis keeps its data on disk: "rdb", "aof", "rdb+aof".</extracomment>
        <translation>持久化 %1</translation>
    </message>
    <message>
        <source>eviction %1</source>
        <translation>淘汰策略 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n master(s)</source>
        <translation>
            <numerusform>%n 个主节点</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> + %n replica(s)</source>
        <extracomment>Follows "master" or "3 masters".</extracomment>
        <translation>
            <numerusform> + %n 个副本</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>, %n of them not in step</source>
        <comment>replicas</comment>
        <translation>
            <numerusform>，其中 %n 个未同步</numerusform>
        </translation>
    </message>
    <message>
        <source>quorum: %1 of %2 answer</source>
        <extracomment>A majority of servers answers, so that they decide: %1 and %2 are numbers.</extracomment>
        <translation>多数派：%2 台中 %1 台应答</translation>
    </message>
    <message>
        <source>no quorum: %1 of %2 answer</source>
        <translation>无多数派：%2 台中 %1 台应答</translation>
    </message>
    <message>
        <source>leader %1</source>
        <translation>领导者 %1</translation>
    </message>
    <message>
        <source>%1 of %2 slots</source>
        <translation>%2 个槽中的 %1 个</translation>
    </message>
    <message>
        <source>evicts keys: %1</source>
        <extracomment>%1 is a policy of Redis: "allkeys-lru".</extracomment>
        <translation>会淘汰键：%1</translation>
    </message>
</context>
<context>
    <name>SharedRun</name>
    <message>
        <source>The shared run is too long: %1 characters, and at most %2 can be read.</source>
        <translation>分享的运行太长：有 %1 个字符，最多能读 %2 个。</translation>
    </message>
    <message>
        <source>the seed is missing, such as “?seed=42”</source>
        <translation>缺少种子，例如“?seed=42”</translation>
    </message>
    <message>
        <source>The shared run cannot be read: at character %1, “%2”: %3</source>
        <extracomment>About the text of a shared run: %1 the place of the mistake, %2 the part that is wrong, %3 a sentence.</extracomment>
        <translation>分享的运行读不出来：第 %1 个字符处，“%2”：%3</translation>
    </message>
    <message>
        <source>this is no time; write it with its unit, such as 3.1s</source>
        <translation>这不是时间；请带上单位，例如 3.1s</translation>
    </message>
    <message>
        <source>a name and “=” belong before this</source>
        <translation>前面应有名字和“=”</translation>
    </message>
    <message>
        <source>the seed is a whole number</source>
        <translation>种子是一个整数</translation>
    </message>
    <message>
        <source>there is no field “%1”%2</source>
        <translation>没有名为“%1”的字段%2</translation>
    </message>
    <message>
        <source>there is no built-in scenario “%1”, and none stands packed behind “as=”; was all of the text copied?</source>
        <translation>没有内置场景“%1”，“as=”后面也没有打包的场景；文本复制完整了吗？</translation>
    </message>
    <message>
        <source>there is no built-in scenario “%1”%2</source>
        <translation>没有内置场景“%1”%2</translation>
    </message>
    <message>
        <source>the packed scenario is damaged; was all of it copied?</source>
        <translation>打包的场景已损坏；是否没有复制完整？</translation>
    </message>
    <message>
        <source>this is a number from 1 on</source>
        <translation>这是从 1 开始的数</translation>
    </message>
    <message>
        <source>no action stands here, such as pause-client</source>
        <translation>这里应是一个动作，例如 pause-client</translation>
    </message>
    <message>
        <source>this belongs to a condition, such as when=granted, and none stands here</source>
        <translation>这属于某个条件（例如 when=granted），而这里没有条件</translation>
    </message>
    <message>
        <source>a condition is granted, requested, released or recorded</source>
        <translation>条件是 granted、requested、released 或 recorded</translation>
    </message>
    <message>
        <source>a fault has one condition at most</source>
        <translation>一个故障最多有一个条件</translation>
    </message>
    <message>
        <source>this detail is not known; there are for=8s, every=3s, value=-10s and settings such as lease=5s</source>
        <translation>不认识这一项；可用的有 for=8s、every=3s、value=-10s，以及 lease=5s 这样的设置</translation>
    </message>
</context>
<context>
    <name>Shell</name>
    <message>
        <source>--theme %1: light, dark or system</source>
        <translation>--theme %1：应为 light、dark 或 system</translation>
    </message>
    <message>
        <source>--language %1: one of %2</source>
        <translation>--language %1：应为 %2 之一</translation>
    </message>
    <message>
        <source>--layout %1: teach, monitor or break</source>
        <translation>--layout %1：应为 teach、monitor 或 break</translation>
    </message>
    <message>
        <source>--seed %1: this needs a scenario to run, such as --scenario gc-pause</source>
        <translation>--seed %1：需要一个要运行的场景，例如 --scenario gc-pause</translation>
    </message>
    <message>
        <source>--step %1: the lesson has the steps 1 to %2</source>
        <translation>--step %1：这一课有第 1 到第 %2 步</translation>
    </message>
    <message>
        <source>--connect %1: the address of a server, such as redis://host:6379, or NAME=redis://host</source>
        <translation>--connect %1：应为服务器地址，例如 redis://host:6379，或 名称=redis://host</translation>
    </message>
    <message>
        <source>--seed %1: a whole number</source>
        <translation>--seed %1：应为整数</translation>
    </message>
    <message>
        <source>--seed %1: the shared run has its own seed</source>
        <translation>--seed %1：分享的运行自带种子</translation>
    </message>
    <message>
        <source>--compare %1: a setting and its other value, such as watchdog=off or recipe=redis-fair, or “fencing”</source>
        <translation>--compare %1：应是一个设置和它的另一个值，例如 watchdog=off 或 recipe=redis-fair，或者“fencing”</translation>
    </message>
    <message>
        <source>--compare %1: %2</source>
        <translation>--compare %1：%2</translation>
    </message>
    <message>
        <source>--compare %1: this needs a scenario to run</source>
        <translation>--compare %1：需要有一个要运行的场景</translation>
    </message>
    <message>
        <source>--panel %1: one of %2</source>
        <translation>--panel %1：应为 %2 之一</translation>
    </message>
    <message>
        <source>%1: the picture could not be written</source>
        <translation>%1：无法写入图片</translation>
    </message>
    <message>
        <source>an option is not known, or lacks its value</source>
        <translation>有选项无法识别，或缺少值</translation>
    </message>
    <message>
        <source>there is no display for the window: neither DISPLAY nor WAYLAND_DISPLAY is set. “lockscope --help” tells what works in a terminal</source>
        <translation>没有可用于窗口的显示：DISPLAY 和 WAYLAND_DISPLAY 均未设置。“lockscope --help” 会说明终端里可用的功能</translation>
    </message>
    <message>
        <source>--at %1: a time such as 6.8s</source>
        <translation>--at %1：应为时间，如 6.8s</translation>
    </message>
</context>
<context>
    <name>SimulationWorker</name>
    <message>
        <source>At %1: %2</source>
        <comment>an instant, and a sentence</comment>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>SpotlightWords</name>
    <message>
        <source>not yet</source>
        <extracomment>On the time axis, right of the playhead.</extracomment>
        <translation>尚未发生</translation>
    </message>
</context>
<context>
    <name>SqlError</name>
    <message>
        <source>The file “%1” cannot be read. Check ca=, cert= and key= in the URL.</source>
        <translation>无法读取文件“%1”。请检查 URL 中的 ca=、cert= 和 key=。</translation>
    </message>
    <message>
        <source>TLS to MySQL and MariaDB needs ca=FILE in the URL: the authority of your own server.</source>
        <translation>到 MySQL 和 MariaDB 的 TLS 需要在 URL 中写 ca=FILE：你自己服务器的证书机构。</translation>
    </message>
    <message>
        <source>The option “pooler” has one value, session: it says that a pooler gives each connection a server process of its own.</source>
        <translation>选项“pooler”只有一个值 session：表示连接池为每个连接保留一个服务器进程。</translation>
    </message>
    <message>
        <source>“%1” is not the URL of a database.</source>
        <translation>“%1”不是数据库的 URL。</translation>
    </message>
    <message>
        <source>The tables of the locks have version %1, and this program knows %2 at most. Use a newer one.</source>
        <translation>锁的表版本为 %1，而本程序最多认识 %2。请使用更新的程序。</translation>
    </message>
    <message>
        <source>The table %1 exists and is not Lockscope's. Name another one by table=NAME in the URL.</source>
        <translation>表 %1 已经存在，而且不是 Lockscope 的。请在 URL 里用 table=NAME 指定另一个表。</translation>
    </message>
    <message>
        <source>The table %1 has no unique key of its column “name” alone, and two would get the same lock. Add one (CREATE UNIQUE INDEX), or name another table by table=NAME in the URL.</source>
        <translation>表 %1 没有仅由“name”列构成的唯一键，两个客户端会得到同一把锁。请添加一个（CREATE UNIQUE INDEX），或者在 URL 里用 table=NAME 指定另一个表。</translation>
    </message>
    <message>
        <source>Another client is changing the tables of the locks; try again.</source>
        <translation>另一个客户端正在更改锁的表；请重试。</translation>
    </message>
    <message>
        <source>No connection to %1: %2. Is the server running there, and on this port?</source>
        <translation>无法连接 %1：%2。服务器在那里、在这个端口上运行吗？</translation>
    </message>
    <message>
        <source>%1 did not answer in time. Check address, port and firewall.</source>
        <translation>%1 没有及时应答。请检查地址、端口和防火墙。</translation>
    </message>
    <message>
        <source>No TLS connection to %1: %2. Check ca=, cert= and key= in the URL.</source>
        <translation>无法与 %1 建立 TLS 连接：%2。请检查 URL 中的 ca=、cert= 和 key=。</translation>
    </message>
    <message>
        <source>%1 refused the login: %2. Check user and password, and whether it wants ?tls=on.</source>
        <translation>%1 拒绝了登录：%2。请检查用户和密码，以及它是否需要 ?tls=on。</translation>
    </message>
    <message>
        <source>%1 has no such database: %2. Create it, or name another one in the URL.</source>
        <translation>%1 没有这个数据库：%2。请创建它，或在 URL 中指定另一个。</translation>
    </message>
    <message>
        <source>%1 takes no more connections: %2. Raise its limit, or use fewer locks at once.</source>
        <translation>%1 不再接受连接：%2。请提高上限，或同时少用一些锁。</translation>
    </message>
    <message>
        <source>The tables of the locks are not on %1, or are of an older version: %2. Prepare the database first: ClientOptions::prepare, or prepare() of the client, creates them; for an account that may not, have another one do it.</source>
        <translation>%1 上没有锁所需的表，或表的版本较旧：%2。请先准备数据库：ClientOptions::prepare 或客户端的 prepare() 会创建这些表；如果该账户无权创建，请让另一个账户执行。</translation>
    </message>
    <message>
        <source>%1 has such a row already: %2.</source>
        <translation>%1 已经有这样一行：%2。</translation>
    </message>
    <message>
        <source>%1 ended this request to end a deadlock; nothing was changed. Release what you hold and try again, and take locks in the same order everywhere.</source>
        <translation>%1 为结束死锁而终止了这个请求；没有任何改动。请释放所持有的再重试，并在各处以同样的顺序取锁。</translation>
    </message>
    <message>
        <source>%1 ended the wait for a lock by its own limit: %2. Nothing was changed.</source>
        <translation>%1 因自己的限制结束了对锁的等待：%2。没有任何改动。</translation>
    </message>
    <message>
        <source>The request was ended on %1: %2. Nothing was changed.</source>
        <translation>请求在 %1 上被终止：%2。没有任何改动。</translation>
    </message>
    <message>
        <source>The connection to %1 broke during a request: %2. Whether it was carried out is not known.</source>
        <translation>请求期间到 %1 的连接断开：%2。它是否已执行，不得而知。</translation>
    </message>
    <message>
        <source>%1 refused the request: %2.</source>
        <translation>%1 拒绝了请求：%2。</translation>
    </message>
    <message>
        <source>The file %1 cannot be opened. Is the path right, and may this user read and write there?</source>
        <translation>无法打开文件 %1。路径对吗？此用户可以在那里读写吗？</translation>
    </message>
    <message>
        <source>%1 did not answer within %2. Check address, port and firewall, and whether it is a database that listens there.</source>
        <translation>%1 在 %2 内没有应答。请检查地址、端口和防火墙，以及那里监听的是否为数据库。</translation>
    </message>
    <message>
        <source>%1 did not answer a request within %2. Whether it was carried out is not known.</source>
        <translation>%1 在 %2 内没有应答请求。它是否已执行，不得而知。</translation>
    </message>
    <message>
        <source>The lock on %1 was not free within %2. Nothing was changed.</source>
        <translation>%1 上的锁在 %2 内没有空闲。没有任何改动。</translation>
    </message>
    <message>
        <source>The connection to %1 was closed while a request was under way.</source>
        <translation>请求进行中时到 %1 的连接被关闭。</translation>
    </message>
    <message>
        <source>The connection to %1 is gone, and with it what was locked by it.</source>
        <translation>到 %1 的连接没有了，由它锁住的也随之释放。</translation>
    </message>
    <message>
        <source>%1 offers no TLS, which tls=on in the URL asks for. Give the server a certificate, or take tls=on out of the URL.</source>
        <translation>%1 不提供 TLS，而 URL 里的 tls=on 要求 TLS。请给服务器配置证书，或者从 URL 里去掉 tls=on。</translation>
    </message>
    <message>
        <source>%1 takes no writes: it is a replica or read-only.</source>
        <translation>%1 不接受写入：它是副本，或者只读。</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message numerus="yes">
        <source>%1, %n dead</source>
        <comment>6 servers, 4 dead</comment>
        <translation>
            <numerusform>%1，其中 %n 个已宕机</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, %n dead</source>
        <comment>6 clients, 4 dead</comment>
        <translation>
            <numerusform>%1，其中 %n 个已死</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2 dead</source>
        <comment>servers</comment>
        <extracomment>3 servers, redis-1 dead</extracomment>
        <translation>%1，%2 已宕机</translation>
    </message>
    <message>
        <source>%1, %2 dead</source>
        <comment>clients</comment>
        <translation>%1，%2 已死</translation>
    </message>
</context>
<context>
    <name>Story</name>
    <message numerus="yes">
        <source>%n client(s)</source>
        <translation>
            <numerusform>%n 个客户端</numerusform>
        </translation>
    </message>
    <message>
        <source>on the server a lock of %1 is left over, which %1 no longer has</source>
        <translation>服务器上遗留着 %1 的一把旧锁，%1 已不再持有它</translation>
    </message>
    <message>
        <source>on the server a lock of %1 is left over for another %2, which %1 no longer has</source>
        <translation>服务器上遗留着 %1 的一把旧锁，还会留 %2，%1 已不再持有它</translation>
    </message>
    <message>
        <source>%1 keeps a lock of %2, which %2 no longer has</source>
        <translation>%1 仍保留着 %2 的锁，而 %2 已不再拥有它</translation>
    </message>
    <message>
        <source>%1 keeps a lock of %2 for another %3, which %2 no longer has</source>
        <translation>%1 还会把 %2 的锁保留 %3，而 %2 已不再拥有它</translation>
    </message>
    <message>
        <source>no server can decide who holds it</source>
        <translation>没有服务器能决定由谁持有</translation>
    </message>
    <message>
        <source>no majority of its servers runs, so nobody can get it</source>
        <translation>运行的服务器不到多数，谁也得不到它</translation>
    </message>
    <message>
        <source>its servers name several clients, so nobody has a majority</source>
        <translation>各服务器上写着不同的客户端，所以谁也没有多数</translation>
    </message>
    <message>
        <source>its server is dead, so nobody can get it</source>
        <translation>它的服务器已宕机，谁也得不到它</translation>
    </message>
    <message>
        <source>on the server it is free</source>
        <translation>服务器上它是空闲的</translation>
    </message>
    <message>
        <source>no server can decide, so nobody can get it or give it back</source>
        <translation>没有服务器能裁决，谁也不能获得或归还它</translation>
    </message>
    <message>
        <source>%1 stands still, so nobody can get it</source>
        <translation>%1 已停顿，谁也不能获得它</translation>
    </message>
    <message>
        <source>%1 stands still, so nobody can get it or give it back</source>
        <translation>%1 已停顿，谁也不能获得或归还它</translation>
    </message>
    <message>
        <source>%1 holds it</source>
        <comment>one client</comment>
        <translation>%1 持有它</translation>
    </message>
    <message>
        <source>%1 hold it</source>
        <comment>several clients</comment>
        <translation>%1 持有它</translation>
    </message>
    <message>
        <source>the server shows it only while somebody waits for it</source>
        <translation>服务器只在有等待者时显示它</translation>
    </message>
    <message>
        <source>what the servers hold is not observed</source>
        <translation>服务器上的情况未观察到</translation>
    </message>
    <message>
        <source>on the server the lease of %1 has ended</source>
        <translation>服务器上 %1 的租约已结束</translation>
    </message>
    <message>
        <source>on the server it is held by %1, lease %2 left</source>
        <translation>服务器上由 %1 持有，租约剩余 %2</translation>
    </message>
    <message>
        <source>on the server it is held by %1</source>
        <translation>服务器上由 %1 持有</translation>
    </message>
    <message>
        <source>%1 is dead</source>
        <comment>one client</comment>
        <translation>%1 已死</translation>
    </message>
    <message>
        <source>%1 are dead</source>
        <comment>several clients</comment>
        <translation>%1 已死</translation>
    </message>
    <message>
        <source>%1 has not heard of it yet</source>
        <comment>one client</comment>
        <extracomment>A client that has the lock on the server: the answer is on its way.</extracomment>
        <translation>%1 还没收到答复</translation>
    </message>
    <message>
        <source>%1 have not heard of it yet</source>
        <comment>several clients</comment>
        <translation>%1 还没收到答复</translation>
    </message>
    <message>
        <source>%1 still believes it holds the lock</source>
        <comment>one client</comment>
        <translation>%1 仍以为自己持有锁</translation>
    </message>
    <message>
        <source>%1 still believe they hold the lock</source>
        <comment>several clients</comment>
        <translation>%1 仍以为自己持有锁</translation>
    </message>
    <message>
        <source>%1 waits</source>
        <comment>one client</comment>
        <translation>%1 在等待</translation>
    </message>
    <message>
        <source>%1 wait</source>
        <comment>several clients</comment>
        <translation>%1 在等待</translation>
    </message>
    <message>
        <source>%1, which is dead, still stands first in the queue</source>
        <translation>已崩溃的 %1 仍排在队列首位</translation>
    </message>
    <message>
        <source>%1 is paused</source>
        <comment>one client</comment>
        <translation>%1 已暂停</translation>
    </message>
    <message>
        <source>%1 are paused</source>
        <comment>several clients</comment>
        <translation>%1 已暂停</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <extracomment>%1 the name of a lock, %2 how it stands with it.</extracomment>
        <translation>%1：%2。</translation>
    </message>
    <message>
        <source>; </source>
        <translation>；</translation>
    </message>
    <message numerus="yes">
        <source>There are %n more lock(s).</source>
        <translation>
            <numerusform>另外还有 %n 把锁。</numerusform>
        </translation>
    </message>
    <message>
        <source>At %1.</source>
        <translation>%1 时。</translation>
    </message>
    <message>
        <source>Nobody has asked for a lock yet.</source>
        <translation>还没有谁请求过锁。</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>kept by its session</source>
        <translation>由其会话保持</translation>
    </message>
    <message>
        <source>transaction open</source>
        <translation>事务未结束</translation>
    </message>
    <message>
        <source>kept by its session or transaction</source>
        <translation>由其会话或事务保持</translation>
    </message>
    <message>
        <source>held by %1, kept by its session</source>
        <translation>由 %1 持有，由其会话保持</translation>
    </message>
    <message>
        <source>held by %1, kept by its transaction</source>
        <translation>由 %1 持有，由其事务保持</translation>
    </message>
    <message>
        <source>held by %1, kept by its session or transaction</source>
        <translation>由 %1 持有，由其会话或事务保持</translation>
    </message>
    <message>
        <source>%1 is held by %2, whose session keeps it: %3</source>
        <translation>%1 由 %2 持有，由其会话保持：%3</translation>
    </message>
    <message>
        <source>%1 is held by %2, whose transaction keeps it: %3</source>
        <translation>%1 由 %2 持有，由其事务保持：%3</translation>
    </message>
    <message>
        <source>%1 is held by %2, whose session or transaction keeps it: %3</source>
        <translation>%1 由 %2 持有，由其会话或事务保持：%3</translation>
    </message>
    <message>
        <source>%1 +%2</source>
        <comment>a fault and how many more</comment>
        <translation>%1 +%2</translation>
    </message>
    <message>
        <source>%1 → %2 others</source>
        <extracomment>One way of links is cut: nothing that %1 sends comes to the %2 parties at the other ends, two at least.</extracomment>
        <translation>%1 → 其他 %2 个</translation>
    </message>
    <message>
        <source>%2 others → %1</source>
        <extracomment>One way of links is cut: nothing that the %2 parties at the other ends send comes to %1; two at least.</extracomment>
        <translation>其他 %2 个 → %1</translation>
    </message>
    <message>
        <source>%1 ↔ %2 others</source>
        <extracomment>Links of one client or server: %1 its name, %2 the number of parties at the other ends, two at least.</extracomment>
        <translation>%1 ↔ 其他 %2 方</translation>
    </message>
    <message>
        <source>cut %1</source>
        <translation>切断 %1</translation>
    </message>
    <message>
        <source>mended %1</source>
        <translation>修复 %1</translation>
    </message>
    <message>
        <source>slowed %1</source>
        <translation>变慢 %1</translation>
    </message>
    <message>
        <source>sped up %1</source>
        <translation>恢复 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n session(s) suspended</source>
        <translation>
            <numerusform>%n 个会话挂起</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n session(s) expired</source>
        <translation>
            <numerusform>%n 个会话过期</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n session(s) given up</source>
        <translation>
            <numerusform>%n 个会话被放弃</numerusform>
        </translation>
    </message>
    <message>
        <source>paused %1</source>
        <translation>暂停 %1</translation>
    </message>
    <message>
        <source>resumed %1</source>
        <translation>继续 %1</translation>
    </message>
    <message>
        <source>crashed %1</source>
        <extracomment>A fault: the machine of a server crashed.</extracomment>
        <translation>%1 崩溃</translation>
    </message>
    <message>
        <source>restarted: %1</source>
        <translation>已重启：%1</translation>
    </message>
    <message>
        <source>killed %1</source>
        <translation>杀死 %1</translation>
    </message>
    <message>
        <source>started %1</source>
        <translation>启动 %1</translation>
    </message>
    <message>
        <source>emptied: %1</source>
        <translation>被清空：%1</translation>
    </message>
    <message>
        <source>swapped: %1</source>
        <extracomment>Another database took the place of the one that is watched, by the command SWAPDB.</extracomment>
        <translation>已交换：%1</translation>
    </message>
    <message>
        <source>failed over: %1</source>
        <translation>故障转移：%1</translation>
    </message>
    <message>
        <source>clock of %1</source>
        <translation>%1 的时钟</translation>
    </message>
    <message>
        <source>no watchdog: %1</source>
        <translation>看门狗停止：%1</translation>
    </message>
    <message>
        <source>loses a reply: %1</source>
        <translation>丢失应答：%1</translation>
    </message>
    <message>
        <source>loses a message: %1</source>
        <translation>丢失消息：%1</translation>
    </message>
    <message>
        <source>repeats a request: %1</source>
        <translation>重复一个请求：%1</translation>
    </message>
    <message>
        <source>%1 hangs</source>
        <translation>%1 卡住</translation>
    </message>
    <message>
        <source>healed</source>
        <translation>已复原</translation>
    </message>
    <message>
        <source>demoted %1</source>
        <translation>降级 %1</translation>
    </message>
    <message>
        <source>session given up by %1</source>
        <translation>%1 放弃了会话</translation>
    </message>
    <message>
        <source>session of %1 suspended</source>
        <translation>%1 的会话挂起</translation>
    </message>
    <message>
        <source>session of %1 expired</source>
        <translation>%1 的会话过期</translation>
    </message>
    <message>
        <source>pool exhausted</source>
        <translation>连接池耗尽</translation>
    </message>
    <message>
        <source>pool free</source>
        <translation>连接池恢复</translation>
    </message>
    <message>
        <source>disk stalls</source>
        <translation>磁盘卡住</translation>
    </message>
    <message>
        <source>disk free</source>
        <translation>磁盘恢复</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between names that share a fault</comment>
        <translation>、</translation>
    </message>
    <message>
        <source>before the change</source>
        <extracomment>On a client's lane, in the faint picture of the run before something in its past was changed.</extracomment>
        <translation>更改之前</translation>
    </message>
    <message>
        <source>before</source>
        <translation>之前</translation>
    </message>
    <message numerus="yes">
        <source>%n changes ago</source>
        <extracomment>On a client's lane, in the faint picture of a run before several changes in its past.</extracomment>
        <translation>
            <numerusform>%n 次更改之前</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: not known yet</source>
        <translation>%1：尚不可知</translation>
    </message>
    <message>
        <source>held by %1</source>
        <translation>由 %1 持有</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>waits %1</source>
        <translation>等待 %1</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>holds</source>
        <translation>持有</translation>
    </message>
    <message>
        <source>believes it holds</source>
        <translation>仍以为持有</translation>
    </message>
    <message>
        <source>still believes</source>
        <translation>仍以为持有</translation>
    </message>
    <message>
        <source>still believes it holds #%1</source>
        <translation>仍以为持有 #%1</translation>
    </message>
    <message>
        <source>paused; %1</source>
        <extracomment>%1 is what a paused client is otherwise doing, such as "holds #33".</extracomment>
        <translation>已暂停；%1</translation>
    </message>
    <message>
        <source>margin %1</source>
        <translation>余量 %1</translation>
    </message>
    <message>
        <source>margin unknown</source>
        <translation>余量未知</translation>
    </message>
    <message>
        <source>margin 0 s</source>
        <translation>余量 0 s</translation>
    </message>
    <message numerus="yes">
        <source>%n ahead</source>
        <extracomment>On a waiting client, after "waits 4.6 s": how many asked before it.</extracomment>
        <translation>
            <numerusform>前面 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>dead</source>
        <translation>已死</translation>
    </message>
    <message>
        <source>learns: lost</source>
        <translation>得知：已丢失</translation>
    </message>
    <message>
        <source>waits for the change of engines</source>
        <translation>等待引擎切换</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>被拒绝</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>丢失</translation>
    </message>
    <message>
        <source>gains %1 a second</source>
        <translation>每秒快 %1</translation>
    </message>
    <message>
        <source>loses %1 a second</source>
        <translation>每秒慢 %1</translation>
    </message>
    <message>
        <source>right</source>
        <translation>准确</translation>
    </message>
    <message>
        <source>the clock of %1 is right</source>
        <translation>%1 的时钟准确</translation>
    </message>
    <message>
        <source>the clock of %1 is %2 ahead</source>
        <translation>%1 的时钟快 %2</translation>
    </message>
    <message>
        <source>the clock of %1 is %2 behind</source>
        <translation>%1 的时钟慢 %2</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>a clock</comment>
        <extracomment>How a clock stands, and how much too fast or slow it runs.</extracomment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1 ahead</source>
        <translation>快 %1</translation>
    </message>
    <message>
        <source>%1 behind</source>
        <translation>慢 %1</translation>
    </message>
    <message>
        <source>%1/s</source>
        <comment>a clock</comment>
        <translation>%1/秒</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>空</translation>
    </message>
    <message>
        <source>empty: not replicated</source>
        <translation>空：未复制</translation>
    </message>
    <message>
        <source>dead</source>
        <comment>a server</comment>
        <translation>已宕机</translation>
    </message>
    <message>
        <source>not observed</source>
        <translation>未观察到</translation>
    </message>
    <message>
        <source>cut</source>
        <translation>切断</translation>
    </message>
    <message>
        <source>+%1</source>
        <translation>+%1</translation>
    </message>
    <message>
        <source>margin %1 → %2</source>
        <extracomment>How long a server would still keep a lock, from the beginning to the end of a stretch: "margin 6.0 → 5.1 s".</extracomment>
        <translation>余量 %1 → %2</translation>
    </message>
    <message>
        <source>only until its session times out</source>
        <translation>只到会话超时为止</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>0 s: the server keeps it no more</source>
        <translation>0 s：服务器已不再保留</translation>
    </message>
    <message>
        <source>0 s</source>
        <translation>0 s</translation>
    </message>
    <message>
        <source>expires %1</source>
        <translation>%1 到期</translation>
    </message>
    <message numerus="yes">
        <source>%n waiting</source>
        <translation>
            <numerusform>%n 个在等</numerusform>
        </translation>
    </message>
    <message>
        <source>no longer seen</source>
        <translation>不再可见</translation>
    </message>
    <message>
        <source>nobody decides</source>
        <translation>无人裁定</translation>
    </message>
    <message>
        <source>%1 is dead</source>
        <comment>a server</comment>
        <translation>%1 已宕机</translation>
    </message>
    <message>
        <source>connected</source>
        <translation>已连接</translation>
    </message>
    <message>
        <source>suspended</source>
        <extracomment>A client's session with ZooKeeper, of which the service has not heard for a while.</extracomment>
        <translation>已挂起</translation>
    </message>
    <message>
        <source>expired</source>
        <extracomment>A client's session with ZooKeeper, which the service has ended.</extracomment>
        <translation>已到期</translation>
    </message>
    <message>
        <source>given up by the client</source>
        <extracomment>A client's session with ZooKeeper, which the client counts as over by its own clock.</extracomment>
        <translation>客户端已放弃</translation>
    </message>
    <message>
        <source>%1 has no session yet</source>
        <translation>%1 还没有会话</translation>
    </message>
    <message>
        <source>%1 has given its session up</source>
        <translation>%1 已放弃自己的会话</translation>
    </message>
    <message>
        <source>the session of %1 is %2</source>
        <translation>%1 的会话%2</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 µs</source>
        <translation>%1 µs</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message numerus="yes">
        <source>%n pinned</source>
        <extracomment>Beside the title of the timeline: how many lanes a person has pinned.</extracomment>
        <translation>
            <numerusform>已固定 %n 条</numerusform>
        </translation>
    </message>
    <message>
        <source>faults</source>
        <extracomment>The name of the strip below the time axis, which has marks of faults and violations.</extracomment>
        <translation>故障</translation>
    </message>
    <message>
        <source>%1 recorded</source>
        <extracomment>Below the lanes: how long a server has been watched.</extracomment>
        <translation>已录制 %1</translation>
    </message>
    <message>
        <source>0 – %1</source>
        <extracomment>Below the lanes: the whole time axis, "0 – 60 s".</extracomment>
        <translation>0 – %1</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1 (unless renewed)</source>
        <extracomment>When a lease ends that runs yet: "12.5 s (unless renewed)".</extracomment>
        <translation>%1（若不续期）</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <extracomment>What a server's copy of a lock is, and what it says: "decides: held by A, 4.2 s left".</extracomment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 asks %2: %3</source>
        <translation>%1 请求 %2：%3</translation>
    </message>
    <message>
        <source>%1 is dead: its machine refuses what %2 asks</source>
        <translation>%1 已宕机：它的机器拒绝 %2 的请求</translation>
    </message>
    <message>
        <source>%1 answers %2: %3</source>
        <translation>%1 应答 %2：%3</translation>
    </message>
    <message>
        <source>%1 tells %2: %3</source>
        <translation>%1 告知 %2：%3</translation>
    </message>
    <message>
        <source>%1 lost its connection to %2</source>
        <translation>%1 失去与 %2 的连接</translation>
    </message>
    <message>
        <source>%1 is connected to %2 again</source>
        <translation>%1 重新连上 %2</translation>
    </message>
    <message>
        <source>%1 (lost on the way)</source>
        <translation>%1（途中丢失）</translation>
    </message>
    <message>
        <source>%1 (%2 on the way)</source>
        <translation>%1（途中 %2）</translation>
    </message>
    <message>
        <source>%1 is held by %2; its format does not say until when: %3</source>
        <translation>%1 由 %2 持有；其格式不说明到何时：%3</translation>
    </message>
    <message>
        <source>%1 is held by %2: %3</source>
        <translation>%1 由 %2 持有：%3</translation>
    </message>
    <message>
        <source>%1 is held by %2 and never expires: %3</source>
        <translation>%1 由 %2 持有，永不过期：%3</translation>
    </message>
    <message>
        <source>%1 was held by %2 already when first seen at %3, expires at %4: %5</source>
        <translation>%3 首次看到时，%1 已由 %2 持有，%4 到期：%5</translation>
    </message>
    <message>
        <source>%1 is held by %2, renewed at %3, expires at %4: %5</source>
        <translation>%1 由 %2 持有，%3 续期，%4 到期：%5</translation>
    </message>
    <message>
        <source>%1 is held by %2 since %3, expires at %4: %5</source>
        <translation>%1 自 %3 起由 %2 持有，%4 到期：%5</translation>
    </message>
    <message>
        <source>The length of its lease is not known, so it is hatched and has no wedge.</source>
        <translation>租约的长度未知，因此画成斜线，没有楔形。</translation>
    </message>
    <message>
        <source>That this key is a lock is only a guess.</source>
        <translation>这个键是锁，仅为猜测。</translation>
    </message>
    <message>
        <source>%1 waits for %2: %3</source>
        <translation>%1 等待 %2：%3</translation>
    </message>
    <message>
        <source>%1 holds %2: %3</source>
        <translation>%1 持有 %2：%3</translation>
    </message>
    <message>
        <source>%1 holds %2 as #%3: %4</source>
        <translation>%1 以 #%3 持有 %2：%4</translation>
    </message>
    <message>
        <source>%1 still believes it holds %2, but the record says otherwise: %3</source>
        <translation>%1 仍以为持有 %2，但记录并非如此：%3</translation>
    </message>
    <message>
        <source>%1 still believes it holds %2 (#%3), but the record says otherwise: %4</source>
        <translation>%1 仍以为持有 %2（#%3），但记录并非如此：%4</translation>
    </message>
    <message>
        <source>%1 was no longer seen: nobody waited for it, and its server shows it only then: %2</source>
        <translation>%1 不再可见：没有等待者，而它的服务器只在有等待者时显示它：%2</translation>
    </message>
    <message>
        <source>%1: its server was dead, %2</source>
        <extracomment>%1 a server's copy of a lock, %2 from when to when.</extracomment>
        <translation>%1：它的服务器已宕机，%2</translation>
    </message>
    <message>
        <source>%1 was not observed: %2</source>
        <translation>%1 未观察到：%2</translation>
    </message>
    <message>
        <source>%1 is up: %2</source>
        <translation>%1 运行中：%2</translation>
    </message>
    <message>
        <source>%1 is paused: %2</source>
        <translation>%1 已暂停：%2</translation>
    </message>
    <message>
        <source>%1 is down: %2</source>
        <translation>%1 已宕机：%2</translation>
    </message>
    <message>
        <source>%1 is cut: %2</source>
        <translation>%1 被切断：%2</translation>
    </message>
    <message>
        <source>%1 is slow: %2</source>
        <translation>%1 变慢：%2</translation>
    </message>
    <message>
        <source>%1 has taken %2 %3 times: %4</source>
        <translation>%1 已 %3 次获取 %2：%4</translation>
    </message>
    <message>
        <source>%1 asks again for %2, which it holds: %3</source>
        <translation>%1 再次请求自己持有的 %2：%3</translation>
    </message>
    <message>
        <source>%1 asks again for %2, which it holds itself: %3</source>
        <translation>%1 再次请求 %2，而它正由自己持有：%3</translation>
    </message>
    <message>
        <source>%1: %2 gave up waiting</source>
        <translation>%1：%2 放弃等待</translation>
    </message>
    <message>
        <source>%1: %2 asked for the lock; %3</source>
        <translation>%1：%2 请求了锁；%3</translation>
    </message>
    <message>
        <source>%1: %2 learned that it lost the lock</source>
        <translation>%1：%2 得知自己丢了锁</translation>
    </message>
    <message>
        <source>%1: %2 got no answer to its renewal</source>
        <translation>%1：%2 的续期没有应答</translation>
    </message>
    <message>
        <source>%1: accepted a write of %2</source>
        <translation>%1：接受了 %2 的写入</translation>
    </message>
    <message>
        <source>%1: accepted a write of %2 (#%3)</source>
        <translation>%1：接受了 %2 的写入（#%3）</translation>
    </message>
    <message>
        <source>%1: refused a write of %2</source>
        <translation>%1：拒绝了 %2 的写入</translation>
    </message>
    <message>
        <source>%1: refused a write of %2 (#%3)</source>
        <translation>%1：拒绝了 %2 的写入（#%3）</translation>
    </message>
    <message>
        <source>%1: accepted a write of %2, which did not hold the lock any more; %3</source>
        <translation>%1：接受了已不持有锁的 %2 的写入；%3</translation>
    </message>
    <message>
        <source>%1 is dead: %2</source>
        <translation>%1 已死：%2</translation>
    </message>
    <message>
        <source>client %1 started again</source>
        <translation>客户端 %1 重新启动</translation>
    </message>
    <message>
        <source>client %1 paused</source>
        <translation>客户端 %1 暂停</translation>
    </message>
    <message>
        <source>client %1 resumed</source>
        <translation>客户端 %1 恢复</translation>
    </message>
    <message>
        <source>client %1 killed</source>
        <translation>客户端 %1 被杀死</translation>
    </message>
    <message>
        <source>server %1 started</source>
        <translation>服务器 %1 启动</translation>
    </message>
    <message>
        <source>server %1 paused</source>
        <translation>服务器 %1 暂停</translation>
    </message>
    <message>
        <source>server %1 resumed</source>
        <translation>服务器 %1 恢复</translation>
    </message>
    <message>
        <source>server %1 crashed: its machine lost its power</source>
        <translation>服务器 %1 崩溃：其机器断电</translation>
    </message>
    <message>
        <source>server %1 was restarted</source>
        <translation>服务器 %1 已重启</translation>
    </message>
    <message>
        <source>server %1 killed</source>
        <translation>服务器 %1 被杀死</translation>
    </message>
    <message>
        <source>link %1 cut</source>
        <translation>链路 %1 切断</translation>
    </message>
    <message>
        <source>link %1 mended</source>
        <translation>链路 %1 修复</translation>
    </message>
    <message>
        <source>link %1 delayed by %2</source>
        <translation>链路 %1 延迟 %2</translation>
    </message>
    <message>
        <source>clock of %1 is off by %2</source>
        <translation>%1 的时钟偏差 %2</translation>
    </message>
    <message>
        <source>watchdog of %1 stopped</source>
        <translation>%1 的看门狗停止</translation>
    </message>
    <message>
        <source>next reply on %1 will be lost</source>
        <translation>%1 上的下一个应答将丢失</translation>
    </message>
    <message>
        <source>next message on %1 will be lost</source>
        <translation>%1 上的下一条消息将丢失</translation>
    </message>
    <message>
        <source>next request on %1 will be done twice</source>
        <translation>%1 上的下一个请求会执行两次</translation>
    </message>
    <message>
        <source>work of %1 hangs</source>
        <translation>%1 的工作卡住</translation>
    </message>
    <message>
        <source>everything healed</source>
        <translation>全部复原</translation>
    </message>
    <message>
        <source>the lock manager of %1 %2</source>
        <translation>%1 的锁管理器：%2</translation>
    </message>
    <message>
        <source>a failover asked for, to replace %1</source>
        <translation>请求故障转移，以替换 %1</translation>
    </message>
    <message>
        <source>setting changed to %1</source>
        <translation>设置改为 %1</translation>
    </message>
    <message>
        <source>the session of %1 is suspended: its locks are kept until its time is over</source>
        <translation>%1 的会话挂起：在它到期之前，锁仍保留</translation>
    </message>
    <message>
        <source>%1 gave its session up: by its own clock the servers may have ended it</source>
        <translation>%1 放弃了自己的会话：按它自己的时钟，服务器可能已经结束了会话</translation>
    </message>
    <message>
        <source>the session of %1 expired: its locks are freed</source>
        <translation>%1 的会话过期：它的锁被释放</translation>
    </message>
    <message>
        <source>the session of %1 with %2 expired: its locks are freed</source>
        <translation>%1 与 %2 的会话过期：它的锁被释放</translation>
    </message>
    <message>
        <source>%1 tells: %2</source>
        <extracomment>%1 the name of a watched server, %2 what it tells of itself.</extracomment>
        <translation>%1 告知：%2</translation>
    </message>
    <message>
        <source>%1 (by hand)</source>
        <translation>%1（手动）</translation>
    </message>
    <message>
        <source>double belief</source>
        <translation>双重信念</translation>
    </message>
    <message>
        <source>stale write</source>
        <translation>过期写入</translation>
    </message>
    <message>
        <source>not its own</source>
        <translation>并非自己的</translation>
    </message>
    <message>
        <source>no progress</source>
        <translation>停滞不前</translation>
    </message>
    <message>
        <source>hold count</source>
        <translation>可重入次数</translation>
    </message>
    <message>
        <source>out of turn</source>
        <translation>插队</translation>
    </message>
    <message>
        <source>old token</source>
        <translation>旧令牌</translation>
    </message>
    <message>
        <source>deadlock</source>
        <translation>死锁</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>idle; %1</source>
        <translation>空闲；%1</translation>
    </message>
    <message>
        <source>waiting for %1</source>
        <translation>等待 %1</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>still believes it holds the lock, but the record says otherwise</source>
        <translation>仍以为持有锁，但记录并非如此</translation>
    </message>
    <message>
        <source>still believes it holds #%1, but the record says otherwise</source>
        <translation>仍以为持有 #%1，但记录并非如此</translation>
    </message>
    <message>
        <source>free, but engines change: nobody gets in</source>
        <translation>空闲，但正在切换引擎：谁也进不来</translation>
    </message>
    <message>
        <source>its server is dead: nobody gets in</source>
        <translation>它的服务器已宕机：谁也得不到锁</translation>
    </message>
    <message>
        <source>free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>no master: nobody decides</source>
        <translation>没有主节点：无人裁定</translation>
    </message>
    <message>
        <source>held by %1, never expires</source>
        <translation>由 %1 持有，永不过期</translation>
    </message>
    <message>
        <source>held by %1, until when is unknown</source>
        <translation>由 %1 持有，到何时未知</translation>
    </message>
    <message>
        <source>held by %1, %2 left</source>
        <translation>由 %1 持有，剩余 %2</translation>
    </message>
    <message>
        <source>perhaps %1</source>
        <extracomment>%1: "held by A, 4.2 s left". That the key is a lock at all is only a guess.</extracomment>
        <translation>可能%1</translation>
    </message>
    <message>
        <source>perhaps %1</source>
        <comment>a holder</comment>
        <extracomment>%1: a holder. That the key is a lock at all is only a guess.</extracomment>
        <translation>可能是 %1</translation>
    </message>
    <message>
        <source>BELIEF · what each client could act on</source>
        <translation>信念 · 每个客户端据以行动的认知</translation>
    </message>
    <message>
        <source>RECORD · what the servers hold</source>
        <translation>记录 · 服务器持有的状态</translation>
    </message>
    <message>
        <source>COPIES · what each server holds of it</source>
        <translation>副本 · 每台服务器各存了什么</translation>
    </message>
    <message>
        <source>EFFECT · what the resource accepted</source>
        <translation>效果 · 资源接受了什么</translation>
    </message>
    <message>
        <source>NODES AND LINKS</source>
        <translation>节点与链路</translation>
    </message>
    <message numerus="yes">
        <source> · %n lane(s) folded</source>
        <extracomment>After a caption of lanes: its lanes are folded away.</extracomment>
        <translation>
            <numerusform> · 已折叠 %n 条泳道</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> · %n lane(s) without that text</source>
        <extracomment>After a caption of lanes: those without the text that one looks for.</extracomment>
        <translation>
            <numerusform> · %n 条泳道没有这段文字</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> · %n link(s) with nothing wrong not shown</source>
        <extracomment>After a caption of lanes: links that are not shown.</extracomment>
        <translation>
            <numerusform> · %n 条正常链路未显示</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> · %n client(s) that only waited not shown</source>
        <extracomment>After a caption of lanes: clients that are not shown.</extracomment>
        <translation>
            <numerusform> · %n 个只等待过的客户端未显示</numerusform>
        </translation>
    </message>
    <message>
        <source>client %1</source>
        <translation>客户端 %1</translation>
    </message>
    <message>
        <source>its clock</source>
        <translation>它的时钟</translation>
    </message>
    <message>
        <source>its session</source>
        <extracomment>The lane of a client's session with ZooKeeper, below the client's own.</extracomment>
        <translation>它的会话</translation>
    </message>
    <message>
        <source>Sentinels</source>
        <translation>哨兵</translation>
    </message>
    <message>
        <source>thread %1</source>
        <translation>线程 %1</translation>
    </message>
    <message>
        <source>checks tokens</source>
        <translation>检查令牌</translation>
    </message>
    <message>
        <source>no token check</source>
        <translation>不检查令牌</translation>
    </message>
    <message>
        <source>guarded by %1</source>
        <translation>由 %1 保护</translation>
    </message>
    <message>
        <source>servers together</source>
        <translation>一组服务器</translation>
    </message>
    <message>
        <source>server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>not known yet</source>
        <translation>尚不可知</translation>
    </message>
    <message>
        <source>no writes yet</source>
        <translation>尚无写入</translation>
    </message>
    <message>
        <source>delayed</source>
        <translation>有延迟</translation>
    </message>
    <message>
        <source>%1 · never expires</source>
        <translation>%1 · 永不过期</translation>
    </message>
    <message>
        <source>%1 · expires %2</source>
        <translation>%1 · %2 到期</translation>
    </message>
    <message>
        <source>%1 · lease %2</source>
        <translation>%1 · 租约 %2</translation>
    </message>
    <message>
        <source>%1 · %2 left</source>
        <translation>%1 · 剩余 %2</translation>
    </message>
    <message numerus="yes">
        <source>%n reader(s)</source>
        <translation>
            <numerusform>%n 个读者</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 permits</source>
        <translation>%2 个许可中已取 %1 个</translation>
    </message>
    <message numerus="yes">
        <source>%n permit(s) taken</source>
        <translation>
            <numerusform>已取 %n 个许可</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n holder(s)</source>
        <translation>
            <numerusform>%n 个持有者</numerusform>
        </translation>
    </message>
    <message>
        <source>held %1×</source>
        <extracomment>Of a client that has taken the lock it holds once more: %1 is how many times it has it.</extracomment>
        <translation>已持有 %1 次</translation>
    </message>
    <message>
        <source>asks for it again</source>
        <translation>再次请求它</translation>
    </message>
    <message>
        <source>waits for itself</source>
        <translation>在等自己</translation>
    </message>
    <message>
        <source>refused: %1</source>
        <translation>被拒绝：%1</translation>
    </message>
    <message>
        <source>%1's release refused</source>
        <translation>%1 的释放被拒</translation>
    </message>
    <message>
        <source>%1's renewal refused</source>
        <translation>%1 的续期被拒</translation>
    </message>
    <message>
        <source>freed by force</source>
        <translation>被强制释放</translation>
    </message>
    <message>
        <source>%1 deleted %2's lock</source>
        <extracomment>On the lane of a lock: %1 released it, though %2 was its owner.</extracomment>
        <translation>%1 删掉了 %2 的锁</translation>
    </message>
    <message>
        <source>overwritten</source>
        <translation>被覆盖</translation>
    </message>
    <message>
        <source>another engine decides</source>
        <translation>由另一个引擎裁定</translation>
    </message>
    <message>
        <source>%1 does not know it</source>
        <extracomment>On the lane of a lock: %1 is the server that decides from here on.</extracomment>
        <translation>%1 不知道这把锁</translation>
    </message>
    <message>
        <source>all data deleted</source>
        <translation>全部数据被删除</translation>
    </message>
    <message>
        <source>too few servers have it</source>
        <extracomment>On the lane of a lock that a majority of several servers must have, when one of these died.</extracomment>
        <translation>持有它的服务器太少</translation>
    </message>
    <message>
        <source>lost with its server</source>
        <translation>随服务器丢失</translation>
    </message>
    <message>
        <source>renewal missed</source>
        <translation>错过续期</translation>
    </message>
    <message>
        <source>renewals stopped</source>
        <translation>续期停止</translation>
    </message>
    <message>
        <source>failed over while held</source>
        <translation>持有期间发生故障转移</translation>
    </message>
    <message>
        <source>%1 evicted it</source>
        <extracomment>On the lane of a lock: the server %1 threw it out for want of memory.</extracomment>
        <translation>%1 淘汰了它</translation>
    </message>
    <message>
        <source>evicted</source>
        <translation>被淘汰</translation>
    </message>
    <message>
        <source>holds #%1</source>
        <translation>持有 #%1</translation>
    </message>
    <message>
        <source>damage: no longer held</source>
        <translation>损害：已不持有</translation>
    </message>
    <message>
        <source>damage: #%1 after #%2</source>
        <translation>损害：#%1 晚于 #%2</translation>
    </message>
    <message>
        <source>damage: #%1 held no more</source>
        <translation>损害：#%1 已不持有</translation>
    </message>
    <message>
        <source>dead since %1</source>
        <translation>自 %1 起已宕机</translation>
    </message>
    <message>
        <source>candidate</source>
        <translation>候选者</translation>
    </message>
    <message>
        <source>looks for a leader</source>
        <translation>正在寻找领导者</translation>
    </message>
    <message>
        <source>replica of nobody</source>
        <translation>副本，无主节点</translation>
    </message>
    <message>
        <source>replica</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>elects a leader</source>
        <extracomment>On the lane of a server: it knows of no leader, and takes part in an election.</extracomment>
        <translation>选举领导者</translation>
    </message>
    <message>
        <source>elects</source>
        <translation>选举</translation>
    </message>
    <message>
        <source>lag %1</source>
        <translation>延迟 %1</translation>
    </message>
    <message>
        <source>%1 decides</source>
        <translation>由 %1 裁定</translation>
    </message>
    <message>
        <source>any %1 of its servers decide</source>
        <translation>其中任意 %1 台服务器即可决定</translation>
    </message>
    <message>
        <source>engines change: nobody gets in</source>
        <translation>切换引擎：谁也进不来</translation>
    </message>
    <message>
        <source>engines change</source>
        <translation>切换引擎</translation>
    </message>
    <message>
        <source>nobody</source>
        <translation>无人</translation>
    </message>
    <message>
        <source>no master, %1</source>
        <translation>没有主节点，%1</translation>
    </message>
    <message>
        <source>no master</source>
        <translation>没有主节点</translation>
    </message>
    <message>
        <source>died; others have a copy</source>
        <translation>已宕机；其他节点有副本</translation>
    </message>
    <message>
        <source>died; a copy was on its way</source>
        <translation>已宕机；副本已在途中</translation>
    </message>
    <message>
        <source>died; no other server has a copy yet</source>
        <translation>已宕机；其他节点还没有副本</translation>
    </message>
    <message>
        <source>died with the only copy of %1's lock</source>
        <translation>已宕机，带走了 %1 的锁的唯一副本</translation>
    </message>
    <message>
        <source>came back without it</source>
        <translation>重启后没有了它</translation>
    </message>
    <message>
        <source>gone as it caught up</source>
        <translation>追上进度后不再有</translation>
    </message>
    <message>
        <source>decides</source>
        <translation>裁定</translation>
    </message>
    <message>
        <source>a copy</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>its own</source>
        <translation>独立</translation>
    </message>
    <message>
        <source>down</source>
        <translation>已宕机</translation>
    </message>
    <message>
        <source>up</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>%1 of %2 run</source>
        <translation>%2 个中有 %1 个在运行</translation>
    </message>
    <message>
        <source>%1 of %2 agree at %3: down</source>
        <translation>%2 个中有 %1 个于 %3 一致认为：已宕机</translation>
    </message>
    <message numerus="yes">
        <source>%n vote(s) for %1</source>
        <translation>
            <numerusform>%1 得 %n 票</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 promoted</source>
        <translation>%1 已提升</translation>
    </message>
    <message>
        <source>failover given up</source>
        <translation>放弃故障转移</translation>
    </message>
    <message>
        <source>%1 made a replica</source>
        <translation>%1 成为副本</translation>
    </message>
    <message>
        <source>%1: %2 believes that %3 is down</source>
        <translation>%1：%2 认为 %3 已宕机</translation>
    </message>
    <message>
        <source>%1: %2 begins anew with the new master, and forgets that %3 was down</source>
        <translation>%1：%2 随新主节点重新开始，不再记得 %3 下线过</translation>
    </message>
    <message>
        <source>%1: %2 does not believe any more that %3 is down</source>
        <translation>%1：%2 不再认为 %3 已宕机</translation>
    </message>
    <message>
        <source>%1: %2 knows that %3 agree: %4 is down</source>
        <translation>%1：%2 得知 %3 个一致认为：%4 已宕机</translation>
    </message>
    <message>
        <source>%1: %2 votes for %3</source>
        <translation>%1：%2 投票给 %3</translation>
    </message>
    <message>
        <source>%1: %2 is elected to replace %3</source>
        <translation>%1：%2 当选，负责替换 %3</translation>
    </message>
    <message>
        <source>%1: %2 has promoted %3</source>
        <translation>%1：%2 提升了 %3</translation>
    </message>
    <message>
        <source>%1: %2 tells clients that %3 is the master</source>
        <translation>%1：%2 告知客户端 %3 是主节点</translation>
    </message>
    <message>
        <source>%1: %2 gives its failover up</source>
        <translation>%1：%2 放弃了故障转移</translation>
    </message>
    <message>
        <source>%1: %2 makes %3 a replica</source>
        <translation>%1：%2 使 %3 成为副本</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <extracomment>A link of which one way is cut: what %1 sends does not come to %2.</extracomment>
        <translation>%1 → %2</translation>
    </message>
</context>
<context>
    <name>TlsFiles</name>
    <message>
        <source>The file %1 can not be read: %2.</source>
        <translation>无法读取文件 %1：%2。</translation>
    </message>
    <message>
        <source>The file %1 holds no certificate in PEM format.</source>
        <translation>文件 %1 中没有 PEM 格式的证书。</translation>
    </message>
    <message>
        <source>The file %1 holds no private key in PEM format without a passphrase.</source>
        <translation>文件 %1 中没有不带口令的 PEM 格式私钥。</translation>
    </message>
</context>
<context>
    <name>ToldClients</name>
    <message>
        <source>%1 · has no connection any more</source>
        <extracomment>Of a lock's holder: %1 its address and program, as they were.</extracomment>
        <translation>%1 · 已没有任何连接</translation>
    </message>
</context>
<context>
    <name>UsualHolds</name>
    <message>
        <source>it is of another version of Lockscope</source>
        <translation>它来自 Lockscope 的另一个版本</translation>
    </message>
</context>
<context>
    <name>Verdict</name>
    <message>
        <source>On the server none of them was seen to hold it.</source>
        <translation>在服务器上未见其中任何一个持有它。</translation>
    </message>
    <message>
        <source>%1 accepted a write of %2 at %3, when %4 was already held by %5.</source>
        <translation>%1 在 %3 接受了 %2 的写入，而那时 %4 已由 %5 持有。</translation>
    </message>
    <message>
        <source>%1 accepted a write of %2 at %3 with an old token of %4.</source>
        <translation>%1 在 %3 接受了 %2 带着 %4 的旧令牌的写入。</translation>
    </message>
    <message>
        <source>%1 accepted a write of %2 at %3, when %2 no longer held %4.</source>
        <translation>%1 在 %3 接受了 %2 的写入，而那时 %2 已不再持有 %4。</translation>
    </message>
    <message>
        <source>It carried token %1 after token %2 had been accepted: a resource that checks tokens would have refused it.</source>
        <translation>它带着令牌 %1，而令牌 %2 已被接受：检查令牌的资源会拒绝它。</translation>
    </message>
    <message>
        <source>It carried token %1, and nothing newer had been written yet for the resource to compare with.</source>
        <translation>它带着令牌 %1，而资源还没有更新的写入可作比较。</translation>
    </message>
    <message>
        <source>%1 renewed %2 at %3, but it was %4 that held it.</source>
        <translation>%1 在 %3 给 %2 续期，但持有它的是 %4。</translation>
    </message>
    <message>
        <source>The renewal did not check whose lock it was.</source>
        <translation>续期时没有检查锁属于谁。</translation>
    </message>
    <message>
        <source>%1 took %2 over at %3 although %4 still held it.</source>
        <translation>%1 在 %3 接管了 %2，尽管 %4 仍然持有它。</translation>
    </message>
    <message>
        <source>The command wrote over the lock without checking whose it was.</source>
        <translation>该命令没有检查锁属于谁就覆盖了它。</translation>
    </message>
    <message>
        <source>%1 released %2 at %3, but it was %4 that held it.</source>
        <translation>%1 在 %3 释放了 %2，但持有它的是 %4。</translation>
    </message>
    <message>
        <source>The release did not check whose lock it was.</source>
        <translation>释放时没有检查锁属于谁。</translation>
    </message>
    <message>
        <source>Nobody alive holds %1. A waiter (%2) should have got it by %3: %4 late so far.</source>
        <translation>没有活着的客户端持有 %1。最迟到 %3 就该有等待者（%2）拿到它，至今已晚了 %4。</translation>
    </message>
    <message>
        <source>Nobody alive held %1. A waiter (%2) should have got it by %4: it was %3 late, until %5.</source>
        <translation>没有活着的客户端持有 %1。最迟到 %4 就该有等待者（%2）拿到它，结果晚了 %3，直到 %5。</translation>
    </message>
    <message>
        <source>%1 is held by a client that does no work. A waiter (%2) should have got it by %3: %4 late so far.</source>
        <translation>%1 被一个不干活的客户端持有。最迟到 %3 就该有等待者（%2）拿到它，至今已晚了 %4。</translation>
    </message>
    <message>
        <source>%1 was held by a client that did no work. A waiter (%2) should have got it by %4: it was %3 late, until %5.</source>
        <translation>%1 被一个不干活的客户端持有。最迟到 %4 就该有等待者（%2）拿到它，结果晚了 %3，直到 %5。</translation>
    </message>
    <message>
        <source>%1 got %2 at %3 although %4 had asked before it and was still waiting.</source>
        <translation>%1 在 %3 得到 %2，尽管 %4 在它之前就已请求并仍在等待。</translation>
    </message>
    <message>
        <source>%1 got it only at %2.</source>
        <translation>%1 直到 %2 才得到它。</translation>
    </message>
    <message>
        <source>This lock promises to go in the order of its queue.</source>
        <translation>这把锁承诺按队列顺序授予。</translation>
    </message>
    <message>
        <source>%1 was granted %2 at %3 with token %4, although %5 had been given token %6 before.</source>
        <translation>%1 在 %3 得到 %2，令牌为 %4，尽管此前 %5 已得到令牌 %6。</translation>
    </message>
    <message>
        <source>%1 was granted %2 at %3 with token %4, although it had been given token %5 before.</source>
        <translation>%1 在 %3 得到 %2，令牌为 %4，尽管它此前已得到令牌 %5。</translation>
    </message>
    <message>
        <source>A resource that checks tokens would refuse the new holder, or let an old one pass.</source>
        <translation>检查令牌的资源会拒绝新的持有者，或放过旧的持有者。</translation>
    </message>
    <message>
        <source>%1 waits for %2, which it holds itself: this lock does not count how often its holder takes it.</source>
        <translation>%1 等待 %2，而它正由 %1 自己持有：这种锁不计算持有者获取了多少次。</translation>
    </message>
    <message>
        <source>It has been stuck since %1, for %2 so far.</source>
        <translation>从 %1 起它就卡住了，至今 %2。</translation>
    </message>
    <message>
        <source>It was stuck for %1, from %2 to %3.</source>
        <translation>它卡住了 %1：从 %2 到 %3。</translation>
    </message>
    <message>
        <source>%1 waits for %2, which %3 holds.</source>
        <translation>%1 等待 %2，而它由 %3 持有。</translation>
    </message>
    <message>
        <source>Neither has been able to go on since %1, for %2 so far.</source>
        <translation>从 %1 起两个都卡住了，至今 %2。</translation>
    </message>
    <message>
        <source>None of them has been able to go on since %1, for %2 so far.</source>
        <translation>从 %1 起它们全都卡住了，至今 %2。</translation>
    </message>
    <message>
        <source>Neither could go on for %1, from %2 to %3.</source>
        <translation>两个都卡住了 %1：从 %2 到 %3。</translation>
    </message>
    <message>
        <source>None of them could go on for %1, from %2 to %3.</source>
        <translation>它们全都卡住了 %1：从 %2 到 %3。</translation>
    </message>
    <message>
        <source>%1 had learned of the loss at %2, and wrote all the same.</source>
        <translation>%1 在 %2 已得知锁丢失，却仍然写入。</translation>
    </message>
    <message>
        <source>Two or more of %1 have believed at the same time that they hold %2, since %3, for %4 so far.</source>
        <translation>%1 中有两个或更多自 %3 起同时以为自己持有 %2，至今 %4。</translation>
    </message>
    <message>
        <source>%1 have believed at the same time that they hold %2, since %3, for %4 so far.</source>
        <translation>%1 自 %3 起同时以为自己持有 %2，至今 %4。</translation>
    </message>
    <message>
        <source>Two or more of %1 believed at the same time that they held %2, for %3: from %4 to %5.</source>
        <translation>%1 中有两个或更多曾同时以为自己持有 %2，持续 %3：从 %4 到 %5。</translation>
    </message>
    <message>
        <source>%1 believed at the same time that they held %2, for %3: from %4 to %5.</source>
        <translation>%1 曾同时以为自己持有 %2，持续 %3：从 %4 到 %5。</translation>
    </message>
    <message>
        <source>%1 have believed at the same time that they hold more permits of %2 than the %3 that there are, since %4.</source>
        <translation>从 %4 起，%1 同时以为自己持有的 %2 的许可超过了总数 %3。</translation>
    </message>
    <message>
        <source>%1 believed at the same time that they held more permits of %2 than the %3 that there are, from %4 to %5.</source>
        <translation>从 %4 到 %5，%1 同时以为自己持有的 %2 的许可超过了总数 %3。</translation>
    </message>
    <message>
        <source>Without a fencing token the resource cannot tell an old holder from a new one.</source>
        <translation>没有栅栏令牌，资源无法区分旧持有者和新持有者。</translation>
    </message>
    <message>
        <source>without a fencing token the resource cannot tell an old holder from a new one.</source>
        <extracomment>The end of a sentence.</extracomment>
        <translation>没有栅栏令牌，资源分不清旧持有者和新持有者。</translation>
    </message>
    <message>
        <source>On the server the lock was free, but %1, which died at %2 while it waited, still had a place in the queue: nobody behind it got the lock until the server dropped that place.</source>
        <translation>在服务器上锁是空闲的，但在等待中于 %2 死亡的 %1 仍占着队列中的位置：在服务器去掉这个位置之前，它后面没有人得到锁。</translation>
    </message>
    <message>
        <source>On the server the lock is free, but %1, which died at %2 while it waited, still has a place in the queue: nobody behind it gets the lock until the server drops that place.</source>
        <translation>服务器上锁是空闲的，但 %1 在 %2 等待时死亡，仍占着队列中的位置：在服务器清除该位置之前，排在后面的客户端都得不到锁。</translation>
    </message>
    <message>
        <source>On the server the lock was free: its waiters were not told of that, or asked in vain.</source>
        <translation>在服务器上锁是空闲的：等待者没有得到通知，或者请求没有成功。</translation>
    </message>
    <message>
        <source>On the server the lock is free: its waiters were not told of that, or ask in vain.</source>
        <translation>服务器上锁是空闲的：等待者没有得到通知，或者请求落空。</translation>
    </message>
    <message>
        <source>On the server the lock was free, but %1, which had been paused since %2, stood first in the queue: nobody behind it could get the lock.</source>
        <translation>在服务器上锁是空闲的，但自 %2 起一直暂停的 %1 排在队列最前：它后面没有人能得到锁。</translation>
    </message>
    <message>
        <source>On the server the lock is free, but %1, which has been paused since %2, stands first in the queue: nobody behind it can get the lock.</source>
        <translation>服务器上锁是空闲的，但自 %2 起一直暂停的 %1 排在队列最前：它后面没有人能得到锁。</translation>
    </message>
    <message>
        <source>On the server the lock was free, but %1, which had been cut off since %2, stood first in the queue: nobody behind it could get the lock.</source>
        <translation>在服务器上锁是空闲的，但自 %2 起连接被切断的 %1 排在队列最前：它后面没有人能得到锁。</translation>
    </message>
    <message>
        <source>On the server the lock is free, but %1, which has been cut off since %2, stands first in the queue: nobody behind it can get the lock.</source>
        <translation>服务器上锁是空闲的，但自 %2 起连接被切断的 %1 排在队列最前：它后面没有人能得到锁。</translation>
    </message>
    <message>
        <source>On the server the lock is free, but somebody else has all connections of the pool to %1 since %2: the waiters have none to ask by.</source>
        <translation>服务器上锁是空闲的，但自 %2 起，通往 %1 的连接池里的连接全被别人占用：等待者没有连接可用来请求。</translation>
    </message>
    <message>
        <source>On the server the lock is free, but all connections of the pool to %1 are lent since %2: the waiters have none to ask by.</source>
        <translation>服务器上锁是空闲的，但自 %2 起，通往 %1 的连接池里的连接全部借出：等待者没有连接可用来请求。</translation>
    </message>
    <message>
        <source>On the server the lock was free, but somebody else had all connections of the pool to %1 since %2: the waiters had none to ask by.</source>
        <translation>服务器上锁当时是空闲的，但自 %2 起，通往 %1 的连接池里的连接全被别人占用：等待者没有连接可用来请求。</translation>
    </message>
    <message>
        <source>On the server the lock was free, but all connections of the pool to %1 were lent since %2: the waiters had none to ask by.</source>
        <translation>服务器上锁当时是空闲的，但自 %2 起，通往 %1 的连接池里的连接全部借出：等待者没有连接可用来请求。</translation>
    </message>
    <message>
        <source>On the server the lock was free, but somebody else had all connections of the pool to %1 from %2 to %3: the waiters had none to ask by.</source>
        <translation>服务器上锁当时是空闲的，但从 %2 到 %3，通往 %1 的连接池里的连接全被别人占用：等待者没有连接可用来请求。</translation>
    </message>
    <message>
        <source>On the server the lock was free, but all connections of the pool to %1 were lent from %2 to %3: the waiters had none to ask by.</source>
        <translation>服务器上锁当时是空闲的，但从 %2 到 %3，通往 %1 的连接池里的连接全部借出：等待者没有连接可用来请求。</translation>
    </message>
    <message>
        <source>%1 has stood still since %2.</source>
        <translation>%1 从 %2 起一直停顿。</translation>
    </message>
    <message>
        <source>%1 stood still from %2 to %3.</source>
        <translation>%1 从 %2 到 %3 停顿。</translation>
    </message>
    <message>
        <source>The machine of %1 has been off since %2.</source>
        <translation>%1 所在的机器从 %2 起一直断电。</translation>
    </message>
    <message>
        <source>The machine of %1 was off from %2 to %3.</source>
        <translation>%1 所在的机器从 %2 到 %3 断电。</translation>
    </message>
    <message>
        <source>%1 has been dead since %2.</source>
        <translation>%1 从 %2 起一直处于宕机状态。</translation>
    </message>
    <message>
        <source>%1 was dead from %2 to %3.</source>
        <translation>%1 从 %2 到 %3 处于宕机状态。</translation>
    </message>
    <message>
        <source>On the server the lock was free, but connections had died with the machine, which told nobody: clients waited on them for answers that never came.</source>
        <translation>服务器上锁是空闲的，但连接已随机器断开，而机器没有通知任何人：客户端在这些连接上等待永远不会到来的应答。</translation>
    </message>
    <message>
        <source>On the server the lock is free, but connections died with the machine, which told nobody: clients wait on them for answers that never come.</source>
        <translation>服务器上锁是空闲的，但连接已随机器断开，而机器没有通知任何人：客户端在这些连接上等待永远不会到来的应答。</translation>
    </message>
    <message>
        <source>The lock was free, but its waiters got on late after that.</source>
        <translation>锁是空闲的，但其等待者此后很晚才继续。</translation>
    </message>
    <message>
        <source>The lock is free, but its waiters do not get on since.</source>
        <translation>锁是空闲的，但其等待者此后一直没有继续。</translation>
    </message>
    <message>
        <source>Nothing has reached the disk of %1 since %2: requests that write wait there.</source>
        <translation>自 %2 起没有数据写到 %1 的磁盘：写请求在那里等待。</translation>
    </message>
    <message>
        <source>Nothing has reached the disks of %1 since %2: requests that write wait there.</source>
        <translation>自 %2 起没有数据写到 %1 的磁盘：写请求在那里等待。</translation>
    </message>
    <message>
        <source>Nothing had reached the disk of %1 since %2: requests that write waited there.</source>
        <translation>自 %2 起没有数据写到 %1 的磁盘：写请求一直在那里等待。</translation>
    </message>
    <message>
        <source>Nothing had reached the disks of %1 since %2: requests that write waited there.</source>
        <translation>自 %2 起没有数据写到 %1 的磁盘：写请求一直在那里等待。</translation>
    </message>
    <message>
        <source>Nothing reached the disk of %1 from %2 to %3: requests that write waited there.</source>
        <translation>从 %2 到 %3 没有数据写到 %1 的磁盘：写请求在那里等待。</translation>
    </message>
    <message>
        <source>Nothing reached the disks of %1 from %2 to %3: requests that write waited there.</source>
        <translation>从 %2 到 %3 没有数据写到 %1 的磁盘：写请求在那里等待。</translation>
    </message>
    <message>
        <source>On the server the lock is free, but messages to and from %1 take up to %2 longer each way since %3: the waiters ask, and the answers come too late.</source>
        <translation>服务器上锁是空闲的，但自 %3 起，与 %1 之间的消息单程最多慢 %2：等待者在请求，应答却来得太晚。</translation>
    </message>
    <message>
        <source>On the server the lock was free, but messages to and from %1 took up to %2 longer each way since %3: the waiters asked, and the answers came too late.</source>
        <translation>在服务器上锁是空闲的，但自 %3 起，与 %1 之间的消息单程多花了最多 %2：等待者请求了，应答来得太晚。</translation>
    </message>
    <message>
        <source>On the server the lock was free, but messages to and from %1 took up to %2 longer each way from %3 to %4: the waiters asked, and the answers came too late.</source>
        <translation>在服务器上锁是空闲的，但从 %3 到 %4，与 %1 之间的消息单程多花了最多 %2：等待者请求了，应答来得太晚。</translation>
    </message>
    <message>
        <source>%1 died at %2.</source>
        <translation>%1 在 %2 死亡。</translation>
    </message>
    <message>
        <source>The entry of %1 is still on the server; until when is not known.</source>
        <translation>%1 的条目仍在服务器上；到何时为止尚不清楚。</translation>
    </message>
    <message>
        <source>The entry of %1 stayed on the server until %2.</source>
        <translation>%1 的条目在服务器上一直留到 %2。</translation>
    </message>
    <message>
        <source>The entry of %1 stayed on the server.</source>
        <translation>%1 的条目一直留在服务器上。</translation>
    </message>
    <message>
        <source>The work of %1 had hung since %2, while its client was alive: so the server kept its entry.</source>
        <translation>%1 的工作自 %2 起就卡住了，而它的客户端还活着：所以服务器保留着它的条目。</translation>
    </message>
    <message>
        <source>The work of %1 has hung since %2, while its client is alive: so the server keeps its entry, and only a maximum hold time would end it.</source>
        <translation>%1 的工作从 %2 起卡住，而它的客户端还活着：所以服务器保留着它的条目，只有设定最长持有时间才能结束。</translation>
    </message>
    <message>
        <source>The work of %1 had hung since %2, and its entry had no expiry.</source>
        <translation>%1 的工作从 %2 起卡住，而它的条目没有过期时间。</translation>
    </message>
    <message>
        <source>The work of %1 has hung since %2, and its entry has no expiry: only a maximum hold time would end it.</source>
        <translation>%1 的工作从 %2 起卡住，而它的条目没有过期时间：只有设定最长持有时间才能结束。</translation>
    </message>
    <message>
        <source>The work of %1 had hung since %2, and its lease lasted until %3.</source>
        <translation>%1 的工作从 %2 起卡住，而它的租约持续到 %3。</translation>
    </message>
    <message>
        <source>The work of %1 has hung since %2, and its lease lasts until %3.</source>
        <translation>%1 的工作从 %2 起卡住，而它的租约持续到 %3。</translation>
    </message>
    <message>
        <source>The work of %1 had hung since %2, while its watchdog renewed its lease.</source>
        <translation>%1 的工作自 %2 起就卡住了，而它的看门狗一直在续租。</translation>
    </message>
    <message>
        <source>The work of %1 has hung since %2, while its watchdog renews its lease: only a maximum hold time would end it.</source>
        <translation>%1 的工作从 %2 起卡住，而它的看门狗一直在续期：只有设定最长持有时间才能结束。</translation>
    </message>
    <message>
        <source>%1 died at %2, and its entry stayed on the server until %3.</source>
        <translation>%1 在 %2 死亡，它的条目在服务器上一直留到 %3。</translation>
    </message>
    <message>
        <source>%1 died at %2, and its entry stays on the server until %3.</source>
        <translation>%1 在 %2 死亡，它的条目在服务器上保留到 %3。</translation>
    </message>
    <message>
        <source>%1 died at %2, and its entry on the server had no expiry.</source>
        <translation>%1 在 %2 死亡，而它在服务器上的条目没有过期时间。</translation>
    </message>
    <message>
        <source>%1 died at %2, and its entry on the server has no expiry: nothing will ever remove it.</source>
        <translation>%1 在 %2 死亡，它在服务器上的条目没有过期时间：永远不会被清除。</translation>
    </message>
    <message>
        <source>%1 was paused from %2 to %3.</source>
        <translation>%1 从 %2 暂停到 %3。</translation>
    </message>
    <message>
        <source>%1 has been paused since %2.</source>
        <translation>%1 自 %2 起一直暂停。</translation>
    </message>
    <message>
        <source>%1 gave the lock back at %2, but its connection had died with the machine, and the release did not get through.</source>
        <translation>%1 在 %2 归还了锁，但它的连接已随那台机器一起失效，释放请求没有送达。</translation>
    </message>
    <message>
        <source>%1 gave the lock back at %2, but its release did not get through.</source>
        <translation>%1 在 %2 归还了锁，但释放请求没有送达。</translation>
    </message>
    <message>
        <source>%1 gave the lock back at %2, but the server did not carry that out.</source>
        <translation>%1 在 %2 归还了锁，但服务器没有执行。</translation>
    </message>
    <message>
        <source>%1 took the lock for lost at %2.</source>
        <translation>%1 在 %2 认为锁已丢失。</translation>
    </message>
    <message>
        <source>%1 stopped asking for the lock at %2, but its request was carried out all the same.</source>
        <translation>%1 在 %2 不再请求锁，但它的请求仍被执行了。</translation>
    </message>
    <message>
        <source>%1 was cut off from %2 from %3 to %4.</source>
        <translation>%1 从 %3 到 %4 与 %2 断开。</translation>
    </message>
    <message>
        <source>%1 has been cut off from %2 since %3.</source>
        <translation>%1 自 %3 起与 %2 断开。</translation>
    </message>
    <message>
        <source>The entry of %1 was on the server and had no expiry, but %1 did not believe that it held the lock.</source>
        <translation>%1 的条目在服务器上，没有过期时间，但 %1 并不以为自己持有锁。</translation>
    </message>
    <message>
        <source>The entry of %1 is still on the server and has no expiry, but %1 does not believe that it holds the lock.</source>
        <translation>%1 的条目仍在服务器上且没有过期时间，但 %1 不以为自己持有锁。</translation>
    </message>
    <message>
        <source>The entry of %1 stayed on the server until %2, but %1 did not believe that it held the lock.</source>
        <translation>%1 的条目在服务器上留到 %2，但 %1 并不以为自己持有锁。</translation>
    </message>
    <message>
        <source>The entry of %1 stays on the server until %2, but %1 does not believe that it holds the lock.</source>
        <translation>%1 的条目在服务器上保留到 %2，但 %1 不以为自己持有锁。</translation>
    </message>
    <message>
        <source>A request of %1 reached %2 twice, sent at %3: %2 did it twice and counted one hold more than %1 knew of.</source>
        <translation>%1 在 %3 发出的一个请求两次到达 %2：%2 执行了两次，比 %1 所知多计了一次持有。</translation>
    </message>
    <message>
        <source>%1 took the place of %2 at %3, and did not know that %4 had taken the lock once more.</source>
        <translation>%1 在 %3 取代了 %2，却不知道 %4 又取了一次锁。</translation>
    </message>
    <message>
        <source>The server freed %1 at %2 although %3 held it more than once: a hold count falls by one at a time.</source>
        <translation>服务器在 %2 释放了 %1，尽管 %3 持有它不止一次：可重入次数每次只减一。</translation>
    </message>
    <message>
        <source>%1 released %2 at %3 and was left with a hold count of %4: it should have fallen by one, and the lock should be free at zero.</source>
        <translation>%1 在 %3 释放 %2 后可重入次数为 %4：应当减一，减到零时锁空闲。</translation>
    </message>
    <message>
        <source>The server's hold count of %1 for %2 jumped to %3 at %4: it should change by one at a time.</source>
        <translation>服务器上 %1 记在 %2 名下的可重入次数在 %4 跳到 %3：每次应只变化一。</translation>
    </message>
    <message>
        <source>%1 took %2 at %3 and its hold count became %4: it should have risen by one.</source>
        <translation>%1 在 %3 获得 %2，可重入次数变为 %4：应当加一。</translation>
    </message>
    <message>
        <source>%1 asked for %2 and did not get it, but its command wrote another end into the entry of %3 at %4.</source>
        <translation>%1 请求 %2 但没有得到，可它的命令在 %4 把另一个到期时间写进了 %3 的条目。</translation>
    </message>
    <message>
        <source>The command writes before its sender knows whether it has won.</source>
        <translation>这个命令在发送者知道自己是否赢了之前就已写入。</translation>
    </message>
    <message>
        <source>%1 was cut off from %2 at %3, and the server did not know that: to it the connection of %1 was alive.</source>
        <translation>%1 在 %3 与 %2 断开，而服务器不知道：在它看来，%1 的连接还活着。</translation>
    </message>
    <message>
        <source>%1 was cut off from %2 at %3, and the server does not know that: to it the connection of %1 is alive.</source>
        <translation>%1 在 %3 与 %2 断开，而服务器不知道：在它看来 %1 的连接还活着。</translation>
    </message>
    <message>
        <source>Clients were told at %1 to take their locks on %2. %3 had asked the former engine by then, and got the lock there at %4: %2 knows nothing of that.</source>
        <translation>客户端在 %1 被告知改到 %2 上取锁。那时 %3 已向原来的引擎请求，并于 %4 在那里得到锁：%2 对此一无所知。</translation>
    </message>
    <message>
        <source>Clients were told at %1 to take their locks on %2, and nobody waited for the holders on the former engine: they go on there, and %2 knows nothing of them.</source>
        <translation>客户端在 %1 被告知改到 %2 上取锁，没有人等待原来引擎上的持有者：它们在那里继续，而 %2 对它们一无所知。</translation>
    </message>
    <message>
        <source>%1 crashed at %2 before the lock of %3 had reached a replica.</source>
        <translation>%1 于 %2 崩溃，那时 %3 的锁还没有到达任何副本。</translation>
    </message>
    <message>
        <source>%1 was killed at %2 before the lock of %3 had reached a replica.</source>
        <translation>%1 于 %2 被杀死，那时 %3 的锁还没有到达任何副本。</translation>
    </message>
    <message>
        <source>%1 became master at %2 without it and gave %3 the lock at %4.</source>
        <translation>%1 于 %2 成为主节点，但没有这把锁，并于 %4 把锁给了 %3。</translation>
    </message>
    <message>
        <source>%1 crashed at %2, and the lock of %3 with it: it belonged to a connection, and no replica knows of it.</source>
        <translation>%1 在 %2 崩溃，%3 的锁也随之消失：这个锁属于一个连接，副本都不知道它。</translation>
    </message>
    <message>
        <source>%1 was killed at %2, and the lock of %3 with it: it belonged to a connection, and no replica knows of it.</source>
        <translation>%1 在 %2 被杀死，%3 的锁也随之消失：这个锁属于一个连接，副本都不知道它。</translation>
    </message>
    <message>
        <source>%1 took the place of %2 at %3, without the lock of %4: it belongs to a connection to %2, and no replica knows of it.</source>
        <translation>%1 在 %3 取代了 %2，却没有 %4 的锁：这个锁属于到 %2 的一个连接，副本都不知道它。</translation>
    </message>
    <message>
        <source>%1, %2 behind, took the place of %3 at %4, without the lock of %5.</source>
        <translation>%1 落后 %2，于 %4 取代了 %3，但没有 %5 的锁。</translation>
    </message>
    <message>
        <source>%1 took the place of %2 at %3, without the lock of %4.</source>
        <translation>%1 于 %3 取代了 %2，但没有 %4 的锁。</translation>
    </message>
    <message>
        <source>%1 crashed at %2 before the lock of %3 had reached %4.</source>
        <translation>%1 于 %2 崩溃，那时 %3 的锁还没有到达 %4。</translation>
    </message>
    <message>
        <source>%1 was killed at %2 before the lock of %3 had reached %4.</source>
        <translation>%1 于 %2 被杀死，那时 %3 的锁还没有到达 %4。</translation>
    </message>
    <message>
        <source>it still had an old lock of %1, whose end had not reached it.</source>
        <translation>它还留着 %1 的旧锁，那把锁的结束没有传到它那里。</translation>
    </message>
    <message>
        <source>It still had an old lock of %1, whose end had not reached it.</source>
        <translation>它还留着 %1 的旧锁，那把锁的结束没有传到它那里。</translation>
    </message>
    <message>
        <source>%1 became master at %2 with an old lock of %3, whose end had not reached it.</source>
        <translation>%1 在 %2 成为主节点，带着 %3 的旧锁，那把锁的结束没有传到它那里。</translation>
    </message>
    <message>
        <source>%1 became master at %2 without it.</source>
        <translation>%1 于 %2 成为主节点，但没有这把锁。</translation>
    </message>
    <message>
        <source>it gave %1 the lock at %2.</source>
        <translation>它在 %2 把锁给了 %1。</translation>
    </message>
    <message>
        <source>It gave %1 the lock at %2.</source>
        <translation>它于 %2 把锁给了 %1。</translation>
    </message>
    <message>
        <source>%1 got the lock at %2 from %3, whose place %4 had taken at %5.</source>
        <translation>%1 于 %2 从 %3 获得锁，而 %4 已在 %5 取代了 %3。</translation>
    </message>
    <message>
        <source>The connections of %1 to %2 broke at %3.</source>
        <translation>%1 到 %2 的连接于 %3 断开。</translation>
    </message>
    <message>
        <source>%1 has been stopped since %2: requests wait there.</source>
        <translation>%1 从 %2 起一直处于暂停状态：请求都在那里等待。</translation>
    </message>
    <message>
        <source>%1 was stopped from %2 to %3: requests waited there.</source>
        <translation>%1 从 %2 到 %3 处于暂停状态：请求都在那里等待。</translation>
    </message>
    <message>
        <source>The watchdog of %1 stopped at %2, so nothing renewed its lease.</source>
        <translation>%1 的看门狗在 %2 停止，因此没有谁为它的租约续期。</translation>
    </message>
    <message>
        <source>The servers did not hear from %1 in time.</source>
        <translation>服务器没有及时收到 %1 的消息。</translation>
    </message>
    <message>
        <source>%1 tried to renew its lease and got no answer.</source>
        <translation>%1 尝试续期却没有得到应答。</translation>
    </message>
    <message>
        <source>The work of %1 had hung since %2, and nothing renewed its lease any more.</source>
        <translation>%1 的工作自 %2 起卡住，此后没有谁再续期它的租约。</translation>
    </message>
    <message>
        <source>%1 worked for longer than its lease, and nothing renewed it.</source>
        <translation>%1 工作的时间超过了租约，而没有谁续期。</translation>
    </message>
    <message>
        <source>The lease of %1 was renewed for the last time at %2.</source>
        <translation>%1 的租约最后一次续期是在 %2。</translation>
    </message>
    <message>
        <source>The clock of %1 jumped at %2.</source>
        <translation>%1 的时钟在 %2 跳变。</translation>
    </message>
    <message>
        <source>The clocks of %1 jumped at %2.</source>
        <translation>%1 的时钟在 %2 跳变。</translation>
    </message>
    <message>
        <source>The clocks of %1 jumped, the last one at %2.</source>
        <translation>%1 的时钟先后跳变，最后一次在 %2。</translation>
    </message>
    <message>
        <source>From %2 on the clock of %1 was too fast: it gained %3 each second.</source>
        <translation>从 %2 起 %1 的时钟走得太快：每秒快 %3。</translation>
    </message>
    <message>
        <source>From %2 on the clock of %1 was too slow: it lost %3 each second.</source>
        <translation>从 %2 起 %1 的时钟走得太慢：每秒慢 %3。</translation>
    </message>
    <message>
        <source>The session of %1 ended at %2; after others, %3 got the lock at %4.</source>
        <extracomment>The lock had several holders between the two instants.</extracomment>
        <translation>%1 的会话在 %2 结束；在其他客户端之后，%3 于 %4 获得了锁。</translation>
    </message>
    <message>
        <source>So the server freed the lock of %1 at %2.</source>
        <translation>因此服务器于 %2 释放了 %1 的锁。</translation>
    </message>
    <message>
        <source>On the servers the lock of %1 was released at %2.</source>
        <translation>在各服务器上，%1 的锁于 %2 被释放。</translation>
    </message>
    <message>
        <source>On the server the lock of %1 was released at %2.</source>
        <translation>在服务器上，%1 的锁于 %2 被释放。</translation>
    </message>
    <message>
        <source>%1 released the lock of %2 at %3, so the server gave it to %4 at %5.</source>
        <translation>%1 在 %3 释放了 %2 的锁，于是服务器在 %5 把它给了 %4。</translation>
    </message>
    <message>
        <source>%1 released the lock of %2 at %3.</source>
        <translation>%1 在 %3 释放了 %2 的锁。</translation>
    </message>
    <message>
        <source>The lock of %1 was freed by force at %2, and the server gave it to %3 at %4.</source>
        <translation>%1 的锁在 %2 被强制释放，服务器在 %4 把它给了 %3。</translation>
    </message>
    <message>
        <source>The lock of %1 was freed by force at %2.</source>
        <translation>%1 的锁在 %2 被强制释放。</translation>
    </message>
    <message>
        <source>The entry of %1 on the server was overwritten at %2.</source>
        <translation>%1 在服务器上的条目于 %2 被覆盖。</translation>
    </message>
    <message>
        <source>%1 wrote over the entry of %2 on the server at %3.</source>
        <translation>%1 在 %3 覆盖了 %2 在服务器上的条目。</translation>
    </message>
    <message>
        <source>After others, %1 got it at %2.</source>
        <extracomment>The lock had been free for others for some time, and had several holders.</extracomment>
        <translation>在其他客户端之后，%1 于 %2 获得了它。</translation>
    </message>
    <message>
        <source>Since %1 locks are taken on %2: it gave the lock to %3 at %4.</source>
        <translation>从 %1 起在 %2 上取锁：它在 %4 把锁给了 %3。</translation>
    </message>
    <message>
        <source>The session of %1 ended at %2, so the servers count the lock as free.</source>
        <translation>%1 的会话在 %2 结束，于是各服务器认为锁是空闲的。</translation>
    </message>
    <message>
        <source>The lease of %1 ended at %2, so the servers count the lock as free.</source>
        <translation>%1 的租约在 %2 到期，于是各服务器认为锁是空闲的。</translation>
    </message>
    <message>
        <source>The session of %1 ended at %2, so the server counts the lock as free.</source>
        <translation>%1 的会话在 %2 结束，于是服务器认为锁已空闲。</translation>
    </message>
    <message>
        <source>The lease of %1 ended at %2, so the server counts the lock as free.</source>
        <translation>%1 的租约在 %2 到期，于是服务器视锁为空闲。</translation>
    </message>
    <message>
        <source>The session of %1 ended at %2, so the servers gave the lock to %3 at %4.</source>
        <translation>%1 的会话在 %2 结束，于是各服务器在 %4 把锁给了 %3。</translation>
    </message>
    <message>
        <source>The lease of %1 ended at %2, so the servers gave the lock to %3 at %4.</source>
        <translation>%1 的租约在 %2 到期，于是各服务器在 %4 把锁给了 %3。</translation>
    </message>
    <message>
        <source>The session of %1 ended at %2, so the server gave the lock to %3 at %4.</source>
        <translation>%1 的会话在 %2 结束，于是服务器在 %4 把锁给了 %3。</translation>
    </message>
    <message>
        <source>The lease of %1 ended at %2, so the server gave the lock to %3 at %4.</source>
        <translation>%1 的租约在 %2 到期，于是服务器在 %4 把锁给了 %3。</translation>
    </message>
    <message>
        <source>The session of %1 ended at %2, and with it its permit.</source>
        <translation>%1 的会话在 %2 结束，其许可也随之结束。</translation>
    </message>
    <message>
        <source>The lease of the permit of %1 ended at %2, so the server counts the permit as free.</source>
        <translation>%1 的许可的租约在 %2 结束，因此服务器认为该许可是空闲的。</translation>
    </message>
    <message>
        <source>%1 still believed it held the lock until %2.</source>
        <translation>%1 一直以为自己持有锁，直到 %2。</translation>
    </message>
    <message>
        <source>%1 still believes it holds the lock.</source>
        <translation>%1 仍以为自己持有锁。</translation>
    </message>
    <message>
        <source>%1 does not know, and still believes it holds the lock.</source>
        <translation>%1 并不知情，仍以为自己持有锁。</translation>
    </message>
    <message>
        <source>%1 still believed it held the lock until %2, when it learned of the loss.</source>
        <translation>%1 一直以为自己持有锁，直到 %2 得知丢锁。</translation>
    </message>
    <message>
        <source>%1 still believed it held the lock until %2, when the server refused its release.</source>
        <translation>%1 一直以为自己持有锁，直到 %2 服务器拒绝它的释放。</translation>
    </message>
    <message>
        <source>%1 still believed it held the lock until its own deadline at %2.</source>
        <translation>%1 一直以为自己持有锁，直到 %2 自己的截止时间。</translation>
    </message>
    <message>
        <source>%1 still believed it held the lock until it died at %2.</source>
        <translation>%1 一直以为自己持有锁，直到 %2 死亡。</translation>
    </message>
    <message>
        <source>%1 still believed it held the lock until it gave it up at %2.</source>
        <translation>%1 一直以为自己持有锁，直到 %2 放弃它。</translation>
    </message>
    <message>
        <source>%1 stood still since %2, and did not have it.</source>
        <translation>%1 从 %2 起停顿，没有该锁。</translation>
    </message>
    <message>
        <source>%1 was dead since %2, and did not have it.</source>
        <translation>%1 从 %2 起已宕机，没有该锁。</translation>
    </message>
    <message>
        <source>%1 had the lock of %2 in its place.</source>
        <translation>%1 上记录的是 %2 的锁。</translation>
    </message>
    <message>
        <source>On %1 its lease had ended at %2.</source>
        <translation>在 %1 上它的租约已于 %2 结束。</translation>
    </message>
    <message>
        <source>All data of %1 were deleted at %2, and with them the lock of %3: it went to %4 at %5.</source>
        <translation>%1 的全部数据在 %2 被删除，%3 的锁也随之消失：锁在 %5 给了 %4。</translation>
    </message>
    <message>
        <source>All data of %1 were deleted at %2, and with them the lock of %3.</source>
        <translation>%1 的全部数据在 %2 被删除，%3 的锁也随之消失。</translation>
    </message>
    <message>
        <source>All data of %1 were deleted, the last ones at %2, and with them the lock of %3: it went to %4 at %5.</source>
        <translation>%1 的全部数据被删除（最后一次在 %2），%3 的锁也随之消失：锁在 %5 给了 %4。</translation>
    </message>
    <message>
        <source>All data of %1 were deleted, the last ones at %2, and with them the lock of %3.</source>
        <translation>%1 的全部数据被删除（最后一次在 %2），%3 的锁也随之消失。</translation>
    </message>
    <message>
        <source>%1 lost their memory of the lock of %2, the last one at %3, and the lock went to %4 at %5.</source>
        <translation>%1 丢失了关于 %2 的锁的记忆，最后一个在 %3，锁在 %5 给了 %4。</translation>
    </message>
    <message>
        <source>%1 lost their memory of the lock of %2, the last one at %3.</source>
        <translation>%1 丢失了关于 %2 的锁的记忆，最后一个在 %3。</translation>
    </message>
    <message>
        <source>%1 died at %2 with the lock of %3, and the lock went to %4 at %5.</source>
        <translation>%1 于 %2 死亡，%3 的锁也随之消失，锁在 %5 给了 %4。</translation>
    </message>
    <message>
        <source>%1 died at %2 with the lock of %3.</source>
        <translation>%1 在 %2 带着 %3 的锁死去。</translation>
    </message>
    <message>
        <source>%1 died with the lock of %2, the last one at %3, and the lock went to %4 at %5.</source>
        <translation>%1 先后死亡，最后一个在 %3，%2 的锁也随之消失，锁在 %5 给了 %4。</translation>
    </message>
    <message>
        <source>%1 died with the lock of %2, the last one at %3.</source>
        <translation>%1 先后死亡，最后一个在 %3，%2 的锁也随之消失。</translation>
    </message>
    <message>
        <source>Since %1 %2 decides, which knows nothing of the lock of %3: it gave the lock to %4 at %5.</source>
        <translation>从 %1 起由 %2 裁定，它对 %3 的锁一无所知：它在 %5 把锁给了 %4。</translation>
    </message>
    <message>
        <source>Since %1 %2 decides, which knows nothing of the lock of %3.</source>
        <translation>从 %1 起由 %2 裁定，它对 %3 的锁一无所知。</translation>
    </message>
    <message>
        <source>All data of %1 were deleted at %2.</source>
        <translation>%1 的所有数据在 %2 被删除。</translation>
    </message>
    <message>
        <source>%1 evicted the lock at %2.</source>
        <translation>%1 在 %2 淘汰了该锁。</translation>
    </message>
    <message>
        <source>Too few servers were left that knew of the lock of %1, and it went to %2 at %3.</source>
        <translation>知道 %1 持有该锁的服务器所剩太少，锁在 %3 归 %2 所有。</translation>
    </message>
    <message>
        <source>Too few servers were left that knew of the lock of %1.</source>
        <translation>知道 %1 持有该锁的服务器所剩太少。</translation>
    </message>
    <message>
        <source>%1 lost its memory of the lock of %2 at %3: too few servers were left that knew of it, and the lock went to %4 at %5.</source>
        <translation>%1 在 %3 丢失了关于 %2 的锁的记忆：知道这把锁的服务器太少了，锁在 %5 给了 %4。</translation>
    </message>
    <message>
        <source>%1 lost its memory of the lock of %2 at %3: too few servers were left that knew of it.</source>
        <translation>%1 在 %3 丢失了关于 %2 的锁的记忆：知道这把锁的服务器太少了。</translation>
    </message>
    <message>
        <source>The server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>%1 evicted the lock of %2 at %3, and gave it to %4 at %5.</source>
        <translation>%1 在 %3 淘汰了 %2 的锁，并在 %5 把它给了 %4。</translation>
    </message>
    <message>
        <source>%1 evicted the lock of %2 at %3.</source>
        <translation>%1 在 %3 淘汰了 %2 的锁。</translation>
    </message>
    <message>
        <source>%1 died at %2 with the lock of %3, and knew nothing of it when it was back: %4 got it at %5.</source>
        <translation>%1 在 %2 带着 %3 的锁死去，恢复后对它一无所知：%4 在 %5 得到了锁。</translation>
    </message>
    <message>
        <source>%1 lost its memory of the lock of %2 at %3, and gave it to %4 at %5.</source>
        <translation>%1 在 %3 丢失了对 %2 的锁的记忆，并在 %5 把锁给了 %4。</translation>
    </message>
    <message>
        <source>%1 lost its memory of the lock of %2 at %3.</source>
        <translation>%1 在 %3 丢失了对 %2 的锁的记忆。</translation>
    </message>
    <message>
        <source>%1 evicted the permits at %2, also those that clients held, and gave out new ones.</source>
        <translation>%1 在 %2 淘汰了许可，包括客户端持有的许可，并发放了新的许可。</translation>
    </message>
    <message>
        <source>All data of %1 were deleted at %2, also who held permits: it gave out new ones.</source>
        <translation>%1 的所有数据在 %2 被删除，谁持有许可的记录也随之消失：它发放了新的许可。</translation>
    </message>
    <message>
        <source>%1 took the place of %2 at %3, and did not know who held permits: it gave out new ones.</source>
        <translation>%1 于 %3 取代了 %2，但不知道谁持有许可：它发出了新的许可。</translation>
    </message>
    <message>
        <source>%1 died at %2, and did not know who held permits when it was back: it gave out new ones.</source>
        <translation>%1 在 %2 宕机，恢复后不知道谁持有许可：它发放了新的许可。</translation>
    </message>
    <message>
        <source>%1 lost its memory of who held permits at %2, and gave out new ones.</source>
        <translation>%1 在 %2 丢失了谁持有许可的记录，并发放了新的许可。</translation>
    </message>
    <message>
        <source>%1 lost its place in the server's queue at %2, and stood in it again, behind others, at %3.</source>
        <translation>%1 在 %2 失去了在服务器队列中的位置，在 %3 才重新排入队列，排在他人之后。</translation>
    </message>
    <message>
        <source>%1 lost its place in the server's queue at %2.</source>
        <translation>%1 在 %2 失去了在服务器队列中的位置。</translation>
    </message>
    <message>
        <source>%1 starves: it has waited %2 for %3, while others got it</source>
        <translation>%1 饿死：等 %3 已等 %2，别人却一再得到</translation>
    </message>
    <message>
        <source>%1 asked for %2 at %3 and waited for %4: it never found it free.</source>
        <translation>%1 在 %3 请求 %2，等了 %4，从未等到它空出来。</translation>
    </message>
    <message numerus="yes">
        <source>Meanwhile readers that had asked later got it %n time(s).</source>
        <translation>
            <numerusform>期间，后来请求的读者得到了 %n 次。</numerusform>
        </translation>
    </message>
    <message>
        <source>No invariant is broken, as this lock promises nobody a turn; a lock with a queue does.</source>
        <translation>没有不变量被破坏：这种锁不保证轮到谁；有队列的锁才保证。</translation>
    </message>
    <message>
        <source>All data of %1 were deleted at %2, and with them the newest tokens.</source>
        <translation>%1 的全部数据在 %2 被删除，最新的令牌也随之消失。</translation>
    </message>
    <message>
        <source>All data of %1 were deleted, the last ones at %2, and with them the newest tokens.</source>
        <translation>%1 的全部数据被删除（最后一次在 %2），最新的令牌也随之消失。</translation>
    </message>
    <message>
        <source>The machines of %1 went off at %2, and the newest tokens were not on their disks yet.</source>
        <translation>%1 的机器于 %2 断电，最新的令牌还没有写到它们的磁盘上。</translation>
    </message>
    <message>
        <source>The machines of %1 went off, the last one at %2, and the newest tokens were not on their disks yet.</source>
        <translation>%1 的机器先后断电，最后一台在 %2，最新的令牌还没有写到它们的磁盘上。</translation>
    </message>
    <message>
        <source>%1 died at %2, and when they were back they did not know of the newest tokens.</source>
        <translation>%1 于 %2 死亡，恢复后都不知道最新的令牌。</translation>
    </message>
    <message>
        <source>%1 died, the last one at %2, and when they were back they did not know of the newest tokens.</source>
        <translation>%1 先后死亡，最后一个在 %2，恢复后都不知道最新的令牌。</translation>
    </message>
    <message>
        <source>%1 lost their data, the last one at %2, and with them the newest tokens.</source>
        <translation>%1 先后丢失了数据，最后一个在 %2，最新的令牌也随之消失。</translation>
    </message>
    <message>
        <source>Clients were told at %1 to take their locks on %2, which counts tokens by itself.</source>
        <translation>客户端在 %1 被告知改到 %2 上取锁，而它自己另行计数令牌。</translation>
    </message>
    <message>
        <source>%1 took the place of %2 at %3, and did not know of the newest tokens.</source>
        <translation>%1 于 %3 取代了 %2，但不知道最新的令牌。</translation>
    </message>
    <message>
        <source>The machine of %1 went off at %2, and the newest tokens were not on its disk yet.</source>
        <translation>%1 的机器于 %2 断电，最新的令牌还没有写到磁盘上。</translation>
    </message>
    <message>
        <source>%1 died at %2, and when it was back it did not know of the newest tokens.</source>
        <translation>%1 于 %2 死亡，恢复后不知道最新的令牌。</translation>
    </message>
    <message>
        <source>mutual exclusion</source>
        <translation>互斥</translation>
    </message>
    <message>
        <source>no stale write</source>
        <translation>没有过期写入</translation>
    </message>
    <message>
        <source>ownership</source>
        <translation>归属</translation>
    </message>
    <message>
        <source>progress</source>
        <translation>进展</translation>
    </message>
    <message>
        <source>reentrancy</source>
        <translation>重入计数</translation>
    </message>
    <message>
        <source>queue order</source>
        <translation>先来后到</translation>
    </message>
    <message>
        <source>token order</source>
        <translation>令牌次序</translation>
    </message>
    <message>
        <source>no deadlock</source>
        <translation>无死锁</translation>
    </message>
    <message>
        <source>No two clients believe at one time that they hold the lock, unless they share it as readers or within its permits.</source>
        <translation>没有两个客户端同时以为自己持有锁，除非它们作为读者共享，或在许可数之内。</translation>
    </message>
    <message>
        <source>The guarded resource never accepts a write from a client that no longer holds the lock.</source>
        <translation>受保护的资源从不接受已不持有锁的客户端的写入。</translation>
    </message>
    <message>
        <source>No client releases or renews a hold that is not its own.</source>
        <translation>没有客户端释放不属于自己的持有，也不为它续期。</translation>
    </message>
    <message>
        <source>While a live, connected client waits and nobody alive holds the lock, it is granted in time.</source>
        <translation>有存活且连通的客户端在等待，而没有存活的客户端持有锁时，锁会按时授予。</translation>
    </message>
    <message>
        <source>Hold counts rise and fall by one, and the lock is free at zero.</source>
        <translation>可重入次数每次加一或减一，减到零时锁空闲。</translation>
    </message>
    <message>
        <source>A lock that promises fairness is granted in the order in which it was asked for.</source>
        <translation>承诺公平的锁按请求的顺序授予。</translation>
    </message>
    <message>
        <source>Fencing tokens grow with every new holder.</source>
        <translation>栅栏令牌随每个新持有者增长。</translation>
    </message>
    <message>
        <source>Nobody waits for a lock whose holder waits, directly or through others, for one of theirs.</source>
        <translation>谁等待的锁，其持有者都不会直接或间接地反过来等待它持有的锁。</translation>
    </message>
    <message>
        <source>mutual exclusion violated</source>
        <translation>互斥被违反</translation>
    </message>
    <message>
        <source>stale write</source>
        <translation>过期写入</translation>
    </message>
    <message>
        <source>ownership violated</source>
        <translation>归属被违反</translation>
    </message>
    <message>
        <source>no progress</source>
        <translation>停滞不前</translation>
    </message>
    <message>
        <source>hold count wrong</source>
        <translation>持有次数出错</translation>
    </message>
    <message>
        <source>queue order violated</source>
        <translation>先来后到被违反</translation>
    </message>
    <message>
        <source>token order violated</source>
        <translation>令牌次序被违反</translation>
    </message>
    <message>
        <source>deadlock</source>
        <translation>死锁</translation>
    </message>
    <message>
        <source>%1 for %2 so far, since %3</source>
        <extracomment>%1 a violation, such as "deadlock"; %2 how long, %3 when it began.</extracomment>
        <translation>%1：从 %3 起，至今 %2</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1：在 %2</translation>
    </message>
    <message>
        <source>%1 for %2, from %3</source>
        <translation>%1：从 %3 起，持续 %2</translation>
    </message>
    <message>
        <source>%1 for %2 so far</source>
        <translation>%1：至今 %2</translation>
    </message>
    <message>
        <source>%1 for %2</source>
        <translation>%1，持续 %2</translation>
    </message>
    <message>
        <source>The leader %1 crashed at %2 while %3 held %4.</source>
        <translation>领导者 %1 于 %2 崩溃，当时 %3 持有 %4。</translation>
    </message>
    <message>
        <source>The master %1 crashed at %2 while %3 held %4.</source>
        <translation>主节点 %1 于 %2 崩溃，当时 %3 持有 %4。</translation>
    </message>
    <message>
        <source>The leader %1 was killed at %2 while %3 held %4.</source>
        <translation>领导者 %1 于 %2 被杀死，当时 %3 持有 %4。</translation>
    </message>
    <message>
        <source>The master %1 was killed at %2 while %3 held %4.</source>
        <translation>主节点 %1 于 %2 被杀死，当时 %3 持有 %4。</translation>
    </message>
    <message>
        <source>There is no majority since %1 (%2 of %3 servers run): nobody can get in until one is back.</source>
        <translation>自 %1 起没有多数派（%3 台服务器中有 %2 台在运行）：在有服务器恢复之前，谁也进不去。</translation>
    </message>
    <message>
        <source>%1 has stood still since %2: nobody can get in until it goes on, or another server takes over.</source>
        <translation>%1 从 %2 起一直停顿：在它恢复或其他服务器接管之前，谁都无法进入。</translation>
    </message>
    <message>
        <source>%1 got the lock at %2, after %3 had given it back.</source>
        <translation>%3 归还锁之后，%1 于 %2 获得锁。</translation>
    </message>
    <message>
        <source>%1 took over from %2 at %3 while %4 held %5, and knew the holder, so nobody else got in.</source>
        <translation>%1 在 %3 接替了 %2，当时 %4 持有 %5；它知道持有者是谁，所以没有别人进入。</translation>
    </message>
    <message>
        <source>%1 took over at %2 and knew the holder, so nobody else got in.</source>
        <translation>%1 于 %2 接管，并且知道持有者是谁，所以没有别人进来。</translation>
    </message>
    <message>
        <source>%1 was back at %2 and knew the holder, so nobody else got in.</source>
        <translation>%1 于 %2 恢复，并且知道持有者是谁，所以没有别人进来。</translation>
    </message>
    <message>
        <source>No other server runs that could take over: nobody can get in until one is back.</source>
        <translation>没有其他可以接管的服务器在运行：在有服务器恢复之前，谁都无法进入。</translation>
    </message>
    <message>
        <source>Until another server takes over, nobody can get in.</source>
        <translation>在另一台服务器接管之前，谁也进不来。</translation>
    </message>
    <message>
        <source>Nobody told what the clients believed.</source>
        <translation>没有人说出客户端相信什么。</translation>
    </message>
    <message>
        <source>Neither the clients' beliefs nor writes were observed.</source>
        <translation>既没有观察到客户端的信念，也没有观察到写入。</translation>
    </message>
    <message>
        <source>The servers' record was not observed, or named nobody.</source>
        <translation>没有观察到服务器的记录，或者它没有指明任何人。</translation>
    </message>
    <message>
        <source>Neither the clients' beliefs nor the servers' record were observed.</source>
        <translation>既没有观察到客户端的信念，也没有观察到服务器的记录。</translation>
    </message>
    <message>
        <source>The write at %1 could not be judged: the record did not show whether its client held the lock.</source>
        <translation>%1 的写入无法裁决：记录没有显示它的客户端是否持有锁。</translation>
    </message>
    <message>
        <source>At %1 a client had waited for too long, and the record could not be seen meanwhile: nobody knows whether the lock could be given.</source>
        <translation>到 %1 有客户端已等待过久，而这期间看不到记录：没有人知道锁当时能否授予。</translation>
    </message>
    <message>
        <source>From %1 on the record could not be seen for some time: nobody knows whose the lock was.</source>
        <translation>从 %1 起有一段时间看不到记录：没有人知道锁当时属于谁。</translation>
    </message>
    <message>
        <source>%1 others</source>
        <comment>at the end of a list of clients</comment>
        <translation>另外 %1 个</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>a list of clients</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <comment>the end of a list of clients</comment>
        <translation>%1 和 %2</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>a sentence after a sentence</comment>
        <translation>%1%2</translation>
    </message>
    <message>
        <source>%1, so %2</source>
        <comment>a cause and its effect, in one sentence</comment>
        <translation>%1，因此 %2</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <comment>a sentence and a remark, as one</comment>
        <translation>%1；%2</translation>
    </message>
</context>
<context>
    <name>Waits</name>
    <message>
        <source>, </source>
        <comment>between names</comment>
        <translation>，</translation>
    </message>
    <message numerus="yes">
        <source>and so on, over %n client(s)</source>
        <translation>
            <numerusform>依此类推，共 %n 个客户端</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 waits for %2, which %3 holds</source>
        <translation>%1 在等 %3 持有的 %2</translation>
    </message>
    <message>
        <source>%1.</source>
        <extracomment>Joins the links of a chain of waits.</extracomment>
        <translation>%1。</translation>
    </message>
    <message>
        <source>; </source>
        <translation>；</translation>
    </message>
    <message numerus="yes">
        <source>To end it, end the transaction of %1, which holds %2: %n client(s) wait for that. Its program gets an error, and what the transaction has done is undone.</source>
        <translation>
            <numerusform>要解开它，就结束 %1 的事务，它持有 %2：有 %n 个客户端在等它。它的程序会得到一个错误，该事务所做的一切都会撤销。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>To end it, end the session of %1, which holds %2: %n client(s) wait for that. Its program gets an error, and loses every lock that it has there.</source>
        <translation>
            <numerusform>要解开它，就结束 %1 的会话，它持有 %2：有 %n 个客户端在等它。它的程序会得到一个错误，并失去它在那里的所有锁。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>To end it, end %1's hold of %2: %n client(s) wait for that. %1 then works on without the lock until it learns of it.</source>
        <translation>
            <numerusform>要解开它，就结束 %1 对 %2 的持有：有 %n 个客户端在等它。%1 在得知之前会在没有锁的情况下继续工作。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is held by %2; waiting: %3.</source>
        <translation>%1 由 %2 持有；在等：%3。</translation>
    </message>
</context>
<context>
    <name>WatchNote</name>
    <message>
        <source>%1 is a Sentinel: it has no locks. Write the address of the master that it watches; “redis-cli -p PORT sentinel masters” says it.</source>
        <translation>%1 是哨兵，上面没有锁。请填写它所监视的主节点的地址；可用“redis-cli -p PORT sentinel masters”查到。</translation>
    </message>
    <message>
        <source>This user may not read the performance schema, so of the locks of GET_LOCK() only those with a waiter, and names that you ask for (match), are known. SELECT on performance_schema.* lists them all, if the instrument wait/lock/metadata/sql/mdl is on</source>
        <translation>该用户无权读取 performance schema，因此在 GET_LOCK() 的锁中只知道有等待者的锁和你指名（match）的锁。有了 performance_schema.* 的 SELECT 权限，只要监测项 wait/lock/metadata/sql/mdl 已启用，就会全部列出</translation>
    </message>
    <message>
        <source>This server does not list the locks of GET_LOCK(), so only those with a waiter, and names that you ask for (match), are known. Its performance schema, with the instrument wait/lock/metadata/sql/mdl, lists them all</source>
        <translation>此服务器不列出 GET_LOCK() 的锁，因此只知道有等待者的锁和你指名（match）的锁。启用 performance schema 及其监测项 wait/lock/metadata/sql/mdl 后会全部列出</translation>
    </message>
    <message numerus="yes">
        <source>%1. %n session(s) wait with a statement that does not show the name: how many wait for which lock is not known</source>
        <translation>
            <numerusform>%1。另有 %n 个会话在等待，其语句不显示锁名：每把锁各有几个等待者并不知道</numerusform>
        </translation>
    </message>
    <message>
        <source>Strings longer than a lock's value were not read: %1%2</source>
        <translation>长度超过锁的值的字符串没有读取：%1%2</translation>
    </message>
    <message>
        <source>Hashes with more fields than a lock has were not read: %1%2</source>
        <translation>字段比锁还多的哈希没有读取：%1%2</translation>
    </message>
    <message>
        <source>Keys with longer fields than a lock has were not read: %1%2</source>
        <translation>字段比锁还长的键没有读取：%1%2</translation>
    </message>
    <message>
        <source>This user may not read some keys or tables, so locks among them are not known: %1%2</source>
        <translation>该用户无权读取某些键或表，其中的锁未知：%1%2</translation>
    </message>
    <message>
        <source>This user may not ask how large a key is (MEMORY USAGE), so these were not read: %1%2</source>
        <translation>此用户无权查询键的大小（MEMORY USAGE），因此这些键没有读取：%1%2</translation>
    </message>
    <message>
        <source>This user may not go through the keys (SCAN), so only locks that a waiter tells of are known</source>
        <translation>这个用户无权遍历键（SCAN），所以只知道等待者透露出的锁</translation>
    </message>
    <message>
        <source>This user may not ask who is subscribed (PUBSUB), so waiters are not known</source>
        <translation>此用户无权查询订阅者（PUBSUB），因此等待者未知</translation>
    </message>
    <message>
        <source>This is a replica of %1: its keys may be behind, and the master's waiters are not known here</source>
        <translation>这是 %1 的副本：它的键可能落后，而且在这里看不到主节点的等待者</translation>
    </message>
    <message>
        <source>This is one node of a cluster: locks in other nodes' slots do not show, and waiters are not known</source>
        <translation>这是集群中的一个节点：其他节点的槽中的锁不会显示，等待者未知</translation>
    </message>
    <message>
        <source>This is one node of a cluster, with %1 of %2 slots: locks in the others do not show, and waiters are not known</source>
        <translation>这是集群中的一个节点，拥有 %2 个槽中的 %1 个：其余槽中的锁不会显示，等待者未知</translation>
    </message>
    <message numerus="yes">
        <source>%n key(s) cannot be read before the move of their slot ends, so locks among them are not known%1</source>
        <translation>
            <numerusform>有 %n 个键在其槽迁移完成前无法读取，其中的锁未知%1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s) went to another node of the cluster with their slots, so this one does not know them any more%1. Watch all nodes together: redis+cluster://HOST:PORT</source>
        <translation>
            <numerusform>%n 个锁已随其槽迁到集群的另一节点，本节点不再知道它们的情况%1。要一并观察所有节点：redis+cluster://HOST:PORT</numerusform>
        </translation>
    </message>
    <message>
        <source>On a cluster, only waiters that the lock itself lists are known</source>
        <translation>集群上只知道锁自己列出的等待者</translation>
    </message>
    <message>
        <source>This user may not ask which sessions wait for which, so blocked sessions are not known</source>
        <translation>此用户无权查询哪些会话在等待哪些会话，因此不知道被阻塞的会话</translation>
    </message>
    <message>
        <source>No more than %1 sessions are read at a time: there may be more locks and waiters</source>
        <translation>一次最多读取 %1 个会话：可能还有更多的锁和等待者</translation>
    </message>
    <message>
        <source>Name the locks to watch, separated by commas (match): memcached lists its keys only by a walk through all items, which you can allow (list=metadump)</source>
        <translation>请指名要监视的锁，以逗号分隔（match）：memcached 只有遍历全部数据项才能列出键，你可以允许它这样做（list=metadump）</translation>
    </message>
    <message>
        <source>New locks are found by a search through all keys, which takes up to %1 here: a lock that is held for less may be missed</source>
        <translation>新锁靠遍历所有键来发现，在此最多需要 %1：持有时间更短的锁可能会漏掉</translation>
    </message>
    <message>
        <source>Locks are found by a list of all keys, now and then (metadump): a new lock that is held only between two lists is missed</source>
        <translation>每隔一段时间列出全部键来寻找锁（metadump）：只在两次列出之间被持有的新锁会被漏掉</translation>
    </message>
    <message>
        <source>This server's clock has whole seconds: a lock ends up to one second before it is shown to</source>
        <translation>此服务器的时钟以整秒计：锁最多会比所显示的时刻早一秒结束</translation>
    </message>
    <message>
        <source>This server does not list its keys, so only locks that you name (match) are watched. %1</source>
        <translation>这台服务器不列出它的键，因此只监视你指名的锁（match）。%1</translation>
    </message>
    <message>
        <source>More than %1 tables have “lock” in their names: the others were not looked at%2. Name a table in the address (table=…)</source>
        <translation>名称含 “lock” 的表超过 %1 个：其余未查看%2。请在地址中指定表（table=…）</translation>
    </message>
    <message>
        <source>More than %1 keys may be locks by their size: the others were not read. Name locks by patterns (match)</source>
        <translation>按大小可能是锁的键超过 %1 个：其余的没有读取。请用模式写明锁的名称（match）</translation>
    </message>
    <message>
        <source>When its memory is full, this server drops keys, locks among them (maxmemory-policy %1)</source>
        <translation>内存满时，这台服务器会丢弃键，锁也不例外（maxmemory-policy %1）</translation>
    </message>
    <message numerus="yes">
        <source>told of changes of %n keys</source>
        <translation>
            <numerusform>有变化时由服务器告知的键：%n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>other keys are polled: no more than %1 are followed, to spare the server's memory</source>
        <translation>其余的键靠轮询：为节省服务器内存，最多跟踪 %1 个</translation>
    </message>
    <message>
        <source>other keys are polled: the server forgets which ones to tell of beyond %1 (tracking-table-max-keys)</source>
        <translation>其余的键靠轮询：超过 %1 个时服务器会忘记该告知哪些键（tracking-table-max-keys）</translation>
    </message>
    <message>
        <source>polling: the server does not allow CLIENT TRACKING</source>
        <translation>轮询：服务器不允许 CLIENT TRACKING</translation>
    </message>
    <message>
        <source>This server has %1 connections: they are not listed, to spare it, so the addresses of holders are not known</source>
        <translation>该服务器有 %1 个连接：为减轻其负担而未列出，因此不知道持有者的地址</translation>
    </message>
    <message>
        <source>This user may not list the connections (CLIENT LIST), so the addresses of holders are not known</source>
        <translation>该用户无权列出连接（CLIENT LIST），因此不知道持有者的地址</translation>
    </message>
    <message numerus="yes">
        <source>%n connection(s) wait at a list (BLPOP), as waiters of python-redis-lock do: the server does not tell for which lock, if for any%1</source>
        <translation>
            <numerusform>%n 个连接在列表上等待（BLPOP），python-redis-lock 的等待者就是这样：服务器不说明在等哪把锁，也可能不是在等锁%1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n connection(s) are subscribed to patterns, as waiters of Spring Integration are, and monitors: the server does not tell for which lock, if for any%1</source>
        <translation>
            <numerusform>%n 个连接订阅了模式，Spring Integration 的等待者和监控程序都是这样：服务器不说明在等哪把锁，也可能不是在等锁%1</numerusform>
        </translation>
    </message>
    <message>
        <source>The table or column that the address names is not there, or this user may not see it: %1</source>
        <translation>地址中指定的表或列不存在，或该用户无权查看：%1</translation>
    </message>
    <message>
        <source>The node that the address names is not there. Locks below it show once it is made.</source>
        <translation>地址所指的节点不存在。它建立之后，其下的锁就会显示。</translation>
    </message>
    <message>
        <source>Keys that were not looked at, because this server would keep them for longer: %1</source>
        <translation>没有查看的键（查看会使服务器更久地保留它们）：%1</translation>
    </message>
</context>
<context>
    <name>Watcher</name>
    <message>
        <source>%1 · not connected</source>
        <translation>%1 · 未连接</translation>
    </message>
    <message>
        <source>%1 · connecting</source>
        <translation>%1 · 正在连接</translation>
    </message>
    <message>
        <source>%1 · connected</source>
        <translation>%1 · 已连接</translation>
    </message>
    <message>
        <source>%1 · %2 of %3 servers answer, still a majority</source>
        <extracomment>%1 is the addresses of an ensemble's servers, %2 how many of them answer, %3 how many there are.
----------
%1 is the addresses of a Redlock's servers, %2 how many of them answer, %3 how many there are.</extracomment>
        <translation>%1 · %3 台服务器中有 %2 台应答，仍构成多数</translation>
    </message>
    <message>
        <source>“%1” cannot be freed from here: its layout (%2) does not tell this hold from a later one.</source>
        <translation>无法从这里释放“%1”：它的格式（%2）分不清这次持有与之后的持有。</translation>
    </message>
    <message>
        <source>A lock table of your own is named by table= and name=, the column with the locks' names; owner= and until= are further columns.</source>
        <translation>自定义锁表用 table= 和 name=（锁名所在的列）指定；owner= 和 until= 是另外的列。</translation>
    </message>
    <message numerus="yes">
        <source>%n key(s) cannot be read before the move of their slot ends: %1</source>
        <translation>
            <numerusform>有 %n 个键在其槽迁移结束之前无法读取：%1</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 has no master at present; the sentinels are asked again.</source>
        <translation>%1 目前没有主节点；正在再次询问哨兵。</translation>
    </message>
    <message>
        <source>%1 has no master with slots.</source>
        <translation>%1 没有拥有槽的主节点。</translation>
    </message>
    <message>
        <source>%1 calls itself a replica, and no other master of %2 is named.</source>
        <translation>%1 自称是副本，而 %2 没有其他主节点。</translation>
    </message>
    <message>
        <source>%1 · %2 of %3 masters answer: %4</source>
        <translation>%1 · %3 个主节点中有 %2 个应答：%4</translation>
    </message>
    <message>
        <source>Only %1 of the %2 servers of this Redlock can be read, and it takes %3 to know who holds a lock: %4</source>
        <translation>这个 Redlock 的 %2 台服务器中只有 %1 台可读，需要 %3 台才知道谁持有锁：%4</translation>
    </message>
    <message>
        <source>The hold was taken from every server that can be read; those that cannot may still have a majority of it.</source>
        <translation>已从所有读得到的服务器上撤掉这次持有；读不到的服务器上可能仍有它的多数。</translation>
    </message>
</context>
<context>
    <name>ZooKeeper</name>
    <message>
        <source>The connection to %1 broke before it answered “%2”; whether that was done is not known.</source>
        <translation>到 %1 的连接在它应答“%2”之前断开；是否已执行，不得而知。</translation>
    </message>
    <message>
        <source>There is no node “%1” on %2.</source>
        <translation>%2 上没有节点“%1”。</translation>
    </message>
    <message>
        <source>There is a node “%1” on %2 already.</source>
        <translation>%2 上已有节点“%1”。</translation>
    </message>
    <message>
        <source>The node “%1” on %2 has children.</source>
        <translation>%2 上的节点“%1”有子节点。</translation>
    </message>
    <message>
        <source>Somebody else changed the node “%1” on %2.</source>
        <translation>别人改动了 %2 上的节点“%1”。</translation>
    </message>
    <message>
        <source>The access list of “%1” on %2 does not allow “%3”. Check user and password in the URL, or ask the node's owner.</source>
        <translation>%2 上“%1”的访问列表不允许“%3”。请检查 URL 中的用户和密码，或询问节点的所有者。</translation>
    </message>
    <message>
        <source>A node above “%1” on %2 is ephemeral and can not have children. Use another name.</source>
        <translation>%2 上“%1”的上级节点是临时节点，不能有子节点。请换一个名称。</translation>
    </message>
    <message>
        <source>%1 refused “%2” of “%3”: bad arguments.</source>
        <translation>%1 拒绝了对“%3”的“%2”：参数错误。</translation>
    </message>
    <message>
        <source>%1 refused the access list for “%2”. Check the login in the URL.</source>
        <translation>%1 拒绝了“%2”的访问列表。请检查 URL 中的登录信息。</translation>
    </message>
    <message>
        <source>%1 does not have this kind of node. Use a newer server, or switch its extended types on.</source>
        <translation>%1 没有这种节点。请使用更新的服务器，或打开它的扩展类型。</translation>
    </message>
    <message>
        <source>%1 refused “%2” of “%3”: ZooKeeper's error %4.</source>
        <translation>%1 拒绝对“%3”执行“%2”：ZooKeeper 错误 %4。</translation>
    </message>
    <message>
        <source>No ZooKeeper server at %1 gives a session. Check that they run, are reachable and have a quorum.</source>
        <translation>%1 的 ZooKeeper 服务器都没有给出会话。请检查它们是否在运行、可达并有多数派。</translation>
    </message>
    <message>
        <source>The host name “%1” is not known. Check the URL and the network.</source>
        <translation>未知主机名“%1”。请检查 URL 和网络。</translation>
    </message>
    <message>
        <source>The session with %1 ended before it answered; its ephemeral nodes are gone with it.</source>
        <translation>与 %1 的会话在它应答之前结束；它的临时节点也随之消失。</translation>
    </message>
    <message>
        <source>What answers at %1 does not speak ZooKeeper's protocol. Check host and port.</source>
        <translation>%1 处的应答不是 ZooKeeper 协议。请检查主机和端口。</translation>
    </message>
    <message>
        <source>%1 refused the login. Check user and password in the URL.</source>
        <translation>%1 拒绝了登录。请检查 URL 中的用户和密码。</translation>
    </message>
    <message>
        <source>The connection to %1 was closed here.</source>
        <translation>到 %1 的连接在本端被关闭。</translation>
    </message>
    <message>
        <source>“%1” is no path of a node: it has to begin with a slash and have no empty, “.” or “..” parts.</source>
        <translation>“%1”不是节点的路径：必须以斜杠开头，且没有空的、“.”或“..”部分。</translation>
    </message>
</context>
<context>
    <name>cli</name>
    <message>
        <source>Database</source>
        <translation>数据库</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>Redisson's reentrant lock, also -fair, -fenced, -rw, -fastmulti, -permit, -semaphore, -latch</source>
        <translation>Redisson 的可重入锁，另有 -fair、-fenced、-rw、-fastmulti、-permit、-semaphore、-latch</translation>
    </message>
    <message>
        <source>SET NX with Lockscope's own value</source>
        <translation>带 Lockscope 自己的值的 SET NX</translation>
    </message>
    <message>
        <source>SET NX with redis-py's value</source>
        <translation>带 redis-py 值的 SET NX</translation>
    </message>
    <message>
        <source>SET NX with node-redlock's value</source>
        <translation>带 node-redlock 值的 SET NX</translation>
    </message>
    <message>
        <source>SET NX with redsync's value</source>
        <translation>带 redsync 值的 SET NX</translation>
    </message>
    <message>
        <source>SET NX with redlock-cpp's value</source>
        <translation>带 redlock-cpp 值的 SET NX</translation>
    </message>
    <message>
        <source>SET NX with RedLock.net's value and name</source>
        <translation>带 RedLock.net 的值和名称的 SET NX</translation>
    </message>
    <message>
        <source>SET NX with the value of either of these, which look alike</source>
        <translation>带这两者之一的值的 SET NX，二者看上去一样</translation>
    </message>
    <message>
        <source>SET NX with redislock's value</source>
        <translation>带 redislock 值的 SET NX</translation>
    </message>
    <message>
        <source>SET NX with what may be redislock's value and metadata, under a name that locks have</source>
        <translation>SET NX，值可能是 redislock 的值和元数据，且名称像锁</translation>
    </message>
    <message>
        <source>SET NX with a UUID under a name of parts: by Spring, redlock-rb or anybody</source>
        <translation>分段名称下带 UUID 的 SET NX：出自 Spring、redlock-rb 或其他程序</translation>
    </message>
    <message>
        <source>SET NX with a UUID: by redlock-rb or anybody</source>
        <translation>带 UUID 的 SET NX：出自 redlock-rb 或其他程序</translation>
    </message>
    <message>
        <source>SET NX with python-redis-lock's value</source>
        <translation>带 python-redis-lock 值的 SET NX</translation>
    </message>
    <message>
        <source>the mutex and the semaphore of npm's redis-semaphore</source>
        <translation>npm 的 redis-semaphore 的互斥锁和信号量</translation>
    </message>
    <message>
        <source>ShedLock's job locks</source>
        <translation>ShedLock 的任务锁</translation>
    </message>
    <message>
        <source>SETNX with its own end as its value, under a name that locks have</source>
        <translation>以自身到期时间为值的 SETNX，名字像锁</translation>
    </message>
    <message>
        <source>another string under a name that locks have, such as lock:*</source>
        <translation>名字像锁（如 lock:*）的其他字符串</translation>
    </message>
    <message>
        <source>Curator's locks, also -rw, -semaphore, -latch</source>
        <translation>Curator 的锁，还有 -rw、-semaphore、-latch</translation>
    </message>
    <message>
        <source>kazoo's lock, also -rw, -semaphore, -lease</source>
        <translation>kazoo 的锁，还有 -rw、-semaphore、-lease</translation>
    </message>
    <message>
        <source>go-zookeeper's lock</source>
        <translation>go-zookeeper 的锁</translation>
    </message>
    <message>
        <source>Menagerie's locks, also -rw</source>
        <translation>Menagerie 的锁，另有 -rw</translation>
    </message>
    <message>
        <source>nodes of several libraries at one path</source>
        <translation>同一路径下多个库的节点</translation>
    </message>
    <message>
        <source>another queue of ephemeral sequential nodes: a guess</source>
        <translation>其他由临时顺序节点组成的队列：猜测</translation>
    </message>
    <message>
        <source>ZooKeeper's own recipes, also zk-page</source>
        <translation>ZooKeeper 自带的锁算法，还有 zk-page</translation>
    </message>
    <message>
        <source>one ephemeral node: by several libraries, or anybody</source>
        <translation>一个临时节点：来自多种库，或任何人</translation>
    </message>
    <message>
        <source>the mutex of etcd's client and of etcdctl</source>
        <translation>etcd 客户端和 etcdctl 的互斥锁</translation>
    </message>
    <message>
        <source>an election of etcd's client</source>
        <translation>etcd 客户端的选举</translation>
    </message>
    <message>
        <source>the read/write lock of etcd's client</source>
        <translation>etcd 客户端的读写锁</translation>
    </message>
    <message>
        <source>Laravel's table cache_locks</source>
        <translation>Laravel 的 cache_locks 表</translation>
    </message>
    <message>
        <source>Spring Integration's table INT_LOCK; ?match=REGION:name shows a name for its key</source>
        <translation>Spring Integration 的表 INT_LOCK；?match=REGION:name 可为其键显示名称</translation>
    </message>
    <message>
        <source>Liquibase's table DATABASECHANGELOGLOCK</source>
        <translation>Liquibase 的 DATABASECHANGELOGLOCK 表</translation>
    </message>
    <message>
        <source>ShedLock's table</source>
        <translation>ShedLock 的表</translation>
    </message>
    <message>
        <source>Quartz' table QRTZ_LOCKS, whose rows its schedulers lock</source>
        <translation>Quartz 的表 QRTZ_LOCKS，由调度器锁定其中的行</translation>
    </message>
    <message>
        <source>a Quartz scheduler's instance, held until the others count it as gone</source>
        <translation>Quartz 调度器的一个实例，在其他实例认定它已消失之前一直持有</translation>
    </message>
    <message>
        <source>a table of your own, named by ?table=…&amp;name=COLUMN</source>
        <translation>自定义的表，用 ?table=…&amp;name=列名 指定</translation>
    </message>
    <message>
        <source>Lockscope's own table, also sql-row</source>
        <translation>Lockscope 自己的表，另有 sql-row</translation>
    </message>
    <message>
        <source>PostgreSQL's advisory locks, and what sessions wait for: pg-row, -table, -transaction</source>
        <translation>PostgreSQL 的咨询锁，以及会话在等的对象：pg-row、-table、-transaction</translation>
    </message>
    <message>
        <source>named locks of GET_LOCK()</source>
        <translation>GET_LOCK() 的命名锁</translation>
    </message>
    <message>
        <source>rows that sessions wait for, also innodb-transaction: rows that one has locked</source>
        <translation>会话等待的行，另有 innodb-transaction：某事务锁住的行</translation>
    </message>
    <message>
        <source>tables that sessions wait for, also mariadb-lock-tables: those of LOCK TABLES</source>
        <translation>会话等待的表，另有 mariadb-lock-tables：由 LOCK TABLES 锁住的表</translation>
    </message>
    <message>
        <source>Lockscope's own value, also memcached-add</source>
        <translation>Lockscope 自己的值，还有 memcached-add</translation>
    </message>
    <message>
        <source>another value under a name that was asked for</source>
        <translation>所问名字下的其他值</translation>
    </message>
    <message>
        <source>a recording, as simulate --record writes it; a SQLite database</source>
        <translation>录制文件，由 simulate --record 写出；是 SQLite 数据库</translation>
    </message>
    <message>
        <source>the timeline as a picture</source>
        <translation>时间线的图片</translation>
    </message>
    <message>
        <source>the timeline as a smaller picture</source>
        <translation>时间线，较小的图片</translation>
    </message>
    <message>
        <source>the timeline as a drawing</source>
        <translation>时间线的矢量图</translation>
    </message>
    <message>
        <source>one page for others: picture, verdict and facts, as PDF or PNG</source>
        <translation>给他人看的一页：图、裁决与事实，PDF 或 PNG</translation>
    </message>
    <message>
        <source>a scenario that repeats what happened, for the simulator</source>
        <translation>重演所发生之事的场景，供模拟器使用</translation>
    </message>
    <message>
        <source>all events as a table</source>
        <translation>所有事件的表格</translation>
    </message>
    <message>
        <source>all events, one JSON object a line</source>
        <translation>所有事件，每行一个 JSON 对象</translation>
    </message>
    <message>
        <source>a trace for ui.perfetto.dev</source>
        <translation>供 ui.perfetto.dev 使用的追踪文件</translation>
    </message>
    <message>
        <source>a history for Jepsen and Knossos, in EDN</source>
        <translation>供 Jepsen 和 Knossos 使用的 EDN 历史</translation>
    </message>
    <message>
        <source>play a scenario in virtual time and judge it</source>
        <translation>在虚拟时间中播放场景并裁决</translation>
    </message>
    <message>
        <source>play scenarios with every recipe, and compare what held and what it cost</source>
        <translation>用每种算法运行各个场景，比较哪些不变量成立、代价如何</translation>
    </message>
    <message>
        <source>run a command while holding a lock on a real server</source>
        <translation>持有真实服务器上的锁时运行一条命令</translation>
    </message>
    <message>
        <source>locks on running servers; without --once, a line per change</source>
        <translation>正在运行的服务器上的锁；不带 --once 时，每次变化一行</translation>
    </message>
    <message>
        <source>the engines of a manager's locks: which is in use, and change it</source>
        <translation>锁管理器的引擎：查看正在使用哪个，并更换它</translation>
    </message>
    <message>
        <source>judge a recording</source>
        <translation>裁决一份录制</translation>
    </message>
    <message>
        <source>turn a recording into a picture, a scenario that repeats it, a table or a history</source>
        <translation>把录制变成图片、重演它的场景、表格或历史</translation>
    </message>
    <message>
        <source>what changed between two instants of a recording</source>
        <translation>一份录制的两个时刻之间有什么变化</translation>
    </message>
    <message>
        <source>what there is</source>
        <translation>列出有什么</translation>
    </message>
    <message>
        <source>kept by its session</source>
        <translation>由其会话保持</translation>
    </message>
    <message>
        <source>kept by its transaction</source>
        <translation>由其事务保持</translation>
    </message>
    <message>
        <source>kept by its session or transaction</source>
        <translation>由其会话或事务保持</translation>
    </message>
    <message>
        <source>--%1 “%2” should be a time of at least %3 with its unit, such as 5s, 250ms or 1.5h</source>
        <translation>--%1“%2”应为至少 %3 且带单位的时间，如 5s、250ms 或 1.5h</translation>
    </message>
    <message>
        <source>the recording was changed after it was made: its digest is not that of its events</source>
        <translation>录制文件做成后被改动过：摘要与其事件不符</translation>
    </message>
    <message>
        <source>the digest covers the recording's events, but not its scenario, its recipe and the bound that it is judged by: it was made by an older version</source>
        <translation>摘要涵盖录制中的事件，但不涵盖其场景、算法和评判所用的界限：它由较旧的版本生成</translation>
    </message>
    <message>
        <source>FILE</source>
        <translation>文件</translation>
    </message>
    <message>
        <source> · the recording ended early</source>
        <translation> · 录制提前结束</translation>
    </message>
    <message>
        <source>%1; acquisitions are not recorded by watching</source>
        <translation>%1；监视不记录获取次数</translation>
    </message>
    <message>
        <source>“lock” also takes redis+sentinel://, redis+cluster://, redlock://, zookeeper://, mysql://, postgresql://, sqlite:///FILE, memcached:// and etcd://, each with a recipe from “lockscope list recipes”. --shared holds it as a reader, beside other readers; writers of the same lock name the recipe for both: redis-rw or zk-rw, and on PostgreSQL readers, too, name sql-advisory. --permits N makes it a semaphore of N permits in all and takes one (as --recipe redis-semaphore). --wait bounds the connecting, too, which has a second at least. --id is a name for others to see; two runs of one name exclude each other all the same. COMMAND sees LOCKSCOPE_LOCK and, where the recipe gives one, LOCKSCOPE_TOKEN.</source>
        <translation>“lock”还接受 redis+sentinel://、redis+cluster://、redlock://、zookeeper://、mysql://、postgresql://、sqlite:///文件、memcached:// 和 etcd://，各用“lockscope list recipes”列出的算法。--shared 以读者身份持有，可与其他读者并存；同一把锁的写者须指明读写兼用的算法：redis-rw 或 zk-rw；在 PostgreSQL 上读者也须指明 sql-advisory。--permits N 使其成为共 N 个许可的信号量并取一个（如同 --recipe redis-semaphore）。--wait 也限制连接所用的时间（连接至少有一秒）。--id 是供他人看到的名字；同名的两次运行仍彼此互斥。命令可见 LOCKSCOPE_LOCK，以及算法给出令牌时的 LOCKSCOPE_TOKEN。</translation>
    </message>
    <message>
        <source>Each line of “compare” is one recipe under one scenario, over all seeds (1..100 if you name none): “violated” when an invariant was, “stalled” when the lock was not granted any more, “recovered” when for more than a second nobody could get it, else “safe”. Recipes may end in *, such as zk-*. Waits and costs in the tables of markdown and html are those of the scenario “contention”. The status is 0 when all cells came out as their scenarios expect, 1 when one did not, 4 when a scenario expects nothing.</source>
        <translation>“compare”的每一行是一种算法在一个场景下、所有种子（不指定时为 1..100）的结果：违反了不变量为“violated”，锁不再授予为“stalled”，超过一秒没有人能得到锁为“recovered”，否则为“safe”。算法名可以用 * 结尾，例如 zk-*。markdown 和 html 表格中的等待与代价取自场景“contention”。全部符合场景的预期时退出状态为 0，有一个不符为 1，场景没有给出预期为 4。</translation>
    </message>
    <message>
        <source>A manager's CONFIG is a JSON file that names up to three engines for a namespace of locks: servers, and a recipe for each. “check” tells its mistakes and asks all its servers; “status” says which engine is in use, and how each server does; “switch” and “fail-back” change the engine for all processes, and show how far they have come; “watch” has a line for every change. ENGINE is a number, “primary”, or a part of its address. --immediate ends the holders at once where they could finish; “lock --manager” takes a lock on the engine in use, and its --recipe and --lease stand in CONFIG.</source>
        <translation>管理器的 CONFIG 是一个 JSON 文件，为一组锁（命名空间）指定至多三个引擎：服务器，以及各自的算法。“check”指出其中的错误并询问所有服务器；“status”说明正在使用哪个引擎、各服务器状况如何；“switch”和“fail-back”为所有进程更换引擎，并显示进度；“watch”对每次变化输出一行。ENGINE 是编号、“primary”，或其地址的一部分。--immediate 让本可完成工作的持有者立即结束；“lock --manager”在正在使用的引擎上取锁，算法和租约由 CONFIG 决定。</translation>
    </message>
    <message>
        <source>A URL may have options, such as redis://host?timeout=500ms&amp;connect=2s: how long one answer may take (not with ZooKeeper), and how long connecting may (not with SQLite), each from 10ms to 1h. redlock:// takes node=50ms, from 1ms to 1m, the wait for each server; redis+sentinel:// takes sentinel-user= and sentinel-password= where the sentinels have a login of their own.</source>
        <translation>URL 可以带选项，例如 redis://host?timeout=500ms&amp;connect=2s：一次应答最多多久（ZooKeeper 没有）、建立连接最多多久（SQLite 没有），各从 10ms 到 1h。redlock:// 接受 node=50ms，从 1ms 到 1m，即等待每台服务器的时间；哨兵有自己的登录时，redis+sentinel:// 接受 sentinel-user= 和 sentinel-password=。</translation>
    </message>
    <message>
        <source>zookeeper:// has options, for example ?session=10s&amp;layout=kazoo&amp;acl=open: how long a silent holder keeps its locks; whose locks see zk-mutex and zk-rw, kazoo's or Curator's (curator, the default); whether others may do nothing (creator), look (read) or do everything (open) with our nodes.</source>
        <translation>zookeeper:// 有选项，例如 ?session=10s&amp;layout=kazoo&amp;acl=open：失联的持有者保留锁多久；哪种客户端能看到 zk-mutex 和 zk-rw，是 kazoo 的还是 Curator 的（curator，默认）；别人对我们的节点什么都不能做（creator）、只能读（read），还是都能做（open）。</translation>
    </message>
    <message>
        <source>An oscilloscope for distributed locks.</source>
        <translation>分布式锁的示波器。</translation>
    </message>
    <message>
        <source>open the window, with a recording, or with servers side by side, if you like</source>
        <translation>打开窗口，可以带一个录制文件，或并排打开多台服务器</translation>
    </message>
    <message>
        <source>SCENARIO is a file, a name from “lockscope list scenarios”, or a run that was copied as text (lockscope:…; quote it). URL is redis://[user:password@]host:port[/db] or rediss:// for TLS. Times have a unit: 250ms, 5s, 2m.</source>
        <translation>SCENARIO 是文件、“lockscope list scenarios”中的名字，或复制为文字的运行（lockscope:…，请加引号）。URL 是 redis://[用户:密码@]主机:端口[/库]，TLS 用 rediss://。时间要带单位：250ms、5s、2m。</translation>
    </message>
    <message>
        <source>Exit status: 0 fine, 1 an invariant was violated, 2 usage or bad input, 3 server unreachable, 4 verdict unknown; “lock” passes its command's status through, or 123 lock lost, 124 not acquired in time, 125 failed, 126/127 command cannot run / not found.</source>
        <translation>退出状态：0 正常，1 违反了不变量，2 用法或输入有误，3 服务器不可达，4 裁决未知；“lock”透传其命令的状态，或 123 锁丢失，124 未按时获得，125 失败，126/127 命令无法运行／找不到。</translation>
    </message>
    <message>
        <source>“%1” is neither a command, a file nor a URL%2</source>
        <translation>“%1”既不是命令，也不是文件或 URL%2</translation>
    </message>
    <message>
        <source>“%1” does not exist yet in this version; “lockscope --help” tells what does</source>
        <translation>本版本还没有“%1”；“lockscope --help”列出已有的</translation>
    </message>
    <message>
        <source>a word is not UTF-8; names, files and addresses are</source>
        <translation>有一个词不是 UTF-8；名称、文件和地址都应是 UTF-8</translation>
    </message>
    <message>
        <source>the simulator has no recipe “%1”%2</source>
        <translation>模拟器没有算法“%1”%2</translation>
    </message>
    <message>
        <source>give --json or --to, not both</source>
        <translation>--json 与 --to 只能给一个</translation>
    </message>
    <message>
        <source>there is no format “%1”%2</source>
        <translation>没有格式“%1”%2</translation>
    </message>
    <message>
        <source>--seeds may be %1 at most</source>
        <translation>--seeds 最多 %1 个</translation>
    </message>
    <message>
        <source>none of these scenarios can run with any of these recipes</source>
        <translation>这些场景都不能用这些算法运行</translation>
    </message>
    <message>
        <source>%1 with %2 is not as expected: %3</source>
        <translation>场景 %1、算法 %2 与预期不符：%3</translation>
    </message>
    <message>
        <source>safe</source>
        <translation>安全</translation>
    </message>
    <message>
        <source>recovered</source>
        <translation>已恢复</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>STALLED</source>
        <translation>停滞</translation>
    </message>
    <message>
        <source>VIOLATED</source>
        <translation>被违反</translation>
    </message>
    <message>
        <source>after %1</source>
        <translation>%1 之后</translation>
    </message>
    <message>
        <source>a waiter starved</source>
        <translation>有等待者饿死</translation>
    </message>
    <message>
        <source>stalled</source>
        <translation>停滞</translation>
    </message>
    <message>
        <source>What held and what broke</source>
        <translation>哪些成立，哪些被破坏</translation>
    </message>
    <message>
        <source>✓ no invariant violated · ↻ nobody got the lock for more than a second, then it was granted again · ■ not granted any more, or not to a waiter that others passed · ✗ violated · — the recipe cannot run it · ⚠ not as the scenario expects</source>
        <translation>✓ 没有违反不变量 · ↻ 超过一秒没有人得到锁，随后又能授予 · ■ 不再授予，或总被别人抢先的等待者得不到 · ✗ 违反 · — 该算法不能运行该场景 · ⚠ 与场景的预期不符</translation>
    </message>
    <message>
        <source>Scenario</source>
        <translation>场景</translation>
    </message>
    <message>
        <source>What each recipe cost and kept</source>
        <translation>每种算法的代价与保证</translation>
    </message>
    <message>
        <source>Waits and requests: of the scenario “%1”. The other columns count scenarios.</source>
        <translation>等待与请求取自场景“%1”，其余各列是场景数。</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>算法</translation>
    </message>
    <message>
        <source>Backend</source>
        <translation>后端</translation>
    </message>
    <message>
        <source>Wait, median</source>
        <translation>等待，中位数</translation>
    </message>
    <message>
        <source>Wait, 99 of 100</source>
        <translation>等待，第 99 百分位</translation>
    </message>
    <message>
        <source>Requests per acquisition</source>
        <translation>每次获得锁的请求数</translation>
    </message>
    <message>
        <source>Safe</source>
        <translation>安全</translation>
    </message>
    <message>
        <source>Recovered</source>
        <translation>已恢复</translation>
    </message>
    <message>
        <source>Stalled</source>
        <translation>停滞</translation>
    </message>
    <message>
        <source>Violated</source>
        <translation>违反</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Which servers for a lock</source>
        <translation>用哪种服务器来加锁</translation>
    </message>
    <message>
        <source>From the least to the most of the recipes on such servers, without those that exist to be seen failing. Waits and requests: of the scenario “%1”. Safety counts runs of a recipe in a scenario.</source>
        <translation>各行是这类服务器上各种算法从最小到最大的值，不含为展示失败而设的算法。等待与请求取自场景“%1”。安全一项按“一种算法在一个场景中”计数。</translation>
    </message>
    <message>
        <source>Understanding, implementation: steps of the algorithm</source>
        <translation>理解与实现：算法的步骤数</translation>
    </message>
    <message>
        <source>Performance: requests per acquisition</source>
        <translation>性能：每次获得锁的请求数</translation>
    </message>
    <message>
        <source>Performance: wait, median</source>
        <translation>性能：等待的中位数</translation>
    </message>
    <message>
        <source>Performance: wait, 99 of 100</source>
        <translation>性能：100 次中 99 次的等待</translation>
    </message>
    <message>
        <source>Safety: nothing violated but progress</source>
        <translation>安全：除进展外无一违反</translation>
    </message>
    <message>
        <source>Safety: and granted again to the end</source>
        <translation>安全：并且直到最后都能再次授予</translation>
    </message>
    <message>
        <source>not all could be judged: %1</source>
        <comment>a reason</comment>
        <translation>有些无法判定：%1</translation>
    </message>
    <message>
        <source>granted again after %1</source>
        <translation>%1 后重新授予</translation>
    </message>
    <message>
        <source>waits %1 (median), %2 (99th percentile)</source>
        <extracomment>How long clients waited for the lock.</extracomment>
        <translation>等待 %1（中位数），%2（99 百分位）</translation>
    </message>
    <message>
        <source>nothing was expected</source>
        <translation>没有预期</translation>
    </message>
    <message>
        <source>NOT AS EXPECTED</source>
        <translation>与预期不符</translation>
    </message>
    <message>
        <source>%1 of %2 cells are as expected; %3 runs</source>
        <translation>%2 个格子中 %1 个符合预期；共运行 %3 次</translation>
    </message>
    <message>
        <source>Locks compared</source>
        <translation>锁的比较</translation>
    </message>
    <message>
        <source>--%1 is missing: an instant such as 90s, or 03:12 where the recording has a clock</source>
        <translation>缺少 --%1：一个时刻，例如 90s；录制带有时钟时也可写 03:12</translation>
    </message>
    <message>
        <source>--to must be later than --from</source>
        <translation>--to 必须晚于 --from</translation>
    </message>
    <message numerus="yes">
        <source>from %1 to %2: %n change(s)</source>
        <translation>
            <numerusform>从 %1 到 %2：%n 处变化</numerusform>
        </translation>
    </message>
    <message>
        <source>the output cannot be written: %1</source>
        <translation>无法写出输出：%1</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>--until must be later than --from</source>
        <translation>--until 必须晚于 --from</translation>
    </message>
    <message>
        <source>--from: nothing was recorded after that; the recording ends after %1</source>
        <translation>--from：此后没有录制任何内容；录制在 %1 后结束</translation>
    </message>
    <message>
        <source>--to is missing: %1</source>
        <translation>缺少 --to：%1</translation>
    </message>
    <message>
        <source>OUT is the recording itself, and would be lost: name another file</source>
        <translation>OUT 就是录制文件本身，会被覆盖丢失：请换一个文件名</translation>
    </message>
    <message>
        <source>--%1: only a picture or a scenario shows a part of the run</source>
        <translation>--%1：只有图片或场景能只取运行的一部分</translation>
    </message>
    <message>
        <source>--%1: this recording has no clock: give the time since its beginning, such as 90s</source>
        <translation>--%1：这份录制没有时钟：请给出从开头算起的时间，例如 90s</translation>
    </message>
    <message>
        <source>--%1: “%2” is no time of day such as 03:12 or 03:12:30</source>
        <translation>--%1：“%2”不是 03:12 或 03:12:30 这样的时刻</translation>
    </message>
    <message>
        <source>--%1: the recording begins after that, at %2</source>
        <translation>--%1：录制在此之后才开始，即 %2</translation>
    </message>
    <message>
        <source>--%1: the recording ends before that, after %2</source>
        <translation>--%1：录制在此之前就结束了，共 %2</translation>
    </message>
    <message>
        <source>holds</source>
        <translation>成立</translation>
    </message>
    <message numerus="yes">
        <source>… and %n more</source>
        <translation>
            <numerusform>……还有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>SEEN</source>
        <translation>出现</translation>
    </message>
    <message numerus="yes">
        <source>%n event(s), digest %1</source>
        <translation>
            <numerusform>%n 个事件，摘要 %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n acquisition(s), %1</source>
        <extracomment>%1: "1273 events, digest 0acc…"</extracomment>
        <translation>
            <numerusform>%n 次获得锁，%1</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 is passed over, because “%2” is the name of a built-in one: give the file another name</source>
        <translation>跳过了 %1：“%2”是内置文件的名字，请给这个文件另取一个名字</translation>
    </message>
    <message>
        <source>your own: %1</source>
        <translation>自编：%1</translation>
    </message>
    <message>
        <source>%1 (source: %2)</source>
        <extracomment>A scenario's title, and the report that tells of it.</extracomment>
        <translation>%1（出处：%2）</translation>
    </message>
    <message>
        <source> (unsafe: exists to be seen failing, in the simulator only)</source>
        <translation>（不安全：仅用于在模拟器中观察其失败）</translation>
    </message>
    <message>
        <source> (unsafe: exists to be seen failing)</source>
        <translation>（不安全：为演示失败而存在）</translation>
    </message>
    <message>
        <source>scenarios, lessons, recipes or formats</source>
        <translation>scenarios、lessons、recipes 或 formats</translation>
    </message>
    <message>
        <source>there is no list of “%1”%2</source>
        <translation>没有“%1”的列表%2</translation>
    </message>
    <message>
        <source>the picture could not be written: %1</source>
        <translation>无法写入图片：%1</translation>
    </message>
    <message>
        <source>the drawing could not be written: %1</source>
        <translation>无法写入矢量图：%1</translation>
    </message>
    <message>
        <source>simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>a program that uses the library</source>
        <translation>使用本库的程序</translation>
    </message>
    <message>
        <source>What was seen</source>
        <translation>所见</translation>
    </message>
    <message>
        <source>Origin</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>%1, seed %2</source>
        <translation>%1，种子 %2</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>已隐去</translation>
    </message>
    <message>
        <source>as recorded</source>
        <translation>与录制时相同</translation>
    </message>
    <message>
        <source>Digest of the events</source>
        <translation>事件摘要值</translation>
    </message>
    <message>
        <source>Made by</source>
        <translation>制作</translation>
    </message>
    <message>
        <source>the page could not be written: %1</source>
        <translation>这一页无法写入：%1</translation>
    </message>
    <message>
        <source>give --seed or --seeds, not both</source>
        <translation>--seed 和 --seeds 只能给一个</translation>
    </message>
    <message>
        <source>--seed “%1” should be a whole number from 0 on</source>
        <translation>--seed“%1”应为不小于 0 的整数</translation>
    </message>
    <message>
        <source>--seeds “%1” should be two whole numbers, the smaller first, such as 1..1000</source>
        <translation>--seeds“%1”应为两个整数，小的在前，如 1..1000</translation>
    </message>
    <message>
        <source>this run was shared from version %1; here, in version %2, it may take another course</source>
        <translation>这次运行来自版本 %1；在这里的版本 %2 中，经过可能不同</translation>
    </message>
    <message>
        <source>--recipe is empty: name one of “lockscope list recipes”, or leave the option out</source>
        <translation>--recipe 为空：请写出 “lockscope list recipes” 中的一个算法，或省略此选项</translation>
    </message>
    <message>
        <source>%1 of virtual time: about %2 million events, all kept in memory. Ctrl+C ends it; --until makes it shorter.</source>
        <translation>虚拟时间 %1：大约 %2 百万个事件，全部保存在内存中。按 Ctrl+C 结束；用 --until 可以缩短。</translation>
    </message>
    <message>
        <source>%1 with %2, seed %3, %4 of virtual time</source>
        <translation>%1，算法 %2，种子 %3，虚拟时间 %4</translation>
    </message>
    <message>
        <source>seed %1: %2</source>
        <translation>种子 %1：%2</translation>
    </message>
    <message>
        <source>violates %1</source>
        <translation>违反 %1</translation>
    </message>
    <message>
        <source>%1 runs, %2 violated; the first is seed %3</source>
        <translation>%1 次运行，%2 次违反；第一个是种子 %3</translation>
    </message>
    <message>
        <source>%1 runs, none violated</source>
        <translation>%1 次运行，无一违反</translation>
    </message>
    <message>
        <source>%1; %2 unknown</source>
        <comment>runs of a simulation</comment>
        <translation>%1；%2 个未知</translation>
    </message>
    <message>
        <source>%1; a waiter starves in %2</source>
        <extracomment>%1 a sentence on some runs of a simulation, %2 in how many of them a waiter starved.</extracomment>
        <translation>%1；其中 %2 次有等待者饿死</translation>
    </message>
    <message>
        <source>--record takes one run: give --seed instead of --seeds</source>
        <translation>--record 只录一次运行：请用 --seed 代替 --seeds</translation>
    </message>
    <message>
        <source>--record: that is the scenario itself, and would be lost: name another file</source>
        <translation>--record：这就是场景文件本身，会被覆盖丢失：请换一个文件名</translation>
    </message>
    <message>
        <source>usage: %1</source>
        <translation>用法：%1</translation>
    </message>
    <message>
        <source>--shared and --permits exclude each other: one is of read/write locks, one of semaphores</source>
        <translation>--shared 和 --permits 互斥：一个用于读写锁，一个用于信号量</translation>
    </message>
    <message>
        <source>--permits wants a whole number from 1, not “%1”</source>
        <translation>--permits 需要从 1 起的整数，而不是“%1”</translation>
    </message>
    <message>
        <source>%1 is a semaphore: give --permits N, how many permits there are in all</source>
        <translation>%1 是信号量：请用 --permits N 给出许可总数</translation>
    </message>
    <message>
        <source>readers on PostgreSQL need --recipe sql-advisory, and so do the writers of the same lock: the usual recipe for those, sql-lease, does not see them</source>
        <translation>PostgreSQL 上的读者需要 --recipe sql-advisory，同一把锁的写者也一样：写者通常用的 sql-lease 看不到他们</translation>
    </message>
    <message>
        <source>--%1 cannot stand beside --manager: all processes take that from the configuration</source>
        <translation>--%1 不能与 --manager 同时使用：所有进程都从配置中取得它</translation>
    </message>
    <message>
        <source>--manager needs the file of a configuration</source>
        <translation>--manager 需要一个配置文件</translation>
    </message>
    <message>
        <source>--namespace goes with --manager CONFIG</source>
        <translation>--namespace 要与 --manager CONFIG 一起使用</translation>
    </message>
    <message>
        <source>the command to run is missing; it stands behind “--”</source>
        <translation>缺少要运行的命令；它写在“--”之后</translation>
    </message>
    <message>
        <source>the lock needs a name</source>
        <translation>锁需要一个名字</translation>
    </message>
    <message>
        <source>what to do (check, status, switch, fail-back or watch)</source>
        <translation>要做的事（check、status、switch、fail-back 或 watch）</translation>
    </message>
    <message>
        <source>there is no “manager … %1”%2</source>
        <translation>没有“manager … %1”%2</translation>
    </message>
    <message>
        <source>--immediate and --drain go with switch and fail-back</source>
        <translation>--immediate 和 --drain 要与 switch 或 fail-back 一起使用</translation>
    </message>
    <message>
        <source>--immediate and --drain exclude each other</source>
        <translation>--immediate 与 --drain 互斥</translation>
    </message>
    <message>
        <source>there is no engine “%1”; there are %2</source>
        <translation>没有引擎“%1”；现有 %2</translation>
    </message>
    <message>
        <source>“%1” may be several engines: %2</source>
        <translation>“%1”可能指多个引擎：%2</translation>
    </message>
    <message>
        <source>the configuration cannot be read: %1</source>
        <translation>无法读取配置：%1</translation>
    </message>
    <message>
        <source>there is no namespace “%1”%2</source>
        <translation>没有命名空间“%1”%2</translation>
    </message>
    <message>
        <source>the configuration has several namespaces: say which, %1</source>
        <translation>配置中有多个命名空间：请指明是 %1</translation>
    </message>
    <message>
        <source> or </source>
        <translation> 或 </translation>
    </message>
    <message>
        <source>primary</source>
        <translation>主引擎</translation>
    </message>
    <message>
        <source>fallback %1</source>
        <translation>备用引擎 %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>no process has begun yet; the first one takes %1</source>
        <translation>还没有进程开始；首个进程将使用 %1</translation>
    </message>
    <message>
        <source> since %1</source>
        <translation>（自 %1 起）</translation>
    </message>
    <message>
        <source>%1 is in use%2, epoch %3</source>
        <translation>正在使用 %1%2，纪元 %3</translation>
    </message>
    <message>
        <source>a switch to %1 is proposed, epoch %2, and not decided yet</source>
        <translation>已提议切换到 %1，纪元 %2，尚未商定</translation>
    </message>
    <message>
        <source>switching to %1, epoch %2</source>
        <translation>正在切换到 %1，纪元 %2</translation>
    </message>
    <message>
        <source>switching from %1 to %2, epoch %3</source>
        <translation>正在从 %1 切换到 %2，纪元 %3</translation>
    </message>
    <message>
        <source>; nothing is granted until about %1</source>
        <translation>；大约到 %1 为止不授予任何锁</translation>
    </message>
    <message>
        <source>does not answer: %1</source>
        <translation>没有应答：%1</translation>
    </message>
    <message>
        <source>has no record</source>
        <translation>没有记录</translation>
    </message>
    <message>
        <source>epoch %1, settled: %2</source>
        <translation>纪元 %1，已落定：%2</translation>
    </message>
    <message>
        <source>epoch %1, not settled: %2</source>
        <translation>纪元 %1，未落定：%2</translation>
    </message>
    <message>
        <source>healthy</source>
        <translation>健康</translation>
    </message>
    <message>
        <source>%1 (not in this configuration)</source>
        <translation>%1（不在此配置中）</translation>
    </message>
    <message>
        <source>too few servers answer for the record of the engine in use: %1 of %2, and %3 are needed</source>
        <translation>保存引擎记录的服务器中应答的太少：%2 台中有 %1 台，需要 %3 台</translation>
    </message>
    <message>
        <source>record</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>%1 of %2 copies of the record agree; %3 are needed to read it, %4 to switch</source>
        <translation>%2 份记录中有 %1 份一致；读取需要 %3 份，切换需要 %4 份</translation>
    </message>
    <message>
        <source>a switch drains: nothing is granted for %1</source>
        <translation>切换时先排空：%1 内不授予任何锁</translation>
    </message>
    <message>
        <source>a switch is immediate: nothing is granted for %1</source>
        <translation>立即切换：%1 内不授予任何锁</translation>
    </message>
    <message>
        <source>answers</source>
        <translation>应答</translation>
    </message>
    <message>
        <source>a switch needs all servers that keep the record; with three of them, one may be away: name witnesses</source>
        <translation>切换需要所有保存记录的服务器；有三台时可以缺一台：请增加见证者</translation>
    </message>
    <message>
        <source>found</source>
        <translation>已有</translation>
    </message>
    <message>
        <source>switch begun</source>
        <translation>开始切换</translation>
    </message>
    <message>
        <source>drained</source>
        <translation>已排空</translation>
    </message>
    <message>
        <source>every holder on the engine that is left has ended or has lost its lock; its leases are waited for</source>
        <translation>原引擎上的持有者都已结束或失去了锁；正在等待其租约</translation>
    </message>
    <message>
        <source>settled</source>
        <translation>已落定</translation>
    </message>
    <message>
        <source>unhealthy</source>
        <translation>不健康</translation>
    </message>
    <message>
        <source>unreadable</source>
        <translation>不可读</translation>
    </message>
    <message>
        <source>readable</source>
        <translation>可读</translation>
    </message>
    <message>
        <source>Password of %1 (%2): </source>
        <translation>%1 的密码（%2）：</translation>
    </message>
    <message>
        <source>“%1” does not say which kind of server it is; write redis://%1</source>
        <translation>“%1”没有说明服务器的类型；请写 redis://%1</translation>
    </message>
    <message>
        <source>--%1 bounds a recording: it needs --record FILE</source>
        <translation>--%1 用于限制录制的大小：需要 --record FILE</translation>
    </message>
    <message>
        <source>--max-bytes: “%1” is no size such as 200M; 1M at least</source>
        <translation>--max-bytes：“%1”不是 200M 这样的大小；至少 1M</translation>
    </message>
    <message>
        <source>--match: name a lock or a pattern, or leave it out to watch every lock</source>
        <translation>--match：请写锁名或模式；要监视所有锁，就去掉它</translation>
    </message>
    <message>
        <source>--record needs a watch that goes on: leave --once out</source>
        <translation>--record 需要持续的监视：请去掉 --once</translation>
    </message>
    <message>
        <source>--fail needs an --alert to fail for</source>
        <translation>--fail 需要一个 --alert 作为失败的依据</translation>
    </message>
    <message>
        <source>--metrics needs a watch that goes on: leave --once out</source>
        <translation>--metrics 需要持续的监视：请去掉 --once</translation>
    </message>
    <message>
        <source>metrics at http://%1:%2/metrics</source>
        <translation>指标在 http://%1:%2/metrics</translation>
    </message>
    <message>
        <source>held</source>
        <translation>被持有</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>有人排队</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>never expires</source>
        <translation>永不过期</translation>
    </message>
    <message>
        <source>(%1 s left)</source>
        <translation>（剩余 %1 秒）</translation>
    </message>
    <message>
        <source>up to %1, names not read</source>
        <extracomment>Follows "by". A number of holders of which nobody knows the names.</extracomment>
        <translation>至多 %1 个，未读其名</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>等，另有 %1 个</translation>
    </message>
    <message>
        <source>its end has passed</source>
        <translation>已过截止时间</translation>
    </message>
    <message>
        <source>%1 left</source>
        <extracomment>How much of a lease is left, from an hour on: "8 h 12 m".</extracomment>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>%1 s left</source>
        <translation>剩余 %1 s</translation>
    </message>
    <message>
        <source>end unknown</source>
        <translation>何时到期未知</translation>
    </message>
    <message>
        <source>%1 to read</source>
        <extracomment>A client that waits for a lock, to hold it beside other readers, or alone.</extracomment>
        <translation>%1 要读</translation>
    </message>
    <message>
        <source>%1 to write</source>
        <translation>%1 要写</translation>
    </message>
    <message>
        <source>waiters unknown</source>
        <translation>等待者未知</translation>
    </message>
    <message>
        <source>no waiter known</source>
        <translation>未知有等待者</translation>
    </message>
    <message numerus="yes">
        <source>%n subscribed to its release</source>
        <translation>
            <numerusform>%n 个客户端订阅了它的释放</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n waiting</source>
        <translation>
            <numerusform>%n 个在等</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n dead in the queue</source>
        <translation>
            <numerusform>队列中有 %n 个已死</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 permits free</source>
        <translation>%2 个许可中有 %1 个空闲</translation>
    </message>
    <message numerus="yes">
        <source>%n permit(s) free</source>
        <translation>
            <numerusform>空闲 %n 个许可</numerusform>
        </translation>
    </message>
    <message>
        <source>by %1</source>
        <translation>由 %1 持有</translation>
    </message>
    <message>
        <source>free, as only a minority of the servers has a holder</source>
        <translation>空闲：只有少数服务器上有持有者</translation>
    </message>
    <message>
        <source>held shared</source>
        <translation>被共享持有</translation>
    </message>
    <message>
        <source>copies: %1</source>
        <translation>副本：%1</translation>
    </message>
    <message>
        <source>token %1</source>
        <translation>令牌 %1</translation>
    </message>
    <message>
        <source>held twice: these libraries do not see each other's nodes</source>
        <translation>被同时持有两次：这些库互相看不到对方的节点</translation>
    </message>
    <message>
        <source>only a guess: perhaps no lock</source>
        <translation>仅为猜测：可能不是锁</translation>
    </message>
    <message>
        <source>likely a lock</source>
        <translation>很可能是锁</translation>
    </message>
    <message>
        <source>was held by %1</source>
        <translation>曾由 %1 持有</translation>
    </message>
    <message>
        <source>held by %1</source>
        <translation>由 %1 持有</translation>
    </message>
    <message>
        <source>renewed every %1 until now</source>
        <extracomment>How often a holder renewed its lock: "every 2.4 s", or "every 1.2 s to 2.4 s".</extracomment>
        <translation>此前每 %1 续期一次</translation>
    </message>
    <message>
        <source>renewed every %1 to %2 until now</source>
        <translation>此前每 %1 到 %2 续期一次</translation>
    </message>
    <message>
        <source>its client has no connection to the server any more</source>
        <translation>它的客户端与服务器已没有连接</translation>
    </message>
    <message>
        <source>its client is still connected: it stands still, or its watchdog has stopped</source>
        <translation>它的客户端仍连着服务器：要么停住了，要么看门狗停了</translation>
    </message>
    <message>
        <source>taken</source>
        <translation>取得</translation>
    </message>
    <message>
        <source>renewed</source>
        <translation>已续期</translation>
    </message>
    <message>
        <source>shortened</source>
        <translation>缩短</translation>
    </message>
    <message>
        <source>re-entered</source>
        <translation>重入</translation>
    </message>
    <message>
        <source>held less</source>
        <translation>少持一次</translation>
    </message>
    <message>
        <source>changed hands</source>
        <translation>易手</translation>
    </message>
    <message>
        <source>joined</source>
        <translation>加入</translation>
    </message>
    <message>
        <source>left</source>
        <translation>离开</translation>
    </message>
    <message>
        <source>expired</source>
        <translation>已到期</translation>
    </message>
    <message>
        <source>released or deleted</source>
        <translation>已释放或被删除</translation>
    </message>
    <message>
        <source>forced</source>
        <translation>强制释放</translation>
    </message>
    <message>
        <source>renewal missed</source>
        <translation>错过续期</translation>
    </message>
    <message>
        <source>renewals stopped</source>
        <translation>续期停止</translation>
    </message>
    <message>
        <source>may exist twice</source>
        <translation>可能有两份</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>丢失</translation>
    </message>
    <message>
        <source>no longer waited for: such locks show only while somebody waits</source>
        <translation>不再有等待者：这类锁只有在有人等待时才看得到</translation>
    </message>
    <message>
        <source>queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>gone</source>
        <translation>消失</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>%1 in the place of %2</source>
        <extracomment>Two addresses: a server that has become the master, and the one whose place it has taken.</extracomment>
        <translation>%1 取代了 %2</translation>
    </message>
    <message>
        <source>started %1</source>
        <translation>启动 %1</translation>
    </message>
    <message>
        <source>run id %1…</source>
        <translation>run id %1…</translation>
    </message>
    <message>
        <source> (%1)</source>
        <extracomment>" (127.0.0.1:7001, run id 3c1f0a52…)"</extracomment>
        <translation>（%1）</translation>
    </message>
    <message>
        <source>server restarted</source>
        <translation>服务器已重启</translation>
    </message>
    <message>
        <source>server failed over</source>
        <translation>服务器已故障转移</translation>
    </message>
    <message>
        <source>another database took the place of this one (SWAPDB)</source>
        <translation>另一个数据库换到了这个数据库的位置（SWAPDB）</translation>
    </message>
    <message>
        <source>server emptied: its keys were thrown away</source>
        <translation>服务器已被清空：它的键全部被删除</translation>
    </message>
    <message>
        <source>%1 does not answer any more</source>
        <extracomment>Each %1 is the address of a member of an ensemble of servers.</extracomment>
        <translation>%1 不再应答</translation>
    </message>
    <message>
        <source>%1 answers again</source>
        <translation>%1 又有应答了</translation>
    </message>
    <message>
        <source>slots %1 went from %2 to %3</source>
        <extracomment>Of a cluster: %1 are numbers of slots such as "448 5461-5470", %2 and %3 addresses of servers.</extracomment>
        <translation>槽 %1 从 %2 迁到了 %3</translation>
    </message>
    <message>
        <source>%1 leads now</source>
        <translation>%1 成为领导者</translation>
    </message>
    <message numerus="yes">
        <source>%1 key(s) looked at</source>
        <translation>
            <numerusform>已查看 %1 个键</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %2 key(s) looked at</source>
        <translation>
            <numerusform>已查看 %2 个键中的 %1 个</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 commands in %2 s: %3 a second, at most %4 % of the server's time</source>
        <translation>%2 秒内 %1 条命令：每秒 %3 条，最多占用服务器 %4 % 的时间</translation>
    </message>
    <message>
        <source>there is no option %1%2</source>
        <translation>没有选项 %1%2</translation>
    </message>
    <message>
        <source>--%1 is given twice</source>
        <translation>--%1 给了两次</translation>
    </message>
    <message>
        <source>--%1 takes no value</source>
        <translation>--%1 不带值</translation>
    </message>
    <message>
        <source>--%1 needs a value</source>
        <translation>--%1 需要一个值</translation>
    </message>
    <message>
        <source>%1 is missing</source>
        <translation>缺少 %1</translation>
    </message>
    <message>
        <source>%1 is empty</source>
        <translation>%1 为空</translation>
    </message>
    <message>
        <source>there is more than %1; what has a space in it needs quotes</source>
        <translation>除 %1 之外还有多余的内容；含空格的内容需要加引号</translation>
    </message>
    <message>
        <source>“%1” is one word too many</source>
        <translation>多了一个词“%1”</translation>
    </message>
    <message>
        <source>the configuration is right, and all its servers answer</source>
        <translation>配置正确，所有服务器都有应答</translation>
    </message>
    <message>
        <source>the configuration is right, but not all its servers answer</source>
        <translation>配置正确，但并非所有服务器都有应答</translation>
    </message>
    <message>
        <source>the lock “%1” was not free within the wait</source>
        <translation>锁“%1”在等待时间内没有空闲</translation>
    </message>
    <message>
        <source>the lock “%1” may be lost soon: %2</source>
        <translation>锁“%1”可能很快会丢失：%2</translation>
    </message>
    <message>
        <source>the command has ended, but the lock was lost while it ran: %1</source>
        <translation>命令已结束，但运行期间丢了锁：%1</translation>
    </message>
    <message>
        <source>the lock could not be given back; it is free when its lease or session ends: %1</source>
        <translation>无法归还锁；它的租约或会话结束时会被释放：%1</translation>
    </message>
    <message>
        <source>nothing renewed it while this process was stopped</source>
        <translation>本进程被停住期间没有续期</translation>
    </message>
    <message>
        <source>the lock “%1” is lost: %2</source>
        <translation>锁“%1”已丢失：%2</translation>
    </message>
    <message>
        <source>ending the command</source>
        <translation>正在结束命令</translation>
    </message>
    <message>
        <source>the lock “%1” is not given back, as the server has not answered; it is free when its lease or session ends</source>
        <translation>锁“%1”未能归还，因为服务器没有应答；其租约或会话结束后才会释放</translation>
    </message>
    <message>
        <source>no engine of “%1” was found in use within %2: too few of the servers that keep its record answer</source>
        <translation>%2 内没有找到“%1”正在使用的引擎：保存其记录的服务器中应答的太少</translation>
    </message>
    <message>
        <source>--metrics “%1” should be a port, or an address and a port: 9187, 0.0.0.0:9187, [::1]:9187</source>
        <translation>--metrics “%1”应当是一个端口，或地址加端口：9187、0.0.0.0:9187、[::1]:9187</translation>
    </message>
    <message>
        <source>%1 is in use already; nothing is changed</source>
        <translation>已经在使用 %1；没有改变任何东西</translation>
    </message>
    <message>
        <source>too few servers answer that keep the record: %1 of %2, and a switch needs %3</source>
        <translation>保存记录的服务器中应答的太少：%2 台中有 %1 台，切换需要 %3 台</translation>
    </message>
    <message>
        <source>%1 does not answer, so nobody could lock there: %2</source>
        <translation>%1 没有应答，谁也无法在那里加锁：%2</translation>
    </message>
    <message>
        <source>switching to %1</source>
        <translation>切换到 %1</translation>
    </message>
    <message>
        <source>switching from %1 to %2</source>
        <translation>从 %1 切换到 %2</translation>
    </message>
    <message>
        <source>holders may finish within %1</source>
        <translation>持有者可以在 %1 内完成</translation>
    </message>
    <message>
        <source>holders are told to stop at once</source>
        <translation>持有者会被要求立即停止</translation>
    </message>
    <message>
        <source>%1: %2; %3; nothing is granted for %4</source>
        <translation>%1：%2；%3；%4 内不授予任何锁</translation>
    </message>
    <message>
        <source>, because a process that cannot be told lets its holders finish</source>
        <translation>，因为无法通知到的进程会让其持有者完成</translation>
    </message>
    <message>
        <source>%1 is in use</source>
        <translation>正在使用 %1</translation>
    </message>
    <message>
        <source>%1: another switch came first: %2 is in use</source>
        <translation>%1：另一次切换先完成：正在使用 %2</translation>
    </message>
    <message>
        <source>%1: the switch is decided, but is not through yet; see “lockscope manager … status”</source>
        <translation>%1：切换已商定，但尚未完成；请看“lockscope manager … status”</translation>
    </message>
    <message>
        <source>%1: the switch is decided and goes on: every process of the namespace completes it, and the next one that starts</source>
        <translation>%1：切换已商定并会继续：该命名空间的每个进程，以及下一个启动的进程，都会完成它</translation>
    </message>
    <message>
        <source>the recipe “%1” is unsafe: it exists to be seen failing</source>
        <translation>算法“%1”不安全：它为演示失败而存在</translation>
    </message>
    <message>
        <source>%1 could not be reached within %2. Check that it runs there, address, port and firewall.</source>
        <translation>在 %2 内无法连上 %1。请检查它是否在那里运行，以及地址、端口和防火墙。</translation>
    </message>
    <message>
        <source>Local times, %1</source>
        <extracomment>A heading above lines that begin with a time. %1 is a zone: "UTC+1".</extracomment>
        <translation>本地时间，%1</translation>
    </message>
    <message>
        <source>nobody can be answered at %1, port %2: it is in use, or not this machine's</source>
        <translation>无法在 %1 的端口 %2 上应答：它已被占用，或不是本机的地址</translation>
    </message>
    <message>
        <source>a part of %1 could not be read: there may be other locks</source>
        <translation>%1 的一部分无法读取：可能还有其他锁</translation>
    </message>
    <message>
        <source>%1 has more keys than one look goes through: there may be other locks</source>
        <translation>%1 的键多于一次查看所能遍历的数量：可能还有其他锁</translation>
    </message>
    <message>
        <source>no lock that matches on %1 now</source>
        <translation>%1 上现在没有匹配的锁</translation>
    </message>
    <message>
        <source>no lock on %1 now</source>
        <translation>%1 上现在没有锁</translation>
    </message>
    <message>
        <source>ALERT</source>
        <translation>告警</translation>
    </message>
    <message>
        <source>alert over</source>
        <translation>告警解除</translation>
    </message>
    <message numerus="yes">
        <source>%1: the first look goes on, for %2 by now; %n command(s) were sent</source>
        <translation>
            <numerusform>%1：第一次查看仍在进行，已有 %2；已发出 %n 条命令</numerusform>
        </translation>
    </message>
    <message>
        <source>not looked at for %1: a look costs this server much, so the next one is due in %2</source>
        <extracomment>%1 and %2 are lengths of time.</extracomment>
        <translation>已有 %1 未查看：查看一次对此服务器开销很大，下一次在 %2 后</translation>
    </message>
    <message>
        <source>not looked at for %1: the look that goes on takes long</source>
        <extracomment>%1 is a length of time.</extracomment>
        <translation>已有 %1 未查看：正在进行的查看耗时很长</translation>
    </message>
    <message>
        <source>looked at again after %1</source>
        <translation>隔了 %1 后再次查看</translation>
    </message>
    <message>
        <source>what came and went meanwhile was not seen</source>
        <translation>其间出现又消失的未被看到</translation>
    </message>
    <message>
        <source>%1 has not answered for %2</source>
        <translation>%1 已有 %2 没有应答</translation>
    </message>
</context>
<context>
    <name>lesson</name>
    <message>
        <source>at least %1</source>
        <extracomment>How often something must have been done: "Settings changed: at least 1".</extracomment>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>至多 %1</translation>
    </message>
    <message>
        <source>none</source>
        <extracomment>How often something may have been done: "Servers killed: none".</extracomment>
        <translation>无</translation>
    </message>
    <message>
        <source>exactly %1</source>
        <translation>正好 %1</translation>
    </message>
    <message>
        <source>lease</source>
        <translation>租约</translation>
    </message>
    <message>
        <source>Changes of the setting “%1”</source>
        <translation>对设置“%1”的改动</translation>
    </message>
    <message>
        <source>Changes of other settings than “%1”</source>
        <translation>对“%1”以外的设置的改动</translation>
    </message>
    <message>
        <source>Clients paused</source>
        <translation>暂停客户端</translation>
    </message>
    <message>
        <source>Clients killed</source>
        <translation>杀死客户端</translation>
    </message>
    <message>
        <source>Servers killed</source>
        <translation>杀死服务器</translation>
    </message>
    <message>
        <source>Clocks moved</source>
        <translation>拨动时钟</translation>
    </message>
    <message>
        <source>Settings changed</source>
        <translation>改设置</translation>
    </message>
    <message>
        <source>Changes to another engine</source>
        <translation>切换引擎</translation>
    </message>
    <message>
        <source>“%1” done by hand</source>
        <translation>手动做“%1”</translation>
    </message>
    <message>
        <source>Things done to clients</source>
        <translation>对客户端动手</translation>
    </message>
    <message>
        <source>Things done to servers</source>
        <translation>对服务器动手</translation>
    </message>
    <message>
        <source>Things done by hand</source>
        <translation>手动操作</translation>
    </message>
    <message>
        <source>Nobody has got the lock for %1</source>
        <translation>%1 内没有人拿到锁</translation>
    </message>
    <message>
        <source>Locks granted after %1: %2</source>
        <translation>%1 之后授予锁：%2</translation>
    </message>
    <message>
        <source>Locks granted: %1</source>
        <translation>授予锁：%1</translation>
    </message>
    <message>
        <source>A replica has become the master, %1 ago or more</source>
        <translation>副本已当上主节点，过去至少 %1</translation>
    </message>
    <message>
        <source>No client has lost the lock</source>
        <translation>没有客户端失去锁</translation>
    </message>
    <message>
        <source>A client has been paused</source>
        <translation>有客户端被暂停过</translation>
    </message>
    <message>
        <source>A client has died</source>
        <translation>有客户端死了</translation>
    </message>
    <message>
        <source>Messages to waiters: %1</source>
        <translation>发给等待者的消息：%1</translation>
    </message>
    <message>
        <source>Writes accepted: %1</source>
        <translation>接受的写入：%1</translation>
    </message>
    <message>
        <source>Events of the kind “%1”: %2</source>
        <translation>“%1”类事件：%2</translation>
    </message>
    <message>
        <source>Two clients believe at once that they hold the lock</source>
        <translation>两个客户端同时以为持有锁</translation>
    </message>
    <message>
        <source>Never do two clients believe at once that they hold the lock</source>
        <translation>任何时候都没有两个客户端同时以为持有锁</translation>
    </message>
    <message>
        <source>A write of an old holder has been accepted</source>
        <translation>旧持有者的写入被接受了</translation>
    </message>
    <message>
        <source>No write of an old holder has been accepted</source>
        <translation>没有接受过旧持有者的写入</translation>
    </message>
    <message>
        <source>A client has given back the lock of another</source>
        <translation>有客户端释放了别人的锁</translation>
    </message>
    <message>
        <source>No client has given back the lock of another</source>
        <translation>没有客户端释放过别人的锁</translation>
    </message>
    <message>
        <source>Clients wait for each other in a circle</source>
        <translation>客户端绕成一圈互相等</translation>
    </message>
    <message>
        <source>No clients wait for each other in a circle</source>
        <translation>没有客户端绕成一圈互相等</translation>
    </message>
    <message>
        <source>A violation of %1</source>
        <translation>%1被违反</translation>
    </message>
    <message>
        <source>No violation of %1</source>
        <translation>%1没有被违反</translation>
    </message>
    <message>
        <source>Record and belief agree again within %1</source>
        <translation>记录与信念在 %1 内重新一致</translation>
    </message>
    <message>
        <source>Record and belief disagree for %1</source>
        <translation>记录和信念有 %1 对不上</translation>
    </message>
    <message>
        <source>A holder is suspended for %1, and goes on</source>
        <translation>持有者挂起 %1，之后继续</translation>
    </message>
    <message>
        <source>The run has come to %1</source>
        <translation>运行到了 %1</translation>
    </message>
    <message>
        <source>Requests for each grant: %1</source>
        <translation>每次授予的请求数：%1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 (now %2)</source>
        <extracomment>A part of a task that does not hold yet: %1 in words, %2 how much it is now.</extracomment>
        <translation>%1（现在 %2）</translation>
    </message>
    <message>
        <source>there is no scenario “%1”%2</source>
        <translation>没有场景“%1”%2</translation>
    </message>
    <message>
        <source>“%1” is taken; give the moment another name</source>
        <translation>“%1”已被占用；请给这个时刻换个名字</translation>
    </message>
    <message>
        <source>“%1” must be an earlier moment</source>
        <translation>“%1”必须是更早的时刻</translation>
    </message>
    <message>
        <source>the lesson has no scene “%1”</source>
        <translation>这一课没有场次“%1”</translation>
    </message>
    <message>
        <source>there is neither a built-in lesson nor a file of this name%1</source>
        <translation>既没有这个名字的内置课程，也没有这样的文件%1</translation>
    </message>
    <message>
        <source>the file cannot be read: %1</source>
        <translation>无法读取文件：%1</translation>
    </message>
    <message>
        <source>%1 is %2</source>
        <translation>%1 是 %2</translation>
    </message>
    <message>
        <source>there is no kind of row “%1”%2</source>
        <translation>没有“%1”这种记录%2</translation>
    </message>
    <message>
        <source>“%1” is no instant</source>
        <translation>“%1”不是一个时刻</translation>
    </message>
    <message>
        <source>there is no action “%1”</source>
        <translation>没有“%1”这个动作</translation>
    </message>
    <message>
        <source>“%1” is compared with %2</source>
        <translation>“%1”应与%2比较</translation>
    </message>
    <message>
        <source>a client, several, or "nobody"</source>
        <translation>一个客户端、几个客户端或 "nobody"</translation>
    </message>
    <message>
        <source>a time such as "5s", or "never"</source>
        <translation>时间，例如 "5s"，或 "never"</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>a condition has one test: “is”, “is_not”, “at_least”, “at_most” or “includes”</source>
        <translation>一个条件只有一种比较：“is”、“is_not”、“at_least”、“at_most”或“includes”</translation>
    </message>
    <message>
        <source>this needs two instants</source>
        <translation>这里需要两个时刻</translation>
    </message>
    <message>
        <source>in the scene “%1” the moment “%2” does not happen</source>
        <translation>场次“%1”中没有出现时刻“%2”</translation>
    </message>
    <message>
        <source>moment</source>
        <translation>时刻</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名字</translation>
    </message>
    <message>
        <source>client</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>the scene defines no %1 “%2”%3</source>
        <translation>这个场次没有定义%1“%2”%3</translation>
    </message>
    <message>
        <source>nobody</source>
        <extracomment>Between names of clients: "A, B".</extracomment>
        <translation>无人</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>never</source>
        <translation>永不</translation>
    </message>
    <message>
        <source>violated</source>
        <translation>被违反</translation>
    </message>
    <message>
        <source>not violated</source>
        <translation>未被违反</translation>
    </message>
    <message>
        <source>step %1: %2</source>
        <translation>第 %1 步：%2</translation>
    </message>
    <message>
        <source>it ends before it begins</source>
        <translation>还没开始就结束了</translation>
    </message>
    <message>
        <source>it ends where the step before it ends: let it end later, or join the two</source>
        <translation>它与上一步同时结束：让它晚些结束，或把两步合并</translation>
    </message>
    <message>
        <source>it ends after its run</source>
        <translation>结束得比运行还晚</translation>
    </message>
    <message>
        <source>a claim is false: %1</source>
        <translation>论断不成立：%1</translation>
    </message>
    <message>
        <source>its answer is told in the next step, and there is none: add one</source>
        <translation>答案在下一步讲，而后面没有步骤了：请添加一步</translation>
    </message>
    <message>
        <source>not exactly one answer is right: %1</source>
        <translation>正确答案不是恰好一个：%1</translation>
    </message>
    <message>
        <source>a name is not filled in: %1</source>
        <translation>有名字没有填上：%1</translation>
    </message>
    <message>
        <source>this text is longer than %1 characters: %2</source>
        <translation>这段文字超过 %1 个字符：%2</translation>
    </message>
    <message>
        <source>this text has more than %1 sentences: %2</source>
        <translation>这段文字超过 %1 句：%2</translation>
    </message>
</context>
<context>
    <name>lockscope::app::AlertNotifier</name>
    <message>
        <source>Also %1</source>
        <extracomment>In a message on the desktop, below the worst alert: %1 the other ones, such as "renewal late: orders".</extracomment>
        <translation>另有：%1</translation>
    </message>
    <message numerus="yes">
        <source>%1, and %n more alert(s)</source>
        <translation>
            <numerusform>%1，另有 %n 条告警</numerusform>
        </translation>
    </message>
    <message>
        <source>Lockscope watches for alerts</source>
        <translation>Lockscope 正在留意告警</translation>
    </message>
</context>
<context>
    <name>lockscope::app::BackgroundKeeper</name>
    <message>
        <source>Open it</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>&amp;Keep the last hour of watched servers</source>
        <translation>保留所监视服务器的最近一小时(&amp;K)</translation>
    </message>
    <message>
        <source>On disk, 200 MB at most, until the session is closed; and for 14 days how long each lock is usually held</source>
        <translation>存在磁盘上，最多 200 MB，直到会话关闭；另外保存每把锁 14 天内通常持有多久</translation>
    </message>
    <message>
        <source>Save the last &amp;hour…</source>
        <translation>保存最近一小时(&amp;H)…</translation>
    </message>
    <message>
        <source>The last hour is not kept on disk: %1</source>
        <translation>最近一小时没有保存在磁盘上：%1</translation>
    </message>
    <message>
        <source>Lockscope ended unexpectedly while it watched servers. What it saw last is kept.</source>
        <translation>Lockscope 在监视服务器时意外结束。最后所见已保留。</translation>
    </message>
    <message>
        <source>Save the last hour</source>
        <translation>保存最近一小时</translation>
    </message>
    <message>
        <source>Recordings (*.lockscope)</source>
        <translation>录制 (*.lockscope)</translation>
    </message>
    <message>
        <source>Saved %1. It has the last %2 only: what came before is no longer kept.</source>
        <translation>已保存 %1。其中只有最近 %2：更早的内容已不再保留。</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>已保存 %1。</translation>
    </message>
</context>
<context>
    <name>lockscope::app::CompareDesk</name>
    <message>
        <source>Session</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Compare side &amp;by side…</source>
        <translation>并排比较(&amp;B)…</translation>
    </message>
    <message>
        <source>This run beside one that differs in one setting: fencing, watchdog, another recipe</source>
        <translation>把这次运行与只差一个设置的运行放在一起：栅栏、看门狗、另一种锁算法</translation>
    </message>
    <message>
        <source>Only simulations can be compared: they run again with one thing changed.</source>
        <translation>只有模拟可以比较：改一处，再运行一次。</translation>
    </message>
    <message>
        <source>Bet first: side by side would show how this run ends.</source>
        <translation>请先押注：并排比较会显示这次运行的结局。</translation>
    </message>
</context>
<context>
    <name>lockscope::app::DesktopMessages</name>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
</context>
<context>
    <name>lockscope::app::EditorDesk</name>
    <message>
        <source>Lockscope ended before what you wrote was saved. It is kept in the editor.</source>
        <translation>Lockscope 在您写的内容保存之前就结束了。内容仍保留在编辑器中。</translation>
    </message>
    <message>
        <source>Session</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Scenario &amp;editor…</source>
        <translation>场景编辑器(&amp;E)…</translation>
    </message>
    <message>
        <source>Servers, locks, clients, programs and faults of a scenario of your own</source>
        <translation>编写自己的场景：服务器、锁、客户端、程序和故障</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Lesson &amp;editor…</source>
        <translation>课程编辑器(&amp;E)…</translation>
    </message>
    <message>
        <source>Record my &amp;hands</source>
        <translation>录下我的操作(&amp;H)</translation>
    </message>
    <message>
        <source>Add a &amp;note to the recording…</source>
        <translation>给录制加一条说明(&amp;N)…</translation>
    </message>
    <message>
        <source>Recording your hands: faults, settings, stops, speeds and notes become steps. %1 ends it.</source>
        <extracomment>%1 keys.</extracomment>
        <translation>正在录下你的操作：故障、设置、停顿、速度和说明都会变成步骤。按 %1 结束。</translation>
    </message>
    <message>
        <source>Stopped. Your recording is kept: %1 makes its lesson.</source>
        <translation>已停止。录制内容保留着：按 %1 即可生成课程。</translation>
    </message>
    <message>
        <source>The recording of your hands ended without a lesson: another session was opened.</source>
        <translation>操作录制已结束，没有生成课程：打开了另一个会话。</translation>
    </message>
    <message>
        <source>Another session was opened, so the recording of your hands has ended. Its lesson waits for the editor.</source>
        <translation>已打开另一个会话，操作录制到此结束。录好的课程等编辑器有空时打开。</translation>
    </message>
    <message>
        <source>Another session was opened, so the recording of your hands has ended. Its lesson is in the editor.</source>
        <translation>打开了另一个会话，操作录制已结束。录成的课程在编辑器里。</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>To be said at this instant:</source>
        <translation>这一刻要说的话：</translation>
    </message>
    <message>
        <source>Stop making the &amp;lesson</source>
        <translation>停止生成课程(&amp;L)</translation>
    </message>
    <message>
        <source>Open the recorded &amp;lesson</source>
        <translation>打开录好的课程(&amp;L)</translation>
    </message>
    <message>
        <source>End the recording of my &amp;hands</source>
        <translation>结束录制操作(&amp;H)</translation>
    </message>
    <message>
        <source>The recording is kept, and its lesson can be made later</source>
        <translation>录制内容会保留，课程可以稍后生成</translation>
    </message>
    <message>
        <source>Open the recorded lesson (%1)</source>
        <translation>打开录好的课程（%1）</translation>
    </message>
    <message>
        <source>What you do with the run becomes the steps of a lesson</source>
        <translation>你对运行所做的操作会变成课程的步骤</translation>
    </message>
    <message>
        <source>your lesson is being made: %1 %</source>
        <translation>正在生成课程：%1 %</translation>
    </message>
    <message>
        <source>a recorded lesson waits</source>
        <translation>录好的课程等着打开</translation>
    </message>
    <message numerus="yes">
        <source>recording your hands: %n step(s)</source>
        <translation>
            <numerusform>正在录制操作：%n 步</numerusform>
        </translation>
    </message>
    <message>
        <source>Stops it; the recording is kept</source>
        <translation>停止生成；录制内容会保留</translation>
    </message>
    <message>
        <source>Opens the lesson in the editor</source>
        <translation>在编辑器里打开课程</translation>
    </message>
    <message>
        <source>Ends the recording and opens the lesson</source>
        <translation>结束录制并打开课程</translation>
    </message>
    <message>
        <source>The lesson of your recording is being made; then you are asked about it.</source>
        <translation>正在根据你的录制生成课程；完成后会询问如何处理。</translation>
    </message>
</context>
<context>
    <name>lockscope::app::Exporter</name>
    <message>
        <source>Table of all events</source>
        <translation>全部事件的表格</translation>
    </message>
    <message>
        <source>All events, one JSON object a line</source>
        <translation>全部事件，每行一个 JSON 对象</translation>
    </message>
    <message>
        <source>Trace for Perfetto</source>
        <translation>Perfetto 追踪文件</translation>
    </message>
    <message>
        <source>History for Jepsen and its checkers</source>
        <translation>供 Jepsen 及其检查器用的历史</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Save an &amp;animated picture…</source>
        <translation>保存动画图片(&amp;A)…</translation>
    </message>
    <message>
        <source>The part of the timeline in sight, as it happens: WebP, half a minute at most</source>
        <translation>眼前这段时间线，按发生的过程播放：WebP，最长半分钟</translation>
    </message>
    <message>
        <source>&amp;Export the events…</source>
        <translation>导出事件(&amp;E)…</translation>
    </message>
    <message>
        <source>For other programs: a table, JSON, Perfetto or Jepsen</source>
        <translation>供其他程序使用：表格、JSON、Perfetto 或 Jepsen</translation>
    </message>
    <message>
        <source>Export the events</source>
        <translation>导出事件</translation>
    </message>
    <message>
        <source>Save an animated picture</source>
        <translation>保存动画图片</translation>
    </message>
    <message>
        <source>Animated pictures (*.webp)</source>
        <translation>动画图片 (*.webp)</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Stops the writing; nothing of the file is left</source>
        <translation>停止写入；不留下任何内容</translation>
    </message>
    <message>
        <source>Writing %1…</source>
        <translation>正在写入 %1…</translation>
    </message>
    <message>
        <source>writing %1 · %2 %</source>
        <extracomment>In the status bar: %1 a file that is being written, %2 how much of it is done.</extracomment>
        <translation>正在写入 %1 · %2 %</translation>
    </message>
    <message>
        <source>writing %1</source>
        <translation>正在写入 %1</translation>
    </message>
    <message>
        <source>%1 is still being written. Closing again stops that, and nothing of it is left.</source>
        <translation>%1 还在写入。再次关闭会停止写入，不留下任何内容。</translation>
    </message>
    <message>
        <source>Stopped: nothing of %1 was written.</source>
        <translation>已停止：%1 没有写入任何内容。</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>已保存 %1。</translation>
    </message>
    <message>
        <source>%1 could not be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
</context>
<context>
    <name>lockscope::app::HelpDesk</name>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>&amp;What is this?</source>
        <translation>这是什么(&amp;W)？</translation>
    </message>
    <message>
        <source>All &amp;words…</source>
        <translation>所有词汇(&amp;W)…</translation>
    </message>
    <message>
        <source>What the &amp;simulator leaves out…</source>
        <translation>模拟器省略了什么(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;About Lockscope</source>
        <translation>关于 Lockscope(&amp;A)</translation>
    </message>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>Le&amp;gend of the timeline</source>
        <translation>时间线图例(&amp;G)</translation>
    </message>
    <message>
        <source>See it in lesson %1: %2</source>
        <extracomment>In a menu: %1 the number of a lesson, %2 its title.</extracomment>
        <translation>去看第 %1 课：%2</translation>
    </message>
    <message>
        <source>What is this?</source>
        <translation>这是什么？</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Presenter</source>
        <translation>演示视图</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>并排比较</translation>
    </message>
    <message>
        <source>Choose a lane</source>
        <translation>选择泳道</translation>
    </message>
    <message>
        <source>The lane's lock in detail</source>
        <translation>泳道上那把锁的详情</translation>
    </message>
    <message>
        <source>What can be done to the lane</source>
        <translation>能对这条泳道做什么</translation>
    </message>
    <message>
        <source>Move along the axis</source>
        <translation>沿时间轴移动</translation>
    </message>
    <message>
        <source>wheel</source>
        <translation>滚轮</translation>
    </message>
    <message>
        <source>Zoom at the mouse</source>
        <translation>以鼠标处为中心缩放</translation>
    </message>
    <message>
        <source>drag</source>
        <translation>拖动</translation>
    </message>
    <message>
        <source>Draw a fault over a lane</source>
        <translation>在泳道上画一个故障</translation>
    </message>
    <message>
        <source>On the strip of faults: choose one</source>
        <translation>在故障带上：选择一个</translation>
    </message>
    <message>
        <source>Move or stretch the chosen fault</source>
        <translation>移动或拉长所选故障</translation>
    </message>
    <message>
        <source>Take the chosen fault back</source>
        <translation>撤回所选故障</translation>
    </message>
    <message>
        <source>Play on; go on</source>
        <translation>继续播放；往下走</translation>
    </message>
    <message>
        <source>Choose an answer</source>
        <translation>选择答案</translation>
    </message>
    <message>
        <source>Count a hand of the class for an answer</source>
        <translation>给一个答案数一只手</translation>
    </message>
    <message>
        <source>Take the last hand back</source>
        <translation>撤回数的最后一只手</translation>
    </message>
    <message>
        <source>Lock the bet; go on</source>
        <translation>锁定押注；继续</translation>
    </message>
    <message>
        <source>Step back, step on</source>
        <translation>上一步、下一步</translation>
    </message>
    <message>
        <source>Step back, step on; out of a task, too</source>
        <translation>上一步、下一步；也能离开任务</translation>
    </message>
    <message>
        <source>Blank the screen</source>
        <translation>黑屏</translation>
    </message>
    <message>
        <source>Leave the presenter's view</source>
        <translation>离开演示视图</translation>
    </message>
    <message>
        <source>To where the two runs part</source>
        <translation>到两次运行分开的地方</translation>
    </message>
    <message>
        <source>About Lockscope</source>
        <translation>关于 Lockscope</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Lockscope %1&lt;/h3&gt;&lt;p&gt;An oscilloscope for distributed locks: what clients believe, what servers record, and what the guarded resource accepts.&lt;/p&gt;&lt;p&gt;The program is free software under the GNU General Public License 3 or later; its lock library is under the Apache License 2.0.&lt;/p&gt;&lt;p&gt;Built with Qt %2.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Lockscope %1&lt;/h3&gt;&lt;p&gt;分布式锁的示波器：客户端以为的、服务器记下的、被保护的资源接受的。&lt;/p&gt;&lt;p&gt;本程序是自由软件，采用 GNU 通用公共许可证第 3 版或更新版本；其中的锁库采用 Apache 许可证 2.0。&lt;/p&gt;&lt;p&gt;使用 Qt %2 构建。&lt;/p&gt;</translation>
    </message>
</context>
<context>
    <name>lockscope::app::MainWindow</name>
    <message>
        <source>The recording goes on in %1.</source>
        <translation>录制在 %1 中继续。</translation>
    </message>
    <message>
        <source>Recorded to %1.</source>
        <translation>已录制到 %1。</translation>
    </message>
    <message>
        <source>The password of “%1” could not be kept in this desktop's secret store: it must be typed each time.</source>
        <translation>“%1”的密码无法存入桌面的密钥存储：每次都要输入。</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>New future from %1. The old one is kept.</source>
        <translation>从 %1 起是新的未来。旧的已保留。</translation>
    </message>
    <message>
        <source>Taken back: the run from %1 on is computed without it.</source>
        <translation>已撤回：从 %1 起的运行已重新计算，不含它。</translation>
    </message>
    <message>
        <source>Moved: the run from %1 on is computed anew.</source>
        <translation>已移动：从 %1 起重新计算运行。</translation>
    </message>
    <message>
        <source>The run from %1 on is as it was before.</source>
        <translation>从 %1 起的运行已恢复原样。</translation>
    </message>
    <message>
        <source>The run from %1 on is changed again.</source>
        <translation>从 %1 起的运行又已改变。</translation>
    </message>
    <message>
        <source>Back in an earlier run, from %1 on. The one until now is kept.</source>
        <translation>从 %1 起回到了较早的一次运行。到目前为止的这次运行已保留。</translation>
    </message>
    <message>
        <source>Started again without what was done by hand.</source>
        <translation>已重新开始，不含手动所做的操作。</translation>
    </message>
    <message numerus="yes">
        <source>Started again, with the %n thing(s) that were done by hand.</source>
        <translation>
            <numerusform>已重新开始，包含 %n 项手动操作。</numerusform>
        </translation>
    </message>
    <message>
        <source>Session</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Edit the connection…</source>
        <translation>编辑此连接…</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>面板</translation>
    </message>
    <message>
        <source>Record this session to a file</source>
        <translation>把此会话录制到文件</translation>
    </message>
    <message>
        <source>Recordings (*.lockscope)</source>
        <translation>录制 (*.lockscope)</translation>
    </message>
    <message>
        <source>Recording to %1.</source>
        <translation>正在录制到 %1。</translation>
    </message>
    <message>
        <source>Lockscope</source>
        <translation>Lockscope</translation>
    </message>
    <message>
        <source>%1 — Lockscope</source>
        <translation>%1 — Lockscope</translation>
    </message>
    <message>
        <source>CHANGES ALLOWED · %1</source>
        <extracomment>%1 is the window's title while a server is watched that may be changed.</extracomment>
        <translation>允许更改 · %1</translation>
    </message>
    <message>
        <source>This run was shared from version %1; here, in version %2, it may take another course.</source>
        <translation>这次运行来自版本 %1；在这里的版本 %2 中，经过可能不同。</translation>
    </message>
    <message>
        <source>The run with what you did to it is closed.</source>
        <translation>带有您所做改动的运行已关闭。</translation>
    </message>
    <message>
        <source>Add a connection</source>
        <translation>添加连接</translation>
    </message>
    <message>
        <source>Edit “%1”</source>
        <translation>编辑“%1”</translation>
    </message>
    <message>
        <source>Open a recording or a scenario</source>
        <translation>打开录制或场景</translation>
    </message>
    <message>
        <source>Recordings and scenarios (*.lockscope *.json)</source>
        <translation>录制和场景 (*.lockscope *.json)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Save as a scenario, with what was done by hand</source>
        <translation>另存为场景，包含手动操作</translation>
    </message>
    <message>
        <source>Scenarios (*.json)</source>
        <translation>场景 (*.json)</translation>
    </message>
    <message>
        <source>Saved %1: it runs again to the same end.</source>
        <translation>已保存 %1：再次运行会得到同样的结局。</translation>
    </message>
</context>
<context>
    <name>lockscope::app::MessageBar</name>
    <message>
        <source>Close message</source>
        <translation>关闭消息</translation>
    </message>
    <message>
        <source>Close message (Esc)</source>
        <translation>关闭消息（Esc）</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>a message, and what to do about it</comment>
        <translation>%1 %2</translation>
    </message>
</context>
<context>
    <name>lockscope::app::NameHider</name>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>Hide &amp;names</source>
        <translation>隐藏名称(&amp;N)</translation>
    </message>
    <message>
        <source>For projectors and screenshots: locks, clients and servers of running systems and of recordings are called lock-1, client-1, server-1</source>
        <translation>用于投影和截图：正在运行的系统和录制中的锁、客户端、服务器改称 lock-1、client-1、server-1</translation>
    </message>
    <message>
        <source>Names are hidden, and this would show some. Show them first: View, Hide names.</source>
        <translation>名称已隐藏，而这会露出名称。请先显示名称：视图 › 隐藏名称。</translation>
    </message>
</context>
<context>
    <name>lockscope::app::Presenter</name>
    <message>
        <source>pause</source>
        <translation>暂停播放</translation>
    </message>
    <message>
        <source>play on</source>
        <translation>继续播放</translation>
    </message>
    <message>
        <source>back to the lesson</source>
        <translation>回到课程</translation>
    </message>
    <message>
        <source>next event</source>
        <translation>下一个事件</translation>
    </message>
    <message>
        <source>to the step's end</source>
        <translation>直接看这一步的结果</translation>
    </message>
    <message>
        <source>next step</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>resume %1</source>
        <extracomment>%1 a client that is paused.</extracomment>
        <translation>恢复 %1</translation>
    </message>
    <message>
        <source>pause %1</source>
        <translation>暂停 %1</translation>
    </message>
    <message>
        <source>pause the holder</source>
        <translation>暂停持有者</translation>
    </message>
</context>
<context>
    <name>lockscope::app::RecordingArrival</name>
    <message>
        <source>This recording is shown as it ended, at %1.</source>
        <translation>这份录制显示的是它结束时（%1）的样子。</translation>
    </message>
</context>
<context>
    <name>lockscope::app::RecordingGauge</name>
    <message>
        <source>%1 MB</source>
        <translation>%1 MB</translation>
    </message>
    <message>
        <source>Recording · %1 · %2 of %3</source>
        <extracomment>How much of what is watched is on disk: %1 a length of time, %2 and %3 sizes.</extracomment>
        <translation>录制中 · %1 · %2 / %3</translation>
    </message>
    <message>
        <source>The last hour of what is watched is kept on disk until the session is closed. Click to save it.</source>
        <translation>所监视内容的最近一小时保存在磁盘上，直到会话关闭。点击即可另存。</translation>
    </message>
    <message>
        <source>Recording to %1</source>
        <translation>正在录制到 %1</translation>
    </message>
    <message>
        <source>Recording to %1 until you stop it.</source>
        <translation>正在录制到 %1，直到你停止。</translation>
    </message>
</context>
<context>
    <name>lockscope::app::Sharer</name>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Copy this run as &amp;text</source>
        <translation>把这次运行复制为文字(&amp;T)</translation>
    </message>
    <message>
        <source>O&amp;pen the copied run</source>
        <translation>打开复制的运行(&amp;P)</translation>
    </message>
    <message>
        <source>Copy the p&amp;icture</source>
        <translation>复制图片(&amp;I)</translation>
    </message>
    <message>
        <source>Save the pict&amp;ure…</source>
        <translation>保存图片(&amp;U)…</translation>
    </message>
    <message>
        <source>Scenario, recipe, seed and what you did: others paste it and have the same run</source>
        <translation>场景、锁算法、种子和你的操作：别人粘贴后得到同一次运行</translation>
    </message>
    <message>
        <source>Only a simulation can be shared as text; record this session.</source>
        <translation>只有模拟能作为文字分享；请录制这个会话。</translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>已复制：%1</translation>
    </message>
    <message>
        <source>There is no text in the clipboard to open.</source>
        <translation>剪贴板里没有可以打开的文字。</translation>
    </message>
    <message>
        <source>The clipboard has no run: a shared run begins with “lockscope:”.</source>
        <translation>剪贴板里没有运行：分享的运行以“lockscope:”开头。</translation>
    </message>
    <message>
        <source>%1 · %2 · seed %3</source>
        <translation>%1 · %2 · 种子 %3</translation>
    </message>
    <message>
        <source>The picture is in the clipboard.</source>
        <translation>图片已放进剪贴板。</translation>
    </message>
    <message>
        <source>Save the picture</source>
        <translation>保存图片</translation>
    </message>
    <message>
        <source>Pictures (*.png)</source>
        <translation>图片 (*.png)</translation>
    </message>
    <message>
        <source>Drawings (*.svg)</source>
        <translation>矢量图 (*.svg)</translation>
    </message>
    <message>
        <source>Pages with the facts (*.pdf)</source>
        <translation>带事实的一页 (*.pdf)</translation>
    </message>
    <message>
        <source>%1 could not be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>已保存 %1。</translation>
    </message>
</context>
<context>
    <name>lockscope::app::StatusLine</name>
    <message>
        <source>Reading the recording</source>
        <translation>正在读取录制</translation>
    </message>
    <message>
        <source>Stop reading the recording</source>
        <translation>停止读取录制</translation>
    </message>
    <message>
        <source>Stop reading; what was read stays</source>
        <translation>停止读取；已读的内容保留</translation>
    </message>
    <message>
        <source>Servers: %1</source>
        <translation>服务器：%1</translation>
    </message>
    <message>
        <source>Load: %1</source>
        <translation>负载：%1</translation>
    </message>
    <message numerus="yes">
        <source>%n server(s)</source>
        <translation>
            <numerusform>%n 台服务器</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n client(s)</source>
        <translation>
            <numerusform>%n 个客户端</numerusform>
        </translation>
    </message>
    <message>
        <source>changes allowed</source>
        <translation>允许更改</translation>
    </message>
    <message>
        <source>read-only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>watching takes %1 % of ≤ %2 %</source>
        <extracomment>What watching costs: %1 percent of a server's time by now, %2 percent at most.</extracomment>
        <translation>监视占用服务器 %1 %（上限 %2 %）</translation>
    </message>
    <message>
        <source>watching takes %1 %, more than its %2 %: looks are made rarer</source>
        <extracomment>As above, while it is more than that for a moment.</extracomment>
        <translation>监视占用 %1 %，超过上限 %2 %：正在降低查看频率</translation>
    </message>
    <message>
        <source>picture ≤ %1 old</source>
        <extracomment>The age of what the window shows of watched servers.</extracomment>
        <translation>画面延迟 ≤ %1</translation>
    </message>
    <message>
        <source>shown from %1</source>
        <extracomment>Of a busy watch, of which the window keeps the end only: %1 is a time of day.</extracomment>
        <translation>自 %1 起显示</translation>
    </message>
    <message numerus="yes">
        <source>%n gap(s) (%1)</source>
        <extracomment>Times in which a watched server could not be seen: %1 how long all of them were.</extracomment>
        <translation>
            <numerusform>%n 处空白（%1）</numerusform>
        </translation>
    </message>
    <message>
        <source>our own load %1 commands/s</source>
        <translation>我们自身的负载 %1 命令/秒</translation>
    </message>
    <message>
        <source>%1 events/s · %2 events</source>
        <extracomment>%1 a number such as "38" or "1.02 k", %2 such as "1 284"</extracomment>
        <translation>%1 事件/秒 · 共 %2 个事件</translation>
    </message>
    <message>
        <source>%1 ms a frame</source>
        <translation>每帧 %1 ms</translation>
    </message>
</context>
<context>
    <name>lockscope::app::StretchDesk</name>
    <message>
        <source>Open it</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Make a sc&amp;enario of what happened…</source>
        <translation>把发生的事做成场景(&amp;E)…</translation>
    </message>
    <message>
        <source>The measured stretch, or all of it, for the simulator: what if the lease were longer?</source>
        <translation>把量出的一段或全部交给模拟器：如果租约更长会怎样？</translation>
    </message>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>&amp;What changed…</source>
        <translation>有什么变化(&amp;W)…</translation>
    </message>
    <message>
        <source>From the beginning of the measured stretch to its end, or from the playhead until now</source>
        <translation>从量出的一段的起点到终点，或从播放头到现在</translation>
    </message>
    <message>
        <source>Save as a scenario that repeats what happened</source>
        <translation>保存为重演所发生之事的场景</translation>
    </message>
    <message>
        <source>Scenarios (*.json)</source>
        <translation>场景 (*.json)</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>已保存 %1。</translation>
    </message>
    <message>
        <source>There are no two instants to compare: drag over the timeline with Shift to measure a stretch, or move the playhead back.</source>
        <translation>没有两个时刻可比较：按住 Shift 在时间线上拖动以量出一段，或把播放头往回移。</translation>
    </message>
</context>
<context>
    <name>lockscope::app::WindowAlerts</name>
    <message>
        <source>This desktop shows no notifications, so alerts show in this window only.</source>
        <translation>此桌面不显示通知，因此警报只显示在这个窗口里。</translation>
    </message>
</context>
<context>
    <name>lockscope::app::WindowKeeper</name>
    <message>
        <source>The language changes as soon as the file is written.</source>
        <translation>文件写完后就切换语言。</translation>
    </message>
</context>
<context>
    <name>lockscope::app::WindowMenus</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Session</source>
        <translation>会话(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Play</source>
        <translation>播放(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Lessons</source>
        <translation>课程(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Break</source>
        <translation>破坏(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>&amp;Open a recording or scenario…</source>
        <translation>打开录制或场景(&amp;O)…</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>打开最近(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Save as scenario…</source>
        <translation>另存为场景(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Record to a file…</source>
        <translation>录制到文件(&amp;R)…</translation>
    </message>
    <message>
        <source>Stop &amp;recording</source>
        <translation>停止录制(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Close the session</source>
        <translation>关闭会话(&amp;C)</translation>
    </message>
    <message>
        <source>Open the closed run a&amp;gain</source>
        <translation>重新打开已关闭的运行(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Session</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Play a &amp;scenario</source>
        <translation>播放场景(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Connect to a server…</source>
        <translation>连接服务器(&amp;C)…</translation>
    </message>
    <message>
        <source>&amp;Add a connection…</source>
        <translation>添加连接(&amp;A)…</translation>
    </message>
    <message>
        <source>Sa&amp;me client…</source>
        <translation>同一客户端(&amp;M)…</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>All &amp;lessons…</source>
        <translation>全部课程(&amp;L)…</translation>
    </message>
    <message>
        <source>&amp;Return to the lesson</source>
        <translation>回到课程(&amp;R)</translation>
    </message>
    <message>
        <source>Leave into &amp;free play</source>
        <translation>离开，自由操作(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Close the lesson</source>
        <translation>关闭课程(&amp;C)</translation>
    </message>
    <message>
        <source>Nothing is open.</source>
        <translation>没有打开任何会话。</translation>
    </message>
    <message>
        <source>&amp;Client %1</source>
        <translation>客户端(&amp;C) %1</translation>
    </message>
    <message>
        <source>&amp;Server %1</source>
        <translation>服务器(&amp;S) %1</translation>
    </message>
    <message>
        <source>&amp;Link %1</source>
        <translation>链路(&amp;L) %1</translation>
    </message>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>Layout: &amp;Teach</source>
        <translation>布局：教学(&amp;T)</translation>
    </message>
    <message>
        <source>Layout: &amp;Monitor</source>
        <translation>布局：监视(&amp;M)</translation>
    </message>
    <message>
        <source>Layout: &amp;Break</source>
        <translation>布局：故障演练(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation>重置布局(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Unlock panels</source>
        <translation>解锁面板(&amp;U)</translation>
    </message>
    <message>
        <source>La&amp;nes</source>
        <translation>泳道(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Panels</source>
        <translation>面板(&amp;P)</translation>
    </message>
    <message>
        <source>Workload and faults</source>
        <translation>负载与故障</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Locks</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Wait-for</source>
        <translation>等待图</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>统计</translation>
    </message>
    <message>
        <source>Lock, protocol and verdict</source>
        <translation>锁、协议与裁决</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>面板</translation>
    </message>
    <message>
        <source>Alerts</source>
        <translation>告警</translation>
    </message>
    <message>
        <source>&amp;Thresholds of alerts…</source>
        <translation>告警阈值(&amp;T)…</translation>
    </message>
    <message>
        <source>Alerts on the &amp;desktop while this window is not in front</source>
        <translation>窗口不在前面时在桌面上显示告警(&amp;D)</translation>
    </message>
    <message>
        <source>T&amp;heme</source>
        <translation>主题(&amp;H)</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Switch between light and dark</source>
        <translation>切换浅色与深色</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>&amp;Larger text</source>
        <translation>放大文字(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Smaller text</source>
        <translation>缩小文字(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Usual text size</source>
        <translation>恢复文字大小(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Presenter's view</source>
        <translation>演示视图(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Full screen</source>
        <translation>全屏(&amp;F)</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>键盘快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>Scenario</source>
        <translation>场景</translation>
    </message>
</context>
<context>
    <name>lockscope::app::WorkArea</name>
    <message>
        <source>Connections</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Workload and faults</source>
        <translation>负载与故障</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Locks</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Wait-for</source>
        <translation>等待图</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>统计</translation>
    </message>
    <message>
        <source>Events %1</source>
        <translation>事件 %1</translation>
    </message>
    <message>
        <source>Locks %1</source>
        <extracomment>Tab of the table of locks; %1 how many there are.</extracomment>
        <translation>锁 %1</translation>
    </message>
</context>
<context>
    <name>lockscope::experiment</name>
    <message>
        <source>This scenario has no lock manager.</source>
        <translation>此场景没有锁管理器。</translation>
    </message>
    <message>
        <source>“%1” is no way to change engines: drain, immediate or naive.</source>
        <translation>“%1”不是切换引擎的方式：应为 drain、immediate 或 naive。</translation>
    </message>
    <message>
        <source>“%1” is %2 already: the two runs would be one.</source>
        <translation>“%1”已经是 %2：两次运行会完全一样。</translation>
    </message>
    <message>
        <source>%1 should hold, and is unknown</source>
        <translation>%1 应当成立，却未知</translation>
    </message>
    <message>
        <source>%1 should hold: %2</source>
        <translation>%1 应当成立：%2</translation>
    </message>
    <message>
        <source>%1 should be violated, and is not</source>
        <translation>%1 应当被违反，却没有</translation>
    </message>
    <message>
        <source>not granted again within %1</source>
        <translation>在 %1 内没有重新授予</translation>
    </message>
    <message>
        <source>granted again at %1</source>
        <translation>在 %1 又授予了</translation>
    </message>
    <message>
        <source>a wait of %1</source>
        <translation>等待了 %1</translation>
    </message>
    <message>
        <source>%1 requests a second</source>
        <translation>每秒 %1 个请求</translation>
    </message>
    <message>
        <source>it should come to %1, and does not</source>
        <translation>应当走到 %1，却没有</translation>
    </message>
    <message>
        <source>the lock was never granted</source>
        <translation>锁从未被授予</translation>
    </message>
    <message>
        <source>it came out as %1, not as %2</source>
        <translation>结果是 %1，而不是 %2</translation>
    </message>
</context>
<context>
    <name>lockscope::live::LiveSession</name>
    <message>
        <source>looking through its keys</source>
        <translation>正在查看它的键</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %2 key(s) looked at</source>
        <translation>
            <numerusform>已查看 %2 个键中的 %1 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 key(s) not looked at: this server would keep them for longer</source>
        <translation>
            <numerusform>有 %1 个键未查看：读取会让此服务器更久地保留它们</numerusform>
        </translation>
    </message>
    <message>
        <source>the connection was ended</source>
        <translation>连接已结束</translation>
    </message>
    <message>
        <source>ended: not observed any more</source>
        <translation>已结束：不再观察</translation>
    </message>
    <message>
        <source>%1 · lost</source>
        <translation>%1 · 已断开</translation>
    </message>
    <message>
        <source>%1 · not reached</source>
        <translation>%1 · 无法连接</translation>
    </message>
    <message>
        <source>not reached: %1</source>
        <translation>无法连接：%1</translation>
    </message>
    <message>
        <source>not observed: %1</source>
        <translation>未观察到：%1</translation>
    </message>
    <message>
        <source>%1 · not observed</source>
        <translation>%1 · 未观察到</translation>
    </message>
    <message numerus="yes">
        <source>%n address(es)</source>
        <translation>
            <numerusform>%n 个地址</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n master(s)</source>
        <translation>
            <numerusform>%n 个主节点</numerusform>
        </translation>
    </message>
    <message>
        <source>master</source>
        <translation>主节点</translation>
    </message>
    <message>
        <source>replica</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>SCAN + told of changes</source>
        <extracomment>How a Redis is watched: by its command SCAN, and by messages.</extracomment>
        <translation>SCAN + 变更通知</translation>
    </message>
    <message>
        <source>SCAN, asks every %1</source>
        <translation>SCAN，每 %1 询问一次</translation>
    </message>
    <message>
        <source>a watch for each node</source>
        <translation>每个节点一个 watch</translation>
    </message>
    <message>
        <source>one watch stream</source>
        <translation>一条 watch 流</translation>
    </message>
    <message>
        <source>asks every %1</source>
        <translation>每 %1 询问一次</translation>
    </message>
    <message>
        <source>%1 does not answer</source>
        <translation>%1 没有应答</translation>
    </message>
    <message>
        <source>%1 is read-only: allow changes on this connection first.</source>
        <translation>%1 是只读的：请先允许在这个连接上更改。</translation>
    </message>
    <message>
        <source>Whether “%1” is held is not known: a server that may decide it cannot be read.</source>
        <translation>“%1”是否被持有未知：可能决定它的服务器读不到。</translation>
    </message>
    <message>
        <source>“%1” was free already.</source>
        <translation>“%1”本来就空闲。</translation>
    </message>
    <message>
        <source>There is no lock “%1” on the server, as far as it has been looked at.</source>
        <translation>就目前已查看的部分而言，服务器上没有锁“%1”。</translation>
    </message>
    <message>
        <source>“%1” is held by another client by now: nothing was changed.</source>
        <translation>“%1”此时已由别的客户端持有：没有改动任何内容。</translation>
    </message>
    <message>
        <source>“%1” is not held any more as it was seen: nothing was changed.</source>
        <translation>“%1”的持有情况已不同于看到时：什么都没有改动。</translation>
    </message>
    <message>
        <source>%1 · connecting</source>
        <translation>%1 · 正在连接</translation>
    </message>
    <message>
        <source>%1 is open already, as “%2”.</source>
        <translation>%1 已经打开，名称是“%2”。</translation>
    </message>
    <message>
        <source>These connections are read-only. Allow changes on one of them to run clients of our own.</source>
        <translation>这些连接是只读的。要运行我们自己的客户端，请允许在其中一个连接上更改。</translation>
    </message>
    <message>
        <source>This connection is read-only. Allow changes on it to run clients of our own.</source>
        <translation>这个连接是只读的。要运行我们自己的客户端，请允许在这个连接上更改。</translation>
    </message>
    <message>
        <source>Clients of our own run on Redis only so far.</source>
        <translation>我们自己的客户端目前只能在 Redis 上运行。</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <extracomment>%1 is "shop-redis + db-main + jobs": names of connections.</extracomment>
        <translation>
            <numerusform>%1 以及另外 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>A live server cannot be started again from here; connect again for an empty picture.</source>
        <translation>不能从这里重启真实服务器；要空白画面请重新连接。</translation>
    </message>
    <message>
        <source>Several servers have a lock “%1”: choose one of them.</source>
        <translation>有多台服务器上都有锁“%1”：请选择其中一个。</translation>
    </message>
    <message>
        <source>There is no such lock on a server of this session.</source>
        <translation>这个会话的服务器上没有这把锁。</translation>
    </message>
    <message>
        <source>Clients of our own run on Redis only so far, and only where changes are allowed.</source>
        <translation>目前我们自己的客户端只能在 Redis 上运行，而且只能在允许更改的连接上。</translation>
    </message>
    <message>
        <source>“%1” cannot do what the clients' programs ask of their locks.</source>
        <translation>“%1”做不到客户端程序对锁的要求。</translation>
    </message>
    <message>
        <source>This is somebody's real server: only clients of our own can be broken here.</source>
        <translation>这是别人的真实服务器：这里只能破坏我们自己的客户端。</translation>
    </message>
    <message>
        <source>There is no client of ours called “%1” to do this to now.</source>
        <translation>现在我们自己的客户端里没有“%1”可供这样操作。</translation>
    </message>
    <message>
        <source>“%1” is dead: nothing was done.</source>
        <translation>“%1”已死：什么也没有做。</translation>
    </message>
    <message>
        <source>“%1” is paused: nothing was done.</source>
        <translation>“%1”已暂停：什么也没有做。</translation>
    </message>
    <message>
        <source>“%1” is running: nothing was done.</source>
        <translation>“%1”正在运行：什么也没有做。</translation>
    </message>
    <message>
        <source>The release was not noted in %1: %2. Check that its folder can be written.</source>
        <translation>这次释放没有记入 %1：%2。请检查该文件夹是否可写。</translation>
    </message>
</context>
<context>
    <name>lockscope::session::RecordingSession</name>
    <message>
        <source>Recording · %1 · reading</source>
        <translation>录制 · %1 · 正在读取</translation>
    </message>
    <message>
        <source>Recording · %1 · cannot be read</source>
        <translation>录制 · %1 · 无法读取</translation>
    </message>
    <message>
        <source>Recording · %1</source>
        <translation>录制 · %1</translation>
    </message>
    <message>
        <source>Recording · %1 · it was cut off; all but its last second is here</source>
        <translation>录制 · %1 · 中途被截断；除最后一秒外都在</translation>
    </message>
    <message>
        <source>Recording · %1 · not whole</source>
        <translation>录制 · %1 · 不完整</translation>
    </message>
    <message>
        <source>%1 To keep what is shown, save it under another name.</source>
        <translation>%1 要保留已显示的内容，请另存为其他名称。</translation>
    </message>
    <message>
        <source>A recording cannot be changed. Open its scenario to try something else with it.</source>
        <translation>录制不能更改。要尝试别的，请打开它的场景。</translation>
    </message>
    <message>
        <source>A recording has one course only. Open its scenario to run it with another seed.</source>
        <translation>录制只有一种过程。要换种子运行，请打开它的场景。</translation>
    </message>
</context>
<context>
    <name>lockscope::session::RedactedLiveSession</name>
    <message numerus="yes">
        <source>%n server(s), names hidden</source>
        <translation>
            <numerusform>%n 台服务器，名称已隐藏</numerusform>
        </translation>
    </message>
    <message>
        <source>connected</source>
        <translation>已连接</translation>
    </message>
    <message>
        <source>connecting</source>
        <translation>正在连接</translation>
    </message>
    <message>
        <source>some servers do not answer</source>
        <translation>部分服务器没有应答</translation>
    </message>
    <message>
        <source>not seen</source>
        <translation>看不到</translation>
    </message>
    <message numerus="yes">
        <source>%n connection(s)</source>
        <translation>
            <numerusform>%n 个连接</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::session::RedactedSession</name>
    <message>
        <source>Something could not be done. The reason has names in it: show names to read it.</source>
        <translation>有一件事没能完成。原因里含有名称：显示名称后才能读到。</translation>
    </message>
    <message>
        <source>Names are hidden: show them before you change anything.</source>
        <translation>名称已隐藏：要做任何更改，请先显示名称。</translation>
    </message>
    <message>
        <source>Names hidden</source>
        <translation>名称已隐藏</translation>
    </message>
    <message>
        <source>Recording · names hidden</source>
        <translation>录制 · 名称已隐藏</translation>
    </message>
    <message>
        <source>The server raises the alert “%1”.</source>
        <translation>服务器触发了告警“%1”。</translation>
    </message>
    <message>
        <source>“%1” raises the alert “%2”.</source>
        <translation>“%1”触发了告警“%2”。</translation>
    </message>
    <message>
        <source>Show names to read what happened and what to do.</source>
        <translation>显示名称后可以读到发生了什么、该怎么办。</translation>
    </message>
</context>
<context>
    <name>lockscope::session::Session</name>
    <message>
        <source>No connection is open. Add one to see locks.</source>
        <translation>没有打开的连接。添加一个连接才能看到锁。</translation>
    </message>
    <message numerus="yes">
        <source>%n connection(s), all up</source>
        <translation>
            <numerusform>%n 个连接，全部正常</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n connection(s) up</source>
        <extracomment>%1 how many connections are up, %n how many there are.</extracomment>
        <translation>
            <numerusform>%n 个连接中 %1 个正常</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · %2: %3</source>
        <translation>%1 · %2：%3</translation>
    </message>
    <message>
        <source>not seen</source>
        <translation>看不到</translation>
    </message>
    <message>
        <source>This session cannot be changed.</source>
        <translation>此会话不能更改。</translation>
    </message>
    <message>
        <source>Servers and links of this session are real: only our own clients can be broken here.</source>
        <translation>此会话的服务器和链路是真实的：这里只能破坏我们自己的客户端。</translation>
    </message>
    <message>
        <source>Time is real in this session: no clock can be made to jump.</source>
        <translation>本会话中的时间是真实的：不能让任何时钟跳变。</translation>
    </message>
    <message>
        <source>Only the work of simulated clients can be made to hang.</source>
        <translation>只有模拟的客户端才能让它的工作卡住。</translation>
    </message>
    <message>
        <source>“%1” cannot be freed by force in this session.</source>
        <translation>此会话中不能强制释放“%1”。</translation>
    </message>
    <message>
        <source>--%1: a name is missing in “%2”</source>
        <translation>--%1：“%2”中缺少一个名称</translation>
    </message>
</context>
<context>
    <name>lockscope::session::SimulatedSession</name>
    <message>
        <source>Simulated · %1</source>
        <translation>模拟 · %1</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <comment>the target of a fault, and an instant</comment>
        <translation>%2 的 %1</translation>
    </message>
    <message>
        <source>The run begins again. %1.</source>
        <translation>运行重新开始。%1。</translation>
    </message>
    <message>
        <source>The run begins again on the servers of %1. This was done by hand, does not fit them and is left out: %2.</source>
        <extracomment>%1 the id of a recipe; %2 a list of "redis-1 at 3.200 s".</extracomment>
        <translation>运行在 %1 的服务器上重新开始。以下手动操作不适用于这些服务器，已略去：%2。</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between two things of a list</comment>
        <translation>、</translation>
    </message>
</context>
<context>
    <name>lockscope::views::AlertRulesDialog</name>
    <message>
        <source>Use these</source>
        <translation>使用这些</translation>
    </message>
    <message>
        <source>Alerts of %1</source>
        <translation>%1 的告警</translation>
    </message>
    <message>
        <source>Rules for this connection. Times have a unit: 500ms, 2s, 5m, 1h.</source>
        <translation>这个连接的规则。时间要带单位：500ms、2s、5m、1h。</translation>
    </message>
    <message>
        <source>Threshold: %1</source>
        <translation>阈值：%1</translation>
    </message>
    <message>
        <source>Usual ones</source>
        <translation>常用规则</translation>
    </message>
    <message>
        <source>“%1”: “%2” is no time. Write a number and its unit, such as 30s.</source>
        <translation>“%1”：“%2”不是时间。请写数字和单位，例如 30s。</translation>
    </message>
    <message>
        <source>“%1”: “%2” is no whole number from 0 on.</source>
        <translation>“%1”：“%2”不是从 0 开始的整数。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::AlertsModel</name>
    <message>
        <source>server</source>
        <translation>服务器</translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s)</source>
        <translation>
            <numerusform>%n 把锁</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2</source>
        <extracomment>Of many locks with one kind of alert: %1 its words, such as "failed over", %2 the names of some of the locks.</extracomment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>Part of the deadlock above.</source>
        <extracomment>The same deadlock has a row of its own further up in the list.</extracomment>
        <translation>属于上面的死锁。</translation>
    </message>
    <message>
        <source>It is over; it stays here because it is pinned.</source>
        <translation>已经结束；因为固定而留在这里。</translation>
    </message>
    <message>
        <source>over</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>≥ %1</source>
        <extracomment>At least so long: it was so already when somebody began to look.</extracomment>
        <translation>≥ %1</translation>
    </message>
    <message>
        <source>%1 @ %2</source>
        <extracomment>A lock and the name of the connection that it was seen over.</extracomment>
        <translation>%1 @ %2</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <extracomment>An alert's severity, what it is and of which lock: "warning, renewal late: orders".</extracomment>
        <translation>%1，%2：%3</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>已固定</translation>
    </message>
    <message>
        <source>not pinned</source>
        <translation>未固定</translation>
    </message>
    <message>
        <source>Mute…</source>
        <translation>静音…</translation>
    </message>
    <message>
        <source>Unpin (P)</source>
        <translation>取消固定（P）</translation>
    </message>
    <message>
        <source>Pin: it stays here, even when it is over (P)</source>
        <translation>固定：结束后也留在这里（P）</translation>
    </message>
    <message>
        <source>Mute for a while (M)</source>
        <translation>静音一段时间（M）</translation>
    </message>
    <message>
        <source>Rule: %1</source>
        <translation>规则：%1</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>What is so</source>
        <translation>情况</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>怎么办</translation>
    </message>
    <message>
        <source>Open for</source>
        <translation>持续</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>Mute</source>
        <translation>静音</translation>
    </message>
</context>
<context>
    <name>lockscope::views::AlertsStrip</name>
    <message>
        <source>Alerts</source>
        <translation>告警</translation>
    </message>
    <message>
        <source>All alerts that fit, or fewer and more of what is below</source>
        <translation>显示放得下的全部告警，或少显示一些，给下方留出空间</translation>
    </message>
    <message>
        <source>What is muted, to be heard again</source>
        <translation>查看并恢复已静音的告警</translation>
    </message>
    <message>
        <source>Thresholds…</source>
        <translation>阈值…</translation>
    </message>
    <message>
        <source>Which alerts this connection raises, and from when on</source>
        <translation>这个连接发出哪些告警，到什么程度才发</translation>
    </message>
    <message numerus="yes">
        <source>none · %n rule(s) watch</source>
        <translation>
            <numerusform>没有告警 · %n 条规则在生效</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n shown, most severe first</source>
        <translation>
            <numerusform>共 %n 条，显示 %1 条，最严重的在前</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n, most severe first</source>
        <translation>
            <numerusform>%n 条，最严重的在前</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · as of now</source>
        <translation>%1 · 以当前为准</translation>
    </message>
    <message>
        <source>Alerts: %1</source>
        <translation>告警：%1</translation>
    </message>
    <message>
        <source>fewer</source>
        <translation>少显示</translation>
    </message>
    <message>
        <source>+%1 more</source>
        <translation>还有 %1 条</translation>
    </message>
    <message numerus="yes">
        <source>%n muted</source>
        <translation>
            <numerusform>%n 条已静音</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n muted until %1</source>
        <translation>
            <numerusform>%n 条静音至 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Show where it began</source>
        <translation>显示它开始的地方</translation>
    </message>
    <message>
        <source>&amp;Unpin</source>
        <translation>取消固定(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Pin</source>
        <translation>固定(&amp;P)</translation>
    </message>
    <message>
        <source>Mute</source>
        <translation>静音</translation>
    </message>
    <message>
        <source>for 15 minutes</source>
        <translation>15 分钟</translation>
    </message>
    <message>
        <source>for an hour</source>
        <translation>一小时</translation>
    </message>
    <message>
        <source>for 8 hours</source>
        <translation>8 小时</translation>
    </message>
    <message>
        <source>until I take it back</source>
        <translation>直到我恢复</translation>
    </message>
    <message>
        <source>“%1” of %2</source>
        <extracomment>%1 the short words for an alert such as "renewal late", %2 a lock.</extracomment>
        <translation>%2 的“%1”</translation>
    </message>
    <message>
        <source>all alerts of %1</source>
        <translation>%1 的所有告警</translation>
    </message>
    <message>
        <source>“%1” of every lock</source>
        <translation>所有锁的“%1”</translation>
    </message>
    <message>
        <source>all alerts</source>
        <translation>所有告警</translation>
    </message>
    <message>
        <source>every lock</source>
        <translation>所有锁</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: %2, until %3</source>
        <translation>%1：%2，到 %3</translation>
    </message>
    <message>
        <source>Hear again</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Hear again of %1</source>
        <extracomment>%1 is the name of a connection whose muted alerts follow.</extracomment>
        <translation>重新提醒 %1</translation>
    </message>
    <message>
        <source>Thresholds of</source>
        <translation>设置谁的阈值</translation>
    </message>
</context>
<context>
    <name>lockscope::views::BreakPanel</name>
    <message>
        <source>Break</source>
        <translation>破坏</translation>
    </message>
    <message>
        <source>client</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>link</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>More: all that can be done to this client, with its keys</source>
        <translation>更多：可对此客户端执行的所有操作及其快捷键</translation>
    </message>
    <message>
        <source>More: all that can be done to this server, with its keys</source>
        <translation>更多：可对此服务器执行的所有操作及其快捷键</translation>
    </message>
    <message>
        <source>On a condition…</source>
        <translation>按条件…</translation>
    </message>
    <message>
        <source>Plans a fault for another time, or for when something happens (%1)</source>
        <translation>把故障安排在另一时刻，或某事发生时（%1）</translation>
    </message>
    <message>
        <source>Only in a simulation can faults be planned.</source>
        <translation>只有在模拟中才能安排故障。</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <extracomment>A button that is off, for screen readers: its words, and why it is off.</extracomment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Back to normal: %1</source>
        <translation>恢复正常：%1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>who suffers: what a press does</comment>
        <translation>%1：%2</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>以及另外 %n 项</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::ChoiceButton</name>
    <message>
        <source>Answer %1: %2</source>
        <extracomment>What a screen reader says of an answer: %1 its number, %2 its words.</extracomment>
        <translation>选项 %1：%2</translation>
    </message>
    <message>
        <source>chosen</source>
        <translation>已选</translation>
    </message>
    <message>
        <source>your bet</source>
        <translation>你的押注</translation>
    </message>
    <message numerus="yes">
        <source>%n hand(s)</source>
        <translation>
            <numerusform>%n 只手</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::ChoiceField</name>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
</context>
<context>
    <name>lockscope::views::ClientRulesDialog</name>
    <message>
        <source>Use these rules</source>
        <translation>使用这些规则</translation>
    </message>
    <message>
        <source>Same client</source>
        <translation>同一客户端</translation>
    </message>
    <message>
        <source>By which rules is a name on one server the same client as a name on another? One rule a line; the first one that fits counts. “name”: the same name. “address”: the same network address. Anything else is a pattern with one group, such as app=([a-z-]+), looked for in the name and in what the server tells of the client.</source>
        <translation>按哪些规则，一台服务器上的名字和另一台上的名字是同一个客户端？每行一条规则，第一条适用的有效。“name”：名字相同。“address”：网络地址相同。其他内容是带一个分组的模式，例如 app=([a-z-]+)，在名字和服务器给出的客户端信息中查找。</translation>
    </message>
    <message>
        <source>Rules, one a line</source>
        <translation>规则，每行一条</translation>
    </message>
    <message>
        <source>Holders and waiters that come from now on are joined by them.</source>
        <translation>从现在起出现的持有者和等待者按这些规则合并。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::ClusterPanel</name>
    <message>
        <source>client %1: %2</source>
        <translation>客户端 %1：%2</translation>
    </message>
    <message>
        <source>connected with %1</source>
        <translation>已连接到 %1</translation>
    </message>
    <message>
        <source>connected with %1 since %2, before with %3</source>
        <translation>自 %2 起连接到 %1，此前是 %3</translation>
    </message>
    <message>
        <source>server %1: %2</source>
        <translation>服务器 %1：%2</translation>
    </message>
    <message>
        <source>dead</source>
        <comment>a server</comment>
        <translation>已宕机</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>not seen yet</source>
        <translation>尚未见到</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>out of sight</source>
        <translation>不可见</translation>
    </message>
    <message>
        <source>slots %1</source>
        <extracomment>Of a cluster's server: the numbers of its slots, such as "448 5461-5470".</extracomment>
        <translation>槽 %1</translation>
    </message>
    <message>
        <source>the pool of its clients is exhausted</source>
        <translation>其客户端的连接池已耗尽</translation>
    </message>
    <message>
        <source>its disk stalls</source>
        <translation>它的磁盘卡住</translation>
    </message>
    <message>
        <source>cut</source>
        <translation>切断</translation>
    </message>
    <message>
        <source>nothing comes from %1 to %2</source>
        <translation>%1 发出的内容到不了 %2</translation>
    </message>
    <message>
        <source>%1 slower</source>
        <translation>慢 %1</translation>
    </message>
    <message>
        <source>the next reply will be lost</source>
        <translation>下一个应答将丢失</translation>
    </message>
    <message>
        <source>the next message will be lost</source>
        <translation>下一条消息将丢失</translation>
    </message>
    <message>
        <source>the next request will be done twice</source>
        <translation>下一个请求会执行两次</translation>
    </message>
    <message>
        <source>link %1: %2</source>
        <translation>链路 %1：%2</translation>
    </message>
    <message>
        <source>whole</source>
        <translation>完好</translation>
    </message>
    <message>
        <source>No server yet</source>
        <translation>还没有服务器</translation>
    </message>
    <message>
        <source>Play a scenario, or connect to real servers: they, clients and the messages between them show up here. Right-click one to break it.</source>
        <translation>播放一个场景，或连接真实的服务器：服务器、客户端和它们之间的消息会显示在这里。右键单击可以破坏。</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Arrow keys go from server to client to link; the menu key breaks what is selected.</source>
        <translation>方向键在服务器、客户端和链路间移动；菜单键破坏选中的对象。</translation>
    </message>
    <message>
        <source>a selection, slowed down: real messages take %1</source>
        <translation>只画一部分，已放慢：真实消息只需 %1</translation>
    </message>
    <message>
        <source>slowed down: real messages take %1</source>
        <translation>已放慢：真实消息只需 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n link(s): those of holders, of the selection, and broken ones are drawn</source>
        <translation>
            <numerusform>%n 条链路：只画持有者的、所选的和被破坏的</numerusform>
        </translation>
    </message>
    <message>
        <source>Show the links between servers, too</source>
        <translation>也显示服务器之间的链路</translation>
    </message>
</context>
<context>
    <name>lockscope::views::CommandField</name>
    <message>
        <source>Find or do</source>
        <translation>查找或执行</translation>
    </message>
    <message>
        <source>Find or do…</source>
        <translation>查找或执行…</translation>
    </message>
    <message>
        <source>Find or do… Ctrl+K</source>
        <translation>查找或执行… Ctrl+K</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation>转到 %1</translation>
    </message>
    <message>
        <source>Nothing is called that.</source>
        <translation>没有这样的命令、场景或锁。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::CompareWindow</name>
    <message>
        <source>recipe %1</source>
        <translation>锁算法 %1</translation>
    </message>
    <message>
        <source>with fencing: the resource checks tokens</source>
        <translation>有栅栏：资源检查令牌</translation>
    </message>
    <message>
        <source>without fencing: nobody checks tokens</source>
        <translation>没有栅栏：没有人检查令牌</translation>
    </message>
    <message>
        <source>without a watchdog</source>
        <translation>没有看门狗</translation>
    </message>
    <message>
        <source>with a watchdog that renews every %1</source>
        <translation>有看门狗，每 %1 续期一次</translation>
    </message>
    <message>
        <source>holders stop at their own deadline</source>
        <translation>持有者到自己的截止时间就停手</translation>
    </message>
    <message>
        <source>holders ignore their own deadline</source>
        <translation>持有者不看自己的截止时间</translation>
    </message>
    <message>
        <source>holders stop when they are told of a loss</source>
        <translation>得知失去锁就停手</translation>
    </message>
    <message>
        <source>holders carry on after a loss</source>
        <translation>失去锁之后照样继续</translation>
    </message>
    <message>
        <source>the manager waits for the old holders</source>
        <translation>管理器等旧持有者结束</translation>
    </message>
    <message>
        <source>the manager takes the lock from the old holders</source>
        <translation>管理器收回旧持有者的锁</translation>
    </message>
    <message>
        <source>without a manager: nobody tells the old holders</source>
        <translation>没有管理器：没人通知旧持有者</translation>
    </message>
    <message>
        <source>a lease of %1</source>
        <translation>租约 %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Side by side — Lockscope</source>
        <translation>并排比较 — Lockscope</translation>
    </message>
    <message>
        <source>Play (Space)</source>
        <translation>播放（空格）</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Time %1</source>
        <translation>时间 %1</translation>
    </message>
    <message>
        <source>The lower run differs in &amp;one thing:</source>
        <translation>下面的运行只改一处(&amp;O)：</translation>
    </message>
    <message>
        <source>What differs</source>
        <translation>改了什么</translation>
    </message>
    <message>
        <source>Open the lower run</source>
        <translation>打开下面的运行</translation>
    </message>
    <message>
        <source>In the main window, with its seed and what was done by hand</source>
        <translation>在主窗口中打开，种子和手动操作不变</translation>
    </message>
    <message>
        <source>Goes to the place where the runs part (D)</source>
        <translation>跳到两次运行分开的地方（D）</translation>
    </message>
    <message>
        <source>Nothing about this scenario can be changed alone.</source>
        <translation>这个场景没有可以单独改动的地方。</translation>
    </message>
    <message>
        <source>As it is · %1</source>
        <extracomment>Over the upper of two runs: %1 its recipe.</extracomment>
        <translation>原样 · %1</translation>
    </message>
    <message>
        <source>Computing both runs…</source>
        <translation>正在计算两次运行…</translation>
    </message>
    <message>
        <source>nothing more happens</source>
        <translation>再没有动静</translation>
    </message>
    <message>
        <source>%1: %2 at %3</source>
        <extracomment>What happens first in one of two runs: %1 a client, %2 what it does, %3 when.</extracomment>
        <translation>%1：%2，%3</translation>
    </message>
    <message>
        <source>, </source>
        <comment>list</comment>
        <extracomment>Between the names of invariants in a list.</extracomment>
        <translation>、</translation>
    </message>
    <message>
        <source>holds everything</source>
        <translation>一切成立</translation>
    </message>
    <message>
        <source>breaks %1</source>
        <translation>打破%1</translation>
    </message>
    <message>
        <source>They part at %1</source>
        <translation>在 %1 分开</translation>
    </message>
    <message>
        <source>Both runs tell the same story</source>
        <translation>两次运行经过相同</translation>
    </message>
    <message>
        <source>By the end: above %1; below %2.</source>
        <translation>到结束时：上面%1；下面%2。</translation>
    </message>
    <message>
        <source>Above, %1; below, %2.  ·  %3</source>
        <translation>上面 %1；下面 %2。  ·  %3</translation>
    </message>
</context>
<context>
    <name>lockscope::views::ConnectDialog</name>
    <message>
        <source>&amp;Test</source>
        <translation>测试(&amp;T)</translation>
    </message>
    <message>
        <source>Fin&amp;d locks by listing all keys</source>
        <translation>列出全部键来寻找锁(&amp;D)</translation>
    </message>
    <message>
        <source>Allow &amp;changes on this server</source>
        <translation>允许更改此服务器(&amp;C)</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Connect to a server</source>
        <translation>连接服务器</translation>
    </message>
    <message>
        <source>&amp;Saved connections</source>
        <translation>已保存的连接(&amp;S)</translation>
    </message>
    <message>
        <source>Saved connections</source>
        <translation>已保存的连接</translation>
    </message>
    <message>
        <source>&amp;Forget</source>
        <translation>删除(&amp;F)</translation>
    </message>
    <message>
        <source>Remove this connection from the list</source>
        <translation>从列表中删除这个连接</translation>
    </message>
    <message>
        <source>Save under the &amp;name</source>
        <translation>保存为(&amp;N)</translation>
    </message>
    <message>
        <source>empty: it is not saved</source>
        <translation>留空则不保存</translation>
    </message>
    <message>
        <source>Name under which the connection is saved</source>
        <translation>保存这个连接所用的名称</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>地址(&amp;A)</translation>
    </message>
    <message>
        <source>Address of the server</source>
        <translation>服务器地址</translation>
    </message>
    <message>
        <source>&amp;Parts of the address</source>
        <translation>地址的各部分(&amp;P)</translation>
    </message>
    <message>
        <source>Fill in login, database and TLS files one by one</source>
        <translation>逐项填写登录、数据库和 TLS 文件</translation>
    </message>
    <message>
        <source>&amp;Only locks named</source>
        <translation>仅显示这些名称的锁(&amp;O)</translation>
    </message>
    <message>
        <source>Patterns with * and ?, with commas between them; “!” in front leaves locks out. Empty: all locks.</source>
        <translation>含 * 和 ? 的模式，以逗号分隔；前面加“!”表示排除。留空：所有锁。</translation>
    </message>
    <message>
        <source>Names of the locks to show</source>
        <translation>要显示的锁的名称</translation>
    </message>
    <message>
        <source>String &amp;keys that are locks</source>
        <translation>作为锁的字符串键(&amp;K)</translation>
    </message>
    <message>
        <source>Patterns as above. Strings that libraries write as locks are recognised without this.</source>
        <translation>写法同上。各库写作锁的字符串无需填写即可识别。</translation>
    </message>
    <message>
        <source>Names of string keys that are locks</source>
        <translation>作为锁的字符串键的名称</translation>
    </message>
    <message>
        <source>memcached lists its keys only by a walk through all items (metadump), which costs it some time. Off: only locks that are named in full above are shown.</source>
        <translation>memcached 只有遍历全部数据项才能列出键（metadump），这要花它一些时间。关闭时，只显示上面写全了名称的锁。</translation>
    </message>
    <message>
        <source>A &amp;lock table of your own</source>
        <translation>自定义的锁表(&amp;L)</translation>
    </message>
    <message>
        <source>table, column of the names, of the owners, of the ends</source>
        <translation>表名、锁名列、持有者列、到期列，用逗号分隔</translation>
    </message>
    <message>
        <source>For example app.jobs, job, node, locked_until. The last two may be left out: a row is held while it has an owner, and until its end. Tables of known libraries are recognised without this.</source>
        <translation>例如 app.jobs, job, node, locked_until。后两项可省略：一行有持有者且未到期时视为已加锁。已知库的表无需填写即可识别。</translation>
    </message>
    <message>
        <source>A lock table of your own: its name and columns</source>
        <translation>自定义的锁表：表名和列名</translation>
    </message>
    <message>
        <source>Off: Lockscope only reads. On: its own clients may take and free locks there, and faults may be injected.</source>
        <translation>关闭：Lockscope 只读。打开：它自己的客户端可以在那里获取和释放锁，也可以注入故障。</translation>
    </message>
    <message>
        <source>Connect once and say what came of it; nothing is changed</source>
        <translation>连接一次并说明结果；不改变任何东西</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>a new one</source>
        <translation>新连接</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <extracomment>A saved connection: its name and its address.</extracomment>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Asking this desktop's secret store for the password…</source>
        <translation>正在向桌面的密钥存储询问密码…</translation>
    </message>
    <message>
        <source>The password of a saved connection is kept in this desktop's secret store.</source>
        <translation>已保存连接的密码存放在桌面的密钥存储中。</translation>
    </message>
    <message>
        <source>This desktop has no secret store, or it is locked: a password is not kept and must be typed each time.</source>
        <translation>桌面没有密钥存储，或它已锁定：密码不会保存，每次都要输入。</translation>
    </message>
    <message>
        <source>A password is used for this connection and not kept.</source>
        <translation>密码仅用于这次连接，不会保存。</translation>
    </message>
    <message>
        <source>Trying…</source>
        <translation>正在尝试…</translation>
    </message>
    <message>
        <source>Type the address of a server.</source>
        <translation>请输入服务器地址。</translation>
    </message>
    <message>
        <source>Write the lock table, then its columns of the names, of the owners and of the ends, with commas between them: at least the first two.</source>
        <translation>请依次填写锁表、锁名列、持有者列和到期列，用逗号分隔；至少前两项。</translation>
    </message>
    <message>
        <source>This address can be tried. A server that is not set up to check logins ignores this one; Test tells.</source>
        <translation>可以尝试这个地址。没有设置登录检查的服务器会忽略这里的登录信息；“测试”会告诉你。</translation>
    </message>
    <message>
        <source>This address can be tried.</source>
        <translation>可以尝试这个地址。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::ConnectionsAside</name>
    <message>
        <source>Same client by rule</source>
        <translation>按规则视为同一客户端</translation>
    </message>
    <message>
        <source>From this recording</source>
        <translation>用这份录制</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Watching</source>
        <translation>观察方式</translation>
    </message>
    <message numerus="yes">
        <source>%n client(s)</source>
        <translation>
            <numerusform>%n 个客户端</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::ConnectionsModel</name>
    <message>
        <source>not observed at this time</source>
        <translation>此时未观察到</translation>
    </message>
    <message>
        <source>as recorded</source>
        <translation>来自录制</translation>
    </message>
    <message numerus="yes">
        <source>%n alert(s)</source>
        <translation>
            <numerusform>%n 条告警</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 + %2</source>
        <extracomment>On a connection's card: %1 its worst alert, such as "deadlock", %2 how many others there are.</extracomment>
        <translation>%1 + %2</translation>
    </message>
    <message>
        <source>%1 commands/s · takes %2 %</source>
        <extracomment>What watching costs a server: commands a second, and the share of its time.</extracomment>
        <translation>%1 条命令/秒 · 占用 %2 %</translation>
    </message>
    <message>
        <source>not looked at yet</source>
        <translation>还没有看过</translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s) · %1 held</source>
        <extracomment>%1 how many of them are held.</extracomment>
        <translation>
            <numerusform>%n 把锁 · %1 把被持有</numerusform>
        </translation>
    </message>
    <message>
        <source>last seen: %1</source>
        <extracomment>%1 is a number of locks, and how many of them are held; the connection is not observed now.</extracomment>
        <translation>上次看到：%1</translation>
    </message>
    <message>
        <source>failover %1 ago</source>
        <translation>%1 前故障转移</translation>
    </message>
    <message>
        <source>back for %1</source>
        <extracomment>%1 is a length of time: a server answers again for so long.</extracomment>
        <translation>已恢复 %1</translation>
    </message>
    <message>
        <source>%1 · seen %2 ago</source>
        <extracomment>%1 is the health of a connection, %2 a time: its locks were looked at so long ago.</extracomment>
        <translation>%1 · %2 前看到</translation>
    </message>
    <message>
        <source>changes allowed</source>
        <translation>允许更改</translation>
    </message>
    <message>
        <source>read-only</source>
        <translation>只读</translation>
    </message>
</context>
<context>
    <name>lockscope::views::ConnectionsPanel</name>
    <message>
        <source>&amp;Add a connection…</source>
        <translation>添加连接(&amp;A)…</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Watch another server beside these</source>
        <translation>在这些服务器之外再监视一台</translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s) now</source>
        <translation>
            <numerusform>现有 %n 个锁</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s)</source>
        <translation>
            <numerusform>%n 把锁</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Reconnect</source>
        <translation>重新连接(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Connect again</source>
        <translation>再次连接(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Edit…</source>
        <translation>编辑(&amp;E)…</translation>
    </message>
    <message>
        <source>Copy the &amp;address</source>
        <translation>复制地址(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Servers…</source>
        <translation>服务器(&amp;S)…</translation>
    </message>
    <message>
        <source>Role, replicas, persistence and eviction of each server, as far as it tells</source>
        <translation>每台服务器的角色、副本、持久化和淘汰策略，以它告知的为限</translation>
    </message>
    <message>
        <source>&amp;Forbid changes</source>
        <translation>禁止更改(&amp;F)</translation>
    </message>
    <message>
        <source>Allow &amp;changes…</source>
        <translation>允许更改(&amp;C)…</translation>
    </message>
    <message>
        <source>E&amp;nd this connection</source>
        <translation>结束这个连接(&amp;N)</translation>
    </message>
    <message>
        <source>Its locks are not observed from then on; what was seen stays. Nothing on the server changes.</source>
        <translation>从那时起不再观察它的锁；已经看到的保留。服务器上不会有任何改变。</translation>
    </message>
    <message>
        <source>Servers of “%1”</source>
        <translation>“%1”的服务器</translation>
    </message>
    <message>
        <source>Allow changes</source>
        <translation>允许更改</translation>
    </message>
    <message>
        <source>Allow changes on “%1”?</source>
        <translation>允许在“%1”上更改吗？</translation>
    </message>
    <message>
        <source>Locks on %1 can then be released by force, and clients of our own may take locks there. The other connections stay as they are.</source>
        <translation>之后可以强制释放 %1 上的锁，我们自己的客户端也可以在那里加锁。其他连接保持不变。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::DifferenceMark</name>
    <message>
        <source>here they part</source>
        <translation>在这里分开</translation>
    </message>
</context>
<context>
    <name>lockscope::views::EditorWindow</name>
    <message>
        <source>Sections</source>
        <translation>各部分</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;New</source>
        <translation>新建(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Copy of</source>
        <translation>复制现有的(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>关闭(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>To the &amp;next part</source>
        <translation>到下一部分(&amp;N)</translation>
    </message>
    <message>
        <source>The text is no JSON at present: the form waits until it is.</source>
        <translation>文本目前不是 JSON：表单等它改好再用。</translation>
    </message>
    <message>
        <source>%1[*] — %2 — Lockscope</source>
        <extracomment>The title of a window: %1 a file, %2 "Scenario editor".</extracomment>
        <translation>%1[*] — %2 — Lockscope</translation>
    </message>
    <message>
        <source>Scenario editor</source>
        <translation>场景编辑器</translation>
    </message>
    <message>
        <source>Lesson editor</source>
        <translation>课程编辑器</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>Files of this kind (*.json)</source>
        <translation>这类文件 (*.json)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>%1 was changed by another program since it was read here.</source>
        <translation>%1 在此处读取之后已被另一个程序修改。</translation>
    </message>
    <message>
        <source>Saving replaces what that program wrote.</source>
        <translation>保存会覆盖那个程序写入的内容。</translation>
    </message>
    <message>
        <source>Replace it</source>
        <translation>覆盖</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>另存为…</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>另存为</translation>
    </message>
    <message>
        <source>%1 could not be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>已保存 %1。</translation>
    </message>
    <message>
        <source>Saved %1 as it stands, with its complaints.</source>
        <translation>已按现状保存 %1，其中的问题还在。</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>未保存的改动</translation>
    </message>
    <message>
        <source>The changes in “%1” are not saved.</source>
        <translation>“%1”的改动还没有保存。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::EventsModel</name>
    <message>
        <source>you</source>
        <translation>你</translation>
    </message>
    <message>
        <source>from %1, %2</source>
        <extracomment>Of a lock that was handed over: %1 held it before, %2 is its new lease.</extracomment>
        <translation>来自 %1，%2</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Who</source>
        <translation>谁</translation>
    </message>
    <message>
        <source>What</source>
        <translation>什么</translation>
    </message>
    <message>
        <source>Detail</source>
        <translation>详情</translation>
    </message>
</context>
<context>
    <name>lockscope::views::EventsPanel</name>
    <message>
        <source>Show or hide: %1</source>
        <translation>显示或隐藏：%1</translation>
    </message>
    <message>
        <source>Scroll along with the playhead</source>
        <translation>随播放头滚动</translation>
    </message>
    <message>
        <source>filter: A refused -step</source>
        <translation>筛选：A refused -step</translation>
    </message>
    <message>
        <source>Filter events</source>
        <translation>筛选事件</translation>
    </message>
    <message>
        <source>Words that must all occur in an event: a client, a lock, a kind, a command. A minus before a word: must not occur. (Ctrl+F)</source>
        <translation>事件中必须全部出现的词：客户端、锁、种类、命令。词前加减号：不得出现。（Ctrl+F）</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Nothing has happened yet</source>
        <translation>还没有发生任何事</translation>
    </message>
    <message>
        <source>Play a scenario, or connect to a server: every message, grant, renewal and fault becomes a line here.</source>
        <translation>播放一个场景，或连接服务器：每条消息、授予、续期和故障在这里各占一行。</translation>
    </message>
    <message>
        <source>No event matches</source>
        <translation>没有匹配的事件</translation>
    </message>
    <message>
        <source>Show more kinds of events, or clear the filter (Esc).</source>
        <translation>显示更多种类的事件，或清除筛选（Esc）。</translation>
    </message>
    <message>
        <source>%1 found, %2 % of the events looked at</source>
        <translation>找到 %1 个，已查看事件的 %2 %</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %2 event(s)</source>
        <extracomment>%2: how many there are.</extracomment>
        <translation>
            <numerusform>%2 个事件中的 %1 个</numerusform>
        </translation>
    </message>
    <message>
        <source>the first %1 of %2 events</source>
        <translation>%2 个事件中的前 %1 个</translation>
    </message>
    <message numerus="yes">
        <source>%1 event(s)</source>
        <translation>
            <numerusform>%1 个事件</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::FailureTable</name>
    <message>
        <source>How each way of locking comes through each failure</source>
        <translation>每种加锁的方法在每种故障下的表现</translation>
    </message>
    <message>
        <source>✓ safe · ✓ with a time: safe, but nobody got in for that long · stuck: nobody gets in any more · ✗ two held it, or an old write was accepted · refused: two held it, no old write was accepted · — does not apply</source>
        <translation>✓ 安全 · ✓ 带时间：安全，但这么久没人进得来 · 停滞：再也没人进得来 · ✗ 两个同时持有，或接受了过期写入 · 被拒绝：两个同时持有，过期写入被拒 · — 不适用</translation>
    </message>
    <message>
        <source>stuck</source>
        <extracomment>In a narrow cell of a table: nobody gets the lock any more.</extracomment>
        <translation>停滞</translation>
    </message>
    <message>
        <source>refused</source>
        <extracomment>In a narrow cell of a table: two clients held the lock, but the resource refused the older one's writes.</extracomment>
        <translation>被拒绝</translation>
    </message>
    <message>
        <source>Open the run: %1, seed %2</source>
        <extracomment>In the tip of a cell, below what came of it: %1 a scenario, %2 a seed.</extracomment>
        <translation>打开那次运行：%1，种子 %2</translation>
    </message>
    <message>
        <source>Enter opens the run</source>
        <translation>按回车打开那次运行</translation>
    </message>
    <message>
        <source>no rule was broken, and nobody waited for long</source>
        <translation>没有打破任何不变量，也没有久等</translation>
    </message>
    <message>
        <source>no rule was broken, but nobody got in for %1</source>
        <translation>没有打破任何不变量，但有 %1 没人进得来</translation>
    </message>
    <message>
        <source>nobody got in any more</source>
        <translation>再也没人进得来</translation>
    </message>
    <message>
        <source>two held it at once, but the resource accepted no old write</source>
        <translation>有两个同时持有，但资源没有接受过期的写入</translation>
    </message>
    <message>
        <source>two held it at once, or an old write was accepted</source>
        <translation>两个同时持有，或接受了过期的写入</translation>
    </message>
    <message>
        <source>this failure does not exist there</source>
        <translation>那里没有这种故障</translation>
    </message>
    <message>
        <source>it gives no tokens that could be checked</source>
        <translation>它不发令牌，无从检查</translation>
    </message>
    <message>
        <source>not all could be seen</source>
        <translation>没能全部看到</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <extracomment>A cell of a table: %1 a recipe, %2 a failure, %3 what came of it.</extracomment>
        <translation>%1，%2：%3</translation>
    </message>
</context>
<context>
    <name>lockscope::views::FaultAxis</name>
    <message>
        <source>Faults on the axis of time</source>
        <translation>时间轴上的故障</translation>
    </message>
    <message>
        <source>Drag a fault to another instant; double click adds one there; Delete removes the chosen one</source>
        <translation>把故障拖到别的时刻；双击在该处添加；Delete 删除选中的故障</translation>
    </message>
    <message>
        <source>The faults stand here as soon as the text is JSON.</source>
        <translation>文本成为 JSON 后，故障会显示在这里。</translation>
    </message>
    <message>
        <source>No faults: a double click or Insert adds one.</source>
        <translation>没有故障：双击或按 Insert 添加。</translation>
    </message>
    <message>
        <source>Faults by a condition stand here; there are none.</source>
        <translation>按条件发生的故障放在这里；现在没有。</translation>
    </message>
    <message numerus="yes">
        <source>%n fault(s), none chosen</source>
        <translation>
            <numerusform>%n 个故障，未选中</numerusform>
        </translation>
    </message>
    <message>
        <source>Fault %1 of %2: %3</source>
        <translation>故障 %1/%2：%3</translation>
    </message>
    <message>
        <source>to %1</source>
        <translation>移到 %1</translation>
    </message>
</context>
<context>
    <name>lockscope::views::ForceRelease</name>
    <message>
        <source>This session cannot free a lock on the server.</source>
        <translation>此会话不能释放服务器上的锁。</translation>
    </message>
    <message>
        <source>This lock's connection is read-only. Allow changes on it first.</source>
        <translation>这把锁的连接是只读的。请先允许在该连接上更改。</translation>
    </message>
    <message>
        <source>Nobody holds this lock now.</source>
        <translation>现在没有人持有这把锁。</translation>
    </message>
    <message>
        <source>“%1” is free by now: nothing was done.</source>
        <translation>“%1”现在已经空闲：什么也没有做。</translation>
    </message>
    <message>
        <source>“%1” is held by %2 by now: nothing was freed.</source>
        <translation>“%1”现在由 %2 持有：没有释放任何锁。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::ForceReleaseDialog</name>
    <message>
        <source>&amp;Release by force</source>
        <translation>强制释放(&amp;R)</translation>
    </message>
    <message>
        <source>Release “%1” by force</source>
        <translation>强制释放“%1”</translation>
    </message>
    <message>
        <source>Take “%1” away from %2?</source>
        <translation>从 %2 处夺走“%1”？</translation>
    </message>
    <message>
        <source>Only some libraries hear of it at once. If %1's does not, it goes on as if it held the lock until it asks the server again, and somebody else can have the lock meanwhile.</source>
        <translation>只有部分库会立即得知。如果 %1 的库不会，它会继续像持有锁一样工作，直到再次询问服务器，而期间别人可能已获得锁。</translation>
    </message>
    <message>
        <source>That this key is a lock is only a guess. Releasing it deletes the key, whatever it is.</source>
        <translation>这个键是锁，仅为猜测。释放会删除这个键，不论它是什么。</translation>
    </message>
    <message>
        <source>This will be &amp;sent, and changes nothing if another client holds the lock by then:</source>
        <translation>将发送以下命令(&amp;S)；如果届时由别的客户端持有这把锁，则不改动任何内容：</translation>
    </message>
    <message>
        <source>Asking what the lock looks like now…</source>
        <translation>正在查询这把锁现在的状态…</translation>
    </message>
    <message>
        <source>&amp;Type the lock's name to confirm:</source>
        <translation>输入锁名以确认(&amp;T)：</translation>
    </message>
    <message>
        <source>This ends the whole session of %1: its program gets an error, its transaction is rolled back, and it loses every lock that it has there.</source>
        <translation>这会结束 %1 的整个会话：它的程序会得到一个错误，它的事务会回滚，并且它会失去在那里的所有锁。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::GlossaryDialog</name>
    <message>
        <source>term</source>
        <translation>词汇</translation>
    </message>
    <message>
        <source>role</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>invariant</source>
        <translation>不变量</translation>
    </message>
    <message>
        <source>recipe</source>
        <translation>锁算法</translation>
    </message>
    <message>
        <source>mark of the timeline</source>
        <translation>时间线上的记号</translation>
    </message>
    <message>
        <source>What is this?</source>
        <translation>这是什么？</translation>
    </message>
    <message>
        <source>every word of the program in one sentence</source>
        <translation>程序里的每个词，一句话说明</translation>
    </message>
    <message>
        <source>Find a word</source>
        <translation>查找词汇</translation>
    </message>
    <message>
        <source>Terms</source>
        <translation>词汇</translation>
    </message>
    <message>
        <source>No word is called that</source>
        <translation>没有这个词</translation>
    </message>
    <message>
        <source>Try another one, or a part of it.</source>
        <translation>换一个词，或只输入一部分。</translation>
    </message>
    <message>
        <source>See it in lesson %1: %2</source>
        <extracomment>On a button: %1 the number of a lesson, %2 its title.</extracomment>
        <translation>去看第 %1 课：%2</translation>
    </message>
</context>
<context>
    <name>lockscope::views::HandList</name>
    <message>
        <source>Done by hand</source>
        <translation>手动操作</translation>
    </message>
    <message>
        <source>Restart without these</source>
        <translation>不含这些重新开始</translation>
    </message>
    <message>
        <source>Runs the scenario from its start with the same seed, without what was done by hand</source>
        <translation>以相同的种子从头运行场景，不含手动操作</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>when: what was done</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1
Alt+Left and Alt+Right move it, Alt+Up and Alt+Down let it last longer or shorter, F2 changes it, Del takes it back.</source>
        <translation>%1
Alt+左/右 移动，Alt+上/下 延长或缩短，F2 修改，Del 撤回。</translation>
    </message>
    <message>
        <source>Take back “%1” (Del)</source>
        <translation>撤回“%1”（Del）</translation>
    </message>
    <message>
        <source>Take back “%1”</source>
        <translation>撤回“%1”</translation>
    </message>
</context>
<context>
    <name>lockscope::views::HandsRecorder</name>
    <message>
        <source>Only what is done with a simulation can become a lesson: open a scenario first.</source>
        <translation>只有对模拟做的事才能变成课程：请先打开一个场景。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::HoldersModel</name>
    <message>
        <source>alone</source>
        <translation>独占</translation>
    </message>
    <message>
        <source>shares it</source>
        <translation>共享</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>共享读取</translation>
    </message>
    <message>
        <source>a permit</source>
        <translation>一个许可</translation>
    </message>
    <message numerus="yes">
        <source>%n hold(s)</source>
        <translation>
            <numerusform>持有 %n 次</numerusform>
        </translation>
    </message>
    <message>
        <source>never expires</source>
        <translation>永不过期</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
</context>
<context>
    <name>lockscope::views::InvariantsModel</name>
    <message>
        <source>held</source>
        <translation>成立</translation>
    </message>
    <message>
        <source>held, but %1 starves</source>
        <extracomment>Of the invariant progress: %1 a client that waits, and never finds the lock free.</extracomment>
        <translation>成立，但 %1 饿死</translation>
    </message>
    <message numerus="yes">
        <source>%1 + %n more</source>
        <extracomment>%1 is an interval of time, %n how many more there are.</extracomment>
        <translation>
            <numerusform>%1 + 另外 %n 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, %n later</source>
        <extracomment>%1 how an invariant stands at the playhead, %n how many violations come later.</extracomment>
        <translation>
            <numerusform>%1，之后 %n 次</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>invariant: outcome</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Invariant</source>
        <translation>不变量</translation>
    </message>
    <message>
        <source>When</source>
        <translation>时间</translation>
    </message>
</context>
<context>
    <name>lockscope::views::KeyButton</name>
    <message>
        <source>%1 (%2)</source>
        <extracomment>What a screen reader says of a big key: %1 what it does, %2 the key.</extracomment>
        <translation>%1（%2）</translation>
    </message>
</context>
<context>
    <name>lockscope::views::KeyRow</name>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>空格</translation>
    </message>
    <message>
        <source>play on</source>
        <translation>继续播放</translation>
    </message>
    <message>
        <source>next step</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>pause the holder</source>
        <translation>暂停持有者</translation>
    </message>
    <message>
        <source>heal everything</source>
        <translation>全部复原</translation>
    </message>
    <message>
        <source>blank screen</source>
        <translation>黑屏</translation>
    </message>
</context>
<context>
    <name>lockscope::views::LaneFilter</name>
    <message>
        <source>Filter lanes</source>
        <translation>筛选泳道</translation>
    </message>
    <message>
        <source>Only lanes with this text in a name are shown: of a client, a lock, a server. Escape shows all of them again.</source>
        <translation>只显示名字里有这段文字的泳道：客户端、锁或服务器的名字。按 Esc 重新全部显示。</translation>
    </message>
    <message>
        <source>All lanes again (Esc)</source>
        <translation>恢复所有泳道（Esc）</translation>
    </message>
</context>
<context>
    <name>lockscope::views::LanguagesField</name>
    <message>
        <source>English</source>
        <translation>English</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
</context>
<context>
    <name>lockscope::views::LegendBar</name>
    <message>
        <source>lease left</source>
        <translation>剩余租约</translation>
    </message>
    <message>
        <source>believes</source>
        <translation>以为持有</translation>
    </message>
    <message>
        <source>believes without record</source>
        <translation>没有记录的信念</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>write accepted</source>
        <translation>写入被接受</translation>
    </message>
    <message>
        <source>write, not judged yet</source>
        <extracomment>In the legend of the timeline: a write that the resource accepted, while a lesson's bet is open.</extracomment>
        <translation>写入，尚未裁决</translation>
    </message>
    <message>
        <source>invariant broken</source>
        <translation>不变量被打破</translation>
    </message>
    <message>
        <source>damage</source>
        <translation>损害</translation>
    </message>
    <message>
        <source>margin</source>
        <extracomment>In the legend of the timeline: the strip that tells how long the server would still keep the lock.</extracomment>
        <translation>余量</translation>
    </message>
    <message>
        <source>planned fault</source>
        <translation>预定的故障</translation>
    </message>
    <message>
        <source>write refused</source>
        <translation>写入被拒绝</translation>
    </message>
    <message>
        <source>your fault</source>
        <translation>你造成的故障</translation>
    </message>
    <message>
        <source>nobody knows</source>
        <translation>没人知道</translation>
    </message>
    <message>
        <source>renewal failed</source>
        <translation>续期失败</translation>
    </message>
    <message>
        <source>run before a change</source>
        <extracomment>In the legend of the timeline: the faint picture of the run before something in its past was changed.</extracomment>
        <translation>改动前的运行</translation>
    </message>
    <message>
        <source>Legend</source>
        <translation>图例</translation>
    </message>
</context>
<context>
    <name>lockscope::views::LegendEntry</name>
    <message>
        <source>What is this?</source>
        <translation>这是什么？</translation>
    </message>
</context>
<context>
    <name>lockscope::views::LessonEditor</name>
    <message>
        <source>Steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>Lesson</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Scenes</source>
        <translation>场次</translation>
    </message>
    <message>
        <source>Your turn</source>
        <translation>轮到你了</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>Shows this step in the main window, in the presenter's view</source>
        <translation>在主窗口的演示视图里显示这一步</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Plays every scene and says which claim is false</source>
        <translation>把每一场跑一遍，指出哪个论断不成立</translation>
    </message>
    <message>
        <source>&amp;Show what the scene does</source>
        <translation>显示场景的运行(&amp;S)</translation>
    </message>
    <message>
        <source>First mend what is wrong: %1</source>
        <translation>请先改正：%1</translation>
    </message>
    <message>
        <source>Playing every scene …</source>
        <translation>正在跑每一场…</translation>
    </message>
    <message>
        <source>Checked: every claim is true of its run.</source>
        <translation>检查完毕：每个论断都与运行相符。</translation>
    </message>
    <message numerus="yes">
        <source>%n thing(s) are not true</source>
        <translation>
            <numerusform>有 %n 处不符</numerusform>
        </translation>
    </message>
    <message>
        <source>Checked: every claim is true of its run. Texts that are still to be written: %1</source>
        <translation>检查完毕：每条断言都符合其运行。尚未写的文本：%1</translation>
    </message>
</context>
<context>
    <name>lockscope::views::LessonGuide</name>
    <message>
        <source>bet: %1</source>
        <translation>押注：%1</translation>
    </message>
    <message>
        <source>your bet</source>
        <translation>你的押注</translation>
    </message>
    <message>
        <source>✓ bet: %1</source>
        <translation>✓ 押注：%1</translation>
    </message>
    <message>
        <source>✓ your bet</source>
        <translation>✓ 你的押注</translation>
    </message>
    <message>
        <source>✗ bet: %1</source>
        <translation>✗ 押注：%1</translation>
    </message>
    <message>
        <source>✗ your bet</source>
        <translation>✗ 你的押注</translation>
    </message>
    <message>
        <source>requests for each grant</source>
        <translation>每次授予的请求数</translation>
    </message>
    <message>
        <source>message to waiters so far</source>
        <translation>条消息发给等待者（至今）</translation>
    </message>
    <message>
        <source>messages to waiters so far</source>
        <translation>条消息发给等待者（至今）</translation>
    </message>
    <message>
        <source>waiter notified by this release</source>
        <translation>个等待者被这次解锁通知</translation>
    </message>
    <message>
        <source>waiters notified by this release</source>
        <translation>个等待者被这次解锁通知</translation>
    </message>
    <message>
        <source>what the clients believe</source>
        <translation>各客户端的信念</translation>
    </message>
    <message>
        <source>what client %1 believes</source>
        <translation>客户端 %1 的信念</translation>
    </message>
    <message>
        <source>what the server has on record</source>
        <translation>服务器上的记录</translation>
    </message>
    <message>
        <source>the copies on the servers</source>
        <translation>各服务器上的副本</translation>
    </message>
    <message>
        <source>what the resource accepted</source>
        <translation>资源接受了什么</translation>
    </message>
    <message>
        <source>the sessions</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>the session of %1</source>
        <translation>%1 的会话</translation>
    </message>
    <message>
        <source>the clocks of the clients</source>
        <translation>客户端的时钟</translation>
    </message>
    <message>
        <source>the clock of %1</source>
        <translation>%1 的时钟</translation>
    </message>
    <message>
        <source>the servers</source>
        <translation>各服务器</translation>
    </message>
    <message>
        <source>server %1</source>
        <translation>服务器 %1</translation>
    </message>
    <message>
        <source>, </source>
        <extracomment>Between parts of the timeline: "what client A believes, what the server has on record".</extracomment>
        <translation>，</translation>
    </message>
    <message>
        <source>First a bet from lesson %1</source>
        <extracomment>Before a lesson begins: a question of an earlier one is asked again. %1 is its number.</extracomment>
        <translation>先押一注：来自第 %1 课</translation>
    </message>
    <message>
        <source>A lesson of your own</source>
        <translation>你自己的课</translation>
    </message>
    <message>
        <source>Lesson %1 of %2</source>
        <translation>第 %1 课，共 %2 课</translation>
    </message>
</context>
<context>
    <name>lockscope::views::LessonList</name>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>bet on what happens, then watch; each ends with a task of your own</source>
        <translation>先押注，再观看；每课最后有一个任务</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Begin</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Your own · %1</source>
        <translation>自编 · %1</translation>
    </message>
    <message>
        <source>A built-in lesson has this name, too: give the file %1 another one.</source>
        <translation>有一节内置课程也叫这个名字：请给文件 %1 另取一个名字。</translation>
    </message>
    <message>
        <source>cannot be opened</source>
        <translation>无法打开</translation>
    </message>
    <message>
        <source>has mistakes</source>
        <translation>有错误</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <extracomment>Of a lesson in a list: %1 its number, %2 its title.</extracomment>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>done, task open</source>
        <translation>学完，任务未完成</translation>
    </message>
    <message>
        <source>done ✓</source>
        <translation>已完成 ✓</translation>
    </message>
    <message>
        <source>go on at step %1</source>
        <translation>从第 %1 步继续</translation>
    </message>
    <message numerus="yes">
        <source>%n min</source>
        <translation>
            <numerusform>%n 分钟</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::LessonPanel</name>
    <message>
        <source>Lesson</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>All lessons (%1)</source>
        <translation>全部课程（%1）</translation>
    </message>
    <message>
        <source>Side by side with the run before</source>
        <translation>与前一次运行并排</translation>
    </message>
    <message>
        <source>Both runs on one axis, and where they part (%1)</source>
        <translation>两次运行放在同一时间轴上，并标出从哪里开始不同（%1）</translation>
    </message>
    <message>
        <source>Shift counts a hand of the class</source>
        <translation>按住 Shift 点击：记一只举起的手</translation>
    </message>
    <message>
        <source>See also</source>
        <translation>另请看</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>The step before (←)</source>
        <translation>上一步（←）</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Your turn</source>
        <translation>轮到你了</translation>
    </message>
    <message>
        <source>Remember</source>
        <translation>记住</translation>
    </message>
    <message>
        <source>The lesson waits for you</source>
        <translation>课程在等你</translation>
    </message>
    <message>
        <source>Break the run as you like: it is yours now. Right-click a row, or use the controls at the left, then play on. The lesson goes on where you left it.</source>
        <translation>现在随你折腾：右键点某一行，或用左边的控件，再继续播放。回来后，课程从离开的地方继续。</translation>
    </message>
    <message>
        <source>Look at: %1</source>
        <translation>请看：%1</translation>
    </message>
    <message>
        <source>What is this: %1?</source>
        <translation>这是什么：%1？</translation>
    </message>
    <message>
        <source>Your bet was right</source>
        <translation>押对了</translation>
    </message>
    <message>
        <source>The run answers otherwise</source>
        <translation>运行结果不同</translation>
    </message>
    <message>
        <source>The run says: %1</source>
        <translation>运行结果：%1</translation>
    </message>
    <message>
        <source>The run says: %1. Your bet: %2</source>
        <translation>运行结果：%1。你押的是：%2</translation>
    </message>
    <message numerus="yes">
        <source>%1 of your %n bet(s) came true.</source>
        <translation>
            <numerusform>你的 %n 次押注中有 %1 次押对。</numerusform>
        </translation>
    </message>
    <message>
        <source>Next time, bet before you look: you will see more.</source>
        <translation>下次先押注再看：能看到更多。</translation>
    </message>
    <message>
        <source>Your task is still open: Back leads to it.</source>
        <translation>你的任务还没完成：按“上一步”可以回去做。</translation>
    </message>
    <message numerus="yes">
        <source>%n hand(s) counted</source>
        <translation>
            <numerusform>数了 %n 只手</numerusform>
        </translation>
    </message>
    <message>
        <source>This is one way to do it: watch what is done, and when.</source>
        <translation>这是一种做法：看做了什么，在什么时候。</translation>
    </message>
    <message>
        <source>Done. Finish or Page Down goes on.</source>
        <translation>完成了。按“完成”或 Page Down 继续。</translation>
    </message>
    <message>
        <source>The goal cannot be reached in this run any more: see ✗ below. Start again from the beginning.</source>
        <translation>这次运行已经达不到目标了：见下面的 ✗。请从头再来。</translation>
    </message>
    <message>
        <source>Space plays, Home goes to the start. Use the controls at the left (Ctrl+K finds each by its name), or a row's menu (right-click). A change counts from now on, the upright line. F7 shows protocol and verdict, F10 the statistics. The program checks, and says when it is done.</source>
        <translation>空格播放，Home 回到开头。用左边的控件（Ctrl+K 按名字找），或右键点某一行。改动从现在（竖线）起生效。F7 显示协议和裁决，F10 显示统计。程序会检查，做到了就告诉你。</translation>
    </message>
    <message>
        <source>Use the keys below, or right-click a row; F5 leads to all controls. A change counts from now on, the upright line. The program checks, and says when it is done.</source>
        <translation>用下面的按键，或右键点某一行；F5 可以用全部控件。改动从现在（竖线）起生效。程序会检查，做到了就告诉你。</translation>
    </message>
    <message>
        <source>Bet locked in. Go on, and the run answers.</source>
        <translation>押注已锁定。继续，看运行如何回答。</translation>
    </message>
    <message>
        <source>Enter or Next locks your bet.</source>
        <translation>按回车或点“下一步”锁定押注。</translation>
    </message>
    <message>
        <source>Bet: click an answer or press its number. Next goes on without a bet.</source>
        <translation>押注：点一个答案，或按它的数字键。“下一步”可不押注。</translation>
    </message>
    <message>
        <source>Back to the lesson</source>
        <translation>回到课程</translation>
    </message>
    <message>
        <source>Next lesson</source>
        <translation>下一课</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>Show the end of this step</source>
        <translation>直接看这一步的结果</translation>
    </message>
    <message>
        <source>Space plays on and goes on; → goes on at once</source>
        <translation>空格：播放并继续；→：立即继续</translation>
    </message>
    <message>
        <source>Close the lesson</source>
        <translation>关闭课程</translation>
    </message>
    <message>
        <source>What if …? Try it in free play</source>
        <translation>如果……会怎样？离开课程自由操作</translation>
    </message>
    <message>
        <source>your turn</source>
        <translation>轮到你了</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
    <message>
        <source>Source: %1</source>
        <translation>出处：%1</translation>
    </message>
    <message>
        <source>Bet first: click an answer or press its number. → goes on without a bet.</source>
        <translation>先押注：点一个答案，或按它的数字键。按 → 则不押注继续。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::LimitsDialog</name>
    <message>
        <source>Databases</source>
        <translation>数据库</translation>
    </message>
    <message>
        <source>What the simulated servers leave out</source>
        <translation>模拟服务器省略了什么</translation>
    </message>
    <message>
        <source>Kind of server</source>
        <translation>服务器种类</translation>
    </message>
    <message>
        <source>In full</source>
        <translation>完整清单</translation>
    </message>
    <message>
        <source>a number such as R15 is that of a real server's behaviour</source>
        <translation>R15 这样的编号是真实服务器行为的编号</translation>
    </message>
    <message>
        <source>Everything that is left out</source>
        <translation>省略的全部内容</translation>
    </message>
</context>
<context>
    <name>lockscope::views::ListEditor</name>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Insert</source>
        <translation>Insert</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Ctrl+D</source>
        <translation>Ctrl+D</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Alt+↑</source>
        <translation>Alt+↑</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下移</translation>
    </message>
    <message>
        <source>Alt+↓</source>
        <translation>Alt+↓</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Delete</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <extracomment>A command of a list and its keys: "Add (Insert)".</extracomment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <extracomment>A command of a list: "Add: Faults".</extracomment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <extracomment>An element of a list: %1 its number, %2 what it is.</extracomment>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source>(empty)</source>
        <translation>（空）</translation>
    </message>
</context>
<context>
    <name>lockscope::views::LockActions</name>
    <message>
        <source>Release the lock by &amp;force…</source>
        <translation>强制释放这把锁(&amp;F)…</translation>
    </message>
    <message>
        <source>Release by force…</source>
        <translation>强制释放…</translation>
    </message>
    <message>
        <source>Allow &amp;changes on the lock's connection…</source>
        <translation>允许在该锁的连接上更改(&amp;C)…</translation>
    </message>
    <message>
        <source>Allow changes…</source>
        <translation>允许更改…</translation>
    </message>
    <message>
        <source>Show the lock in the &amp;timeline</source>
        <translation>在时间线中显示这把锁(&amp;T)</translation>
    </message>
    <message>
        <source>Show in timeline</source>
        <translation>在时间线中显示</translation>
    </message>
    <message>
        <source>Copy all about the lock as te&amp;xt</source>
        <translation>将这把锁的全部信息复制为文本(&amp;X)</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>复制为文本</translation>
    </message>
    <message>
        <source>Actions on the lock</source>
        <translation>对这把锁的操作</translation>
    </message>
    <message>
        <source>changes allowed</source>
        <translation>允许更改</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>an action and its key</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Connect again with changes allowed.</source>
        <translation>请重新连接并允许更改。</translation>
    </message>
    <message>
        <source>This connection was ended.</source>
        <translation>此连接已结束。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::LockChips</name>
    <message>
        <source>Show only these locks: %1</source>
        <translation>只显示这些锁：%1</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>held</source>
        <translation>被持有</translation>
    </message>
    <message>
        <source>waited for</source>
        <translation>有人等待</translation>
    </message>
    <message>
        <source>with alerts</source>
        <translation>有告警</translation>
    </message>
    <message>
        <source>never expires</source>
        <translation>永不过期</translation>
    </message>
    <message>
        <source>perhaps</source>
        <extracomment>Keys that may be locks, by the shape of their values alone.</extracomment>
        <translation>可能是锁</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
</context>
<context>
    <name>lockscope::views::LockDetailPanel</name>
    <message>
        <source>Who decides</source>
        <translation>由谁裁定</translation>
    </message>
    <message>
        <source>Believers</source>
        <translation>自认持有者</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>栅栏令牌</translation>
    </message>
    <message>
        <source>Held for</source>
        <translation>已持有</translation>
    </message>
    <message>
        <source>Renewal</source>
        <translation>续期</translation>
    </message>
    <message>
        <source>it is released, or its session ends</source>
        <translation>被释放，或其会话结束</translation>
    </message>
    <message>
        <source>its transaction ends</source>
        <translation>其事务结束</translation>
    </message>
    <message>
        <source>it is released, or its session or transaction ends</source>
        <translation>被释放，或其会话或事务结束</translation>
    </message>
    <message>
        <source>%1  dead since %2</source>
        <translation>%1  自 %2 起已宕机</translation>
    </message>
    <message>
        <source>free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>%1, %2 left</source>
        <translation>%1，剩余 %2</translation>
    </message>
    <message>
        <source>%1  %2: %3</source>
        <extracomment>A server's copy of a lock: %1 the server, %2 what the copy is, %3 who holds it there.</extracomment>
        <translation>%1  %2：%3</translation>
    </message>
    <message>
        <source>decides</source>
        <translation>裁定</translation>
    </message>
    <message>
        <source>a copy</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>Holders</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>TTL</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>On each server</source>
        <translation>各服务器上</translation>
    </message>
    <message>
        <source>On the server</source>
        <translation>服务器上</translation>
    </message>
    <message>
        <source>No lock to look at</source>
        <translation>没有可看的锁</translation>
    </message>
    <message>
        <source>Select a lock in the table or on the timeline.</source>
        <translation>请在表格中或时间线上选择一把锁。</translation>
    </message>
    <message>
        <source>Alert</source>
        <translation>告警</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Record says</source>
        <translation>记录显示</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>Usual (14 days)</source>
        <translation>平常（14 天）</translation>
    </message>
    <message>
        <source>Against usual</source>
        <translation>与平常相比</translation>
    </message>
    <message>
        <source>Ends when</source>
        <translation>何时结束</translation>
    </message>
    <message>
        <source>%1 times as long</source>
        <extracomment>How long a lock is held, against how long it usually is.</extracomment>
        <translation>长达 %1 倍</translation>
    </message>
    <message>
        <source>At %1: %2</source>
        <extracomment>%1 an instant, %2 a sentence, of which the figures are of that instant.</extracomment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>共 %1</translation>
    </message>
    <message>
        <source>of unknown</source>
        <translation>总长未知</translation>
    </message>
    <message>
        <source>nobody</source>
        <translation>无人</translation>
    </message>
    <message>
        <source>gets in</source>
        <translation>能进入</translation>
    </message>
    <message>
        <source>no lease</source>
        <translation>无租约</translation>
    </message>
    <message>
        <source>no TTL told</source>
        <translation>未说明剩余时间</translation>
    </message>
    <message>
        <source>not told yet</source>
        <translation>暂不揭晓</translation>
    </message>
    <message>
        <source>expires</source>
        <translation>到期</translation>
    </message>
    <message numerus="yes">
        <source>%1, %n time(s) over</source>
        <translation>
            <numerusform>%1，已加锁 %n 次</numerusform>
        </translation>
    </message>
    <message>
        <source>the last %1</source>
        <translation>最近 %1</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <extracomment>%1 is the name of a connection, %2 the address of its server.</extracomment>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>%1, paused</source>
        <translation>%1，已暂停</translation>
    </message>
    <message>
        <source>%1, dead</source>
        <translation>%1，已宕机</translation>
    </message>
    <message>
        <source>not known</source>
        <extracomment>Who holds a lock: the server tells neither the address nor the program.</extracomment>
        <translation>未知</translation>
    </message>
    <message>
        <source>The server does not tell which connection this holder has, or the login may not ask for it.</source>
        <translation>服务器没有说明这个持有者使用哪个连接，或者登录账号无权查询。</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <comment>holders</comment>
        <translation>
            <numerusform>以及另外 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>the same since %1</source>
        <translation>自 %1 起未变</translation>
    </message>
    <message>
        <source>seen at %1, %2 ago</source>
        <translation>于 %1 看到，%2 前</translation>
    </message>
    <message>
        <source>the server is down: nothing of it can be seen</source>
        <translation>服务器已宕机：看不到任何内容</translation>
    </message>
    <message>
        <source>Clients that ask wait for the change of engines: they stand in no server's queue.</source>
        <translation>提出请求的客户端在等待引擎切换：它们不在任何服务器的队列里。</translation>
    </message>
    <message>
        <source>Nobody waits. Its server shows such locks only while somebody does: it may be held still.</source>
        <translation>没有等待者。它的服务器只在有等待者时显示这样的锁：它可能仍被持有。</translation>
    </message>
    <message>
        <source>The server cannot be seen: the waiters are not known.</source>
        <translation>看不到服务器：等待者未知。</translation>
    </message>
    <message>
        <source>Nobody waits.</source>
        <translation>没有等待者。</translation>
    </message>
    <message>
        <source>This format does not name waiters.</source>
        <translation>此格式不记录等待者。</translation>
    </message>
    <message>
        <source>No waiter is known: the server counts only those that listen for the release.</source>
        <translation>没有已知的等待者：服务器只数得出订阅释放消息的客户端。</translation>
    </message>
    <message>
        <source>Nobody holds it, nobody waits.</source>
        <translation>没有持有者，也没有等待者。</translation>
    </message>
    <message numerus="yes">
        <source>%n waiter(s); the server does not say who.</source>
        <translation>
            <numerusform>%n 个等待者；服务器没有说明是谁。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more that the server counts</source>
        <translation>
            <numerusform>服务器统计的另外 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>the server is dead; as clients asked</source>
        <translation>服务器已宕机；按客户端请求的顺序</translation>
    </message>
    <message>
        <source>in the server's order</source>
        <translation>按服务器的顺序</translation>
    </message>
    <message>
        <source>nobody decides; as clients asked</source>
        <translation>无人裁定；按客户端请求的先后</translation>
    </message>
    <message>
        <source>no server answers; as clients asked</source>
        <translation>没有服务器应答；按客户端请求的先后</translation>
    </message>
    <message>
        <source>counted by the server, named by clients</source>
        <translation>由服务器计数，由客户端指名</translation>
    </message>
    <message>
        <source>the server has no queue; as clients asked</source>
        <translation>服务器不维护队列；按客户端请求的先后</translation>
    </message>
    <message>
        <source>%1 · %2 · %3, at %4</source>
        <extracomment>The first line of a lock that is copied as text: %1 its name, %2 its format, %3 its state, %4 the time of day.</extracomment>
        <translation>%1 · %2 · %3，时间 %4</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <extracomment>A line of a lock that is copied as text: %1 the name of a fact, %2 the fact.</extracomment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>it is released, or its session is silent for %1</source>
        <translation>被释放，或其会话静默 %1</translation>
    </message>
    <message>
        <source>it is released, and only then</source>
        <translation>只有被释放时</translation>
    </message>
    <message>
        <source>%1, unless renewed</source>
        <extracomment>When a lock ends: %1 a time of day.</extracomment>
        <translation>%1，除非续期</translation>
    </message>
</context>
<context>
    <name>lockscope::views::LockWaits</name>
    <message>
        <source>Wait-for</source>
        <translation>等待图</translation>
    </message>
    <message numerus="yes">
        <source>chain of %n wait(s)</source>
        <translation>
            <numerusform>%n 次等待的链</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>circle of %n client(s)</source>
        <translation>
            <numerusform>%n 个客户端的环</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::LocksModel</name>
    <message>
        <source>No lease: the lock ends with its holder's session, or is released before.</source>
        <translation>没有租约：锁随持有者的会话结束，或在此之前被释放。</translation>
    </message>
    <message>
        <source>No lease: the lock ends when its holder's transaction does.</source>
        <translation>没有租约：锁在持有者的事务结束时结束。</translation>
    </message>
    <message>
        <source>No lease: the lock ends with its holder's session or transaction, or is released before.</source>
        <translation>没有租约：锁随持有者的会话或事务结束，或在此之前被释放。</translation>
    </message>
    <message>
        <source>no holder</source>
        <translation>无持有者</translation>
    </message>
    <message>
        <source>no server</source>
        <translation>无服务器</translation>
    </message>
    <message>
        <source>holders without a name</source>
        <translation>没有名字的持有者</translation>
    </message>
    <message numerus="yes">
        <source>%1 · %n lock(s)</source>
        <translation>
            <numerusform>%1 · %n 把锁</numerusform>
        </translation>
    </message>
    <message>
        <source>%1. %2</source>
        <translation>%1。%2</translation>
    </message>
    <message>
        <source>Unknown: this format does not say when the lock expires.</source>
        <translation>未知：此格式不说明锁何时过期。</translation>
    </message>
    <message>
        <source>%1. No bar: the lock was taken before Lockscope looked, so how long its lease was is not known.</source>
        <translation>%1。没有进度条：锁在 Lockscope 开始观察之前就已被获取，租约总长未知。</translation>
    </message>
    <message>
        <source>%1 each believe they hold it</source>
        <translation>%1 各自以为持有它</translation>
    </message>
    <message>
        <source>%1 hold it together</source>
        <translation>%1 共同持有它</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>持有者</translation>
    </message>
    <message>
        <source>Holds</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>TTL</source>
        <translation>剩余时间</translation>
    </message>
    <message>
        <source>Renewal</source>
        <translation>续期</translation>
    </message>
    <message>
        <source>Waiters</source>
        <translation>等待者</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>栅栏令牌</translation>
    </message>
    <message>
        <source>Held for</source>
        <translation>已持有</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>%1 · %2×</source>
        <extracomment>%1 is how long a lock is held, "4 m 03 s"; %2 how many times as long as usual that is.</extracomment>
        <translation>%1 · %2 倍</translation>
    </message>
    <message>
        <source>%1, %2 ago</source>
        <extracomment>%1 is the state of a lock, such as "held"; %2 a time: it was looked at so long ago.</extracomment>
        <translation>%1，%2 前</translation>
    </message>
    <message>
        <source>address and program not known</source>
        <extracomment>A lock's holder: the server tells neither its address nor its program.</extracomment>
        <translation>地址和程序未知</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <comment>holders</comment>
        <translation>
            <numerusform>另有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>%1. %2, %3</source>
        <extracomment>A line of a queue: %1 the place, %2 who, %3 how long it has waited.</extracomment>
        <translation>%1. %2，%3</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <comment>waiters</comment>
        <translation>
            <numerusform>另有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>In the order of the server's queue</source>
        <translation>按服务器队列的顺序</translation>
    </message>
    <message>
        <source>As clients asked: no server answers</source>
        <translation>按客户端请求的先后：没有服务器应答</translation>
    </message>
    <message>
        <source>Counted by the server, named by clients</source>
        <translation>数量来自服务器，名称来自客户端</translation>
    </message>
    <message>
        <source>As clients asked: the server has no queue</source>
        <translation>按客户端请求的先后：服务器没有队列</translation>
    </message>
    <message>
        <source>%1. Usual for this lock (14 days): %2, the median.</source>
        <translation>%1。这把锁通常（14 天）：%2，取中位数。</translation>
    </message>
    <message>
        <source>%1. Usual for this lock: %2, the median of the last holds that were seen.</source>
        <translation>%1。这把锁平时持有 %2（最近所见各次持有的中位数）。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::LocksPanel</name>
    <message>
        <source>Show in the &amp;timeline</source>
        <translation>在时间线中显示(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Copy name</source>
        <translation>复制名称(&amp;C)</translation>
    </message>
    <message>
        <source>Copy &amp;holder</source>
        <translation>复制持有者(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Release by force…</source>
        <translation>强制释放(&amp;R)…</translation>
    </message>
    <message>
        <source>Group (Ctrl+G)</source>
        <translation>分组（Ctrl+G）</translation>
    </message>
    <message>
        <source>Group the locks</source>
        <translation>将锁分组</translation>
    </message>
    <message>
        <source>filter: state:held ttl&lt;5s</source>
        <translation>筛选：state:held ttl&lt;5s</translation>
    </message>
    <message>
        <source>Filter locks</source>
        <translation>筛选锁</translation>
    </message>
    <message>
        <source>Words and conditions, all of which must be true: name:ord  state:held  ttl&lt;5s  ttl:never  held&gt;1m  waiters&gt;=3  mode:shared  server:redis  holder:A  certainty:guess  alert:any  -word (Ctrl+F)</source>
        <translation>词和条件，须全部成立：name:ord  state:held  ttl&lt;5s  ttl:never  held&gt;1m  waiters&gt;=3  mode:shared  server:redis  holder:A  certainty:guess  alert:any  -词（Ctrl+F）</translation>
    </message>
    <message>
        <source>Locks</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>No lock matches the filter</source>
        <translation>没有匹配的锁</translation>
    </message>
    <message>
        <source>Clear the filter to see all locks again (Esc in the field).</source>
        <translation>清除筛选可重新看到所有锁（在输入框中按 Esc）。</translation>
    </message>
    <message>
        <source>By &amp;connection or server</source>
        <translation>按连接或服务器(&amp;C)</translation>
    </message>
    <message>
        <source>Group by: connection</source>
        <translation>分组：连接</translation>
    </message>
    <message>
        <source>By &amp;backend</source>
        <translation>按后端(&amp;B)</translation>
    </message>
    <message>
        <source>Group by: backend</source>
        <translation>分组：后端</translation>
    </message>
    <message>
        <source>By &amp;holder</source>
        <translation>按持有者(&amp;H)</translation>
    </message>
    <message>
        <source>Group by: holder</source>
        <translation>分组：持有者</translation>
    </message>
    <message>
        <source>Group by: none</source>
        <translation>分组：无</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n lock(s) shown</source>
        <translation>
            <numerusform>显示 %n 把锁中的 %1 把</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 held, %2 waiting</source>
        <translation>%1 把被持有，%2 个在等</translation>
    </message>
    <message>
        <source>%1 not observed</source>
        <translation>%1 把未观察到</translation>
    </message>
    <message>
        <source>%1 perhaps held</source>
        <translation>%1 把可能被持有</translation>
    </message>
    <message numerus="yes">
        <source>%n column(s) hidden</source>
        <extracomment>Columns of the table that are left out, in a window that is too narrow.</extracomment>
        <translation>
            <numerusform>隐藏了 %n 列</numerusform>
        </translation>
    </message>
    <message>
        <source>No room here for: %1. The lock's own panel has them; a wider window shows them here.</source>
        <translation>这里放不下：%1。锁自己的面板里有；窗口宽些就会显示在这里。</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>No locks yet</source>
        <translation>还没有锁</translation>
    </message>
    <message>
        <source>Play a scenario, or connect to a server: every lock shows up here with its holder, the time left and the waiters.</source>
        <translation>播放一个场景，或连接服务器：每把锁连同持有者、剩余时间和等待者都会显示在这里。</translation>
    </message>
    <message>
        <source>No lock on these servers</source>
        <translation>这些服务器上没有锁</translation>
    </message>
    <message>
        <source>No lock on this server</source>
        <translation>此服务器上没有锁</translation>
    </message>
    <message>
        <source>Connected. A lock shows up here as soon as somebody takes one.</source>
        <translation>已连接。有人获取锁后会立即显示在这里。</translation>
    </message>
    <message>
        <source>Connecting</source>
        <translation>正在连接</translation>
    </message>
    <message>
        <source>The server cannot be seen</source>
        <translation>看不到服务器</translation>
    </message>
</context>
<context>
    <name>lockscope::views::OptionalForm</name>
    <message>
        <source>Take away</source>
        <translation>去掉</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Take away: %1</source>
        <translation>去掉：%1</translation>
    </message>
    <message>
        <source>Add: %1</source>
        <translation>添加：%1</translation>
    </message>
</context>
<context>
    <name>lockscope::views::PlanDialog</name>
    <message>
        <source>Plan a fault</source>
        <translation>安排故障</translation>
    </message>
    <message>
        <source>&amp;Fault</source>
        <translation>故障(&amp;F)</translation>
    </message>
    <message>
        <source>E&amp;vict</source>
        <translation>淘汰(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;By</source>
        <translation>数值(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Lasts</source>
        <translation>持续(&amp;L)</translation>
    </message>
    <message>
        <source>A&amp;gain every</source>
        <translation>每隔(&amp;G)</translation>
    </message>
    <message>
        <source>How &amp;often</source>
        <translation>次数(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;When</source>
        <translation>何时(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Client</source>
        <translation>客户端(&amp;C)</translation>
    </message>
    <message>
        <source>Loc&amp;k</source>
        <translation>锁(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Step</source>
        <translation>步骤(&amp;S)</translation>
    </message>
    <message>
        <source>Time l&amp;eft</source>
        <translation>剩余时间(&amp;E)</translation>
    </message>
    <message>
        <source>Se&amp;rver</source>
        <translation>服务器(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Nth time</source>
        <translation>第几次(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Delay</source>
        <translation>延后(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;At</source>
        <translation>时刻(&amp;A)</translation>
    </message>
    <message>
        <source>a time, such as 250ms or 3s; for a clock also -10s</source>
        <translation>时间，如 250ms 或 3s；时钟也可以是 -10s</translation>
    </message>
    <message>
        <source>until it is healed</source>
        <translation>直到复原</translation>
    </message>
    <message>
        <source>once; for pauses of a garbage collector, say, 3s</source>
        <translation>只一次；例如垃圾回收的停顿：3s</translation>
    </message>
    <message>
        <source>to the end of the run</source>
        <translation>直到运行结束</translation>
    </message>
    <message>
        <source>a time, such as 1s</source>
        <translation>时间，如 1s</translation>
    </message>
    <message>
        <source>at once</source>
        <translation>立即</translation>
    </message>
    <message>
        <source>Counted from that instant on</source>
        <translation>从该时刻起计数</translation>
    </message>
    <message>
        <source>to a client</source>
        <translation>对客户端</translation>
    </message>
    <message>
        <source>to a server</source>
        <translation>对服务器</translation>
    </message>
    <message>
        <source>to a link</source>
        <translation>对链路</translation>
    </message>
    <message>
        <source>to all</source>
        <translation>对全部</translation>
    </message>
    <message>
        <source>at a time</source>
        <translation>在某一时刻</translation>
    </message>
    <message>
        <source>when a client gets the lock</source>
        <translation>当客户端获得锁时</translation>
    </message>
    <message>
        <source>when a client asks for the lock</source>
        <translation>当客户端请求锁时</translation>
    </message>
    <message>
        <source>when a client gives the lock back</source>
        <translation>当客户端归还锁时</translation>
    </message>
    <message>
        <source>when the server records a new holder</source>
        <translation>当服务器记下新的持有者时</translation>
    </message>
    <message>
        <source>when a client is at a step</source>
        <translation>当客户端到达某一步时</translation>
    </message>
    <message>
        <source>when so much of the lease is left</source>
        <translation>当租约剩余这么多时</translation>
    </message>
    <message>
        <source>when a server is the leader</source>
        <translation>当某台服务器是领导者时</translation>
    </message>
    <message>
        <source>None of these servers is ever the leader of others.</source>
        <translation>这些服务器中没有哪一台会成为领导者。</translation>
    </message>
    <message>
        <source>the next one, whichever</source>
        <translation>下一个，不论是哪台</translation>
    </message>
    <message>
        <source>“%1” is not a time. Write one such as 250ms or 3s.</source>
        <translation>“%1”不是时间。请写如 250ms 或 3s。</translation>
    </message>
    <message>
        <source>It must last longer than 0 s.</source>
        <translation>持续时间必须大于 0 秒。</translation>
    </message>
    <message>
        <source>Write the names of several, such as A, B.</source>
        <translation>请写出多个名称，例如 A, B。</translation>
    </message>
    <message>
        <source>Write at which time, such as 3s.</source>
        <translation>请写出时刻，如 3s。</translation>
    </message>
    <message>
        <source>Write how much of the lease is left, such as 1s.</source>
        <translation>请写出租约剩余多少，如 1s。</translation>
    </message>
    <message>
        <source>Write by how much, such as 250ms.</source>
        <translation>请写出数值，如 250ms。</translation>
    </message>
    <message>
        <source>the first one, %1</source>
        <translation>第一把，%1</translation>
    </message>
    <message>
        <source>any lock</source>
        <translation>任意一把锁</translation>
    </message>
    <message>
        <source>Counts fr&amp;om</source>
        <translation>计数起点(&amp;O)</translation>
    </message>
    <message>
        <source>From %1 on: %2.</source>
        <translation>从 %1 起：%2。</translation>
    </message>
    <message>
        <source>At %1: %2.</source>
        <translation>在 %1：%2。</translation>
    </message>
    <message>
        <source>Change a fault</source>
        <translation>修改故障</translation>
    </message>
    <message>
        <source>This fault is not there any more: nothing was changed.</source>
        <translation>这个故障已不存在：没有任何更改。</translation>
    </message>
    <message>
        <source>A setting is changed in the form of the workload; here it can be moved and taken back.</source>
        <translation>设置请在负载表单中修改；这里可以移动或撤回它。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::Player</name>
    <message>
        <source>No event from here up to %1.</source>
        <translation>从此处到 %1 没有事件。</translation>
    </message>
    <message>
        <source>The lock is not granted again up to %1.</source>
        <translation>到 %1 为止锁不再被授予。</translation>
    </message>
    <message>
        <source>No fault from here up to %1.</source>
        <translation>从此处到 %1 没有故障。</translation>
    </message>
    <message>
        <source>No violation from here up to %1.</source>
        <translation>从此处到 %1 没有违反。</translation>
    </message>
    <message>
        <source>No earlier event.</source>
        <translation>此前没有事件。</translation>
    </message>
    <message>
        <source>The lock was not granted before this.</source>
        <translation>此前锁没有被授予。</translation>
    </message>
    <message>
        <source>No earlier fault.</source>
        <translation>此前没有故障。</translation>
    </message>
    <message>
        <source>No earlier violation.</source>
        <translation>此前没有违反。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::PresenterBar</name>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Leave (Esc)</source>
        <translation>离开（Esc）</translation>
    </message>
    <message>
        <source> · %1 · lease %2</source>
        <extracomment>Above the presenter's view, after the name of the session: %1 the recipe, %2 how long the lease is.</extracomment>
        <translation> · %1 · 租约 %2</translation>
    </message>
    <message>
        <source> · %1</source>
        <translation> · %1</translation>
    </message>
    <message>
        <source>Time %1</source>
        <translation>时间 %1</translation>
    </message>
</context>
<context>
    <name>lockscope::views::ProtocolModel</name>
    <message>
        <source>lease</source>
        <translation>租约</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <extracomment>A client and the recipe that it still follows: "B (redis-set)".</extracomment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1 waits</source>
        <translation>%1 在等待</translation>
    </message>
    <message>
        <source>%1 believes it holds the lock, and the record says otherwise</source>
        <translation>%1 以为持有锁，但记录并非如此</translation>
    </message>
    <message>
        <source>%1 holds it</source>
        <translation>%1 持有它</translation>
    </message>
    <message>
        <source>%1 (paused)</source>
        <translation>%1（已暂停）</translation>
    </message>
    <message>
        <source>Chosen at %1: each client asks by it from its next request on. Still at another recipe: %2.</source>
        <translation>于 %1 选用：每个客户端从下一次请求起使用它。仍在使用其他算法：%2。</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>Still at another recipe: %1.</source>
        <translation>仍在使用其他算法：%1。</translation>
    </message>
    <message>
        <source>Step %1: %2</source>
        <translation>步骤 %1：%2</translation>
    </message>
</context>
<context>
    <name>lockscope::views::ProtocolPanel</name>
    <message>
        <source>Protocol</source>
        <translation>协议</translation>
    </message>
    <message>
        <source>Steps of the recipe</source>
        <translation>算法的步骤</translation>
    </message>
    <message>
        <source>No recipe to follow</source>
        <translation>没有可跟随的算法</translation>
    </message>
    <message>
        <source>Play a scenario, or select a lock that is held: its recipe's steps show up here, and each client of a scenario stands at the one it has come to.</source>
        <translation>播放一个场景，或选中一把被持有的锁：其算法的步骤会显示在这里，场景中的每个客户端都标在它走到的那一步。</translation>
    </message>
    <message>
        <source>No client is at a step yet.</source>
        <translation>还没有客户端走到任何一步。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::QueueModel</name>
    <message>
        <source>nobody waits there any more</source>
        <translation>那里已无人等待</translation>
    </message>
    <message>
        <source>waits %1</source>
        <extracomment>At least so long: it was in the queue already when it was first seen.</extracomment>
        <translation>在等待 %1</translation>
    </message>
    <message>
        <source>waits ≥ %1</source>
        <translation>已等待 ≥ %1</translation>
    </message>
    <message>
        <source>%1. %2, %3</source>
        <comment>position in a queue, who, how long</comment>
        <translation>%1. %2，%3</translation>
    </message>
</context>
<context>
    <name>lockscope::views::RecipeBox</name>
    <message>
        <source>unsafe: %1</source>
        <translation>不安全：%1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>a recipe's id, what it is</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>SAFE</source>
        <translation>安全</translation>
    </message>
    <message>
        <source>UNSAFE · here to be seen failing</source>
        <translation>不安全 · 用来观察它如何失败</translation>
    </message>
</context>
<context>
    <name>lockscope::views::RunPreview</name>
    <message>
        <source>What the scenario does</source>
        <translation>这个场景的运行</translation>
    </message>
    <message>
        <source>There is a mistake in the text: this is the run of the last text without one.</source>
        <translation>文本有错：这里是上一份无错文本的运行。</translation>
    </message>
    <message>
        <source>Its run stands here as soon as the text has no mistake.</source>
        <translation>文本无错后，这里就会显示它的运行。</translation>
    </message>
    <message>
        <source>Running it …</source>
        <translation>正在运行…</translation>
    </message>
    <message>
        <source>Seed %1: %2</source>
        <extracomment>The line above a picture of a run: %1 a number, %2 a sentence, such as "All invariants hold".</extracomment>
        <translation>种子 %1：%2</translation>
    </message>
</context>
<context>
    <name>lockscope::views::ScenarioCard</name>
    <message>
        <source>Source: %1</source>
        <translation>出处：%1</translation>
    </message>
</context>
<context>
    <name>lockscope::views::ScenarioEditor</name>
    <message>
        <source>Scenario</source>
        <translation>场景</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Locks</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Clients and programs</source>
        <translation>客户端与程序</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Faults</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>Promises</source>
        <translation>承诺</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Puts it on the timeline, with the seed in use there</source>
        <translation>放到时间线上，沿用那里的种子</translation>
    </message>
    <message>
        <source>&amp;Show what it does</source>
        <translation>显示运行(&amp;S)</translation>
    </message>
</context>
<context>
    <name>lockscope::views::ShortcutSheet</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>↑ ↓ for more, any other key closes this</source>
        <translation>↑ ↓ 查看更多，按其他任意键关闭</translation>
    </message>
    <message>
        <source>any key closes this</source>
        <translation>按任意键关闭</translation>
    </message>
</context>
<context>
    <name>lockscope::views::StatisticsModel</name>
    <message>
        <source>≤ %1</source>
        <extracomment>At most so long: a server was looked at too seldom to know more.</extracomment>
        <translation>≤ %1</translation>
    </message>
    <message>
        <source>Known to within %1 only: this server tells of no change, and two looks at it were that far apart.</source>
        <translation>只精确到 %1：这台服务器不告知变化，而两次查看相隔这么久。</translation>
    </message>
    <message numerus="yes">
        <source>of %n wait(s)</source>
        <translation>
            <numerusform>共 %n 次等待</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>of %n hold(s)</source>
        <translation>
            <numerusform>共 %n 次持有</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>of %n hand-over(s)</source>
        <translation>
            <numerusform>共 %n 次交接</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 expired, %2 ended by somebody else</source>
        <translation>%1 次到期，%2 次被别人结束</translation>
    </message>
    <message>
        <source>%1 messages for %2 grants</source>
        <extracomment>%1 a number of messages, %2 a number of grants</extracomment>
        <translation>%2 次授予，%1 条消息</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>The lock. Those that were waited for longest stand first.</source>
        <translation>锁。等待总时间最长的排在最前。</translation>
    </message>
    <message>
        <source>Waiting ⌀</source>
        <translation>平均等待数</translation>
    </message>
    <message>
        <source>How many clients waited on average: our own, and those that a watched server tells of.</source>
        <translation>平均有多少客户端在等待：我们自己的，以及被监视的服务器所报告的。</translation>
    </message>
    <message>
        <source>Grants</source>
        <translation>授予</translation>
    </message>
    <message>
        <source>How often it was taken.</source>
        <translation>被取得的次数。</translation>
    </message>
    <message>
        <source>Per second</source>
        <translation>每秒</translation>
    </message>
    <message>
        <source>Grants a second, over the time that is counted.</source>
        <translation>在统计的时间范围内每秒授予的次数。</translation>
    </message>
    <message>
        <source>Wait p50</source>
        <translation>等待 p50</translation>
    </message>
    <message>
        <source>Half of the waits that ended with the lock were no longer.</source>
        <translation>以得到锁而结束的等待中，一半不超过这个时间。</translation>
    </message>
    <message>
        <source>Wait p99</source>
        <translation>等待 p99</translation>
    </message>
    <message>
        <source>99 of 100 waits that ended with the lock were no longer.</source>
        <translation>以得到锁而结束的等待中，100 次有 99 次不超过这个时间。</translation>
    </message>
    <message>
        <source>Longest wait</source>
        <translation>最长等待</translation>
    </message>
    <message>
        <source>Of all waits: those that ended with the lock or without, and those that go on.</source>
        <translation>所有等待：无论是否得到锁而结束的，以及仍在继续的。</translation>
    </message>
    <message>
        <source>Hold p50</source>
        <translation>持有 p50</translation>
    </message>
    <message>
        <source>Half of the holds were no longer, by the server's record.</source>
        <translation>按服务器的记录，一半的持有不超过这个时间。</translation>
    </message>
    <message>
        <source>Hold p99</source>
        <translation>持有 p99</translation>
    </message>
    <message>
        <source>99 of 100 holds were no longer, by the server's record.</source>
        <translation>按服务器的记录，100 次持有有 99 次不超过这个时间。</translation>
    </message>
    <message>
        <source>Hand-over p50</source>
        <translation>交接 p50</translation>
    </message>
    <message>
        <source>From one holder to the next while somebody waited, by the server's record: half were no longer.</source>
        <translation>有人在等时从一个持有者到下一个的时间，按服务器的记录：一半不超过它。</translation>
    </message>
    <message>
        <source>Hand-over p99</source>
        <translation>交接 p99</translation>
    </message>
    <message>
        <source>From one holder to the next while somebody waited: 99 of 100 were no longer.</source>
        <translation>有人在等时从一个持有者到下一个的时间：100 次有 99 次不超过它。</translation>
    </message>
    <message>
        <source>Gave up</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Waits that ended without the lock. Our own clients only.</source>
        <translation>没有得到锁就结束的等待。只算自己的客户端。</translation>
    </message>
    <message>
        <source>Cut short</source>
        <translation>被截断</translation>
    </message>
    <message>
        <source>Holds that expired, or that somebody else ended.</source>
        <translation>到期的，或被别人结束的持有。</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Messages of our own clients to servers for each grant, while they waited for the lock or held it. Renewals are among them.</source>
        <translation>我们自己的客户端每次授予发给服务器的消息数，计其等待或持有这把锁期间，包括续期。</translation>
    </message>
    <message>
        <source>%1 (ms)</source>
        <translation>%1（毫秒）</translation>
    </message>
    <message>
        <source>Holds and hand-overs known to within (ms)</source>
        <translation>持有与交接的精度（毫秒）</translation>
    </message>
</context>
<context>
    <name>lockscope::views::StatisticsPanel</name>
    <message>
        <source>Statistics</source>
        <translation>统计</translation>
    </message>
    <message>
        <source>The time that is counted</source>
        <translation>统计的时间范围</translation>
    </message>
    <message>
        <source>The time before the playhead that is counted</source>
        <translation>统计播放头之前的多长时间</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>last 10 s</source>
        <translation>最近 10 秒</translation>
    </message>
    <message>
        <source>last minute</source>
        <translation>最近 1 分钟</translation>
    </message>
    <message>
        <source>last 15 min</source>
        <translation>最近 15 分钟</translation>
    </message>
    <message>
        <source>last hour</source>
        <translation>最近 1 小时</translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation>复制为 CSV</translation>
    </message>
    <message>
        <source>Copy the whole table as comma-separated values (Ctrl+C)</source>
        <translation>把整张表复制为逗号分隔的值（Ctrl+C）</translation>
    </message>
    <message>
        <source>Statistics of locks</source>
        <translation>锁的统计</translation>
    </message>
    <message>
        <source>Nothing to count yet</source>
        <translation>还没有可以统计的</translation>
    </message>
    <message>
        <source>How long clients wait, how long they hold and how fast a lock goes from one to the next stands here as soon as a lock was taken.</source>
        <translation>一旦有锁被取得，这里就会显示客户端等多久、持有多久，以及锁从一个到下一个有多快。</translation>
    </message>
    <message>
        <source>counting: %1 %</source>
        <translation>正在统计：%1 %</translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation>从 %1 到 %2</translation>
    </message>
    <message>
        <source>from the beginning to %1</source>
        <translation>从开始到 %1</translation>
    </message>
    <message>
        <source>up to %1 not observed, and left out</source>
        <translation>最多有 %1 没有观察到，未计入</translation>
    </message>
    <message>
        <source>%1 messages a grant</source>
        <translation>每次授予 %1 条消息</translation>
    </message>
    <message>
        <source>%1 messages to servers for each grant</source>
        <translation>每次授予发给服务器 %1 条消息</translation>
    </message>
</context>
<context>
    <name>lockscope::views::StatisticsStrip</name>
    <message>
        <source>known to within %1</source>
        <extracomment>Beside the title of a histogram of times; %1 is how far apart looks at a server were.</extracomment>
        <translation>精确到 %1</translation>
    </message>
    <message>
        <source>release to next grant</source>
        <translation>从释放到下一次授予</translation>
    </message>
    <message>
        <source>%1 a minute, usual %2</source>
        <extracomment>How often all locks are taken: %1 grants in the last minute, %2 in a minute of the time that is counted.</extracomment>
        <translation>每分钟 %1，平时 %2</translation>
    </message>
    <message>
        <source>Overview: waited for longest %1; held longest now %2; from one holder to the next %3</source>
        <translation>概览：等得最久的 %1；现在持有最久的 %2；从一个持有者到下一个 %3</translation>
    </message>
    <message>
        <source>p50 %1, p99 %2</source>
        <translation>p50 %1，p99 %2</translation>
    </message>
    <message>
        <source>; most grants a minute %1; of all %2</source>
        <extracomment>Follows the overview. %1 is a connection and a number: "shop-redis 12"; %2 "3.2 a minute, usual 2.9".</extracomment>
        <translation>；每分钟授予最多 %1；总计 %2</translation>
    </message>
    <message numerus="yes">
        <source>From one holder to the next while somebody waited, by the server's record, of all locks; the scale is logarithmic. Seen %n time(s).</source>
        <translation>
            <numerusform>有人在等时，从一个持有者到下一个持有者的时间（按服务器的记录，所有锁）；横轴是对数刻度。共 %n 次。</numerusform>
        </translation>
    </message>
    <message>
        <source>How often the locks of each connection were taken, a minute: the course of the time that is counted, and the last minute. Dashed: the average, which is the usual pace. Not counted: the hold with which a lock was first seen, holds between two looks, and times in which nobody looked.</source>
        <translation>各连接的锁每分钟被取得的次数：所计时间内的走势和最近一分钟的值。虚线：平均值，即平时的频率。不计：首次看到锁时的那次持有、两次查看之间的持有，以及无人查看的时间。</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 a minute, usual %3, %n grant(s)</source>
        <extracomment>%1 a connection's name, %2 and %3 numbers, %n how many grants were seen</extracomment>
        <translation>
            <numerusform>%1：每分钟 %2，平时 %3，%n 次授予</numerusform>
        </translation>
    </message>
    <message>
        <source>no hand-over that could be timed</source>
        <translation>没有可以计时的交接</translation>
    </message>
    <message>
        <source>%1, log scale</source>
        <translation>%1，对数刻度</translation>
    </message>
    <message>
        <source>p50 %1</source>
        <translation>p50 %1</translation>
    </message>
    <message>
        <source>p99 %1</source>
        <translation>p99 %1</translation>
    </message>
    <message>
        <source>MOST CONTENDED</source>
        <translation>争用最多</translation>
    </message>
    <message>
        <source>time waited</source>
        <translation>等待总时间</translation>
    </message>
    <message>
        <source>LONGEST HELD</source>
        <translation>持有最久</translation>
    </message>
    <message>
        <source>held now</source>
        <translation>现在持有</translation>
    </message>
    <message>
        <source>HAND-OVER</source>
        <translation>交接</translation>
    </message>
    <message>
        <source>CHURN</source>
        <translation>易手频率</translation>
    </message>
    <message>
        <source>nobody has waited</source>
        <translation>还没有人等待</translation>
    </message>
    <message>
        <source>waiters are not known</source>
        <translation>等待者未知</translation>
    </message>
    <message>
        <source>no lock is held</source>
        <translation>没有锁被持有</translation>
    </message>
    <message>
        <source>no lock in sight is held</source>
        <translation>看得到的锁都没有被持有</translation>
    </message>
</context>
<context>
    <name>lockscope::views::StepAxis</name>
    <message>
        <source>Steps on the axis of time</source>
        <translation>时间轴上的步骤</translation>
    </message>
    <message>
        <source>Drag the end of a step to another instant; it keeps the moment that it is told by. A fault is dragged, too; Delete removes it</source>
        <translation>把一步的终点拖到另一时刻；它仍按原来的时刻点来写。故障也可以拖动；按 Delete 删除</translation>
    </message>
    <message>
        <source>The steps stand here as soon as the lesson has no mistake.</source>
        <translation>课程没有错误后，步骤就显示在这里。</translation>
    </message>
    <message>
        <source>Playing the scenes …</source>
        <translation>正在演出各场次……</translation>
    </message>
    <message>
        <source>The steps cannot be shown: %1</source>
        <extracomment>%1 a sentence that names the scene.</extracomment>
        <translation>步骤无法显示：%1</translation>
    </message>
    <message>
        <source>No step of this scene was played.</source>
        <translation>这个场景没有步骤被播放。</translation>
    </message>
    <message>
        <source>Fault %1 of %2, at %3: %4. Delete removes it.</source>
        <extracomment>%3 a time, %4 a fault in words.</extracomment>
        <translation>第 %1 个故障，共 %2 个，在 %3：%4。按 Delete 删除。</translation>
    </message>
    <message>
        <source>Step %1 of %2 stops at %3 (%4)</source>
        <extracomment>%3 a time, %4 how the lesson tells it: "wake+300ms".</extracomment>
        <translation>第 %1 步（共 %2 步）停在 %3（%4）</translation>
    </message>
    <message>
        <source>to %1</source>
        <translation>移到 %1</translation>
    </message>
</context>
<context>
    <name>lockscope::views::StepDots</name>
    <message>
        <source>Step %1 of %2</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
</context>
<context>
    <name>lockscope::views::TargetLine</name>
    <message>
        <source>%1: %2</source>
        <extracomment>A group of buttons, for screen readers: what they act on, and which one: "client: A · holds".</extracomment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <extracomment>A name and its state: "A · holds".</extracomment>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>lockscope::views::TargetPicker</name>
    <message>
        <source>&amp;Target</source>
        <translation>目标(&amp;T)</translation>
    </message>
    <message>
        <source>Na&amp;mes</source>
        <translation>名称(&amp;M)</translation>
    </message>
    <message>
        <source>and tho&amp;se</source>
        <translation>与那些(&amp;S)</translation>
    </message>
    <message>
        <source>D&amp;irection</source>
        <translation>方向(&amp;I)</translation>
    </message>
    <message>
        <source>such as A, B, holder</source>
        <translation>例如 A, B, holder</translation>
    </message>
    <message>
        <source>the present %1</source>
        <extracomment>%1 a role: whichever server is the master, or the leader, when the fault strikes.</extracomment>
        <translation>当前的%1</translation>
    </message>
    <message>
        <source>such as %1</source>
        <translation>例如 %1</translation>
    </message>
    <message>
        <source>one side, such as A, B</source>
        <translation>一边，例如 A, B</translation>
    </message>
    <message>
        <source>the other side, such as %1</source>
        <translation>另一边，例如 %1</translation>
    </message>
    <message>
        <source>several…</source>
        <translation>多个…</translation>
    </message>
    <message>
        <source>%1 ↔ %2</source>
        <translation>%1 ↔ %2</translation>
    </message>
    <message>
        <source>these</source>
        <translation>前者</translation>
    </message>
    <message>
        <source>those</source>
        <translation>后者</translation>
    </message>
    <message>
        <source>both directions</source>
        <translation>双向</translation>
    </message>
    <message>
        <source>only from %1 to %2</source>
        <extracomment>Two sides of a link: what the first one sends to the second one is lost.</extracomment>
        <translation>仅从 %1 到 %2</translation>
    </message>
    <message>
        <source>Between t&amp;hese</source>
        <translation>在这些(&amp;H)</translation>
    </message>
</context>
<context>
    <name>lockscope::views::TaskBox</name>
    <message>
        <source>Give me a hint</source>
        <translation>给我提示</translation>
    </message>
    <message>
        <source>Show one way</source>
        <translation>演示一种做法</translation>
    </message>
    <message>
        <source>Plays what somebody could do. It does not count as yours.</source>
        <translation>播放一种可行的做法，不算你完成。</translation>
    </message>
    <message>
        <source>Now let me try</source>
        <translation>现在我来试</translation>
    </message>
    <message>
        <source>Start again without my changes</source>
        <translation>去掉我的改动，从头再来</translation>
    </message>
</context>
<context>
    <name>lockscope::views::TextOnlyField</name>
    <message>
        <source>Add in the text</source>
        <translation>在文本中添加</translation>
    </message>
    <message numerus="yes">
        <source>%n field(s): edit in the text</source>
        <translation>
            <numerusform>%n 个字段：在文本中编辑</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::TextPane</name>
    <message>
        <source>line %1 · %2: still to be written</source>
        <extracomment>A text of a lesson: %1 a line's number, %2 its place.</extracomment>
        <translation>第 %1 行 · %2：尚未写</translation>
    </message>
    <message>
        <source>The lesson can be played; until then the other language's text stands there.</source>
        <translation>课程已能播放；写好之前，这里用另一种语言的文字。</translation>
    </message>
    <message>
        <source>Complaints</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Text of the file</source>
        <translation>文件文本</translation>
    </message>
    <message>
        <source>line %1 · %2</source>
        <extracomment>A complaint: %1 a line's number, %2 the place and what is wrong.</extracomment>
        <translation>第 %1 行 · %2</translation>
    </message>
    <message numerus="yes">
        <source>%n complaint(s)</source>
        <translation>
            <numerusform>%n 个问题</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>it can run; %n text(s) still to be written</source>
        <translation>
            <numerusform>可以运行；还有 %n 处文字未写</numerusform>
        </translation>
    </message>
    <message>
        <source>none: it can run</source>
        <translation>没有：可以运行</translation>
    </message>
    <message>
        <source>Nothing is wrong with it.</source>
        <translation>没有任何问题。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::TimelineOverview</name>
    <message>
        <source>Overview</source>
        <translation>总览</translation>
    </message>
    <message>
        <source>The whole trace; click to set the playhead, drag to move the visible range</source>
        <translation>整条时间线；点击可设置播放头，拖动可移动可见范围</translation>
    </message>
</context>
<context>
    <name>lockscope::views::TimelinePanel</name>
    <message>
        <source>Stop reading</source>
        <translation>停止读取</translation>
    </message>
    <message>
        <source>How much of the recording has been read</source>
        <translation>录制已读取多少</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Draws the rest</source>
        <translation>绘制其余部分</translation>
    </message>
    <message>
        <source>What has been read so far stays open</source>
        <translation>已读取的内容保持打开</translation>
    </message>
    <message>
        <source>Reading %1 of %2 events</source>
        <translation>正在读取 %2 个事件中的第 %1 个</translation>
    </message>
    <message>
        <source>Drawn up to %1 only: %2 of %3 events</source>
        <translation>只绘制到 %1：%2 个事件（共 %3 个）</translation>
    </message>
    <message>
        <source>Drawing %1 of %2 events</source>
        <translation>正在绘制 %2 个事件中的第 %1 个</translation>
    </message>
</context>
<context>
    <name>lockscope::views::TimelineRuler</name>
    <message>
        <source>Time scale</source>
        <translation>时间刻度</translation>
    </message>
    <message>
        <source>Drag to move the playhead</source>
        <translation>拖动可移动播放头</translation>
    </message>
    <message>
        <source>Time scale and faults</source>
        <translation>时间刻度与故障</translation>
    </message>
    <message>
        <source>From %1 on: %2</source>
        <translation>从 %1 起：%2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Drag it to another time, or take it back by a right click.</source>
        <translation>拖动可改变时间，右键单击可撤回。</translation>
    </message>
    <message>
        <source>Drag here, or over a lane with Ctrl, to draw a fault.</source>
        <translation>在这里拖动，或按住 Ctrl 在泳道上拖动，画出一个故障。</translation>
    </message>
    <message>
        <source>Take it back</source>
        <translation>撤回</translation>
    </message>
    <message>
        <source>Change it…</source>
        <translation>修改…</translation>
    </message>
</context>
<context>
    <name>lockscope::views::TimelineView</name>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>&amp;Unpin this lane</source>
        <translation>取消固定此泳道(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Pin this lane in sight</source>
        <translation>固定此泳道(&amp;P)</translation>
    </message>
    <message>
        <source>Keep the playhead in sight</source>
        <translation>让播放头保持可见</translation>
    </message>
    <message>
        <source>Show the run before the last change</source>
        <translation>显示上次更改之前的运行</translation>
    </message>
    <message>
        <source>Show the run one change earlier</source>
        <translation>显示再早一次更改之前的运行</translation>
    </message>
    <message>
        <source>Back to the run that is drawn faintly</source>
        <translation>回到淡色显示的那次运行</translation>
    </message>
    <message>
        <source>List the earlier runs</source>
        <translation>列出较早的运行</translation>
    </message>
    <message>
        <source>Only clients that have held the lock</source>
        <translation>只显示持有过锁的客户端</translation>
    </message>
    <message>
        <source>All links, also those with nothing wrong</source>
        <translation>所有链路，包括没有问题的</translation>
    </message>
    <message>
        <source>Measure from the playhead</source>
        <translation>从播放头开始测量</translation>
    </message>
    <message>
        <source>Fold or unfold a section of lanes</source>
        <translation>折叠或展开一组泳道</translation>
    </message>
    <message>
        <source>Pin the lock's lane in sight, or unpin it</source>
        <translation>固定或取消固定该锁的泳道</translation>
    </message>
    <message>
        <source>Filter lanes by a text</source>
        <translation>按文字筛选泳道</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Zoom to everything</source>
        <translation>缩放到全部</translation>
    </message>
    <message>
        <source>−%1 · %2</source>
        <extracomment>In the list of runs before changes in their past: %1 how many changes ago, %2 what was different.</extracomment>
        <translation>−%1 · %2</translation>
    </message>
    <message>
        <source>Back to the run %1</source>
        <extracomment>In a lane's menu; %1 is how the earlier run differs: "without Pause A at 3.0 s", "with seed 7".</extracomment>
        <translation>回到这次运行：%1</translation>
    </message>
    <message>
        <source>Earlier runs</source>
        <translation>较早的运行</translation>
    </message>
    <message>
        <source>Click to unfold these lanes</source>
        <translation>点击展开这些泳道</translation>
    </message>
    <message>
        <source>Click to fold these lanes</source>
        <translation>点击折叠这些泳道</translation>
    </message>
    <message>
        <source>No lane has “%1” in its names</source>
        <translation>没有哪条泳道的名字里有“%1”</translation>
    </message>
    <message>
        <source>All lanes are hidden</source>
        <translation>所有泳道都已隐藏</translation>
    </message>
    <message>
        <source>Nothing has happened yet</source>
        <translation>还没有发生任何事</translation>
    </message>
    <message>
        <source>Esc in the field above shows all lanes again.</source>
        <translation>在上方的输入框里按 Esc，重新显示全部泳道。</translation>
    </message>
    <message>
        <source>Click the captions of groups to unfold them.</source>
        <translation>点击分组标题可将其展开。</translation>
    </message>
    <message>
        <source>Press play: each client, lock and server gets a lane here, and what they believe stands above what is true.</source>
        <translation>按下播放：每个客户端、锁和服务器在这里各有一条泳道，它们以为的在上，真实的在下。</translation>
    </message>
    <message>
        <source>Lanes of belief, record and effect over time. Up and Down choose a lane, Left and Right go from event to event, Plus and Minus zoom.</source>
        <translation>信念、记录和效果随时间变化的泳道。上下键选择泳道，左右键在事件间移动，加减键缩放。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <extracomment>What a screen reader says of a lane: %1 its name, %2 how it stands.</extracomment>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>lockscope::views::TransportBar</name>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Transport</source>
        <translation>播放控制</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Play at %1×</source>
        <translation>以 %1× 播放</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>&amp;Restart with the same seed</source>
        <translation>用相同种子重新开始(&amp;R)</translation>
    </message>
    <message>
        <source>Restart &amp;without what was done by hand</source>
        <translation>不含手动操作重新开始(&amp;W)</translation>
    </message>
    <message>
        <source>Restart with a &amp;new seed</source>
        <translation>用新种子重新开始(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Play</source>
        <translation>播放(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Step to the next event</source>
        <translation>走到下一个事件(&amp;S)</translation>
    </message>
    <message>
        <source>Step &amp;back to the previous event</source>
        <translation>退回上一个事件(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Next acquisition</source>
        <translation>下一次获得锁(&amp;N)</translation>
    </message>
    <message>
        <source>Previous a&amp;cquisition</source>
        <translation>上一次获得锁(&amp;C)</translation>
    </message>
    <message>
        <source>Next &amp;fault</source>
        <translation>下一个故障(&amp;F)</translation>
    </message>
    <message>
        <source>Previous fa&amp;ult</source>
        <translation>上一个故障(&amp;U)</translation>
    </message>
    <message>
        <source>Next &amp;violation</source>
        <translation>下一次违反(&amp;V)</translation>
    </message>
    <message>
        <source>Previous v&amp;iolation</source>
        <translation>上一次违反(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Go to the start</source>
        <translation>转到开头(&amp;G)</translation>
    </message>
    <message>
        <source>Go to the &amp;end</source>
        <translation>转到末尾(&amp;E)</translation>
    </message>
    <message>
        <source>Fas&amp;ter</source>
        <translation>加快(&amp;T)</translation>
    </message>
    <message>
        <source>S&amp;lower</source>
        <translation>减慢(&amp;L)</translation>
    </message>
    <message>
        <source>N&amp;ormal speed</source>
        <translation>正常速度(&amp;O)</translation>
    </message>
    <message>
        <source>Find or do…</source>
        <translation>查找或执行…</translation>
    </message>
    <message>
        <source>T&amp;ype a seed</source>
        <translation>输入种子(&amp;Y)</translation>
    </message>
    <message>
        <source>Run to the next violation; the arrow offers acquisitions and faults, too</source>
        <translation>运行到下一次违反；箭头中还有获取和故障</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Speed: 0.01× to 1000×</source>
        <translation>速度：0.01× 到 1000×</translation>
    </message>
    <message>
        <source>The seed of this run: the same seed gives the same run. Type another one and press Enter.</source>
        <translation>此次运行的种子：相同的种子得到相同的运行。输入另一个并按回车。</translation>
    </message>
    <message>
        <source>The seed of the run that was recorded</source>
        <translation>所录制的运行的种子</translation>
    </message>
    <message>
        <source>seed %1</source>
        <translation>种子 %1</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>暂停(&amp;P)</translation>
    </message>
    <message>
        <source>Follow what ha&amp;ppens now</source>
        <translation>跟随当前进展(&amp;P)</translation>
    </message>
    <message>
        <source>Live</source>
        <extracomment>On the button that follows what happens now; pressed while the window does.</extracomment>
        <translation>实时</translation>
    </message>
    <message>
        <source>Time %1</source>
        <extracomment>What a screen reader says of the clock.</extracomment>
        <translation>时间 %1</translation>
    </message>
    <message>
        <source>%1, %2 since the beginning</source>
        <translation>%1，开始后 %2</translation>
    </message>
    <message>
        <source>%1
Its id: %2</source>
        <extracomment>A tool tip: %1 "Simulated · The holder sleeps through its lease", %2 the scenario's name in commands.</extracomment>
        <translation>%1
标识：%2</translation>
    </message>
    <message>
        <source>Changes allowed</source>
        <translation>允许更改</translation>
    </message>
    <message>
        <source>read-only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>Clients of our own may take and free locks on this server, and any lock can be released by force. Connect again without changes to be safe.</source>
        <translation>我们自己的客户端可以在此服务器上获取和释放锁，任何锁都可以被强制释放。若要安全，请以只读方式重新连接。</translation>
    </message>
    <message>
        <source>Nothing is written to this server. To release locks or run clients of our own, connect again with changes allowed.</source>
        <translation>不会向此服务器写入任何内容。若要释放锁或运行自己的客户端，请以允许更改的方式重新连接。</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>A seed is a whole number from 0 to 18446744073709551615.</source>
        <translation>种子是 0 到 18446744073709551615 的整数。</translation>
    </message>
    <message>
        <source>more</source>
        <extracomment>A button at the end of a row; its menu has what the row has no room for.</extracomment>
        <translation>更多</translation>
    </message>
    <message>
        <source>What this row has no room for</source>
        <translation>这一行放不下的内容</translation>
    </message>
    <message>
        <source>Speed: %1</source>
        <translation>速度：%1</translation>
    </message>
    <message>
        <source>next violation</source>
        <extracomment>A button that runs to the next violation.</extracomment>
        <translation>下一次违反</translation>
    </message>
    <message>
        <source>next</source>
        <translation>下一个</translation>
    </message>
</context>
<context>
    <name>lockscope::views::TtlHistory</name>
    <message>
        <source>TTL over the last %1</source>
        <translation>最近 %1 的剩余时间</translation>
    </message>
    <message numerus="yes">
        <source>%n renewal(s)</source>
        <translation>
            <numerusform>%n 次续期</numerusform>
        </translation>
    </message>
    <message>
        <source>%1; only the last %2 events were looked at</source>
        <translation>%1；只查看了最近 %2 个事件</translation>
    </message>
    <message>
        <source>older was not looked at</source>
        <translation>更早的未查看</translation>
    </message>
    <message>
        <source>%1 ago</source>
        <translation>%1 前</translation>
    </message>
</context>
<context>
    <name>lockscope::views::UrlPartsForm</name>
    <message>
        <source>Encr&amp;ypted (TLS)</source>
        <translation>加密（TLS）(&amp;Y)</translation>
    </message>
    <message>
        <source>Ser&amp;vers, with commas between them</source>
        <translation>服务器，用逗号分隔(&amp;V)</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Databas&amp;e</source>
        <translation>数据库(&amp;E)</translation>
    </message>
    <message>
        <source>Database</source>
        <translation>数据库</translation>
    </message>
    <message>
        <source>&amp;User</source>
        <translation>用户名(&amp;U)</translation>
    </message>
    <message>
        <source>User</source>
        <translation>用户名</translation>
    </message>
    <message>
        <source>Pass&amp;word</source>
        <translation>密码(&amp;W)</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>Authority (CA)</source>
        <translation>颁发机构（CA）</translation>
    </message>
    <message>
        <source>File of the certification authority</source>
        <translation>证书颁发机构的文件</translation>
    </message>
    <message>
        <source>Client's certificate</source>
        <translation>客户端证书</translation>
    </message>
    <message>
        <source>File of the client's certificate</source>
        <translation>客户端证书的文件</translation>
    </message>
    <message>
        <source>Client's key</source>
        <translation>客户端私钥</translation>
    </message>
    <message>
        <source>File of the client's private key</source>
        <translation>客户端私钥的文件</translation>
    </message>
    <message>
        <source>PEM file</source>
        <translation>PEM 文件</translation>
    </message>
    <message>
        <source>Choose: %1</source>
        <extracomment>On a button: %1 a file, "File of the certification authority".</extracomment>
        <translation>选择：%1</translation>
    </message>
    <message>
        <source>PEM files (*.pem *.crt *.cer *.key)</source>
        <translation>PEM 文件 (*.pem *.crt *.cer *.key)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Mast&amp;er's name</source>
        <translation>主节点名称(&amp;E)</translation>
    </message>
    <message>
        <source>Path of th&amp;e root</source>
        <translation>根路径(&amp;E)</translation>
    </message>
</context>
<context>
    <name>lockscope::views::VerdictBanner</name>
    <message numerus="yes">
        <source>%1  (+%n more)</source>
        <comment>alerts</comment>
        <extracomment>%1 a sentence on one alert; %n how many more there are besides.</extracomment>
        <translation>
            <numerusform>%1  （另 %n 个）</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1  (+%n more)</source>
        <extracomment>%1 a sentence on one violation; %n how many more there are besides.</extracomment>
        <translation>
            <numerusform>%1  （另 %n 个）</numerusform>
        </translation>
    </message>
    <message>
        <source>Verdict held back until you have bet</source>
        <extracomment>In the place of the verdict, while a lesson's question is open.</extracomment>
        <translation>裁决先不说，等你押注</translation>
    </message>
    <message>
        <source>Nothing to judge yet</source>
        <translation>尚无可评判的内容</translation>
    </message>
    <message>
        <source>What was seen holds, but not all was seen</source>
        <translation>所见均成立，但并非全部可见</translation>
    </message>
    <message>
        <source>What can be judged holds, but not all can</source>
        <translation>能判断的都成立，但有些无法判断</translation>
    </message>
    <message>
        <source>All invariants hold so far</source>
        <translation>至今所有不变量都成立</translation>
    </message>
    <message>
        <source>Alert: %1</source>
        <translation>告警：%1</translation>
    </message>
    <message>
        <source>Verdict: %1</source>
        <translation>裁决：%1</translation>
    </message>
    <message>
        <source>A click goes there and explains it.</source>
        <translation>单击可转到该处并查看说明。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::VerdictPanel</name>
    <message>
        <source>Violations</source>
        <translation>违反</translation>
    </message>
    <message>
        <source>Nothing has gone wrong so far.</source>
        <translation>至今没有出错。</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>裁决</translation>
    </message>
    <message>
        <source>Invariants</source>
        <translation>不变量</translation>
    </message>
    <message>
        <source>%1 so far, %2 later</source>
        <extracomment>How many violations: %1 up to the playhead, %2 after it.</extracomment>
        <translation>至今 %1，之后 %2</translation>
    </message>
    <message>
        <source>Held back until you have bet.</source>
        <translation>先不说，等你押注。</translation>
    </message>
    <message>
        <source>Nothing to judge yet: play a scenario, or open a recording.</source>
        <translation>还没有可裁决的：播放一个场景，或打开一份录制。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::ViewContext</name>
    <message>
        <source>This session cannot be changed: nothing was done.</source>
        <translation>此会话不能更改：什么也没有做。</translation>
    </message>
    <message>
        <source>There is no “%1” to do this to at this instant.</source>
        <translation>此刻没有“%1”可以操作。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::ViolationDelegate</name>
    <message>
        <source>later · %1</source>
        <extracomment>On the card of a violation that begins after the playhead; %1 is when, such as "6.0 – 7.2 s".</extracomment>
        <translation>之后 · %1</translation>
    </message>
</context>
<context>
    <name>lockscope::views::WaitPicture</name>
    <message>
        <source>one client?</source>
        <extracomment>Beside a dashed line between two clients of one name, which may be one client.</extracomment>
        <translation>同一个客户端？</translation>
    </message>
    <message numerus="yes">
        <source>break here:
%n go on</source>
        <extracomment>Beside scissors at the hold whose end breaks a deadlock.</extracomment>
        <translation>
            <numerusform>在此断开：
%n 个可继续</numerusform>
        </translation>
    </message>
    <message>
        <source>Who waits for whom</source>
        <translation>谁在等谁</translation>
    </message>
    <message numerus="yes">
        <source>%n more wait(s)</source>
        <comment>for a lock</comment>
        <translation>
            <numerusform>另有 %n 个在等待</numerusform>
        </translation>
    </message>
    <message>
        <source>holds %1</source>
        <extracomment>Beside an arrow of the wait-for picture; %1 is a length of time. "≥": it had begun before it was first seen.</extracomment>
        <translation>持有 %1</translation>
    </message>
    <message>
        <source>holds ≥ %1</source>
        <translation>持有 ≥ %1</translation>
    </message>
    <message>
        <source>waits %1</source>
        <translation>在等待 %1</translation>
    </message>
    <message>
        <source>waits ≥ %1</source>
        <translation>已等待 ≥ %1</translation>
    </message>
    <message>
        <source>%1 holds %2 since %3.</source>
        <extracomment>%1 a client, %2 a lock, %3 an instant</extracomment>
        <translation>%1 自 %3 起持有 %2。</translation>
    </message>
    <message>
        <source>%1 waits for %2 since %3.</source>
        <translation>%1 自 %3 起等待 %2。</translation>
    </message>
    <message>
        <source>%1 holds %2 since %3 at the latest: that is when it was first seen.</source>
        <translation>%1 最迟从 %3 起持有 %2：那是第一次看到它的时刻。</translation>
    </message>
    <message>
        <source>%1 waits for %2 since %3 at the latest: that is when it was first seen.</source>
        <translation>%1 最迟从 %3 起等待 %2：那是第一次看到它的时刻。</translation>
    </message>
    <message numerus="yes">
        <source>If this hold ends, the circle is broken and %n client(s) can go on.</source>
        <translation>
            <numerusform>这次持有一结束，环就断开，%n 个客户端可以继续。</numerusform>
        </translation>
    </message>
    <message>
        <source>seen over %1</source>
        <translation>经由 %1 看到</translation>
    </message>
    <message>
        <source>One client %1, out of names on several servers. Its menu rejects that rule.</source>
        <translation>%1，几台服务器上的名称被视为同一个客户端。可在它的菜单中否决这条规则。</translation>
    </message>
    <message>
        <source>Not one client: &amp;reject the rule “%1”</source>
        <translation>不是同一个客户端：否决规则“%1”(&amp;R)</translation>
    </message>
    <message>
        <source>Holders and waiters that come from now on are told apart. Session ▸ Same client… brings the rule back.</source>
        <translation>此后出现的持有者和等待者会被区分开。可用“会话 ▸ 同一客户端…”恢复这条规则。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::WaitsPanel</name>
    <message>
        <source>Who waits for whom</source>
        <translation>谁在等谁</translation>
    </message>
    <message>
        <source>Nobody is seen to wait</source>
        <translation>没有看到等待者</translation>
    </message>
    <message>
        <source>Of some locks it is not known whether anybody waits: their servers do not tell, or are out of sight.</source>
        <translation>有些锁不知道是否有人在等：它们的服务器不告知，或者看不到。</translation>
    </message>
    <message>
        <source>Held back until you have bet</source>
        <translation>先不说，等你押注</translation>
    </message>
    <message>
        <source>Clients wait, but no holder is known</source>
        <translation>有客户端在等待，但没有已知的持有者</translation>
    </message>
    <message>
        <source>Nobody waits</source>
        <translation>没有等待者</translation>
    </message>
    <message>
        <source>As soon as a client waits for a lock, it stands here with whoever holds that lock. A circle is a deadlock.</source>
        <translation>一旦有客户端在等锁，它就和持有那把锁的人一起出现在这里。成环就是死锁。</translation>
    </message>
    <message>
        <source>Possible deadlock, if clients of one name are one client:</source>
        <translation>可能死锁（如果同名的客户端是同一个客户端）：</translation>
    </message>
    <message>
        <source>No deadlock: %1 for %2.</source>
        <translation>没有死锁：%1，涉及 %2。</translation>
    </message>
    <message>
        <source>No deadlock in sight: %1 for %2.</source>
        <translation>看得到的范围内没有死锁：%1，涉及 %2。</translation>
    </message>
    <message numerus="yes">
        <source>%n wait(s)</source>
        <translation>
            <numerusform>%n 个等待</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s)</source>
        <translation>
            <numerusform>%n 把锁</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s) are not observed: their server is out of sight.</source>
        <translation>
            <numerusform>有 %n 把锁未观察到：看不到它们的服务器。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Of %n lock(s) the server does not tell who waits.</source>
        <translation>
            <numerusform>有 %n 把锁，服务器不告知谁在等。</numerusform>
        </translation>
    </message>
    <message>
        <source>Deadlock:</source>
        <translation>死锁：</translation>
    </message>
    <message numerus="yes">
        <source>%n more wait(s) are not drawn.</source>
        <translation>
            <numerusform>还有 %n 个等待没有画出。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::WelcomePage</name>
    <message>
        <source>Welcome</source>
        <translation>欢迎</translation>
    </message>
    <message>
        <source>Your own: %1</source>
        <translation>自编：%1</translation>
    </message>
    <message>
        <source>See what a distributed lock really does</source>
        <translation>看清分布式锁究竟做了什么</translation>
    </message>
    <message>
        <source>Who holds it, who waits, what time is left, and what happens when something breaks: on a time axis, in a simulator or on your own servers.</source>
        <translation>谁持有它，谁在等待，还剩多少时间，出了故障会怎样：都在一条时间轴上，在模拟器中或在你自己的服务器上。</translation>
    </message>
    <message>
        <source>Watch a lock change hands</source>
        <translation>观看一把锁易手</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>A course: bet on what happens to a lock, and watch</source>
        <translation>一套课程：先押注锁会怎样，再看结果</translation>
    </message>
    <message>
        <source>Four clients, one lock, one simulated Redis: pause the holder and see. New to locks? Take the lessons: they start from nothing.</source>
        <translation>四个客户端，一把锁，一台模拟的 Redis：暂停持有者看看。没接触过锁？从课程开始，不需要任何基础。</translation>
    </message>
    <message>
        <source>Look at a running server</source>
        <translation>查看运行中的服务器</translation>
    </message>
    <message>
        <source>Address of the server</source>
        <translation>服务器地址</translation>
    </message>
    <message>
        <source>Connect…</source>
        <translation>连接…</translation>
    </message>
    <message>
        <source>Recordings and scenario files</source>
        <translation>录制与场景文件</translation>
    </message>
    <message>
        <source>Drop a file here, or choose one.</source>
        <translation>把文件拖到这里，或选择一个。</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Your own scenarios</source>
        <translation>你自己的场景</translation>
    </message>
    <message>
        <source>all scenarios run in the built-in simulator: no server needed</source>
        <translation>所有场景都在内置模拟器中运行：无需服务器</translation>
    </message>
    <message>
        <source>Servers that you connect to will be listed here, without passwords. Nothing is changed on them unless you allow it.</source>
        <translation>连接过的服务器会列在这里，不含密码。除非你允许，否则不会更改它们的任何内容。</translation>
    </message>
    <message>
        <source>Files that you open or save will be listed here.</source>
        <translation>打开或保存过的文件会列在这里。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::WhatChangedDialog</name>
    <message>
        <source>What changed</source>
        <translation>有什么变化</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>Open an entry to see the later instant with it selected.</source>
        <translation>打开一条即可看到较晚的时刻，并选中它。</translation>
    </message>
    <message>
        <source>The whole list as text</source>
        <translation>整个列表的文本</translation>
    </message>
    <message>
        <source>comparing…</source>
        <translation>正在比较…</translation>
    </message>
    <message>
        <source>Nothing: every lock, server and client is as it was.</source>
        <translation>没有变化：所有锁、服务器和客户端都和原来一样。</translation>
    </message>
    <message numerus="yes">
        <source>%n change(s), %1 of them listed</source>
        <translation>
            <numerusform>%n 处变化，列出其中 %1 处</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n change(s)</source>
        <translation>
            <numerusform>%n 处变化</numerusform>
        </translation>
    </message>
    <message>
        <source>not everything was in sight</source>
        <translation>并非全部可见</translation>
    </message>
    <message>
        <source>From %1 to %2</source>
        <translation>从 %1 到 %2</translation>
    </message>
</context>
<context>
    <name>lockscope::views::WhyLine</name>
    <message>
        <source>No invariant is violated at this instant</source>
        <translation>此刻没有违反任何不变量</translation>
    </message>
    <message>
        <source>Why: %1</source>
        <translation>原因：%1</translation>
    </message>
    <message>
        <source>Safe: %1</source>
        <translation>安全：%1</translation>
    </message>
    <message>
        <source>Now: %1</source>
        <translation>现在：%1</translation>
    </message>
    <message>
        <source>Why</source>
        <extracomment>The first word of the line that says why an invariant is violated.</extracomment>
        <translation>原因</translation>
    </message>
    <message>
        <source>Safe</source>
        <extracomment>The first word of the line that says why nobody got in twice although a server died.</extracomment>
        <translation>安全</translation>
    </message>
    <message>
        <source>Now</source>
        <extracomment>The first word of the line that says how it stands with the locks: "orders: A holds it; …".</extracomment>
        <translation>现在</translation>
    </message>
    <message>
        <source>A click goes there and explains it.</source>
        <translation>单击可转到该处并查看说明。</translation>
    </message>
</context>
<context>
    <name>lockscope::views::WorkloadPanel</name>
    <message>
        <source>off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>算法</translation>
    </message>
    <message>
        <source>The lock algorithm that clients use from their next round on</source>
        <translation>客户端从下一轮起使用的锁算法</translation>
    </message>
    <message>
        <source>Clients</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>How many client processes, 1 to %1</source>
        <translation>客户端进程数，1 到 %1</translation>
    </message>
    <message>
        <source>Lease</source>
        <translation>租约</translation>
    </message>
    <message>
        <source>Lease: after this time without a renewal the server frees the lock, such as 5s or 250ms</source>
        <translation>租约：若在此时间内没有续期，服务器就释放锁，例如 5s 或 250ms</translation>
    </message>
    <message>
        <source>Watchdog</source>
        <translation>看门狗</translation>
    </message>
    <message>
        <source>Watchdog: a holder renews its lease this often, such as 2s, or off</source>
        <translation>看门狗：持有者每隔多久续期一次，例如 2s，或 off</translation>
    </message>
    <message>
        <source>Longest hold</source>
        <translation>最长持有</translation>
    </message>
    <message>
        <source>Longest hold: then the lock is given back and its holder is told, however often it was renewed, such as 12s, or off</source>
        <translation>最长持有：到时锁会被归还并通知持有者，无论续期多少次；如 12s，或 off</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>工作</translation>
    </message>
    <message>
        <source>Time that the work under the lock takes: shortest – longest, such as 2s – 4s</source>
        <translation>持锁工作的时长：最短 – 最长，例如 2s – 4s</translation>
    </message>
    <message>
        <source>Rest</source>
        <translation>间歇</translation>
    </message>
    <message>
        <source>Time between two rounds of a client: shortest – longest, such as 500ms – 2s</source>
        <translation>客户端两轮之间的间隔：最短 – 最长，例如 500ms – 2s</translation>
    </message>
    <message>
        <source>Token check</source>
        <translation>令牌检查</translation>
    </message>
    <message>
        <source>on</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Token: a number that grows with each grant. On: the resource refuses a write whose token is older than the newest it has seen</source>
        <translation>令牌：每次授予都会增大的编号。打开后，若写入的令牌比资源见过的最新令牌旧，资源会拒绝写入</translation>
    </message>
    <message>
        <source>At its deadline</source>
        <translation>到截止时间时</translation>
    </message>
    <message>
        <source>stops</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>goes on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>When the lease has ended by the client's own clock: it stops working, or it ignores the clock and goes on</source>
        <translation>按客户端自己的时钟租约已结束时：停止工作，或忽略时钟继续工作</translation>
    </message>
    <message>
        <source>When lost</source>
        <translation>失去锁时</translation>
    </message>
    <message>
        <source>When a client is told that it has lost the lock: it stops working, or goes on all the same</source>
        <translation>客户端得知失去锁时：停止工作，或照样继续</translation>
    </message>
    <message>
        <source>nothing is open</source>
        <translation>没有打开任何会话</translation>
    </message>
    <message>
        <source>read-only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>no clients of our own</source>
        <translation>没有自己的客户端</translation>
    </message>
    <message>
        <source>read-only: a recording</source>
        <translation>只读：录制文件</translation>
    </message>
    <message>
        <source>“%1” is not a span of time: write the shortest and the longest, such as 2s – 4s. It stays %2.</source>
        <translation>“%1”不是时间范围：请写最短和最长，例如 2s – 4s。仍为 %2。</translation>
    </message>
    <message>
        <source>“%1” is not a time: write a number and a unit, such as 5s, 250ms or 2m. It stays %2.</source>
        <translation>“%1”不是时间：请写数字和单位，例如 5s、250ms 或 2m。仍为 %2。</translation>
    </message>
</context>
<context>
    <name>scenario</name>
    <message>
        <source>“%1” cannot be used by a lock manager here; these can: %2</source>
        <translation>这里的锁管理器不能使用“%1”；可用的有：%2</translation>
    </message>
    <message>
        <source>“%1” stands here twice</source>
        <translation>“%1”在这里出现了两次</translation>
    </message>
    <message>
        <source>this must be longer than 0 s</source>
        <translation>必须长于 0 s</translation>
    </message>
    <message>
        <source>this is longer than a day</source>
        <translation>这超过了一天</translation>
    </message>
    <message>
        <source>a lock manager changes between servers of their own: write “services”</source>
        <translation>锁管理器在各自独立的服务之间切换：请写出“services”</translation>
    </message>
    <message>
        <source>this takes three servers that keep the record: add a witness</source>
        <translation>这需要三台保存记录的服务器：请添加一个见证者</translation>
    </message>
    <message>
        <source>with a lock manager it is a namespace and a name, such as “shop:orders”</source>
        <translation>使用锁管理器时，名称由命名空间和名字组成，例如“shop:orders”</translation>
    </message>
    <message>
        <source>a lock manager keeps one lock here: leave out the others</source>
        <translation>锁管理器在这里只保管一把锁：请去掉其他的</translation>
    </message>
    <message>
        <source>a step does one thing: %1</source>
        <translation>一步只做一件事：%1</translation>
    </message>
    <message>
        <source>%1 are steps of their own</source>
        <translation>%1 各是一步</translation>
    </message>
    <message>
        <source>there is no lock “%1”%2</source>
        <translation>没有名为“%1”的锁%2</translation>
    </message>
    <message>
        <source>a lock stands here twice</source>
        <translation>同一把锁在这里出现了两次</translation>
    </message>
    <message>
        <source>“%1” has no place beside “%2”</source>
        <translation>“%1”不能与“%2”放在一起</translation>
    </message>
    <message>
        <source>only "mode": "permits" takes several</source>
        <translation>只有 "mode": "permits" 才能一次拿几个</translation>
    </message>
    <message>
        <source>a round of this program may take no time: it needs a “think” or a “work” that is longer than 0 s</source>
        <translation>这个程序的一轮可能不花时间：它需要一个长于 0 s 的“think”或“work”</translation>
    </message>
    <message>
        <source>there is neither a built-in scenario nor a file of this name%1</source>
        <translation>既没有这个名字的内置场景，也没有这个文件%1</translation>
    </message>
    <message>
        <source>the file cannot be read: %1</source>
        <translation>无法读取文件：%1</translation>
    </message>
    <message>
        <source>when what? Say so by “on”, “step”, “lease_left” or “leader”</source>
        <translation>什么时候？请用“on”、“step”、“lease_left”或“leader”说明</translation>
    </message>
    <message>
        <source>%1 cannot stand together: a fault waits for one thing</source>
        <translation>%1 不能放在一起：一个故障只等一件事</translation>
    </message>
    <message>
        <source>a server is the leader, no client: leave out “client”</source>
        <translation>领导者是服务器，不是客户端：去掉“client”</translation>
    </message>
    <message>
        <source>a server is the leader of all locks: leave out “lock”</source>
        <translation>服务器是所有锁的领导者：去掉“lock”</translation>
    </message>
    <message>
        <source>this goes with "do": "evict-key" only</source>
        <translation>这只能与 "do": "evict-key" 一起使用</translation>
    </message>
    <message>
        <source>%1 needs a “value”, such as "200ms"; 0s undoes it</source>
        <translation>%1 需要“value”，例如 "200ms"；0s 表示撤销</translation>
    </message>
    <message>
        <source>the smaller number comes first</source>
        <translation>较小的数写在前面</translation>
    </message>
    <message>
        <source>this must be before the end, “until”</source>
        <translation>它必须早于结束时间“until”</translation>
    </message>
    <message>
        <source>a lease is at least 1ms</source>
        <translation>租约至少 1ms</translation>
    </message>
    <message>
        <source>hold and think cannot both be 0 s</source>
        <translation>hold 和 think 不能都为 0 s</translation>
    </message>
    <message>
        <source>“%1” cannot both hold and be violated</source>
        <translation>“%1”不能既成立又被违反</translation>
    </message>
    <message>
        <source>a time with a unit, such as "5s", "250ms" or "1.5h"</source>
        <translation>带单位的时间，如 "5s"、"250ms" 或 "1.5h"</translation>
    </message>
    <message>
        <source>a time with a unit and perhaps a minus sign, such as "5s" or "-250ms"</source>
        <translation>带单位的时间，可带负号，如 "5s" 或 "-250ms"</translation>
    </message>
    <message>
        <source>a time with a unit, such as "10s", or "off"</source>
        <translation>带单位的时间，如 "10s"，或 "off"</translation>
    </message>
    <message>
        <source>a time with a unit, such as "10s", or "forever"</source>
        <translation>带单位的时间，如 "10s"，或 "forever"</translation>
    </message>
    <message>
        <source>a time, such as "3s", or two of them, such as ["2s", "4s"]</source>
        <translation>时间，如 "3s"，或两个时间，如 ["2s", "4s"]</translation>
    </message>
    <message>
        <source>a time, such as "3s", two of them, such as ["2s", "4s"], or true</source>
        <translation>一个时间，如 "3s"，或两个时间，如 ["2s", "4s"]，或 true</translation>
    </message>
    <message>
        <source>the name of a lock, a list of such names, or true</source>
        <translation>一把锁的名字、一列这样的名字，或 true</translation>
    </message>
    <message>
        <source>lower-case words joined by hyphens, such as "redis-set"</source>
        <translation>用连字符连接的小写词，如 "redis-set"</translation>
    </message>
    <message>
        <source>a text of 1 to 200 characters</source>
        <translation>1 到 200 个字符的文本</translation>
    </message>
    <message>
        <source>a text, or an object of texts by language with "en" among them</source>
        <translation>文本，或按语言给出文本且含 "en" 的对象</translation>
    </message>
    <message>
        <source>an object with a text for "en" and one for "zh_CN"</source>
        <translation>一个对象，含 "en" 和 "zh_CN" 两段文字</translation>
    </message>
    <message>
        <source>a time such as "6.4s", "here", "end", or a moment, perhaps with a time added: "wake+300ms"</source>
        <translation>时间，例如 "6.4s"、"here"、"end"，或某个时刻，也可加上时间："wake+300ms"</translation>
    </message>
    <message>
        <source>an object, { … }</source>
        <translation>对象 { … }</translation>
    </message>
    <message>
        <source>a list, [ … ]</source>
        <translation>列表 [ … ]</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>%1 should be 1 or 2, the versions of such files</source>
        <translation>%1 应为 1 或 2，即此类文件的版本</translation>
    </message>
    <message>
        <source>“%2” is no value for “%1”: %3.</source>
        <translation>“%2”不是“%1”的值：%3。</translation>
    </message>
    <message>
        <source>There is no setting “%1”.</source>
        <translation>没有设置“%1”。</translation>
    </message>
    <message>
        <source>this fault never strikes: the run ends at %1 (“until”)</source>
        <translation>此故障永远不会发生：运行在 %1 结束（“until”）</translation>
    </message>
    <message>
        <source>this fault never strikes: from %1 on (“liveness”) everything is healed</source>
        <translation>此故障永远不会发生：从 %1 起（“liveness”）一切已被修复</translation>
    </message>
    <message>
        <source>this fault never strikes: the lease is %1</source>
        <translation>此故障永远不会发生：租约是 %1</translation>
    </message>
    <message>
        <source>this fault would strike %1 times until the run ends, and %2 are possible: choose a longer time, or say “times”</source>
        <translation>到运行结束，此故障会发生 %1 次，最多允许 %2 次：请改用更长的间隔，或写明“times”</translation>
    </message>
    <message>
        <source>there is no service “%1” here: there is “%2”</source>
        <translation>这里没有服务“%1”，有的是“%2”</translation>
    </message>
    <message>
        <source>there is no program “%1”%2</source>
        <translation>没有名为“%1”的程序%2</translation>
    </message>
    <message>
        <source>nobody runs these programs: say in “clients” how many run which</source>
        <translation>没有客户端运行这些程序：请在“clients”里写明各有几个</translation>
    </message>
    <message>
        <source>there are %1 clients; at most %2 fit</source>
        <translation>有 %1 个客户端；最多 %2 个</translation>
    </message>
    <message>
        <source>these are %1 clients, and “count” in “workload” says %2, which wins: leave out one of both</source>
        <translation>这里有 %1 个客户端，而“workload”中的“count”写的是 %2，以后者为准：请删去其中一处</translation>
    </message>
    <message>
        <source>a %1 service is not of this shape, but: %2</source>
        <translation>%1 服务没有这种形态，可用的有：%2</translation>
    </message>
    <message>
        <source>a %1 service has no such option</source>
        <translation>%1 服务没有这个选项</translation>
    </message>
    <message>
        <source>a single server is one node: leave out “nodes”</source>
        <translation>单台服务器就是一个节点：请去掉“nodes”</translation>
    </message>
    <message>
        <source>a cluster has at least 6 nodes: three masters and their replicas</source>
        <translation>集群至少有 6 个节点：三个主节点及其副本</translation>
    </message>
    <message>
        <source>this is from %1 to %2 servers</source>
        <translation>服务器数应为 %1 到 %2</translation>
    </message>
    <message>
        <source>a tick is at least 10ms</source>
        <translation>tick 至少为 10ms</translation>
    </message>
    <message>
        <source>a session lasts from 2 to 20 ticks: from %1 to %2 here</source>
        <translation>会话时长为 2 到 20 个 tick：这里是 %1 到 %2</translation>
    </message>
    <message>
        <source>“nodes” and “services” both say which servers there are: leave out one</source>
        <translation>“nodes”和“services”都在说有哪些服务器：去掉其中一个</translation>
    </message>
    <message>
        <source>a fault needs a time: “at”, such as "3s", or “when”</source>
        <translation>故障需要时间：“at”，如 "3s"，或“when”</translation>
    </message>
    <message>
        <source>only delay-link, jitter-link, jump-clock and drift-clock take a value</source>
        <translation>只有 delay-link、jitter-link、jump-clock 和 drift-clock 需要数值</translation>
    </message>
    <message>
        <source>a clock gains or loses less than a second each second</source>
        <translation>时钟每秒快慢的量必须小于一秒</translation>
    </message>
    <message>
        <source>a latency cannot be negative</source>
        <translation>延迟不能为负</translation>
    </message>
    <message>
        <source>%1 cannot be undone after a time: leave out “for”</source>
        <translation>%1 无法在一段时间后撤销：请去掉“for”</translation>
    </message>
    <message>
        <source>only Sentinels, etcd members and databases with replicas can be asked for a failover, and there are none here</source>
        <translation>只有哨兵、etcd 成员和带副本的数据库能执行故障转移，这里都没有</translation>
    </message>
    <message>
        <source>this goes with “every”</source>
        <translation>这一项要与“every”一起使用</translation>
    </message>
    <message>
        <source>the servers here send no messages of their own: clients ask</source>
        <translation>这里的服务器不会主动发送消息：都是客户端来询问</translation>
    </message>
    <message>
        <source>TCP brings each request once, and only drivers and proxies of Redis send one again</source>
        <translation>TCP 只会把每个请求送达一次，只有 Redis 的驱动和代理会重发请求</translation>
    </message>
    <message>
        <source>servers connect again at once: only connections of clients can be reset</source>
        <translation>服务器之间会立即重连：只能重置客户端的连接</translation>
    </message>
    <message>
        <source>%1 cannot be done to “%2”: only the clients of a database with "pool" share connections</source>
        <translation>不能对“%2”执行 %1：只有写了 "pool" 的数据库，其客户端才共用连接</translation>
    </message>
    <message>
        <source>%1 cannot be done to “%2”: no answer of it waits for a disk</source>
        <translation>%1 不能用于“%2”：它的应答都不等磁盘</translation>
    </message>
    <message>
        <source>%1 cannot be done to “%2”: only Redis and memcached servers throw keys out</source>
        <translation>不能对“%2”执行 %1：只有 Redis 和 memcached 服务器会淘汰键</translation>
    </message>
    <message>
        <source>there is no lock “%1”; locks are %2</source>
        <translation>没有名为“%1”的锁；锁有 %2</translation>
    </message>
    <message>
        <source>there is no client “%1”%2</source>
        <translation>没有客户端“%1”%2</translation>
    </message>
    <message>
        <source>there is no server “%1”; servers are %2</source>
        <translation>没有服务器“%1”；服务器有 %2</translation>
    </message>
    <message>
        <source>“same” is the client or the server that “when” has found: there is no “when” here</source>
        <translation>“same”是“when”找到的客户端或服务器：这里没有“when”</translation>
    </message>
    <message>
        <source>“same” is %1 here, and %2 is done to %3</source>
        <translation>这里的“same”是%1，而 %2 要作用于%3</translation>
    </message>
    <message>
        <source>a server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>a client</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>%1 has no target</source>
        <translation>%1 没有目标</translation>
    </message>
    <message>
        <source>%1 cannot be done to the links between two sets</source>
        <translation>不能对两组之间的链路执行 %1</translation>
    </message>
    <message>
        <source>%1 strikes both directions: write “|” between the sets</source>
        <translation>%1 对两个方向都起作用：请在两组之间写“|”</translation>
    </message>
    <message>
        <source>there is no client and no server “%1”</source>
        <translation>没有名为“%1”的客户端或服务器</translation>
    </message>
    <message>
        <source>there is no lock manager here whose engine could be changed: write “manager”</source>
        <translation>这里没有可以更换引擎的锁管理器：请写明“manager”</translation>
    </message>
    <message>
        <source>%1 needs a target, such as “%2”</source>
        <translation>%1 需要目标，如“%2”</translation>
    </message>
    <message>
        <source>%1 cannot be done to “%2”%3</source>
        <translation>不能对“%2”执行 %1%3</translation>
    </message>
    <message>
        <source>%1 needs a link as its target, a client and a node, such as “holder-%2”</source>
        <translation>%1 的目标应为链路，即一个客户端和一个节点，如“holder-%2”</translation>
    </message>
    <message>
        <source>; nodes are %1</source>
        <translation>；节点有 %1</translation>
    </message>
    <message>
        <source>; clients are A to %1, holder and waiter</source>
        <translation>；客户端为 A 到 %1、holder 和 waiter</translation>
    </message>
    <message>
        <source>this goes with "do": "set" only</source>
        <translation>它只能与 "do": "set" 一起使用</translation>
    </message>
    <message>
        <source>what is to be set? Say so by “set”, such as "lease"</source>
        <translation>要设置什么？请用“set”说明，如 "lease"</translation>
    </message>
    <message>
        <source>%1 is set “to” %2</source>
        <translation>%1 用“to”设为 %2</translation>
    </message>
    <message>
        <source>%1 should be %2</source>
        <translation>%1 应为 %2</translation>
    </message>
    <message>
        <source>this text is empty: write it</source>
        <translation>这段文字还是空的：请写上</translation>
    </message>
    <message>
        <source> or </source>
        <translation> 或 </translation>
    </message>
    <message>
        <source>%1 is not known here%2</source>
        <translation>这里不认识 %1%2</translation>
    </message>
    <message>
        <source>there is no field “%1” here%2</source>
        <translation>这里没有字段“%1”%2</translation>
    </message>
    <message>
        <source>the field “%1” is missing</source>
        <translation>缺少字段“%1”</translation>
    </message>
    <message>
        <source>there can be no more than one so far</source>
        <translation>目前最多只能有一个</translation>
    </message>
    <message>
        <source>at least one is needed</source>
        <translation>至少需要一个</translation>
    </message>
    <message>
        <source>%1 should be a whole number from %2 on</source>
        <translation>%1 应为不小于 %2 的整数</translation>
    </message>
    <message>
        <source>%1 should be a whole number from %2 to %3</source>
        <translation>%1 应为 %2 到 %3 的整数</translation>
    </message>
    <message>
        <source>the shorter time comes first: ["%1", "%2"]</source>
        <translation>较短的时间在前：["%1", "%2"]</translation>
    </message>
    <message>
        <source>“%1” is not a whole number of nanoseconds below 292 years</source>
        <translation>“%1”不是少于 292 年的整数纳秒</translation>
    </message>
    <message>
        <source>this is not JSON: %1</source>
        <translation>这不是 JSON：%1</translation>
    </message>
    <message>
        <source>such a file is an object, { … }</source>
        <translation>这种文件应是一个对象，{ … }</translation>
    </message>
    <message>
        <source>this field stands here for the second time; leave one out</source>
        <translation>此字段在这里第二次出现；请去掉一个</translation>
    </message>
    <message>
        <source>“%1” stands here for the second time: each needs a name of its own</source>
        <translation>“%1”在这里第二次出现：每个都要有自己的名字</translation>
    </message>
    <message>
        <source>a lease of %1 ends before a watchdog renews it after %2: choose a shorter period, such as a third of the lease, or "off"</source>
        <translation>%1 的租约会在看门狗首次续期（%2 后）之前结束：请选择更短的周期，例如租约的三分之一，或 "off"</translation>
    </message>
    <message>
        <source>line %1</source>
        <translation>第 %1 行</translation>
    </message>
    <message>
        <source>%1, changed by hand</source>
        <translation>%1（手动更改过）</translation>
    </message>
    <message>
        <source>%1 could not be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>a time such as 3s, or the shortest and the longest, such as 2s-4s</source>
        <translation>时间，如 3s，或最短和最长，如 2s-4s</translation>
    </message>
    <message>
        <source>on or off</source>
        <translation>on 或 off</translation>
    </message>
    <message>
        <source>the id of a recipe, such as redis-set</source>
        <translation>算法的标识，如 redis-set</translation>
    </message>
    <message>
        <source>a time of at least 1ms, such as 5s</source>
        <translation>至少 1ms 的时间，如 5s</translation>
    </message>
    <message>
        <source>a time such as 10s, or off</source>
        <translation>时间，如 10s，或 off</translation>
    </message>
    <message>
        <source>a time such as 10s, or forever</source>
        <translation>时间，如 10s，或 forever</translation>
    </message>
    <message>
        <source>honoured or ignored</source>
        <translation>honoured 或 ignored</translation>
    </message>
    <message>
        <source>a whole number from 1 to 10000</source>
        <translation>1 到 10000 的整数</translation>
    </message>
    <message>
        <source>a whole number from 1 to 200</source>
        <translation>1 到 200 的整数</translation>
    </message>
    <message>
        <source>stop or carry-on</source>
        <translation>stop 或 carry-on</translation>
    </message>
    <message>
        <source>; did you mean “%1”?</source>
        <translation>；是否想写“%1”？</translation>
    </message>
    <message>
        <source>; known are %1</source>
        <translation>；已知的有 %1</translation>
    </message>
</context>
<context>
    <name>servers</name>
    <message>
        <source>The part of Lockscope that talks to servers cannot be loaded: %1. Install Lockscope again, all of it.</source>
        <translation>Lockscope 中与服务器通信的部分无法加载：%1。请重新完整安装 Lockscope。</translation>
    </message>
    <message>
        <source>%1 belongs to another version of Lockscope. Install Lockscope again, all of it.</source>
        <translation>%1 属于另一个版本的 Lockscope。请重新完整安装 Lockscope。</translation>
    </message>
</context>
</TS>
