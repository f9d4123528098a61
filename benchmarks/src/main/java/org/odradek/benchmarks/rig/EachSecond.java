// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.report.Usage;
import org.odradek.testkit.internal.ThreadUsage;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What a polling thread uses in each second, written as a remark by another thread. The polling thread only copies its
 * histogram when it is asked to, and allocates nothing for that. This class has no string constant, for the reason that
 * {@link PollingLoop} gives; the nested ones, which the polling thread does not call, may have some.
 */
public final class EachSecond
{
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOOK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final long threadId;
    private final Histogram latency = Usage.histogram();
    private long records;
    private long beginNs;
    private long beginCpuNs;
    private long beginBytes;
    /** Volatile, like the next two: written by one thread and read by the other, it publishes the fields above. */
    private volatile int begins;
    private volatile boolean isAsked;
    private volatile boolean isOver;

    /** The polling thread makes it. Thread.threadId() exists since 19, which deprecated the method used here. */
    @SuppressWarnings("deprecation")
    EachSecond()
    {
        threadId = Thread.currentThread().getId();
    }

    /** Lets the first second begin now. The polling thread calls it, like the next two. */
    void begin()
    {
        beginBytes = ThreadUsage.allocatedBytes();
        beginCpuNs = ThreadUsage.cpuNs();
        beginNs = System.nanoTime();
        begins++;
    }

    /** Answers after each poll if a second has passed. */
    void afterPoll(final Sink sink)
    {
        if (isAsked)
        {
            sink.copyLatencyTo(latency);
            records = sink.records();
            isAsked = false;
        }
    }

    void end()
    {
        isOver = true;
    }

    /**
     * What was used in one second, and since the first one began.
     *
     * @param number           1 for the first.
     * @param records          since the beginning.
     * @param allocatedBytes   since the beginning.
     * @param threadCpuPercent in this second.
     * @param p50Us            of the records of this second, like the next.
     */
    public record Second(
        int number, long records, long allocatedBytes, double threadCpuPercent, double p50Us, double p99Us)
    {
        private static final String START = "second ";

        static boolean isIn(final String remark)
        {
            return remark.startsWith(START);
        }

        static Second parse(final String remark)
        {
            final String[] words = remark.substring(START.length()).split(" ");
            return new Second(Integer.parseInt(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]),
                Double.parseDouble(words[3]), Double.parseDouble(words[4]), Double.parseDouble(words[5]));
        }

        String toRemark()
        {
            return String.format(Locale.ROOT, "%s%d %d %d %.3f %.3f %.3f",
                START, number, records, allocatedBytes, threadCpuPercent, p50Us, p99Us);
        }
    }

    /** The other thread. It ends when the client does. */
    static final class Reporter implements Runnable
    {
        private final EachSecond figures;
        private final Histogram before = Usage.histogram();
        private final Histogram ofSecond = Usage.histogram();
        private long cpuNsBefore;

        private Reporter(final EachSecond figures)
        {
            this.figures = figures;
        }

        static void start(final EachSecond figures)
        {
            final Thread thread = new Thread(new Reporter(figures), "each-second");
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void run()
        {
            int begins = 0;
            int number = 1;
            while (!figures.isOver)
            {
                if (begins != figures.begins)
                {
                    begins = figures.begins;
                    number = 1;
                    before.reset();
                    cpuNsBefore = figures.beginCpuNs;
                }
                if (begins > 0 && isAnswered(begins, number))
                {
                    System.out.println(second(number++).toRemark());
                }
                LockSupport.parkNanos(LOOK_INTERVAL_NS);
            }
        }

        /** Waits until the second is over and the polling thread has answered, has begun again, or has ended. */
        private boolean isAnswered(final int begins, final int number)
        {
            final long dueNs = figures.beginNs + number * SECOND_NS;
            for (long waitNs = dueNs - System.nanoTime(); waitNs > 0 && isOf(begins);
                waitNs = dueNs - System.nanoTime())
            {
                LockSupport.parkNanos(waitNs);
            }
            figures.isAsked = true;
            while (figures.isAsked && isOf(begins))
            {
                LockSupport.parkNanos(LOOK_INTERVAL_NS);
            }
            return isOf(begins);
        }

        private boolean isOf(final int begins)
        {
            return begins == figures.begins && !figures.isOver;
        }

        private Second second(final int number)
        {
            figures.latency.copyInto(ofSecond);
            ofSecond.subtract(before);
            figures.latency.copyInto(before);
            final long cpuNs = ThreadUsage.cpuNs(figures.threadId);
            final double cpuPercent = 100.0 * (cpuNs - cpuNsBefore) / SECOND_NS;
            cpuNsBefore = cpuNs;
            return new Second(number, figures.records,
                Math.max(0, ThreadUsage.allocatedBytes(figures.threadId) - figures.beginBytes), cpuPercent,
                ofSecond.getValueAtPercentile(50) / 1e3, ofSecond.getValueAtPercentile(99) / 1e3);
        }
    }
}
