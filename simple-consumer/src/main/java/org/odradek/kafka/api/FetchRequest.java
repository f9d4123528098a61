// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

import org.odradek.kafka.common.TopicAndPartition;

import java.util.Map;

/**
 * What to fetch, as {@link FetchRequestBuilder} makes it.
 *
 * @param correlationId not sent: each connection numbers its requests itself.
 * @param clientId      that the broker logs.
 * @param maxWait       in ms, for the least bytes to be there.
 * @param minBytes      least bytes of the answer.
 * @param maxBytes      most bytes of the answer.
 * @param requestInfo   what of which partition.
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
