// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.harness.tls.ChangedTls;
import org.odradek.harness.tls.Step;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** What somebody without a key can make of the records that answer the hello of a client of TLS 1.3. */
final class RecordChanges
{
    private static final byte[] CHANGE_OF_CIPHER = ChangedTls.record(Step.CHANGE_CIPHER_SPEC_TYPE, (byte)1);

    /** Records that anybody can write, and that no client may accept between those of a handshake. */
    private static final List<byte[]> FOREIGN = List.of(
        ChangedTls.record(Step.CHANGE_CIPHER_SPEC_TYPE, (byte)2),
        ChangedTls.record(Step.CHANGE_CIPHER_SPEC_TYPE, (byte)1, (byte)1),
        ChangedTls.record(Step.ALERT_TYPE, (byte)2, (byte)40), ChangedTls.record(Step.ALERT_TYPE, (byte)1, (byte)0),
        ChangedTls.record(Step.ALERT_TYPE, (byte)1), ChangedTls.record(Step.DATA_TYPE, new byte[10]),
        ChangedTls.record(Step.DATA_TYPE, new byte[100]), ChangedTls.record(99, new byte[10]),
        message(0), message(2, new byte[40]), message(4, new byte[20]), message(8, new byte[2]),
        message(11, new byte[4]), message(13, new byte[8]), message(14), message(15, new byte[80]),
        message(20, new byte[32]), message(20, new byte[48]), message(24, (byte)1));

    /** A change with its name. */
    record Change(String name, Consumer<List<byte[]>> change)
    {
        /** Returns the changed records. */
        List<byte[]> apply(final List<byte[]> records)
        {
            final List<byte[]> changed = new ArrayList<>(records);
            change.accept(changed);
            return changed;
        }

        @Override
        public String toString()
        {
            return name;
        }
    }

    private RecordChanges()
    {
    }

    /** A handshake message in plaintext. */
    private static byte[] message(final int type, final byte... body)
    {
        return ChangedTls.record(Step.HANDSHAKE_TYPE,
            ByteBuffer.allocate(Integer.BYTES + body.length).putInt(type << 24 | body.length).put(body).array());
    }

    /** Returns all changes of so many records. */
    static List<Change> of(final int count)
    {
        final List<Change> all = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            final int index = i;
            all.add(new Change("without " + i, (records) -> records.remove(index)));
            all.add(new Change("ends before " + i, (records) -> records.subList(index, records.size()).clear()));
            all.add(new Change("twice " + i, (records) -> records.add(index, records.get(index))));
            all.add(new Change("begins with " + i, (records) -> records.add(0, records.get(index))));
            all.add(new Change("cut " + i, (records) -> change(records, index,
                (content) -> Arrays.copyOf(content, content.length - 1))));
            all.add(new Change("lengthened " + i, (records) -> change(records, index,
                (content) -> Arrays.copyOf(content, content.length + 1))));
            all.add(new Change("empty " + i, (records) -> change(records, index, (content) -> new byte[0])));
            all.add(new Change("split " + i, (records) -> split(records, index)));
            for (final boolean isFirst : new boolean[] {true, false})
            {
                all.add(new Change("bit of " + i + ", " + isFirst, (records) -> change(records, index, (content) ->
                {
                    content[isFirst ? 0 : content.length - 1] ^= 1;
                    return content;
                })));
            }
            for (int k = i + 1; k < count; k++)
            {
                final int other = k;
                all.add(new Change("exchanged " + i + " and " + k, (records) ->
                    records.set(index, records.set(other, records.get(index)))));
            }
            if (i + 1 < count)
            {
                all.add(new Change("merged " + i, (records) -> merge(records, index)));
            }
            for (final byte[] foreign : FOREIGN)
            {
                all.add(new Change("before " + i + " " + Arrays.toString(foreign),
                    (records) -> records.add(index, foreign)));
            }
            all.add(new Change("cipher changed again before " + i,
                (records) -> records.add(index, CHANGE_OF_CIPHER)));
        }
        return all;
    }

    /** Changes the content of a record. */
    private interface Edit
    {
        byte[] apply(byte[] content);
    }

    private static void change(final List<byte[]> records, final int index, final Edit edit)
    {
        final byte[] record = records.get(index);
        records.set(index, ChangedTls.record(record[0], edit.apply(ChangedTls.content(record))));
    }

    private static void split(final List<byte[]> records, final int index)
    {
        final byte[] content = ChangedTls.content(records.get(index));
        final int half = content.length / 2;
        final byte[] rest = Arrays.copyOfRange(content, half, content.length);
        change(records, index, (all) -> Arrays.copyOf(all, half));
        records.add(index + 1, ChangedTls.record(records.get(index)[0], rest));
    }

    private static void merge(final List<byte[]> records, final int index)
    {
        final byte[] first = ChangedTls.content(records.get(index));
        final byte[] second = ChangedTls.content(records.remove(index + 1));
        change(records, index, (content) ->
            ByteBuffer.allocate(first.length + second.length).put(first).put(second).array());
    }

    /**
     * Returns whether the client still gets what the server has sent, and perhaps more afterwards: a plaintext message
     * may be cut into records, and changes of the cipher mean nothing in TLS 1.3.
     */
    static boolean isHarmless(final List<byte[]> sent, final List<byte[]> changed)
    {
        final byte[] right = meaning(sent);
        final byte[] arrived = meaning(changed);
        return arrived.length >= right.length && Arrays.equals(right, Arrays.copyOf(arrived, right.length));
    }

    private static byte[] meaning(final List<byte[]> records)
    {
        final ByteBuffer meaning = ByteBuffer.allocate(1 << 16);
        for (final byte[] record : records)
        {
            if (!Arrays.equals(record, CHANGE_OF_CIPHER))
            {
                meaning.put(record[0] == Step.HANDSHAKE_TYPE ? ChangedTls.content(record) : record);
            }
        }
        return Arrays.copyOf(meaning.array(), meaning.position());
    }
}
