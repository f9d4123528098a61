// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.UnsupportedAssignorException;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;

import java.util.Set;

/**
 * Answers ConsumerGroupHeartbeat requests: the checks that a broker makes before it asks the coordinator are here, the
 * rest is the coordinator's. In version 0 a client may leave out its member id; the coordinator draws one at random.
 */
final class ConsumerGroupHeartbeatApi implements ModelBroker.Api
{
    private static final int FIRST_WITH_ID_OF_CLIENT = 1;
    private static final int LEAVE = -1;
    private static final int LEAVE_STATIC = -2;
    private static final Set<String> ASSIGNORS = Set.of("uniform", "range");

    @Override
    public ApiMessage respond(final ModelRequest request)
    {
        final ModelGroups groups = request.broker().cluster().groups();
        final ConsumerGroupHeartbeatRequestData data = (ConsumerGroupHeartbeatRequestData)request.message();
        final ConsumerGroupHeartbeatResponseData response = new ConsumerGroupHeartbeatResponseData();
        try
        {
            check(data, request.version());
            final Errors error = groups.error(request.broker());
            return error == Errors.NONE ?
                groups.write((shard) -> shard.consumerGroupHeartbeat(new RequestContext(request), data)) :
                response.setErrorCode(error.code()).setErrorMessage(error.message());
        }
        catch (final RuntimeException ex)
        {
            final ApiError error = ApiError.fromThrowable(ex);
            return response.setErrorCode(ModelGroups.error(data, ex).code()).setErrorMessage(error.message());
        }
    }

    private static void check(final ConsumerGroupHeartbeatRequestData data, final int version)
    {
        final boolean isMember = data.memberEpoch() > 0 || data.memberEpoch() == LEAVE;
        checkNotEmpty(version >= FIRST_WITH_ID_OF_CLIENT || isMember ? data.memberId() : null, "MemberId");
        checkNotEmpty(data.groupId(), "GroupId");
        checkNotEmpty(data.instanceId(), "InstanceId");
        checkNotEmpty(data.rackId(), "RackId");
        if (data.memberEpoch() == 0)
        {
            check(data.rebalanceTimeoutMs() != -1, "RebalanceTimeoutMs must be provided in first request.");
            check(data.topicPartitions() != null && data.topicPartitions().isEmpty(),
                "TopicPartitions must be empty when (re-)joining.");
            check(data.subscribedTopicNames() != null || data.subscribedTopicRegex() != null,
                "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.");
        }
        check(data.memberEpoch() != LEAVE_STATIC || data.instanceId() != null, "InstanceId can't be null.");
        check(data.memberEpoch() >= LEAVE_STATIC, "MemberEpoch is invalid.");
        if (data.serverAssignor() != null && !ASSIGNORS.contains(data.serverAssignor()))
        {
            throw new UnsupportedAssignorException("ServerAssignor " + data.serverAssignor() +
                " is not supported. Supported assignors: uniform, range.");
        }
    }

    private static void checkNotEmpty(final String value, final String name)
    {
        check(value == null || !value.trim().isEmpty(), name + " can't be empty.");
    }

    private static void check(final boolean isRight, final String message)
    {
        if (!isRight)
        {
            throw new InvalidRequestException(message);
        }
    }
}
