// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The fetch sessions of a {@link ModelBroker}, kept as brokers keep them (KIP-227): they do not belong to a connection,
 * a full cache evicts only sessions that are idle, or old and smaller than the new one, and partitions that have
 * returned records move to the end.
 */
public final class FetchSessions
{
    static final int FIRST_VERSION = 7;
    static final int FIRST_WITH_TOPIC_IDS = 13;

    private static final int FINAL_EPOCH = -1;
    private static final int DEFAULT_LIMIT = 1_000;
    private static final long EVICTION_NS = 120_000_000_000L;
    /** Spreads the ids as if they were random. */
    private static final long ID_FACTOR = 0x9E3779B97F4A7C15L;

    /** Identifies a partition: the topic is a name, or an id from version 13 on. */
    private record Key(Object topic, int partition)
    {
    }

    /** A partition of a fetch: what is requested, what the session has sent, and the result of the last read. */
    static final class Entry
    {
        final Object topic;
        /** The next entry in the order of the session, or null. */
        Entry next;
        private Entry previous;
        FetchPartition requested;
        long sentHighWatermark = -1;
        long sentStartOffset = -1;
        MetadataView view;
        MetadataView.Topic viewedTopic;
        MetadataView.Partition partition;
        /** Set for the present request by a hook, or because the broker does not know the partition. */
        PartitionData fixed;
        Errors error = Errors.NONE;
        int length;
        long highWatermark;
        long lastStableOffset;
        long startOffset;
        int preferredReplica;
        boolean isDiverging;
        boolean isSent;

        Entry(final Object topic, final FetchPartition requested)
        {
            this.topic = topic;
            this.requested = requested;
        }

        /** Notes what a response says, and returns whether an incremental response must hold the partition. */
        boolean noteSent()
        {
            final boolean isNews = error != Errors.NONE || length > 0 || sentHighWatermark != highWatermark ||
                sentStartOffset != startOffset || preferredReplica >= 0 || isDiverging;
            sentHighWatermark = error == Errors.NONE ? highWatermark : -1;
            sentStartOffset = startOffset;
            return isNews;
        }
    }

    /** A session, or the partitions of a fetch without one (id 0). */
    static final class Session
    {
        private final boolean isWithTopicIds;
        private final long createdNs;
        private long usedNs;
        private int epoch = 1;
        /** The order is that of the links. */
        private final Map<Key, Entry> entries = new HashMap<>();
        private Entry first;
        private Entry last;
        private int id;

        Session(final boolean isWithTopicIds, final long nowNs)
        {
            this.isWithTopicIds = isWithTopicIds;
            createdNs = nowNs;
            usedNs = nowNs;
        }

        int id()
        {
            return id;
        }

        int epoch()
        {
            return epoch;
        }

        Entry first()
        {
            return first;
        }

        Entry last()
        {
            return last;
        }

        void moveToEnd(final Entry entry)
        {
            unlink(entry);
            link(entry);
        }

        private void link(final Entry entry)
        {
            entry.previous = last;
            entry.next = null;
            if (last == null)
            {
                first = entry;
            }
            else
            {
                last.next = entry;
            }
            last = entry;
        }

        private void unlink(final Entry entry)
        {
            if (entry.previous == null)
            {
                first = entry.next;
            }
            else
            {
                entry.previous.next = entry.next;
            }
            if (entry.next == null)
            {
                last = entry.previous;
            }
            else
            {
                entry.next.previous = entry.previous;
            }
        }

        private void update(final FetchRequestData request)
        {
            for (final FetchTopic topic : request.topics())
            {
                final Object name = isWithTopicIds ? topic.topicId() : topic.topic();
                for (final FetchPartition requested : topic.partitions())
                {
                    final Key key = new Key(name, requested.partition());
                    final Entry held = entries.get(key);
                    if (held != null)
                    {
                        held.requested = requested;
                        continue;
                    }
                    final Entry entry = new Entry(name, requested);
                    entries.put(key, entry);
                    link(entry);
                }
            }
            for (final ForgottenTopic topic : request.forgottenTopicsData())
            {
                final Object name = isWithTopicIds ? topic.topicId() : topic.topic();
                for (final int partition : topic.partitions())
                {
                    final Entry forgotten = entries.remove(new Key(name, partition));
                    if (forgotten != null)
                    {
                        unlink(forgotten);
                    }
                }
            }
        }
    }

