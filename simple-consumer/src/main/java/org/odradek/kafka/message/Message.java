// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.message;

import java.nio.ByteBuffer;

/**
 * A fetched message. Its bytes belong to a copy of its message set and stay valid. Compressed messages are
 * decompressed. Headers, which the old class did not have, are left out.
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
     * @param magic     the format in the log, 0 to 2.
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
     * @return the value from position 0 to its limit, or null.
     */
    public ByteBuffer payload()
    {
        return payload == null ? null : payload.duplicate();
    }

    /**
     * @return the key from position 0 to its limit, or null.
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
     * @return the length of the message alone in the formats before magic 2, in bytes.
     */
    public int size()
    {
        return FIXED_SIZE + (magic == MagicValue_V0() ? 0 : Long.BYTES) + Math.max(keySize(), 0) +
            Math.max(payloadSize(), 0);
    }

    /**
     * @return the format in the log, 0 to 2; the old class did not have 2.
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
     * @return true: a message with a wrong checksum is never returned.
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
