// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.message;

import org.odradek.kafka.message.InvalidMessageException;
import org.odradek.kafka.message.MessageAndOffset;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The messages of one partition in a response. As the log keeps whole sets, those that were written together come
 * together: the first may have offsets below the one asked for, to be skipped by the program.
 */
public final class ByteBufferMessageSet implements Iterable<MessageAndOffset>
{
    private final ByteBuffer buffer;
    private final int validBytes;
    private final String flaw;
    private final List<MessageAndOffset> messages;

    /**
     * @param buffer     the set as it came.
     * @param validBytes of it in whole, readable sets.
     * @param messages   in them.
     * @param flaw       why no more can be read; null if nothing is wrong.
     */
    public ByteBufferMessageSet(
        final ByteBuffer buffer, final int validBytes, final List<MessageAndOffset> messages, final String flaw)
    {
        this.buffer = buffer;
        this.validBytes = validBytes;
        this.messages = messages;
        this.flaw = flaw;
    }

    /**
     * @return an iterator which, where the log is corrupt, throws {@link InvalidMessageException} behind the last sound
     * message.
     */
    @Override
    public Iterator<MessageAndOffset> iterator()
    {
        final Iterator<MessageAndOffset> sound = messages.iterator();
        return new Iterator<>()
        {
            @Override
            public boolean hasNext()
            {
                return sound.hasNext() || flaw != null;
            }

            @Override
            public MessageAndOffset next()
            {
                if (sound.hasNext())
                {
                    return sound.next();
                }
                if (flaw != null)
                {
                    throw new InvalidMessageException(flaw);
                }
                throw new NoSuchElementException();
            }
        };
    }

    public int sizeInBytes()
    {
        return buffer.limit();
    }

    /**
     * @return bytes before a set that was cut off at the fetch size, which is normal.
     */
    public int validBytes()
    {
        return validBytes;
    }

    /**
     * @return the bytes as they came.
     */
    public ByteBuffer getBuffer()
    {
        return buffer.duplicate();
    }
}
