// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import java.util.zip.CRC32C;

/**
 * Computes the CRC-32C of a batch, which covers the bytes from the attributes to the end, in the form in which they are
 * stored.
 */
public final class BatchChecksum
{
    private final CRC32C crc = new CRC32C();

    /**
     * @param batch a complete batch.
     * @return the checksum of the bytes, to be compared with {@link RecordBatchFlyweight#crc()}.
     */
    public int compute(final RecordBatchFlyweight batch)
    {
        final int index = batch.index() + RecordBatchFlyweight.ATTRIBUTES_FIELD_OFFSET;
        crc.reset();
        crc.update(batch.memory().checksumView(index, batch.limit() - index));
        return (int)crc.getValue();
    }
}
