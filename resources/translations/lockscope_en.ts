<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>AlertCauses</name>
    <message numerus="yes">
        <source>%n lock(s)</source>
        <translation>
            <numerusform>%n lock</numerusform>
            <numerusform>%n locks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Alerts</name>
    <message numerus="yes">
        <source>Stop %1, or free %2 by force: %n client(s) wait for that. Then let all take their locks in one order.</source>
        <translation>
            <numerusform>Stop %1, or free %2 by force: %n client waits for that. Then let all take their locks in one order.</numerusform>
            <numerusform>Stop %1, or free %2 by force: %n clients wait for that. Then let all take their locks in one order.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Stop %1: %n client(s) wait for %2. Then let all take their locks in one order.</source>
        <translation>
            <numerusform>Stop %1: %n client waits for %2. Then let all take their locks in one order.</numerusform>
            <numerusform>Stop %1: %n clients wait for %2. Then let all take their locks in one order.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n client(s) are subscribed to the release of “%1”.</source>
        <translation>
            <numerusform>%n client is subscribed to the release of “%1”.</numerusform>
            <numerusform>%n clients are subscribed to the release of “%1”.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n client(s) wait for “%1”.</source>
        <translation>
            <numerusform>%n client waits for “%1”.</numerusform>
            <numerusform>%n clients wait for “%1”.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n entry(ies) in the queue of “%1” belong to nobody any more.</source>
        <translation>
            <numerusform>%n entry in the queue of “%1” belongs to nobody any more.</numerusform>
            <numerusform>%n entries in the queue of “%1” belong to nobody any more.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>“%1” is held by %n client(s) at once, each for itself: %2.</source>
        <translation>
            <numerusform>“%1” is held by %n client: %2.</numerusform>
            <numerusform>“%1” is held by %n clients at once, each for itself: %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>“%1” went from hand to hand %n time(s) within a minute.</source>
        <translation>
            <numerusform>“%1” went from hand to hand %n time within a minute.</numerusform>
            <numerusform>“%1” went from hand to hand %n times within a minute.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>A hold of “%1” ended while %n client(s) waited without a queue: all of them try at once.</source>
        <translation>
            <numerusform>A hold of “%1” ended while %n client waited without a queue: all of them try at once.</numerusform>
            <numerusform>A hold of “%1” ended while %n clients waited without a queue: all of them try at once.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Cluster</name>
    <message numerus="yes">
        <source>%n lock(s) held</source>
        <translation>
            <numerusform>%n lock held</numerusform>
            <numerusform>%n locks held</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ConnectionTrial</name>
    <message numerus="yes">
        <source>%n lock(s) seen.</source>
        <translation>
            <numerusform>%n lock seen.</numerusform>
            <numerusform>%n locks seen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s) seen so far; this test did not go through everything.</source>
        <translation>
            <numerusform>%n lock seen so far; this test did not go through everything.</numerusform>
            <numerusform>%n locks seen so far; this test did not go through everything.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ConnectionUrl</name>
    <message numerus="yes">
        <source>“%1://” takes one host; there are %n.</source>
        <translation>
            <numerusform>“%1://” takes one host; there is %n.</numerusform>
            <numerusform>“%1://” takes one host; there are %n.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Course</name>
    <message numerus="yes">
        <source>%n more difference(s)</source>
        <translation>
            <numerusform>%n more difference</numerusform>
            <numerusform>%n more differences</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Difference</name>
    <message numerus="yes">
        <source>%1 and %n other(s)</source>
        <translation>
            <numerusform>%1 and %n other</numerusform>
            <numerusform>%1 and %n others</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>It was taken %n time(s) in between.</source>
        <translation>
            <numerusform>It was taken %n time in between.</numerusform>
            <numerusform>It was taken %n times in between.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Events</name>
    <message numerus="yes">
        <source>%n free</source>
        <comment>permits</comment>
        <translation>
            <numerusform>%n free</numerusform>
            <numerusform>%n free</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n permit(s)</source>
        <translation>
            <numerusform>%n permit</numerusform>
            <numerusform>%n permits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hold(s) left</source>
        <translation>
            <numerusform>%n hold left</numerusform>
            <numerusform>%n holds left</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>EvidenceCard</name>
    <message numerus="yes">
        <source>%1 of %n locks, for want of room</source>
        <translation>
            <numerusform>%1 of %n lock, for want of room</numerusform>
            <numerusform>%1 of %n locks, for want of room</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LineName</name>
    <message numerus="yes">
        <source>%1…%2 (%n characters)</source>
        <extracomment>The beginning and the end of a name, and its length.</extracomment>
        <translation>
            <numerusform>%1…%2 (%n characters)</numerusform>
            <numerusform>%1…%2 (%n characters)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Locks</name>
    <message numerus="yes">
        <source>held by %n</source>
        <translation>
            <numerusform>held by %n</numerusform>
            <numerusform>held by %n</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n believer(s)</source>
        <translation>
            <numerusform>%n believer</numerusform>
            <numerusform>%n believers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>any %n copies</source>
        <comment>of a lock, which decide together</comment>
        <translation>
            <numerusform>any %n copy</numerusform>
            <numerusform>any %n copies</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n permit(s) taken</source>
        <translation>
            <numerusform>%n permit taken</numerusform>
            <numerusform>%n permits taken</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n permit(s) free</source>
        <translation>
            <numerusform>%n permit free</numerusform>
            <numerusform>%n permits free</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <comment>names</comment>
        <translation>
            <numerusform>%1 and %n more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n reader(s): %1</source>
        <translation>
            <numerusform>%n reader: %1</numerusform>
            <numerusform>%n readers: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Opener</name>
    <message numerus="yes">
        <source>… and %n more problem(s)</source>
        <translation>
            <numerusform>… and %n more problem</numerusform>
            <numerusform>… and %n more problems</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Replay</name>
    <message numerus="yes">
        <source>%n client(s) over %1 of a recording, each with the requests and holds that it had. Change the lease, the recipe or a fault to see what would have been.</source>
        <translation>
            <numerusform>%n client over %1 of a recording, with the requests and holds that it had. Change the lease, the recipe or a fault to see what would have been.</numerusform>
            <numerusform>%n clients over %1 of a recording, each with the requests and holds that it had. Change the lease, the recipe or a fault to see what would have been.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>A scenario has %1 clients at most: %n client(s) with the fewest requests are left out.</source>
        <translation>
            <numerusform>A scenario has %1 clients at most: %n client with the fewest requests is left out.</numerusform>
            <numerusform>A scenario has %1 clients at most: %n clients with the fewest requests are left out.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lease(s) ran out without a release: each of these holders is stopped after its last renewal.</source>
        <translation>
            <numerusform>%n lease ran out without a release: its holder is stopped after its last renewal.</numerusform>
            <numerusform>%n leases ran out without a release: each of these holders is stopped after its last renewal.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 for %n lock(s)</source>
        <translation>
            <numerusform>%1 for %n lock</numerusform>
            <numerusform>%1 for %n locks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Only the %1 of %n lock(s) of “%2” are in the scenario: one scenario cannot play all of them. Left out: %3.</source>
        <extracomment>%1 a number, %2 a kind of server or a recipe, %3 recipes with the numbers of their locks.</extracomment>
        <translation>
            <numerusform>Only the %1 of %n lock of “%2” are in the scenario: one scenario cannot play all of them. Left out: %3.</numerusform>
            <numerusform>Only the %1 of %n locks of “%2” are in the scenario: one scenario cannot play all of them. Left out: %3.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n fault(s) of the recording cannot be repeated here, and are left out.</source>
        <translation>
            <numerusform>%n fault of the recording cannot be repeated here, and is left out.</numerusform>
            <numerusform>%n faults of the recording cannot be repeated here, and are left out.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SeenLines</name>
    <message numerus="yes">
        <source>and %n more</source>
        <comment>elements of a key</comment>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more keys</source>
        <translation>
            <numerusform>and %n more key</numerusform>
            <numerusform>and %n more keys</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ServerWords</name>
    <message numerus="yes">
        <source>%n entry(ies) behind</source>
        <extracomment>Of an etcd's follower: how many entries of the cluster's log it has not applied yet.</extracomment>
        <translation>
            <numerusform>%n entry behind</numerusform>
            <numerusform>%n entries behind</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n master(s)</source>
        <translation>
            <numerusform>%n master</numerusform>
            <numerusform>%n masters</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> + %n replica(s)</source>
        <extracomment>Follows "master" or "3 masters".</extracomment>
        <translation>
            <numerusform> + %n replica</numerusform>
            <numerusform> + %n replicas</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>, %n of them not in step</source>
        <comment>replicas</comment>
        <translation>
            <numerusform>, %n of them not in step</numerusform>
            <numerusform>, %n of them not in step</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message numerus="yes">
        <source>%1, %n dead</source>
        <comment>6 servers, 4 dead</comment>
        <translation>
            <numerusform>%1, %n dead</numerusform>
            <numerusform>%1, %n dead</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, %n dead</source>
        <comment>6 clients, 4 dead</comment>
        <translation>
            <numerusform>%1, %n dead</numerusform>
            <numerusform>%1, %n dead</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Story</name>
    <message numerus="yes">
        <source>%n client(s)</source>
        <translation>
            <numerusform>%n client</numerusform>
            <numerusform>%n clients</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>There are %n more lock(s).</source>
        <translation>
            <numerusform>There is %n more lock.</numerusform>
            <numerusform>There are %n more locks.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message numerus="yes">
        <source>%n session(s) suspended</source>
        <translation>
            <numerusform>%n session suspended</numerusform>
            <numerusform>%n sessions suspended</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n session(s) expired</source>
        <translation>
            <numerusform>%n session expired</numerusform>
            <numerusform>%n sessions expired</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n session(s) given up</source>
        <translation>
            <numerusform>%n session given up</numerusform>
            <numerusform>%n sessions given up</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n changes ago</source>
        <extracomment>On a client's lane, in the faint picture of a run before several changes in its past.</extracomment>
        <translation>
            <numerusform>%n change ago</numerusform>
            <numerusform>%n changes ago</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n ahead</source>
        <extracomment>On a waiting client, after "waits 4.6 s": how many asked before it.</extracomment>
        <translation>
            <numerusform>%n ahead</numerusform>
            <numerusform>%n ahead</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n waiting</source>
        <translation>
            <numerusform>%n waiting</numerusform>
            <numerusform>%n waiting</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pinned</source>
        <extracomment>Beside the title of the timeline: how many lanes a person has pinned.</extracomment>
        <translation>
            <numerusform>%n pinned</numerusform>
            <numerusform>%n pinned</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> · %n lane(s) folded</source>
        <extracomment>After a caption of lanes: its lanes are folded away.</extracomment>
        <translation>
            <numerusform> · %n lane folded</numerusform>
            <numerusform> · %n lanes folded</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> · %n lane(s) without that text</source>
        <extracomment>After a caption of lanes: those without the text that one looks for.</extracomment>
        <translation>
            <numerusform> · %n lane without that text</numerusform>
            <numerusform> · %n lanes without that text</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> · %n link(s) with nothing wrong not shown</source>
        <extracomment>After a caption of lanes: links that are not shown.</extracomment>
        <translation>
            <numerusform> · %n link with nothing wrong not shown</numerusform>
            <numerusform> · %n links with nothing wrong not shown</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> · %n client(s) that only waited not shown</source>
        <extracomment>After a caption of lanes: clients that are not shown.</extracomment>
        <translation>
            <numerusform> · %n client that only waited not shown</numerusform>
            <numerusform> · %n clients that only waited not shown</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n reader(s)</source>
        <translation>
            <numerusform>%n reader</numerusform>
            <numerusform>%n readers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n permit(s) taken</source>
        <translation>
            <numerusform>%n permit taken</numerusform>
            <numerusform>%n permits taken</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n holder(s)</source>
        <translation>
            <numerusform>%n holder</numerusform>
            <numerusform>%n holders</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n vote(s) for %1</source>
        <translation>
            <numerusform>%n vote for %1</numerusform>
            <numerusform>%n votes for %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Verdict</name>
    <message numerus="yes">
        <source>Meanwhile readers that had asked later got it %n time(s).</source>
        <translation>
            <numerusform>Meanwhile readers that had asked later got it %n time.</numerusform>
            <numerusform>Meanwhile readers that had asked later got it %n times.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Waits</name>
    <message numerus="yes">
        <source>and so on, over %n client(s)</source>
        <translation>
            <numerusform>and so on, over %n client</numerusform>
            <numerusform>and so on, over %n clients</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>To end it, end the transaction of %1, which holds %2: %n client(s) wait for that. Its program gets an error, and what the transaction has done is undone.</source>
        <translation>
            <numerusform>To end it, end the transaction of %1, which holds %2: %n client waits for that. Its program gets an error, and what the transaction has done is undone.</numerusform>
            <numerusform>To end it, end the transaction of %1, which holds %2: %n clients wait for that. Its program gets an error, and what the transaction has done is undone.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>To end it, end the session of %1, which holds %2: %n client(s) wait for that. Its program gets an error, and loses every lock that it has there.</source>
        <translation>
            <numerusform>To end it, end the session of %1, which holds %2: %n client waits for that. Its program gets an error, and loses every lock that it has there.</numerusform>
            <numerusform>To end it, end the session of %1, which holds %2: %n clients wait for that. Its program gets an error, and loses every lock that it has there.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>To end it, end %1's hold of %2: %n client(s) wait for that. %1 then works on without the lock until it learns of it.</source>
        <translation>
            <numerusform>To end it, end %1's hold of %2: %n client waits for that. %1 then works on without the lock until it learns of it.</numerusform>
            <numerusform>To end it, end %1's hold of %2: %n clients wait for that. %1 then works on without the lock until it learns of it.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>WatchNote</name>
    <message numerus="yes">
        <source>%1. %n session(s) wait with a statement that does not show the name: how many wait for which lock is not known</source>
        <translation>
            <numerusform>%1. %n session waits with a statement that does not show the name: how many wait for which lock is not known</numerusform>
            <numerusform>%1. %n sessions wait with a statement that does not show the name: how many wait for which lock is not known</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n key(s) cannot be read before the move of their slot ends, so locks among them are not known%1</source>
        <translation>
            <numerusform>%n key cannot be read before the move of their slot ends, so locks among them are not known%1</numerusform>
            <numerusform>%n keys cannot be read before the move of their slot ends, so locks among them are not known%1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s) went to another node of the cluster with their slots, so this one does not know them any more%1. Watch all nodes together: redis+cluster://HOST:PORT</source>
        <translation>
            <numerusform>%n lock went to another node of the cluster with its slot, so this one does not know it any more%1. Watch all nodes together: redis+cluster://HOST:PORT</numerusform>
            <numerusform>%n locks went to another node of the cluster with their slots, so this one does not know them any more%1. Watch all nodes together: redis+cluster://HOST:PORT</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>told of changes of %n keys</source>
        <translation>
            <numerusform>told of changes of %n key</numerusform>
            <numerusform>told of changes of %n keys</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n connection(s) wait at a list (BLPOP), as waiters of python-redis-lock do: the server does not tell for which lock, if for any%1</source>
        <translation>
            <numerusform>%n connection waits at a list (BLPOP), as waiters of python-redis-lock do: the server does not tell for which lock, if for any%1</numerusform>
            <numerusform>%n connections wait at a list (BLPOP), as waiters of python-redis-lock do: the server does not tell for which lock, if for any%1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n connection(s) are subscribed to patterns, as waiters of Spring Integration are, and monitors: the server does not tell for which lock, if for any%1</source>
        <translation>
            <numerusform>%n connection is subscribed to patterns, as waiters of Spring Integration are, and monitors: the server does not tell for which lock, if for any%1</numerusform>
            <numerusform>%n connections are subscribed to patterns, as waiters of Spring Integration are, and monitors: the server does not tell for which lock, if for any%1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Watcher</name>
    <message numerus="yes">
        <source>%n key(s) cannot be read before the move of their slot ends: %1</source>
        <translation>
            <numerusform>%n key cannot be read before the move of its slot ends: %1</numerusform>
            <numerusform>%n keys cannot be read before the move of their slot ends: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>cli</name>
    <message numerus="yes">
        <source>from %1 to %2: %n change(s)</source>
        <translation>
            <numerusform>from %1 to %2: %n change</numerusform>
            <numerusform>from %1 to %2: %n changes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>… and %n more</source>
        <translation>
            <numerusform>… and %n more</numerusform>
            <numerusform>… and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n event(s), digest %1</source>
        <translation>
            <numerusform>%n event, digest %1</numerusform>
            <numerusform>%n events, digest %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n acquisition(s), %1</source>
        <extracomment>%1: "1273 events, digest 0acc…"</extracomment>
        <translation>
            <numerusform>%n acquisition, %1</numerusform>
            <numerusform>%n acquisitions, %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n subscribed to its release</source>
        <translation>
            <numerusform>%n subscribed to its release</numerusform>
            <numerusform>%n subscribed to its release</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n waiting</source>
        <translation>
            <numerusform>%n waiting</numerusform>
            <numerusform>%n waiting</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n dead in the queue</source>
        <translation>
            <numerusform>%n dead in the queue</numerusform>
            <numerusform>%n dead in the queue</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n permit(s) free</source>
        <translation>
            <numerusform>%n permit free</numerusform>
            <numerusform>%n permits free</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 key(s) looked at</source>
        <translation>
            <numerusform>%1 key looked at</numerusform>
            <numerusform>%1 keys looked at</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %2 key(s) looked at</source>
        <translation>
            <numerusform>%1 of %2 key looked at</numerusform>
            <numerusform>%1 of %2 keys looked at</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: the first look goes on, for %2 by now; %n command(s) were sent</source>
        <translation>
            <numerusform>%1: the first look goes on, for %2 by now; %n command were sent</numerusform>
            <numerusform>%1: the first look goes on, for %2 by now; %n commands were sent</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::app::AlertNotifier</name>
    <message numerus="yes">
        <source>%1, and %n more alert(s)</source>
        <translation>
            <numerusform>%1, and %n more alert</numerusform>
            <numerusform>%1, and %n more alerts</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::app::EditorDesk</name>
    <message numerus="yes">
        <source>recording your hands: %n step(s)</source>
        <translation>
            <numerusform>recording your hands: %n step</numerusform>
            <numerusform>recording your hands: %n steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::app::MainWindow</name>
    <message numerus="yes">
        <source>Started again, with the %n thing(s) that were done by hand.</source>
        <translation>
            <numerusform>Started again, with the one thing that was done by hand.</numerusform>
            <numerusform>Started again, with the %n things that were done by hand.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::app::StatusLine</name>
    <message numerus="yes">
        <source>%n server(s)</source>
        <translation>
            <numerusform>%n server</numerusform>
            <numerusform>%n servers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n client(s)</source>
        <translation>
            <numerusform>%n client</numerusform>
            <numerusform>%n clients</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n gap(s) (%1)</source>
        <extracomment>Times in which a watched server could not be seen: %1 how long all of them were.</extracomment>
        <translation>
            <numerusform>%n gap (%1)</numerusform>
            <numerusform>%n gaps (%1)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::live::LiveSession</name>
    <message numerus="yes">
        <source>%1 of %2 key(s) looked at</source>
        <translation>
            <numerusform>%1 of %2 key looked at</numerusform>
            <numerusform>%1 of %2 keys looked at</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 key(s) not looked at: this server would keep them for longer</source>
        <translation>
            <numerusform>%1 key not looked at: this server would keep them for longer</numerusform>
            <numerusform>%1 keys not looked at: this server would keep them for longer</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n address(es)</source>
        <translation>
            <numerusform>%n address</numerusform>
            <numerusform>%n addresses</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n master(s)</source>
        <translation>
            <numerusform>%n master</numerusform>
            <numerusform>%n masters</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <extracomment>%1 is "shop-redis + db-main + jobs": names of connections.</extracomment>
        <translation>
            <numerusform>%1 and %n more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::session::RedactedLiveSession</name>
    <message numerus="yes">
        <source>%n server(s), names hidden</source>
        <translation>
            <numerusform>%n server, names hidden</numerusform>
            <numerusform>%n servers, names hidden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n connection(s)</source>
        <translation>
            <numerusform>%n connection</numerusform>
            <numerusform>%n connections</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::session::Session</name>
    <message numerus="yes">
        <source>%n connection(s), all up</source>
        <translation>
            <numerusform>%n connection, up</numerusform>
            <numerusform>%n connections, all up</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n connection(s) up</source>
        <extracomment>%1 how many connections are up, %n how many there are.</extracomment>
        <translation>
            <numerusform>%1 of %n connection up</numerusform>
            <numerusform>%1 of %n connections up</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::AlertsModel</name>
    <message numerus="yes">
        <source>%n lock(s)</source>
        <translation>
            <numerusform>%n lock</numerusform>
            <numerusform>%n locks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::AlertsStrip</name>
    <message numerus="yes">
        <source>none · %n rule(s) watch</source>
        <translation>
            <numerusform>none · %n rule watches</numerusform>
            <numerusform>none · %n rules watch</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n shown, most severe first</source>
        <translation>
            <numerusform>%1 of %n shown, most severe first</numerusform>
            <numerusform>%1 of %n shown, most severe first</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n, most severe first</source>
        <translation>
            <numerusform>%n, most severe first</numerusform>
            <numerusform>%n, most severe first</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n muted</source>
        <translation>
            <numerusform>%n muted</numerusform>
            <numerusform>%n muted</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n muted until %1</source>
        <translation>
            <numerusform>%n muted until %1</numerusform>
            <numerusform>%n muted until %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::BreakPanel</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::ChoiceButton</name>
    <message numerus="yes">
        <source>%n hand(s)</source>
        <translation>
            <numerusform>%n hand</numerusform>
            <numerusform>%n hands</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::ClusterPanel</name>
    <message numerus="yes">
        <source>%n link(s): those of holders, of the selection, and broken ones are drawn</source>
        <translation>
            <numerusform>%n link: those of holders, of the selection, and broken ones are drawn</numerusform>
            <numerusform>%n links: those of holders, of the selection, and broken ones are drawn</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::ConnectionsAside</name>
    <message numerus="yes">
        <source>%n client(s)</source>
        <translation>
            <numerusform>%n client</numerusform>
            <numerusform>%n clients</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::ConnectionsModel</name>
    <message numerus="yes">
        <source>%n alert(s)</source>
        <translation>
            <numerusform>%n alert</numerusform>
            <numerusform>%n alerts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s) · %1 held</source>
        <extracomment>%1 how many of them are held.</extracomment>
        <translation>
            <numerusform>%n lock · %1 held</numerusform>
            <numerusform>%n locks · %1 held</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::ConnectionsPanel</name>
    <message numerus="yes">
        <source>%n lock(s) now</source>
        <translation>
            <numerusform>%n lock now</numerusform>
            <numerusform>%n locks now</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s)</source>
        <translation>
            <numerusform>%n lock</numerusform>
            <numerusform>%n locks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::EventsPanel</name>
    <message numerus="yes">
        <source>%1 of %2 event(s)</source>
        <extracomment>%2: how many there are.</extracomment>
        <translation>
            <numerusform>%1 of %2 event</numerusform>
            <numerusform>%1 of %2 events</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 event(s)</source>
        <translation>
            <numerusform>%1 event</numerusform>
            <numerusform>%1 events</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::FaultAxis</name>
    <message numerus="yes">
        <source>%n fault(s), none chosen</source>
        <translation>
            <numerusform>%n fault, none chosen</numerusform>
            <numerusform>%n faults, none chosen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::HoldersModel</name>
    <message numerus="yes">
        <source>%n hold(s)</source>
        <translation>
            <numerusform>%n hold</numerusform>
            <numerusform>%n holds</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::InvariantsModel</name>
    <message numerus="yes">
        <source>%1 + %n more</source>
        <extracomment>%1 is an interval of time, %n how many more there are.</extracomment>
        <translation>
            <numerusform>%1 + %n more</numerusform>
            <numerusform>%1 + %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, %n later</source>
        <extracomment>%1 how an invariant stands at the playhead, %n how many violations come later.</extracomment>
        <translation>
            <numerusform>%1, %n later</numerusform>
            <numerusform>%1, %n later</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::LessonEditor</name>
    <message numerus="yes">
        <source>%n thing(s) are not true</source>
        <translation>
            <numerusform>%n thing is not true</numerusform>
            <numerusform>%n things are not true</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::LessonList</name>
    <message numerus="yes">
        <source>%n min</source>
        <translation>
            <numerusform>%n min</numerusform>
            <numerusform>%n min</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::LessonPanel</name>
    <message numerus="yes">
        <source>%1 of your %n bet(s) came true.</source>
        <translation>
            <numerusform>%1 of your %n bet came true.</numerusform>
            <numerusform>%1 of your %n bets came true.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hand(s) counted</source>
        <translation>
            <numerusform>%n hand counted</numerusform>
            <numerusform>%n hands counted</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::LockDetailPanel</name>
    <message numerus="yes">
        <source>%1, %n time(s) over</source>
        <translation>
            <numerusform>%1, %n time over</numerusform>
            <numerusform>%1, %n times over</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <comment>holders</comment>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n waiter(s); the server does not say who.</source>
        <translation>
            <numerusform>%n waiter; the server does not say who.</numerusform>
            <numerusform>%n waiters; the server does not say who.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more that the server counts</source>
        <translation>
            <numerusform>and %n more that the server counts</numerusform>
            <numerusform>and %n more that the server counts</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::LockWaits</name>
    <message numerus="yes">
        <source>chain of %n wait(s)</source>
        <translation>
            <numerusform>chain of %n wait</numerusform>
            <numerusform>chain of %n waits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>circle of %n client(s)</source>
        <translation>
            <numerusform>circle of %n client</numerusform>
            <numerusform>circle of %n clients</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::LocksModel</name>
    <message numerus="yes">
        <source>%1 · %n lock(s)</source>
        <translation>
            <numerusform>%1 · %n lock</numerusform>
            <numerusform>%1 · %n locks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <comment>holders</comment>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <comment>waiters</comment>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::LocksPanel</name>
    <message numerus="yes">
        <source>%1 of %n lock(s) shown</source>
        <translation>
            <numerusform>%1 of %n lock shown</numerusform>
            <numerusform>%1 of %n locks shown</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n column(s) hidden</source>
        <extracomment>Columns of the table that are left out, in a window that is too narrow.</extracomment>
        <translation>
            <numerusform>%n column hidden</numerusform>
            <numerusform>%n columns hidden</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::StatisticsModel</name>
    <message numerus="yes">
        <source>of %n wait(s)</source>
        <translation>
            <numerusform>of %n wait</numerusform>
            <numerusform>of %n waits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>of %n hold(s)</source>
        <translation>
            <numerusform>of %n hold</numerusform>
            <numerusform>of %n holds</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>of %n hand-over(s)</source>
        <translation>
            <numerusform>of %n hand-over</numerusform>
            <numerusform>of %n hand-overs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::StatisticsStrip</name>
    <message numerus="yes">
        <source>From one holder to the next while somebody waited, by the server's record, of all locks; the scale is logarithmic. Seen %n time(s).</source>
        <translation>
            <numerusform>From one holder to the next while somebody waited, by the server's record, of all locks; the scale is logarithmic. Seen %n time.</numerusform>
            <numerusform>From one holder to the next while somebody waited, by the server's record, of all locks; the scale is logarithmic. Seen %n times.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 a minute, usual %3, %n grant(s)</source>
        <extracomment>%1 a connection's name, %2 and %3 numbers, %n how many grants were seen</extracomment>
        <translation>
            <numerusform>%1: %2 a minute, usual %3, %n grant</numerusform>
            <numerusform>%1: %2 a minute, usual %3, %n grants</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::TextOnlyField</name>
    <message numerus="yes">
        <source>%n field(s): edit in the text</source>
        <translation>
            <numerusform>%n field: edit in the text</numerusform>
            <numerusform>%n fields: edit in the text</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::TextPane</name>
    <message numerus="yes">
        <source>%n complaint(s)</source>
        <translation>
            <numerusform>%n complaint</numerusform>
            <numerusform>%n complaints</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>it can run; %n text(s) still to be written</source>
        <translation>
            <numerusform>it can run; %n text still to be written</numerusform>
            <numerusform>it can run; %n texts still to be written</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::TtlHistory</name>
    <message numerus="yes">
        <source>%n renewal(s)</source>
        <translation>
            <numerusform>%n renewal</numerusform>
            <numerusform>%n renewals</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::VerdictBanner</name>
    <message numerus="yes">
        <source>%1  (+%n more)</source>
        <comment>alerts</comment>
        <extracomment>%1 a sentence on one alert; %n how many more there are besides.</extracomment>
        <translation>
            <numerusform>%1  (+%n more)</numerusform>
            <numerusform>%1  (+%n more)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1  (+%n more)</source>
        <extracomment>%1 a sentence on one violation; %n how many more there are besides.</extracomment>
        <translation>
            <numerusform>%1  (+%n more)</numerusform>
            <numerusform>%1  (+%n more)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::WaitPicture</name>
    <message numerus="yes">
        <source>break here:
