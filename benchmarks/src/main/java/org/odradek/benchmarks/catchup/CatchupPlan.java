// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How much of what is read how often.
 *
 * @param scenario       its name.
 * @param arms           who reads.
 * @param cases          a topic for each, in this order.
 * @param passes         measured passes of each arm over each topic.
 * @param warmUpPasses   passes before those, discarded; an arm that is done early reads again, {@link #warmUpNs()}.
 * @param bytesPerTopic  about how long each log would be uncompressed; the number of records follows from it.
 * @param bootstrap      the cluster to use, or null to start a broker.
 */
record CatchupPlan(
    String scenario,
    List<ArmKind> arms,
    List<CatchupCase> cases,
    int passes,
    int warmUpPasses,
    long bytesPerTopic,
    String bootstrap)
{
    static final String CATCHUP = "catchup";
    static final int WARM_UP_PASSES = 2;
    static final int FULL_PASSES = 5;
    static final int QUICK_PASSES = 3;
    static final long FULL_BYTES_PER_TOPIC = 600_000_000;
    static final long QUICK_BYTES_PER_TOPIC = 125_000_000;

    /** A batch may hold about a MiB, and the receive buffers here hold one fetch of that. */
    static final int LARGEST_VALUE = 1_000_000;

    private static final int BYTES_AROUND_VALUE = 8;
    private static final int BROKER_START_SECONDS = 8;
    private static final int CASE_START_SECONDS = 10;
    private static final double REST_SECONDS_PER_ROUND = 2;

    /** A JVM compiles by how long it has run: who reads faster than this in a warm-up pass reads the topic again. */
    private static final double WARM_UP_BYTES_PER_SECOND = 150e6;

    /** Of the least time of a warm-up pass, what comes on top of the pass itself, over all arms. */
    private static final double ADDED_BY_WARM_UP = 0.5;

    /** Rough rates of a core, for the sentence that says how long it will take. */
    private static final double RECORDS_FILLED_PER_SECOND = 1.5e6;
    private static final double SECONDS_PER_RECORD_OF_ALL_ARMS = 0.9e-6;
    private static final double SECONDS_PER_BYTE_OF_ALL_ARMS = 4e-9;

    static List<CatchupCase> fullCases()
    {
        return List.of(
            CatchupCase.plain(23), CatchupCase.plain(100), CatchupCase.plain(1_000),
            new CatchupCase(100, 1, "lz4", true), new CatchupCase(100, 1, "zstd", true),
            new CatchupCase(23, 1, CatchupCase.NO_CODEC, false),
            new CatchupCase(23, 8, CatchupCase.NO_CODEC, true),
            new CatchupCase(100, 8, CatchupCase.NO_CODEC, true),
            new CatchupCase(1_000, 8, CatchupCase.NO_CODEC, true));
    }

    static List<CatchupCase> plainCases()
    {
        return List.of(CatchupCase.plain(23), CatchupCase.plain(100), CatchupCase.plain(1_000));
    }

    static List<CatchupCase> quickCases()
    {
        return List.of(
            CatchupCase.plain(23), CatchupCase.plain(100), CatchupCase.plain(1_000),
            new CatchupCase(100, 1, "lz4", true), new CatchupCase(100, 1, "zstd", true),
            new CatchupCase(23, 8, CatchupCase.NO_CODEC, true));
    }

    /**
     * @return records of each partition.
     */
    long recordsPerPartition(final CatchupCase catchupCase)
    {
        return bytesPerTopic / (catchupCase.valueLength() + BYTES_AROUND_VALUE) / catchupCase.partitions();
    }

    long records(final CatchupCase catchupCase)
    {
        return recordsPerPartition(catchupCase) * catchupCase.partitions();
    }

    /**
     * @return how long a warm-up pass takes at least.
     */
    long warmUpNs()
    {
        return Math.round(bytesPerTopic / WARM_UP_BYTES_PER_SECOND * 1e9);
    }

    /**
     * How long it will take, about, on two cores that do nothing else.
     */
    long expectedSeconds()
    {
        double seconds = bootstrap == null ? BROKER_START_SECONDS : 0;
        for (final CatchupCase next : cases)
        {
            final double pass = records(next) * SECONDS_PER_RECORD_OF_ALL_ARMS +
                bytesPerTopic * SECONDS_PER_BYTE_OF_ALL_ARMS;
            seconds += CASE_START_SECONDS + records(next) / RECORDS_FILLED_PER_SECOND +
                (passes + warmUpPasses) * (REST_SECONDS_PER_ROUND + pass) +
                warmUpPasses * arms.size() * warmUpNs() / 1e9 * ADDED_BY_WARM_UP;
        }
        return Math.round(seconds);
    }

    Map<String, Object> settings()
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("broker", bootstrap == null ? "own, in its own JVM on this machine" : "given");
        settings.put("cases", cases.stream().map(CatchupCase::name).toList());
        settings.put("records", cases.stream().map(this::records).toList());
        settings.put("passes", passes);
        settings.put("warmUpPasses", warmUpPasses);
        settings.put("warmUpPassLeastMs", TimeUnit.NANOSECONDS.toMillis(warmUpNs()));
        settings.put("armJvmFlags", JavaArm.FLAGS);
        settings.put("fetchMaxBytes", ArmSettings.FETCH_MAX_BYTES);
        settings.put("partitionMaxBytes", ArmSettings.PARTITION_MAX_BYTES);
        settings.put("fetchMinBytes", ArmSettings.FETCH_MIN_BYTES);
        settings.put("fetchMaxWaitMs", ArmSettings.FETCH_MAX_WAIT_MS);
        settings.put("checkCrcs", "true, except in cases named CRC off");
        settings.put("stockMaxPollRecords", StockConsumer.MAX_POLL_RECORDS);
        settings.put("producerBatchSize", Prefill.BATCH_SIZE);
        settings.put("producerLingerMs", Prefill.LINGER_MS);
        return settings;
    }
}
