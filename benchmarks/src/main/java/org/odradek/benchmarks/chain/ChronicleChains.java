// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.wire.DocumentContext;
import org.agrona.IoUtil;
import org.odradek.benchmarks.rig.Settings;

import java.io.File;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Chronicle Queue: six queues a chain, in files of this machine; a thread a core shares the chains, and pauses for the
 * article's eighth of a period when there was nothing to do. A queue makes its file with its first document, which
 * takes milliseconds; so each begins with one that is not counted, as topics are there before a step begins.
 */
final class ChronicleChains extends Chains
{
    private static final long PAUSE_NS = ARTICLE_TIMEOUT.toNanos();
    private static final long NOT_SENT = -1;

    /** One for each chain at each step. */
    private final ExcerptAppender[][] appenders;
    private final ExcerptTailer[][] tailers;

    ChronicleChains(final Settings settings, final Messages messages)
    {
        super(messages);
        final int chains = messages.chains;
        final String prefix = settings.text("folder") + "/" + UUID.randomUUID() + "/";
        appenders = new ExcerptAppender[chains][TOPICS];
        tailers = new ExcerptTailer[chains][TOPICS];
        for (int chain = 0; chain < chains; chain++)
        {
            for (int step = 0; step < TOPICS; step++)
            {
                final ChronicleQueue queue = closing(ChronicleQueue.single(prefix + chain + "-" + step));
                // Each is used by one thread from here on, but not by this one.
                appenders[chain][step] = queue.createAppender();
                appenders[chain][step].singleThreadedCheckDisabled(true);
                write(chain, step, 0, NOT_SENT);
                tailers[chain][step] = queue.createTailer().toEnd();
                tailers[chain][step].singleThreadedCheckDisabled(true);
            }
        }
        closing(() -> IoUtil.delete(new File(prefix), false));
        final int threadCount = Math.min(chains, Runtime.getRuntime().availableProcessors());
        IntStream.range(0, threadCount).forEach((first) -> start("s-" + first, () -> () -> turn(first, threadCount)));
    }

    @Override
    void write(final int chain, final int step, final int hops, final long dueNs)
    {
        try (DocumentContext document = appenders[chain][step].writingDocument())
        {
            document.wire().getValueOut().writeLong(dueNs);
            document.wire().getValueOut().writeInt(hops);
        }
    }

    /** The services of every chain from the first one on that is so many chains further. */
    private void turn(final int first, final int distance)
    {
        boolean isIdle = true;
        for (int chain = first; chain < tailers.length; chain += distance)
        {
            for (int step = 0; step < TOPICS; step++)
            {
                isIdle &= !read(chain, step);
            }
        }
        if (isIdle)
        {
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private boolean read(final int chain, final int step)
    {
        try (DocumentContext document = tailers[chain][step].readingDocument())
        {
            if (!document.isPresent())
            {
                return false;
            }
            final long dueNs = document.wire().getValueIn().readLong();
            pass(chain, step, document.wire().getValueIn().readInt(), dueNs);
            return true;
        }
    }
}
