// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.ClientException;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.SharedBroker;
import org.odradek.protocol.record.Record;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Steers a consumer in every way, in random order from fixed seeds, between polls and inside handlers, and compares it
 * with a model of one expected offset per partition.
 */
@ExtendWith(SharedBroker.class)
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class RandomSteeringIT implements ControlledRecordHandler
{
    private static final int PARTITIONS = 3;
    private static final int RECORDS = 400;
    private static final int POLLS = 1_500;
    /** The cases are unassign, pause, pause and resume, and twice nothing. */
    private static final int[] WITH_REFUSAL = {2, 3, 7, 13, 13};
    private static final int[] LIMITS = {1, 3, 7, 50, 1000};

    private final TransportType transport;
    private final boolean[] paused = new boolean[PARTITIONS];
    private final boolean[] unassigned = new boolean[PARTITIONS];
    private final Deliveries deliveries = new Deliveries();
    private Random random;
    private TopicConsumer consumer;
    private long delivered;
    private long thrown;
    private long reportedErrors;

    RandomSteeringIT(final TransportType transport)
    {
        this.transport = transport;
    }

    // Behaviour J119, J120, N161.
    @ParameterizedTest
    @CsvSource({"1, OFF", "22, ON", "333, ON"})
    void shouldDeliverTheRecordsThatTheModelExpects(final long seed, final FetchSessionMode mode)
    {
        random = new Random(seed);
        final ConsumerContext context = SharedBroker.context(transport, SharedBroker.topic(PARTITIONS, RECORDS))
            .fetchMaxWaitMs(2)
            .fetchSession(mode)
            .fetchMaxBytes(6_000)
            .partitionMaxBytes(3_000)
            .handlerErrorPolicy(HandlerErrorPolicy.SKIP)
            .errorHandler(this::onError);
        try (TopicConsumer connected = TopicConsumer.connect(context))
        {
            consumer = connected;
            assertTrue(consumer.awaitReady(40 * SharedBroker.SECOND_NS), consumer::describe);
            // A slow machine needs more polls for as many records.
            for (int i = 0; i < POLLS || delivered <= POLLS / 2; i++)
            {
                final long before = delivered;
                final int limit = LIMITS[random.nextInt(LIMITS.length)];
                final int records = consumer.controlledPoll(this, limit, 1_000_000);
                assertEquals(delivered - before, records, "what poll returned, seed " + seed);
                assertTrue(records <= limit);
                assertEquals(delivered, consumer.counters().records());
                steer(random.nextInt(PARTITIONS), random.nextInt(14));
            }
            readToTheEnd();
            assertEquals(thrown, reportedErrors);
        }
    }

    private void readToTheEnd()
    {
        for (int p = 0; p < PARTITIONS; p++)
        {
            if (unassigned[p])
            {
                consumer.assign(p, StartPosition.offset(deliveries.expected(p)));
            }
            consumer.resume(p);
            paused[p] = false;
            unassigned[p] = false;
        }
        Deliveries.pollUntil(consumer, deliveries, 1000, () -> deliveries.expected(0) == RECORDS &&
            deliveries.expected(1) == RECORDS && deliveries.expected(2) == RECORDS);
    }

    private void onError(final Throwable error)
    {
        assertTrue(error instanceof ClientException && error.getCause() instanceof IllegalArgumentException,
            error.getMessage());
        reportedErrors++;
    }

    private void steer(final int partition, final int what)
    {
        switch (what)
        {
            case 0:
                if (unassigned[partition])
                {
                    final long offset = random.nextInt(RECORDS);
                    consumer.assign(partition, StartPosition.offset(offset));
                    deliveries.expect(partition, offset);
                    unassigned[partition] = false;
                    paused[partition] = false;
                }
                break;
            case 1:
                if (!unassigned[partition])
                {
                    consumer.assign(partition, StartPosition.earliest());
                    deliveries.expect(partition, 0);
                    paused[partition] = false;
                }
                break;
            default:
                steerAnywhere(partition, what);
        }
    }

    private void steerAnywhere(final int partition, final int what)
    {
        if (unassigned[partition])
        {
            return;
        }
        switch (what)
        {
            case 2:
                consumer.unassign(partition);
                unassigned[partition] = true;
                break;
            case 3:
                consumer.pause(partition);
                paused[partition] = true;
                break;
            case 4:
            case 5:
                consumer.resume(partition);
                paused[partition] = false;
                break;
            case 6:
                final long offset = random.nextInt(RECORDS);
                consumer.seek(partition, offset);
                deliveries.expect(partition, offset);
                break;
            case 7:
                consumer.pause(partition);
                consumer.resume(partition);
                paused[partition] = false;
                break;
            default:
        }
    }

    @Override
    public Action onRecord(final Record record)
    {
        final int partition = record.partition();
        assertTrue(!paused[partition] && !unassigned[partition], "partition " + partition + " must not be delivered");
        deliveries.check(record);
        final int dice = random.nextInt(100);
        if (dice < 3)
        {
            // The record is refused, and its partition may be paused or unassigned; its offset stays the next one.
            steerAnywhere(partition, WITH_REFUSAL[random.nextInt(WITH_REFUSAL.length)]);
            return Action.ABORT;
        }
        deliveries.onRecord(record);
        delivered++;
        if (dice < 10)
        {
            steerAnywhere(random.nextInt(PARTITIONS), random.nextInt(14));
        }
        if (dice == 99)
        {
            thrown++;
            throw new IllegalArgumentException("planted");
        }
        return dice < 15 ? Action.BREAK : Action.CONTINUE;
    }
}
