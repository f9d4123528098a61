// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.PrintableText;
import org.odradek.protocol.WireReader;
import org.odradek.protocol.control.ConsumerGroupHeartbeatResponseFlyweight;

import java.util.Locale;

/** The actions of a member after errors, and the sentences that report errors of groups. */
final class GroupErrors
{
    enum Action
    {
        /** The member sends the request again after a backoff. */
        RETRY,
        /**
         * The error is reported, and the member sends the request again after a heartbeat interval, because an
         * administrator can remove the cause.
         */
        RETRY_LATER,
        /** The member leaves and then joins, because the coordinator knows its id with another epoch. */
        LEAVE_FIRST,
        /** The member joins again, because all its partitions are lost. */
        REJOIN,
        /** The member waits, because another process holds the instance id. */
        WAIT_FOR_RELEASE,
        /** The member fails or changes the protocol, because no retry can help. */
        FAIL,
        /** The member gives up all partitions, then joins again, because the members of a classic group change. */
        REBALANCE
    }

    private GroupErrors()
    {
    }

    static Action action(final short errorCode, final boolean isJoining)
    {
        return switch (errorCode)
        {
            case ErrorCode.TOPIC_AUTHORIZATION_FAILED, ErrorCode.GROUP_MAX_SIZE_REACHED -> Action.RETRY_LATER;
            case ErrorCode.FENCED_MEMBER_EPOCH -> isJoining ? Action.LEAVE_FIRST : Action.REJOIN;
            case ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.ILLEGAL_GENERATION -> isJoining ? Action.RETRY : Action.REJOIN;
            case ErrorCode.REBALANCE_IN_PROGRESS -> Action.REBALANCE;
            case ErrorCode.GROUP_ID_NOT_FOUND -> isJoining ? Action.FAIL : Action.REJOIN;
            case ErrorCode.UNRELEASED_INSTANCE_ID -> Action.WAIT_FOR_RELEASE;
            // The response has no error, but an epoch that no member has; or it requires an id that the member already
            // had.
            case ErrorCode.NONE, ErrorCode.MEMBER_ID_REQUIRED, ErrorCode.UNKNOWN_SERVER_ERROR -> Action.RETRY;
            default -> ErrorCode.isRetriable(errorCode) ? Action.RETRY : Action.FAIL;
        };
    }

    /** Returns true if an error of a commit puts the membership in doubt. */
    static boolean isOfMembership(final short errorCode)
    {
        return switch (errorCode)
        {
            case ErrorCode.ILLEGAL_GENERATION, ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.UNKNOWN_MEMBER_ID,
                ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.FENCED_INSTANCE_ID, ErrorCode.FENCED_MEMBER_EPOCH,
                ErrorCode.STALE_MEMBER_EPOCH -> true;
            default -> false;
        };
    }

    /** Returns the sentence that reports an error; null for an error that is not reported. */
    static String report(
        final ApiKey api,
        final short errorCode,
        final String brokerMessage,
        final String memberId,
        final String instanceId,
        final boolean isEnded)
    {
        final String end = isEnded ? "; this consumer is not a member and reads nothing." :
            "; the consumer tries again.";
        final Action action = action(errorCode, true);
        if (action == Action.WAIT_FOR_RELEASE)
        {
            return "instance id " + instanceId + " is held by another process, or by one that was killed and whose " +
                "session has not expired" + end;
        }
        return action == Action.RETRY_LATER || action == Action.FAIL && isEnded ?
            "the " + request(api) + (memberId.isEmpty() ? "" : " of member " + PrintableText.of(memberId)) +
                " failed with " + cause(api, errorCode, brokerMessage) + end : null;
    }

    static String failure(
        final ApiKey api, final short errorCode, final String brokerMessage, final boolean isEnded)
    {
        return "The coordinator answered a " + request(api) + " with " + cause(api, errorCode, brokerMessage) +
            (isEnded ? "." : "; all partitions are lost, and the member joins again.");
    }

