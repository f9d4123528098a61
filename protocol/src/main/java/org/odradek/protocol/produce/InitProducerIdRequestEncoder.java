// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.produce;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Encodes InitProducerId requests, versions 0 to 5, which ask any broker for a new producer id without transactions.
 * {@link #build} writes a frame at index 0 of a buffer and allocates nothing.
 * <pre>
 *  RequestHeader
 *  transactionalId        nullable string  null
 *  transactionTimeoutMs   int32            the largest, as Kafka's producer sends it; of no effect
 *  producerId             int64   from 3   -1: a new one
 *  producerEpoch          int16   from 3   -1
 *  tags                   from 2           none
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_InitProducerId">InitProducerId in the protocol
 *     guide</a>
 */
public final class InitProducerIdRequestEncoder
{
    private static final long NULL_PRODUCER_ID = -1;
    private static final int NULL_PRODUCER_EPOCH = -1;

    /** transactionalId, transactionTimeoutMs, producerId, producerEpoch; tag count. */
    private static final int MAX_FIXED_LENGTH = 2 + 4 + 8 + 2 + 1;

    private final byte[] clientId;
    private final WireWriter writer = new WireWriter();

    /** @param clientId may be null. */
    public InitProducerIdRequestEncoder(final String clientId)
    {
        this.clientId = WireWriter.encode(clientId);
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int build(final MutableDirectBuffer buffer, final int version)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.INIT_PRODUCER_ID, version, clientId);
        writer.string(null).int32(Integer.MAX_VALUE);
        if (version >= 3)
        {
            writer.int64(NULL_PRODUCER_ID).int16(NULL_PRODUCER_EPOCH);
        }
        writer.noTags();
        return RequestHeaderEncoder.end(writer);
    }

    /** Largest length of a frame, in any version. */
    public int maxFrameLength()
    {
        return RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH;
    }
}
