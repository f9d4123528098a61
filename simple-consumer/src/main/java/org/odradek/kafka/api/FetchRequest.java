// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

import org.odradek.kafka.common.TopicAndPartition;

import java.util.Map;

/**
 * A request for messages, built by {@link FetchRequestBuilder}.
 *
 * @param correlationId ignored: each connection numbers its own requests.
 * @param clientId      shown in the broker's logs.
 * @param maxWait       in ms, until the response has its minimum length.
 * @param minBytes      minimum length of the response in bytes.
 * @param maxBytes      maximum length of the response in bytes.
 * @param requestInfo   the partitions and their offsets.
 */
public record FetchRequest(
    int correlationId,
    String clientId,
    int maxWait,
    int minBytes,
    int maxBytes,
    Map<TopicAndPartition, PartitionFetchInfo> requestInfo)
{
    public static int DefaultMaxWait()
    {
        return 0;
    }

    public static int DefaultMinBytes()
    {
        return 0;
    }

    public static int DefaultMaxBytes()
    {
        return Integer.MAX_VALUE;
    }
}
