// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.testkit.Await;
import org.odradek.testkit.TcpProxy;
import org.odradek.testkit.TcpProxy.Direction;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * The faults of the network and of the handler. {@link FaultKind} describes each of them.
 */
final class ReaderFaults
{
    private static final int CUTS = 5;
    private static final int PAUSES = 5;
    private static final int ROUNDS = 10;
    private static final int MAX_STALLED_RECORDS = 4_000;

    private ReaderFaults()
    {
    }

    /** @param awaitWritten waits until this many more records are written. */
    static String cutConnections(final ChaosCluster cluster, final IntConsumer awaitWritten, final Random random)
    {
        int cuts = 0;
        for (int i = 0; i < CUTS; i++)
        {
            final TcpProxy proxy = cluster.proxy(1 + random.nextInt(ChaosCluster.BROKER_COUNT));
            switch (random.nextInt(3))
            {
                case 0:
                    proxy.cutAfter(1 + random.nextInt(100_000));
                    break;
                case 1:
                    cuts += proxy.connectionCount();
                    proxy.cut();
                    break;
                default:
                    proxy.refuse();
                    cuts += proxy.connectionCount();
                    proxy.cut();
                    awaitWritten.accept(200 + random.nextInt(500));
                    proxy.accept();
            }
            awaitWritten.accept(200);
        }
        Await.until("a connection to cut", ChaosCluster.LIMIT_MS, () -> cluster.connectionCount() > 0);
        cuts += cluster.connectionCount();
        cluster.cut();
        return cuts + " connections cut";
    }

    /**
     * Some stalls last longer than a request may take.
     *
     * @param awaitWritten waits until this many more records are written.
     */
    static String stallBroker(final ChaosCluster cluster, final IntConsumer awaitWritten, final Random random)
    {
        final int id = 1 + random.nextInt(ChaosCluster.BROKER_COUNT);
        final TcpProxy proxy = cluster.proxy(id);
        final Direction direction = random.nextBoolean() ? Direction.TO_CLIENT : Direction.TO_SERVER;
        final int count = 500 + random.nextInt(MAX_STALLED_RECORDS);
        proxy.stall(direction);
        awaitWritten.accept(count);
        proxy.resume(direction);
        return "broker " + id + " stalled (" + direction + ") while " + count + " records were written";
    }

    static String delayLinks(final ChaosTopic topic, final Random random)
    {
        final String done = topic.cluster().slowLinks(random);
        topic.awaitDelivered(2_000);
        return done;
    }

    static String slowHandler(final ChaosTopic topic, final Random random)
    {
        final boolean isLong = random.nextInt(4) == 0;
        final int count = isLong ? 1 : 100 + random.nextInt(400);
        final long eachMs = isLong ? 6_000 : 1 + random.nextInt(5);
        topic.reader().handleSlowly(count, TimeUnit.MILLISECONDS.toNanos(eachMs));
        awaitDone(topic, "the slow records");
        return count + " records took " + eachMs + " ms each";
    }

    static String pauseAndResume(final ChaosTopic topic, final Random random)
    {
        int paused = 0;
        for (int i = 0; i < PAUSES; i++)
        {
            final List<Integer> partitions = new ArrayList<>();
            for (int p = 0; p < topic.partitionCount(); p++)
            {
                if (random.nextBoolean())
                {
                    partitions.add(p);
                }
            }
            paused += partitions.size();
            topic.reader().perform((consumer) -> partitions.forEach(consumer::pause));
            topic.awaitWritten(100 + random.nextInt(1_000));
            topic.reader().perform((consumer) -> partitions.forEach(consumer::resume));
            topic.awaitDelivered(100);
        }
        return paused + " pauses";
    }

    static String refuseRecords(final ChaosTopic topic, final Random random)
    {
        int refused = 0;
        for (int i = 0; i < ROUNDS; i++)
        {
            final int count = 1 + random.nextInt(50);
            topic.reader().refuse(count);
            awaitDone(topic, "the refusals");
            topic.awaitDelivered(50);
            refused += count;
        }
        return refused + " refusals";
    }

    static String seekBack(final ChaosTopic topic, final Random random)
    {
        int seeks = 0;
        for (int i = 0; i < ROUNDS; i++)
        {
            final int count = 1 + random.nextInt(3);
            topic.reader().seekBack(count);
            awaitDone(topic, "the seeks");
            topic.awaitDelivered(100);
            seeks += count;
        }
        return seeks + " seeks";
    }

    private static void awaitDone(final ChaosTopic topic, final String what)
    {
        Await.until(what, ChaosCluster.LIMIT_MS, topic.reader()::isDone);
    }
}
