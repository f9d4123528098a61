// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.publisher.Acks;
import org.odradek.publisher.Compression;
import org.odradek.publisher.PublisherContext;

/** What a seed draws for a publisher in addition to its {@link Scenario}. */
final class PublishScenario
{
    /** Stands for the interval if the user has no input barrier. */
    static final int NO_INPUT = -1;

    private static final int LEAST_BATCH_LENGTH = 1_024;
    private static final int MAX_BATCH_LENGTH = 1 << 15;
    /** Of a request beside its batches, at least. */
    private static final int FRAMING = 1_024;
    private static final int MAX_SLABS = 64;
    private static final int MAX_SEND_INTERVAL_US = 50_000;
    private static final int US_PER_MS = 1_000;
    private static final int MAX_DELIVERY_MS = 60_000;
    private static final int MAX_INPUT_INTERVAL_MS = 3_000;
    private static final int MAX_TOPICS = 3;
    /** Of a producer id, with one of which producers begin in some seeds. */
    private static final int LAST_EPOCHS = 3;
    /** Without gzip: the bytes of a deflater may differ between JDKs. */
    private static final Compression[] CODECS = {Compression.LZ4, Compression.SNAPPY, Compression.ZSTD};
    /** Send buffers below this one are so small that requests must be, too. */
    private static final int SMALL_SEND_BUFFER = 4_096;
    /** What a network with such a buffer takes for a byte, at most. */
    private static final int MS_PER_BYTE = 4;

    final Acks acks;
    final Compression compression;
    final int sendIntervalUs;
    final int batchLength;
    final int bufferMemory;
    final int requestMaxLength;
    final int requestTimeoutMs;
    final int deliveryTimeoutMs;
    /** Replicas that must be in sync for a record of acks=all; 1 if brokers may never come back. */
    final int minInSyncReplicas;
    /** Only the first one is deleted and created again, or gets partitions. */
    final int topicCount;
    /** That producers begin with. */
    final int firstEpoch;
    /** Whether the send buffer of a connection is small. */
    final boolean isSlow;
    /** Of the notes of an input barrier, or {@link #NO_INPUT}. */
    final int inputIntervalMs;
    private final Scenario scenario;

    PublishScenario(final Scenario scenario, final int sendBufferLength)
    {
        this.scenario = scenario;
        final Draw draw = new Draw(scenario.seed, "publisher");
        isSlow = sendBufferLength < SMALL_SEND_BUFFER;
        acks = draw.oneIn(4) ? Acks.LEADER : Acks.ALL;
        sendIntervalUs = draw.oneIn(4) ? 0 : (int)draw.logBetween(10, MAX_SEND_INTERVAL_US);
        final int drawnLength = (int)draw.logBetween(LEAST_BATCH_LENGTH, MAX_BATCH_LENGTH);
        batchLength = isSlow ? LEAST_BATCH_LENGTH : drawnLength;
        bufferMemory = batchLength * (int)draw.logBetween(1, MAX_SLABS);
        requestMaxLength = FRAMING + batchLength + (isSlow ? 0 : (int)draw.logBetween(1, MAX_BATCH_LENGTH));
        requestTimeoutMs = Math.max(scenario.requestTimeoutMs, isSlow ? MS_PER_BYTE * requestMaxLength : 0);
        deliveryTimeoutMs = requestTimeoutMs +
            (int)draw.logBetween(1 + sendIntervalUs / US_PER_MS, MAX_DELIVERY_MS);
        final boolean isAnyGone =
            scenario.isOn(FaultKind.BROKER_LOST) || scenario.isOn(FaultKind.BROKER_DECOMMISSIONED);
        minInSyncReplicas = isAnyGone ? 1 : 1 + draw.below(2);
        final Draw codecs = new Draw(scenario.seed, "codec of publisher");
        compression = codecs.oneIn(2) ? Compression.NONE : codecs.pick(CODECS);
        final Draw epochs = new Draw(scenario.seed, "producer epochs");
        firstEpoch = epochs.oneIn(3) ? Short.MAX_VALUE - epochs.below(LAST_EPOCHS) : 0;
        final Draw topics = new Draw(scenario.seed, "topics of publisher");
        topicCount = topics.oneIn(2) ? 1 : 2 + topics.below(MAX_TOPICS - 1);
        final Draw inputs = new Draw(scenario.seed, "input barrier");
        final int drawnMs = inputs.oneIn(4) ? 0 : (int)inputs.logBetween(1, MAX_INPUT_INTERVAL_MS);
        inputIntervalMs = inputs.oneIn(2) ? NO_INPUT : drawnMs;
    }

    boolean isIdempotent()
    {
        return acks == Acks.ALL;
    }

    int slabs()
    {
        return bufferMemory / batchLength;
    }

    /** Returns the settings of the publisher without the objects of the world. */
    PublisherContext context()
    {
        final PublisherContext context = new PublisherContext()
            .acks(acks)
            .compression(compression)
            .sendIntervalUs(sendIntervalUs)
            .batchLength(batchLength)
            .bufferMemory(bufferMemory)
            .requestMaxLength(requestMaxLength)
            .deliveryTimeoutMs(deliveryTimeoutMs)
            .requestTimeoutMs(requestTimeoutMs)
            .connectTimeoutMs(scenario.connectTimeoutMs)
            .reconnectBackoffMs(scenario.reconnectBackoffMs, scenario.reconnectBackoffMaxMs)
            .retryBackoffMs(scenario.retryBackoffMs, scenario.retryBackoffMaxMs)
            .metadataMaxAgeMs(scenario.metadataMaxAgeMs)
            .expectedLeaders(scenario.brokerCount);
        if (scenario.isAuthenticated)
        {
            context.security(SecuritySettings.sasl(
                PlainMechanism.plain(Scenario.USER, Scenario.PASSWORD.toCharArray())).withoutTls());
        }
        return context;
    }

    @Override
    public String toString()
    {
        return "acks " + acks + ", compression " + compression + ", sendIntervalUs " + sendIntervalUs +
            ", batchLength " + batchLength + ", slabs " + slabs() + ", requestMaxLength " + requestMaxLength +
            ", requestTimeoutMs " + requestTimeoutMs + ", deliveryTimeoutMs " + deliveryTimeoutMs +
            ", minInSyncReplicas " + minInSyncReplicas + ", firstEpoch " + firstEpoch +
            ", topics " + topicCount +
            ", inputIntervalMs " + inputIntervalMs;
    }
}
