// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.support.SharedBroker;
import org.odradek.protocol.record.Record;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.consumer.support.SharedBroker.VALUE_LENGTH;

/**
 * Copies records to rings that are far too small and are emptied only after they have refused records, a few at a time.
 * Every record must reach the ring once and in order; a refused record stays in the receive buffer.
 */
@ExtendWith(SharedBroker.class)
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class BackPressureIT
{
    private static final int RECORDS = 4_000;
    private static final int RING_LENGTH = 4096;
    private static final int READ_LIMIT = 50;
    private static final int MESSAGE_TYPE = 1;
    private static final long PARK_NS = 20_000;

    private final TransportType transport;
    private final AtomicInteger refusals = new AtomicInteger();

    /**
     * Copies records into a ring. A record that the ring refuses must be delivered again with the same bytes at the
     * same index.
     */
    private final class Feeder implements ControlledRecordHandler
    {
        private final RingBuffer ring;
        private final CountDownLatch isRefused;
        private long refusedOffset = -1;
        private int refusedIndex;
        private DirectBuffer refusedBuffer;

        Feeder(final RingBuffer ring, final CountDownLatch isRefused)
        {
            this.ring = ring;
            this.isRefused = isRefused;
        }

        @Override
        public Action onRecord(final Record record)
        {
            if (refusedOffset >= 0)
            {
                assertEquals(refusedOffset, record.offset());
                assertEquals(refusedIndex, record.valueIndex());
                assertSame(refusedBuffer, record.buffer());
                refusedOffset = -1;
            }
            final int index = ring.tryClaim(MESSAGE_TYPE, record.valueLength());
            if (index < 0)
            {
                refusedOffset = record.offset();
                refusedIndex = record.valueIndex();
                refusedBuffer = record.buffer();
                refusals.incrementAndGet();
                isRefused.countDown();
                return Action.ABORT;
            }
            ring.buffer().putBytes(index, record.buffer(), record.valueIndex(), record.valueLength());
            ring.commit(index);
            return Action.CONTINUE;
        }
    }

    BackPressureIT(final TransportType transport)
    {
        this.transport = transport;
    }

    private static UnsafeBuffer memory()
    {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(RING_LENGTH + RingBufferDescriptor.TRAILER_LENGTH));
    }

    @Test
    void shouldLoseNothingToAFullRing() throws Exception
    {
        run(new OneToOneRingBuffer(memory()), 1, 2);
    }

    @Test
    void shouldLoseNothingToAFullRingOfSeveralConsumers() throws Exception
    {
        run(new ManyToOneRingBuffer(memory()), 2, 1);
    }

    private void run(final RingBuffer ring, final int consumers, final int partitionsEach) throws Exception
    {
        final int partitions = consumers * partitionsEach;
        final String topic = SharedBroker.topic(partitions, RECORDS);
        final CountDownLatch isRefused = new CountDownLatch(consumers);
        final List<FutureTask<Void>> feeders = new ArrayList<>();
        for (int i = 0; i < consumers; i++)
        {
            final int[] mine = new int[partitionsEach];
            for (int p = 0; p < partitionsEach; p++)
            {
                mine[p] = i * partitionsEach + p;
            }
            final FutureTask<Void> feeder = new FutureTask<>(() -> feed(topic, mine, new Feeder(ring, isRefused)));
            new Thread(feeder, "feeder-" + i).start();
            feeders.add(feeder);
        }

        isRefused.await();
        final long[] next = new long[partitions];
        for (int left = partitions * RECORDS; left > 0; )
        {
            final int read = ring.read((type, buffer, index, length) ->
            {
                assertEquals(VALUE_LENGTH, length);
                final int partition = buffer.getInt(index, BIG_ENDIAN);
                assertEquals(next[partition]++, buffer.getLong(index + Integer.BYTES, BIG_ENDIAN));
            }, READ_LIMIT);
            left -= read;
            if (read == 0)
            {
                checkAlive(feeders);
                LockSupport.parkNanos(PARK_NS);
            }
        }
        for (final FutureTask<Void> feeder : feeders)
        {
            feeder.get();
        }
        assertEquals(0, ring.size());
        assertTrue(refusals.get() >= consumers);
    }

    /** Throws the exception of a feeder that has failed. */
    private static void checkAlive(final List<FutureTask<Void>> feeders) throws Exception
    {
        for (final FutureTask<Void> feeder : feeders)
        {
            if (feeder.isDone())
            {
                feeder.get();
            }
        }
    }

    private Void feed(final String topic, final int[] partitions, final Feeder feeder)
    {
        final int count = partitions.length * RECORDS;
        try (TopicConsumer consumer =
            TopicConsumer.connect(SharedBroker.context(transport, topic).partitions(partitions)))
        {
            for (int delivered = 0; delivered < count; )
            {
                final int polled = consumer.controlledPoll(feeder, 1_000);
                delivered += polled;
                if (polled == 0)
                {
                    LockSupport.parkNanos(PARK_NS);
                }
            }
            final ConsumerCounters counters = consumer.counters();
            assertEquals(count, counters.records());
            assertEquals(0, counters.get(ConsumerCounters.BYTES_DISCARDED));
            assertEquals(0, counters.get(ConsumerCounters.BUFFERS_GROWN));
        }
        return null;
    }
}
