// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.concurrent.Agent;
import org.odradek.client.Acknowledgements;
import org.odradek.client.AuthenticationException;
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
 * Publishes records to any number of topics of a Kafka cluster on the thread of its caller. The publisher starts no
 * thread: its I/O is done in calls of its methods, mostly in {@link #doWork()}. After warm-up, offers and claims
 * allocate nothing.
 * <p>
 * With {@link Acks#ALL} a batch that is sent again is not written to the log twice, and the records of a partition keep
 * their order. This requires that the brokers' producer.id.expiration.ms is longer than {@link
 * PublisherContext#deliveryTimeoutMs(int)}.
 * <p>
 * The first thread that works, offers or claims owns the publisher; after the end of that thread the next thread that
 * does so owns it. Until a thread owns the publisher, any thread may create its topics. Threads that do not own the
 * publisher may call {@link #counters()}, {@link #countersFile()}, {@link #clientId()} and {@link #owner()}. While the
 * owner is alive, work, waits, offers and claims on another thread throw IllegalStateException.
 * <p>
 * While a claim is open, offers, further claims, skips and {@link #endSendInterval()} throw IllegalStateException, and
 * work or a close aborts the claim.
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
    /** The result of the close. */
    private boolean isAcknowledged;

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
     * Creates a publisher. This method looks up the host names of the bootstrap servers, which may block, but does not
     * connect to them.
     *
     * @throws IllegalArgumentException if a setting is wrong.
     * @throws IllegalStateException if a publisher was created with the context before, the counters file is in use, or
     *                               the JVM lacks a flag or has too little direct memory.
     * @throws org.odradek.client.ClientException if no bootstrap server has an address.
     * @throws java.io.UncheckedIOException if the counters file cannot be created.
     */
    public static Publisher connect(final PublisherContext context)
    {
        StringConstants.make("/org/odradek/publisher/own-string-constants.txt", Publisher.class::getResourceAsStream);
        return new Publisher(context.use());
    }

    /**
     * Returns the handle for a topic. All calls with the same name return the same object.
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
     * consumer.group().acknowledgements()}; otherwise pass an object that stores the offsets.
     *
     * @param acknowledgements the object that receives the acknowledgements of the input, on the thread of the
     *                         publisher.
     * @param intervalMs       the interval in milliseconds at which the barrier notes the processed offsets; 0 or more.
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
     * Returns true if the memory of at least {@code count} batches is free. Then the next {@code count} offers do not
     * return {@link OfferResult#BACK_PRESSURED}, because a record takes at most one new batch.
     *
     * @param count the number of batches, from 0 to the number that {@link PublisherContext#bufferMemory(long)} holds.
     * @throws IllegalArgumentException if the count is negative or above that number.
     */
    public boolean hasRoom(final int count)
    {
        guard.checkOpen();
        ClientSettings.checkRange("count (of batches in bufferMemory)", count, 0, resources.pool.capacity());
        return resources.pool.freeCount() >= count;
    }

    /**
     * Receives acknowledgements, sends batches that are ready, and maintains the connections. A lookup of a host name
     * may block. Call this method after each poll of a consumer, or in turn with other agents of the thread. A claim
     * that was left open is aborted first, counted, and reported to the error handler.
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
     * Ends the send interval of each broker, so batches that are not full are due at once. The intervals of input
     * barriers end, too. This method neither sends nor waits; the counterpart of {@code KafkaProducer.flush} is {@link
     * #awaitAcknowledged(long)}.
     */
    public void endSendInterval()
    {
        guard.checkOpen();
        engine.endSendInterval();
    }

    /**
     * Returns the time in nanoseconds, by the nano clock of the context, at which {@link #doWork()} has something to do
     * even if no byte arrives. A thread that waits should not wait beyond this time.
     */
    public long nextDeadlineNs()
    {
        guard.checkThread();
        return clock.nextDeadlineNs();
    }

    /**
     * Works and waits until the partitions of all topics are known and their leaders are connected and, with {@link
     * Acks#ALL}, until there is a producer id. The method does not wait for a leader that could not be reached, if
     * another leader is connected. It also reopens connections that were closed because they were not used, and
     * requests a producer id again if the brokers have refused one. An interrupt ends the wait.
     *
     * @param timeoutNs the longest wait in nanoseconds.
     * @return true if the publisher has no topic, or if the partitions of all topics are known, a leader is connected
     *         and no producer id is missing.
     * @throws AuthenticationException if a broker refuses the publisher's credentials during the wait, and the result
     *                                 would be false.
     */
    public boolean awaitReady(final long timeoutNs)
    {
        guard.checkWork();
        final long deadlineNs = beginWaits(timeoutNs);
        final long refusals = resources.refusals();
        boolean isMet;
        do
        {
            doWork();
            isMet = engine.isReady(true);
            if (!isMet)
            {
                final AuthenticationException refusal = resources.refusalSince(refusals);
                if (refusal != null && !engine.isReady(false))
                {
                    throw refusal;
                }
                engine.wake();
            }
        }
        while (!isMet && await(deadlineNs));
        return isMet || engine.isReady(false);
    }

    /**
     * Ends the send interval, works and waits until every accepted record is acknowledged or was given up earlier. The
     * wait also ends when a batch is given up or the thread is interrupted. While a stopped partition has accepted
     * records that were not given up, the method waits until the timeout.
     *
     * @param timeoutNs the longest wait in nanoseconds.
     * @return true if no accepted record waits for an acknowledgement, no partition has stopped and no batch was given
     *         up during the wait; otherwise false.
     */
    public boolean awaitAcknowledged(final long timeoutNs)
    {
        guard.checkWork();
        final long deadlineNs = beginWaits(timeoutNs);
        final long failures = failures();
        do
        {
            engine.endSendInterval();
            doWork();
        }
        while (engine.outstanding() > 0 && failures() == failures && await(deadlineNs));
        return isAcknowledgedSince(failures);
    }

    private boolean isAcknowledgedSince(final long failures)
    {
        return failures() == failures && engine.isAcknowledged();
    }

    private long failures()
    {
        return resources.counters.get(PublisherCounters.BATCHES_FAILED);
    }

    private long beginWaits(final long timeoutNs)
    {
        clock.beginWaits();
        return clock.update() + timeoutNs;
    }

    private boolean await(final long deadlineNs)
    {
        if (deadlineNs - clock.nowNs() <= 0 || Thread.currentThread().isInterrupted())
        {
            return false;
        }
        loop.await(ClientLoop.untilEarlierNs(engine.nextDeadlineNs(), deadlineNs, clock.readNs()), true);
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
     * Returns the thread that owns the publisher, or that owned it until the thread ended; null before a thread owns
     * it. Any thread may call this method.
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
     * Waits until the accepted records are acknowledged, or until the time has expired, and then frees all resources.
     * The method does not wait for the records of stopped partitions. The batches that are not acknowledged are
     * reported to the listener, and the number of their records is reported to the error handler. An open claim is
     * aborted, counted, and reported to the error handler. An interrupt does not end the wait. A second call only
     * returns the same result. After the owning thread has ended, any other thread may close the publisher; such a
     * close does not wait.
     *
     * @param timeoutNs the longest wait in nanoseconds; 0 for no wait.
     * @return true if at the end of the wait no accepted record waited for an acknowledgement, no partition had stopped
     *         and no batch was given up during the wait; otherwise false. Everything has been freed in both cases.
     * @throws IllegalStateException if another live thread owns the publisher, or if a listener calls this method.
     */
    public boolean close(final long timeoutNs)
    {
        if (guard.isClosed())
        {
            return isAcknowledged;
        }
        final boolean isOwner = guard.beginClose();
        final long failures = failures();
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
            free(isInterrupted, failures);
        }
        resources.callbacks.rethrow();
        return isAcknowledged;
    }

    private void free(final boolean isInterrupted, final long failures)
    {
        try
        {
            guard.endOffers();
            isAcknowledged = isAcknowledgedSince(failures);
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

    /** @return true if the thread was interrupted. */
    private boolean finish(final long deadlineNs)
    {
        boolean isInterrupted = false;
        engine.endSendInterval();
        engine.doWork(true);
        while (engine.isWaiting() && deadlineNs - clock.nowNs() > 0 && !clock.isStopped())
        {
            await(deadlineNs);
            isInterrupted |= Thread.interrupted();
            engine.endSendInterval();
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
