// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples.profile;

import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;

import java.nio.ByteOrder;

/**
 * The handler to be measured; put yours in its place. This one adds up the first eight bytes of each value.
 */
public final class YourHandler implements RecordHandler
{
    private long records;
    private long total;

    @Override
    public void onRecord(final Record record)
    {
        records++;
        if (record.valueLength() >= Long.BYTES)
        {
            total += record.valueLong(0, ByteOrder.LITTLE_ENDIAN);
        }
    }

    public long records()
    {
        return records;
    }

    public long total()
    {
        return total;
    }
}
