// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.api.PartitionFetchInfo;
import org.odradek.kafka.common.TopicAndPartition;

import java.util.LinkedHashMap;
import java.util.Map;

/** A request for messages, which {@link org.odradek.kafka.api.FetchRequestBuilder} can build. */
public final class FetchRequest
{
    private final org.odradek.kafka.api.FetchRequest underlying;

    /**
     * Creates a request without a limit of its length.
     *
     * @param correlationId ignored.
     * @param clientId      the client id.
     * @param maxWait       in milliseconds.
     * @param minBytes      the minimum length of the response, in bytes.
     * @param requestInfo   partitions and offsets.
     */
    public FetchRequest(
        final int correlationId,
        final String clientId,
        final int maxWait,
        final int minBytes,
        final Map<TopicAndPartition, PartitionFetchInfo> requestInfo)
    {
        underlying = new org.odradek.kafka.api.FetchRequest(correlationId, clientId, maxWait, minBytes,
            org.odradek.kafka.api.FetchRequest.DefaultMaxBytes(), new LinkedHashMap<>(requestInfo));
    }

    public org.odradek.kafka.api.FetchRequest underlying()
    {
        return underlying;
    }
}
