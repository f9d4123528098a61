// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.message;

import java.nio.ByteBuffer;

/**
 * A message that has been fetched. Its bytes are memory of its own message set, valid as long as anyone holds them.
 * Compressed messages come out of their set decompressed. Headers, which the old class did not know, are left out.
 */
public final class Message
{
    /** Sizes of CRC, magic, attributes, of the timestamp, and of the lengths of key and value. */
    private static final int FIXED_SIZE = Integer.BYTES + 2 + 2 * Integer.BYTES;

    private final byte magic;
    private final long timestamp;
    private final ByteBuffer key;
    private final ByteBuffer payload;

    /**
     * @param magic     0 to 2, as the log holds it.
     * @param timestamp in ms, or {@link #NoTimestamp()}.
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

    /**
     * @return the value, from position 0 to its limit; null if it is null.
     */
    public ByteBuffer payload()
    {
        return payload == null ? null : payload.duplicate();
    }

    /**
     * @return the key, from position 0 to its limit; null if there is none.
     */
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

    /**
     * @return in bytes, -1 for none.
     */
    public int keySize()
    {
        return key == null ? -1 : key.limit();
    }

    /**
     * @return in bytes, -1 for null.
     */
    public int payloadSize()
    {
        return payload == null ? -1 : payload.limit();
    }

    /**
     * @return bytes that it takes as a message of its own in the formats before magic 2.
     */
    public int size()
    {
        return FIXED_SIZE + (magic == MagicValue_V0() ? 0 : Long.BYTES) + Math.max(keySize(), 0) +
            Math.max(payloadSize(), 0);
    }

    /**
     * @return format of the log: 0 or 1, and 2, which the old class never met.
     */
    public byte magic()
    {
        return magic;
    }

    public long timestamp()
    {
        return timestamp;
    }

    /**
     * @return true: a message that fails its checksum is never given out.
     */
    public boolean isValid()
    {
        return true;
    }

    /**
     * Does nothing, see {@link #isValid()}.
     */
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
