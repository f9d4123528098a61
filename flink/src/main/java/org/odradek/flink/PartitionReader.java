// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.Collector;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.UserCodeClassLoader;
import org.odradek.consumer.BoundedReplay;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupOffsets;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.record.Record;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A consumer as a reader of Flink. The thread of the task polls it, and its handler converts records to elements and
 * calls the operators that are chained to the source. One call of {@link #pollNext} emits records for about {@link
 * #EMIT_NS}, because a checkpoint's barrier waits for its end.
 *
 * @param <T> the type of the elements.
 */
final class PartitionReader<T> implements SourceReader<T, PartitionSplit>
{
    private static final Logger LOG = LoggerFactory.getLogger(PartitionReader.class);
    private static final long EMIT_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** How many records are emitted between two reads of the clock. */
    private static final int RECORDS_PER_CLOCK = 64;
    /** How many polls that emit records there are between two updates of the metrics. */
    private static final int POLLS_PER_UPDATE = 64;
    /** Longer than the consumer waits for anything. */
    private static final long FAR_NS = TimeUnit.HOURS.toNanos(1);
    /** How long a close waits for offsets to be committed. */
    private static final long COMMIT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(2);

    private final String topic;
    private final RecordDeserializer<T> deserializer;
    private final ReaderPoller poller;
    private final ReaderEvents events;
    private final TopicConsumer consumer;
    /** Null if the source is unbounded. */
    private final BoundedReplay replay;
    /** Null if nothing is committed. */
    private final GroupOffsets commits;
    private final ReaderMetrics metrics;
    private final Emitter emitter = new Emitter();
    /** The offsets of each checkpoint that is not complete, by partition. */
    private final TreeMap<Long, long[]> uncommitted = new TreeMap<>();

    private boolean isNoMoreSplits;
    private boolean hasNewSplits;
    private int pollsToUpdate;
    private CompletableFuture<Void> available = CompletableFuture.completedFuture(null);
    /** By partition; null where there is none. */
    private PartitionSplit[] splits = {};
    private final List<SourceOutput<T>> outputs = new ArrayList<>();
    /** By partition: the end of a range that has been read, else -1. */
    private long[] finishedOffsets = {};

    private PartitionReader(
        final OdradekSource<T> source, final SourceReaderContext context, final ReaderPoller poller) throws Exception
    {
        topic = source.topic();
        this.poller = poller;
        events = new ReaderEvents(topic);
        deserializer = source.deserializer();
        deserializer.open(initialization(context));
        final ConsumerContext settings = source.newContext(Integer.toString(context.getIndexOfSubtask()))
            .poller(poller)
            .listener(events)
            .errorHandler(events)
            .handlerErrorPolicy(HandlerErrorPolicy.STOP);
        consumer = TopicConsumer.connect(settings);
        try
        {
            poller.onIdle(consumer::wakeup);
            replay = source.isBounded() ? new BoundedReplay(consumer) : null;
            commits = source.isCommitting() ? consumer.groupOffsets(source.groupId()) : null;
            metrics = new ReaderMetrics(context.metricGroup(), consumer.counters());
            LOG.info("Reader {} of topic {} uses {} bytes of direct memory.", context.getIndexOfSubtask(), topic,
                settings.memoryBudget());
        }
        catch (final RuntimeException | Error ex)
        {
            consumer.close(0);
            throw ex;
        }
    }

    /** Creates a reader. If it fails, nothing stays open. */
    static <T> PartitionReader<T> open(final OdradekSource<T> source, final SourceReaderContext context)
        throws Exception
    {
        final ReaderPoller poller = new ReaderPoller();
        try
        {
            return new PartitionReader<>(source, context, poller);
        }
        catch (final Exception | Error ex)
        {
            poller.close();
            throw ex;
        }
    }

    private static DeserializationSchema.InitializationContext initialization(final SourceReaderContext context)
    {
        return new DeserializationSchema.InitializationContext()
        {
            @Override
            public MetricGroup getMetricGroup()
            {
                return context.metricGroup().addGroup("deserializer");
            }

            @Override
            public UserCodeClassLoader getUserCodeClassLoader()
            {
                return context.getUserCodeClassLoader();
            }
        };
    }

    @Override
    public void start()
    {
    }

    @Override
    public InputStatus pollNext(final ReaderOutput<T> output) throws Exception
    {
        if (hasNewSplits)
        {
            openOutputs(output);
        }
        final int records = poll();
        emitter.rethrow();
        events.rethrow();
        if (replay != null)
        {
            finishSplits(output);
        }
        if (records > 0)
        {
            metrics.onRecords(records, emitter.bytes);
            if (--pollsToUpdate <= 0)
            {
                updateMetrics();
            }
            return InputStatus.MORE_AVAILABLE;
        }
        updateMetrics();
        if (isNoMoreSplits && replay != null && replay.isDone())
        {
            // Never complete: a HybridSource goes on asking until all readers have ended.
            available = new CompletableFuture<>();
            return InputStatus.END_OF_INPUT;
        }
        available = poller.whenReady();
        return InputStatus.NOTHING_AVAILABLE;
    }

    private int poll()
    {
        poller.beginPoll();
        emitter.begin();
        return replay == null || replay.isDone() ?
            consumer.controlledPoll(emitter, Integer.MAX_VALUE, FAR_NS) :
            replay.controlledPoll(emitter, Integer.MAX_VALUE, FAR_NS);
    }

    private void openOutputs(final ReaderOutput<T> output)
    {
        for (final PartitionSplit split : splits)
        {
            if (split != null && outputs.get(split.partition()) == null)
            {
                outputs.set(split.partition(), output.createOutputForSplit(split.splitId()));
            }
        }
        hasNewSplits = false;
    }

    private void finishSplits(final ReaderOutput<T> output)
    {
        for (int p = 0; p < splits.length; p++)
        {
            if (splits[p] != null && replay.isDone(p))
            {
                output.releaseOutputForSplit(splits[p].splitId());
                outputs.set(p, null);
                // A split may begin after its end, and an offset that the group has committed must not decrease.
                finishedOffsets[p] = Math.max(splits[p].nextOffset(), splits[p].endOffset());
                metrics.onFinished(p, finishedOffsets[p]);
                splits[p] = null;
            }
        }
    }

    private void updateMetrics()
    {
        pollsToUpdate = POLLS_PER_UPDATE;
        metrics.update(consumer, commits);
    }

    @Override
    public CompletableFuture<Void> isAvailable()
    {
        return available;
    }

    @Override
    public void addSplits(final List<PartitionSplit> newSplits)
    {
        for (final PartitionSplit split : newSplits)
        {
            if (!split.topic().equals(topic))
            {
                throw new FlinkRuntimeException("The state of the source is of topic " + split.topic() +
                    ", and the source reads topic " + topic + ": give it another uid.");
            }
            final int partition = split.partition();
            reserve(partition + 1);
            splits[partition] = split;
            metrics.addPartition(split);
            if (replay == null)
            {
                consumer.assign(partition, StartPosition.offset(split.nextOffset()));
            }
            else
            {
                replay.range(partition, StartPosition.offset(split.nextOffset()), split.endOffset());
            }
        }
        hasNewSplits = true;
        poller.wake();
    }

    private void reserve(final int count)
    {
        if (count > splits.length)
        {
            final int before = splits.length;
            splits = Arrays.copyOf(splits, count);
            finishedOffsets = Arrays.copyOf(finishedOffsets, count);
            Arrays.fill(finishedOffsets, before, count, GroupOffsets.NULL_OFFSET);
            while (outputs.size() < count)
            {
                outputs.add(null);
            }
        }
    }

    @Override
    public void notifyNoMoreSplits()
    {
        isNoMoreSplits = true;
        poller.wake();
    }

    @Override
    public void pauseOrResumeSplits(final Collection<String> splitsToPause, final Collection<String> splitsToResume)
    {
        for (final String id : splitsToPause)
        {
            final int partition = PartitionSplit.partition(id);
            if (consumer.isAssigned(partition))
            {
                consumer.pause(partition);
            }
        }
        for (final String id : splitsToResume)
        {
            final int partition = PartitionSplit.partition(id);
            if (consumer.isAssigned(partition))
            {
                consumer.resume(partition);
            }
        }
        poller.wake();
    }

    @Override
    public List<PartitionSplit> snapshotState(final long checkpointId)
    {
        final List<PartitionSplit> state = new ArrayList<>();
        final long[] offsets = finishedOffsets.clone();
        for (int p = 0; p < splits.length; p++)
        {
            if (splits[p] != null)
            {
                offsets[p] = consumer.nextOffset(p);
                state.add(splits[p].from(offsets[p]));
            }
        }
        if (commits != null)
        {
            uncommitted.put(checkpointId, offsets);
        }
        return state;
    }

    @Override
    public void notifyCheckpointComplete(final long checkpointId)
    {
        final long[] offsets = uncommitted.remove(checkpointId);
        if (offsets != null)
        {
            uncommitted.headMap(checkpointId).clear();
            for (int p = 0; p < offsets.length; p++)
            {
                if (commits.errorCode(p) != ErrorCode.NONE)
                {
                    LOG.warn("The commit of partition {} of topic {} under group {} failed: {}.", p, topic,
                        commits.groupId(), ErrorCode.name(commits.errorCode(p)));
                }
                // An offset that has not changed, too: brokers delete what is not committed again for long.
                if (offsets[p] >= 0)
                {
                    commits.commitAsync(p, offsets[p]);
                }
            }
            // While the reader is ahead of other sources (watermark alignment), Flink does not call pollNext.
            poller.beginPoll();
            consumer.await(commits::areCommitsDone, FAR_NS);
            poller.wake();
        }
    }

    @Override
    public void close() throws ExecutionException
    {
        try
        {
            if (commits != null)
            {
                awaitCommits();
            }
        }
        finally
        {
            try
            {
                // The commits have had their time, and the poller does not wait.
                consumer.close(0);
            }
            finally
            {
                poller.close();
            }
        }
    }

    /** Waits for the commit of the last checkpoint, which may be that of the savepoint with which the job stops. */
    private void awaitCommits() throws ExecutionException
    {
        final long deadlineNs = System.nanoTime() + COMMIT_TIMEOUT_NS;
        long remainingNs = COMMIT_TIMEOUT_NS;
        boolean isCommitted = false;
        while (!isCommitted && remainingNs > 0 && !Thread.currentThread().isInterrupted())
        {
            poller.beginPoll();
            isCommitted = consumer.await(commits::areCommitsDone, FAR_NS);
            try
            {
                if (!isCommitted)
                {
                    poller.whenReady().get(remainingNs, TimeUnit.NANOSECONDS);
                }
            }
            catch (final TimeoutException | InterruptedException ex)
            {
                LOG.debug("The wait for the commit of offsets has ended early.", ex);
                break;
            }
            remainingNs = deadlineNs - System.nanoTime();
        }
        if (!isCommitted)
        {
            LOG.warn("The reader of topic {} is closed before its last offsets were committed under group {}.", topic,
                commits.groupId());
        }
    }

    /** Receives the records of a poll, and the elements that the deserializer emits for each. */
    private final class Emitter implements ControlledRecordHandler, Collector<T>
    {
        private long bytes;
        private long timestamp;
        private long endNs;
        private int recordsToClock;
        private boolean isCollecting;
        private SourceOutput<T> output;
        private Exception failure;

        private void begin()
        {
            bytes = 0;
            endNs = System.nanoTime() + EMIT_NS;
            recordsToClock = RECORDS_PER_CLOCK;
        }

        @Override
        public Action onRecord(final Record record)
        {
            output = outputs.get(record.partition());
            timestamp = record.timestamp();
            bytes += Math.max(0, record.keyLength()) + Math.max(0, record.valueLength());
            try
            {
                deserializer.deserialize(record, this);
            }
            catch (final Exception ex)
            {
                onFailed(record, ex);
            }
            return failure == null && !isTimeUp() ? Action.CONTINUE : Action.BREAK;
        }

        private boolean isTimeUp()
        {
            if (--recordsToClock > 0)
            {
                return false;
            }
            recordsToClock = RECORDS_PER_CLOCK;
            return System.nanoTime() - endNs >= 0;
        }

        @Override
        public void collect(final T element)
        {
            isCollecting = true;
            output.collect(element, timestamp);
            isCollecting = false;
        }

        /** An exception of the operators after the source is rethrown unchanged. */
        private void onFailed(final Record record, final Exception ex)
        {
            failure = ex;
            if (!isCollecting)
            {
                metrics.onFailedRecord();
                failure = new FlinkRuntimeException("The record at offset " + record.offset() + " of partition " +
                    record.partition() + " of topic " + topic + " cannot be deserialized: " + ex.getMessage(), ex);
            }
        }

        private void rethrow() throws Exception
        {
            if (failure != null)
            {
                throw failure;
            }
        }

        @Override
        public void close()
        {
        }
    }
}