    /** @param unconfirmedNs the time in nanoseconds since the last confirmed request was sent. */
    static String removed(
        final String groupId,
        final String memberId,
        final String failure,
        final long unconfirmedNs,
        final String longest)
    {
        return "Group " + groupId + " has removed " + (memberId.isEmpty() ? "this member" : "member " +
            PrintableText.of(memberId)) + ": " + failure + " Its last confirmed heartbeat was sent " +
            seconds(unconfirmedNs) + " s ago" + longest + ".";
    }

    static String longest(final long tookNs, final int partition)
    {
        return "; since then, one cycle took " + seconds(tookNs) + " s" +
            (partition < 0 ? "" : ", in partition " + partition);
    }

    private static String seconds(final long ns)
    {
        return String.format(Locale.ROOT, "%.1f", ns / 1e9);
    }

    private static String request(final ApiKey api)
    {
        return api == ApiKey.CONSUMER_GROUP_HEARTBEAT ? "heartbeat" :
            api.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static String cause(final ApiKey api, final short errorCode, final String brokerMessage)
    {
        return ErrorCode.name(errorCode) + reason(api, errorCode) +
            (brokerMessage == null ? "" : " (" + brokerMessage + ")");
    }

    private static String reason(final ApiKey api, final short errorCode)
    {
        return switch (errorCode)
        {
            case ErrorCode.UNSUPPORTED_VERSION -> api == ApiKey.CONSUMER_GROUP_HEARTBEAT ?
                ", because consumer groups need brokers from 4.0 on with the feature group.version=1" :
                ", because classic groups need brokers from 2.3 on";
            case ErrorCode.INCONSISTENT_GROUP_PROTOCOL ->
                ", because the group has members without the assignor range, or that are no consumers: put " +
                    "range into partition.assignment.strategy of all of them";
            case ErrorCode.INVALID_SESSION_TIMEOUT ->
                ", because sessionTimeoutMs is outside of group.min.session.timeout.ms and " +
                    "group.max.session.timeout.ms of the brokers";
            case ErrorCode.UNSUPPORTED_ASSIGNOR -> ", because the broker has no assignor of the name that is set";
            case ErrorCode.FENCED_INSTANCE_ID -> ", because another process has joined under the same instance id";
            case ErrorCode.GROUP_ID_NOT_FOUND ->
                ", because the group is of another kind, or its members cannot be in one group with this one";
            case ErrorCode.GROUP_MAX_SIZE_REACHED -> ", because the group has as many members as it may have";
            default -> "";
        };
    }

    /** Returns the broker's message about an error; null if there is none. */
    static String message(final ConsumerGroupHeartbeatResponseFlyweight response)
    {
        return response.errorMessageLength() == WireReader.NULL_LENGTH ? null :
            PrintableText.of(response.buffer(), response.errorMessageIndex(), response.errorMessageLength());
    }

    static String leftOut(final ApiKey api, final int partition)
    {
        return "the " + api + " response leaves out partition " + partition + "; the consumer tries again.";
    }

    static String gone(final int partition, final short errorCode)
    {
        return "the offset of partition " + partition + " cannot be committed: the brokers have not known the " +
            "partition for a minute (" + ErrorCode.name(errorCode) + "); it is discarded.";
    }

    static String error(final ApiKey api, final short errorCode, final boolean isRetriable)
    {
        return api + " failed with " + ErrorCode.name(errorCode) + reason(errorCode) +
            (isRetriable ? "; the consumer tries again." : ".");
    }

    private static String reason(final short errorCode)
    {
        return switch (errorCode)
        {
            case ErrorCode.ILLEGAL_GENERATION, ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.REBALANCE_IN_PROGRESS ->
                ", because a live group owns this group id: use another";
            case ErrorCode.UNSUPPORTED_VERSION ->
                ", because the broker and this library have no version of it in common";
            default -> "";
        };
    }
}
