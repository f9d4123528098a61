// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a client is told, and how it travels to the client's process: as arguments {@code name=value} with the names of
 * the fields here. All clients but {@code stock-defaults} get the same.
 *
 * @param client         its kind, see {@link ClientKind#client()}.
 * @param bootstrap      where it begins, HOST:PORT.
 * @param topic          that it reads.
 * @param partitions     that it reads, all of them, in a list with commas.
 * @param poll           {@code timed}: a poll waits in the kernel, up to {@link #POLL_TIMEOUT_MS}; {@code brief}: up to
 *                       {@link #BRIEF_TIMEOUT_MS}; {@code spin}: it does not wait and the next follows at once.
 * @param core           on which the polling thread runs alone, or {@link #NO_CORE}.
 */
public record ClientSettings(
    String client,
    String bootstrap,
    String topic,
    int[] partitions,
    String poll,
    int core)
{
    public static final String TIMED = "timed";
    public static final String SPIN = "spin";
    public static final String BRIEF = "brief";
    public static final int NO_CORE = -1;
    public static final int POLL_TIMEOUT_MS = 100;
    public static final int BRIEF_TIMEOUT_MS = 1;
    public static final int FETCH_MAX_BYTES = 1 << 20;
    public static final int PARTITION_MAX_BYTES = 1 << 20;
    public static final int FETCH_MIN_BYTES = 1;
    public static final int FETCH_MAX_WAIT_MS = 500;
    public static final int RECORD_LIMIT = 500;
    /** Of {@code odradek-paced} alone. */
    public static final int PACED_LATENCY_BUDGET_MS = 2;

    public ClientSettings
    {
        if (!List.of(TIMED, SPIN, BRIEF).contains(poll))
        {
            throw new IllegalArgumentException(
                "poll= must be " + TIMED + ", " + SPIN + " or " + BRIEF + ", not " + poll + ".");
        }
    }

    /**
     * @return those of a client that waits in its poll, on any core, with the fetch settings that all scenarios share.
     */
    public static ClientSettings of(
        final ClientKind kind, final String bootstrap, final String topic, final int... partitions)
    {
        return new ClientSettings(kind.client(), bootstrap, topic, partitions, TIMED, NO_CORE);
    }

    /**
     * @return the same, but polling without a wait.
     */
    public ClientSettings spinning()
    {
        return new ClientSettings(client, bootstrap, topic, partitions, SPIN, core);
    }

    /**
     * @return the same, but with polls that wait a hundredth of the time.
     */
    ClientSettings brief()
    {
        return new ClientSettings(client, bootstrap, topic, partitions, BRIEF, core);
    }

    /**
     * @return the same, but with the polling thread on one core.
     */
    public ClientSettings pinnedTo(final int newCore)
    {
        return new ClientSettings(client, bootstrap, topic, partitions, poll, newCore);
    }

    boolean isSpinning()
    {
        return SPIN.equals(poll);
    }

    int pollTimeoutMs()
    {
        return isSpinning() ? 0 : BRIEF.equals(poll) ? BRIEF_TIMEOUT_MS : POLL_TIMEOUT_MS;
    }

    static ClientSettings parse(final String... arguments)
    {
        final Arguments read = new Arguments(arguments);
        return new ClientSettings(read.text("client"), read.text("bootstrap"), read.text("topic"),
            read.numbers("partitions"), read.text("poll"), read.number("core"));
    }

    /**
     * @return what the client's process is started with.
     */
    public String[] toArguments()
    {
        return new String[]{"client=" + client, "bootstrap=" + bootstrap, "topic=" + topic,
            "partitions=" + Arguments.join(partitions), "poll=" + poll, "core=" + core};
    }

    /**
     * @return what all clients share, for the report.
     */
    public static Map<String, Object> shared()
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("fetchMaxBytes", FETCH_MAX_BYTES);
        settings.put("partitionMaxBytes", PARTITION_MAX_BYTES);
        settings.put("fetchMinBytes", FETCH_MIN_BYTES);
        settings.put("fetchMaxWaitMs", FETCH_MAX_WAIT_MS);
        settings.put("checkCrcs", true);
        settings.put("recordsPerPoll", RECORD_LIMIT);
        settings.put("pollTimeoutMs", POLL_TIMEOUT_MS);
        settings.put("pacedLatencyBudgetMs", PACED_LATENCY_BUDGET_MS);
        settings.put("clientJvmFlags", ClientProcess.JVM_FLAGS);
        return settings;
    }
}
