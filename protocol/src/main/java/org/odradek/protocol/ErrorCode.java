// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

/** The error codes of Kafka: constants for those that a client can receive, and the name and properties of all. */
public final class ErrorCode
{
    public static final short UNKNOWN_SERVER_ERROR = -1;
    public static final short NONE = 0;
    public static final short OFFSET_OUT_OF_RANGE = 1;
    public static final short CORRUPT_MESSAGE = 2;
    public static final short UNKNOWN_TOPIC_OR_PARTITION = 3;
    public static final short LEADER_NOT_AVAILABLE = 5;
    public static final short NOT_LEADER_OR_FOLLOWER = 6;
    public static final short REQUEST_TIMED_OUT = 7;
    public static final short REPLICA_NOT_AVAILABLE = 9;
    public static final short MESSAGE_TOO_LARGE = 10;
    public static final short OFFSET_METADATA_TOO_LARGE = 12;
    public static final short NETWORK_EXCEPTION = 13;
    public static final short COORDINATOR_LOAD_IN_PROGRESS = 14;
    public static final short COORDINATOR_NOT_AVAILABLE = 15;
    public static final short NOT_COORDINATOR = 16;
    public static final short INVALID_TOPIC_EXCEPTION = 17;
    public static final short RECORD_LIST_TOO_LARGE = 18;
    public static final short NOT_ENOUGH_REPLICAS = 19;
    /** The batch is in the log of the leader. */
    public static final short NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20;
    public static final short INVALID_REQUIRED_ACKS = 21;
    public static final short ILLEGAL_GENERATION = 22;
    public static final short INCONSISTENT_GROUP_PROTOCOL = 23;
    public static final short INVALID_GROUP_ID = 24;
    public static final short UNKNOWN_MEMBER_ID = 25;
    public static final short INVALID_SESSION_TIMEOUT = 26;
    public static final short REBALANCE_IN_PROGRESS = 27;
    public static final short INVALID_COMMIT_OFFSET_SIZE = 28;
    public static final short TOPIC_AUTHORIZATION_FAILED = 29;
    public static final short GROUP_AUTHORIZATION_FAILED = 30;
    public static final short CLUSTER_AUTHORIZATION_FAILED = 31;
    public static final short INVALID_TIMESTAMP = 32;
    public static final short UNSUPPORTED_SASL_MECHANISM = 33;
    public static final short ILLEGAL_SASL_STATE = 34;
    public static final short UNSUPPORTED_VERSION = 35;
    public static final short INVALID_REQUEST = 42;
    public static final short UNSUPPORTED_FOR_MESSAGE_FORMAT = 43;
    public static final short POLICY_VIOLATION = 44;
    public static final short OUT_OF_ORDER_SEQUENCE_NUMBER = 45;
    public static final short DUPLICATE_SEQUENCE_NUMBER = 46;
    public static final short INVALID_PRODUCER_EPOCH = 47;
    public static final short KAFKA_STORAGE_ERROR = 56;
    public static final short SASL_AUTHENTICATION_FAILED = 58;
    public static final short UNKNOWN_PRODUCER_ID = 59;
    public static final short GROUP_ID_NOT_FOUND = 69;
    public static final short FETCH_SESSION_ID_NOT_FOUND = 70;
    public static final short INVALID_FETCH_SESSION_EPOCH = 71;
    public static final short LISTENER_NOT_FOUND = 72;
    public static final short FENCED_LEADER_EPOCH = 74;
    public static final short UNKNOWN_LEADER_EPOCH = 75;
    public static final short UNSUPPORTED_COMPRESSION_TYPE = 76;
    public static final short OFFSET_NOT_AVAILABLE = 78;
    public static final short MEMBER_ID_REQUIRED = 79;
    public static final short GROUP_MAX_SIZE_REACHED = 81;
    public static final short FENCED_INSTANCE_ID = 82;
    public static final short INVALID_RECORD = 87;
    public static final short UNSTABLE_OFFSET_COMMIT = 88;
    public static final short THROTTLING_QUOTA_EXCEEDED = 89;
    public static final short PRODUCER_FENCED = 90;
    public static final short UNKNOWN_TOPIC_ID = 100;
    public static final short INCONSISTENT_TOPIC_ID = 103;
    public static final short FETCH_SESSION_TOPIC_ID_ERROR = 106;
    public static final short OFFSET_MOVED_TO_TIERED_STORAGE = 109;
    public static final short FENCED_MEMBER_EPOCH = 110;
    public static final short UNRELEASED_INSTANCE_ID = 111;
    public static final short UNSUPPORTED_ASSIGNOR = 112;
    public static final short STALE_MEMBER_EPOCH = 113;
    public static final short REBOOTSTRAP_REQUIRED = 129;

