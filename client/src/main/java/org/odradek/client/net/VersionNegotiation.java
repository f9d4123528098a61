// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.agrona.DirectBuffer;
import org.odradek.client.core.ClusterIdentity;
import org.odradek.client.core.MemoryBudget;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.control.ApiVersionsRequestEncoder;
import org.odradek.protocol.control.ApiVersionsResponseFlyweight;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * Builds the version probe (ApiVersions), which is the first request on a connection, and keeps the highest version of
 * each API that both sides support.
 */
final class VersionNegotiation
{
    private static final String SOFTWARE_NAME = "odradek";
    static final String SOFTWARE_VERSION = "0.1.0";
    private static final ApiKey[] API_KEYS = ApiKey.values();

    private final ApiKey purpose;
    private final ApiVersionsRequestEncoder request;
    private final ApiVersionsResponseFlyweight response = new ApiVersionsResponseFlyweight();
    final RequestFrame frame;
    private final ClusterIdentity identity;
    private final short[] versions = new short[API_KEYS.length];
    int probeVersion;
    /**
     * The time in milliseconds for which the client must send nothing; 0 if the broker has delayed the response
     * instead.
     */
    int throttleTimeMs;
    private int nodeId;
    private String address;

    VersionNegotiation(
        final String clientId, final ClusterIdentity identity, final MemoryBudget budget, final ApiKey purpose)
    {
        this.purpose = purpose;
        request = new ApiVersionsRequestEncoder(clientId, SOFTWARE_NAME, SOFTWARE_VERSION);
        this.identity = identity;
        frame = new RequestFrame(budget, request.maxFrameLength());
    }

    void begin(final int newNodeId, final String newAddress, final int firstProbeVersion)
    {
        nodeId = newNodeId;
        address = newAddress;
        probeVersion = firstProbeVersion;
    }

    int buildProbe(final int correlationId)
    {
        request.expected(nodeId < 0 ? null : identity.clusterId(), nodeId);
        final int length = request.build(frame.ofLength(request.maxFrameLength()), probeVersion);
        RequestHeaderEncoder.correlationId(frame.buffer(), correlationId);
        return length;
    }

    /**
     * @return true if the versions are known; false if the probe must be repeated, in a lower version.
     * @throws WireFormatException if the response is malformed or contains another error, or the broker does not
     *                             support the API of this connection.
     */
    boolean onResponse(final DirectBuffer buffer, final int index, final int limit)
    {
        throttleTimeMs = 0;
        if (!wrap(buffer, index, limit))
        {
            probeVersion = 0;
            return false;
        }
        throttleTimeMs = ApiKey.API_VERSIONS.isThrottledByClient(probeVersion) ? response.throttleTimeMs() : 0;
        final short errorCode = response.errorCode();
        if (errorCode == ErrorCode.NONE)
        {
            takeVersions();
            return true;
        }
        if (errorCode == ErrorCode.REBOOTSTRAP_REQUIRED)
        {
            identity.requestRebootstrap("broker " + nodeId + " at " + address +
                " responded with REBOOTSTRAP_REQUIRED: it is not that node of cluster " + identity);
        }
        if (errorCode != ErrorCode.UNSUPPORTED_VERSION || probeVersion == 0)
        {
            throw new WireFormatException(
                "ApiVersions version " + probeVersion + " answered with " + ErrorCode.name(errorCode));
        }
        // Each repetition has a lower version, so that a broker cannot make the client repeat the probe forever.
        final int refused = probeVersion;
        final short offered = response.maxVersion(ApiKey.API_VERSIONS);
        probeVersion = offered >= 0 && offered < probeVersion ? offered : 0;
        assert probeVersion < refused;
        return false;
    }

    /**
     * Some brokers send UNSUPPORTED_VERSION in the layout of another version, but the error code is the first field in
     * every layout.
     */
    private boolean wrap(final DirectBuffer buffer, final int index, final int limit)
    {
        try
        {
            response.wrap(buffer, index, limit, probeVersion);
            return true;
        }
        catch (final WireFormatException ex)
        {
            if (probeVersion > 0 && limit - index >= Short.BYTES &&
                buffer.getShort(index, BIG_ENDIAN) == ErrorCode.UNSUPPORTED_VERSION)
            {
                return false;
            }
            throw ex;
        }
    }

    private void takeVersions()
    {
        for (int i = 0; i < API_KEYS.length; i++)
        {
            versions[i] = response.commonVersion(API_KEYS[i]);
        }
        if (version(purpose) < 0)
        {
            throw new WireFormatException("it supports no version of " + purpose.title() + " from " +
                purpose.minVersion() + " to " + purpose.maxVersion());
        }
    }

    boolean findHigherProbe()
    {
        return response.maxVersion(ApiKey.API_VERSIONS) > probeVersion;
    }

    int version(final ApiKey apiKey)
    {
        return versions[apiKey.ordinal()];
    }

    void free()
    {
        frame.free();
    }
}
