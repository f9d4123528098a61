// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

import org.odradek.kafka.javaapi.message.ByteBufferMessageSet;

/**
 * The fetched messages of a partition.
 *
 * @param error    see {@link org.odradek.kafka.common.ErrorMapping}.
 * @param hw       high watermark; -1 in case of an error.
 * @param messages empty in case of an error.
 */
public record FetchResponsePartitionData(short error, long hw, ByteBufferMessageSet messages)
{
}
