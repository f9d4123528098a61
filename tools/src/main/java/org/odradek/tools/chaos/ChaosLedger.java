// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;

/**
 * The ledgers of all partitions of a topic, and what was said in words.
 */
final class ChaosLedger
{
    private final boolean mayTruncate;
    private final ChaosTally beside = new ChaosTally();
    private final ConcurrentMap<Integer, PartitionLedger> partitions = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Integer> stopped = new ConcurrentLinkedQueue<>();

    /**
     * @param mayTruncate see {@link PartitionLedger}.
     */
    ChaosLedger(final boolean mayTruncate)
    {
        this.mayTruncate = mayTruncate;
    }

    PartitionLedger partition(final int partition)
    {
        return partitions.computeIfAbsent(partition, (id) -> new PartitionLedger(mayTruncate));
    }

    /** A sentence for the reader of the verdict. */
    void onError(final String sentence)
    {
        errors.add(sentence);
    }

    void onStopped(final int partition)
    {
        stopped.add(partition);
    }

    List<String> errors()
    {
        return List.copyOf(errors);
    }

    int stoppedCount()
    {
        return stopped.size();
    }

    long deliveries()
    {
        return partitions.values().stream().collect(Collectors.summingLong(PartitionLedger::deliveries));
    }

    /** Takes over what was found on a topic beside this one. */
    void absorb(final ChaosLedger other)
    {
        beside.add(other.tally());
        errors.addAll(other.errors);
        stopped.addAll(other.stopped);
    }

    ChaosTally tally()
    {
        final ChaosTally sum = new ChaosTally();
        sum.add(beside);
        partitions.values().forEach((partition) -> partition.addTo(sum));
        return sum;
    }
}
