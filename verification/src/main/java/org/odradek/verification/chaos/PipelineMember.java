// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.agrona.concurrent.Agent;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.publisher.Compression;
import org.odradek.publisher.PublisherContext;
import org.odradek.workers.WorkerSettings;
import org.odradek.workers.Workers;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One incarnation of a pipeline: a member of a group and a publisher on one thread and one poller, or a member that
 * dispatches to workers, which have a thread and a publisher each. It ends abruptly when a batch is given up.
 */
final class PipelineMember implements ConsumerListener
{
    /** How a pipeline ends. */
    enum End
    {
        /** It waits for what is outstanding, commits, and leaves the group. */
        CLOSED,
        /** It closes all clients without waiting. */
        CLOSED_AT_ONCE,
        /** Its threads end with all clients open, as that of a process that is killed. */
        DEAD
    }

    private static final int RECORD_LIMIT = 200;
    private static final int REQUEST_TIMEOUT_MS = 2_000;
    private static final int REVOCATION_MS = 10_000;
    private static final int LEAST_INTERVAL_MS = 50;
    private static final int BATCHES = 64;
    /** So little that rings are full at times. */
    private static final int RING_LENGTH = 128 * 1024;
    private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long END_MS = TimeUnit.SECONDS.toMillis(60);

    private final ChaosCluster cluster;
    private final PipelineRun.Settings settings;
    private final boolean isAcknowledgingEarly;
    private final PipelineLedger ledger;
    private final Poller poller = ConsumerContext.openPoller(TransportType.AUTO);
    /** One, or that of each worker. */
    private final List<PipelinePublisher> publishers = new ArrayList<>();
    private final List<Thread> workerThreads = new ArrayList<>();
    private final Compression compression;
    private final int batchLength;
    private final int deliveryTimeoutMs;
    private final int barrierMs;
    private final int commitMs;
    private final Thread thread;
    private TopicConsumer consumer;
    /** Null without workers. */
    private Agent dispatcher;
    /** Set by the run, read by all threads. */
    private volatile End end;
    /** Set by the run, read by workers, cleared by the thread that polls. */
    private volatile int stopMs;
    /** Set by the thread that polls, read by workers: nothing more is dispatched. */
    private volatile boolean isDispatched;
    /** Set by any thread, read by the thread that polls. */
    private volatile boolean hasThrown;
    /** Set by any thread, read by the run. */
    private volatile String lastError = "";

