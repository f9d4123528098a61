// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import java.util.zip.CRC32C;

/**
 * CRC-32C over the part of a batch that it covers: from the attributes to the last byte, in the form in which it was
 * stored.
 */
public final class BatchChecksum
{
    private final CRC32C crc = new CRC32C();

    /**
     * @param batch a complete batch.
     * @return the checksum its bytes have, as the low 32 bits; {@link RecordBatchFlyweight#crc()} is what it should be.
     */
    public int compute(final RecordBatchFlyweight batch)
    {
        final int index = batch.index() + RecordBatchFlyweight.ATTRIBUTES_FIELD_OFFSET;
        crc.reset();
        crc.update(batch.memory().checksumView(index, batch.limit() - index));
        return (int)crc.getValue();
    }
}
