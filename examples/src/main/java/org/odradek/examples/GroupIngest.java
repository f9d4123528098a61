// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StatusSettings;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.RevocationHandler;
import org.odradek.protocol.record.Record;

import java.io.IOException;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A member of a consumer group that passes records through a ring buffer to a store on another thread, and commits an
 * offset only after the store has taken all records before it. A killed member loses nothing: its records since the
 * last commit are stored again by another member. Before a partition moves, the ring is drained, so that nothing is
 * stored twice: {@code GroupIngest PROPERTIES TOPIC [COUNTERS]}, with the properties of any Kafka consumer, and a path
 * for its counters file.
 */
public final class GroupIngest
    implements ControlledRecordHandler, MessageHandler, RevocationHandler, ConsumerListener
{
    /** More than the topic has. */
    private static final int MAX_PARTITIONS = 1_000;
    private static final int RECORD_LIMIT = 1_000;
    private static final long WAIT_NS = 10_000_000L;

    /** Takes the value of a record. */
    @FunctionalInterface
    interface Store
    {
        void store(int partition, long offset, DirectBuffer buffer, int index, int length);
    }

    private final RingBuffer ring = new OneToOneRingBuffer(
        new UnsafeBuffer(ByteBuffer.allocateDirect((1 << 16) + RingBufferDescriptor.TRAILER_LENGTH)));
    /** By partition, one more than the last stored offset; written by the thread of the store. */
    private final AtomicLongArray stored = new AtomicLongArray(MAX_PARTITIONS);
    /** By partition, one more than the offset of the last record in the ring; 0 if this owner was delivered none. */
    private final long[] passed = new long[MAX_PARTITIONS];
    /** By partition, what was committed last, or where this member began. */
    private final long[] committed = new long[MAX_PARTITIONS];
    private final ControlledRing handler = new ControlledRing(ring);
    private final Store store;
    private final StatusSettings status = new StatusSettings();
    private volatile boolean isEnded;
    private TopicConsumer consumer;

    GroupIngest(final Store store)
    {
        this.store = store;
    }

    /** @param args a file with the properties of a Kafka consumer, topic, and perhaps the path of a counters file. */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        if (args.length < 2 || args.length > 3)
        {
            System.err.println("usage: GroupIngest PROPERTIES TOPIC [COUNTERS]");
            System.exit(2);
        }
        final Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(args[0])))
        {
            properties.load(reader);
        }
        final Thread main = Thread.currentThread();
        final AtomicBoolean isRunning = new AtomicBoolean(true);
        Runtime.getRuntime().addShutdownHook(new Thread(() ->
        {
            isRunning.set(false);
            // The JVM halts when its hooks have ended: wait here until the member has left the group.
            while (main.isAlive())
            {
                LockSupport.parkNanos(WAIT_NS);
            }
        }));
        final GroupIngest ingest = new GroupIngest((partition, offset, buffer, index, length) ->
            System.out.println(partition + " " + offset + " " + buffer.getStringWithoutLengthUtf8(index, length)));
        ingest.status.countersFile(args.length == 3 ? Path.of(args[2]) : null);
        ingest.run(properties, args[1], isRunning::get);
    }

    /** Joins the group, and reads until it is told to end; then leaves. */
    void run(final Properties properties, final String topic, final BooleanSupplier isRunning)
        throws InterruptedException
    {
        final ConsumerContext context =
            ConsumerContext.from(properties).topic(topic).joinGroup().listener(this).status(status);
        context.group().commitPolicy(CommitPolicy.explicit()).revocationHandler(this);
        final Thread storing = new Thread(this::storeRecords, "store");
        storing.start();
        try (TopicConsumer member = TopicConsumer.connect(context))
        {
            consumer = member;
            while (isRunning.getAsBoolean())
            {
                consumer.controlledPoll(this, RECORD_LIMIT, WAIT_NS);
                commitStored();
            }
        }
        finally
        {
            isEnded = true;
            storing.join();
        }
    }

    @Override
    public Action onRecord(final Record record)
    {
        final Action action = handler.onRecord(record);
        if (action == Action.CONTINUE)
        {
            passed[record.partition()] = record.offset() + 1;
        }
        return action;
    }

    /** Returns true if every record that was delivered is stored. */
    private boolean isStored(final int partition)
    {
        return stored.get(partition) >= passed[partition];
    }

    private void commitStored()
    {
        for (int p = 0; p < consumer.partitionCount(); p++)
        {
            if (consumer.isAssigned(p))
            {
                // The next offset also passes what is no record, such as the markers of transactions.
                commit(p, isStored(p) ? consumer.nextOffset(p) : stored.get(p));
            }
        }
    }

    private void commit(final int partition, final long nextOffset)
    {
        if (nextOffset > committed[partition] && consumer.group().commitAsync(partition, nextOffset))
        {
            committed[partition] = nextOffset;
        }
    }

    @Override
    public void onPartitionAssigned(final int partition, final long nextOffset)
    {
        committed[partition] = nextOffset;
        passed[partition] = 0;
    }

    @Override
    public boolean onRevoking(final int partition, final long nextOffset, final long remainingNs)
    {
        final boolean isDone = isStored(partition);
        commit(partition, isDone ? nextOffset : stored.get(partition));
        return isDone;
    }

    /** The thread of the store. */
    private void storeRecords()
    {
        while (!isEnded)
        {
            if (ring.read(this) == 0)
            {
                LockSupport.parkNanos(WAIT_NS / 100);
            }
        }
    }

    @Override
    public void onMessage(final int type, final MutableDirectBuffer buffer, final int index, final int length)
    {
        final int partition = buffer.getInt(index);
        final long offset = buffer.getLong(index + ControlledRing.OFFSET_INDEX);
        store.store(partition, offset, buffer, index + ControlledRing.VALUE_INDEX, length - ControlledRing.VALUE_INDEX);
        stored.set(partition, offset + 1);
    }
}
