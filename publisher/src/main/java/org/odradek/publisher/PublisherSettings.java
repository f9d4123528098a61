// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

/** The settings of a publisher that do not concern its connections, copied from its context. */
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
