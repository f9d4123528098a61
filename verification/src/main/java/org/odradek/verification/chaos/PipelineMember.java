// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.publisher.Compression;
import org.odradek.publisher.FailedBatch;
import org.odradek.publisher.InputBarrier;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherContext;
import org.odradek.publisher.PublisherListener;
import org.odradek.publisher.TopicPublisher;

import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * One incarnation of a pipeline: a member of a group and a publisher on one thread and one poller. It publishes each
 * record of the input under its partition as key, and ends abruptly when a batch is given up.
 */
final class PipelineMember implements ControlledRecordHandler, PublisherListener, ConsumerListener
{
    /** How a pipeline ends. */
    enum End
    {
        /** It waits for what is outstanding, commits, and leaves the group. */
        CLOSED,
        /** It closes both clients without waiting. */
        CLOSED_AT_ONCE,
        /** Its thread ends with both clients open, as that of a process that is killed. */
        DEAD
    }

    private static final int RECORD_LIMIT = 200;
    private static final int REQUEST_TIMEOUT_MS = 2_000;
    private static final int REVOCATION_MS = 10_000;
    private static final int LEAST_INTERVAL_MS = 50;
    private static final int BATCHES = 64;
    private static final long END_MS = TimeUnit.SECONDS.toMillis(60);

    private final ChaosCluster cluster;
    private final boolean isAcknowledgingEarly;
    private final PipelineLedger ledger;
    private final Poller poller = TopicConsumer.openPoller(TransportType.AUTO);
    private final UnsafeBuffer key = new UnsafeBuffer(new byte[Integer.BYTES]);
    private final Compression compression;
    private final int batchLength;
    private final int deliveryTimeoutMs;
    private final int barrierMs;
    private final int commitMs;
    private final Thread thread;
    private TopicConsumer consumer;
    private Publisher publisher;
    private TopicPublisher output;
    private InputBarrier barrier;
    private boolean isGivenUp;
    /** Set by the run, read by the thread. */
    private volatile End end;
    /** Set by the run, cleared by the thread. */
    private volatile int stopMs;
    /** Set by the thread, read by the run. */
    private volatile String lastError = "";

    /**
     * Starts the thread.
     *
     * @param random               draws the settings.
     * @param isAcknowledgingEarly a defect: the input is acknowledged before its output.
     */
    PipelineMember(
        final ChaosCluster cluster, final String name, final Random random, final boolean isAcknowledgingEarly)
    {
        this.cluster = cluster;
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

    /** Has the thread do nothing for a while. */
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
        try
        {
            thread.join(END_MS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive())
        {
            throw new IllegalStateException(ledger.name() + " does not end: " + lastError);
        }
        free(0);
    }

    private void run()
    {
        try
        {
            connect();
            while (end == null && !isGivenUp)
            {
                workOrWait();
                if (stopMs > 0)
                {
                    GroupFault.pause(stopMs);
                    stopMs = 0;
                }
            }
            if (end != End.DEAD)
            {
                free(end == End.CLOSED ? TimeUnit.MILLISECONDS.toNanos(END_MS) / 3 : 0);
            }
        }
        catch (final Throwable ex)
        {
            ledger.problems().add(ledger.name() + " has thrown " + ex);
        }
    }

    private void connect()
    {
        consumer = TopicConsumer.connect(ChaosTopic.readerContext(cluster, ChaosPipeline.INPUT)
            .startPosition(StartPosition.earliest())
            .poller(poller)
            .requestTimeoutMs(REQUEST_TIMEOUT_MS)
            .listener(this)
            .errorHandler(this::onError)
            .group(new GroupSettings(ChaosPipeline.GROUP)
                .revocationTimeoutMs(REVOCATION_MS)
                .commitPolicy(CommitPolicy.acknowledged(commitMs))));
        publisher = Publisher.connect(new PublisherContext()
            .bootstrapServers(cluster.connection().get("bootstrap.servers"))
            .poller(poller)
            .compression(compression)
            .batchLength(batchLength)
            .bufferMemory(BATCHES * batchLength)
            .requestTimeoutMs(REQUEST_TIMEOUT_MS)
            .connectTimeoutMs(REQUEST_TIMEOUT_MS)
            .deliveryTimeoutMs(deliveryTimeoutMs)
            .metadataMaxAgeMs(1_000)
            .listener(this)
            .errorHandler(this::onError));
        output = publisher.topic(ChaosPipeline.OUTPUT);
        barrier = publisher.inputBarrier(consumer.group().acknowledgements(), barrierMs);
    }

    private void workOrWait()
    {
        if (consumer.controlledPoll(this, RECORD_LIMIT) + publisher.doWork() == 0)
        {
            final long nowNs = System.nanoTime();
            poller.await(Math.max(1, Math.min(consumer.nextDeadlineNs() - nowNs, publisher.nextDeadlineNs() - nowNs)));
        }
    }

    private void free(final long timeoutNs)
    {
        if (publisher != null)
        {
            publisher.close(timeoutNs);
        }
        if (consumer != null)
        {
            consumer.close(timeoutNs);
        }
        poller.close();
    }

    private void onError(final Throwable error)
    {
        lastError = error.toString();
    }

    @Override
    public Action onRecord(final Record record)
    {
        final int partition = record.partition();
        key.putInt(0, partition);
        final int to = output.partitionForKey(key, 0, Integer.BYTES);
        final long position = to < 0 ? to : output.offer(to, key, 0, Integer.BYTES,
            record.buffer(), record.valueIndex(), record.valueLength());
        if (position < 0)
        {
            return Action.ABORT;
        }
        final int epoch = record.ownershipEpoch();
        ledger.onPublished(new PipelineLedger.Publication(partition,
            ChaosRecord.sequence(partition, record.buffer(), record.valueIndex(), record.valueLength()),
            epoch, to, System.nanoTime()), position);
        if (isAcknowledgingEarly)
        {
            consumer.group().acknowledgements().acknowledge(partition, epoch, record.offset() + 1);
        }
        else
        {
            barrier.processed(partition, epoch, record.offset() + 1);
        }
        return Action.CONTINUE;
    }

    @Override
    public void onAcknowledged(
        final String topic, final int partition, final long firstPosition, final int count, final long baseOffset)
    {
        ledger.onAcknowledged(partition, firstPosition, count, baseOffset);
    }

    @Override
    public void onFailed(final FailedBatch batch)
    {
        ledger.onFailed(batch.partition(), batch.firstPosition(), batch.count(), batch.isMaybeWritten());
        isGivenUp = true;
    }

    @Override
    public void onPartitionAssigned(final int partition, final long nextOffset)
    {
        ledger.onAssigned(partition);
    }

    @Override
    public void onPartitionRevoked(final int partition, final long committedOffset)
    {
        ledger.onRevoked(partition, committedOffset, System.nanoTime());
    }

    @Override
    public void onPartitionLost(final int partition, final long nextOffset)
    {
        ledger.onLost(partition);
    }

    @Override
    public void onAcknowledgementRefused(final int partition, final long acknowledgedOffset, final long nextOffset)
    {
        ledger.problems().add(ledger.name() + " has acknowledged offset " + acknowledgedOffset + " of partition " +
            partition + ", which is refused: its next offset is " + nextOffset);
    }
}
