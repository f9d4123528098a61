// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData.MemberResponse;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.JoinGroupResponse;
import org.apache.kafka.common.requests.LeaveGroupResponse;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Answers the requests of members of classic groups: JoinGroup, SyncGroup, Heartbeat and LeaveGroup. The checks that a
 * broker makes before it asks the coordinator are here, the rest is the coordinator's. A join is parked until all
 * members have joined, and a sync until the leader has sent the assignment.
 */
final class ClassicGroupApi implements ModelBroker.Api
{
    static final Set<ApiMessageType> TYPES = EnumSet.of(ApiMessageType.JOIN_GROUP, ApiMessageType.SYNC_GROUP,
        ApiMessageType.HEARTBEAT, ApiMessageType.LEAVE_GROUP);

    private static final int FIRST_JOIN_WITH_REBALANCE_TIMEOUT = 1;
    private static final int FIRST_SYNC_WITH_PROTOCOL = 5;
    private static final int FIRST_LEAVE_OF_MEMBERS = 3;

    @Override
    public ApiMessage respond(final ModelRequest request)
    {
        final ModelGroups groups = request.broker().cluster().groups();
        final boolean isParked = request.parked != null;
        final CompletableFuture<?> response =
            isParked ? (CompletableFuture<?>)request.parked : begin(groups, request);
        groups.advance();
        if (response.isDone())
        {
            return complete((ApiMessage)response.join(), request.version());
        }
        if (!isParked)
        {
            request.parked = response;
            response.thenRun(request.broker()::touch);
        }
        request.deadlineNs = groups.nextTimerNs();
        return null;
    }

    private static CompletableFuture<?> begin(final ModelGroups groups, final ModelRequest request)
    {
        final ApiMessage message = request.message();
        return message instanceof JoinGroupRequestData join ? join(groups, request, join) :
            message instanceof SyncGroupRequestData sync ? sync(groups, request, sync) :
            CompletableFuture.completedFuture(message instanceof HeartbeatRequestData heartbeat ?
                heartbeat(groups, request, heartbeat) : leave(groups, request, (LeaveGroupRequestData)message));
    }

    private static CompletableFuture<JoinGroupResponseData> join(
        final ModelGroups groups, final ModelRequest request, final JoinGroupRequestData data)
    {
        final CompletableFuture<JoinGroupResponseData> response = new CompletableFuture<>();
        if (request.version() < FIRST_JOIN_WITH_REBALANCE_TIMEOUT)
        {
            data.setRebalanceTimeoutMs(data.sessionTimeoutMs());
        }
        try
        {
            groups.check(request.broker(), data.groupId());
            groups.checkSessionTimeout(data.sessionTimeoutMs());
            groups.countIds(data);
            groups.write((shard) -> shard.classicGroupJoin(new RequestContext(request), data, response, false));
        }
        catch (final RuntimeException ex)
        {
            final Errors error = ModelGroups.error(data, ex);
            final boolean isInvalid = error == Errors.INVALID_GROUP_ID || error == Errors.INVALID_SESSION_TIMEOUT;
            response.complete(new JoinGroupResponseData()
                .setErrorCode(error.code()).setMemberId(isInvalid ? data.memberId() : ""));
        }
        return response;
    }

    private static CompletableFuture<SyncGroupResponseData> sync(
        final ModelGroups groups, final ModelRequest request, final SyncGroupRequestData data)
    {
        final CompletableFuture<SyncGroupResponseData> response = new CompletableFuture<>();
        try
        {
            if (request.version() >= FIRST_SYNC_WITH_PROTOCOL &&
                (data.protocolType() == null || data.protocolName() == null))
            {
                throw new InconsistentGroupProtocolException("no protocol");
            }
            groups.check(request.broker(), data.groupId());
            groups.write((shard) -> shard.classicGroupSync(new RequestContext(request), data, response));
        }
        catch (final RuntimeException ex)
        {
            response.complete(new SyncGroupResponseData().setErrorCode(ModelGroups.error(data, ex).code()));
        }
        return response;
    }

    /** While the groups are loaded, a heartbeat succeeds. */
    private static HeartbeatResponseData heartbeat(
        final ModelGroups groups, final ModelRequest request, final HeartbeatRequestData data)
    {
        try
        {
            groups.check(request.broker(), data.groupId());
            return groups.write((shard) -> shard.classicGroupHeartbeat(new RequestContext(request), data));
        }
        catch (final RuntimeException ex)
        {
            final Errors error = ModelGroups.error(data, ex);
            return new HeartbeatResponseData().setErrorCode(
                error == Errors.COORDINATOR_LOAD_IN_PROGRESS ? Errors.NONE.code() : error.code());
        }
    }

    private static LeaveGroupResponseData leave(
        final ModelGroups groups, final ModelRequest request, final LeaveGroupRequestData data)
    {
        if (request.version() < FIRST_LEAVE_OF_MEMBERS)
        {
            data.setMembers(List.of(new MemberIdentity().setMemberId(data.memberId())));
        }
        try
        {
            groups.check(request.broker(), data.groupId());
            return groups.write((shard) -> shard.classicGroupLeave(new RequestContext(request), data));
        }
        catch (final RuntimeException ex)
        {
            final Errors error = ModelGroups.error(data, ex);
            return error != Errors.UNKNOWN_MEMBER_ID ? new LeaveGroupResponseData().setErrorCode(error.code()) :
                new LeaveGroupResponseData().setMembers(data.members().stream().map((member) -> new MemberResponse()
                .setMemberId(member.memberId()).setGroupInstanceId(member.groupInstanceId())
                .setErrorCode(error.code())).toList());
        }
    }

    /** Gives a response the form that its version wants. */
    private static ApiMessage complete(final ApiMessage response, final short version)
    {
        return response instanceof JoinGroupResponseData join ? new JoinGroupResponse(join, version).data() :
            response instanceof LeaveGroupResponseData leave ? new LeaveGroupResponse(leave, version).data() : response;
    }
}
