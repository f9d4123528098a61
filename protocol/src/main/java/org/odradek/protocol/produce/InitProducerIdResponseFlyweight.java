// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.produce;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.Field;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireError;
import org.odradek.protocol.WireReader;

/**
 * A view of an InitProducerId response, versions 0 to 5, which {@link #wrap} reads completely. Bytes after the end of
 * the response are ignored, as by Kafka.
 * <pre>
 *  throttleTimeMs      int32
 *  errorCode           int16
 *  producerId          int64
 *  producerEpoch       int16
 *  tags                from 2
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_InitProducerId">InitProducerId in the protocol
 *     guide</a>
 */
public final class InitProducerIdResponseFlyweight
{
    private final WireReader reader = new WireReader();
    private int throttleTimeMs;
    private short errorCode;
    private long producerId;
    private short producerEpoch;

    /** @param index first byte after the correlation id. */
    public InitProducerIdResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        ResponseHeader.wrapBody(reader, ApiKey.INIT_PRODUCER_ID, version, buffer, index, limit);
        throttleTimeMs = reader.int32(Field.THROTTLE_TIME_MS);
        errorCode = reader.int16(Field.ERROR_CODE);
        final int start = reader.index();
        producerId = reader.int64(Field.PRODUCER_ID);
        producerEpoch = reader.int16(Field.PRODUCER_EPOCH);
        reader.skipTags();
        if (ErrorCode.NONE == errorCode)
        {
            checkProducer(start);
        }
        return this;
    }

    /** Batches with a negative id or epoch would be appended without the protection against duplicates. */
    private void checkProducer(final int index)
    {
        if (producerId < 0)
        {
            throw WireError.NEGATIVE.at(Field.PRODUCER_ID, index, producerId);
        }
        if (producerEpoch < 0)
        {
            throw WireError.NEGATIVE.at(Field.PRODUCER_EPOCH, index + Long.BYTES, producerEpoch);
        }
    }

    public int throttleTimeMs()
    {
        return throttleTimeMs;
    }

    public short errorCode()
    {
        return errorCode;
    }

    /** 0 or more if there is no error. */
    public long producerId()
    {
        return producerId;
    }

    /** 0 or more if there is no error. */
    public short producerEpoch()
    {
        return producerEpoch;
    }

    int index()
    {
        return reader.index();
    }
}
