// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntPredicate;

/**
 * A script for a {@link ScriptedPeer} that answers as another does, but for the faults put into it: by how many
 * requests of a kind there were, or by the partitions that a fetch asks for.
 * <pre>{@code
 * ScriptedPeer.start(ScriptedFaults.over(honest)
 *     .onRequest(FETCH, 3, (request) -> Answer.reset())             // the third fetch
 *     .onEvery(FETCH, 10, (request) -> honest.apply(request).afterMs(200))
 *     .onPartition(5, (request) -> Answer.never()))                 // every fetch that asks for partition 5
 * }</pre>
 * Of several faults that fit a request the first that was put in is taken. Requests are counted over all connections,
 * from 1, each kind for itself. Faults may be put in while the peer is running; they hold for requests to come.
 */
public final class ScriptedFaults implements Function<RequestFrame, Answer>
{
    private record Fault(
        int apiKey, IntPredicate number, Function<RequestFrame, Boolean> isMeant, Function<RequestFrame, Answer> answer)
    {
        boolean fits(final RequestFrame request, final int count)
        {
            return apiKey == request.apiKey() && number.test(count) && isMeant.apply(request);
        }
    }

    private final Function<RequestFrame, Answer> honest;
    private final Map<Short, Integer> counts = new HashMap<>();
    private final List<Fault> faults = new ArrayList<>();

    private ScriptedFaults(final Function<RequestFrame, Answer> honest)
    {
        this.honest = honest;
    }

    /**
     * @param honest answers every request for which no fault is meant.
     * @return a script without faults.
     */
    public static ScriptedFaults over(final Function<RequestFrame, Answer> honest)
    {
        return new ScriptedFaults(honest);
    }

    /**
     * Puts in a fault for one request.
     *
     * @param apiKey of the request.
     * @param number which of its kind, the first being 1.
     * @param answer to give.
     * @return this.
     */
    public ScriptedFaults onRequest(final int apiKey, final int number, final Function<RequestFrame, Answer> answer)
    {
        return add(apiKey, (count) -> count == number, (request) -> true, answer);
    }

    /**
     * Puts in a fault for every so-many-th request.
     *
     * @param apiKey of the requests.
     * @param period 1 for each of its kind, 2 for the second, fourth, and so on.
     * @param answer to give.
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

    /**
     * Puts in a fault for every fetch that asks for a partition, whatever else it asks for.
     *
     * @param partition id, in any topic.
     * @param answer    to give.
     * @return this.
     */
    public ScriptedFaults onPartition(final int partition, final Function<RequestFrame, Answer> answer)
    {
        return add(FetchedPartitions.FETCH, (count) -> true,
            (request) -> FetchedPartitions.of(request).contains(partition), answer);
    }

    private synchronized ScriptedFaults add(
        final int apiKey,
        final IntPredicate number,
        final Function<RequestFrame, Boolean> isMeant,
        final Function<RequestFrame, Answer> answer)
    {
        faults.add(new Fault(apiKey, number, isMeant, answer));
        return this;
    }

    /**
     * Takes all faults out again.
     *
     * @return this.
     */
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

    /** Connections have threads of their own; what a script does, it does outside of the lock. */
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
}
