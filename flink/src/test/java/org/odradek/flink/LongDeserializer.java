// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.ValueTypeInfo;
import org.apache.flink.types.LongValue;
import org.apache.flink.util.Collector;
import org.odradek.protocol.record.Record;

import java.nio.ByteOrder;

/** Reads the first long of each value into the same element. A shorter value fails. */
final class LongDeserializer implements RecordDeserializer<LongValue>
{
    private static final long serialVersionUID = 1;

    private final LongValue element = new LongValue();

    @Override
    public void deserialize(final Record record, final Collector<LongValue> output)
    {
        element.setValue(record.valueLong(0, ByteOrder.BIG_ENDIAN));
        output.collect(element);
    }

    @Override
    public TypeInformation<LongValue> getProducedType()
    {
        return ValueTypeInfo.LONG_VALUE_TYPE_INFO;
    }
}
