// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.agrona.CloseHelper;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.FetchSessionMode;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A broker of a few partitions that keeps fetch sessions, its consumer, and the fetch requests that it received.
 */
public final class SessionScene implements AutoCloseable
{
    public static final int PARTITIONS = 4;

    private static final int MORE_FETCHES = 10;

    private final OneTopicBroker broker = OneTopicBroker.start(PARTITIONS);
    private final List<FetchRequestData> requests = new CopyOnWriteArrayList<>();
    private Reading reading;

    public SessionScene()
    {
        broker.script(ApiMessageType.FETCH, this::note);
    }

    /** Records a request; a script that replaces the default one calls it. */
    public Answer note(final ModelPeer.Call call)
    {
        requests.add((FetchRequestData)call.request());
        return null;
    }

    public OneTopicBroker broker()
    {
        return broker;
    }

    public List<FetchRequestData> requests()
    {
        return requests;
    }

    public FetchRequestData last()
    {
        return requests.get(requests.size() - 1);
    }

    /** Returns the id of the first session that the consumer used. */
    public int firstSessionId()
    {
        return requests.stream().mapToInt(FetchRequestData::sessionId).filter((id) -> id != 0).findFirst().getAsInt();
    }

    public static List<Integer> listed(final FetchRequestData request)
    {
        return request.topics().isEmpty() ? List.of() :
            request.topics().get(0).partitions().stream().map(FetchPartition::partition).sorted().toList();
    }

    public static List<Integer> forgotten(final FetchRequestData request)
    {
        return request.forgottenTopicsData().isEmpty() ? List.of() :
            request.forgottenTopicsData().get(0).partitions();
    }

    public boolean hasForgotten(final int partition)
    {
        return requests.stream().anyMatch((request) -> forgotten(request).contains(partition));
    }

    public ConsumerContext context(final FetchSessionMode mode)
    {
        return Reading.context(broker).startPosition(StartPosition.offset(0)).fetchSession(mode).fetchMaxWaitMs(1);
    }

    public Reading read(final FetchSessionMode mode)
    {
        return read(context(mode));
    }

    public Reading read(final ConsumerContext context)
    {
        reading = Reading.start(context);
        return reading;
    }

    public void appendToAll(final String value)
    {
        for (int p = 0; p < PARTITIONS; p++)
        {
            broker.append(p, value);
        }
    }

    public void untilAll(final int count)
    {
        for (int p = 0; p < PARTITIONS; p++)
        {
            reading.untilCount(p, count);
        }
    }

    public void untilMoreFetches()
    {
        final int seen = requests.size();
        reading.until("more fetches", () -> requests.size() > seen + MORE_FETCHES);
    }

    public long counter(final int id)
    {
        return reading.consumer().counters().get(id);
    }

    public long fullFetches()
    {
        return counter(ConsumerCounters.FULL_FETCHES);
    }

    public long incrementalFetches()
    {
        return counter(ConsumerCounters.INCREMENTAL_FETCHES);
    }

    public long sessionResets()
    {
        return counter(ConsumerCounters.SESSION_RESETS);
    }

    @Override
    public void close()
    {
        CloseHelper.close(reading);
        broker.close();
    }
}