    /** In the order of their codes, from -1. They are one text because 138 literals would take as many lines. */
    private static final String[] NAMES = """
        UNKNOWN_SERVER_ERROR NONE OFFSET_OUT_OF_RANGE CORRUPT_MESSAGE UNKNOWN_TOPIC_OR_PARTITION
        INVALID_FETCH_SIZE LEADER_NOT_AVAILABLE NOT_LEADER_OR_FOLLOWER REQUEST_TIMED_OUT BROKER_NOT_AVAILABLE
        REPLICA_NOT_AVAILABLE MESSAGE_TOO_LARGE STALE_CONTROLLER_EPOCH OFFSET_METADATA_TOO_LARGE
        NETWORK_EXCEPTION COORDINATOR_LOAD_IN_PROGRESS COORDINATOR_NOT_AVAILABLE NOT_COORDINATOR
        INVALID_TOPIC_EXCEPTION RECORD_LIST_TOO_LARGE NOT_ENOUGH_REPLICAS NOT_ENOUGH_REPLICAS_AFTER_APPEND
        INVALID_REQUIRED_ACKS ILLEGAL_GENERATION INCONSISTENT_GROUP_PROTOCOL INVALID_GROUP_ID UNKNOWN_MEMBER_ID
        INVALID_SESSION_TIMEOUT REBALANCE_IN_PROGRESS INVALID_COMMIT_OFFSET_SIZE TOPIC_AUTHORIZATION_FAILED
        GROUP_AUTHORIZATION_FAILED CLUSTER_AUTHORIZATION_FAILED INVALID_TIMESTAMP UNSUPPORTED_SASL_MECHANISM
        ILLEGAL_SASL_STATE UNSUPPORTED_VERSION TOPIC_ALREADY_EXISTS INVALID_PARTITIONS
        INVALID_REPLICATION_FACTOR INVALID_REPLICA_ASSIGNMENT INVALID_CONFIG NOT_CONTROLLER INVALID_REQUEST
        UNSUPPORTED_FOR_MESSAGE_FORMAT POLICY_VIOLATION OUT_OF_ORDER_SEQUENCE_NUMBER DUPLICATE_SEQUENCE_NUMBER
        INVALID_PRODUCER_EPOCH INVALID_TXN_STATE INVALID_PRODUCER_ID_MAPPING INVALID_TRANSACTION_TIMEOUT
        CONCURRENT_TRANSACTIONS TRANSACTION_COORDINATOR_FENCED TRANSACTIONAL_ID_AUTHORIZATION_FAILED
        SECURITY_DISABLED OPERATION_NOT_ATTEMPTED KAFKA_STORAGE_ERROR LOG_DIR_NOT_FOUND
        SASL_AUTHENTICATION_FAILED UNKNOWN_PRODUCER_ID REASSIGNMENT_IN_PROGRESS DELEGATION_TOKEN_AUTH_DISABLED
        DELEGATION_TOKEN_NOT_FOUND DELEGATION_TOKEN_OWNER_MISMATCH DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
        DELEGATION_TOKEN_AUTHORIZATION_FAILED DELEGATION_TOKEN_EXPIRED INVALID_PRINCIPAL_TYPE NON_EMPTY_GROUP
        GROUP_ID_NOT_FOUND FETCH_SESSION_ID_NOT_FOUND INVALID_FETCH_SESSION_EPOCH LISTENER_NOT_FOUND
        TOPIC_DELETION_DISABLED FENCED_LEADER_EPOCH UNKNOWN_LEADER_EPOCH UNSUPPORTED_COMPRESSION_TYPE
        STALE_BROKER_EPOCH OFFSET_NOT_AVAILABLE MEMBER_ID_REQUIRED PREFERRED_LEADER_NOT_AVAILABLE
        GROUP_MAX_SIZE_REACHED FENCED_INSTANCE_ID ELIGIBLE_LEADERS_NOT_AVAILABLE ELECTION_NOT_NEEDED
        NO_REASSIGNMENT_IN_PROGRESS GROUP_SUBSCRIBED_TO_TOPIC INVALID_RECORD UNSTABLE_OFFSET_COMMIT
        THROTTLING_QUOTA_EXCEEDED PRODUCER_FENCED RESOURCE_NOT_FOUND DUPLICATE_RESOURCE UNACCEPTABLE_CREDENTIAL
        INCONSISTENT_VOTER_SET INVALID_UPDATE_VERSION FEATURE_UPDATE_FAILED PRINCIPAL_DESERIALIZATION_FAILURE
        SNAPSHOT_NOT_FOUND POSITION_OUT_OF_RANGE UNKNOWN_TOPIC_ID DUPLICATE_BROKER_REGISTRATION
        BROKER_ID_NOT_REGISTERED INCONSISTENT_TOPIC_ID INCONSISTENT_CLUSTER_ID TRANSACTIONAL_ID_NOT_FOUND
        FETCH_SESSION_TOPIC_ID_ERROR INELIGIBLE_REPLICA NEW_LEADER_ELECTED OFFSET_MOVED_TO_TIERED_STORAGE
        FENCED_MEMBER_EPOCH UNRELEASED_INSTANCE_ID UNSUPPORTED_ASSIGNOR STALE_MEMBER_EPOCH
        MISMATCHED_ENDPOINT_TYPE UNSUPPORTED_ENDPOINT_TYPE UNKNOWN_CONTROLLER_ID UNKNOWN_SUBSCRIPTION_ID
        TELEMETRY_TOO_LARGE INVALID_REGISTRATION TRANSACTION_ABORTABLE INVALID_RECORD_STATE
        SHARE_SESSION_NOT_FOUND INVALID_SHARE_SESSION_EPOCH FENCED_STATE_EPOCH INVALID_VOTER_KEY
        DUPLICATE_VOTER VOTER_NOT_FOUND INVALID_REGULAR_EXPRESSION REBOOTSTRAP_REQUIRED
        STREAMS_INVALID_TOPOLOGY STREAMS_INVALID_TOPOLOGY_EPOCH STREAMS_TOPOLOGY_FENCED
        SHARE_SESSION_LIMIT_REACHED GROUP_DELETION_FAILED STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED
        CONTROLLER_ID_NOT_REGISTERED
        """.trim().split("\\s+");

