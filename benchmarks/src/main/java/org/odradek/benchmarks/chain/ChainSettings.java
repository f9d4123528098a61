// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

/**
 * What an arm needs to know, and how it travels to the arm's JVM as arguments.
 *
 * @param bootstrap of the cluster, HOST:PORT.
 * @param topics    what the names of the six topics begin with; each has a partition for every chain there may be.
 * @param brokerPid of the broker whose CPU is taken, or {@link #NULL_PID}.
 * @param lingerMs  of producers.
 * @param folder    for files, an empty one.
 */
record ChainSettings(String bootstrap, String topics, long brokerPid, int lingerMs, String folder)
{
    static final long NULL_PID = -1;

    static ChainSettings parse(final String[] arguments, final int from)
    {
        return new ChainSettings(
            arguments[from], arguments[from + 1], Long.parseLong(arguments[from + 2]),
            Integer.parseInt(arguments[from + 3]), arguments[from + 4]);
    }

    String[] toArguments()
    {
        return new String[]{bootstrap, topics, Long.toString(brokerPid), Integer.toString(lingerMs), folder};
    }

    /**
     * @param step the services that a message in it has gone through.
     */
    String topic(final int step)
    {
        return topics + step;
    }
}
