// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.concurrent.Agent;
import org.odradek.client.Acknowledgements;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.StringConstants;
import org.odradek.client.engine.ClientLoop;
import org.odradek.protocol.TopicName;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Publishes records to any number of topics of a Kafka cluster on the thread of its caller. All I/O happens in calls of
 * this object, mostly in {@link #doWork()}, which waits for nothing but the lookup of a host name. The publisher starts
 * no thread, and publishes records without a lock. After warm-up it allocates nothing. It can also be used as an agent
 * of Agrona's runners.
 * <p>
 * Records are written into batches in place, and the batches that are ready are sent in one request to each broker.
 * With {@link Acks#ALL} no batch of one publisher is in the log twice, and the records of a partition keep their order.
 * This requires that the brokers' producer.id.expiration.ms is longer than {@link
 * PublisherContext#deliveryTimeoutMs(int)}.
 * <p>
 * The first thread that works, offers or claims owns the publisher; after the end of that thread the next thread that
 * does so owns it. Another thread may create the publisher and its topics before. While the publisher is owned, other
 * threads may only read {@link #counters()}, {@link #countersFile()}, {@link #clientId()} and {@link #owner()}. Other
 * calls by other threads throw IllegalStateException. So do most calls after a close, and the calls of a listener that
 * would claim, work, wait or close. While a claim is open, offers, further claims, skips and {@link #flush()} also
 * throw IllegalStateException, and work or a close aborts the claim.
 */
public final class Publisher implements Agent, AutoCloseable
{
    /** The longest time in nanoseconds for which {@link #close()} waits for acknowledgements. */
    public static final long CLOSE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

    private final String roleName;
    private final String clientId;
    final PublisherResources resources;
    private final PublishEngine engine;
    private final DutyClock clock;
    private final ClientLoop loop;
    private final UseGuard guard = new UseGuard();
    private final RecordClaim claim;
    private final List<TopicPublisher> topics = new ArrayList<>();

    private Publisher(final PublisherContext context)
    {
        roleName = context.roleName();
        clientId = context.settings.clientId;
        resources = new PublisherResources(context);
        engine = resources.engine;
        clock = resources.clock;
        loop = new ClientLoop(clock, resources.poller);
        claim = new RecordClaim(guard, resources.events, resources.pool.batchLength());
        clock.nextDeadline(() -> clock.waitUntil(engine.nextDeadlineNs()));
    }

    /**
     * Creates a publisher. The creation looks up the host names of the bootstrap servers, which may block, but does not
     * connect to them. The creation fails if none of the names has an address. After a failure nothing stays open.
     *
     * @throws IllegalArgumentException if a setting is wrong.
     * @throws IllegalStateException if the context has been used for another publisher, or the JVM lacks a flag or has
     *                               too little direct memory.
     */
    public static Publisher connect(final PublisherContext context)
    {
        StringConstants.make("/org/odradek/publisher/own-string-constants.txt", Publisher.class::getResourceAsStream);
        return new Publisher(context.use());
    }

    /**
     * Returns the handle for a topic. All calls with the same name return the same object. The first call for a name
     * allocates.
     *
     * @throws IllegalArgumentException if a topic cannot have this name.
     */
    public TopicPublisher topic(final String name)
    {
        guard.checkOpen();
        for (final TopicPublisher topic : topics)
        {
            if (topic.topic().equals(name))
            {
                return topic;
            }
        }
        TopicName.check(name);
        final TopicPublisher added = new TopicPublisher(engine.topic(name), guard, clock, claim);
        topics.add(added);
        return added;
    }

    /**
     * Creates a barrier that acknowledges the input of a pipeline after the brokers have acknowledged the output. If
     * the input comes from a member of a consumer group with {@code CommitPolicy.acknowledged}, pass {@code
     * consumer.group().acknowledgements()}; otherwise pass an object that stores the offsets. {@link #doWork()} calls
     * the object that was passed.
     *
     * @param acknowledgements the object that receives the acknowledgements of the input.
     * @param intervalMs       the shortest time after which the barrier notes the processed offsets again, in
     *                         milliseconds; 0 or more.
     * @throws IllegalArgumentException if {@code acknowledgements} is null or the interval is negative.
     */
    public InputBarrier inputBarrier(final Acknowledgements acknowledgements, final int intervalMs)
    {
        guard.checkOpen();
        ClientSettings.checkSet("acknowledgements", acknowledgements);
        ClientSettings.checkRange("intervalMs", intervalMs, 0, Integer.MAX_VALUE);
        return engine.addBarrier(acknowledgements, intervalMs, guard);
    }

    /**
     * Returns true if the memory of at least {@code count} batches is free. Then the next {@code count} offers, to any
     * topics and partitions, are not answered with {@link OfferResult#BACK_PRESSURED}, because a record takes at most
     * one new batch. So a program can offer all output records of one input record together, or none of them. An offer
     * may still be refused for another reason, for example because its partition has stopped.
     *
     * @param count the number of batches, from 0 to the number that {@link PublisherContext#bufferMemory(int)} holds.
     * @throws IllegalArgumentException if the count is negative or above that number.
     */
    public boolean hasRoom(final int count)
    {
        guard.checkOpen();
        ClientSettings.checkRange("count (of batches in bufferMemory)", count, 0, resources.pool.capacity());
        return resources.pool.freeCount() >= count;
    }

    /**
     * Does all work that is due, and waits for nothing but the lookup of a host name: receives acknowledgements, sends
     * batches that are ready, and maintains the connections. Call it after each poll of a consumer, or in turn with
     * other agents of the thread. A claim that was left open, for example by a handler that has thrown, is aborted
     * first, counted, and reported to the error handler.
     *
     * @return the amount of work that was done; 0 means idle.
     */
    @Override
    public int doWork()
    {
        guard.beginWork();
        final int work;
        try
        {
            claim.abortIfOpen();
            clock.update();
            work = engine.doWork(loop.chooseSockets(engine.senderCount(), true));
            resources.noteWork();
        }
        finally
        {
            guard.endWork();
        }
        resources.callbacks.rethrow();
        return work;
    }

    /**
     * Ends the interval of each broker: {@link #doWork()} sends the first batch of each partition as soon as the
     * earlier request to the leader is answered, even if the batch is not full. Later batches that are not full wait
     * for the interval again. The intervals of input barriers end, too.
     */
    public void flush()
    {
        guard.checkOpen();
        engine.flush();
    }

    /**
     * Returns the time of {@link System#nanoTime()}, or of the clock of the context, at which {@link #doWork()} has
     * something to do even if no byte arrives. A thread that waits should not wait beyond this time.
     */
    public long nextDeadlineNs()
    {
        guard.checkThread();
        return clock.waitUntil(engine.nextDeadlineNs());
    }

    /**
     * Works and waits until the partitions of all topics are known and their leaders are connected and, with {@link
     * Acks#ALL}, until there is a producer id. It reopens connections that were closed because they were not used, and
     * requests a producer id again if the brokers have refused one. It does not wait for a leader that could not be
     * reached; the records of the partitions of that leader stay in memory until the leader can be reached or the
     * records expire.
     *
     * @param timeoutNs the longest wait in nanoseconds.
     * @return true if records can be sent to at least one leader, even if the time has expired or the thread was
     *         interrupted; otherwise false, and {@link #describe()} shows the reason.
     */
    public boolean awaitReady(final long timeoutNs)
    {
        guard.checkWork();
        final long deadlineNs = beginWaits(timeoutNs);
        boolean isMet;
        do
        {
            doWork();
            isMet = engine.isReady(true);
            if (!isMet)
            {
                engine.wake();
            }
        }
        while (!isMet && await(deadlineNs));
        return isMet || engine.isReady(false);
    }

    /**
     * Flushes, works and waits until every accepted record is acknowledged or given up, and passes on the offsets that
     * input barriers have noted. The wait ends at once when a batch is given up meanwhile. The method also waits for
     * the accepted records of a partition that had stopped before. So a loop that calls this method until memory is
     * free does not use the CPU all the time. Other clients on the same poller do nothing meanwhile.
     *
     * @param timeoutNs the longest wait in nanoseconds.
     * @return true if no accepted record waits for an acknowledgement and no partition has stopped; otherwise false.
     */
    public boolean awaitAcknowledged(final long timeoutNs)
    {
        guard.checkWork();
        final long deadlineNs = beginWaits(timeoutNs);
        final long failures = failures();
        do
        {
            engine.flush();
            doWork();
        }
        while (engine.outstanding() > 0 && failures() == failures && await(deadlineNs));
        return engine.isAcknowledged();
    }

    private long failures()
    {
        return resources.counters.get(PublisherCounters.BATCHES_FAILED);
    }

    /** @return the time at which the wait ends at the latest. */
    private long beginWaits(final long timeoutNs)
    {
        clock.beginWaits();
        return clock.update() + timeoutNs;
    }

    /** @return false if the time has passed, the clock has stopped, or the thread is interrupted. */
    private boolean await(final long deadlineNs)
    {
        if (deadlineNs - clock.nowNs() <= 0 || Thread.currentThread().isInterrupted())
        {
            return false;
        }
        loop.await(loop.untilEarlierNs(engine.nextDeadlineNs(), deadlineNs), true);
        return !clock.isStopped();
    }

    /** Returns the counters of the publisher. Any thread may call this method, also after a close. */
    public PublisherCounters counters()
    {
        return resources.counters;
    }

    /**
     * Returns the path of the counters file, or null if the counters are in memory. Any thread may call this method.
     */
    public Path countersFile()
    {
        return resources.countersPath;
    }

    /** Returns the name of this client in the brokers' logs and quotas. Any thread may call this method. */
    public String clientId()
    {
        return clientId;
    }

    /**
     * Returns the thread that owns the publisher, or that owned it until the thread ended; null before the first use.
     * Any thread may call this method.
     */
    public Thread owner()
    {
        return guard.owner();
    }

    /** Describes the state of connections and partitions in several lines of text, for people to read. */
    public String describe()
    {
        guard.checkThread();
        return resources.describe();
    }

    /** Calls {@link #close(long)} with {@link #CLOSE_TIMEOUT_NS}. */
    @Override
    public void close()
    {
        close(CLOSE_TIMEOUT_NS);
    }

    /**
     * Waits until the accepted records are acknowledged, or until the time has expired, and then frees everything.
     * Records that are not acknowledged in time are reported: each batch to the listener, and the number of records to
     * the error handler. An open claim is aborted, counted, and reported to the error handler. An interrupt does not
     * end the wait. A second call does nothing. After the owning thread has ended, any other thread may close the
     * publisher; such a close does not wait.
     *
     * @param timeoutNs the longest wait in nanoseconds; 0 for no wait.
     * @throws IllegalStateException if another thread owns the publisher, or if a listener calls this method.
     */
    public void close(final long timeoutNs)
    {
        if (guard.isClosed())
        {
            return;
        }
        final boolean isOwner = guard.beginClose();
        boolean isInterrupted = Thread.interrupted();
        try
        {
            claim.abortIfOpen();
            if (isOwner)
            {
                isInterrupted |= finish(beginWaits(timeoutNs));
            }
        }
        finally
        {
            isInterrupted |= Thread.interrupted();
            free(isInterrupted);
        }
        resources.callbacks.rethrow();
    }

    private void free(final boolean isInterrupted)
    {
        try
        {
            guard.endOffers();
            reportUnacknowledged();
        }
        finally
        {
            guard.endClose();
            resources.free();
            if (isInterrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** @return true if the thread was interrupted meanwhile. */
    private boolean finish(final long deadlineNs)
    {
        boolean isInterrupted = false;
        engine.flush();
        engine.doWork(true);
        while (engine.isWaiting() && deadlineNs - clock.nowNs() > 0 && !clock.isStopped())
        {
            await(deadlineNs);
            isInterrupted |= Thread.interrupted();
            engine.flush();
            engine.doWork(false);
        }
        return isInterrupted;
    }

    private void reportUnacknowledged()
    {
        final long outstanding = engine.outstanding();
        if (outstanding > 0)
        {
            resources.events.error("The publisher was closed before " + outstanding + " records were acknowledged.");
            engine.failAll();
        }
    }

    @Override
    public String roleName()
    {
        return roleName;
    }

    @Override
    public void onClose()
    {
        close();
    }
}