    private static final short[] RETRIABLE =
    {
        2, 3, 5, 6, 7, 9, 13, 14, 15, 16, 19, 20, 41, 51, 56, 70, 71, 72, 74, 75, 78, 80, 83, 84, 88, 89, 100, 103,
        106, 122, 123, 133
    };

    private static final short[] INVALIDATING_METADATA =
    {
        3, 5, 6, 9, 13, 56, 72, 74, 80, 83, 84, 100, 103
    };

    private static final boolean[] IS_RETRIABLE = flags(RETRIABLE);
    private static final boolean[] INVALIDATES_METADATA = flags(INVALIDATING_METADATA);

    private ErrorCode()
    {
    }

    /** The name that Kafka uses; for an unknown code a name that contains its number. */
    public static String name(final short code)
    {
        return isKnown(code) ? NAMES[code + 1] : "UNKNOWN_CODE_" + code;
    }

    /** True if the same request may succeed later. */
    public static boolean isRetriable(final short code)
    {
        return isKnown(code) && IS_RETRIABLE[code + 1];
    }

    /** True if the code means that the known topics and leaders are out of date. */
    public static boolean invalidatesMetadata(final short code)
    {
        return isKnown(code) && INVALIDATES_METADATA[code + 1];
    }

    /** True if the broker does not know the topic, by its name or its id, or the partition. */
    public static boolean isUnknownPartition(final short code)
    {
        return code == UNKNOWN_TOPIC_OR_PARTITION || code == UNKNOWN_TOPIC_ID;
    }

    /** False for a code that a later Kafka may have added. */
    public static boolean isKnown(final short code)
    {
        return code >= -1 && code + 1 < NAMES.length;
    }

    private static boolean[] flags(final short[] codes)
    {
        final boolean[] flags = new boolean[NAMES.length];
        for (final short code : codes)
        {
            flags[code + 1] = true;
        }
        return flags;
    }
}
