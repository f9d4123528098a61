// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

import org.odradek.kafka.javaapi.message.ByteBufferMessageSet;

/**
 * What was fetched of a partition.
 *
 * @param error    see {@link org.odradek.kafka.common.ErrorMapping}.
 * @param hw       high watermark; -1 with an error.
 * @param messages none with an error.
 */
public record FetchResponsePartitionData(short error, long hw, ByteBufferMessageSet messages)
{
}
