// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The share of a topic's partitions that one of several processes reads. Each partition belongs to exactly one process,
 * which does not change when partitions are added to the topic.
 * <p>
 * All processes must call the same method, {@link #modulo} or {@link #range}, with the same count. To change the count,
 * stop all processes before you start any of them again.
 */
public final class PartitionShard
{
    private static final Pattern ORDINAL = Pattern.compile(".*-(0|[1-9][0-9]{0,8})");

    private final int index;
    private final int count;
    private final int rangePartitions;

    private PartitionShard(final int index, final int count, final int rangePartitions)
    {
        if (count < 1 || index < 0 || index >= count)
        {
            throw new IllegalArgumentException(
                "shard " + index + " of " + count + ": the index must be from 0 to the count - 1");
        }
        this.index = index;
        this.count = count;
        this.rangePartitions = rangePartitions;
    }

    /**
     * Gives partition {@code p} to the process with index {@code p % count}.
     *
     * @param index the index of this process, from 0 to count - 1.
     * @param count the number of processes, 1 or more.
     * @throws IllegalArgumentException if the count is less than 1, or the index is not from 0 to count - 1.
     */
    public static PartitionShard modulo(final int index, final int count)
    {
        return new PartitionShard(index, count, 0);
    }

    /**
     * Divides partitions 0 to {@code partitions} - 1 into blocks of adjacent partitions, one block for each process. If
     * {@code partitions} is not a multiple of {@code count}, the processes with the lowest indexes read one partition
     * more. Partitions with ids from {@code partitions} on are shared as with {@link #modulo}.
     *
     * @param index      the index of this process, from 0 to count - 1.
     * @param count      the number of processes, 1 or more.
     * @param partitions the number of partitions to divide into blocks, 1 or more. All processes must pass the same
     *                   number, also after partitions were added to the topic.
     * @throws IllegalArgumentException if {@link #modulo} would throw it, or if {@code partitions} is less than 1.
     */
    public static PartitionShard range(final int index, final int count, final int partitions)
    {
        if (partitions < 1)
        {
            throw new IllegalArgumentException("a range of " + partitions + " partitions cannot be shared");
        }
        return new PartitionShard(index, count, partitions);
    }

    /**
     * Returns the number at the end of the first label of a host name: 3 for "ingest-3" and for
     * "ingest-3.ingest.default.svc.cluster.local". Kubernetes gives such names to the pods of a StatefulSet.
     *
     * @param hostName the name of this process's host, such as the value of the environment variable HOSTNAME.
     * @throws IllegalArgumentException if the name is null, or its first label does not end in a dash and a number of
     *                                  at most nine digits without leading zeros.
     */
    public static int ordinal(final String hostName)
    {
        final String name = hostName == null ? "" : hostName;
        final int dot = name.indexOf('.');
        final Matcher matcher = ORDINAL.matcher(dot < 0 ? name : name.substring(0, dot));
        if (!matcher.matches())
        {
            throw new IllegalArgumentException("host name '" + hostName +
                "' does not end in a dash and a number, as the name of a StatefulSet's pod does: set the index itself");
        }
        return Integer.parseInt(matcher.group(1));
    }

    static void checkAlone(final int[] partitions, final PartitionShard shard, final GroupSettings group)
    {
        final String list = "partitions is " + Arrays.toString(partitions);
        if (partitions != null && shard != null)
        {
            throw new IllegalArgumentException(list + " and a " + shard + " is given too: set one of them");
        }
        if (group != null && (partitions != null || shard != null))
        {
            throw new IllegalArgumentException((shard == null ? list : "a " + shard + " is set") + " and a " + group +
                " is given too: the brokers assign the partitions of a group, set one of them");
        }
    }

    /** Returns true if a partition belongs to the share of this process. */
    public boolean holds(final int partition)
    {
        return ownerOf(partition) == index;
    }

    private int ownerOf(final int partition)
    {
        if (partition >= rangePartitions)
        {
            return partition % count;
        }
        final int least = rangePartitions / count;
        final int longer = rangePartitions % count;
        final int inLonger = longer * (least + 1);
        return partition < inLonger ? partition / (least + 1) : longer + (partition - inLonger) / least;
    }

    @Override
    public String toString()
    {
        return "shard " + index + " of " + count +
            (rangePartitions == 0 ? ", modulo" : ", ranges of " + rangePartitions + " partitions");
    }
}