    private final ModelBroker broker;
    private final Map<Integer, Session> sessions = new LinkedHashMap<>();
    private int limit = DEFAULT_LIMIT;
    private int grantLimit = Integer.MAX_VALUE;
    private long created;
    /** Saves the scan of a cache in which no session is old enough. */
    private long noEvictionBeforeNs;

    FetchSessions(final ModelBroker broker)
    {
        this.broker = broker;
    }

    /** Sets how many sessions the broker keeps. */
    public void limit(final int newLimit)
    {
        limit = newLimit;
    }

    /** Sets how many more sessions the broker creates. */
    public void grant(final int count)
    {
        grantLimit = count;
    }

    /** Removes all sessions, as if those of other clients had replaced them. Returns how many there were. */
    public int clear()
    {
        final int count = sessions.size();
        sessions.clear();
        return count;
    }

    /** Advances the epochs of all sessions, as if a request had been lost or counted twice. */
    public void skipEpoch()
    {
        sessions.values().forEach((session) -> session.epoch = next(session.epoch));
    }

    public int count()
    {
        return sessions.size();
    }

    /** Returns the sorted partitions of all sessions. */
    public List<Integer> partitions()
    {
        final List<Integer> partitions = new ArrayList<>();
        for (final Session session : sessions.values())
        {
            session.entries.keySet().forEach((key) -> partitions.add(key.partition));
        }
        partitions.sort(null);
        return partitions;
    }

    /** Returns the error of a request's session id and epoch, or {@link Errors#NONE}. */
    Errors check(final FetchRequestData request, final int version)
    {
        if (isFull(request, version))
        {
            return Errors.NONE;
        }
        final Session session = sessions.get(request.sessionId());
        if (session == null)
        {
            return Errors.FETCH_SESSION_ID_NOT_FOUND;
        }
        if (session.epoch != request.sessionEpoch())
        {
            return Errors.INVALID_FETCH_SESSION_EPOCH;
        }
        return session.isWithTopicIds == version >= FIRST_WITH_TOPIC_IDS ?
            Errors.NONE : Errors.FETCH_SESSION_TOPIC_ID_ERROR;
    }

    static boolean isFull(final FetchRequestData request, final int version)
    {
        return version < FIRST_VERSION || request.sessionEpoch() == 0 || request.sessionEpoch() == FINAL_EPOCH;
    }

    /** Returns the partitions of a full fetch, under id 0, and ends the session that the request names. */
    Session full(final FetchRequestData request, final int version)
    {
        if (version >= FIRST_VERSION)
        {
            sessions.remove(request.sessionId());
        }
        final Session session = new Session(version >= FIRST_WITH_TOPIC_IDS, broker.cluster().nowNs());
        session.update(request);
        return session;
    }

    /** Returns the updated session of an incremental fetch, under id 0 if it has ended with its last partition. */
    Session incremental(final FetchRequestData request)
    {
        final Session session = sessions.remove(request.sessionId());
        session.update(request);
        if (session.entries.isEmpty())
        {
            return new Session(session.isWithTopicIds, session.createdNs);
        }
        session.usedNs = broker.cluster().nowNs();
        session.epoch = next(session.epoch);
        sessions.put(session.id, session); // the least recently used session is the first one
        return session;
    }

    /** Keeps the partitions of a full fetch that asks for a session. Returns its id, or 0 if the broker keeps none. */
    int create(final FetchRequestData request, final int version, final Session full)
    {
        if (version < FIRST_VERSION || request.sessionEpoch() != 0 || grantLimit <= 0 ||
            sessions.size() >= limit && !evict(full))
        {
            return 0;
        }
        grantLimit--;
        do
        {
            full.id = (int)(++created * ID_FACTOR >>> 33) ^ broker.id();
        }
        while (full.id <= 0 || sessions.containsKey(full.id));
        sessions.put(full.id, full);
        return full.id;
    }

    private boolean evict(final Session newcomer)
    {
        final long nowNs = broker.cluster().nowNs();
        if (nowNs < noEvictionBeforeNs)
        {
            return false;
        }
        long oldestNs = nowNs;
        for (final Session session : sessions.values())
        {
            oldestNs = Math.min(oldestNs, session.createdNs);
            if (nowNs - session.usedNs > EVICTION_NS || nowNs - session.createdNs > EVICTION_NS &&
                session.entries.size() < newcomer.entries.size())
            {
                sessions.remove(session.id);
                return true;
            }
        }
        noEvictionBeforeNs = oldestNs + EVICTION_NS;
        return false;
    }

    static int next(final int epoch)
    {
        return epoch == Integer.MAX_VALUE ? 1 : epoch + 1;
    }
}
