// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.odradek.affinity.ThreadPinning;
import org.odradek.client.TransportType;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TlsProviderType;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.IsolationLevel;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerHistograms;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.testkit.AllocationMeter;
import org.odradek.testkit.internal.ThreadUsage;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/**
 * Main class of a JVM that reads a prefilled topic and prints how many bytes its polling thread allocated. It warms up
 * with rounds of the measured work, except for metadata refreshes, until several in a row have allocated nothing; then
 * it measures one window. Its exit code is 0 only if nothing was allocated in the window.
 * <p>
 * With C2 there may be several windows, and each is printed: C2 turns the string constants of a class into objects when
 * it first compiles a method of that class, and the JVM charges those to the thread that called the method. That
 * happens once per class, and no warm-up is sure to reach the last class. A consumer creates the constants of the
 * classes in its list when it is created, but the list does not hold every class of the JDK. Objects that the consumer
 * itself allocates would show in every window, because all windows do the same work.
 */
public final class AllocationProbe
{
    public static final String PREFIX = "probe.";
    public static final int REFRESHES = 5;
    /** Begins the output for an isolation level. */
    static final String LEVEL = "isolation level ";

    private static final int MAX_WARM_UP_ROUNDS = 1_000;
    private static final int QUIET_ROUNDS = 8;
    private static final int WARM_UP_EMPTY_POLLS = 20_000;
    private static final int MIN_WARM_UP_EMPTY_FETCHES = 20;
    private static final int MAX_WARM_UP_EMPTY_FETCHES = 100;

    private final int partitions = Integer.getInteger(PREFIX + "partitions");
    private final int windows = Integer.getInteger(PREFIX + "windows");
    private final int readings = Integer.getInteger(PREFIX + "readings");
    /** A window reads at least for so long. */
    private final long seconds = Long.getLong(PREFIX + "seconds", 0);
    /** A window reads until a member has sent so many heartbeats and so many commits. */
    private final long groupRequests = Long.getLong(PREFIX + "groupRequests", 0);
    private final int emptyPolls = Integer.getInteger(PREFIX + "emptyPolls");
    private final int emptyFetches = Integer.getInteger(PREFIX + "emptyFetches");
    private final int warmUpEmptyFetches =
        Math.min(Math.max(emptyFetches / 5, MIN_WARM_UP_EMPTY_FETCHES), MAX_WARM_UP_EMPTY_FETCHES);
    private final long recordsPerPartition = Long.getLong(PREFIX + "recordsPerPartition");
    private final boolean hasHeaders = Boolean.getBoolean(PREFIX + "hasHeaders");
    private final String planted = System.getProperty(PREFIX + "planted", "nothing");
    private final AllocationMeter meter = new AllocationMeter();
    private final ReadingLoop loop;

    private AllocationProbe(final ReadingLoop loop)
    {
        this.loop = loop;
    }

