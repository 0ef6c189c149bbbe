<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>ConnectionUrl</name>
    <message>
        <source>The URL contains a stray “%”; write %25 for a percent sign.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The address “%1” has no closing bracket “]”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After “]” in “%1” only “:port” may follow.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” ends in a colon; write host:port or leave the colon out.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” has more than one colon; write an IPv6 address as [::1]:6379.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The URL names no host; write for example redis://127.0.0.1:6379.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The host “%1” contains a space.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The port “%1” is not a number from 1 to 65535.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The URL has a user but no password; write user:password@ (or :password@ for the default user).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The password in the URL is empty; leave out “user:@” to connect without a login.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The option “%1” is not known; there are ca=, cert= and key=, each a file name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The option “%1” needs TLS; begin the URL with rediss://.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The option “%1” is empty; give it a file name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A client certificate needs both cert= and key=.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is not a connection URL; write for example redis://127.0.0.1:6379.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1://” is not supported; there are redis:// and rediss://.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A connection URL has no “#” part; write %23 for this sign in a password.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The database “%1” is not a number; write for example /0.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Events</name>
    <message>
        <source>token %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hold %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>never expires</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lease until %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lost on its way</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 on its way</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it was %1&apos;s; released by another</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>released</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1&apos;s lease has expired</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>taken from %1 by force</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1&apos;s hold was overwritten</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the server lost it with %1 as its owner</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Life and faults</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Belief</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Record</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Effect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>resumed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>killed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>link cut</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>link mended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>link delayed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>clock jumped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>watchdog stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>next reply will be lost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>everything healed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>setting changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>wants the lock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>believes: granted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>entered again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gave up waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>wait cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>could not ask</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>own deadline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>renewed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>renewal refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>renewal failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>learned of the loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>release refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>release failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gives it up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>record: held</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>record: renewed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>record: free</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>record: waiters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>record: token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>record out of sight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>record in sight again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>write accepted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>write refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>asks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>publishes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>connection lost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>connection restored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 more each way</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no longer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 from true time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waits as long as it takes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waits at most %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it does not look at the clock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gives it up at %1 by itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n hold(s) left</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>the server says: not yours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>done</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Format</name>
    <message>
        <source>unknown</source>
        <extracomment>This format of lock does not say.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>never</source>
        <extracomment>No deadline: it never expires.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 ns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 µs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 m %2 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 h %2 m</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 d %2 h</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 – now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 – %2 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 G</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 M</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 k</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 GB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 MB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 kB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 B</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Language</name>
    <message>
        <source>en</source>
        <extracomment>The language code of this translation, e.g. zh_CN. Leave as en for English.</extracomment>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Lock</name>
    <message>
        <source>renewal refused: the server no longer knows this hold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>own clock past the end of the lease</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LockError</name>
    <message>
        <source>This thread does not hold the lock.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The key “%1” holds data of another kind than this recipe writes: it was left alone. Use another lock name, or the recipe that wrote it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The lock “%1” is no longer ours: its lease ended or somebody freed it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>redis-set-del cannot renew a lease: nothing tells whose lock it is.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LockFilter</name>
    <message>
        <source>There is no “%1” to compare; there are ttl, held, waiters, holds and token.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” needs a value after it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” is a word: write %1:%2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” is not a time, such as 5s, 250ms or 2m.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” is not a whole number.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Locks</name>
    <message>
        <source>free</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not observed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>queued</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>held</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>never expires</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>renewal missed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>orphan?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stale belief</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n believer(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>none: no watchdog</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>watchdog stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>late by %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>seen %1 ago</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <extracomment>A list of clients: &quot;A, B and C&quot;. %1 is all but the last, already joined with commas.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, </source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Opener</name>
    <message numerus="yes">
        <source>… and %n more problem(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>%1: there is no such file. Was it moved or renamed?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: not a file that Lockscope knows. It opens recordings (.lockscope) and scenarios (.json).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: cannot be opened.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Recipe</name>
    <message>
        <source>SET NX with an expiry, and a DEL that does not look whose lock it is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SET NX PX with a unique value; release and renewal compare it first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redisson&apos;s reentrant lock: a hash of holds, woken by messages, renewed by a watchdog</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RedisError</name>
    <message>
        <source>%1 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 refused the connection. Is Redis running there, and on this port?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The host of %1 is not known. Check its name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 did not answer. Check address, port and firewall.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No connection to %1: %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No TLS connection to %1: %2. Check ca=, cert= and key= in the URL.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 did not answer within %2. Check address, port and firewall.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 closed the connection during the greeting. Does it want a client certificate?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 closed the connection during the greeting. If it wants TLS, write rediss://.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The connection to %1 broke; whether the last commands ran is not known.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has said nothing for %2; the connection was given up.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What %1 sends is not the Redis protocol (%2). Is it a Redis?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 did not answer %2 within %3; whether it ran is not known.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 commands wait for %2 already; this one was not sent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The connection to %1 was closed on purpose.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 says: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 wants a password. Write it into the URL: redis://:password@host.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 refused the login (%2). Check user and password in the URL.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 does not allow this user to run %2. Ask for an ACL that does.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has no such database (%2). Check the number at the end of the URL.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is not ready: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · not connected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · connecting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · connected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · lost: %2 Trying again in %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · failed: %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RedisTls</name>
    <message>
        <source>The file %1 can not be read: %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file %1 holds no certificate in PEM format.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file %1 holds no private key in PEM format without a passphrase.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Sandbox</name>
    <message>
        <source>%1 can not be run: %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 did not end in time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 failed: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No private directory can be made for the server.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no free port on 127.0.0.1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file %1 can not be written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>redis-server can not be run: %1. Is it installed?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>redis-server did not come up on port %1. It said: %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Shell</name>
    <message>
        <source>--theme %1: light, dark or system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--language %1: one of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--layout %1: teach, monitor or break</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--seed %1: a whole number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--at %1: a time such as 6.8s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: the picture could not be written</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>waits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waits %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n ahead</source>
        <extracomment>On a waiting client, after &quot;waits 4.6 s&quot;: how many asked before it.</extracomment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>holds #%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>still believes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cut</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>+%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>expires %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not observed</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n waiting</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 µs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 asks %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 answers %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 tells %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 lost its connection to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is connected to %2 again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (lost on the way)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2 on the way)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 waits for %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 holds %2 as #%3: %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 still believes to hold %2 (#%3), but the record says otherwise: %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was not observed: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is held by %2 and never expires: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is held by %2, renewed at %3, expires at %4: %5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is held by %2 since %3, expires at %4: %5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is up: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is paused: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is down: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is cut: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is slow: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 gave up waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 learned that it lost the lock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 got no answer to its renewal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: accepted a write of %2 (#%3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: refused a write of %2 (#%3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: accepted a write of %2, which did not hold the lock any more; %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>client %1 started again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>client %1 paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>client %1 resumed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>client %1 killed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>server %1 started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>server %1 paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>server %1 resumed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>server %1 killed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>link %1 cut</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>link %1 mended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>link %1 delayed by %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>clock of %1 is off by %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>watchdog of %1 stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>next reply on %1 will be lost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>everything healed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>setting changed to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (by hand)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting for %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>still believes to hold #%1, but the record says otherwise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>paused; %1</source>
        <extracomment>%1 is what a paused client is otherwise doing, such as &quot;holds #33&quot;.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>free</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>held by %1, %2 left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>held by %1, never expires</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>BELIEF · what each client could act on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>RECORD · what the servers hold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>EFFECT · what the resource accepted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>NODES AND LINKS</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>client %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>thread %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>checks tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no token check</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>guarded by %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no writes yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>connected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>delayed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · never expires</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · lease %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · %2 left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1&apos;s release refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1&apos;s renewal refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>expired</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>freed by force</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>overwritten</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lost with its server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>damage: #%1 after #%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>damage: #%1 held no more</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Verdict</name>
    <message>
        <source>%1 have believed at the same time that they hold %2, since %3, for %4 so far.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 believed at the same time that they held %2, for %3: from %4 to %5.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 accepted a write of %2 at %3, when %4 was already held by %5.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 accepted a write of %2 at %3 with an old token of %4.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 accepted a write of %2 at %3, when %2 no longer held %4.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It carried token %1 after token %2 had been accepted: a resource that checks tokens would have refused it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It carried token %1, and nothing newer had been written yet for the resource to compare with.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Without a fencing token the resource cannot tell an old holder from a new one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 renewed %2 at %3, but it was %4 that held it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The renewal did not check whose lock it was.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 took %2 over at %3 although %4 still held it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The command wrote over the lock without checking whose it was.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 released %2 at %3, but it was %4 that held it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The release did not check whose lock it was.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nobody alive holds %1 and %2 could be given it, but since %3 it is overdue: %4 so far.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nobody alive held %1 and %2 could be given it, but it was overdue for %3: from %4 to %5.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server freed %1 at %2 although %3 held it more than once: a hold count falls by one at a time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 released %2 at %3 and was left with a hold count of %4: it should have fallen by one, and the lock should be free at zero.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server&apos;s hold count of %1 for %2 jumped to %3 at %4: it should change by one at a time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 took %2 at %3 and its hold count became %4: it should have risen by one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has been paused since %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was paused from %2 to %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has been cut off from %2 since %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was cut off from %2 from %3 to %4.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The watchdog of %1 stopped at %2, so nothing renewed its lease.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The clock of %1 jumped at %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 tried to renew its lease and got no answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 worked for longer than its lease, and nothing renewed it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The lease of %1 ended at %2, so the server gave the lock to %3 at %4.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The lease of %1 ended at %2, so the server counts the lock as free.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On the server the lock of %1 was released at %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 released the lock of %2 at %3, so the server gave it to %4 at %5.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 released the lock of %2 at %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The lock of %1 was freed by force at %2, and the server gave it to %3 at %4.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The lock of %1 was freed by force at %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The entry of %1 on the server was overwritten at %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 wrote over the entry of %2 on the server at %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server lost its memory of the lock of %1 at %2, and gave it to %3 at %4.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server lost its memory of the lock of %1 at %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 does not know, and still believes that it holds the lock.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 went on believing that it held the lock until %2, when it learned of the loss.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 went on believing that it held the lock until %2, when the server refused its release.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 went on believing that it held the lock until its own deadline at %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 went on believing that it held the lock until it died at %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 went on believing that it held the lock until it gave it up at %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On the server the lock is free: whoever waits was not told, or asks in vain.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 died at %2, and its entry on the server has no expiry: nothing will ever remove it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 died at %2, and its entry stays on the server until %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The entry of %1 is still on the server and has no expiry, but %1 does not believe that it holds the lock.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The entry of %1 stays on the server until %2, but %1 does not believe that it holds the lock.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mutual-exclusion</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stale-write</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ownership</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reentrancy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No two clients believe at one time that they hold the lock.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The guarded resource never accepts a write from a client that no longer holds the lock.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No client releases or renews a hold that is not its own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>While a live, connected client waits and nobody alive holds the lock, it is granted in time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hold counts rise and fall by one, and the lock is free at zero.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 violated for %2 so far, since %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 violated at %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 violated for %2, from %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n other(s)</source>
        <comment>at the end of a list of clients</comment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>a sentence after a sentence</comment>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>cli</name>
    <message>
        <source>play a scenario in virtual time and judge it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run a command while holding a lock on a real server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>locks on a running server; without --once, a line per change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>judge a recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>turn a recording into a picture or a table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what there is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redisson&apos;s reentrant lock, also -fair, -fenced, -rw, -fastmulti, -permit, -semaphore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SET NX with redis-py&apos;s value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SET NX with the value of a Redlock library (node-redlock, redsync, redlock-py, …)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ShedLock&apos;s job locks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>another string under a name that locks have, such as lock:*</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a recording, as simulate --record writes it; a SQLite database</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the timeline as a picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the timeline as a drawing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all events as a table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all events, one JSON object a line</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::app::MainWindow</name>
    <message>
        <source>Play</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Panel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a recording or a scenario</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recordings and scenarios (*.lockscope *.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the scenario so far, with what was done by hand</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scenarios (*.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved %1: it runs again to the same end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 — Lockscope</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lockscope</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::app::MessageBar</name>
    <message>
        <source>Close message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close message (Esc)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::app::StatusLine</name>
    <message>
        <source>Servers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No server yet: connect, or play a scenario.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n server(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n client(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>read-only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>our own load %1 commands/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 events/s · %2 events</source>
        <extracomment>%1 a number such as &quot;38&quot; or &quot;1.02 k&quot;, %2 such as &quot;1 284&quot;</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 ms a frame</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::app::WindowMenus</name>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Open a recording or scenario…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Save the scenario so far…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Close the session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Play a &amp;scenario</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Connect to a server…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Play</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layout: &amp;Teach</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layout: &amp;Monitor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layout: &amp;Break</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Restore the layout&apos;s own arrangement</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let panels be mo&amp;ved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Panels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Workload and faults</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Locks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lock, protocol and verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Panels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>T&amp;heme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch between light and dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Full screen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scenario</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::app::WorkArea</name>
    <message>
        <source>Workload and faults</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Locks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Events %1</source>
        <extracomment>Tab of the table of events; %1 how many there are.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Locks %1</source>
        <extracomment>Tab of the table of locks; %1 how many there are.</extracomment>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::cli</name>
    <message>
        <source>--%1 “%2” should be a time longer than 0 with a unit, such as 5s, 250ms or 1.5h</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An oscilloscope for distributed locks.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>open the window, with a recording or a server if you like</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SCENARIO is a file or a name from “lockscope list scenarios”. URL is redis://[user:password@]host:port[/db] or rediss:// for TLS. Times have a unit: 250ms, 5s, 2m.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exit status: 0 fine, 1 an invariant was violated, 2 usage or bad input, 3 server unreachable, 4 verdict unknown; “lock” passes its command&apos;s status through, or 123 lock lost, 124 not acquired in time, 125 failed, 126/127 command cannot run / not found.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” is neither a command, a file nor a URL%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>usage: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” does not exist yet in this version; “lockscope --help” tells what does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>holds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>VIOLATED</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>… and %n more</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source> (unsafe: exists to be seen failing)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>scenarios, recipes or formats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no list of “%1”%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>give --seed or --seeds, not both</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--seed “%1” should be a whole number from 0 on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--seeds “%1” should be two whole numbers, the smaller first, such as 1..1000</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no recipe “%1”%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 with %2, seed %3, %4 of virtual time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>  %1 acquisitions, %2 events, digest %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>seed %1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>violates %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 runs, %2 violated; the first is seed %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 runs, none violated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--record takes one run: give --seed instead of --seeds</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::cli::Arguments</name>
    <message>
        <source>there is no option %1%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--%1 is given twice</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--%1 takes no value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--%1 needs a value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is missing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” is one word too many</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::scenario</name>
    <message>
        <source>this is not JSON: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a scenario is an object, { … }</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this field stands here for the second time; leave one out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is neither a built-in scenario nor a file of this name%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the file cannot be read: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this must be longer than 0 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a lease is at least 1ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hold and think cannot both be 0 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>another node is called “%1” already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” cannot both hold and be violated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a time with a unit, such as &quot;5s&quot;, &quot;250ms&quot; or &quot;1.5h&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a time with a unit and perhaps a minus sign, such as &quot;5s&quot; or &quot;-250ms&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a time with a unit, such as &quot;10s&quot;, or &quot;off&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a time with a unit, such as &quot;10s&quot;, or &quot;forever&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a time, such as &quot;3s&quot;, or two of them, such as [&quot;2s&quot;, &quot;4s&quot;]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lower-case words joined by hyphens, such as &quot;redis-set&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a text of 1 to 200 characters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a text, or an object of texts by language with &quot;en&quot; among them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an object, { … }</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a list, [ … ]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>true or false</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; did you mean “%1”?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; known are %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::scenario::Checker</name>
    <message>
        <source>a fault strikes either at a time or when something happens: leave out “at” or “when”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a fault needs a time: “at”, such as &quot;3s&quot;, or “when”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only delay-link and jump-clock take a value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a latency cannot be negative</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has no target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 needs a target, such as “%2”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 cannot be done to “%2”%3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no client “%1”%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 needs a link as its target, a client and a node, such as “holder-%2”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; nodes are %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; clients are A to %1, holder and waiter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this goes with &quot;do&quot;: &quot;set&quot; only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what is to be set? Say so by “set”, such as &quot;lease&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is set “to” %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::scenario::Explainer</name>
    <message>
        <source>%1 should be %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> or </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is not known here%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no field “%1” here%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the field “%1” is missing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at least one is needed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 should be a whole number from %2 on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 should be a whole number from %2 to %3</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::scenario::Fields</name>
    <message>
        <source>the shorter time comes first: [&quot;%1&quot;, &quot;%2&quot;]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” is not a whole number of nanoseconds below 292 years</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::session::SimulatedSession</name>
    <message>
        <source>Simulated · %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::sim</name>
    <message>
        <source>“%2” is no value for “%1”: %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%2” is no value for “%1”: “%3” or “%4”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no setting “%1”.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::sim::World</name>
    <message>
        <source>There is no client “%1” to do this to now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no node “%1”; the node here is “%2”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no recipe “%1”.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::views::CommandField</name>
    <message>
        <source>Find or do… Ctrl+K</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find or do</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commands</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No command is called that.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::views::ConnectDialog</name>
    <message>
        <source>&amp;Allow changes on this server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect to a server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address of the server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off: Lockscope only reads. On: its own clients may take and free locks there, and faults may be injected. A password is used for this connection and stored nowhere.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Examples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type the address of a server.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This address can be tried.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::views::EventsModel</name>
    <message>
        <source>you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Event</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Detail</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::views::InvariantsModel</name>
    <message>
        <source>held</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%1 + %n more</source>
        <extracomment>%1 is an interval of time, %n how many more there are.</extracomment>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>invariant: outcome</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Invariant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::views::LocksModel</name>
    <message>
        <source>no server</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%1 · %n lock(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>%1 each believe to hold it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Holder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Holds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTL</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Renewal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Held for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::views::Player</name>
    <message>
        <source>Nothing happens after this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing happened before this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The lock is not granted again after this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The lock was not granted before this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No fault strikes after this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No fault struck before this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No invariant breaks after this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No invariant broke before this.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::views::QueueModel</name>
    <message>
        <source>waits %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1. %2, %3</source>
        <comment>position in a queue, who, how long</comment>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::views::ShortcutSheet</name>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>any key closes this</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::views::TransportBar</name>
    <message>
        <source>%1 (%2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Transport</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The seed of this run: the same seed gives the same run. Type another one and press Enter.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Play</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restart with the same seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restart with a new seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step to the next event</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step back to the previous event</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next acquisition</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous acquisition</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next fault</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous fault</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next violation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous violation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Faster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Slower</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Normal speed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find or do…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type a seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>next</source>
        <extracomment>A button whose menu offers: acquisition, fault, violation.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run to the next acquisition, fault or violation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed: 0.01× to 1000×</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>seed %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow what happens now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A seed is a whole number from 0 to 18446744073709551615.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::views::VerdictBanner</name>
    <message numerus="yes">
        <source>%1  (+%n more)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Too little was seen to judge</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All invariants hold so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verdict: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click to go there.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::views::ViewContext</name>
    <message>
        <source>This session cannot be changed: nothing was done.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockscope::views::WelcomePage</name>
    <message>
        <source>Welcome</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scenarios</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>each runs in the built-in simulator: no server needed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>See what a distributed lock really does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who holds it, who waits, what time is left, and what happens when something breaks: on a time axis, in a simulator or on your own servers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Watch a lock change hands</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Four clients, one lock, one simulated Redis. Then pause the holder and see.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look at a running server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address of the server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recordings and scenario files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop a file here, or choose one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Servers that you connect to will be listed here, without passwords. Nothing is changed on them unless you allow it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files that you open or save will be listed here.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>scenario</name>
    <message>
        <source>the id of a recipe, such as redis-set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a time of at least 1ms, such as 5s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a time such as 10s, or off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a time such as 10s, or forever</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a time such as 3s, or the shortest and the longest, such as 2s-4s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a whole number from 1 to 200</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on or off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>honoured or ignored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stop or carry-on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be written: %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>std</name>
    <message>
        <source>“%1” cannot be freed by force in this session.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
