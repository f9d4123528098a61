// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.protocol.ApiKey;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A poller whose sockets are connected to a broker in memory. The broker responds to one consumer with the frames of
 * one run. It sends a frame only if the consumer is at the offsets that the capturing consumer requested. Otherwise it
 * does not respond, and {@link #isWaiting()} returns true until the consumer has been moved.
 */
final class ReplayBroker implements Poller
{
    private static final int NONE = -1;

    private final CapturedFrames frames;
    private final ReplayPlan plan;
    private final int runEnd;
    private final int fetchVersion;
    private final ByteBuffer emptyFetch;
    private final ByteBuffer metadata;
    private TopicConsumer consumer;
    private int step;
    private int arrangedStep = NONE;
    private boolean isEmptyFetchDue;
    private boolean isWaiting;
    private boolean isStalled;
    private long fetchReads;

    ReplayBroker(final CapturedFrames frames, final ReplayPlan plan, final int step, final int runEnd)
    {
        this.frames = frames;
        this.plan = plan;
        this.step = step;
        this.runEnd = runEnd;
        fetchVersion = frames.version(plan.frame(step));
        emptyFetch = ReplayAnswers.emptyFetch(fetchVersion);
        metadata = ReplayAnswers.metadata(frames, plan.frame(step), plan.partitionCount(step, runEnd));
    }

    void consumer(final TopicConsumer newConsumer)
    {
        consumer = newConsumer;
    }

    int step()
    {
        return step;
    }

    void step(final int newStep)
    {
        step = newStep;
        arrangedStep = NONE;
    }

    int runEnd()
    {
        return runEnd;
    }

    /** Returns true if the consumer has tried to read a Fetch response and the broker has none for it. */
    boolean isWaiting()
    {
        return isWaiting;
    }

    long fetchReads()
    {
        return fetchReads;
    }

    boolean isStalled()
    {
        return isStalled;
    }

    /** Returns true if a partition has stopped in this run. The consumer is then moved for each step. */
    boolean hasStopped()
    {
        return consumer.counters().get(ConsumerCounters.PARTITIONS_STOPPED) > 0;
    }

    void onStalled()
    {
        isWaiting = true;
        isStalled = true;
    }

    /**
     * Notes that the consumer has been prepared for the next step.
     *
     * @param isMoved true if the outstanding request is answered with an empty response, because it is for other
     *                offsets.
     */
    void onArranged(final boolean isMoved)
    {
        arrangedStep = step;
        isEmptyFetchDue = isMoved;
        isWaiting = false;
        isStalled = false;
    }

    private boolean isReadyForStep()
    {
        if (step == arrangedStep)
        {
            return true;
        }
        final int frame = plan.frame(step);
        boolean isReady = plan.unwanted(step).length == 0 && !hasStopped();
        for (int set = 0; isReady && set < frames.setCount(frame); set++)
        {
            final int partition = frames.partition(frame, set);
            isReady = !consumer.isPaused(partition) &&
                consumer.nextOffset(partition) == frames.fetchOffset(frame, set);
        }
        return isReady;
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
    {
        return new Socket();
    }

    @Override
    public int await(final long timeoutNs)
    {
        return 1;
    }

    @Override
    public void wakeup()
    {
    }

    @Override
    public String description()
    {
        return "replay";
    }

    @Override
    public void close()
    {
    }

    private final class Socket implements PolledSocket
    {
        private static final int API_KEY_INDEX = 4;
        private static final int VERSION_INDEX = 6;
        private static final int CORRELATION_ID_INDEX = 8;

        private boolean isResponseDue;
        private short apiKey;
        private short version;
        private int correlationId;
        private ByteBuffer response;
        private int responseIndex;
        private int responseLength;
        private int copied;

        @Override
        public boolean connect(final InetSocketAddress address)
        {
            return true;
        }

        @Override
        public boolean finishConnect()
        {
            return true;
        }

        @Override
        public int send(final ByteBuffer buffer)
        {
            final int from = buffer.position();
            apiKey = buffer.getShort(from + API_KEY_INDEX);
            version = buffer.getShort(from + VERSION_INDEX);
            correlationId = buffer.getInt(from + CORRELATION_ID_INDEX);
            isResponseDue = true;
            copied = 0;
            buffer.position(buffer.limit());
            return buffer.limit() - from;
        }

        @Override
        public int receive(final ByteBuffer buffer)
        {
            if (!isResponseDue || copied == 0 && !respond())
            {
                return NOTHING;
            }
            final int from = buffer.position();
            final int length = Math.min(buffer.remaining(), responseLength - copied);
            buffer.put(from, response, responseIndex + copied, length);
            if (copied == 0)
            {
                ReplayAnswers.adapt(buffer, from, length, apiKey, version, correlationId);
            }
            copied += length;
            isResponseDue = copied < responseLength;
            buffer.position(from + length);
            return length;
        }

        private boolean respond()
        {
            if (apiKey == ApiKey.FETCH.key())
            {
                return respondToFetch();
            }
            if (apiKey == ApiKey.METADATA.key())
            {
                return respond(metadata, 0, metadata.limit());
            }
            if (apiKey == ApiKey.API_VERSIONS.key())
            {
                final ByteBuffer versions = ReplayAnswers.versions(version, fetchVersion);
                return respond(versions, 0, versions.limit());
            }
            throw new IllegalStateException("the replay has no response to a request with API key " + apiKey);
        }

        private boolean respondToFetch()
        {
            fetchReads++;
            if (isEmptyFetchDue)
            {
                isEmptyFetchDue = false;
                return respond(emptyFetch, 0, emptyFetch.limit());
            }
            isWaiting = step == runEnd || !isReadyForStep();
            if (isWaiting)
            {
                return false;
            }
            final int frame = plan.frame(step++);
            return respond(frames.memory(), frames.frameIndex(frame), frames.frameLength(frame));
        }

        private boolean respond(final ByteBuffer from, final int index, final int length)
        {
            response = from;
            responseIndex = index;
            responseLength = length;
            return true;
        }

        @Override
        public void readInterest(final boolean on)
        {
        }

        @Override
        public void writeInterest(final boolean on)
        {
        }

        @Override
        public boolean isReady()
        {
            return isResponseDue;
        }

        @Override
        public void clearReady()
        {
        }

        @Override
        public int receiveBufferLength()
        {
            return 0;
        }

        @Override
        public void close()
        {
            isResponseDue = false;
        }
    }
}
