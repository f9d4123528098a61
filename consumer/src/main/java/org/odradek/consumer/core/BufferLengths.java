// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.core;

/**
 * Computes the initial lengths of buffers, and the direct memory that a consumer needs in all, from its settings.
 */
public final class BufferLengths
{
    /** The default of Kafka's message.max.bytes. */
    public static final int BROKER_MAX_BATCH_LENGTH = 1_048_588;
    /** Many batches of the usual size fit. */
    public static final int DECOMPRESSION = 1024 * 1024;
    /** Fields of a fetch response besides its record sets. */
    private static final int FRAMING = 64 * 1024;
    private static final int FRAMING_PER_PARTITION = 96;
    private static final int CONTROL = 64 * 1024;
    /** In a metadata response, with up to five replicas that are in sync. */
    private static final int CONTROL_PER_PARTITION = 64;
    /** In a fetch request: one entry to fetch, and one to forget. */
    private static final int FETCH_PER_PARTITION = 33 + 4;
    /** In requests to a group's coordinator: one entry to commit, and one to fetch. */
    private static final int GROUP_PER_PARTITION = 32 + 4;
    private static final int REQUEST = 4 * 1024;
    private static final int MAX = Integer.MAX_VALUE - 8;

    private BufferLengths()
    {
    }

    /** The receive buffer of a fetching connection: room for a full response, or for the largest usual batch. */
    public static int receive(final int fetchMaxBytes, final int partitionCount)
    {
        return (int)Math.min(MAX, (long)Math.max(fetchMaxBytes, BROKER_MAX_BATCH_LENGTH) + FRAMING +
            (long)partitionCount * FRAMING_PER_PARTITION);
    }

    /** The receive buffer of any other connection. */
    public static int control(final int partitionCount)
    {
        return (int)Math.min(MAX, CONTROL + (long)partitionCount * CONTROL_PER_PARTITION);
    }

    /**
     * @param fetchMemory   for the receive buffers of one leader.
     * @param perConnection what TLS needs for each connection.
     */
    public static long budget(
        final int fetchMemory,
        final int fetchConnections,
        final int partitionCount,
        final int expectedLeaders,
        final int groupCount,
        final int perConnection)
    {
        final int control = control(partitionCount);
        final long perLeader = (long)fetchMemory + control +
            2L * fetchConnections * (REQUEST + (long)partitionCount * FETCH_PER_PARTITION);
        // A group has requests to find its coordinator, to commit and to fetch, and one of its connection.
        final long perGroup = control + 4 * REQUEST + (long)partitionCount * GROUP_PER_PARTITION;
        // One for control, one for each group, and of each leader those to fetch, and one to look up offsets.
        final long connections = 1 + (fetchConnections + 1L) * expectedLeaders + groupCount;
        return control + REQUEST + DECOMPRESSION + expectedLeaders * perLeader + groupCount * perGroup +
            connections * perConnection;
    }
}
