// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.workers;

import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Keys;
import org.odradek.benchmarks.rig.Meters;
import org.odradek.benchmarks.rig.RigMain;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.ThreeLongs;
import org.odradek.replay.FrameBuilder;
import org.odradek.replay.FrameReplay;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets one arm read and handle. {@code pass US MS} does it as fast as it can for so many milliseconds, with so many
 * microseconds of busy work for each record; {@code trickle MS} polls {@code rate} records a second one by one and
 * measures the delay from the poll to the handler. Each turn has a consumer of its own, which reads from the first
 * record on. Settings: {@code arm}, {@code workers}, {@code isSpinning}, {@code records} of the log, {@code keys},
 * {@code valueLength}, {@code stepsPerUs} of busy work, {@code isOrderChecked} from a broker, {@code isReplay}, and
 * those of a connection without it.
 */
public final class WorkersTask implements RigMain.Task
{
    static final String TRICKLE = "trickle";
    private static final int RECORD_LIMIT = 1_000;
    private static final int RAMP_PARTS = 4;
    private static final long FIRST_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    private final Settings settings;
    private final long recordsOfLog;
    private final int leastMs;
    private FrameReplay replay;

    public WorkersTask(final Settings settings)
    {
        this.settings = settings;
        recordsOfLog = settings.number("records");
        leastMs = settings.has(WorkersScenario.LEAST_TURN_MS) ? settings.number(WorkersScenario.LEAST_TURN_MS) : 0;
    }

    @Override
    public Object obey(final String word, final String argument)
    {
        final String[] numbers = argument.split(" ");
        return switch (word)
        {
            case Child.OPEN -> open();
            case Child.PASS -> pass(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
            case TRICKLE -> trickle(Integer.parseInt(argument));
            default -> throw new IllegalArgumentException("Workers cannot do " + word + ".");
        };
    }

    private Object open()
    {
        if (settings.is("isReplay"))
        {
            final FrameBuilder builder = new FrameBuilder("workers");
            final Keys keys = new Keys(settings.text("keys"));
            final byte[] value = new byte[settings.number("valueLength")];
            for (long number = 0; number < recordsOfLog; number++)
            {
                builder.record(0, keys.bytes(number), ThreeLongs.fill(value, number, number));
            }
            replay = new FrameReplay(builder.build());
        }
        return RigMain.state("open");
    }

    private Handling begin(final Tally tally)
    {
        if (replay != null)
        {
            replay.rewind();
        }
        // A new group reads the whole log.
        return Handling.open(settings.with("group", settings.text("arm") + "-" + System.nanoTime()), replay, tally);
    }

    private Usage pass(final int busyUs, final int ms)
    {
        final Tally tally = new Tally(busyUs * settings.number("stepsPerUs"), false,
            settings.has("isOrderChecked") && replay == null && !settings.text("arm").equals("bare-ring") ?
            new Keys(settings.text("keys")) : null);
        final Usage usage = new Usage();
        final Meters meters = new Meters();
        final long ns = TimeUnit.MILLISECONDS.toNanos(Math.max(ms, leastMs));
        final boolean isHandlingAll;
        try (Handling handling = begin(tally))
        {
            isHandlingAll = handling.isHandlingAll();
            final long startNs = System.nanoTime();
            while (tally.records() == 0)
            {
                handling.work(RECORD_LIMIT);
                if (System.nanoTime() - startNs > FIRST_TIMEOUT_NS)
                {
                    throw new IllegalStateException(settings.text("arm") + " has handled no record");
                }
            }
            final long end = replay != null ? Long.MAX_VALUE : recordsOfLog;
            work(handling, tally, ns / RAMP_PARTS, end / RAMP_PARTS);
            final long before = tally.records();
            meters.begin();
            work(handling, tally, ns, end);
            usage.records = tally.records() - before;
            meters.end(usage);
            tally.hurry();
        }
        if (isHandlingAll)
        {
            tally.check(recordsOfLog);
        }
        return end(usage);
    }

    private Usage end(final Usage usage)
    {
        Meters.forgetThread(usage);
        usage.bytes = usage.records * settings.number("valueLength");
        return usage;
    }

    /** For so long, or until so many records are handled. */
    private static void work(final Handling handling, final Tally tally, final long ns, final long records)
    {
        final long endNs = System.nanoTime() + ns;
        while (tally.records() < records && System.nanoTime() - endNs < 0)
        {
            handling.work(RECORD_LIMIT);
        }
    }

    private Usage trickle(final int ms)
    {
        final Tally tally = new Tally(0, true, null);
        final Usage usage = new Usage();
        final Meters meters = new Meters();
        final long periodNs = TimeUnit.SECONDS.toNanos(1) / settings.number("rate");
        final long records = TimeUnit.MILLISECONDS.toNanos(ms) / periodNs;
        try (Handling handling = begin(tally))
        {
            meters.begin();
            final long startNs = System.nanoTime();
            for (long i = 0; i < records; i++)
            {
                await(startNs + i * periodNs);
                handling.work(1);
            }
            meters.end(usage);
        }
        tally.check(recordsOfLog);
        usage.records = records;
        usage.latency = tally.delays();
        return end(usage);
    }

    private void await(final long dueNs)
    {
        for (long waitNs = dueNs - System.nanoTime(); waitNs > 0; waitNs = dueNs - System.nanoTime())
        {
            if (settings.is("isSpinning"))
            {
                Thread.onSpinWait();
            }
            else
            {
                LockSupport.parkNanos(waitNs);
            }
        }
    }
}
