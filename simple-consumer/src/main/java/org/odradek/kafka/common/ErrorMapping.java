// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.common;

import org.odradek.protocol.ErrorCode;

/** The error codes that old programs know. Brokers also return others. */
public final class ErrorMapping
{
    private ErrorMapping()
    {
    }

    public static short UnknownCode()
    {
        return -1;
    }

    public static short NoError()
    {
        return 0;
    }

    public static short OffsetOutOfRangeCode()
    {
        return 1;
    }

    public static short InvalidMessageCode()
    {
        return 2;
    }

    public static short UnknownTopicOrPartitionCode()
    {
        return 3;
    }

    public static short InvalidFetchSizeCode()
    {
        return 4;
    }

    public static short LeaderNotAvailableCode()
    {
        return 5;
    }

    public static short NotLeaderForPartitionCode()
    {
        return 6;
    }

    public static short RequestTimedOutCode()
    {
        return 7;
    }

    public static short BrokerNotAvailableCode()
    {
        return 8;
    }

    public static short ReplicaNotAvailableCode()
    {
        return 9;
    }

    public static short MessageSizeTooLargeCode()
    {
        return 10;
    }

    public static short StaleControllerEpochCode()
    {
        return 11;
    }

    public static short OffsetMetadataTooLargeCode()
    {
        return 12;
    }

    public static short StaleLeaderEpochCode()
    {
        return 13;
    }

    public static short OffsetsLoadInProgressCode()
    {
        return 14;
    }

    public static short ConsumerCoordinatorNotAvailableCode()
    {
        return 15;
    }

    public static short NotCoordinatorForConsumerCode()
    {
        return 16;
    }

    public static short InvalidTopicCode()
    {
        return 17;
    }

    public static short MessageSetSizeTooLargeCode()
    {
        return 18;
    }

    public static short NotEnoughReplicasCode()
    {
        return 19;
    }

    public static short NotEnoughReplicasAfterAppendCode()
    {
        return 20;
    }

    public static short InvalidRequiredAcksCode()
    {
        return 21;
    }

    public static short IllegalConsumerGenerationCode()
    {
        return 22;
    }

    public static short InconsistentPartitionAssignmentStrategyCode()
    {
        return 23;
    }

    public static short UnknownPartitionAssignmentStrategyCode()
    {
        return 24;
    }

    public static short UnknownConsumerCode()
    {
        return 25;
    }

    public static short InvalidSessionTimeoutCode()
    {
        return 26;
    }

    public static short RebalanceInProgressCode()
    {
        return 27;
    }

    public static short InvalidCommitOffsetSizeCode()
    {
        return 28;
    }

    public static short TopicAuthorizationCode()
    {
        return 29;
    }

    public static short GroupAuthorizationCode()
    {
        return 30;
    }

    public static short ClusterAuthorizationCode()
    {
        return 31;
    }

    /** Returns null for {@link #NoError()}, otherwise an exception with the name of the code. */
    public static Throwable exceptionFor(final short code)
    {
        return code == NoError() ? null : new KafkaException(ErrorCode.name(code));
    }

    /**
     * Throws an exception for any code except {@link #NoError()}.
     *
     * @throws KafkaException with the name of the code.
     */
    public static void maybeThrowException(final short code)
    {
        if (code != NoError())
        {
            throw new KafkaException(ErrorCode.name(code));
        }
    }

    public static String exceptionNameFor(final short code)
    {
        return ErrorCode.name(code);
    }
}
