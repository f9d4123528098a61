// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.security.PlainMechanism;
import org.odradek.consumer.security.SecuritySettings;
import org.odradek.publisher.Acks;
import org.odradek.publisher.PublisherContext;

/** What a seed draws for a publisher in addition to its {@link Scenario}. */
final class PublishScenario
{
    private static final int LEAST_BATCH_LENGTH = 1_024;
    private static final int MAX_BATCH_LENGTH = 1 << 15;
    /** Of a request beside its batches, at least. */
    private static final int FRAMING = 1_024;
    private static final int MAX_SLABS = 64;
    private static final int MAX_SEND_INTERVAL_US = 50_000;
    private static final int MAX_DELIVERY_MS = 60_000;
    /** Send buffers below this one are so small that requests must be, too. */
    private static final int SMALL_SEND_BUFFER = 4_096;
    /** What a network with such a buffer takes for a byte, at most. */
    private static final int MS_PER_BYTE = 4;

    final Acks acks;
    final int sendIntervalUs;
    final int batchLength;
    final int bufferMemory;
    final int requestMaxLength;
    final int requestTimeoutMs;
    final int deliveryTimeoutMs;
    /** Replicas that must be in sync for a record of acks=all; 1 if brokers may never come back. */
    final int minInSyncReplicas;
    /** Whether the send buffer of a connection is small. */
    final boolean isSlow;
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
        deliveryTimeoutMs = requestTimeoutMs + (int)draw.logBetween(1, MAX_DELIVERY_MS);
        final boolean isAnyGone =
            scenario.isOn(FaultKind.BROKER_LOST) || scenario.isOn(FaultKind.BROKER_DECOMMISSIONED);
        minInSyncReplicas = isAnyGone ? 1 : 1 + draw.below(2);
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
        return "acks " + acks + ", sendIntervalUs " + sendIntervalUs + ", batchLength " + batchLength + ", slabs " +
            slabs() + ", requestMaxLength " + requestMaxLength + ", requestTimeoutMs " + requestTimeoutMs +
            ", deliveryTimeoutMs " + deliveryTimeoutMs + ", minInSyncReplicas " + minInSyncReplicas;
    }
}