    /**
     * Returns a context with the security that a file of Kafka's properties describes, or without any for null.
     *
     * @param file of Kafka's properties, or null.
     */
    static ConsumerContext secured(final String file)
    {
        final Properties properties = new Properties();
        if (file != null)
        {
            try (Reader reader = Files.newBufferedReader(Path.of(file)))
            {
                properties.load(reader);
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        }
        final SecuritySettings security = ConsumerContext.from(properties).security();
        if (security.tls() != null)
        {
            security.tls().provider(TlsProviderType.BORINGSSL);
        }
        return new ConsumerContext().security(security);
    }

    static ConsumerContext context()
    {
        return secured(System.getProperty(PREFIX + "clientProperties"))
            .expectedLeaders(Integer.getInteger(PREFIX + "leaders", Integer.getInteger(PREFIX + "partitions")))
            .fetchConnections(Integer.getInteger(PREFIX + "connections", 1))
            .bootstrapServers(System.getProperty(PREFIX + "bootstrap")).topic(System.getProperty(PREFIX + "topic"));
    }

    public static void main(final String[] args)
    {
        boolean isClean = true;
        for (final String level : System.getProperty(PREFIX + "isolationLevels", "READ_UNCOMMITTED").split(","))
        {
            System.out.println(LEVEL + level);
            isClean &= probe(IsolationLevel.valueOf(level));
        }
        System.exit(isClean ? 0 : 1);
    }

    private static boolean probe(final IsolationLevel level)
    {
        final int partitions = Integer.getInteger(PREFIX + "partitions");
        final long zeroRecords =
            level == IsolationLevel.READ_COMMITTED ? 0 : Long.getLong(PREFIX + "zeroRecords", 0);
        final ConsumerContext context = context().isolationLevel(level);
        final String group = System.getProperty(PREFIX + "group");
        if (group != null)
        {
            // The clock of the loop jumps, so the fence is on but far away.
            context.group(new GroupSettings(group).heartbeatIntervalMs(5)
                .protocol(GroupProtocol.valueOf(System.getProperty(PREFIX + "groupProtocol")))
                .commitPolicy(Boolean.getBoolean(PREFIX + "acknowledged") ? CommitPolicy.acknowledged(7) :
                CommitPolicy.delivered(7)).sessionTimeoutMs(1_800_000).fenceAfterMs(1_799_999));
        }
        final String countersFile = System.getProperty(PREFIX + "countersFile");
        if (countersFile != null)
        {
            context.countersFile(Path.of(countersFile)).histograms(ConsumerHistograms.create());
        }
        final int core = Integer.getInteger(PREFIX + "core", -1);
        try (ThreadPinning pinning = core < 0 ? null : ThreadPinning.pin(core);
            ReadingLoop loop = new ReadingLoop(
                context, partitions, partitions * (Long.getLong(PREFIX + "recordsPerPartition") + zeroRecords),
                TransportType.valueOf(System.getProperty(PREFIX + "transport"))))
        {
            final boolean isClean = new AllocationProbe(loop).run();
            if (pinning != null)
            {
                System.out.println("pinned: allowed on core " + ThreadPinning.allowedCores());
            }
            System.out.println(loop);
            return isClean;
        }
    }

    private boolean run()
    {
        if ("each".equals(planted))
        {
            loop.plantOn();
        }
        int rounds = readUntilWatched() + warmUp();
        boolean isClean = false;
        for (int window = 1; window <= windows && !isClean; window++)
        {
            rounds += measureWithoutGrowth(window);
            isClean = meter.allocatedBytes() == 0;
            check(rounds);
        }
        return isClean;
    }

    /**
     * Reads until another process has seen the counters rise, if the property is set.
     */
    private int readUntilWatched()
    {
        final String watchedFile = System.getProperty(PREFIX + "watched");
        int rounds = 0;
        while (watchedFile != null && !Files.exists(Path.of(watchedFile)))
        {
            loop.read();
            rounds++;
        }
        return rounds;
    }

    private int warmUp()
    {
        return warmUp(meter, () ->
        {
            loop.read();
            loop.pollAtEnd(WARM_UP_EMPTY_POLLS);
            loop.awaitEmptyFetches(warmUpEmptyFetches);
        });
    }

    /**
     * Repeats the measured work until several rounds in a row have allocated nothing while nothing was compiled, and
     * prints what each has allocated.
     *
     * @return the number of rounds.
     */
    public static int warmUp(final AllocationMeter meter, final Runnable round)
    {
        final long[] bytes = new long[MAX_WARM_UP_ROUNDS];
        int rounds = 0;
        int quietRounds = 0;
        while (quietRounds < QUIET_ROUNDS && rounds < MAX_WARM_UP_ROUNDS)
        {
            final long compilationMs = ThreadUsage.compilationMs();
            meter.start();
            round.run();
            meter.stop();
            quietRounds = meter.allocatedBytes() == 0 && ThreadUsage.compilationMs() == compilationMs ?
                quietRounds + 1 : 0;
            bytes[rounds++] = meter.allocatedBytes();
        }
        System.out.println("bytes in each round of warm-up: " + Arrays.toString(Arrays.copyOf(bytes, rounds)));
        return rounds;
    }

    /** Measures again after a receive buffer has grown, which happens a few times at most for each broker. */
    private int measureWithoutGrowth(final int window)
    {
        int rounds = 0;
        long grown;
        do
        {
            grown = loop.counter(ConsumerCounters.BUFFERS_GROWN);
            rounds += measure(window);
        }
        while (loop.counter(ConsumerCounters.BUFFERS_GROWN) != grown);
        return rounds;
    }

    /** Returns how often the topic was read. */
    private int measure(final int window)
    {
        final long records = loop.records();
        final long withHeader = loop.recordsWithHeader();
        final long headers = loop.headers();
        final long polls = loop.emptyPolls();
        final long fetches = loop.emptyFetches();
        final long refreshes = loop.metadataRefreshes();
        final long heartbeats = loop.counter(ConsumerCounters.HEARTBEATS);
        final long commits = loop.counter(ConsumerCounters.COMMITS);
        final long threads = ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();
        final long keyUpdates = loop.keyUpdates();
        if ("one".equals(planted))
        {
            loop.plantNext();
        }

        meter.start();
        loop.age();
        final long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        int done = 0;
        while (done < readings || System.nanoTime() - endNs < 0 ||
            loop.counter(ConsumerCounters.HEARTBEATS) - heartbeats < groupRequests ||
            loop.counter(ConsumerCounters.COMMITS) - commits < groupRequests)
        {
            loop.read();
            done++;
        }
        loop.pollAtEnd(emptyPolls);
        loop.refresh(REFRESHES - 1);
        loop.awaitEmptyFetches(emptyFetches);
        meter.stop();

        System.out.println("window=" + window + " records=" + (loop.records() - records) +
            " recordsWithHeader=" + (loop.recordsWithHeader() - withHeader) +
            " headers=" + (loop.headers() - headers) +
            " emptyPolls=" + (loop.emptyPolls() - polls) + " emptyFetches=" + (loop.emptyFetches() - fetches) +
            " metadataRefreshes=" + (loop.metadataRefreshes() - refreshes) +
            " heartbeats=" + (loop.counter(ConsumerCounters.HEARTBEATS) - heartbeats) +
            " commits=" + (loop.counter(ConsumerCounters.COMMITS) - commits) +
            " threads=" + (ManagementFactory.getThreadMXBean().getTotalStartedThreadCount() - threads) +
            " keyUpdates=" + (loop.keyUpdates() - keyUpdates) + " bytes=" + meter.allocatedBytes());
        return done;
    }

    private void check(final int readingsSoFar)
    {
        final long passes = (long)ReadingLoop.PASSES * readingsSoFar;
        final long expected = passes * partitions * (recordsPerPartition * (recordsPerPartition - 1) / 2);
        if (loop.firstLongs() != expected)
        {
            throw new IllegalStateException("The longs read add up to " + loop.firstLongs() + ", not " + expected);
        }
        // Each odd number is also in a header: 1 + 3 + 5 ... is a square.
        final long odd = hasHeaders ? recordsPerPartition / 2 : 0;
        if (loop.headerLongs() != passes * partitions * odd * odd)
        {
            throw new IllegalStateException("The longs in headers add up to " + loop.headerLongs() + ", not " +
                passes * partitions * odd * odd);
        }
    }
}
