// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.agrona.concurrent.AgentTerminationException;
import org.odradek.client.ClientException;
import org.odradek.client.cluster.PartitionLeaders;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GapReason;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.handler.StopReason;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.ListOffsetsRequestEncoder;

/**
 * Handles the errors of single partitions: a partition is stopped, reset, or requested again after a backoff, and the
 * other partitions continue.
 */
public final class PartitionErrors
{
    /** The number of errors of a former leader after which the client has asked the other brokers for metadata. */
    private static final int MAX_DOUBTED_ERRORS = 10;

    private final ConsumerSettings settings;
    private final PartitionTable table;
    private final Environment environment;

    public PartitionErrors(final PartitionTable table, final Environment environment)
    {
        settings = environment.settings();
        this.table = table;
        this.environment = environment;
    }

    /** Returns the first timestamp that the reset of a partition looks up, in the form of a ListOffsets request. */
    public long resetTimestamp()
    {
        final OffsetResetPolicy policy = settings.offsetResetPolicy;
        return switch (policy.kind())
        {
            case LATEST -> ListOffsetsRequestEncoder.LATEST_TIMESTAMP;
            case BY_DURATION -> Math.max(0, environment.clock().epochMs() - policy.duration().toMillis());
            default -> ListOffsetsRequestEncoder.EARLIEST_TIMESTAMP;
        };
    }

    public void onBrokerError(final int nodeId, final int partition, final short errorCode)
    {
        environment.counters().add(ConsumerCounters.PARTITION_ERRORS, 1);
        final boolean isFirst = table.partition(partition).isWithoutFailure();
        switch (errorCode)
        {
            case ErrorCode.OFFSET_OUT_OF_RANGE -> onOutOfRange(nodeId, partition);
            case ErrorCode.TOPIC_AUTHORIZATION_FAILED, ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
                ErrorCode.GROUP_AUTHORIZATION_FAILED ->
            {
                if (backOff(partition, errorCode))
                {
                    environment.error(where(nodeId, partition) + ": " + ErrorCode.name(errorCode) +
                        "; will be requested again.");
                }
            }
            case ErrorCode.UNKNOWN_SERVER_ERROR, ErrorCode.OFFSET_MOVED_TO_TIERED_STORAGE ->
                backOff(partition, errorCode);
            case ErrorCode.CORRUPT_MESSAGE -> stop(nodeId, partition, StopReason.CORRUPT_BATCH, errorCode,
                "the broker found its own data corrupt (CORRUPT_MESSAGE); seek past it to continue.");
            default ->
            {
                if (ErrorCode.isRetriable(errorCode))
                {
                    backOff(partition, errorCode);
                }
                else
                {
                    stop(nodeId, partition, StopReason.BROKER_ERROR, errorCode, "the broker answered " +
                        ErrorCode.name(errorCode) + "; seek to try again.");
                }
            }
        }
        requestMetadataAfter(errorCode, isFirst ? PartitionLeaders.Need.FIRST_ERROR : PartitionLeaders.Need.ERROR);
    }

    public void requestMetadataAfter(final short errorCode, final PartitionLeaders.Need need)
    {
        if (ErrorCode.invalidatesMetadata(errorCode) || errorCode == ErrorCode.UNKNOWN_LEADER_EPOCH)
        {
            table.requestMetadata(need);
        }
    }

    private void onOutOfRange(final int nodeId, final int partition)
    {
        final PartitionState state = table.partition(partition);
        if (state.leaderEpoch != PartitionTable.NULL_EPOCH && state.leaderEpoch < state.offsetEpoch &&
            state.backoff.failures() < MAX_DOUBTED_ERRORS)
        {
            // A later leader wrote the record before the offset, so this broker may be cut off from the controllers.
            backOff(partition, ErrorCode.OFFSET_OUT_OF_RANGE);
            table.requestMetadata();
        }
        else if (settings.offsetResetPolicy.kind() == OffsetResetPolicy.Kind.FAIL)
        {
            stop(nodeId, partition, StopReason.OUT_OF_RANGE, ErrorCode.OFFSET_OUT_OF_RANGE,
                "the broker's log does not hold this offset (OFFSET_OUT_OF_RANGE); seek to one from its beginning to " +
                    "its end.");
        }
        else
        {
            table.lookUp(partition, resetTimestamp());
        }
    }

