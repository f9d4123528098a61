// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

/**
 * How to fetch; the same for every broker.
 *
 * @param maxBytes          of one response, unless its first batch is larger.
 * @param partitionMaxBytes of one partition in a response, likewise.
 * @param minBytes          the broker waits for.
 * @param maxWaitMs         the broker waits at most.
 * @param minIntervalNs     between two requests to one broker, where nothing is known to be there to be fetched.
 * @param isReadCommitted   deliver no record of an aborted or open transaction.
 * @param rackId            of this client, or the empty string.
 * @param retryBackoffNs    before a partition in error is asked for again.
 * @param replicaMaxAgeNs   after which a partition that is read from a replica goes back to its leader.
 * @param sessionMinPartitions of one broker from which a fetch session is used.
 */
public record FetchSettings(
    int maxBytes,
    int partitionMaxBytes,
    int minBytes,
    int maxWaitMs,
    long minIntervalNs,
    boolean isReadCommitted,
    String rackId,
    long retryBackoffNs,
    long replicaMaxAgeNs,
    int sessionMinPartitions)
{
}
