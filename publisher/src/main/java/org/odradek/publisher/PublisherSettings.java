// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

/**
 * The settings of a publisher that are not those of its connections, as its context had them when it was created.
 *
 * @param isIdempotent      whether all replicas acknowledge, and batches have sequences.
 * @param sendIntervalNs    shortest time between two requests with open batches to a broker.
 * @param deliveryTimeoutNs longest time until a batch is given up.
 * @param batchLength       of a slab, in bytes.
 * @param bufferMemory      for all slabs, in bytes.
 * @param requestMaxLength  of a request, in bytes.
 * @param compression       of batches.
 * @param compressionLevel  of its codec.
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
