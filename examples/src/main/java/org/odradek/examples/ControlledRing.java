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
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.protocol.record.Record;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * Passes records to another thread through a ring buffer. While the ring is full, the handler refuses the record with
 * ABORT, and the next poll delivers it again. The bytes are copied once, from the receive buffer into the ring. A value
 * that is longer than an eighth of the ring never fits: the handler throws an exception, which stops the partition or
 * leaves the poll.
 */
public final class ControlledRing implements ControlledRecordHandler
{
    static final int MESSAGE_TYPE = 1;
    static final int VALUE_INDEX = 16;
    static final int EPOCH_INDEX = 4;
    static final int OFFSET_INDEX = 8;
    /** Its eighth holds the largest record that brokers accept by default, 1 MiB. */
    static final int RING_LENGTH = 8 << 20;
    private static final int RECORD_LIMIT = 1_000;

    private final RingBuffer ring;
    private long refusals;
    private volatile boolean isEnded;

    ControlledRing(final RingBuffer ring)
    {
        this.ring = ring;
    }

    /** @param length in bytes, a power of two. */
    static RingBuffer ringOf(final int length)
    {
        return new OneToOneRingBuffer(
            new UnsafeBuffer(ByteBuffer.allocateDirect(length + RingBufferDescriptor.TRAILER_LENGTH)));
    }

    /** How often a record was refused. */
    long refusals()
    {
        return refusals;
    }

    @Override
    public Action onRecord(final Record record)
    {
        final int valueLength = Math.max(0, record.valueLength());
        if (VALUE_INDEX + valueLength > ring.maxMsgLength())
        {
            throw new IllegalArgumentException("The value has " + valueLength + " bytes: the ring holds at most " +
                (ring.maxMsgLength() - VALUE_INDEX) + ".");
        }
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
    public static void main(final String[] args)
    {
        if (args.length != 3)
        {
            System.err.println("usage: ControlledRing HOST:PORT TOPIC COUNT");
            System.exit(2);
        }
        final long[] sum = new long[1];
        final long refusals = read(args[0], args[1], Long.parseLong(args[2]), RING_LENGTH,
            (type, buffer, index, length) -> sum[0] += length - VALUE_INDEX);
        System.out.println(sum[0] + " bytes of values; the ring was full " + refusals + " times");
    }

    static long read(
        final String bootstrapServers,
        final String topic,
        final long count,
        final int ringLength,
        final MessageHandler messageHandler)
    {
        final RingBuffer ring = ringOf(ringLength);
        final ControlledRing handler = new ControlledRing(ring);
        final CompletableFuture<Void> poller = CompletableFuture.runAsync(
            () -> poll(bootstrapServers, topic, count, handler), (task) -> new Thread(task).start());
        try
        {
            for (long left = count; left > 0 && (!poller.isDone() || ring.size() > 0); )
            {
                left -= ring.read(messageHandler, (int) Math.min(left, 100));
            }
        }
        finally
        {
            // After an exception of the reader the other thread must not wait for room for ever.
            handler.isEnded = true;
            poller.join();
        }
        return handler.refusals;
    }

    private static void poll(
        final String bootstrapServers, final String topic, final long count, final ControlledRing handler)
    {
        try (TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(bootstrapServers).topic(topic).startPosition(StartPosition.earliest())
            .handlerErrorPolicy(HandlerErrorPolicy.THROW)))
        {
            for (long left = count; left > 0 && !handler.isEnded; )
            {
                left -= consumer.controlledPoll(handler, (int) Math.min(left, RECORD_LIMIT));
            }
        }
    }
}
