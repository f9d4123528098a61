// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.tail;

import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;

import java.nio.charset.StandardCharsets;

/**
 * Lets through records that have a header: of a name, or of a name and a value.
 */
final class HeaderFilter
{
    private final byte[] name;
    private final byte[] value;

    /**
     * @param text {@code NAME} or {@code NAME=VALUE}.
     */
    HeaderFilter(final String text)
    {
        final int equals = text.indexOf('=');
        name = (equals < 0 ? text : text.substring(0, equals)).getBytes(StandardCharsets.UTF_8);
        value = equals < 0 ? null : text.substring(equals + 1).getBytes(StandardCharsets.UTF_8);
    }

    boolean accepts(final Record record)
    {
        final RecordHeadersFlyweight headers = record.headers();
        while (headers.next(name))
        {
            if (value == null || isValue(record, headers.valueIndex(), headers.valueLength()))
            {
                return true;
            }
        }
        return false;
    }

    private boolean isValue(final Record record, final int index, final int length)
    {
        boolean isSame = length == value.length;
        for (int i = 0; isSame && i < length; i++)
        {
            isSame = record.buffer().getByte(index + i) == value[i];
        }
        return isSame;
    }
}
