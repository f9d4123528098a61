// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.common;

/**
 * The offset that a group has stored for a partition.
 *
 * @param offset   the offset of the next message to read; -1 if no offset is stored.
 * @param metadata the stored text.
 * @param error    see {@link ErrorMapping}.
 */
public record OffsetMetadataAndError(long offset, String metadata, short error)
{
}
