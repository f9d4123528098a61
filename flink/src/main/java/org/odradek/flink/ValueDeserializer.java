// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.util.Collector;
import org.odradek.protocol.record.Record;

import java.util.Objects;

/**
 * Adapts a schema of Flink, which receives values as arrays.
 *
 * @param <T> the type of the elements.
 */
final class ValueDeserializer<T> implements RecordDeserializer<T>
{
    private static final long serialVersionUID = 1;

    private final DeserializationSchema<T> schema;

    ValueDeserializer(final DeserializationSchema<T> schema)
    {
        this.schema = Objects.requireNonNull(schema, "schema");
    }

    @Override
    public void open(final DeserializationSchema.InitializationContext context) throws Exception
    {
        schema.open(context);
    }

    @Override
    public void deserialize(final Record record, final Collector<T> output) throws Exception
    {
        byte[] value = null;
        if (record.valueLength() != Record.NULL_LENGTH)
        {
            value = new byte[record.valueLength()];
            record.buffer().getBytes(record.valueIndex(), value);
        }
        schema.deserialize(value, output);
    }

    @Override
    public TypeInformation<T> getProducedType()
    {
        return schema.getProducedType();
    }
}
