// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.odradek.client.Acknowledgements;
import org.odradek.client.ClientException;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.HandlerErrorPolicy;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A member of a consumer group that passes records through a ring buffer to a store on another thread. The store
 * acknowledges each record, and the consumer commits what is acknowledged. A killed member loses nothing: its records
 * since the last commit are stored again by another member. Before a partition moves, the consumer waits for the store,
 * so that nothing is stored twice. A value that is too long for the ring, an exception of the store and a membership
 * that has failed end it, and no later record is acknowledged:
 * {@code GroupIngest PROPERTIES TOPIC [COUNTERS]}, with the properties of any Kafka consumer, and a path for its
 * counters file.
 */
public final class GroupIngest implements MessageHandler
{
    private static final int RECORD_LIMIT = 1_000;
    private static final long WAIT_NS = 10_000_000L;

    /** Takes the value of a record. */
    @FunctionalInterface
    interface Store
    {
        void store(int partition, long offset, DirectBuffer buffer, int index, int length);
    }

    private final RingBuffer ring = ControlledRing.ringOf(ControlledRing.RING_LENGTH);
    private final ControlledRing handler = new ControlledRing(ring);
    private final Store store;
    /** Null for counters in memory. */
    private Path countersFile;
    private volatile boolean isEnded;
    /** Set before the thread of the store begins. */
    private Acknowledgements acknowledgements;

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
        ingest.countersFile = args.length == 3 ? Path.of(args[2]) : null;
        ingest.run(properties, args[1], isRunning::get);
    }

    /**
     * Joins the group, reads until it is told to end, and leaves the group.
     *
     * @throws IllegalStateException if the store has thrown an exception, or the consumer cannot be a member of the
     *                               group.
     * @throws ClientException       if a value is too long for the ring.
     */
    void run(final Properties properties, final String topic, final BooleanSupplier isRunning)
        throws InterruptedException
    {
        final ConsumerContext context = ConsumerContext.from(properties).topic(topic).joinGroup()
            .countersFile(countersFile).handlerErrorPolicy(HandlerErrorPolicy.THROW);
        context.group().commitPolicy(CommitPolicy.acknowledged());
        final Thread storing = new Thread(this::storeRecords, "store");
        String failure = null;
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            acknowledgements = consumer.group().acknowledgements();
            storing.start();
            while (isRunning.getAsBoolean() && failure == null)
            {
                pollOrWait(consumer);
                failure = failure(consumer, storing);
            }
        }
        finally
        {
            isEnded = true;
            storing.join();
        }
        if (failure != null)
        {
            throw new IllegalStateException(failure);
        }
    }

    /** Why nothing more can be ingested, or null. */
    private String failure(final TopicConsumer consumer, final Thread storing)
    {
        if (consumer.group().state() == GroupState.FAILED)
        {
            return "The consumer cannot be a member of group " + consumer.group().groupId() + ".";
        }
        return storing.isAlive() ? null : "The store has thrown an exception.";
    }

    /** A poll does not wait while a record is refused: the ring is full, and the store gets time. */
    private void pollOrWait(final TopicConsumer consumer)
    {
        final long refusals = handler.refusals();
        if (consumer.controlledPoll(handler, RECORD_LIMIT, WAIT_NS) == 0 && handler.refusals() > refusals)
        {
            LockSupport.parkNanos(WAIT_NS / 100);
        }
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
        acknowledgements.acknowledge(partition, buffer.getInt(index + ControlledRing.EPOCH_INDEX), offset + 1);
    }
}
