// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import java.util.Arrays;

/**
 * What one broker has been asked for, by partition, and the fetch session in which it remembers that (KIP-227).
 * <pre>
 *  request (0, 0)    full: all partitions are listed; please begin a session
 *  request (0, -1)   full, and no session; what was asked for is forgotten with the answer
 *  request (id, n)   incremental: only partitions that are new, changed or forgotten; n is 1, 2, ... and after 2^31-1
 *                    comes 1
 *  request (id, 0)   full: end that session, begin another
 *  request (id, -1)  full: end that session, and no other
 * </pre>
 * A broker that answers a full request with id 0 grants no session now.
 */
final class FetchSession
{
    static final int NULL_ID = 0;
    static final int INITIAL_EPOCH = 0;
    static final int FINAL_EPOCH = -1;

    private static final int FIRST_VERSION = 7;
    private static final int FIRST_VERSION_WITH_TOPIC_ID = 13;

    private final int minPartitions;
    private int id = NULL_ID;
    private int epoch = INITIAL_EPOCH;
    private boolean isRefused;
    private boolean isLastFull = true;
    private boolean isWithTopicId;
    private int topicChanges;
    private int answerId;
    private int heldCount;
    private long[] offsets = {};
    private int[] leaderEpochs = {};
    private int[] generations = {};
    private int[] answerIds = {};

    /**
     * @param minPartitions of one broker from which a session is used.
     */
    FetchSession(final int minPartitions)
    {
        this.minPartitions = minPartitions;
    }

    void ensureCapacity(final int capacity)
    {
        final int from = offsets.length;
        if (capacity > from)
        {
            offsets = Arrays.copyOf(offsets, capacity);
            leaderEpochs = Arrays.copyOf(leaderEpochs, capacity);
            generations = Arrays.copyOf(generations, capacity);
            answerIds = Arrays.copyOf(answerIds, capacity);
            Arrays.fill(offsets, from, capacity, PartitionTable.NULL_OFFSET);
        }
    }

    /**
     * Settle how the next request is to be made.
     *
     * @param version        of the request.
     * @param partitionCount that this broker is to be asked for.
     * @return true if it is incremental.
     */
    boolean begin(final int version, final int partitionCount, final int newTopicChanges)
    {
        final boolean isWanted = version >= FIRST_VERSION && !isRefused && partitionCount >= minPartitions;
        final boolean isNewWithTopicId = version >= FIRST_VERSION_WITH_TOPIC_ID;
        if (!isWanted || isWithTopicId != isNewWithTopicId || topicChanges != newTopicChanges || epoch < INITIAL_EPOCH)
        {
            epoch = isWanted ? INITIAL_EPOCH : FINAL_EPOCH;
        }
        isWithTopicId = isNewWithTopicId;
        topicChanges = newTopicChanges;
        return epoch > INITIAL_EPOCH;
    }

    /**
     * A full request is begun: nothing but what it lists will be held.
     *
     * @param slots     partitions that may be held.
     * @param slotCount of them, or a negative number if others may be held too.
     */
    void dropAll(final int[] slots, final int slotCount)
    {
        if (slotCount < 0)
        {
            Arrays.fill(offsets, PartitionTable.NULL_OFFSET);
        }
        for (int slot = 0; slot < slotCount; slot++)
        {
            offsets[slots[slot]] = PartitionTable.NULL_OFFSET;
        }
        heldCount = 0;
    }

    void drop(final int partition)
    {
        offsets[partition] = PartitionTable.NULL_OFFSET;
        heldCount--;
    }

    void hold(final int partition, final long offset, final int leaderEpoch, final int generation)
    {
        heldCount += holds(partition) ? 0 : 1;
        offsets[partition] = offset;
        leaderEpochs[partition] = leaderEpoch;
        generations[partition] = generation;
    }

    void sent()
    {
        isLastFull = epoch <= INITIAL_EPOCH;
    }

    /**
     * A response without error is in.
     *
     * @param newId of the session that the broker tells of.
     * @return false if a session has ended by it.
     */
    boolean answered(final int newId)
    {
        answerId++;
        if (isLastFull)
        {
            id = epoch == INITIAL_EPOCH ? newId : NULL_ID;
            epoch = id == NULL_ID ? INITIAL_EPOCH : 1;
            return true;
        }
        if (newId != id)
        {
            id = NULL_ID;
            epoch = INITIAL_EPOCH;
            return false;
        }
        epoch = epochAfter(epoch);
        return true;
    }

    static int epochAfter(final int epoch)
    {
        return epoch == Integer.MAX_VALUE ? 1 : epoch + 1;
    }

    /**
     * Begin anew with the next request, because it is not known what the broker holds.
     *
     * @return true if there was a session.
     */
    boolean restart()
    {
        final boolean wasOpen = isOpen();
        answerId++;
        epoch = INITIAL_EPOCH;
        return wasOpen;
    }

    /**
     * The broker does not know the session.
     */
    void onNotFound()
    {
        // To a request for a new one: it has no use for sessions, whatever it says of versions.
        isRefused |= id == NULL_ID;
        id = NULL_ID;
    }

    boolean isOpen()
    {
        return id != NULL_ID && epoch > INITIAL_EPOCH;
    }

    boolean isLastFull()
    {
        return isLastFull;
    }

    boolean holds(final int partition)
    {
        return offsets[partition] != PartitionTable.NULL_OFFSET;
    }

    boolean holds(final int partition, final long offset, final int leaderEpoch)
    {
        return offsets[partition] == offset && leaderEpochs[partition] == leaderEpoch;
    }

    /**
     * Find what was asked for of a partition that is in a response, once: what was not asked for, or is there a second
     * time, is not found.
     */
    boolean take(final int partition)
    {
        if (partition < 0 || partition >= offsets.length || !holds(partition) || answerIds[partition] == answerId)
        {
            return false;
        }
        answerIds[partition] = answerId;
        return true;
    }

    /**
     * Whether a partition was in the last response.
     */
    boolean isTaken(final int partition)
    {
        return answerIds[partition] == answerId;
    }

    /**
     * The offset the broker was asked for, or {@link PartitionTable#NULL_OFFSET}.
     */
    long offset(final int partition)
    {
        return offsets[partition];
    }

    /**
     * The partition's generation when it was asked for.
     */
    int generation(final int partition)
    {
        return generations[partition];
    }

    int heldCount()
    {
        return heldCount;
    }

    int id()
    {
        return id;
    }

    int epoch()
    {
        return epoch;
    }

    @Override
    public String toString()
    {
        return isOpen() ? "session " + id + " epoch " + epoch + " holds " + heldCount + " partitions" : "no session";
    }
}
