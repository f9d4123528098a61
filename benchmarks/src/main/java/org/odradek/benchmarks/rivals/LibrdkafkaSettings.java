// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rivals;

import java.util.ArrayList;
import java.util.List;

/**
 * What the program with librdkafka is told, the same as the other clients of a scenario. All else has the library's
 * defaults, but for what keeps it from reading a log without a pause.
 *
 * @param bootstrap         where it begins, HOST:PORT.
 * @param topic             that it reads.
 * @param partitions        of the topic, all read.
 * @param fetchMaxBytes     of a whole answer.
 * @param partitionMaxBytes of one partition in it.
 * @param fetchMinBytes     that the broker is to wait for.
 * @param fetchMaxWaitMs    for how long it is to wait at most.
 * @param isCheckingCrcs    whether the checksum of each batch is compared.
 */
public record LibrdkafkaSettings(
    String bootstrap,
    String topic,
    int partitions,
    int fetchMaxBytes,
    int partitionMaxBytes,
    int fetchMinBytes,
    int fetchMaxWaitMs,
    boolean isCheckingCrcs)
{
    private static final int REST_BEYOND_WAIT_MS = 200;

    /**
     * @param records that the topic holds.
     * @return arguments, after the parent's port, of a program that is to make passes.
     */
    public List<String> forPasses(final long records)
    {
        final List<String> arguments = new ArrayList<>(arguments(records, 0));
        // Its defaults stop fetching for a second once 100,000 records wait, which it reads in a twentieth of that.
        arguments.add("queued.min.messages=1000000");
        arguments.add("fetch.queue.backoff.ms=1");
        return arguments;
    }

    /**
     * @param pollTimeoutMs how long a poll waits for a record, 0 to spin.
     * @return arguments, after the parent's port, of a program that is to read what is being written.
     */
    public List<String> forLiveTopic(final int pollTimeoutMs)
    {
        return arguments(0, pollTimeoutMs);
    }

    private List<String> arguments(final long records, final int pollTimeoutMs)
    {
        return List.of(
            topic,
            Integer.toString(partitions),
            Long.toString(records),
            Integer.toString(fetchMaxWaitMs + REST_BEYOND_WAIT_MS),
            Integer.toString(pollTimeoutMs),
            "bootstrap.servers=" + bootstrap,
            // It consumes in no other way than with a name for a group; nothing is ever committed.
            "group.id=unused",
            "enable.auto.commit=false",
            "fetch.max.bytes=" + fetchMaxBytes,
            "max.partition.fetch.bytes=" + partitionMaxBytes,
            "fetch.min.bytes=" + fetchMinBytes,
            "fetch.wait.max.ms=" + fetchMaxWaitMs,
            "check.crcs=" + isCheckingCrcs);
    }
}
