// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

import org.odradek.kafka.common.TopicAndPartition;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Builds fetch requests. Each request starts without partitions.
 */
public final class FetchRequestBuilder
{
    private int correlationId;
    private String clientId = "";
    private int maxWait = FetchRequest.DefaultMaxWait();
    private int minBytes = FetchRequest.DefaultMinBytes();
    private int maxBytes = FetchRequest.DefaultMaxBytes();
    private Map<TopicAndPartition, PartitionFetchInfo> requestInfo = new LinkedHashMap<>();

    /**
     * @param topic     name.
     * @param partition of it.
     * @param offset    of the first message to fetch.
     * @param fetchSize in bytes.
     * @return this.
     */
    public FetchRequestBuilder addFetch(
        final String topic, final int partition, final long offset, final int fetchSize)
    {
        requestInfo.put(new TopicAndPartition(topic, partition), new PartitionFetchInfo(offset, fetchSize));
        return this;
    }

    public FetchRequestBuilder clientId(final String newClientId)
    {
        clientId = newClientId;
        return this;
    }

    /**
     * @param newMaxWait in ms, 0 unless set.
     * @return this.
     */
    public FetchRequestBuilder maxWait(final int newMaxWait)
    {
        maxWait = newMaxWait;
        return this;
    }

    public FetchRequestBuilder minBytes(final int newMinBytes)
    {
        minBytes = newMinBytes;
        return this;
    }

    public FetchRequestBuilder maxBytes(final int newMaxBytes)
    {
        maxBytes = newMaxBytes;
        return this;
    }

    /**
     * @param version ignored: the version is negotiated with the broker.
     * @return this.
     */
    public FetchRequestBuilder requestVersion(final short version)
    {
        return this;
    }

    public FetchRequest build()
    {
        final FetchRequest request =
            new FetchRequest(correlationId++, clientId, maxWait, minBytes, maxBytes, requestInfo);
        requestInfo = new LinkedHashMap<>();
        return request;
    }
}
