// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.handler.FetchFrameHandler;

/**
 * The settings of fetching, which are the same for every broker.
 *
 * @param maxBytes             of one response, unless its first batch is larger.
 * @param partitionMaxBytes    of one partition in a response, unless its first batch is larger.
 * @param minBytes             that the broker waits for.
 * @param maxWaitMs            that the broker waits at most.
 * @param latencyBudgetMs      that the broker holds a batched fetch at most, or 0.
 * @param isReadCommitted      deliver no record of an aborted or open transaction.
 * @param rackId               of this client, or the empty string.
 * @param retryBackoffNs       before a partition in error is requested again.
 * @param replicaMaxAgeNs      after which a partition that is read from a replica returns to its leader.
 * @param sessionMinPartitions of one broker from which on a fetch session is used; {@link Integer#MAX_VALUE} for never.
 * @param frameHandler         that receives each fetch response, or null.
 */
public record FetchSettings(
    int maxBytes,
    int partitionMaxBytes,
    int minBytes,
    int maxWaitMs,
    int latencyBudgetMs,
    boolean isReadCommitted,
    String rackId,
    long retryBackoffNs,
    long replicaMaxAgeNs,
    int sessionMinPartitions,
    FetchFrameHandler frameHandler)
{
    /** Returns the number of bytes at which the broker answers a batched fetch before the latency budget is over. */
    int batchedMinBytes()
    {
        return Math.max(1, Math.min(maxBytes, partitionMaxBytes) / 2);
    }
}
