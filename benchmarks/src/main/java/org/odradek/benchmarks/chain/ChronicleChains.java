// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.wire.DocumentContext;
import org.odradek.benchmarks.rig.Settings;

/**
 * Chronicle Queue: six queues a chain, in files of this machine; a thread a core shares the chains, and pauses for the
 * article's eighth of a period when there was nothing to do. A queue makes its file with its first document, which
 * takes milliseconds; so each begins with one that is not counted, as topics are there before a step begins.
 */
final class ChronicleChains extends Chains
{
    private static final long PAUSE_NS = ARTICLE_TIMEOUT.toNanos();
    private static final long NOT_SENT = -1;

    private final ChronicleQueue[][] queues;
    private final ExcerptAppender[] firstAppenders;
    private final int threadCount;

    ChronicleChains(final Settings settings, final Messages messages)
    {
        final int chains = messages.chains;
        final Path folder = Path.of(settings.text("folder"), UUID.randomUUID().toString());
        queues = new ChronicleQueue[chains][TOPICS];
        firstAppenders = new ExcerptAppender[chains];
        for (int chain = 0; chain < chains; chain++)
        {
            for (int step = 0; step < TOPICS; step++)
            {
                queues[chain][step] = closing(ChronicleQueue.single(folder.resolve(chain + "-" + step).toString()));
            }
            firstAppenders[chain] = queues[chain][0].createAppender();
            write(firstAppenders[chain], 0, NOT_SENT);
        }
        threadCount = Math.min(chains, Runtime.getRuntime().availableProcessors());
        for (int t = 0; t < threadCount; t++)
        {
            start("s-" + t, new Services(t, messages.end()));
        }
    }

    @Override
    void send(final int chain, final long dueNs)
    {
        write(firstAppenders[chain], 0, dueNs);
    }

    private static void write(final ExcerptAppender appender, final int hops, final long dueNs)
    {
        try (DocumentContext document = appender.writingDocument())
        {
            document.wire().getValueOut().writeLong(dueNs);
            document.wire().getValueOut().writeInt(hops);
        }
    }

    /** Its tailers and appenders are made by the thread that uses them, as the library wants it. */
    private final class Services implements Service
    {
        private final int first;
        private final Messages.End end;
        private final ExcerptTailer[][] tailers = new ExcerptTailer[queues.length][TOPICS];
        private final ExcerptAppender[][] appenders = new ExcerptAppender[queues.length][TOPICS];

        private Services(final int first, final Messages.End end)
        {
            this.first = first;
            this.end = end;
        }

        @Override
        public void open()
        {
            for (int chain = first; chain < queues.length; chain += threadCount)
            {
                for (int step = 0; step < TOPICS; step++)
                {
                    if (step > 0)
                    {
                        appenders[chain][step] = queues[chain][step].createAppender();
                        write(appenders[chain][step], 0, NOT_SENT);
                    }
                    tailers[chain][step] = queues[chain][step].createTailer().toEnd();
                }
            }
        }

        @Override
        public void turn()
        {
            boolean isIdle = true;
            for (int chain = first; chain < queues.length; chain += threadCount)
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
                final int hops = document.wire().getValueIn().readInt();
                if (step == SERVICES)
                {
                    end.onMessage(chain, hops, dueNs);
                }
                else
                {
                    write(appenders[chain][step + 1], hops + 1, dueNs);
                }
                return true;
            }
        }
    }
}
