// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.protocol.record.Record;

import java.nio.ByteBuffer;

/**
 * Passes records to another thread through a ring buffer. While the ring is full, the handler refuses the record with
 * ABORT, and the next poll delivers it again. The bytes are copied once, from the receive buffer into the ring.
 */
public final class ControlledRing implements ControlledRecordHandler
{
    static final int MESSAGE_TYPE = 1;
    static final int VALUE_INDEX = 16;
    static final int EPOCH_INDEX = 4;
    static final int OFFSET_INDEX = 8;
    private static final int RECORD_LIMIT = 1_000;

    private final RingBuffer ring;
    private long refusals;

    ControlledRing(final RingBuffer ring)
    {
        this.ring = ring;
    }

    @Override
    public Action onRecord(final Record record)
    {
        final int valueLength = Math.max(0, record.valueLength());
        final int index = ring.tryClaim(MESSAGE_TYPE, VALUE_INDEX + valueLength);
        if (index < 0)
        {
            refusals++;
            return Action.ABORT;
        }
        ring.buffer().putInt(index, record.partition());
        ring.buffer().putInt(index + EPOCH_INDEX, record.ownershipEpoch());
        ring.buffer().putLong(index + OFFSET_INDEX, record.offset());
        ring.buffer().putBytes(index + VALUE_INDEX, record.buffer(), record.valueIndex(), valueLength);
        ring.commit(index);
        return Action.CONTINUE;
    }

    /**
     * @param args bootstrap servers, topic, the number of records.
     */
    public static void main(final String[] args) throws InterruptedException
    {
        if (args.length != 3)
        {
            System.err.println("usage: ControlledRing HOST:PORT TOPIC COUNT");
            System.exit(2);
        }
        final long[] sum = new long[1];
        final long refusals = read(args[0], args[1], Long.parseLong(args[2]),
            (type, buffer, index, length) -> sum[0] += length - VALUE_INDEX);
        System.out.println(sum[0] + " bytes of values; the ring was full " + refusals + " times");
    }

    static long read(
        final String bootstrapServers, final String topic, final long count, final MessageHandler messageHandler)
        throws InterruptedException
    {
        final RingBuffer ring = new OneToOneRingBuffer(
            new UnsafeBuffer(ByteBuffer.allocateDirect((1 << 16) + RingBufferDescriptor.TRAILER_LENGTH)));
        final ControlledRing handler = new ControlledRing(ring);
        final Thread poller = new Thread(() -> poll(bootstrapServers, topic, count, handler));
        poller.start();
        for (long left = count; left > 0; )
        {
            left -= ring.read(messageHandler, (int) Math.min(left, 100));
        }
        poller.join();
        return handler.refusals;
    }

    private static void poll(
        final String bootstrapServers, final String topic, final long count, final ControlledRing handler)
    {
        try (TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(bootstrapServers).topic(topic).startPosition(StartPosition.earliest())))
        {
            for (long left = count; left > 0; )
            {
                left -= consumer.controlledPoll(handler, (int) Math.min(left, RECORD_LIMIT));
            }
        }
    }
}
