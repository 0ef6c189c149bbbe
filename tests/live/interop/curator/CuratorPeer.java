// SPDX-License-Identifier: Apache-2.0
// A process that locks with Apache Curator, told what to do line by line. usage: CuratorPeer HOST:PORT
//   open NAME PATH KIND       → ready; KIND: mutex, read, write, or semaphore:N
//   acquire NAME SECONDS      → acquired NANOSECONDS, or timeout
//   release NAME              → released NANOSECONDS
//   contend PATH KIND COUNTER SECONDS CLIENTS, beside what comes next → added COUNTER TIMES
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.ExponentialBackoffRetry;

public class CuratorPeer {
    interface Lock {
        boolean acquire(double seconds) throws Exception;
        void release() throws Exception;
    }

    static CuratorFramework connect(String hosts) throws Exception {
        CuratorFramework client =
            CuratorFrameworkFactory.newClient(hosts, 2000, 10000, new ExponentialBackoffRetry(50, 10));
        client.start();
        client.blockUntilConnected();
        return client;
    }

    static Lock of(InterProcessMutex mutex) {
        return new Lock() {
            public boolean acquire(double seconds) throws Exception {
                return mutex.acquire((long) (seconds * 1000), TimeUnit.MILLISECONDS);
            }
            public void release() throws Exception {
                mutex.release();
            }
        };
    }

    static Lock make(CuratorFramework client, String path, String kind) {
        if (kind.equals("mutex")) return of(new InterProcessMutex(client, path));
        if (kind.equals("read")) return of(new InterProcessReadWriteLock(client, path).readLock());
        if (kind.equals("write")) return of(new InterProcessReadWriteLock(client, path).writeLock());
        int most = Integer.parseInt(kind.substring(kind.indexOf(':') + 1));
        InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, path, most);
        return new Lock() {
            Lease lease;
            public boolean acquire(double seconds) throws Exception {
                lease = semaphore.acquire((long) (seconds * 1000), TimeUnit.MILLISECONDS);
                return lease != null;
            }
            public void release() throws Exception {
                semaphore.returnLease(lease);
            }
        };
    }

    static synchronized void say(String text) {
        System.out.println(text);
        System.out.flush();
    }

    static void contend(String hosts, String path, String kind, String counter, double seconds, int count)
        throws Exception {
        AtomicInteger added = new AtomicInteger();
        List<CuratorFramework> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) clients.add(connect(hosts));
        long end = System.nanoTime() + (long) (seconds * 1e9);
        List<Thread> threads = new ArrayList<>();
        for (CuratorFramework client : clients) {
            Thread thread = new Thread(() -> {
                try {
                    Lock lock = make(client, path, kind);
                    while (System.nanoTime() < end) {
                        if (!lock.acquire(60)) throw new IllegalStateException("not acquired");
                        int value = Integer.parseInt(new String(client.getData().forPath(counter)));
                        client.setData().forPath(counter, Integer.toString(value + 1).getBytes());
                        added.incrementAndGet();
                        lock.release();
                    }
                } catch (Exception failure) {
                    say("failed " + failure);
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) thread.join();
        for (CuratorFramework client : clients) client.close();
        say("added " + counter + " " + added.get());
    }

    public static void main(String[] arguments) throws Exception {
        String hosts = arguments[0];
        CuratorFramework client = connect(hosts);
        Map<String, Lock> locks = new HashMap<>();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.trim().split(" ");
            if (words[0].equals("open")) {
                locks.put(words[1], make(client, words[2], words[3]));
                say("ready");
            } else if (words[0].equals("acquire")) {
                boolean had = locks.get(words[1]).acquire(Double.parseDouble(words[2]));
                say(had ? "acquired " + System.nanoTime() : "timeout");
            } else if (words[0].equals("release")) {
                locks.get(words[1]).release();
                say("released " + System.nanoTime());
            } else if (words[0].equals("contend")) {
                new Thread(() -> {
                    try {
                        contend(hosts, words[1], words[2], words[3], Double.parseDouble(words[4]),
                                Integer.parseInt(words[5]));
                    } catch (Exception failure) {
                        say("failed " + failure);
                    }
                }).start();
            }
        }
        client.close();
    }
}
