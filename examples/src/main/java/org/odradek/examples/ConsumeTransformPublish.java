// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.odradek.affinity.ThreadPinning;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.GroupState;
import org.odradek.protocol.record.Record;
import org.odradek.publisher.FailedBatch;
import org.odradek.publisher.InputBarrier;
import org.odradek.publisher.OfferResult;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherContext;
import org.odradek.publisher.PublisherCounters;
import org.odradek.publisher.PublisherListener;
import org.odradek.publisher.RecordClaim;
import org.odradek.publisher.TopicPublisher;

import java.nio.ByteOrder;
import java.util.concurrent.locks.LockSupport;

/**
 * Consumes a topic as a member of a group, transforms its records and publishes them to another topic, on one thread
 * that is pinned to a core, with 0 bytes allocated once warm. Offsets are committed after what came of the records is
 * in the log of the other topic: after a failure records are published again, and none is lost. Here tombstones are
 * left out, and each value gets the time at which it was published in front, 8 bytes in big endian:
 * {@code ConsumeTransformPublish HOST:PORT GROUP INPUT-TOPIC OUTPUT-TOPIC CORE}.
 */
public final class ConsumeTransformPublish implements ControlledRecordHandler, PublisherListener, AutoCloseable
{
    private static final int RECORD_LIMIT = 1_000;
    private static final int COMMIT_INTERVAL_MS = 1_000;
    private static final int BARRIER_INTERVAL_MS = 100;
    private static final long READY_TIMEOUT_NS = 10_000_000_000L;

    private final Poller poller;
    private final TopicConsumer consumer;
    private final Publisher publisher;
    private final TopicPublisher output;
    private final InputBarrier barrier;
    private String failure;

    ConsumeTransformPublish(final String servers, final String group, final String input, final String outputTopic)
    {
        poller = ConsumerContext.openPoller(TransportType.AUTO);
        consumer = TopicConsumer.connect(new ConsumerContext().bootstrapServers(servers).topic(input).poller(poller)
            .startPosition(StartPosition.earliest())
            .group(new GroupSettings(group).commitPolicy(CommitPolicy.acknowledged(COMMIT_INTERVAL_MS))));
        publisher = Publisher.connect(
            new PublisherContext().bootstrapServers(servers).poller(poller).listener(this));
        output = publisher.topic(outputTopic);
        barrier = publisher.inputBarrier(consumer.group().acknowledgements(), BARRIER_INTERVAL_MS);
        if (!publisher.awaitReady(READY_TIMEOUT_NS))
        {
            failure = "The topic " + outputTopic + " cannot be published to: " + publisher.describe();
        }
    }

    /** @param args bootstrap servers, group, input topic, output topic, core. */
    public static void main(final String[] args)
    {
        if (args.length != 5)
        {
            System.err.println("usage: ConsumeTransformPublish HOST:PORT GROUP INPUT-TOPIC OUTPUT-TOPIC CORE");
            System.exit(2);
        }
        System.out.println(ThreadPinning.pin(Integer.parseInt(args[4])));
        final Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() ->
        {
            main.interrupt();
            // The JVM halts when its hooks have ended: wait here until everything is acknowledged and committed.
            while (main.isAlive())
            {
                LockSupport.parkNanos(READY_TIMEOUT_NS / 1_000);
            }
        }));
        try (ConsumeTransformPublish pipeline = new ConsumeTransformPublish(args[0], args[1], args[2], args[3]))
        {
            while (!Thread.currentThread().isInterrupted() && pipeline.failure() == null)
            {
                pipeline.workOrWait();
            }
            System.out.println(pipeline.failure() == null ? "ended" : pipeline.failure());
        }
    }

    /** Why no more can be consumed or published, or null. */
    String failure()
    {
        return failure == null && consumer.group().state() == GroupState.FAILED ?
            "The consumer cannot be a member of its group." : failure;
    }

    /** Records that are in the log of the output topic. */
    long published()
    {
        return publisher.counters().get(PublisherCounters.RECORDS_ACKNOWLEDGED);
    }

    /** How often offsets were committed. */
    long commits()
    {
        return consumer.counters().get(ConsumerCounters.COMMITS);
    }

    /** Does what is due, or waits until there is something. */
    void workOrWait()
    {
        if (consumer.controlledPoll(this, RECORD_LIMIT) + publisher.doWork() == 0)
        {
            final long nowNs = System.nanoTime();
            poller.await(Math.max(1,
                Math.min(consumer.nextDeadlineNs() - nowNs, publisher.nextDeadlineNs() - nowNs)));
        }
    }

    @Override
    public Action onRecord(final Record record)
    {
        final int length = record.valueLength();
        if (length >= 0)
        {
            final int partition = record.keyLength() < 0 ? record.partition() % output.partitionCount() :
                output.partitionForKey(record.buffer(), record.keyIndex(), record.keyLength());
            final long result = output.tryClaim(partition, record.keyLength(), Long.BYTES + length);
            if (result == OfferResult.TOO_LARGE)
            {
                failure = "offset " + record.offset() + " of partition " + record.partition() +
                    " is too large for a batch";
            }
            if (result < 0)
            {
                // No room before the next acknowledgement, or the partition has stopped.
                return Action.ABORT;
            }
            try (RecordClaim claim = output.claim())
            {
                transform(record, claim);
            }
        }
        barrier.processed(record.partition(), record.ownershipEpoch(), record.offset() + 1);
        return Action.CONTINUE;
    }

    private static void transform(final Record record, final RecordClaim claim)
    {
        if (record.keyLength() > 0)
        {
            claim.key().putBytes(0, record.buffer(), record.keyIndex(), record.keyLength());
        }
        claim.value().putLong(0, System.currentTimeMillis(), ByteOrder.BIG_ENDIAN);
        claim.value().putBytes(Long.BYTES, record.buffer(), record.valueIndex(), record.valueLength());
        claim.commit();
    }

    @Override
    public void onFailed(final FailedBatch batch)
    {
        failure = "given up: " + batch;
    }

    /** First the publisher: what it still gets acknowledged, the consumer commits. */
    @Override
    public void close()
    {
        publisher.close();
        consumer.close();
        poller.close();
    }
}
