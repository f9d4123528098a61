// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import java.net.InetSocketAddress;

/**
 * What an arm needs to know, the same for all of them, and how it travels to the arm's process as arguments.
 *
 * @param bootstrap           where a client begins, HOST:PORT.
 * @param leader              where partition 0 is led, HOST:PORT, for the arm that asks for no metadata.
 * @param topic               prefilled.
 * @param partitions          of the topic, all read.
 * @param recordsPerPartition how many records each holds; its last offset is one less.
 * @param isCheckingCrcs      whether the checksum of each batch is compared.
 */
record ArmSettings(
    String bootstrap, String leader, String topic, int partitions, long recordsPerPartition, boolean isCheckingCrcs)
{
    static final int FETCH_MAX_BYTES = 2 << 20;
    static final int PARTITION_MAX_BYTES = 2 << 20;
    static final int FETCH_MIN_BYTES = 1;
    static final int FETCH_MAX_WAIT_MS = 100;

    static ArmSettings parse(final String[] arguments, final int from)
    {
        return new ArmSettings(arguments[from], arguments[from + 1], arguments[from + 2],
            Integer.parseInt(arguments[from + 3]), Long.parseLong(arguments[from + 4]),
            Boolean.parseBoolean(arguments[from + 5]));
    }

    String[] toArguments()
    {
        return new String[]{bootstrap, leader, topic, Integer.toString(partitions),
            Long.toString(recordsPerPartition), Boolean.toString(isCheckingCrcs)};
    }

    InetSocketAddress leaderAddress()
    {
        final int colon = leader.lastIndexOf(':');
        return new InetSocketAddress(leader.substring(0, colon), Integer.parseInt(leader.substring(colon + 1)));
    }
}
