// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The versions that a broker supports, by its release, and its ApiVersions API. The highest versions are those of the
 * releases' git tags and message schemas; a test compares them with what the released jars of kafka-clients report.
 * The lowest ones rose in 4.0 (KIP-896). The message classes of kafka-clients cannot read versions that 4.x has
 * removed: the model advertises them for older releases, and closes the connection of a client that uses one.
 */
public final class BrokerVersions implements ModelBroker.Api
{
    /** A list of releases, each the first one with the next version; the first entry has the version before them. */
    private static final class Steps
    {
        private final int lowest40;
        private final int firstVersion;
        private final int[] releases;

        /**
         * @param lowest40     lowest version since 4.0.
         * @param firstVersion highest version of 0.11, or -1.
         * @param releases     100 * major + minor of each release that added a version; a release that added two is
         *                     listed twice.
         */
        Steps(final int lowest40, final int firstVersion, final int... releases)
        {
            this.lowest40 = lowest40;
            this.firstVersion = firstVersion;
            this.releases = releases;
        }

        int max(final BrokerRelease release)
        {
            int version = firstVersion;
            for (final int step : releases)
            {
                version += release.isBefore(step / 100, step % 100) ? 0 : 1;
            }
            return version;
        }
    }

    private static final Map<ApiMessageType, Steps> TABLE = new EnumMap<>(ApiMessageType.class);
    private static final Pattern SOFTWARE = Pattern.compile("[a-zA-Z0-9](?:[a-zA-Z0-9\\-.]*[a-zA-Z0-9])?");

    static
    {
        TABLE.put(ApiMessageType.FETCH,
            new Steps(4, 5, 100, 101, 200, 201, 201, 203, 207, 301, 305, 305, 307, 309, 401));
        // Brokers of 4.x advertise versions of Produce that they close the connection for (KAFKA-18659).
        TABLE.put(ApiMessageType.PRODUCE, new Steps(0, 3, 100, 100, 200, 201, 204, 208, 307, 308, 400, 401));
        TABLE.put(ApiMessageType.INIT_PRODUCER_ID, new Steps(0, 0, 200, 204, 205, 207, 308));
        TABLE.put(ApiMessageType.LIST_OFFSETS, new Steps(1, 2, 200, 201, 202, 208, 300, 305, 309, 400, 402));
        TABLE.put(ApiMessageType.METADATA, new Steps(0, 4, 100, 200, 201, 203, 204, 208, 208, 301, 400));
        TABLE.put(ApiMessageType.OFFSET_COMMIT, new Steps(2, 3, 200, 201, 201, 203, 204, 307, 402));
        TABLE.put(ApiMessageType.OFFSET_FETCH, new Steps(1, 3, 200, 201, 204, 205, 300, 307, 402));
        TABLE.put(ApiMessageType.FIND_COORDINATOR, new Steps(0, 1, 200, 204, 300, 308, 309));
        TABLE.put(ApiMessageType.API_VERSIONS, new Steps(0, 1, 200, 204, 309, 404));
        TABLE.put(ApiMessageType.OFFSET_FOR_LEADER_EPOCH, new Steps(2, 0, 200, 201, 203, 208));
        TABLE.put(ApiMessageType.DESCRIBE_GROUPS, new Steps(0, 1, 200, 203, 204, 204, 400));
        TABLE.put(ApiMessageType.JOIN_GROUP, new Steps(0, 2, 200, 202, 203, 204, 205, 302, 302));
        TABLE.put(ApiMessageType.SYNC_GROUP, new Steps(0, 1, 200, 203, 204, 205));
        TABLE.put(ApiMessageType.HEARTBEAT, new Steps(0, 1, 200, 203, 204));
        TABLE.put(ApiMessageType.LEAVE_GROUP, new Steps(0, 1, 200, 204, 204, 302));
        TABLE.put(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, new Steps(0, -1, 400, 400));
        TABLE.put(ApiMessageType.SASL_HANDSHAKE, new Steps(0, 0, 100));
        TABLE.put(ApiMessageType.SASL_AUTHENTICATE, new Steps(0, -1, 100, 202, 205));
    }

