// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.engine.Conductor;
import org.odradek.consumer.fetch.BrokerFetcher;
import org.odradek.consumer.fetch.PartitionTable;

import java.util.stream.IntStream;
import java.util.stream.Stream;

/** State of a consumer that tests of all packages read. A user only has {@link TopicConsumer#describe()}. */
public final class Internals
{
    private Internals()
    {
    }

    public static long heldBytes(final TopicConsumer consumer)
    {
        return consumer.resources.budget.heldBytes();
    }

    public static PartitionTable table(final TopicConsumer consumer)
    {
        return consumer.resources.table;
    }

    /** The connections for fetches. */
    public static Stream<BrokerFetcher> fetchers(final TopicConsumer consumer)
    {
        final Conductor conductor = consumer.resources.conductor;
        return IntStream.range(0, conductor.fetcherCount()).mapToObj(conductor::fetcher);
    }
}
