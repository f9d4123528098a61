// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.core.io.SimpleVersionedSerializer;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The state of the enumerator in a checkpoint. The splits that readers have are in the state of the readers.
 *
 * @param partitionCount of the topic, as far as its partitions have been found; 0 before the first discovery.
 * @param unassigned     splits that no reader has.
 */
record EnumeratorState(int partitionCount, List<PartitionSplit> unassigned)
{
    /** The state of a source that has found nothing yet. */
    static final EnumeratorState EMPTY = new EnumeratorState(0, List.of());

    /** Writes the state into checkpoints. */
    static final class Serializer implements SimpleVersionedSerializer<EnumeratorState>
    {
        @Override
        public int getVersion()
        {
            return PartitionSplit.Serializer.VERSION;
        }

        @Override
        public byte[] serialize(final EnumeratorState state) throws IOException
        {
            final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            final DataOutputStream output = new DataOutputStream(bytes);
            output.writeInt(state.partitionCount);
            output.writeInt(state.unassigned.size());
            for (final PartitionSplit split : state.unassigned)
            {
                split.write(output);
            }
            return bytes.toByteArray();
        }

        @Override
        public EnumeratorState deserialize(final int version, final byte[] bytes) throws IOException
        {
            PartitionSplit.Serializer.checkVersion(version);
            final DataInputStream input = new DataInputStream(new ByteArrayInputStream(bytes));
            final int partitionCount = input.readInt();
            final int count = input.readInt();
            final List<PartitionSplit> unassigned = new ArrayList<>();
            for (int i = 0; i < count; i++)
            {
                unassigned.add(PartitionSplit.read(input));
            }
            return new EnumeratorState(partitionCount, unassigned);
        }
    }
}