    private final ModelBroker broker;
    private final Map<ApiMessageType, Integer> maxima = new EnumMap<>(ApiMessageType.class);
    private final Map<ApiMessageType, Integer> minima = new EnumMap<>(ApiMessageType.class);

    BrokerVersions(final ModelBroker broker)
    {
        this.broker = broker;
    }

    /**
     * Sets the range of an API instead of that of the release; with a negative maximum, the API is not supported. An
     * API that the model does not serve is advertised, for a script that serves it.
     */
    public BrokerVersions range(final ApiMessageType type, final int min, final int max)
    {
        minima.put(type, min);
        maxima.put(type, max);
        return this;
    }

    /** Returns the highest version of an API, or -1 if the broker does not support the API. */
    public int max(final ApiMessageType type)
    {
        final Integer max = maxima.get(type);
        final boolean isServed = switch (type)
        {
            case CONSUMER_GROUP_HEARTBEAT, DESCRIBE_GROUPS, JOIN_GROUP, SYNC_GROUP, HEARTBEAT, LEAVE_GROUP ->
                broker.cluster().groups() != null;
            case PRODUCE, INIT_PRODUCER_ID -> broker.cluster().minInSyncReplicas() > 0;
            case SASL_HANDSHAKE, SASL_AUTHENTICATE -> broker.cluster().sasl() != null;
            default -> true;
        };
        final Steps steps = isServed ? TABLE.get(type) : null;
        return max != null ? max : steps == null ? -1 : steps.max(broker.release());
    }

    /** Returns the lowest version of an API. */
    public int min(final ApiMessageType type)
    {
        final Integer min = minima.get(type);
        return min != null ? min : broker.release().isBefore(4, 0) ? 0 : TABLE.get(type).lowest40;
    }

    boolean isSupported(final ApiMessageType type, final int version)
    {
        return max(type) >= 0 && version >= min(type) && version <= max(type);
    }

    @Override
    public ApiMessage respond(final ModelRequest request)
    {
        final ApiVersionsResponseData response = new ApiVersionsResponseData().setThrottleTimeMs(request.throttleMs());
        if (!isSupported(request.type(), request.version()))
        {
            response.setErrorCode(Errors.UNSUPPORTED_VERSION.code());
            if (!broker.release().isBefore(2, 4))
            {
                add(response, request.type());
            }
            return response;
        }
        if (request.version() >= 3)
        {
            final Errors error = check((ApiVersionsRequestData)request.message());
            if (error != Errors.NONE)
            {
                return response.setErrorCode(error.code());
            }
        }
        final Set<ApiMessageType> types = EnumSet.copyOf(TABLE.keySet());
        types.addAll(maxima.keySet());
        types.forEach((type) -> add(response, type));
        return response;
    }

    private Errors check(final ApiVersionsRequestData request)
    {
        final boolean hasClusterId = request.clusterId() != null;
        if (hasClusterId != request.nodeId() >= 0 ||
            !SOFTWARE.matcher(request.clientSoftwareName()).matches() ||
            !SOFTWARE.matcher(request.clientSoftwareVersion()).matches())
        {
            return Errors.INVALID_REQUEST;
        }
        final boolean isForThisBroker = !hasClusterId ||
            request.clusterId().equals(broker.cluster().clusterId()) && request.nodeId() == broker.id();
        return isForThisBroker ? Errors.NONE : Errors.REBOOTSTRAP_REQUIRED;
    }

    private void add(final ApiVersionsResponseData response, final ApiMessageType type)
    {
        if (max(type) >= 0)
        {
            response.apiKeys().add(new ApiVersion().setApiKey(type.apiKey())
                .setMinVersion((short)min(type)).setMaxVersion((short)max(type)));
        }
    }
}
