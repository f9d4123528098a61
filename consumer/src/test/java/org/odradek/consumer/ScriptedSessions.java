// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The fetch sessions of a {@link ScriptedBroker}, as Kafka's broker keeps them: a session holds the requested
 * partitions, a response leaves out partitions that have not changed, and partitions with records rotate. All
 * connections share them.
 */
final class ScriptedSessions
{
    private static final int FIRST_VERSION = 7;

    /** One session. */
    private static final class Session
    {
        private final int id;
        private final boolean isWithTopicId;
        private final Map<Integer, FetchPartition> partitions = new LinkedHashMap<>();
        private final Map<Integer, Long> highWatermarks = new HashMap<>();
        private int epoch = 1;

        Session(final int id, final boolean isWithTopicId)
        {
            this.id = id;
            this.isWithTopicId = isWithTopicId;
        }
    }

    private final Map<Integer, Session> sessions = new HashMap<>();
    private int lastId;
    private int grantLimit = Integer.MAX_VALUE;
    private int largestListed;

    /** Sets how many more sessions are granted. */
    synchronized void grant(final int count)
    {
        grantLimit = count;
    }

    /** Removes all sessions, as if those of other clients had replaced them. */
    synchronized void evict()
    {
        sessions.clear();
    }

    /** Advances the epochs, as if a request had been lost or counted twice. */
    synchronized void skipEpoch()
    {
        sessions.values().forEach((session) -> session.epoch++);
    }

    synchronized int count()
    {
        return sessions.size();
    }

    /** Returns the partitions of all sessions. */
    synchronized List<Integer> held()
    {
        final List<Integer> held = new ArrayList<>();
        sessions.values().forEach((session) -> held.addAll(session.partitions.keySet()));
        held.sort(null);
        return held;
    }

    /** Returns the largest number of partitions in an incremental request since the last call. */
    synchronized int takeLargestListed()
    {
        final int largest = largestListed;
        largestListed = 0;
        return largest;
    }

    /**
     * Returns the response to a fetch.
     *
     * @param broker that responds for each partition.
     * @param isNews whether a partition may have something new.
     */
    synchronized FetchResponseData answer(
        final FetchRequestData request,
        final int version,
        final Function<FetchPartition, PartitionData> broker,
        final Function<FetchPartition, Boolean> isNews)
    {
        final boolean isWithTopicId = version >= 13;
        if (version < FIRST_VERSION || request.sessionEpoch() <= 0)
        {
            sessions.remove(request.sessionId());
            return full(request, isWithTopicId, broker, version >= FIRST_VERSION && request.sessionEpoch() == 0);
        }
        final Session session = sessions.get(request.sessionId());
        if (session == null)
        {
            return new FetchResponseData().setErrorCode((short)70);
        }
        if (session.epoch != request.sessionEpoch())
        {
            return new FetchResponseData().setErrorCode((short)71);
        }
        if (session.isWithTopicId != isWithTopicId)
        {
            return new FetchResponseData().setErrorCode((short)106);
        }
        session.epoch = session.epoch == Integer.MAX_VALUE ? 1 : session.epoch + 1;
        return incremental(session, request, broker, isNews);
    }

    private FetchResponseData full(
        final FetchRequestData request,
        final boolean isWithTopicId,
        final Function<FetchPartition, PartitionData> broker,
        final boolean isForSession)
    {
        final FetchableTopicResponse answered = ScriptedBroker.topic();
        Session session = null;
        if (isForSession && grantLimit > 0)
        {
            grantLimit--;
            session = new Session(++lastId, isWithTopicId);
            sessions.put(session.id, session);
        }
        for (final FetchPartition requested : listed(request))
        {
            final PartitionData data = broker.apply(requested);
            answered.partitions().add(data);
            if (session != null)
            {
                session.partitions.put(requested.partition(), requested);
                session.highWatermarks.put(requested.partition(), data.highWatermark());
            }
        }
        return new FetchResponseData().setSessionId(session == null ? 0 : session.id).setResponses(List.of(answered));
    }

    private FetchResponseData incremental(
        final Session session,
        final FetchRequestData request,
        final Function<FetchPartition, PartitionData> broker,
        final Function<FetchPartition, Boolean> isNews)
    {
        largestListed = Math.max(largestListed, listed(request).size());
        listed(request).forEach((requested) -> session.partitions.put(requested.partition(), requested));
        for (final ForgottenTopic forgotten : request.forgottenTopicsData())
        {
            forgotten.partitions().forEach(session.partitions::remove);
            forgotten.partitions().forEach(session.highWatermarks::remove);
        }
        if (session.partitions.isEmpty())
        {
            sessions.remove(session.id);
            return new FetchResponseData();
        }
        final FetchableTopicResponse answered = ScriptedBroker.topic();
        for (final FetchPartition held : session.partitions.values())
        {
            if (isNews.apply(held) || !session.highWatermarks.containsKey(held.partition()))
            {
                addIfNew(session, broker.apply(held), answered);
            }
        }
        for (final PartitionData data : answered.partitions())
        {
            final FetchPartition held = session.partitions.remove(data.partitionIndex());
            session.partitions.put(data.partitionIndex(), held);
        }
        return new FetchResponseData().setSessionId(session.id).setResponses(
            answered.partitions().isEmpty() ? List.of() : List.of(answered));
    }

    private static void addIfNew(
        final Session session, final PartitionData data, final FetchableTopicResponse answered)
    {
        final Long sent = session.highWatermarks.put(data.partitionIndex(), data.highWatermark());
        if (data.errorCode() != 0 || data.records().sizeInBytes() > 0 || sent == null ||
            sent != data.highWatermark() || data.preferredReadReplica() >= 0)
        {
            answered.partitions().add(data);
        }
        if (data.errorCode() != 0)
        {
            session.highWatermarks.remove(data.partitionIndex());
        }
    }

    private static Collection<FetchPartition> listed(final FetchRequestData request)
    {
        final List<FetchPartition> listed = new ArrayList<>();
        for (final FetchTopic topic : request.topics())
        {
            listed.addAll(topic.partitions());
        }
        return listed;
    }
}
