// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.matrix;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.consumer.ConsumerContext;
import org.odradek.publisher.Acks;
import org.odradek.publisher.Compression;
import org.odradek.publisher.OfferResult;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherContext;
import org.odradek.publisher.RecordHeaders;
import org.odradek.publisher.TopicPublisher;
import org.odradek.verification.matrix.SmokeReading.Tally;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Our publisher writes the records of a topic, all of which must be acknowledged. */
final class SmokePublishing
{
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    /** Several batches of several records each. */
    private static final int BATCH_LENGTH = 8_000;

    private SmokePublishing()
    {
    }

    /**
     * @param connection properties of a consumer: where and how to connect.
     * @param name       of a topic with one partition.
     * @param codec      as Kafka names it.
     * @param sum        to which the findings are added.
     */
    static void publish(
        final Map<String, String> connection, final String name, final String codec, final Acks acks, final Tally sum)
    {
        final StringBuilder errors = new StringBuilder();
        try (Publisher publisher = Publisher.connect(new PublisherContext()
            .bootstrapServers(connection.get("bootstrap.servers"))
            .security(ConsumerContext.from(connection).security())
            .acks(acks)
            .compression(Compression.valueOf(codec.toUpperCase(Locale.ROOT)))
            .batchLength(BATCH_LENGTH)
            .errorHandler((error) -> errors.append(error.getMessage()).append(' '))))
        {
            final TopicPublisher topic = publisher.topic(name);
            if (publisher.awaitReady(LIMIT_NS))
            {
                offer(publisher, topic);
            }
            if (!publisher.awaitAcknowledged(LIMIT_NS) || errors.length() > 0 ||
                topic.acknowledgedPosition(0) != SmokeTopic.COUNT)
            {
                sum.problems.add(name + ": " + topic.acknowledgedPosition(0) + " of " + SmokeTopic.COUNT +
                    " acknowledged; " + errors + publisher.describe());
            }
            sum.published += topic.acknowledgedPosition(0);
        }
    }

    private static void offer(final Publisher publisher, final TopicPublisher topic)
    {
        final RecordHeaders headers = new RecordHeaders();
        for (int i = 0; i < SmokeTopic.COUNT && !topic.isStopped(0);)
        {
            headers.clear();
            headers.add(SmokeTopic.HEADER, SmokeTopic.key(i));
            final long result = topic.offer(0, SmokeTopic.timestamp(i), new UnsafeBuffer(SmokeTopic.key(i)),
                new UnsafeBuffer(SmokeTopic.value(i)), headers);
            i += result > 0 ? 1 : 0;
            if (result == OfferResult.BACK_PRESSURED)
            {
                publisher.doWork();
            }
            else if (result < 0)
            {
                return;
            }
        }
    }
}
