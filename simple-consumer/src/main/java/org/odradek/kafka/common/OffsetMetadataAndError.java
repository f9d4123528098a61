// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.common;

/**
 * The offset that a group has stored for a partition.
 *
 * @param offset   of the next message to read; -1 if nothing is stored.
 * @param metadata stored with the offset.
 * @param error    see {@link ErrorMapping}.
 */
public record OffsetMetadataAndError(long offset, String metadata, short error)
{
}
