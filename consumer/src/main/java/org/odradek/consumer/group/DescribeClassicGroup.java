// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.DirectBuffer;
import org.odradek.client.cluster.ControlRequest;
import org.odradek.client.net.RequestFrame;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.PrintableText;
import org.odradek.protocol.control.DescribeGroupsRequestEncoder;
import org.odradek.protocol.control.DescribeGroupsResponseFlyweight;

/**
 * A request for the description of the classic group that the first join of a member may convert. If the coordinator
 * refuses to describe the group, or the answer is lost, the member still joins, and nothing is reported.
 */
final class DescribeClassicGroup extends ControlRequest
{
    private final Environment environment;
    private final DescribeGroupsRequestEncoder request;
    private final DescribeGroupsResponseFlyweight response = new DescribeGroupsResponseFlyweight();
    private boolean isDone;
    private int memberCount;
    private String protocolType;
    private String groupState;

    DescribeClassicGroup(final Environment environment)
    {
        super(ApiKey.DESCRIBE_GROUPS, environment.settings().retryBackoff());
        this.environment = environment;
        request = new DescribeGroupsRequestEncoder(
            environment.settings().clientId, environment.settings().group.id);
    }

    boolean isDone()
    {
        return isDone;
    }

    void onJoined()
    {
        if (memberCount > 0)
        {
            environment.counters().add(ConsumerCounters.CLASSIC_GROUPS_CONVERTED, 1);
            environment.listener().onClassicGroupConverted(protocolType, groupState, memberCount);
            memberCount = 0;
        }
    }

    @Override
    public boolean isFirstPartEnough()
    {
        return true;
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
        final short code = response.errorCode();
        final boolean isRetried = code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS ||
            code == ErrorCode.COORDINATOR_NOT_AVAILABLE || code == ErrorCode.NOT_COORDINATOR;
        // After these errors the request is sent again, because a join would receive the same error; other errors are
        // ignored.
        errorCode = isRetried ? code : ErrorCode.NONE;
        isDone = !isRetried;
        if (code == ErrorCode.NONE)
        {
            memberCount = response.memberCount();
            protocolType = PrintableText.of(buffer, response.protocolTypeIndex(), response.protocolTypeLength());
            groupState = PrintableText.of(buffer, response.groupStateIndex(), response.groupStateLength());
        }
        return isDone;
    }

    @Override
    public void onLost()
    {
        isDone = true;
    }
}
