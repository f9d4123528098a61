// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * The part of a partition that a reader still has to read. Its offsets are always numbers: the enumerator has looked
 * them up, so that a job that is restored before its first record begins at the same offsets.
 *
 * @param topic      name.
 * @param partition  id.
 * @param nextOffset of the next record to emit.
 * @param endOffset  of the first record that is not read; {@link #NO_END} if all are.
 */
record PartitionSplit(String topic, int partition, long nextOffset, long endOffset) implements SourceSplit
{
    /** The end offset of an unbounded source. */
    static final long NO_END = Long.MAX_VALUE;

    @Override
    public String splitId()
    {
        return topic + "-" + partition;
    }

    /** The partition of a {@link #splitId()}. */
    static int partition(final String splitId)
    {
        return Integer.parseInt(splitId.substring(splitId.lastIndexOf('-') + 1));
    }

    /** The same split, from another offset on. */
    PartitionSplit from(final long offset)
    {
        return new PartitionSplit(topic, partition, offset, endOffset);
    }

    void write(final DataOutput output) throws IOException
    {
        output.writeUTF(topic);
        output.writeInt(partition);
        output.writeLong(nextOffset);
        output.writeLong(endOffset);
    }

    static PartitionSplit read(final DataInput input) throws IOException
    {
        return new PartitionSplit(input.readUTF(), input.readInt(), input.readLong(), input.readLong());
    }

    /** Writes splits into checkpoints and into messages to readers. */
    static final class Serializer implements SimpleVersionedSerializer<PartitionSplit>
    {
        /** Different from the versions of Flink's KafkaSource, which count from 0, so that its state is recognised. */
        static final int VERSION = 0x4F01;

        @Override
        public int getVersion()
        {
            return VERSION;
        }

        @Override
        public byte[] serialize(final PartitionSplit split) throws IOException
        {
            final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            split.write(new DataOutputStream(bytes));
            return bytes.toByteArray();
        }

        @Override
        public PartitionSplit deserialize(final int version, final byte[] bytes) throws IOException
        {
            checkVersion(version);
            return read(new DataInputStream(new ByteArrayInputStream(bytes)));
        }

        static void checkVersion(final int version) throws IOException
        {
            if (version != VERSION)
            {
                throw new IOException("The state of the source has version " + version + ", and OdradekSource reads " +
                    "version " + VERSION + " only. If a later release of Odradek has written the state, restore it " +
                    "with that release. The state of a KafkaSource cannot be restored: give the source another uid, " +
                    "start from committed offsets, and allow non-restored state.");
            }
        }
    }
}
