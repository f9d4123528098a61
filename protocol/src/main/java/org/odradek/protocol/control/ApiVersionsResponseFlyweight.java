// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.Field;

/**
 * A view of an ApiVersions response, versions 0 to 5: the versions that a broker supports of each API. {@link #wrap}
 * checks the whole response. A broker that does not support the version of the request responds with
 * UNSUPPORTED_VERSION in the layout of version 0.
 * <pre>
 *  errorCode           int16
 *  apiKeys             array
 *    apiKey            int16
 *    minVersion        int16
 *    maxVersion        int16
 *    tags              from 3
 *  throttleTimeMs      int32   from 1
 *  tags                from 3: features of the cluster
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_ApiVersions">ApiVersions in the protocol guide</a>
 */
public final class ApiVersionsResponseFlyweight extends ResponseFlyweight
{
    public static final short NULL_VERSION = -1;

    private static final int API_KEY_LENGTH = 3 * Short.BYTES;

    private int apiKeysIndex;
    private int apiKeyCount;
    private short minVersion;
    private short maxVersion;

    /** @param index first byte after the correlation id. */
    public ApiVersionsResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        apiKeyCount = 0;
        wrapBody(ApiKey.API_VERSIONS, version, buffer, index, limit);
        errorCode = reader.int16(Field.ERROR_CODE);
        final int layout = ErrorCode.UNSUPPORTED_VERSION == errorCode ? 0 : version;
        if (layout != version)
        {
            wrapBody(ApiKey.API_VERSIONS, layout, buffer, reader.index(), limit);
        }

        final int count = reader.arrayCount(Field.API_KEYS, API_KEY_LENGTH);
        apiKeysIndex = reader.index();
        for (int i = 0; i < count; i++)
        {
            reader.skip(Field.API_KEYS, API_KEY_LENGTH);
            reader.skipTags();
        }
        throttleTimeMs = layout >= 1 ? reader.int32(Field.THROTTLE_TIME_MS) : 0;
        reader.skipTags();
        apiKeyCount = count;
        return this;
    }

    public int apiKeyCount()
    {
        return apiKeyCount;
    }

    /** The lowest version that the broker supports, or {@link #NULL_VERSION} if it does not have the API. */
    public short minVersion(final ApiKey apiKey)
    {
        return find(apiKey) ? minVersion : NULL_VERSION;
    }

    /** The highest version that the broker supports, or {@link #NULL_VERSION} if it does not have the API. */
    public short maxVersion(final ApiKey apiKey)
    {
        return find(apiKey) ? maxVersion : NULL_VERSION;
    }

    /** The highest version that the broker and this library both support, or {@link #NULL_VERSION}. */
    public short commonVersion(final ApiKey apiKey)
    {
        if (!find(apiKey))
        {
            return NULL_VERSION;
        }
        final int highest = Math.min(maxVersion, apiKey.maxVersion());
        return highest >= Math.max(minVersion, apiKey.minVersion()) ? (short) highest : NULL_VERSION;
    }

    private boolean find(final ApiKey apiKey)
    {
        reader.index(apiKeysIndex);
        for (int i = 0; i < apiKeyCount; i++)
        {
            final short key = reader.int16(Field.API_KEY);
            minVersion = reader.int16(Field.MIN_VERSION);
            maxVersion = reader.int16(Field.MAX_VERSION);
            reader.skipTags();
            if (key == apiKey.key())
            {
                return true;
            }
        }
        return false;
    }
}
