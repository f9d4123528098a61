// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.publisher.InputBarrier;
import org.odradek.publisher.OfferResult;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherContext;
import org.odradek.publisher.PublisherCounters;
import org.odradek.publisher.RecordHeaders;
import org.odradek.publisher.TopicPublisher;

import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;

/**
 * Passes records to a store, and publishes those that it refuses to another topic, with headers that name the offset
 * and the cause. They are committed when the other topic has them: {@code DeadLetters HOST:PORT GROUP TOPIC LETTERS}.
 */
public final class DeadLetters
{
    private DeadLetters()
    {
    }

    /** @param args bootstrap servers, group, topic, topic of the dead letters. */
    public static void main(final String[] args)
    {
        run(args[0], args[1], args[2], args[3], (record) -> System.out.println(record.offset()), () -> true);
    }

    static void run(final String servers, final String group, final String topic, final String lettersTopic,
        final RecordHandler store, final BooleanSupplier isRunning)
    {
        try (Poller poller = ConsumerContext.openPoller(TransportType.AUTO);
            TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext()
                .bootstrapServers(servers).topic(topic).startPosition(StartPosition.earliest()).poller(poller)
                .group(new GroupSettings(group).commitPolicy(CommitPolicy.acknowledged()))
                .handlerErrorPolicy(HandlerErrorPolicy.THROW));
            Publisher publisher = Publisher.connect(new PublisherContext().bootstrapServers(servers).poller(poller)))
        {
            final TopicPublisher letters = publisher.topic(lettersTopic);
            final InputBarrier barrier = publisher.inputBarrier(consumer.group().acknowledgements(), 100);
            final ControlledRecordHandler handler = (record) -> storeOrPublish(record, store, letters, barrier);
            // nextPartition leaves out a partition that has stopped, whose letters would never be acknowledged.
            while (isRunning.getAsBoolean() && consumer.group().state() != GroupState.FAILED &&
                publisher.counters().get(PublisherCounters.STOPPED_PARTITIONS) == 0)
            {
                if (consumer.controlledPoll(handler, 1_000) + publisher.doWork() == 0)
                {
                    final long nowNs = System.nanoTime();
                    poller.await(Math.max(1,
                        Math.min(consumer.nextDeadlineNs() - nowNs, publisher.nextDeadlineNs() - nowNs)));
                }
            }
        }
    }

    private static Action storeOrPublish(
        final Record record, final RecordHandler store, final TopicPublisher letters, final InputBarrier barrier)
    {
        try
        {
            store.onRecord(record);
        }
        catch (final IllegalArgumentException ex)
        {
            final RecordHeaders headers = new RecordHeaders()
                .add("source", (record.partition() + "@" + record.offset()).getBytes(StandardCharsets.UTF_8))
                .add("cause", ex.toString().getBytes(StandardCharsets.UTF_8));
            final long result = letters.offer(letters.nextPartition(), view(record, record.keyIndex(),
                record.keyLength()), view(record, record.valueIndex(), record.valueLength()), headers);
            if (result == OfferResult.TOO_LARGE || result == OfferResult.STOPPED || result == OfferResult.CLOSED)
            {
                throw new IllegalStateException("no dead letter: " + OfferResult.name(result), ex);
            }
            if (result < 0)
            {
                return Action.ABORT;    // there is no room before the next acknowledgement
            }
        }
        barrier.processed(record.partition(), record.ownershipEpoch(), record.offset() + 1);
        return Action.CONTINUE;
    }

    private static UnsafeBuffer view(final Record record, final int index, final int length)
    {
        return length < 0 ? null : new UnsafeBuffer(record.buffer(), index, length);
    }
}
