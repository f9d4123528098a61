// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.control.ApiVersionsRequestEncoder;
import org.odradek.protocol.control.ApiVersionsResponseFlyweight;
import org.odradek.protocol.record.RecordMemory;

import java.util.Locale;

/**
 * The first exchange on a connection: asks which versions the broker speaks, in a lower version of the question if it
 * does not know ours, and keeps the highest version of each API that both sides speak.
 */
final class VersionNegotiation
{
    private static final ApiKey[] API_KEYS = ApiKey.values();

    private final ApiKey purpose;
    private final ApiVersionsRequestEncoder request;
    private final ApiVersionsResponseFlyweight response = new ApiVersionsResponseFlyweight();
    private final RequestFrame frame;
    private final ClusterIdentity identity;
    private final short[] versions = new short[API_KEYS.length];
    private int questionVersion;
    private int nodeId;
    private BrokerAddress address;

    /**
     * @param purpose what the connection is for: a broker that does not speak it is of no use.
     */
    VersionNegotiation(final String clientId, final ConsumerEnvironment environment, final ApiKey purpose)
    {
        this.purpose = purpose;
        request = new ApiVersionsRequestEncoder(
            clientId, ConnectionSettings.SOFTWARE_NAME, ConnectionSettings.SOFTWARE_VERSION);
        identity = environment.identity();
        frame = new RequestFrame(environment.budget(), request.maxFrameLength());
    }

    /**
     * The next question will be the first on a new connection.
     */
    void begin(final int newNodeId, final BrokerAddress newAddress)
    {
        nodeId = newNodeId;
        address = newAddress;
        questionVersion = address.probeVersion();
    }

    /**
     * Build the question into {@link #frame()}.
     *
     * @return its length in bytes.
     */
    int ask(final int correlationId)
    {
        request.expected(nodeId == BrokerConnection.NULL_NODE_ID ? null : identity.clusterId(), nodeId);
        frame.ensureCapacity(request.maxFrameLength());
        request.build(frame.buffer(), questionVersion).correlationId(correlationId);
        return request.frameLength();
    }

    RequestFrame frame()
    {
        return frame;
    }

    /**
     * Read the answer.
     *
     * @return true if the versions are agreed; false if the question is to be asked again.
     * @throws WireFormatException if the broker cannot be spoken to.
     */
    boolean onResponse(final RecordMemory memory, final int index, final int limit)
    {
        response.wrap(memory.buffer(), index, limit, questionVersion);
        final short errorCode = response.errorCode();
        if (errorCode == ErrorCode.NONE)
        {
            for (int i = 0; i < API_KEYS.length; i++)
            {
                versions[i] = response.commonVersion(API_KEYS[i]);
            }
            checkPurpose();
            if (response.maxVersion(ApiKey.API_VERSIONS) > questionVersion)
            {
                address.resetProbeVersion();
            }
            return true;
        }
        if (errorCode == ErrorCode.REBOOTSTRAP_REQUIRED)
        {
            identity.wantRebootstrap("broker " + nodeId + " at " + address + " answered REBOOTSTRAP_REQUIRED: it is " +
                "not that node of cluster " + identity);
        }
        if (errorCode != ErrorCode.UNSUPPORTED_VERSION || questionVersion == 0)
        {
            throw new WireFormatException(
                "ApiVersions version " + questionVersion + " answered with " + ErrorCode.name(errorCode));
        }
        // Only a lower version is taken up, so that a broker cannot keep us asking.
        final short offered = response.maxVersion(ApiKey.API_VERSIONS);
        questionVersion = offered >= 0 && offered < questionVersion ? offered : 0;
        return false;
    }

    private void checkPurpose()
    {
        if (version(purpose) < 0)
        {
            throw new WireFormatException("it speaks no version of " + nameOfPurpose() + " from " +
                purpose.minVersion() + " to " + purpose.maxVersion());
        }
    }

    private String nameOfPurpose()
    {
        final StringBuilder name = new StringBuilder();
        for (final String word : purpose.name().split("_"))
        {
            name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return name.toString();
    }

    /**
     * In which the question was asked last.
     */
    int questionVersion()
    {
        return questionVersion;
    }

    /**
     * For how long the answer asks to be sent nothing; 0 where the broker has waited itself.
     */
    int throttleTimeMs()
    {
        return ApiKey.API_VERSIONS.isThrottledByClient(questionVersion) ? response.throttleTimeMs() : 0;
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
