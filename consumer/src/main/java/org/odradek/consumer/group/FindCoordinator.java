// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.DirectBuffer;
import org.odradek.client.cluster.Brokers;
import org.odradek.client.cluster.ControlRequest;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.net.RequestFrame;
import org.odradek.consumer.core.Environment;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.FindCoordinatorRequestEncoder;
import org.odradek.protocol.control.FindCoordinatorResponseFlyweight;

/** The FindCoordinator request of a group, and the coordinator that the last response has named. */
final class FindCoordinator extends ControlRequest
{
    private final Brokers brokers;
    private final FindCoordinatorRequestEncoder request;
    final FindCoordinatorResponseFlyweight response = new FindCoordinatorResponseFlyweight();
    BrokerAddress address;

    FindCoordinator(final String groupId, final Brokers brokers, final Environment environment)
    {
        super(ApiKey.FIND_COORDINATOR, environment.settings().retryBackoff());
        this.brokers = brokers;
        request = new FindCoordinatorRequestEncoder(environment.settings().clientId, groupId);
    }

    @Override
    public int encode(final RequestFrame frame, final int version)
    {
        return request.build(frame.ofLength(request.maxFrameLength()), version);
    }

    @Override
    public boolean onResponse(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        response.wrap(buffer, index, limit, version);
        throttleTimeMs = response.throttleTimeMs();
        errorCode = response.errorCode();
        if (errorCode != ErrorCode.NONE)
        {
            return false;
        }
        BrokerAddress.check(response.nodeId(), buffer, response.hostIndex(), response.hostLength(), response.port());
        address = brokers.address(
            response.nodeId(), buffer, response.hostIndex(), response.hostLength(), response.port());
        return true;
    }
}
