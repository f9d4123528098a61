/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import java.net.InetSocketAddress;

/**
 * What an arm needs to know, the same for all of them, and how it travels to the arm's JVM as arguments.
 *
 * @param bootstrap where a client begins, HOST:PORT.
 * @param leader    where the partition is led, HOST:PORT, for the arm that asks for no metadata.
 * @param topic     a topic of one partition, prefilled.
 * @param records   how many records the partition holds; the last offset is one less.
 */
record ArmSettings(String bootstrap, String leader, String topic, long records)
{
    static final int FETCH_MAX_BYTES = 1 << 20;
    static final int PARTITION_MAX_BYTES = 1 << 20;
    static final int FETCH_MIN_BYTES = 1;
    static final int FETCH_MAX_WAIT_MS = 100;

    static ArmSettings parse(final String[] arguments, final int from)
    {
        return new ArmSettings(
            arguments[from], arguments[from + 1], arguments[from + 2], Long.parseLong(arguments[from + 3]));
    }

    String[] toArguments()
    {
        return new String[]{bootstrap, leader, topic, Long.toString(records)};
    }

    InetSocketAddress leaderAddress()
    {
        final int colon = leader.lastIndexOf(':');
        return new InetSocketAddress(leader.substring(0, colon), Integer.parseInt(leader.substring(colon + 1)));
    }
}
