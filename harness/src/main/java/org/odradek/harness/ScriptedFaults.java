// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import org.apache.kafka.common.message.FetchRequestData;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/**
 * A script for a {@link ScriptedPeer} that answers like another script, except for the faults added to it. A fault
 * applies to requests by their number, or to fetch requests by their partitions.
 * <pre>{@code
 * ScriptedPeer.start(ScriptedFaults.over(honest)
 *     .onRequest(FETCH, 3, (request) -> Answer.reset())             // the third fetch
 *     .onEvery(FETCH, 10, (request) -> honest.apply(request).afterMs(200))
 *     .onPartition(5, (request) -> Answer.never()))                 // every fetch with partition 5
 * }</pre>
 * If several faults match a request, the first added one applies. Requests are counted from 1 over all connections,
 * separately for each API key. Faults that are added while the peer runs apply to later requests.
 */
public final class ScriptedFaults implements Function<RequestFrame, Answer>
{
    private record Fault(
        int apiKey, IntPredicate number, Function<RequestFrame, Boolean> matches, Function<RequestFrame, Answer> answer)
    {
        boolean fits(final RequestFrame request, final int count)
        {
            return apiKey == request.apiKey() && number.test(count) && matches.apply(request);
        }
    }

    private static final short FETCH = 1;
    private final Function<RequestFrame, Answer> honest;
    private final Map<Short, Integer> counts = new HashMap<>();
    private final List<Fault> faults = new ArrayList<>();

    private ScriptedFaults(final Function<RequestFrame, Answer> honest)
    {
        this.honest = honest;
    }

    /**
     * Returns a script without faults.
     *
     * @param honest answers every request that no fault matches.
     */
    public static ScriptedFaults over(final Function<RequestFrame, Answer> honest)
    {
        return new ScriptedFaults(honest);
    }

    /**
     * Adds a fault for one request.
     *
     * @param apiKey of the request.
     * @param number of the request among those with this key, from 1.
     * @param answer to send.
     * @return this.
     */
    public ScriptedFaults onRequest(final int apiKey, final int number, final Function<RequestFrame, Answer> answer)
    {
        return add(apiKey, (count) -> count == number, (request) -> true, answer);
    }

    /**
     * Adds a fault for every n-th request.
     *
     * @param apiKey of the requests.
     * @param period 1 for each request of the key, 2 for the second, fourth, and so on.
     * @param answer to send.
     * @return this.
     */
    public ScriptedFaults onEvery(final int apiKey, final int period, final Function<RequestFrame, Answer> answer)
    {
        if (period < 1)
        {
            throw new IllegalArgumentException("A period is 1 or more, not " + period + ".");
        }
        return add(apiKey, (count) -> count % period == 0, (request) -> true, answer);
    }

    /** Adds a fault for every fetch request that contains a partition, of any topic. */
    public ScriptedFaults onPartition(final int partition, final Function<RequestFrame, Answer> answer)
    {
        return add(FETCH, (count) -> true,
            (request) -> fetchedPartitions(request).contains(partition), answer);
    }

    private synchronized ScriptedFaults add(
        final int apiKey,
        final IntPredicate number,
        final Function<RequestFrame, Boolean> matches,
        final Function<RequestFrame, Answer> answer)
    {
        faults.add(new Fault(apiKey, number, matches, answer));
        return this;
    }

    /** Removes all faults. */
    public synchronized ScriptedFaults heal()
    {
        faults.clear();
        return this;
    }

    @Override
    public Answer apply(final RequestFrame request)
    {
        return find(request).apply(request);
    }

    /** Scripts of several connections run concurrently, so they run outside the lock. */
    private synchronized Function<RequestFrame, Answer> find(final RequestFrame request)
    {
        final int count = counts.merge(request.apiKey(), 1, Integer::sum);
        for (final Fault fault : faults)
        {
            if (fault.fits(request, count))
            {
                return fault.answer();
            }
        }
        return honest;
    }

    private static Set<Integer> fetchedPartitions(final RequestFrame request)
    {
        return ((FetchRequestData)request.message()).topics().stream()
            .flatMap((topic) -> topic.partitions().stream())
            .map(FetchRequestData.FetchPartition::partition).collect(Collectors.toSet());
    }
}
