// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.flink;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.odradek.benchmarks.rig.ThreeLongs;

/**
 * Reads the byte array of a value, and emits the same object again and again as {@link OdradekSamples} does.
 */
final class ConnectorSamples implements KafkaRecordDeserializationSchema<Sample>
{
    private static final long serialVersionUID = 1;

    private transient Sample sample;

    @Override
    public void deserialize(final ConsumerRecord<byte[], byte[]> record, final Collector<Sample> output)
    {
        if (sample == null)
        {
            sample = new Sample();
        }
        final byte[] value = record.value();
        sample.offset = record.offset();
        sample.length = value.length;
        sample.first = ThreeLongs.first(value);
        sample.others = ThreeLongs.others(value);
        output.collect(sample);
    }

    @Override
    public TypeInformation<Sample> getProducedType()
    {
        return Sample.TYPE;
    }
}
