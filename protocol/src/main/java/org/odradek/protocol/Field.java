// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import java.util.Locale;

/**
 * The fields of responses that errors name. Reading code passes these constants instead of strings, because classes on
 * the hot path must not contain string constants: HotSpot allocates them on the polling thread when it compiles.
 */
public enum Field
{
    ABORTED_TRANSACTIONS, API_KEY, API_KEYS, ASSIGNED_PARTITIONS, ASSIGNMENT, AUTH_BYTES, BROKERS, BYTES,
    CLUSTER_AUTHORIZED_OPERATIONS, CLUSTER_ID, COMMITTED_LEADER_EPOCH, COMMITTED_OFFSET, CONTROLLER_ID, COORDINATORS,
    CURRENT_LEADER, CURRENT_LEADER_EPOCH, CURRENT_LEADER_ID, DIVERGING_END_OFFSET, DIVERGING_EPOCH, END_OFFSET,
    ERROR_CODE, ERROR_MESSAGE, FIRST_OFFSET, GENERATION_ID, GROUPS, GROUP_ID, GROUP_INSTANCE_ID, GROUP_STATE,
    HEARTBEAT_INTERVAL_MS, HIGH_WATERMARK, HOST, ISR_NODES, IS_INTERNAL, KEY, LAST_STABLE_OFFSET, LEADER, LEADER_EPOCH,
    LEADER_ID, LOG_START_OFFSET, MAX_VERSION, MECHANISMS, MEMBERS, MEMBER_EPOCH, MEMBER_ID, METADATA, MIN_VERSION, NAME,
    NODE_ENDPOINTS, NODE_ID, OFFLINE_REPLICAS, OFFSET, PARTITION, PARTITIONS, PARTITION_INDEX, PORT,
    PREFERRED_READ_REPLICA, PRODUCER_ID, PROTOCOL_DATA, PROTOCOL_NAME, PROTOCOL_TYPE, RACK, RECORDS, REPLICA_NODES,
    RESPONSES, SESSION_ID, SESSION_LIFETIME_MS, SKIP_ASSIGNMENT, TAG, TAG_COUNT, TAG_SIZE, THROTTLE_TIME_MS, TIMESTAMP,
    TOPIC, TOPICS, TOPIC_AUTHORIZED_OPERATIONS, TOPIC_ID, VARINT, VERSION;

    /** The name of the field in the protocol guide. */
    String label()
    {
        final StringBuilder label = new StringBuilder();
        for (final String word : name().split("_"))
        {
            label.append(label.isEmpty() ? word.substring(0, 1).toLowerCase(Locale.ROOT) : word.substring(0, 1))
                .append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return label.toString();
    }
}
