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
 * Publishes records to any number of topics of a Kafka cluster on the thread of its caller. All work happens in
 * {@link #doWork()}, which never blocks: there is no other thread, no lock and no queue. Once warm it allocates
 * nothing. It is an agent of Agrona's runners, too.
 * <p>
 * Records are written into batches in place, and everything that is ready goes out as one request to each broker. With
 * {@link Acks#ALL} no batch is in the log twice, and the order of a partition is kept, within the life of the
 * publisher, if the brokers' producer.id.expiration.ms is longer than {@link PublisherContext#deliveryTimeoutMs(int)}.
 * <p>
 * The first thread that works, offers or claims owns the publisher, and after its end the next one that does; another
 * one may create it and its topics before. While it is owned, other threads may only read {@link #counters()}, {@link
 * #countersFile()}, {@link #clientId()} and {@link #owner()}; other calls of theirs throw IllegalStateException, as do
 * most calls after a close, and those of a listener that would work, wait or close. While a claim is open only work and
 * a close are allowed, and abort it.
 */
public final class Publisher implements Agent, AutoCloseable
{
    /** How long {@link #close()} waits for acknowledgements. */
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
     * Creates a publisher. Looks up the names of the bootstrap servers, which may block; everything else happens in
     * {@link #doWork()}. If it fails, nothing stays open.
     *
     * @throws IllegalArgumentException if a setting is wrong.
     */
    public static Publisher connect(final PublisherContext context)
    {
        StringConstants.make("/org/odradek/publisher/own-string-constants.txt", Publisher.class::getResourceAsStream);
        return new Publisher(context.use());
    }

    /**
     * Returns the handle for a topic, the same for the same name. The first call for a name allocates.
     *
     * @throws IllegalArgumentException if this cannot be the name of a topic.
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
     * Creates a barrier that acknowledges the input of a pipeline after its output. For a member of a group with {@code
     * CommitPolicy.acknowledged} pass {@code consumer.group().acknowledgements()}; otherwise something that keeps the
     * offsets. {@link #doWork()} calls it.
     *
     * @param acknowledgements of the input.
     * @param intervalMs       the shortest time between two notes of what was processed, in milliseconds; 0 or more.
     * @throws IllegalArgumentException if a parameter is wrong.
     */
    public InputBarrier inputBarrier(final Acknowledgements acknowledgements, final int intervalMs)
    {
        guard.checkOpen();
        ClientSettings.checkSet("acknowledgements", acknowledgements);
        ClientSettings.checkRange("intervalMs", intervalMs, 0, Integer.MAX_VALUE);
        return engine.addBarrier(acknowledgements, intervalMs, guard);
    }

    /**
     * Returns true if the memory of so many batches is free. Then as many records are accepted as far as memory is
     * concerned, of whichever topics and partitions: a record takes a new batch at most. So several records that come
     * of one record of an input are accepted together, or none of them is offered. A partition that has stopped or is
     * not known refuses its record all the same.
     *
     * @param count from 0 to the number of batches in {@link PublisherContext#bufferMemory(int)}.
     * @throws IllegalArgumentException if there can never be so many.
     */
    public boolean hasRoom(final int count)
    {
        guard.checkOpen();
        ClientSettings.checkRange("count (of batches in bufferMemory)", count, 0, resources.pool.capacity());
        return resources.pool.freeCount() >= count;
    }

    /**
     * Does all work that is due, without waiting: receives acknowledgements, sends what is ready, and cares for the
     * connections. Call it after each poll, or in turn with other agents of the thread. A claim that was left open, as
     * by a handler that has thrown, is aborted first, counted and reported to the error handler.
     *
     * @return amount of work done; 0 means idle.
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
     * Has the next {@link #doWork()} send a request to each broker, and note the input, without waiting for an
     * interval. It has one batch of each partition; an open one after that is sent at the interval again.
     */
    public void flush()
    {
        guard.checkOpen();
        engine.flush();
    }

    /**
     * The time of {@link System#nanoTime()}, or of the clock that was given, at which {@link #doWork()} has something
     * to do even if no byte arrives. A thread that waits should wait no longer.
     */
    public long nextDeadlineNs()
    {
        guard.checkThread();
        return clock.waitUntil(engine.nextDeadlineNs());
    }

    /**
     * Works and waits until the partitions of all topics are known and their leaders connected, again where a
     * connection was closed because it was not used, and until there is a producer id, unless {@link Acks#LEADER} is
     * enough. If the brokers have refused an id, the publisher requests one again. A leader that could not be reached
     * is not waited for; the records of its partitions wait for it.
     *
     * @param timeoutNs the longest wait in nanoseconds.
     * @return true if records can be sent to a leader, although others may not be connected; {@link #describe()} shows
     * why not.
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
     * Flushes, works and waits until every record that was accepted is acknowledged or given up, and passes on what
     * input barriers have noted. Ends at once when a batch is given up meanwhile. The records of a partition that had
     * stopped before are waited for, too: a thread that waits so for memory does not spin, whoever holds the memory.
     * Other clients on the same poller do nothing meanwhile.
     *
     * @param timeoutNs the longest wait in nanoseconds.
     * @return true if all is acknowledged; false if a partition has stopped, the time has expired or the thread is
     * interrupted.
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

    /** @return the time until which to wait. */
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

    /** What it has counted; any thread may read it. */
    public PublisherCounters counters()
    {
        return resources.counters;
    }

    /** The path of the counters file, or null if the counters are in memory. Any thread may call this. */
    public Path countersFile()
    {
        return resources.countersPath;
    }

    /** The name that brokers know this client by. Any thread may call this. */
    public String clientId()
    {
        return clientId;
    }

    /** The thread that owns the publisher, or did until its end; null before the first use. Any thread may call it. */
    public Thread owner()
    {
        return guard.owner();
    }

    /** Several lines about the state of connections and partitions, for people. */
    public String describe()
    {
        guard.checkThread();
        return resources.describe();
    }

    /** As {@link #close(long)}, with {@link #CLOSE_TIMEOUT_NS}. */
    @Override
    public void close()
    {
        close(CLOSE_TIMEOUT_NS);
    }

    /**
     * Waits for the acknowledgement of what was accepted, and frees everything. What is not acknowledged then is
     * reported: each batch to the listener, their number to the error handler. A claim that is open is aborted, counted
     * and reported. An interrupt does not end the wait. A second call does nothing. After the end of its thread any
     * other thread may close the publisher; then nothing is waited for.
     *
     * @param timeoutNs the longest wait in nanoseconds; 0 for none.
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
