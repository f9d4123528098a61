// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Prefill;
import org.odradek.benchmarks.rig.Settings;

/**
 * How much of what is read how often.
 *
 * @param scenario      its name in rows.
 * @param arms          who reads.
 * @param cases         a topic for each, in this order.
 * @param passes        measured passes of each arm over each topic.
 * @param warmUpPasses  passes before those, discarded; an arm that is done early reads again, {@link #warmUpNs()}.
 * @param bytesPerTopic about how long each log would be uncompressed; the number of records follows from it.
 */
record CatchupPlan(
    String scenario, List<Arm> arms, List<Case> cases, int passes, int warmUpPasses, long bytesPerTopic)
{
    /**
     * What all clients have in common; more records a poll do not help the stock client: they leave the CPU's cache.
     */
    static final Settings SHARED = Settings.of(
        "fetchMaxBytes", 2 << 20, "partitionMaxBytes", 2 << 20, "fetchMinBytes", 1, "fetchMaxWaitMs", 100,
        "recordLimit", 100_000, "stockRecordLimit", 1_000, "pollTimeoutMs", 1_000);
    static final Child.Jvm JVM = Child.Jvm.STANDARD.with(List.of("-XX:MaxDirectMemorySize=256m"));
    private static final int WARM_UP_PASSES = 2;
    private static final int MOST_WARM_UP_TIMES = 5;
    private static final int BYTES_AROUND_VALUE = 8;
    /** A JVM compiles by how long it has run: who reads faster than this in a warm-up pass reads the topic again. */
    private static final double WARM_UP_BYTES_PER_SECOND = 150e6;

    /**
     * One topic and how it is read.
     *
     * @param valueLength    of each record, in bytes.
     * @param partitions     of the topic, all alike and all read by one consumer.
     * @param codec          of its batches, as Kafka names it.
     * @param isCheckingCrcs by all who read it.
     * @param job            of a stream engine that reads it; empty for a client alone.
     */
    record Case(int valueLength, int partitions, String codec, boolean isCheckingCrcs, String job)
    {
        static final String NO_CODEC = "none";

        Case(final int valueLength, final int partitions, final String codec, final boolean isCheckingCrcs)
        {
            this(valueLength, partitions, codec, isCheckingCrcs, "");
        }

        static Case plain(final int valueLength)
        {
            return new Case(valueLength, 1, NO_CODEC, true);
        }

        /**
         * @return the length of a value, and what differs from one uncompressed partition whose CRCs are checked.
         */
        String name()
        {
            return valueLength + " B" + (isCompressed() ? ", " + codec : "") +
                (partitions == 1 ? "" : ", " + partitions + " partitions") + (isCheckingCrcs ? "" : ", CRC off") +
                (job.isEmpty() ? "" : ", " + job);
        }

        private boolean isCompressed()
        {
            return !NO_CODEC.equals(codec);
        }

        /**
         * @return whether the arm can read it: the bare loop knows one partition and no codec.
         */
        boolean isReadBy(final Arm arm)
        {
            return !arm.name().equals(Arms.BARE_LOOP.name()) && !arm.name().equals(Arms.ODRADEK_BUFFER.name()) ||
                 partitions == 1 && !isCompressed();
        }
    }

    static CatchupPlan of(
        final String scenario, final List<Arm> arms, final List<Case> cases, final int passes, final boolean isQuick)
    {
        return new CatchupPlan(scenario, arms, cases, passes, WARM_UP_PASSES,
            isQuick ? 125_000_000 : 600_000_000);
    }

    /**
     * @return a number that gives every partition as many records.
     */
    long records(final Case each)
    {
        return bytesPerTopic / (each.valueLength() + BYTES_AROUND_VALUE) / each.partitions() * each.partitions();
    }

    /**
     * @return how long a warm-up pass is repeated at most while the compilers are not quiet.
     */
    long mostWarmUpNs()
    {
        return MOST_WARM_UP_TIMES * warmUpNs();
    }

    /**
     * @return how long a warm-up pass takes at least.
     */
    long warmUpNs()
    {
        return Math.round(bytesPerTopic / WARM_UP_BYTES_PER_SECOND * 1e9);
    }

    Map<String, Object> settings(final String bootstrap)
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("broker", Cluster.describe(bootstrap));
        settings.put("cases", cases.stream().map(Case::name).toList());
        settings.put("records", cases.stream().map(this::records).toList());
        settings.put("passes", passes);
        settings.put("warmUpPasses", warmUpPasses);
        settings.put("warmUpPassLeastMs", TimeUnit.NANOSECONDS.toMillis(warmUpNs()));
        settings.put("armJvmFlags", JVM.flags());
        settings.putAll(SHARED.values());
        settings.put("checkCrcs", "true, except in cases named CRC off");
        settings.put("producerBatchSize", Prefill.BATCH_SIZE);
        settings.put("producerLingerMs", Prefill.LINGER_MS);
        return settings;
    }
}
