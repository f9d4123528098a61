// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.ListOffsetsRequestEncoder;

/**
 * What is done when something is wrong with one partition: it stops, or is asked for again after a while; the others
 * go on in either case.
 */
public final class PartitionErrors
{
    private final String topic;
    private final long retryBackoffNs;
    private final OffsetResetPolicy resetPolicy;
    private final PartitionTable table;
    private final ConsumerEnvironment environment;

    /**
     * @param topic          of all partitions.
     * @param retryBackoffNs before a partition is asked for again.
     * @param resetPolicy    what to do where the log does not hold the offset wanted.
     * @param table          of the partitions.
     * @param environment    shared.
     */
    public PartitionErrors(
        final String topic,
        final long retryBackoffNs,
        final OffsetResetPolicy resetPolicy,
        final PartitionTable table,
        final ConsumerEnvironment environment)
    {
        this.topic = topic;
        this.retryBackoffNs = retryBackoffNs;
        this.resetPolicy = resetPolicy;
        this.table = table;
        this.environment = environment;
    }

    ConsumerEnvironment environment()
    {
        return environment;
    }

    public OffsetResetPolicy resetPolicy()
    {
        return resetPolicy;
    }

    /** The timestamp to look up first, as ListOffsets takes it, to reset a partition under the policy. */
    public long resetTimestamp()
    {
        switch (resetPolicy.kind())
        {
            case LATEST:
                return ListOffsetsRequestEncoder.LATEST_TIMESTAMP;
            case BY_DURATION:
                return Math.max(0, System.currentTimeMillis() - resetPolicy.duration().toMillis());
            default:
                return ListOffsetsRequestEncoder.EARLIEST_TIMESTAMP;
        }
    }

    /**
     * A broker answered with an error for a partition.
     *
     * @param nodeId    of the broker.
     * @param partition in error.
     * @param errorCode of the broker.
     */
    public void onBrokerError(final int nodeId, final int partition, final short errorCode)
    {
        environment.counters().add(ConsumerCounters.PARTITION_ERRORS, 1);
        switch (errorCode)
        {
            case ErrorCode.OFFSET_OUT_OF_RANGE:
                onOutOfRange(nodeId, partition);
                break;

            case ErrorCode.TOPIC_AUTHORIZATION_FAILED:
            case ErrorCode.CLUSTER_AUTHORIZATION_FAILED:
            case ErrorCode.GROUP_AUTHORIZATION_FAILED:
                backOff(nodeId, partition, errorCode, true);
                break;

            case ErrorCode.UNKNOWN_SERVER_ERROR:
            case ErrorCode.OFFSET_MOVED_TO_TIERED_STORAGE:
                backOff(nodeId, partition, errorCode, false);
                break;

            case ErrorCode.CORRUPT_MESSAGE:
                stop(nodeId, partition, errorCode, "the broker found its own data corrupt (CORRUPT_MESSAGE)");
                break;

            default:
                if (ErrorCode.isRetriable(errorCode))
                {
                    backOff(nodeId, partition, errorCode, false);
                }
                else
                {
                    stop(nodeId, partition, errorCode, "the broker answered " + ErrorCode.name(errorCode));
                }
        }
        if (ErrorCode.invalidatesMetadata(errorCode))
        {
            table.requestMetadata();
        }
    }

    private void onOutOfRange(final int nodeId, final int partition)
    {
        if (resetPolicy.kind() == OffsetResetPolicy.Kind.FAIL)
        {
            stop(nodeId, partition, ErrorCode.OFFSET_OUT_OF_RANGE,
                "the broker's log does not hold this offset (OFFSET_OUT_OF_RANGE)");
        }
        else
        {
            table.lookUp(partition, resetTimestamp());
        }
    }

    private void backOff(final int nodeId, final int partition, final short errorCode, final boolean isToldUser)
    {
        final boolean isNew = table.backOff(partition, errorCode, environment.clock().nowNs() + retryBackoffNs);
        if (isToldUser && isNew)
        {
            environment.error(where(nodeId, partition) + ": " + ErrorCode.name(errorCode) + "; will ask again.");
        }
    }

    /**
     * The bytes of a partition cannot be what they claim to be.
     *
     * @param nodeId    of the broker they came from.
     * @param partition whose they are.
     * @param what      was found where what was expected.
     */
    void onCorrupt(final int nodeId, final int partition, final String what)
    {
        environment.counters().add(ConsumerCounters.PARTITION_ERRORS, 1);
        stop(nodeId, partition, ErrorCode.UNKNOWN_SERVER_ERROR, what);
    }

    /**
     * A new leader's log parts from the one that was read, and nothing is to be done about it.
     *
     * @param nodeId          of the leader.
     * @param partition       whose log it is.
     * @param divergentOffset where it parts, or -1 where the leader does not know.
     */
    public void onTruncated(final int nodeId, final int partition, final long divergentOffset)
    {
        stop(partition, ErrorCode.UNKNOWN_SERVER_ERROR, where(nodeId, partition) + " stopped: the new leader's log " +
            (divergentOffset < 0 ? "knows nothing of the leader epoch that was read last" :
            "was truncated, and from offset " + divergentOffset + " on is another than the one that was read") +
            "; seek to go on.");
    }

    private void stop(final int nodeId, final int partition, final short errorCode, final String what)
    {
        stop(partition, errorCode, where(nodeId, partition) + " stopped: " + what + "; seek past it to go on.");
    }

    /**
     * Read a partition no further.
     *
     * @param partition an assigned one.
     * @param errorCode of the broker, or -1.
     * @param sentence  for the error handler; null if it has been told why all partitions stop.
     */
    public void stop(final int partition, final short errorCode, final String sentence)
    {
        table.stop(partition, errorCode);
        environment.counters().add(ConsumerCounters.PARTITIONS_STOPPED, 1);
        if (sentence != null)
        {
            environment.error(sentence);
        }
        environment.listener().onPartitionStopped(partition, table.nextOffset(partition), errorCode);
    }

    String where(final int nodeId, final int partition)
    {
        return "Partition " + partition + " of topic " + topic + " at offset " + table.nextOffset(partition) +
            ", from broker " + nodeId + ",";
    }
}
