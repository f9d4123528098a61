/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How much of what is read how often.
 *
 * @param scenario       its name.
 * @param arms           who reads.
 * @param valueLengths   one topic for each, in this order.
 * @param passes         measured passes of each arm over each topic.
 * @param warmUpPasses   passes before those, run the same way and discarded.
 * @param bytesPerTopic  about how long each log gets; the number of records follows from it.
 * @param bootstrap      the cluster to use, or null to start a broker.
 */
record CatchupPlan(
    String scenario,
    List<ArmKind> arms,
    List<Integer> valueLengths,
    int passes,
    int warmUpPasses,
    long bytesPerTopic,
    String bootstrap)
{
    static final int WARM_UP_PASSES = 2;
    static final long FULL_BYTES_PER_TOPIC = 1_250_000_000;
    static final long QUICK_BYTES_PER_TOPIC = 125_000_000;

    /** A batch may hold about a MiB, and the receive buffers here hold one fetch of that. */
    static final int LARGEST_VALUE = 1_000_000;

    private static final int BYTES_AROUND_VALUE = 8;

    long records(final int valueLength)
    {
        return bytesPerTopic / (valueLength + BYTES_AROUND_VALUE);
    }

    Map<String, Object> settings()
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("broker", bootstrap == null ? "own, in its own JVM on this machine" : "given");
        settings.put("valueLengths", valueLengths);
        settings.put("records", valueLengths.stream().map(this::records).toList());
        settings.put("passes", passes);
        settings.put("warmUpPasses", warmUpPasses);
        settings.put("armJvmFlags", ArmProcess.JVM_FLAGS);
        settings.put("fetchMaxBytes", ArmSettings.FETCH_MAX_BYTES);
        settings.put("partitionMaxBytes", ArmSettings.PARTITION_MAX_BYTES);
        settings.put("fetchMinBytes", ArmSettings.FETCH_MIN_BYTES);
        settings.put("fetchMaxWaitMs", ArmSettings.FETCH_MAX_WAIT_MS);
        settings.put("checkCrcs", true);
        if (arms.contains(ArmKind.STOCK))
        {
            settings.put("stockMaxPollRecords", StockConsumer.MAX_POLL_RECORDS);
        }
        settings.put("producerBatchSize", Prefill.BATCH_SIZE);
        settings.put("producerLingerMs", Prefill.LINGER_MS);
        return settings;
    }
}