    /** @return true if the error differs from the last one. */
    public boolean backOff(final int partition, final short errorCode)
    {
        return table.backOff(partition, errorCode, environment.clock().nowNs());
    }

    void onOversized(final int nodeId, final int partition, final int length)
    {
        onUnreadable(nodeId, partition, StopReason.TOO_LARGE, "its record set of " + length +
            " bytes does not fit into the receive buffer; raise receiveBufferMaxLength above that");
    }

    void onUnreadable(final int nodeId, final int partition, final StopReason reason, final String flaw)
    {
        environment.counters().add(ConsumerCounters.PARTITION_ERRORS, 1);
        stop(nodeId, partition, reason, ErrorCode.NONE, flaw + "; seek past it to continue.");
    }

    /**
     * Skips a corrupt batch if its end is known, or else stops its partition.
     *
     * @param fromOffset the offset of the first record that will not be delivered.
     * @param toOffset   the first offset after the batch, or {@link PartitionTable#NULL_OFFSET} if it is not known.
     * @return true if the rest of the record set can still be delivered, because the next offset was already after the
     *         batch and the error handler has not moved the partition.
     */
    boolean skipOrStop(
        final int nodeId, final int partition, final long fromOffset, final long toOffset, final String flaw)
    {
        final long highWatermark = table.partition(partition).highWatermark();
        if (toOffset == PartitionTable.NULL_OFFSET || highWatermark >= 0 && toOffset > highWatermark)
        {
            onUnreadable(nodeId, partition, StopReason.CORRUPT_BATCH,
                flaw + "; it cannot be skipped, because its end is not known");
            return false;
        }
        environment.counters().add(ConsumerCounters.PARTITION_ERRORS, 1);
        final String where = where(nodeId, partition);
        if (toOffset <= fromOffset)
        {
            // The offset to request after this batch was taken from its corrupt header.
            table.invalidate(partition);
            final int generation = table.generation(partition);
            environment.error(where + " continues at that offset: " + flaw + ".");
            return table.generation(partition) == generation;
        }
        // The offset is set before the error handler is called, which may seek.
        table.delivered(partition, toOffset, PartitionTable.NULL_EPOCH);
        // The partition is requested again, because the list of aborted transactions may depend on a marker within the
        // batch.
        table.invalidate(partition);
        environment.error(where + " continues at offset " + toOffset + ": " + flaw + ".");
        environment.counters().add(ConsumerCounters.GAPS, 1);
        environment.counters().add(ConsumerCounters.OFFSETS_SKIPPED, toOffset - fromOffset);
        environment.listener().onGap(partition, fromOffset, toOffset, GapReason.CORRUPT_BATCH);
        return false;
    }

    /**
     * @param divergentOffset the first offset at which the logs of the new and the old leader differ, or -1 if it is
     *                        not known.
     */
    public void onTruncated(final int nodeId, final int partition, final long divergentOffset)
    {
        stop(nodeId, partition, StopReason.TRUNCATED, ErrorCode.NONE, "the new leader " + (divergentOffset < 0 ?
            "does not know the leader epoch of the last record that was read" :
            "has truncated its log, which differs from offset " + divergentOffset + " on from the one that was read") +
            "; seek to continue.");
    }

