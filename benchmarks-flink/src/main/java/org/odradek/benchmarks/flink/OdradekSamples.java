// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.flink;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.Collector;
import org.odradek.benchmarks.rig.ThreeLongs;
import org.odradek.flink.RecordDeserializer;
import org.odradek.protocol.record.Record;

/**
 * Reads a value in place.
 */
final class OdradekSamples implements RecordDeserializer<Sample>
{
    private static final long serialVersionUID = 1;

    private transient Sample sample;

    @Override
    public void deserialize(final Record record, final Collector<Sample> output)
    {
        if (sample == null)
        {
            sample = new Sample();
        }
        sample.offset = record.offset();
        sample.length = record.valueLength();
        sample.first = record.valueLong(ThreeLongs.FIRST, ThreeLongs.ORDER);
        sample.others = record.valueLong(ThreeLongs.SECOND, ThreeLongs.ORDER) +
            record.valueLong(ThreeLongs.THIRD, ThreeLongs.ORDER);
        output.collect(sample);
    }

    @Override
    public TypeInformation<Sample> getProducedType()
    {
        return Sample.TYPE;
    }
}
