// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.agrona.DirectBuffer;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.net.BrokerConnection;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.status.ConsumerCounters;

/**
 * Passes the responses of one broker to the {@link FetchFrameHandler}, if there is one.
 */
final class FetchCapture implements FetchFrameHandler.Frame
{
    private final int nodeId;
    private final ConsumerEnvironment environment;
    private final FetchTopic topic;
    private final FetchSession session;
    private final BrokerConnection connection;
    private final FetchFrame frame;
    private int fetchVersion;
    private int partitionCount;

    FetchCapture(
        final int nodeId,
        final ConsumerEnvironment environment,
        final FetchTopic topic,
        final FetchSession session,
        final BrokerConnection connection,
        final FetchFrame frame)
    {
        this.nodeId = nodeId;
        this.environment = environment;
        this.topic = topic;
        this.session = session;
        this.connection = connection;
        this.frame = frame;
    }

    /**
     * Called when a response has been read as far as possible. An oversized response is left out: it is not complete in
     * memory, and its error has been reported.
     *
     * @param deliverable how many partitions of the frame will be delivered.
     */
    void onResponse(final int version, final int deliverable)
    {
        final FetchFrameHandler handler = environment.frameHandler();
        if (handler != null && !connection.isResponseOversized())
        {
            fetchVersion = version;
            partitionCount = deliverable;
            environment.counters().add(handler.onFrame(this) ?
                ConsumerCounters.FRAMES_CAPTURED : ConsumerCounters.FRAMES_NOT_CAPTURED, 1);
        }
    }

    @Override
    public int nodeId()
    {
        return nodeId;
    }

    @Override
    public int fetchVersion()
    {
        return fetchVersion;
    }

    @Override
    public long topicIdMostSignificantBits()
    {
        return topic.idMostSignificantBits();
    }

    @Override
    public long topicIdLeastSignificantBits()
    {
        return topic.idLeastSignificantBits();
    }

    @Override
    public int partitionCount()
    {
        return partitionCount;
    }

    @Override
    public int partition(final int i)
    {
        return frame.partition(i);
    }

    @Override
    public long requestedOffset(final int i)
    {
        return session.offset(frame.partition(i));
    }

    @Override
    public DirectBuffer buffer()
    {
        return connection.responseMemory().buffer();
    }

    @Override
    public int index()
    {
        return 0;
    }

    @Override
    public int length()
    {
        return connection.responseLimit();
    }
}
