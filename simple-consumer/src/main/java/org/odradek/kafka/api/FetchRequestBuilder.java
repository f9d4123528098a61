// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

import org.odradek.kafka.common.TopicAndPartition;

import java.util.LinkedHashMap;
import java.util.Map;

/** Builds fetch requests. Each request begins without partitions. */
public final class FetchRequestBuilder
{
    private int correlationId;
    private String clientId = "";
    private int maxWait = FetchRequest.DefaultMaxWait();
    private int minBytes = FetchRequest.DefaultMinBytes();
    private int maxBytes = FetchRequest.DefaultMaxBytes();
    private Map<TopicAndPartition, PartitionFetchInfo> requestInfo = new LinkedHashMap<>();

    /**
     * Adds a partition to the request.
     *
     * @param topic     its topic.
     * @param partition the partition id.
     * @param offset    the offset of the first message to fetch.
     * @param fetchSize the size in bytes.
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
     * Sets the longest wait of the broker.
     *
     * @param newMaxWait the wait in milliseconds; the default is 0.
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
     * Does nothing, because the version is negotiated with the broker.
     *
     * @param version ignored.
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
