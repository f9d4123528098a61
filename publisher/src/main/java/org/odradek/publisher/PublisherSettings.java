// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

/**
 * The settings of a publisher that do not concern its connections, copied from its context when the publisher was
 * created.
 *
 * @param isIdempotent      true if all in-sync replicas acknowledge and batches have sequences.
 * @param sendIntervalNs    the shortest time in nanoseconds between two requests to a broker with batches that are not
 *                          full.
 * @param deliveryTimeoutNs the time in nanoseconds after which a batch is given up.
 * @param batchLength       the length of a slab, in bytes.
 * @param bufferMemory      the length of all slabs, in bytes.
 * @param requestMaxLength  the largest length of a request, in bytes.
 * @param compression       the compression of batches.
 * @param compressionLevel  the level of the compression.
 */
record PublisherSettings(
    boolean isIdempotent,
    long sendIntervalNs,
    long deliveryTimeoutNs,
    int batchLength,
    int bufferMemory,
    int requestMaxLength,
    Compression compression,
    int compressionLevel)
{
}
