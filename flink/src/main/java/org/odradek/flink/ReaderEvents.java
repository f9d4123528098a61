// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.agrona.ErrorHandler;
import org.apache.flink.util.FlinkRuntimeException;
import org.odradek.client.AuthenticationException;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GapReason;
import org.odradek.consumer.handler.StopReason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the events and the errors of a reader's consumer. A partition that has stopped and credentials that a broker has
 * refused fail the task, because otherwise the job would continue without these records.
 */
final class ReaderEvents implements ConsumerListener, ErrorHandler
{
    private static final Logger LOG = LoggerFactory.getLogger(ReaderEvents.class);

    private final String topic;
    private Throwable lastError;
    private FlinkRuntimeException failure;

    ReaderEvents(final String topic)
    {
        this.topic = topic;
    }

    void rethrow()
    {
        if (failure != null)
        {
            throw failure;
        }
    }

    @Override
    public void onError(final Throwable error)
    {
        lastError = error;
        LOG.warn("Topic {}: {}", topic, error.getMessage(), error.getCause());
        if (error instanceof AuthenticationException)
        {
            failure = new FlinkRuntimeException("Topic " + topic + " cannot be read: " + error.getMessage(), error);
        }
    }

    @Override
    public void onPartitionStopped(
        final int partition, final long nextOffset, final StopReason reason, final short errorCode)
    {
        failure = new FlinkRuntimeException("Partition " + partition + " of topic " + topic + " cannot be read from " +
            "offset " + nextOffset + " on" + (lastError == null ? "." : ": " + lastError.getMessage()), lastError);
    }

    @Override
    public void onGap(final int partition, final long fromOffset, final long toOffset, final GapReason reason)
    {
        LOG.warn("Partition {} of topic {}: offsets {} to {} are skipped ({}).", partition, topic, fromOffset,
            toOffset - 1, reason);
    }

    @Override
    public void onReset(final int partition, final long fromOffset, final long toOffset)
    {
        LOG.warn("Partition {} of topic {}: the log does not hold offset {}, continuing at {}.", partition, topic,
            fromOffset, toOffset);
    }

    @Override
    public void onTruncation(
        final int partition, final long nextOffset, final long divergentOffset, final int leaderEpoch)
    {
        LOG.warn("Partition {} of topic {}: records before offset {} have been emitted, and the log of the new " +
            "leader differs from offset {} on.", partition, topic, nextOffset, divergentOffset);
    }

    @Override
    public void onAuthenticationFailed(
        final int nodeId, final String address, final String mechanism, final String reason)
    {
        LOG.warn("Topic {}: broker {} at {} has refused {}: {}", topic, nodeId, address, mechanism, reason);
    }

    @Override
    public void onConnectionLost(final int nodeId, final String address, final String reason)
    {
        LOG.info("Topic {}: the connection to broker {} at {} was lost: {}", topic, nodeId, address, reason);
    }

    @Override
    public void onRebootstrap(final String reason)
    {
        LOG.info("Topic {}: the cluster is looked up again from the bootstrap servers: {}", topic, reason);
    }
}