    /**
     * Stops the partitions that have an offset to fetch from or were stopped by the handler, because their offsets
     * belong to the deleted topic.
     */
    public void onTopicRecreated()
    {
        environment.error("Topic " + settings.topic + " was deleted and created again: its offsets refer to other " +
            "records now, so all its partitions stop; seek to go on. A group assigns its partitions again.");
        for (int p = 0; p < table.capacity(); p++)
        {
            if (table.hasFetchOffset(p) || table.partition(p).isStoppedByHandler())
            {
                stop(p, StopReason.TOPIC_RECREATED, ErrorCode.NONE, null);
            }
            else if (table.state(p) == PartitionTable.STOPPED)
            {
                // The partition has been reported as stopped, but its offset refers to the deleted topic now.
                table.stop(p, StopReason.TOPIC_RECREATED, ErrorCode.NONE);
            }
        }
    }

    private void stop(
        final int nodeId, final int partition, final StopReason reason, final short errorCode, final String sentence)
    {
        stop(partition, reason, errorCode, where(nodeId, partition) + " stopped: " + sentence);
    }

    /**
     * @param errorCode the error code that a broker has reported, or 0.
     * @param message   the message for the error handler; null if the error has already been reported.
     */
    public void stop(final int partition, final StopReason reason, final short errorCode, final String message)
    {
        table.stop(partition, reason, errorCode);
        if (message != null)
        {
            environment.error(message);
        }
        onStopped(partition, reason, errorCode);
    }

    private void onStopped(final int partition, final StopReason reason, final short errorCode)
    {
        environment.counters().add(ConsumerCounters.PARTITIONS_STOPPED, 1);
        // The error handler may have sought, resumed or unassigned the partition.
        if (table.state(partition) == PartitionTable.STOPPED)
        {
            environment.listener().onPartitionStopped(partition, table.nextOffset(partition), reason, errorCode);
        }
    }

    private String where(final int nodeId, final int partition)
    {
        return "Partition " + partition + " of topic " + settings.topic + " at offset " + table.nextOffset(partition) +
            ", from broker " + nodeId + ",";
    }

    /** Returns true if the record or batch for which the handler has thrown counts as delivered. */
    boolean isSkipped(final Throwable thrown)
    {
        return settings.handlerErrorPolicy == HandlerErrorPolicy.SKIP && thrown instanceof Exception &&
            !isTermination(thrown);
    }

    static boolean isTermination(final Throwable thrown)
    {
        return thrown instanceof AgentTerminationException;
    }

    /** @return the exception or error that the poll must throw at its end, or null. */
    Throwable onHandlerFailed(
        final int partition, final long baseOffset, final long lastOffset, final Throwable thrown)
    {
        if (isTermination(thrown))
        {
            return thrown;
        }
        final boolean isError = thrown instanceof Error;
        final boolean isSkipped = isSkipped(thrown);
        final boolean isStopped = !isSkipped && table.isAssigned(partition);
        environment.counters().add(ConsumerCounters.HANDLER_ERRORS, 1);
        if (isStopped)
        {
            table.stopByHandler(partition, environment.clock().readNs());
        }
        final Throwable failure = isError ? thrown : new ClientException("The handler failed on " +
            (baseOffset == lastOffset ? "the record at offset " : "the batch at offsets " + baseOffset + " to ") +
            lastOffset + " of partition " + partition + " of topic " + settings.topic +
            (isSkipped ? ", which counts as delivered." : isStopped ? ", which stops at offset " +
            table.nextOffset(partition) + "; resume continues there." : ", which is not assigned any more."), thrown);
        final boolean isThrown = isError || settings.handlerErrorPolicy == HandlerErrorPolicy.THROW;
        if (!isThrown)
        {
            environment.errorHandler().onError(failure);
        }
        if (isStopped)
        {
            onStopped(partition, StopReason.HANDLER, ErrorCode.NONE);
        }
        return isThrown ? failure : null;
    }

    static String crcFlaw(final int computed, final int expected, final long baseOffset)
    {
        return inBatch("CRC " + Integer.toHexString(computed) + " where " + Integer.toHexString(expected) +
            " was expected", baseOffset);
    }

    static String inBatch(final String flaw, final long baseOffset)
    {
        return flaw + ", in the batch at offset " + baseOffset;
    }

    static String inMessage(final String flaw, final long offset)
    {
        return flaw + ", in the message at offset " + offset;
    }
}
