// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.GapReason;
import org.odradek.consumer.handler.StopReason;
import org.odradek.protocol.record.Record;

import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Our consumer on its own thread. It reports every delivery and event to the ledger; the run sends it commands, as a
 * user might.
 */
final class ChaosReader implements AutoCloseable, ControlledRecordHandler, ConsumerListener
{
    private static final long LIMIT_SECONDS = 120;
    private static final long POLL_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int RECORD_LIMIT = 200;
    private static final int BREAK_ONCE_IN = 500;
    private static final int SABOTAGE_AFTER = 1_000;
    private static final int NULL_PARTITION = -1;

    private final ChaosLedger ledger;
    private final ChaosSettings.Sabotage sabotage;
    private final Random random;
    private final TopicConsumer consumer;
    private final Thread thread;
    private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final AtomicInteger refusals = new AtomicInteger();
    private final AtomicInteger slowRecords = new AtomicInteger();
    private final AtomicInteger seeksBack = new AtomicInteger();
    private int sabotagedPartition = NULL_PARTITION;
    private long sabotagedOffset;
    /** Set by the run, read by the thread. */
    private volatile long slowNs;
    /** Set by the run, read by the thread. */
    private volatile boolean isClosed;
    /** Set by the thread, read by the run. */
    private volatile String failure;

    /**
     * @param context with everything set except the listener and the error handler.
     */
    ChaosReader(
        final String name,
        final ConsumerContext context,
        final ChaosLedger ledger,
        final ChaosSettings.Sabotage sabotage,
        final long seed)
    {
        this.ledger = ledger;
        this.sabotage = sabotage;
        random = new Random(seed);
        consumer = TopicConsumer.connect(
            context.listener(this).errorHandler((error) -> ledger.onError(error.getMessage())));
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Runs a command on the consumer's thread between two polls, and returns when it has run. */
    void perform(final Consumer<TopicConsumer> command)
    {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        commands.add(() ->
        {
            try
            {
                command.accept(consumer);
                done.complete(null);
            }
            catch (final RuntimeException ex)
            {
                done.completeExceptionally(ex);
            }
        });
        consumer.wakeup();
        try
        {
            done.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for the consumer's thread.", ex);
        }
        catch (final ExecutionException | TimeoutException ex)
        {
            throw new IllegalStateException("The consumer's thread did not run a command: " +
                (failure == null ? ex.toString() : failure), ex);
        }
    }

    /** The consumer's description of itself, or the reason why there is none. */
    String describe()
    {
        final StringBuilder text = new StringBuilder();
        try
        {
            perform((own) -> text.append(own.describe()));
        }
        catch (final IllegalStateException ex)
        {
            text.append(ex.getMessage());
        }
        return text.toString();
    }

    void refuse(final int count)
    {
        refusals.addAndGet(count);
    }

    /** True if everything requested by {@link #refuse}, {@link #handleSlowly} and {@link #seekBack} is done. */
    boolean isDone()
    {
        return refusals.get() == 0 && slowRecords.get() == 0 && seeksBack.get() == 0;
    }

    void handleSlowly(final int count, final long eachNs)
    {
        slowNs = eachNs;
        slowRecords.addAndGet(count);
    }

    void seekBack(final int count)
    {
        seeksBack.addAndGet(count);
    }

    /** Null while the thread runs normally. */
    String failure()
    {
        return failure;
    }

    private void run()
    {
        try
        {
            while (!isClosed)
            {
                for (Runnable command = commands.poll(); command != null; command = commands.poll())
                {
                    command.run();
                }
                consumer.controlledPoll(this, RECORD_LIMIT, POLL_TIMEOUT_NS);
            }
        }
        catch (final Throwable ex)
        {
            failure = ex.toString();
        }
        finally
        {
            consumer.close();
        }
    }

    @Override
    public Action onRecord(final Record record)
    {
        final int partition = record.partition();
        if (take(slowRecords))
        {
            LockSupport.parkNanos(slowNs);
        }
        if (take(refusals))
        {
            return Action.ABORT;
        }
        final ChaosLedger.Partition own = ledger.partition(partition);
        if (consumer.isPaused(partition))
        {
            own.onFalseEvent();
        }
        report(own, record);
        if (record.offset() > own.base() && take(seeksBack))
        {
            final long offset = record.offset() - random.nextInt((int) Math.min(5_000, record.offset() - own.base()));
            consumer.seek(partition, offset);
            own.onSeek(offset);
        }
        return random.nextInt(BREAK_ONCE_IN) == 0 ? Action.BREAK : Action.CONTINUE;
    }

    private void report(final ChaosLedger.Partition own, final Record record)
    {
        final int partition = record.partition();
        final long sequence =
            ChaosRecord.sequence(partition, record.buffer(), record.valueIndex(), record.valueLength());
        if (sabotage != ChaosSettings.Sabotage.NONE && sabotagedPartition == NULL_PARTITION &&
            own.deliveries() > SABOTAGE_AFTER)
        {
            sabotagedPartition = partition;
            sabotagedOffset = record.offset();
        }
        final boolean isSabotaged = partition == sabotagedPartition && record.offset() == sabotagedOffset;
        if (!isSabotaged || sabotage != ChaosSettings.Sabotage.DROP)
        {
            own.onDelivered(record.offset(), sequence);
        }
        if (isSabotaged && sabotage == ChaosSettings.Sabotage.REPEAT)
        {
            own.onDelivered(record.offset(), sequence);
        }
    }

    private static boolean take(final AtomicInteger count)
    {
        return count.get() > 0 && count.getAndDecrement() > 0;
    }

    @Override
    public void onGap(final int partition, final long fromOffset, final long toOffset, final GapReason reason)
    {
        ledger.partition(partition).onGap(fromOffset, toOffset);
    }

    @Override
    public void onReset(final int partition, final long fromOffset, final long toOffset)
    {
        ledger.partition(partition).onReset(fromOffset, toOffset);
    }

    @Override
    public void onTruncation(
        final int partition, final long nextOffset, final long divergentOffset, final int leaderEpoch)
    {
        ledger.partition(partition).onTruncation(nextOffset);
    }

    @Override
    public void onPartitionStopped(
        final int partition, final long nextOffset, final StopReason reason, final short errorCode)
    {
        ledger.onStopped(partition);
    }

    @Override
    public void close()
    {
        isClosed = true;
        consumer.wakeup();
        try
        {
            thread.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }
}
