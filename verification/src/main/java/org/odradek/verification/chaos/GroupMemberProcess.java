// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.testkit.Await;
import org.odradek.testkit.internal.JavaProcess;
import org.odradek.verification.chaos.GroupHistory.Member;
import org.odradek.verification.chaos.GroupHistory.Window;
import org.odradek.verification.chaos.MemberLedger.Entry;
import org.odradek.verification.chaos.MemberLedger.Kind;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process that is a member of a group, as the run sees it. It has started when this is made, and joins when told.
 */
final class GroupMemberProcess implements AutoCloseable
{
    private static final int EXIT_SECONDS = 120;

    private final String name;
    private final String client;
    private final String instanceId;
    private final boolean isRemote;
    private final boolean isClassic;
    private final JavaProcess process;
    private final MemberLedger ledger;
    private final List<Entry> entries = new ArrayList<>();
    private final List<Window> stops = new ArrayList<>();
    private final BitSet owned = new BitSet();
    private final long[] nextOffsets = new long[ClusterFaults.MAX_PARTITIONS];
    private int read;
    private long stoppedNs;
    private long killedNs = GroupHistory.NOT_KILLED;
    private boolean isJoined;
    private boolean isEnded;
    /** Set by the thread that reads its output. */
    private volatile boolean isReady;

    /**
     * @param folder      the folder of the ledger of the process, and of the class with the planted defect.
     * @param isDefective true if the process runs the class with the defect. Asserts are off then, because the verdict
     *                    must find the defect.
     * @param isRemote    true if the process connects through the proxies of the cluster.
     * @param member      the arguments of {@link GroupMemberMain#main} after the file of the ledger.
     */
    GroupMemberProcess(
        final String name,
        final Path folder,
        final boolean isDefective,
        final boolean isRemote,
        final GroupMemberMain.Arguments member)
    {
        this.name = name;
        this.isRemote = isRemote;
        client = member.client();
        instanceId = member.instanceId();
        isClassic = member.isClassic();
        final File file = folder.resolve(name).toFile();
        final String classPath = System.getProperty("java.class.path");
        process = JavaProcess.of(GroupMemberMain.class)
            .classPath(isDefective ? folder + File.pathSeparator + classPath : classPath)
            .flags(isDefective ? "-da:org.odradek..." : "-ea:org.odradek...", "-Xmx64m", "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
            .args(member.toArray(file))
            .onStdout((line) -> isReady |= line.equals(GroupMemberMain.READY))
            .start();
        Await.until("the start of " + name, () -> isReady || !process.isAlive());
        if (!isReady)
        {
            throw new IllegalStateException(name + " has ended at its start: " + process.outputTail());
        }
        ledger = MemberLedger.open(file);
    }

    String name()
    {
        return name;
    }

    String client()
    {
        return client;
    }

    /** Null for a dynamic member. */
    String instanceId()
    {
        return instanceId;
    }

    /** Whether it is behind the proxies of the cluster. */
    boolean isRemote()
    {
        return isRemote;
    }

    boolean isOurs()
    {
        return isPolling() || client.equals(GroupMemberMain.WORKERS);
    }

    /** Whether it is one of ours whose handler runs on the thread that polls. */
    boolean isPolling()
    {
        return client.equals(GroupMemberMain.OURS);
    }

    void join()
    {
        send(GroupMemberMain.JOIN);
    }

    boolean isJoined()
    {
        return isJoined;
    }

    /** Sends a command of {@link GroupMemberMain}. */
    void send(final String line)
    {
        isJoined |= line.equals(GroupMemberMain.JOIN);
        process.send(line);
    }

    /** Reads what the ledger has in addition. */
    void update()
    {
        ledger.readTo(entries);
        for (; read < entries.size(); read++)
        {
            final Entry entry = entries.get(read);
            final int partition = entry.partition();
            switch (entry.kind())
            {
                case ASSIGNED -> owned.set(partition);
                case REVOKED, LOST -> owned.clear(partition);
                case DELIVERED -> nextOffsets[partition] = Math.max(nextOffsets[partition], entry.offset() + 1);
                default ->
                {
                }
            }
        }
    }

    boolean isOwner(final int partition)
    {
        return !isEnded && owned.get(partition);
    }

    /** One more than the highest offset that it has delivered. */
    long nextOffset(final int partition)
    {
        return nextOffsets[partition];
    }

    int ownedCount()
    {
        return isEnded ? 0 : owned.cardinality();
    }

    /** How often its ownerships or its state have changed. */
    long changes()
    {
        return entries.size() - count(Kind.DELIVERED);
    }

    /** The number of entries of this kind. */
    long count(final Kind kind)
    {
        return entries.stream().filter((entry) -> entry.kind() == kind).count();
    }

    void kill()
    {
        process.kill();
        killedNs = System.nanoTime();
        isEnded = true;
    }

    /** Stops the process by a signal for a while, as a host that is suspended does. */
    void stop(final long ms)
    {
        suspend();
        try
        {
            TimeUnit.MILLISECONDS.sleep(ms);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
        resume();
    }

    /** Stops the process until {@link #resume}. */
    void suspend()
    {
        stoppedNs = System.nanoTime();
        process.suspend();
    }

    void resume()
    {
        process.resume();
        stops.add(new Window(name, stoppedNs, System.nanoTime()));
    }

    /** Lets it leave the group, and waits for its end. */
    void leave()
    {
        process.send(GroupMemberMain.CLOSE);
        awaitEnd();
    }

    /** Interrupts its thread so many times, which lets it leave the group, too, and waits for its end. */
    void interrupt(final int times)
    {
        process.send(GroupMemberMain.SHUT_DOWN_NOW + times);
        awaitEnd();
    }

    /** Waits for the end after a command to close. */
    void awaitEnd()
    {
        final int exitCode = process.exitCode(EXIT_SECONDS, TimeUnit.SECONDS);
        isEnded = true;
        if (isOurs() && exitCode != 0)
        {
            throw new IllegalStateException(name + " ends with exit code " + exitCode + ": " + output());
        }
    }

    boolean isEnded()
    {
        return isEnded;
    }

    /** Whether it runs, or has ended because it was told to. */
    boolean isAsTold()
    {
        return isEnded || process.isAlive();
    }

    Member history()
    {
        update();
        return new Member(name, isOurs(), instanceId != null && isClassic, killedNs, stops, entries);
    }

    /** The last lines of its output. */
    String output()
    {
        return process.outputTail();
    }

    @Override
    public void close()
    {
        process.close();
        ledger.close();
    }
}
