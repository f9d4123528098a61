// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import one.profiler.AsyncProfiler;
import org.odradek.affinity.ThreadPinning;
import org.odradek.benchmarks.report.Usage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs a client: on a live topic in turns, over a log that is already there in passes or for a time. Settings, besides
 * those of the client: {@code poll=spin} polls without a wait, {@code core} pins the polling thread, {@code records} is
 * how many there are in a pass, {@code profile} and {@code profileFile} sample the turn for a flame graph.
 */
public final class ClientTask implements RigMain.Task
{
    public static final String CPU = "cpu";
    public static final String ALLOCATIONS = "alloc";
    /** The setting of a client that reads on so many threads of its own. */
    public static final String THREADS = "threads";
    /** The setting of a client of a live topic that reads it from offset 0 on. */
    public static final String FROM_START = "fromStart";
    /** The setting of a client that tells each second what it has used. */
    static final String EACH_SECOND = "eachSecond";
    private static final int BRIEF_TIMEOUT_MS = 1;
    private static final long LONGEST_RESPONSE_NS = TimeUnit.SECONDS.toNanos(60);

    private final Settings settings;
    private PollingLoop loop;
    private Client client;
    private Sink sink;

    public ClientTask(final Settings settings)
    {
        this.settings = settings;
    }

    @Override
    public Object obey(final String word, final String argument) throws Exception
    {
        return switch (word)
        {
            case Child.RUN -> start(argument.isEmpty() ? settings :
                settings.with(Settings.parse(argument.split(" "))));
            case Child.PRACTISE -> start(settings.with("pollTimeoutMs", BRIEF_TIMEOUT_MS));
            case Child.MEASURE -> measure();
            case Child.STOP -> stop();
            case Child.OPEN -> open();
            case Child.PASS -> pass();
            case Child.READ -> read(argument.split(" "));
            default -> throw new IllegalArgumentException("A client cannot do " + word + ".");
        };
    }

    private Object start(final Settings chosen)
    {
        final boolean isSpinning = "spin".equals(chosen.values().get("poll"));
        final Settings polling = isSpinning ? chosen.with("pollTimeoutMs", 0) : chosen;
        final int[] partitions = chosen.numbers("partitions");
        sink = chosen.has(FROM_START) ? Sink.ofWholeTopic(partitions) : Sink.ofLiveTopic(partitions);
        if (chosen.has("core"))
        {
            ThreadPinning.pin(chosen.number("core"));
        }
        EachSecond eachSecond = null;
        if (chosen.has(EACH_SECOND))
        {
            eachSecond = new EachSecond();
            EachSecond.Reporter.start(eachSecond);
        }
        loop = new PollingLoop(Client.open(polling, sink), sink, isSpinning, eachSecond);
        return RigMain.state("running");
    }

    @Override
    public void idle() throws IOException
    {
        if (loop != null)
        {
            loop.pollUntilAsked();
        }
    }

    private Object measure() throws IOException
    {
        loop.begin();
        final String event = settings.values().get("profile");
        if (ALLOCATIONS.equals(event))
        {
            AsyncProfiler.getInstance().execute("start,event=alloc,alloc=8k,threads");
        }
        else if (CPU.equals(event))
        {
            try
            {
                AsyncProfiler.getInstance().execute("start,event=cpu,interval=1ms,threads");
            }
            catch (final IllegalStateException ex)
            {
                System.err.println("No perf events, so no frames of the kernel: " + ex.getMessage());
                AsyncProfiler.getInstance().execute("start,event=ctimer,interval=1ms,threads");
            }
        }
        return Map.of("state", "measuring", "missing", sink.missing());
    }

    private Usage stop() throws IOException
    {
        if (settings.has("profile"))
        {
            AsyncProfiler.getInstance().execute("stop,flamegraph,file=" + settings.text("profileFile"));
        }
        final Usage usage = loop.end();
        loop = null;
        return usage;
    }

    private Object open()
    {
        sink = Sink.ofPasses();
        client = Client.open(settings, sink);
        client.rest();
        return RigMain.state("open");
    }

    /** The client stays for the next pass. */
    private Usage pass() throws IOException
    {
        final Usage usage = new Usage();
        final Meters meters = new Meters();
        final long records = settings.number("records", 0);
        final long fetches = client.fetches();
        sink.reset();
        meters.begin();
        client.rewind();
        while (sink.records() < records)
        {
            client.poll();
        }
        meters.end(usage);
        usage.fetches = client.fetches() - fetches;
        usage.processAllocatedBytes = Usage.UNKNOWN;
        client.rest();
        sink.addTo(usage);
        forgetThreads(usage);
        return usage;
    }

    private void forgetThreads(final Usage usage)
    {
        if (settings.has(THREADS))
        {
            Meters.forgetThread(usage);
        }
    }

    /**
     * Makes a client, reads with it from offset 0 on for each of these times in milliseconds, and closes it. In none
     * but the last more than half of what is left is read. Each ends with the next records after its time: some clients
     * deliver nothing for seconds, and then a large response at once.
     */
    private Map<String, List<Usage>> read(final String[] timesMs) throws IOException
    {
        final Settings fromStart = settings.with(FROM_START, true);
        final long records = settings.number("records", 0);
        final Sink log = Sink.ofLog(settings.numbers("partitions"));
        final Meters meters = new Meters();
        final List<Usage> usages = new ArrayList<>();
        Usage usage = new Usage();
        meters.begin();
        long fromNs = System.nanoTime();
        try (Client reading = Client.open(fromStart, log))
        {
            for (final String timeMs : timesMs)
            {
                final boolean isLast = usages.size() == timesMs.length - 1;
                final long fetches = usages.isEmpty() ? 0 : reading.fetches();
                final Usage before = log.usage();
                final long mostRecords = isLast ? records : (before.records + records) / 2;
                final long deadlineNs = fromNs + TimeUnit.MILLISECONDS.toNanos(Long.parseLong(timeMs));
                reading.pollUntil(log, mostRecords, deadlineNs);
                // Several of them deliver at different times.
                if (!settings.has(THREADS))
                {
                    reading.pollUntil(log, Math.min(mostRecords, log.records() + 1), deadlineNs + LONGEST_RESPONSE_NS);
                }
                meters.end(usage);
                usage.fetches = reading.fetches() - fetches;
                log.addTo(usage);
                usage.subtract(before);
                forgetThreads(usage);
                usages.add(usage);
                usage = new Usage();
                meters.begin();
                fromNs = System.nanoTime();
            }
        }
        return Map.of(Child.PARTS, usages);
    }
}
