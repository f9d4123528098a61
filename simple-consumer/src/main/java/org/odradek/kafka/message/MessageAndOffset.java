// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.message;

/**
 * A message and its offset.
 *
 * @param message    key and payload.
 * @param offset     in the partition.
 * @param nextOffset the offset at which to continue: usually the offset + 1, higher if the following offsets hold no
 *                   message.
 */
public record MessageAndOffset(Message message, long offset, long nextOffset)
{
    public MessageAndOffset(final Message message, final long offset)
    {
        this(message, offset, offset + 1);
    }
}
