// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.message;

/**
 * A message and where it stands in its partition.
 *
 * @param message    key and payload.
 * @param offset     in the partition.
 * @param nextOffset from which to go on after it: mostly the offset + 1, more where the log holds nothing behind it.
 */
public record MessageAndOffset(Message message, long offset, long nextOffset)
{
    public MessageAndOffset(final Message message, final long offset)
    {
        this(message, offset, offset + 1);
    }
}
