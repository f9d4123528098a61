// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TimeoutException;
import org.odradek.protocol.PrintableText;
import org.odradek.tools.ClusterOptions;
import org.odradek.tools.CommandOptions;
import org.odradek.tools.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.net.Socket;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

/**
 * The command {@code odradek groups}, which lists the consumer groups of a cluster, or shows one of them. It only reads
 * what the coordinators report, so it works for groups of any client.
 */
@Command(name = "groups", sortOptions = false,
    description = "List consumer groups, or show one: its members, what they own and are to own, and its lag.")
public final class GroupsCommand implements Callable<Integer>
{
    private static final String DEFAULT_RETENTION =
        "7 days (unless offsets.retention.minutes is set otherwise, which cannot be read)";
    private static final String NONE = "-";
    /** A cluster that can be reached answers its first request sooner. */
    private static final int FIRST_ANSWER_MS = 5_000;
    private static final int MINUTES_PER_DAY = 24 * 60;
    private static final Comparator<TopicPartition> ORDER =
        Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

    @Mixin
    private CommandOptions options;

    @Mixin
    private ClusterOptions cluster;

    @Parameters(arity = "0..1", paramLabel = "GROUP", description = "The group to show (default: list all).")
    private String groupId;

    @Override
    public Integer call() throws InterruptedException
    {
        final Properties properties = options.checked(cluster::adminProperties);
        try (Admin admin = options.checked(() -> connect(properties)))
        {
            awaitBroker(admin, properties);
            if (groupId == null)
            {
                return list(admin) ? 0 : 1;
            }
            show(admin);
        }
        catch (final ExecutionException ex)
        {
            throw unreadable(PrintableText.of(rootCause(ex).getMessage()), ex);
        }
        finally
        {
            options.out().flush();
            options.err().flush();
        }
        return 0;
    }

    private IllegalStateException unreadable(final String reason, final Exception ex)
    {
        return new IllegalStateException((groupId == null ? "The groups" : "Group " + groupId) +
            " cannot be read at " + cluster + ": " + reason, ex);
    }

    /** Kafka's admin client would wait for its API timeout, and then report no cause. */
    private void awaitBroker(final Admin admin, final Properties properties)
        throws InterruptedException, ExecutionException
    {
        final int timeoutMs = Math.min(FIRST_ANSWER_MS, Integer.parseInt(
            properties.getProperty("default.api.timeout.ms", String.valueOf(FIRST_ANSWER_MS)).strip()));
        try
        {
            admin.describeCluster(new DescribeClusterOptions().timeoutMs(timeoutMs)).nodes().get();
        }
        catch (final ExecutionException ex)
        {
            if (rootCause(ex) instanceof TimeoutException)
            {
                throw unreadable(reason(properties.getProperty("bootstrap.servers"), timeoutMs), ex);
            }
            throw ex;
        }
    }

    /** Why no broker has answered: none can be connected to, or else it is not known. */
    private static String reason(final String servers, final int timeoutMs)
    {
        String reason = "";
        for (final String server : servers.split(","))
        {
            try (Socket socket = new Socket())
            {
                socket.connect(ClusterOptions.address(server), timeoutMs);
                return "no answer within " + timeoutMs + " ms.";
            }
            catch (final IOException ex)
            {
                reason = "Cannot connect to bootstrap server " + server.strip() + ": " + ex.getMessage() + ".";
            }
        }
        return reason;
    }

    /** Without brokers, Kafka's admin client reports only that it has none; the cause says why. */
    private static Throwable rootCause(final Throwable ex)
    {
        return ex.getCause() == null ? ex : rootCause(ex.getCause());
    }

    private static Admin connect(final Properties properties)
    {
        try
        {
            return Admin.create(properties);
        }
        catch (final KafkaException ex)
        {
            throw new IllegalArgumentException((ex.getCause() == null ? ex : ex.getCause()).getMessage(), ex);
        }
    }

