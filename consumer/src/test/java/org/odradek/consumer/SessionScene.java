// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A broker of a few partitions that keeps fetch sessions, its consumer, and the fetch requests that it received.
 */
final class SessionScene implements AutoCloseable
{
    static final int PARTITIONS = 4;

    private static final int MORE_FETCHES = 10;

    private final OneTopicBroker broker = OneTopicBroker.start(PARTITIONS);
    private final List<FetchRequestData> requests = new CopyOnWriteArrayList<>();
    private Reading reading;

    SessionScene()
    {
        broker.script(ApiMessageType.FETCH, this::note);
    }

    /** Records a request; a script that replaces the default one calls it. */
    Answer note(final ModelPeer.Call call)
    {
        requests.add((FetchRequestData)call.request());
        return null;
    }

    OneTopicBroker broker()
    {
        return broker;
    }

    List<FetchRequestData> requests()
    {
        return requests;
    }

    FetchRequestData last()
    {
        return requests.get(requests.size() - 1);
    }

    /** Returns the id of the first session that the consumer used. */
    int firstSessionId()
    {
        return requests.stream().mapToInt(FetchRequestData::sessionId).filter((id) -> id != 0).findFirst().getAsInt();
    }

    static List<Integer> listed(final FetchRequestData request)
    {
        return request.topics().isEmpty() ? List.of() :
            request.topics().get(0).partitions().stream().map(FetchPartition::partition).sorted().toList();
    }

    static List<Integer> forgotten(final FetchRequestData request)
    {
        return request.forgottenTopicsData().isEmpty() ? List.of() :
            request.forgottenTopicsData().get(0).partitions();
    }

    boolean hasForgotten(final int partition)
    {
        return requests.stream().anyMatch((request) -> forgotten(request).contains(partition));
    }

    ConsumerContext context(final FetchSessionMode mode)
    {
        return Reading.context(broker).startPosition(StartPosition.offset(0)).fetchSession(mode).fetchMaxWaitMs(1);
    }

    Reading read(final FetchSessionMode mode)
    {
        return read(context(mode));
    }

    Reading read(final ConsumerContext context)
    {
        reading = Reading.start(context);
        return reading;
    }

    void appendToAll(final String value)
    {
        for (int p = 0; p < PARTITIONS; p++)
        {
            broker.append(p, value);
        }
    }

    void untilAll(final int count)
    {
        for (int p = 0; p < PARTITIONS; p++)
        {
            reading.untilCount(p, count);
        }
    }

    void untilMoreFetches()
    {
        final int seen = requests.size();
        reading.until("more fetches", () -> requests.size() > seen + MORE_FETCHES);
    }

    long counter(final int id)
    {
        return reading.consumer().counters().get(id);
    }

    long fullFetches()
    {
        return counter(ConsumerCounters.FULL_FETCHES);
    }

    long incrementalFetches()
    {
        return counter(ConsumerCounters.INCREMENTAL_FETCHES);
    }

    long sessionResets()
    {
        return counter(ConsumerCounters.SESSION_RESETS);
    }

    @Override
    public void close()
    {
        reading.close();
        broker.close();
    }
}
