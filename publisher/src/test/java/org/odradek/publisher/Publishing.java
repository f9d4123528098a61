// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A publisher of a test, with what its listener and its error handler have received as text. */
final class Publishing implements PublisherListener, AutoCloseable
{
    /** What one record came to: "at" its offset, "in the log", "maybe" or "not written". */
    record End(int partition, long position, String outcome)
    {
    }

    static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    /** An interval that does not end during a test. */
    static final int LONG_US = 60_000_000;

    final List<String> events = new ArrayList<>();
    final List<String> errors = new ArrayList<>();
    final List<End> ends = new ArrayList<>();
    final List<FailedBatch> failed = new ArrayList<>();
    final Publisher publisher;
    /** That of the last answer with one. */
    int throttleTimeMs;
    int rebootstraps;
    /** Called by each event of a batch, before it is listed, and by each throttle time. */
    Runnable onEvent = () -> {};

    Publishing(final PublisherContext context)
    {
        publisher = Publisher.connect(context.listener(this).errorHandler((error) -> errors.add(error.getMessage())));
    }

    /** ClientSettings with which failures do not last long. */
    static PublisherContext context(final String bootstrapServers)
    {
        return new PublisherContext().bootstrapServers(bootstrapServers)
            .reconnectBackoffMs(5, 20).retryBackoffMs(5, 20).sendIntervalUs(0);
    }

    static Publishing start(final PublisherContext context, final String topic)
    {
        final Publishing publishing = new Publishing(context);
        publishing.publisher.topic(topic);
        assertTrue(publishing.publisher.awaitReady(TIMEOUT_NS), () -> publishing.publisher.describe());
        return publishing;
    }

    static Publishing start(final ProducingBroker broker)
    {
        return start(context(broker.address()), ProducingBroker.TOPIC);
    }

    TopicPublisher topic()
    {
        return publisher.topic(ProducingBroker.TOPIC);
    }

    /** Offers values without a key, each of which must be accepted. */
    void offer(final int partition, final String... values)
    {
        for (final String value : values)
        {
            final long result = tryOffer(partition, value);
            assertTrue(result > 0, () -> OfferResult.name(result));
        }
    }

    long tryOffer(final int partition, final String value)
    {
        return tryOfferTo(topic(), partition, value);
    }

    long tryOfferTo(final TopicPublisher topic, final int partition, final String value)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(value.getBytes(StandardCharsets.UTF_8));
        return topic.offer(partition, null, 0, TopicPublisher.NULL_LENGTH, buffer, 0, buffer.capacity());
    }

    void acknowledge()
    {
        assertTrue(publisher.awaitAcknowledged(TIMEOUT_NS), () -> publisher.describe() + errors);
    }

    void workUntil(final BooleanSupplier condition)
    {
        final long startNs = System.nanoTime();
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - startNs < TIMEOUT_NS, publisher::describe);
            publisher.doWork();
            LockSupport.parkNanos(100_000);
        }
    }

    /** Has the next event throw an error, which leaves the work: only exceptions are kept from that. */
    void failNextEvent()
    {
        onEvent = () ->
        {
            onEvent = () -> {};
            throw new LinkageError("of a listener");
        };
    }

    /** Works until such an error has left the work. */
    void workUntilError()
    {
        assertThrows(LinkageError.class, () -> workUntil(() -> false));
    }

    long counter(final int id)
    {
        return publisher.counters().get(id);
    }

    @Override
    public void onAcknowledged(
        final String topic, final int partition, final long firstPosition, final int count, final long baseOffset)
    {
        for (int i = 0; i < count; i++)
        {
            ends.add(new End(
                partition, firstPosition + i, baseOffset == NULL_OFFSET ? "in the log" : "at " + (baseOffset + i)));
        }
        onEvent.run();
        events.add("acknowledged " + partition + ": " + firstPosition + "+" + count +
            (baseOffset == NULL_OFFSET ? " without offset" : ""));
    }

    @Override
    public void onFailed(final FailedBatch batch)
    {
        for (int i = 0; i < batch.count(); i++)
        {
            ends.add(new End(
                batch.partition(), batch.firstPosition() + i, batch.isMaybeWritten() ? "maybe" : "not written"));
        }
        failed.add(batch);
        onEvent.run();
        events.add("failed " + batch.partition() + ": " + batch.firstPosition() + "+" + batch.count() + " " +
            batch.reason() + " " + batch.errorCode() + (batch.isMaybeWritten() ? " maybe written" : ""));
    }

    @Override
    public void onRebootstrap(final String reason)
    {
        rebootstraps++;
    }

    @Override
    public void onThrottled(final int nodeId, final int newThrottleTimeMs)
    {
        throttleTimeMs = newThrottleTimeMs;
        onEvent.run();
    }

    @Override
    public void close()
    {
        publisher.close(0);
    }
}
