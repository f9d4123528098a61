// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.message;

/**
 * A message and its offset.
 *
 * @param message    the message.
 * @param offset     its offset.
 * @param nextOffset the offset at which to continue: the offset + 1, or higher if the following offsets hold no
 *                   message.
 */
public record MessageAndOffset(Message message, long offset, long nextOffset)
{
    public MessageAndOffset(final Message message, final long offset)
    {
        this(message, offset, offset + 1);
    }
}
