// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.blocking;

import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireWriter;
import org.odradek.protocol.record.RecordMemory;

/**
 * A request that a {@link BlockingConnection} sends.
 *
 * @param <T> the response.
 */
public interface BlockingRequest<T>
{
    ApiKey apiKey();

    /** Returns the highest version that this request can be encoded in. */
    int maxVersion();

    byte[] clientId();

    /** Returns the maximum length of the body in bytes, in any version. */
    int maxBodyLength();

    /** Writes the body. */
    void write(WireWriter writer, int version);

    /**
     * Decodes the response.
     *
     * @param response the response, whose body is from {@link ResponseHeader#LENGTH} to the limit.
     * @throws org.odradek.protocol.WireFormatException if it is malformed.
     */
    T read(RecordMemory response, int limit, int version);
}
