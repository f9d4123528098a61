// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.core.PerPartition;

/**
 * The last requested offset of each partition of one connection, and the fetch session in which the broker remembers
 * these offsets (KIP-227). A request has the id and the epoch of the session:
 * <pre>
 *  request (0, 0)    full: lists all fetchable partitions and asks for a session
 *  request (0, -1)   full, without a session
 *  request (id, n)   incremental: lists only partitions that are new, changed or forgotten; n is 1, 2, ..., and 1
 *                    again after 2^31-1
 *  request (id, 0)   full: ends that session and asks for another
 *  request (id, -1)  full: ends that session and asks for no other
 * </pre>
 * A broker that answers a full request with id 0 grants no session.
 */
final class FetchSession
{
    static final int NULL_ID = 0;
    static final int INITIAL_EPOCH = 0;
    static final int FINAL_EPOCH = -1;

    private static final int FIRST_VERSION = 7;
    private static final int FIRST_VERSION_WITH_TOPIC_ID = 13;

    private final int minPartitions;
    int id = NULL_ID;
    int epoch = INITIAL_EPOCH;
    private boolean isRefused;
    boolean isLastFull = true;
    private boolean isWithTopicId;
    private int topicChanges;
    private int responseId;
    /** A number that increases when all partitions are dropped. */
    private long round = 1;
    int heldCount;
    int laggingCount;
    private final PerPartition<Slot> slots = new PerPartition<>(Slot::new);

    private static final class Slot
    {
        /** The round in which the partition was requested last; 0 after it was dropped. */
        private long heldIn;
        private long offset;
        private int leaderEpoch;
        private int generation;
        private int responseId;
        private boolean isLagging;
    }

    /**
     * @param minPartitions the least number of partitions with which a session is used; {@link Integer#MAX_VALUE} for
     *                      never.
     */
    FetchSession(final int minPartitions)
    {
        this.minPartitions = minPartitions;
    }

    void ensureCapacity(final int capacity)
    {
        slots.ensureSize(capacity);
    }

    /** @return true if the next request is incremental. */
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
        assert isConsistent();
        return epoch > INITIAL_EPOCH;
    }

    void dropAll()
    {
        round++;
        heldCount = 0;
        laggingCount = 0;
    }

    void drop(final int partition)
    {
        lagging(partition, false);
        slots.get(partition).heldIn = 0;
        heldCount--;
        assert isConsistent();
    }

    void hold(final int partition, final long offset, final int leaderEpoch, final int generation)
    {
        final Slot slot = slots.get(partition);
        if (!holds(partition))
        {
            heldCount++;
            slot.heldIn = round;
            slot.isLagging = false;
        }
        slot.offset = offset;
        slot.leaderEpoch = leaderEpoch;
        slot.generation = generation;
    }

    void lagging(final int partition, final boolean isLagging)
    {
        final Slot slot = slots.get(partition);
        if (holds(partition) && slot.isLagging != isLagging)
        {
            slot.isLagging = isLagging;
            laggingCount += isLagging ? 1 : -1;
        }
        assert isConsistent();
    }

    void onSent()
    {
        isLastFull = epoch <= INITIAL_EPOCH;
        // The counts are checked only after a full request, which lists all partitions anyway.
        assert !isLastFull || areCounted();
    }

    /** @return false if the broker has ended the session. */
    boolean onResponse(final int newId)
    {
        responseId++;
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
     * Makes the next request a full one, because the state of the broker's session is not known.
     *
     * @return true if there was a session.
     */
    boolean restart()
    {
        final boolean wasOpen = isOpen();
        responseId++;
        epoch = INITIAL_EPOCH;
        assert isConsistent();
        return wasOpen;
    }

    /** Handles FETCH_SESSION_ID_NOT_FOUND. */
    void onNotFound()
    {
        // If this answers a request for a new session, the broker does not support sessions, whatever its versions.
        isRefused |= id == NULL_ID;
        id = NULL_ID;
    }

    boolean isOpen()
    {
        return id != NULL_ID && epoch > INITIAL_EPOCH;
    }

    boolean holds(final int partition)
    {
        return slots.has(partition) && slots.get(partition).heldIn == round;
    }

    boolean holds(final int partition, final long offset, final int leaderEpoch, final int generation)
    {
        return holds(partition) && offset(partition) == offset && slots.get(partition).leaderEpoch == leaderEpoch &&
            generation(partition) == generation;
    }

    /** Returns true if the partition was requested, and is in the current response for the first time. */
    boolean take(final int partition)
    {
        if (!holds(partition) || isTaken(partition))
        {
            return false;
        }
        slots.get(partition).responseId = responseId;
        return true;
    }

    boolean isTaken(final int partition)
    {
        return slots.get(partition).responseId == responseId;
    }

    long offset(final int partition)
    {
        return slots.get(partition).offset;
    }

    int generation(final int partition)
    {
        return slots.get(partition).generation;
    }

    private boolean isConsistent()
    {
        // Only partitions that are held can lag.
        return laggingCount >= 0 && laggingCount <= heldCount && heldCount <= slots.size() &&
            // Epochs above the first belong to a session that the broker has granted.
            (epoch <= INITIAL_EPOCH || id != NULL_ID);
    }

    private boolean areCounted()
    {
        int held = 0;
        int lagging = 0;
        for (int p = 0; p < slots.size(); p++)
        {
            held += holds(p) ? 1 : 0;
            lagging += holds(p) && slots.get(p).isLagging ? 1 : 0;
        }
        return held == heldCount && lagging == laggingCount;
    }
}