    /**
     * Starts the thread.
     *
     * @param random               draws the settings.
     * @param isAcknowledgingEarly a defect: the input is acknowledged before its output.
     */
    PipelineMember(
        final ChaosCluster cluster,
        final String name,
        final PipelineRun.Settings settings,
        final Random random,
        final boolean isAcknowledgingEarly)
    {
        this.cluster = cluster;
        this.settings = settings;
        this.isAcknowledgingEarly = isAcknowledgingEarly;
        ledger = new PipelineLedger(name);
        compression = Compression.values()[random.nextInt(Compression.values().length)];
        batchLength = 4_096 << random.nextInt(4);
        // Less than the time in which another leader is elected, now and then.
        deliveryTimeoutMs = random.nextInt(4) == 0 ? REQUEST_TIMEOUT_MS + 500 : 30_000;
        barrierMs = random.nextInt(100);
        commitMs = LEAST_INTERVAL_MS + random.nextInt(400);
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    PipelineLedger ledger()
    {
        return ledger;
    }

    /** Whether its thread has ended, by {@link #end} or because a batch was given up. */
    boolean isEnded()
    {
        return !thread.isAlive();
    }

    /** The settings that were drawn. */
    String settings()
    {
        return compression + ", batches of " + batchLength + " bytes, " + deliveryTimeoutMs + " ms for a delivery, " +
            barrierMs + " ms between notes, " + commitMs + " ms between commits";
    }

    String lastError()
    {
        return lastError;
    }

    /** Has all threads do nothing for a while. */
    void stop(final int ms)
    {
        stopMs = ms;
        poller.wakeup();
    }

    /** Ends the pipeline, and returns when it has ended. */
    void end(final End how)
    {
        end = how;
        poller.wakeup();
        join(thread);
        if (thread.isAlive())
        {
            throw new IllegalStateException(ledger.name() + " does not end: " + lastError);
        }
        free(0);
    }

    private static void join(final Thread thread)
    {
        try
        {
            thread.join(END_MS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    private void run()
    {
        try
        {
            connect();
            while (end == null && publishers.stream().noneMatch(PipelinePublisher::isGivenUp) && !hasThrown)
            {
                workOrWait();
                if (stopMs > 0)
                {
                    ChaosCluster.pause(stopMs);
                    stopMs = 0;
                }
            }
            if (end != End.DEAD)
            {
                free(closeNs());
            }
        }
        catch (final Throwable ex)
        {
            onThrown(ex);
        }
        finally
        {
            endWorkers();
        }
    }

    private void connect()
    {
        final ConsumerContext context = ChaosTopic.readerContext(cluster, ChaosPipeline.INPUT)
            .startPosition(StartPosition.earliest())
            .poller(poller)
            .requestTimeoutMs(REQUEST_TIMEOUT_MS)
            .listener(this)
            .errorHandler(this::onError)
            .handlerErrorPolicy(HandlerErrorPolicy.THROW)
            .group(new GroupSettings(ChaosPipeline.GROUP)
                .revocationTimeoutMs(REVOCATION_MS)
                .commitPolicy(CommitPolicy.acknowledged(commitMs)));
        if (settings.workerCount() > 0)
        {
            connectWorkers(context);
            return;
        }
        consumer = TopicConsumer.connect(context);
        publishers.add(new PipelinePublisher(publisherContext().poller(poller), ledger, settings.keyCount(),
            consumer.group().acknowledgements(), barrierMs, isAcknowledgingEarly));
    }

    private void connectWorkers(final ConsumerContext context)
    {
        final int keyCount = settings.keyCount();
        final Workers workers = Workers.connect(context,
            new WorkerSettings(settings.workerCount(), (worker) -> publishers.get(worker.index()))
            .ringLength(RING_LENGTH)
            .barrierIntervalMs(1 + barrierMs)
            .router((record, count) -> PipelineJudge.key(record.partition(), ChaosRecord.sequence(record.partition(),
            record.buffer(), record.valueIndex(), record.valueLength()), keyCount) % count));
        consumer = workers.consumer();
        dispatcher = workers.dispatcher();
        for (int w = 0; w < workers.count(); w++)
        {
            publishers.add(new PipelinePublisher(
                publisherContext(), ledger, keyCount, workers.worker(w), isAcknowledgingEarly));
        }
        for (final PipelinePublisher publisher : publishers)
        {
            final Thread worker = new Thread(
                () -> runWorker(publisher), ledger.name() + "-worker-" + workerThreads.size());
            worker.setDaemon(true);
            workerThreads.add(worker);
            worker.start();
        }
    }

    private PublisherContext publisherContext()
    {
        return new PublisherContext()
            .bootstrapServers(cluster.connection().get("bootstrap.servers"))
            .compression(compression)
            .batchLength(batchLength)
            .bufferMemory(BATCHES * batchLength)
            .requestTimeoutMs(REQUEST_TIMEOUT_MS)
            .connectTimeoutMs(REQUEST_TIMEOUT_MS)
            .deliveryTimeoutMs(deliveryTimeoutMs)
            .metadataMaxAgeMs(1_000)
            .errorHandler(this::onError);
    }

    private void workOrWait() throws Exception
    {
        final int work = dispatcher != null ? dispatcher.doWork() :
            consumer.controlledPoll(publishers.get(0), RECORD_LIMIT) + publishers.get(0).doWork();
        if (work == 0)
        {
            final long nowNs = System.nanoTime();
            final long untilNs = dispatcher != null ? nowNs + IDLE_NS : publishers.get(0).nextDeadlineNs();
            poller.await(Math.max(1, Math.min(consumer.nextDeadlineNs() - nowNs, untilNs - nowNs)));
        }
    }

    /** A worker goes on until the dispatcher is closed, and ends at once with a pipeline that is dead. */
    private void runWorker(final PipelinePublisher publisher)
    {
        try
        {
            while (!isDispatched && end != End.DEAD)
            {
                if (stopMs > 0 || publisher.doWork() == 0)
                {
                    LockSupport.parkNanos(IDLE_NS);
                }
            }
            if (end != End.DEAD)
            {
                publisher.close(closeNs());
            }
        }
        catch (final Throwable ex)
        {
            onThrown(ex);
        }
    }

    private void endWorkers()
    {
        isDispatched = true;
        workerThreads.forEach(PipelineMember::join);
    }

    private long closeNs()
    {
        return end == End.CLOSED ? TimeUnit.MILLISECONDS.toNanos(END_MS) / 3 : 0;
    }

    /** Ends the publishers first, because the consumer commits what they get acknowledged; but workers last. */
    private void free(final long timeoutNs)
    {
        if (dispatcher == null)
        {
            publishers.forEach((publisher) -> publisher.close(timeoutNs));
        }
        if (consumer != null)
        {
            consumer.close(timeoutNs);
        }
        if (dispatcher != null)
        {
            dispatcher.onClose();
            endWorkers();
            publishers.forEach((publisher) -> publisher.close(0));
        }
        poller.close();
    }

    private void onThrown(final Throwable thrown)
    {
        ledger.onProblem("has thrown " + thrown);
        hasThrown = true;
    }

    private void onError(final Throwable error)
    {
        lastError = error.toString();
    }

    @Override
    public void onPartitionAssigned(final int partition, final long nextOffset)
    {
        ledger.onAssigned(partition);
    }

    @Override
    public void onPartitionRevoked(final int partition, final long nextOffset, final long committedOffset)
    {
        ledger.onRevoked(partition, committedOffset, System.nanoTime());
    }

    @Override
    public void onPartitionLost(final int partition, final long nextOffset, final long committedOffset)
    {
        ledger.onLost(partition);
    }

    @Override
    public void onAcknowledgementRefused(final int partition, final long acknowledgedOffset, final long nextOffset)
    {
        ledger.onProblem("has acknowledged offset " + acknowledgedOffset + " of partition " + partition +
            ", which is refused: its next offset is " + nextOffset);
    }
}
