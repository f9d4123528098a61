// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

import org.odradek.kafka.common.TopicAndPartition;

import java.util.Map;

/**
 * A request for messages, built by {@link FetchRequestBuilder}.
 *
 * @param correlationId ignored.
 * @param clientId      the client id.
 * @param maxWait       the longest wait for {@code minBytes}, in milliseconds.
 * @param minBytes      the minimum length of the response, in bytes.
 * @param maxBytes      the maximum length of the response, in bytes, unless its first batch is longer.
 * @param requestInfo   partitions and offsets.
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