    /** Returns false if a group could not be described. */
    private boolean list(final Admin admin) throws InterruptedException, ExecutionException
    {
        final List<String> ids = admin.listGroups(ListGroupsOptions.forConsumerGroups()).all().get().stream()
            .map((listing) -> listing.groupId()).sorted().toList();
        final Map<String, KafkaFuture<ConsumerGroupDescription>> described =
            admin.describeConsumerGroups(ids).describedGroups();
        final Map<String, ConsumerGroupDescription> groups = new TreeMap<>();
        final Map<String, Map<TopicPartition, Long>> offsets = new HashMap<>();
        for (final String id : ids)
        {
            try
            {
                final ConsumerGroupDescription group = described.get(id).get();
                offsets.put(id, committedOffsets(admin, id));
                groups.put(id, group);
            }
            catch (final ExecutionException ex)
            {
                // It has just been deleted, or may not be described. The other groups are shown.
                options.err().println("odradek: group " + PrintableText.of(id) + " cannot be read: " +
                    PrintableText.of(rootCause(ex).getMessage()));
            }
        }
        // One query for all groups, because it waits for partitions without a leader until its timeout.
        final Map<TopicPartition, Long> ends = endOffsets(admin, offsets.values().stream()
            .flatMap((committed) -> committed.keySet().stream()).distinct().toList());
        final Table table = new Table("group", "protocol", "state", "members", "partitions", "lag");
        for (final String id : ids)
        {
            if (groups.containsKey(id))
            {
                addRow(table, groups.get(id), offsets.get(id), ends);
            }
            else
            {
                table.row(PrintableText.of(id), NONE, NONE, NONE, NONE, NONE);
            }
        }
        options.out().print(ids.isEmpty() ? "no groups\n" : table.toText());
        warnOfExpiry(admin, groups.values().stream().filter((group) ->
            group.members().isEmpty() && !offsets.get(group.groupId()).isEmpty()).toList());
        return groups.size() == ids.size();
    }

    private static void addRow(
        final Table table,
        final ConsumerGroupDescription group,
        final Map<TopicPartition, Long> committed,
        final Map<TopicPartition, Long> ends)
    {
        table.row(PrintableText.of(group.groupId()), protocol(group), String.valueOf(group.groupState()),
            String.valueOf(group.members().size()),
            String.valueOf(committed.size()), total(committed, ends));
    }

    /** Returns the sum of the lags; if not all are known, "at least" precedes the sum of the others. */
    static String total(final Map<TopicPartition, Long> committed, final Map<TopicPartition, Long> ends)
    {
        long total = 0;
        boolean isWhole = true;
        for (final TopicPartition partition : committed.keySet())
        {
            final long lag = lag(committed, ends, partition);
            total += Math.max(0, lag);
            isWhole &= lag >= 0 || committed.get(partition) < 0;
        }
        return (isWhole ? "" : "at least ") + Table.figure(total);
    }

    private void show(final Admin admin) throws InterruptedException, ExecutionException
    {
        final ConsumerGroupDescription group =
            admin.describeConsumerGroups(List.of(groupId)).describedGroups().get(groupId).get();
        final Map<TopicPartition, MemberDescription> owners = new HashMap<>();
        group.members().forEach((member) ->
            member.assignment().topicPartitions().forEach((partition) -> owners.put(partition, member)));
        final Map<TopicPartition, Long> offsets = committedOffsets(admin, groupId);
        final boolean hasCommits = !offsets.isEmpty();
        owners.keySet().forEach((partition) -> offsets.putIfAbsent(partition, -1L));

        options.out().println("Group " + groupId + ": " + group.groupState() + ", protocol " + protocol(group) +
            group.groupEpoch().map((epoch) -> ", group epoch " + epoch).orElse("") +
            group.targetAssignmentEpoch().map((epoch) -> ", assignment epoch " + epoch).orElse("") +
            (group.partitionAssignor().isEmpty() ? "" : ", assignor " + PrintableText.of(group.partitionAssignor())) +
            ", coordinator " + PrintableText.of(group.coordinator().host()) + ':' + group.coordinator().port() + ".");
        options.out().println();
        options.out().println(members(group.members()));
        options.out().print(lags(offsets, endOffsets(admin, offsets.keySet()), owners));
        if (group.members().isEmpty() && hasCommits)
        {
            warnOfExpiry(admin, List.of(group));
        }
    }

    private static String protocol(final ConsumerGroupDescription group)
    {
        return group.isSimpleConsumerGroup() ? "none" : group.type().toString().toLowerCase(Locale.ROOT);
    }

    private static String members(final Collection<MemberDescription> members)
    {
        final Table table = new Table("member", "instance", "client", "host", "protocol", "epoch", "owns", "to own");
        members.stream().sorted(Comparator.comparing(MemberDescription::consumerId)).forEach((member) -> table.row(
            PrintableText.of(member.consumerId()), PrintableText.of(member.groupInstanceId().orElse(NONE)),
            PrintableText.of(member.clientId()), PrintableText.of(member.host()),
            member.upgraded().map((isUpgraded) -> isUpgraded ? "consumer" : "classic").orElse(NONE),
            member.memberEpoch().map(String::valueOf).orElse(NONE),
            partitions(member.assignment().topicPartitions()),
            member.targetAssignment().map((target) -> partitions(target.topicPartitions())).orElse(NONE)));
        return members.isEmpty() ? "no members\n" : table.toText();
    }