%n go on</source>
        <extracomment>Beside scissors at the hold whose end breaks a deadlock.</extracomment>
        <translation>
            <numerusform>break here:
%n goes on</numerusform>
            <numerusform>break here:
%n go on</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more wait(s)</source>
        <comment>for a lock</comment>
        <translation>
            <numerusform>%n more waits</numerusform>
            <numerusform>%n more wait</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>If this hold ends, the circle is broken and %n client(s) can go on.</source>
        <translation>
            <numerusform>If this hold ends, the circle is broken and %n client can go on.</numerusform>
            <numerusform>If this hold ends, the circle is broken and %n clients can go on.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::WaitsPanel</name>
    <message numerus="yes">
        <source>%n wait(s)</source>
        <translation>
            <numerusform>%n wait</numerusform>
            <numerusform>%n waits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s)</source>
        <translation>
            <numerusform>%n lock</numerusform>
            <numerusform>%n locks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n lock(s) are not observed: their server is out of sight.</source>
        <translation>
            <numerusform>%n lock is not observed: its server is out of sight.</numerusform>
            <numerusform>%n locks are not observed: their server is out of sight.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Of %n lock(s) the server does not tell who waits.</source>
        <translation>
            <numerusform>Of %n lock the server does not tell who waits.</numerusform>
            <numerusform>Of %n locks the server does not tell who waits.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more wait(s) are not drawn.</source>
        <translation>
            <numerusform>%n more wait is not drawn.</numerusform>
            <numerusform>%n more waits are not drawn.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockscope::views::WhatChangedDialog</name>
    <message numerus="yes">
        <source>%n change(s), %1 of them listed</source>
        <translation>
            <numerusform>%n change, %1 of them listed</numerusform>
            <numerusform>%n changes, %1 of them listed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n change(s)</source>
        <translation>
            <numerusform>%n change</numerusform>
            <numerusform>%n changes</numerusform>
        </translation>
    </message>
</context>
</TS>
