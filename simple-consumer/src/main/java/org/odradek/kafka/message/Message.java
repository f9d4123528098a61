// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.message;

import java.nio.ByteBuffer;

/** A fetched message, decompressed and without headers. Its bytes stay valid. */
public final class Message
{
    private static final int FIXED_SIZE = Integer.BYTES + 2 + 2 * Integer.BYTES;

    private final byte magic;
    private final long timestamp;
    private final ByteBuffer key;
    private final ByteBuffer payload;

    /**
     * Creates a message.
     *
     * @param magic     the format, 0 to 2.
     * @param timestamp in milliseconds since 1970, or {@link #NoTimestamp()}.
     * @param key       may be null.
     * @param payload   may be null.
     */
    public Message(final byte magic, final long timestamp, final ByteBuffer key, final ByteBuffer payload)
    {
        this.magic = magic;
        this.timestamp = timestamp;
        this.key = key;
        this.payload = payload;
    }

    public static byte MagicValue_V0()
    {
        return 0;
    }

    public static byte MagicValue_V1()
    {
        return 1;
    }

    public static long NoTimestamp()
    {
        return -1;
    }

    /** Returns the value from position 0 to its limit, or null. */
    public ByteBuffer payload()
    {
        return payload == null ? null : payload.duplicate();
    }

    /** Returns the key from position 0 to its limit, or null. */
    public ByteBuffer key()
    {
        return key == null ? null : key.duplicate();
    }

    public boolean hasKey()
    {
        return key != null;
    }

    public boolean isNull()
    {
        return payload == null;
    }

    /** Returns the length of the key in bytes, -1 for null. */
    public int keySize()
    {
        return key == null ? -1 : key.limit();
    }

    /** Returns the length of the value in bytes, -1 for null. */
    public int payloadSize()
    {
        return payload == null ? -1 : payload.limit();
    }

    /** Returns the length in bytes that the message has in the formats before magic 2. */
    public int size()
    {
        return FIXED_SIZE + (magic == MagicValue_V0() ? 0 : Long.BYTES) + Math.max(keySize(), 0) +
            Math.max(payloadSize(), 0);
    }

    /** Returns the format in the log, 0 to 2. */
    public byte magic()
    {
        return magic;
    }

    public long timestamp()
    {
        return timestamp;
    }

    /** Returns true, because a fetch returns no message with a wrong checksum. */
    public boolean isValid()
    {
        return true;
    }

    /** Does nothing. */
    public void ensureValid()
    {
    }

    @Override
    public String toString()
    {
        return "Message(magic = " + magic + ", timestamp = " + timestamp + ", key = " + key + ", payload = " +
            payload + ")";
    }
}