    /** The partitions by topic, with ranges, such as {@code orders 0-3 7}. */
    private static String partitions(final Collection<TopicPartition> partitions)
    {
        final List<TopicPartition> sorted = partitions.stream().sorted(ORDER).toList();
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < sorted.size(); i++)
        {
            final TopicPartition first = sorted.get(i);
            if (i == 0 || !first.topic().equals(sorted.get(i - 1).topic()))
            {
                text.append(i == 0 ? "" : ", ").append(PrintableText.of(first.topic()));
            }
            int last = first.partition();
            while (i + 1 < sorted.size() && sorted.get(i + 1).equals(new TopicPartition(first.topic(), last + 1)))
            {
                i++;
                last++;
            }
            text.append(' ').append(first.partition()).append(last == first.partition() ? "" : "-" + last);
        }
        return sorted.isEmpty() ? NONE : text.toString();
    }

    private static String lags(
        final Map<TopicPartition, Long> offsets,
        final Map<TopicPartition, Long> ends,
        final Map<TopicPartition, MemberDescription> owners)
    {
        final Table table = new Table("topic", "partition", "committed", "end", "lag", "member");
        for (final Map.Entry<TopicPartition, Long> entry : offsets.entrySet())
        {
            final TopicPartition partition = entry.getKey();
            table.row(PrintableText.of(partition.topic()), String.valueOf(partition.partition()),
                number(entry.getValue()), number(ends.getOrDefault(partition, -1L)),
                number(lag(offsets, ends, partition)),
                owners.containsKey(partition) ? PrintableText.of(owners.get(partition).consumerId()) : NONE);
        }
        return table.row("all", "", "", "", total(offsets, ends), "").toText();
    }

    private static String number(final long value)
    {
        return value < 0 ? NONE : Table.figure(value);
    }

    /** -1 if it is not known. */
    private static long lag(
        final Map<TopicPartition, Long> offsets, final Map<TopicPartition, Long> ends, final TopicPartition partition)
    {
        final long offset = offsets.get(partition);
        return offset < 0 || !ends.containsKey(partition) ? -1 : Math.max(0, ends.get(partition) - offset);
    }

    private static Map<TopicPartition, Long> committedOffsets(final Admin admin, final String groupId)
        throws InterruptedException, ExecutionException
    {
        final Map<TopicPartition, OffsetAndMetadata> committed =
            admin.listConsumerGroupOffsets(groupId).partitionsToOffsetAndMetadata().get();
        final Map<TopicPartition, Long> offsets = new TreeMap<>(ORDER);
        committed.forEach((partition, offset) ->
        {
            if (offset != null)
            {
                offsets.put(partition, offset.offset());
            }
        });
        return offsets;
    }

    /** Leaves out partitions whose end cannot be read, such as those of a topic that was deleted. */
    private static Map<TopicPartition, Long> endOffsets(final Admin admin, final Collection<TopicPartition> partitions)
        throws InterruptedException
    {
        final Map<TopicPartition, OffsetSpec> queries = new HashMap<>();
        partitions.forEach((partition) -> queries.put(partition, OffsetSpec.latest()));
        final ListOffsetsResult result = admin.listOffsets(queries);
        final Map<TopicPartition, Long> ends = new HashMap<>();
        for (final TopicPartition partition : partitions)
        {
            try
            {
                ends.put(partition, result.partitionResult(partition).get().offset());
            }
            catch (final ExecutionException ex)
            {
                continue;
            }
        }
        return ends;
    }

    private void warnOfExpiry(final Admin admin, final List<ConsumerGroupDescription> groups)
        throws InterruptedException
    {
        if (!groups.isEmpty())
        {
            options.err().println("odradek: " +
                String.join(", ", groups.stream().map((group) -> PrintableText.of(group.groupId())).toList()) +
                (groups.size() == 1 ? " has" : " have") + " no members: the brokers delete the offsets of a group " +
                retention(admin, groups.get(0).coordinator().idString()) +
                " after its last member has left, or after the last commit if it never had one");
        }
    }

    private static String retention(final Admin admin, final String brokerId) throws InterruptedException
    {
        final ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, brokerId);
        try
        {
            final ConfigEntry entry =
                admin.describeConfigs(List.of(broker)).all().get().get(broker).get("offsets.retention.minutes");
            if (entry == null)
            {
                return DEFAULT_RETENTION;
            }
            final long minutes = Long.parseLong(entry.value());
            return minutes % MINUTES_PER_DAY == 0 ? minutes / MINUTES_PER_DAY + " days" : minutes + " minutes";
        }
        catch (final ExecutionException ex)
        {
            return DEFAULT_RETENTION;
        }
    }
}
