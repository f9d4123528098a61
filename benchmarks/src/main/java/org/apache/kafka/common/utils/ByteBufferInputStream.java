// SPDX-License-Identifier: Apache-2.0
package org.apache.kafka.common.utils;

import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;

/** Kafka's client has moved its own; parallel-consumer still asks for it here. */
public final class ByteBufferInputStream extends ByteArrayInputStream
{
    public ByteBufferInputStream(final ByteBuffer buffer)
    {
        super(bytes(buffer));
    }

    private static byte[] bytes(final ByteBuffer buffer)
    {
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
