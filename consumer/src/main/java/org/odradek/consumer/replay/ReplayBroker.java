// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.replay;

import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.capture.CapturedFrames;
import org.odradek.protocol.ApiKey;

import java.nio.ByteBuffer;

/**
 * A broker that answers one consumer with the frames of one run, one after the other. A frame is given only to a
 * consumer that stands where the one stood that captured it. Where it stands elsewhere, the broker is stuck until it is
 * told that this has been put right. Answering allocates nothing.
 */
final class ReplayBroker
{
    private static final int NONE = -1;

    private final CapturedFrames frames;
    private final ReplayPlan plan;
    private final int runEnd;
    private final int fetchVersion;
    private final ByteBuffer emptyFetch;
    private final ByteBuffer metadata;
    private ByteBuffer versions;
    private int versionsVersion = NONE;
    private TopicConsumer consumer;
    private int place;
    private int arrangedPlace = NONE;
    private boolean isEmptyDue;
    private boolean isStuck;
    private boolean isLost;
    private long looks;
    private ByteBuffer answer;
    private int answerIndex;
    private int answerLength;

    /**
     * @param place  of the first frame to give.
     * @param runEnd the first that is not given.
     */
    ReplayBroker(final CapturedFrames frames, final ReplayPlan plan, final int place, final int runEnd)
    {
        this.frames = frames;
        this.plan = plan;
        this.place = place;
        this.runEnd = runEnd;
        fetchVersion = frames.version(plan.frame(place));
        emptyFetch = ReplayAnswers.emptyFetch(fetchVersion);
        metadata = ReplayAnswers.metadata(frames, plan.frame(place), plan.partitions(place, runEnd));
    }

    void consumer(final TopicConsumer newConsumer)
    {
        consumer = newConsumer;
    }

    /**
     * Answer a request, if there is an answer now.
     *
     * @return false if not.
     */
    boolean answer(final short apiKey, final short version)
    {
        if (apiKey == ApiKey.FETCH.key())
        {
            return answerFetch();
        }
        if (apiKey == ApiKey.METADATA.key())
        {
            return give(metadata, 0, metadata.limit());
        }
        if (apiKey == ApiKey.API_VERSIONS.key())
        {
            if (version != versionsVersion)
            {
                versionsVersion = version;
                versions = ReplayAnswers.versions(version, fetchVersion);
            }
            return give(versions, 0, versions.limit());
        }
        throw new IllegalStateException("nothing was captured that answers a request with API key " + apiKey);
    }

    private boolean answerFetch()
    {
        looks++;
        if (isEmptyDue)
        {
            isEmptyDue = false;
            return give(emptyFetch, 0, emptyFetch.limit());
        }
        isStuck = place == runEnd || !isAwaited();
        if (isStuck)
        {
            return false;
        }
        final int frame = plan.frame(place++);
        return give(frames.memory(), frames.frameIndex(frame), frames.frameLength(frame));
    }

    /**
     * Whether the consumer stands where the frame begins.
     */
    private boolean isAwaited()
    {
        if (place == arrangedPlace)
        {
            return true;
        }
        final int frame = plan.frame(place);
        boolean isAwaited = !plan.isMixed(place);
        for (int set = 0; isAwaited && set < frames.setCount(frame); set++)
        {
            final int partition = frames.partition(frame, set);
            isAwaited = !consumer.isPaused(partition) &&
                consumer.nextOffset(partition) == frames.fetchOffset(frame, set);
        }
        return isAwaited;
    }

    private boolean give(final ByteBuffer from, final int index, final int length)
    {
        answer = from;
        answerIndex = index;
        answerLength = length;
        return true;
    }

    ByteBuffer answer()
    {
        return answer;
    }

    int answerIndex()
    {
        return answerIndex;
    }

    int answerLength()
    {
        return answerLength;
    }

    /**
     * The consumer has asked for more, which there is not, or not yet.
     */
    boolean isStuck()
    {
        return isStuck;
    }

    /**
     * Of the frame to be given next.
     */
    int place()
    {
        return place;
    }

    /**
     * Go on with another frame of the run.
     */
    void place(final int newPlace)
    {
        place = newPlace;
        arrangedPlace = NONE;
    }

    int runEnd()
    {
        return runEnd;
    }

    /**
     * The consumer has been put where the next frame begins.
     *
     * @param isAnew it must ask again first: the request that is on its way is from elsewhere.
     */
    void arranged(final boolean isAnew)
    {
        arrangedPlace = place;
        isEmptyDue = isAnew;
        isStuck = false;
        isLost = false;
    }

    /**
     * The consumer does not ask any more, and must be put somewhere even if it stands there.
     */
    void lost()
    {
        isStuck = true;
        isLost = true;
    }

    boolean isLost()
    {
        return isLost;
    }

    /**
     * How often the answer to a fetch has been looked for.
     */
    long looks()
    {
        return looks;
    }
}
