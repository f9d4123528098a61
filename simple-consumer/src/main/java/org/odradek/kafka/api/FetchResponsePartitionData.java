// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

import org.odradek.kafka.javaapi.message.ByteBufferMessageSet;

/**
 * The fetched messages of a partition.
 *
 * @param error    see {@link org.odradek.kafka.common.ErrorMapping}.
 * @param hw       the high watermark, or -1 if it is unknown.
 * @param messages the messages, never null.
 */
public record FetchResponsePartitionData(short error, long hw, ByteBufferMessageSet messages)
{
}
