// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.handler.NameResolver;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.handler.TransportType;
import org.odradek.consumer.security.SecuritySettings;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * The values of the settings that {@link ConsumerContext} documents. Setters and Kafka's properties write them; null or
 * 0 means that {@link ConsumerContext#conclude()} derives the value.
 */
final class ConsumerSettings
{
    String bootstrapServers;
    String topic;
    int[] partitions;
    PartitionShard shard;
    StartPosition startPosition = StartPosition.latest();
    final Map<Integer, StartPosition> startPositions = new HashMap<>();
    OffsetResetPolicy offsetResetPolicy = OffsetResetPolicy.fail();
    String clientId = "odradek";
    String clientRack = "";
    FetchSessionMode fetchSession = FetchSessionMode.AUTO;
    int fetchMaxBytes = ConsumerConfiguration.fetchMaxBytes();
    int partitionMaxBytes;
    int fetchMinBytes = ConsumerConfiguration.fetchMinBytes();
    int fetchMaxWaitMs = ConsumerConfiguration.fetchMaxWaitMs();
    int fetchMinIntervalUs;
    boolean checkCrcs = true;
    CorruptBatchPolicy corruptBatchPolicy = CorruptBatchPolicy.STOP;
    IsolationLevel isolationLevel = IsolationLevel.READ_UNCOMMITTED;
    int receiveBufferMaxLength = ConsumerConfiguration.receiveBufferMaxLength();
    int decompressionBufferMaxLength = ConsumerConfiguration.DECOMPRESSION_BUFFER_MAX_LENGTH_DEFAULT;
    int socketReceiveBufferLength;
    int connectTimeoutMs = ConsumerConfiguration.CONNECT_TIMEOUT_MS_DEFAULT;
    int requestTimeoutMs = ConsumerConfiguration.REQUEST_TIMEOUT_MS_DEFAULT;
    int reconnectBackoffMs = ConsumerConfiguration.RECONNECT_BACKOFF_MS_DEFAULT;
    int reconnectBackoffMaxMs = ConsumerConfiguration.RECONNECT_BACKOFF_MAX_MS_DEFAULT;
    int retryBackoffMs = ConsumerConfiguration.RETRY_BACKOFF_MS_DEFAULT;
    int retryBackoffMaxMs = ConsumerConfiguration.RETRY_BACKOFF_MAX_MS_DEFAULT;
    int metadataMaxAgeMs = ConsumerConfiguration.METADATA_MAX_AGE_MS_DEFAULT;
    int rebootstrapTriggerMs = ConsumerConfiguration.REBOOTSTRAP_TRIGGER_MS_DEFAULT;
    int expectedLeaders = ConsumerConfiguration.EXPECTED_LEADERS_DEFAULT;
    SecuritySettings security = SecuritySettings.plaintext();
    TransportType transport;
    Poller poller;
    NameResolver nameResolver = NameResolver.SYSTEM;
    NanoClock nanoClock;
    EpochClock epochClock = SystemEpochClock.INSTANCE;
    RandomGenerator random = new SplittableRandom();
    StatusSettings status = new StatusSettings();
    FetchFrameHandler frameHandler;
    ConsumerListener listener = ConsumerListener.NONE;
    ErrorHandler errorHandler;

    /** Sets what was left open. */
    void fillIn()
    {
        if (transport == null && poller == null)
        {
            transport = ConsumerConfiguration.transport();
        }
        if (partitionMaxBytes == 0)
        {
            partitionMaxBytes = fetchMaxBytes;
        }
        if (nanoClock == null)
        {
            nanoClock = SystemNanoClock.INSTANCE;
        }
        if (errorHandler == null)
        {
            errorHandler = (error) -> System.err.println("odradek: " + error.getMessage());
        }
    }

    boolean isReadCommitted()
    {
        return isolationLevel == IsolationLevel.READ_COMMITTED;
    }
}
