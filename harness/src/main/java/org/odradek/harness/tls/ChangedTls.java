// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.tls;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * TLS 1.3 by an engine of the JDK, whose answer to the client's hello is changed on its way, as somebody without a key
 * can do: records are left out, repeated, exchanged, cut, merged or added. A record is a header of 5 bytes (type,
 * 0x0303, length) with its content. The first is the ServerHello; the others but changes of the cipher are encrypted.
 */
public final class ChangedTls implements ServerTls
{
    private static final int HEADER_LENGTH = 5;
    private static final int LENGTH_INDEX = 3;
    private static final byte[] LEGACY_VERSION = {3, 3};

    private final EngineTls engine;
    private final UnaryOperator<List<byte[]>> change;
    private boolean isChanged;

    /** @param change returns the records to send, given those of the engine in a list that may be changed. */
    public ChangedTls(final EngineTls engine, final UnaryOperator<List<byte[]>> change)
    {
        this.engine = engine;
        this.change = change;
    }

    /** Returns a record. */
    public static byte[] record(final int type, final byte... content)
    {
        return ByteBuffer.allocate(HEADER_LENGTH + content.length)
            .put((byte)type).put(LEGACY_VERSION).putShort((short)content.length).put(content).array();
    }

    /** Returns the content of a record. */
    public static byte[] content(final byte[] record)
    {
        return Arrays.copyOfRange(record, HEADER_LENGTH, record.length);
    }

    private static List<byte[]> records(final byte[] bytes)
    {
        final List<byte[]> records = new ArrayList<>();
        int index = 0;
        while (index < bytes.length)
        {
            final int length = ByteBuffer.wrap(bytes).getShort(index + LENGTH_INDEX) & 0xFFFF;
            records.add(Arrays.copyOfRange(bytes, index, index + HEADER_LENGTH + length));
            index += HEADER_LENGTH + length;
        }
        return records;
    }

    @Override
    public void receive(final byte[] bytes)
    {
        engine.receive(bytes);
    }

    @Override
    public void send(final byte[] bytes)
    {
        engine.send(bytes);
    }

    @Override
    public byte[] takeOutput()
    {
        final byte[] output = engine.takeOutput();
        if (isChanged || output.length == 0)
        {
            return output;
        }
        isChanged = true;
        final ByteArrayOutputStream sent = new ByteArrayOutputStream();
        change.apply(records(output)).forEach(sent::writeBytes);
        return sent.toByteArray();
    }

    @Override
    public byte[] takePlaintext()
    {
        return engine.takePlaintext();
    }
}
