// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

/**
 * The most that a response may hold of what takes memory, or time beyond that of reading its bytes. Each limit is far
 * above what clusters have, and is checked before anything is allocated or stored; a response with more is malformed.
 * <p>
 * The counts of all other arrays are bounded by the frame: an element takes at least one byte, every element is read in
 * constant time, and nothing is stored of it. These are topics, aborted transactions, API keys, coordinators, errors
 * of records, tags and headers of records. Aborted transactions are copied, to at most four times as many bytes as they
 * have in the frame.
 */
public final class WireLimits
{
    /**
     * The brokers of a cluster, and so the leaders that a Fetch or Produce response names, and the replicas of a
     * partition. Large clusters have some hundreds.
     */
    public static final int MAX_BROKERS = 10_000;

    /**
     * The partitions of one topic, and so those of the assignment of a group's member. Large clusters have as many in
     * all their topics. Partition ids are below it.
     */
    public static final int MAX_PARTITIONS = 100_000;

    /** The members of a classic group, in the response to its leader. */
    public static final int MAX_MEMBERS = 10_000;

    /** What the leader of a classic group stores of its members and of the topics that they read, in bytes. */
    public static final int MAX_SUBSCRIPTION_BYTES = 1 << 24;

    /** Mechanisms of SASL. Kafka has five. */
    public static final int MAX_MECHANISMS = 1_000;

    /** The length of every string in bytes, as in Kafka itself, whose strings once had lengths of two bytes. */
    public static final int MAX_STRING_LENGTH = Short.MAX_VALUE;

    /** The length of the id of a cluster in bytes; Kafka's ids have 22. */
    public static final int MAX_CLUSTER_ID_LENGTH = 255;

    /**
     * The length of the id of a classic member in bytes: a client id and 37 letters. If it is no valid UTF-8, it is up
     * to three times as long when it is sent back, and must not be longer than a string then.
     */
    public static final int MAX_MEMBER_ID_LENGTH = MAX_STRING_LENGTH / 3;

    /**
     * The longest throttle time of a broker, in ms; a longer one counts as this. Kafka's quotas demand
     * eleven seconds at most, unless their windows are set otherwise. Unused connections are closed after nine minutes.
     */
    public static final int MAX_THROTTLE_MS = 120_000;

    private WireLimits()
    {
    }
}
