// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;
import org.apache.kafka.coordinator.group.GroupConfigManager;
import org.apache.kafka.coordinator.group.GroupCoordinatorConfig;
import org.apache.kafka.coordinator.group.GroupCoordinatorShard;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetrics;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig;
import org.apache.kafka.timeline.SnapshotRegistry;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The group coordinator of a {@link ModelCluster}: Kafka's own {@link GroupCoordinatorShard}, without its threads. Each
 * operation first runs the timers that are due, at the time that they are due at, so that nothing has to run between
 * the requests. The records that an operation writes are replayed at once, and are kept as the log from which the
 * coordinator is loaded after a move.
 */
public final class ModelGroups
{
    private static final long NS_PER_MS = 1_000_000;
    private static final TopicPartition LOG = new TopicPartition("__consumer_offsets", 0);
    private static final long NO_PRODUCER_ID = -1;
    private static final short NO_PRODUCER_EPOCH = -1;
    /** Not activated, so that no clusters share anything. */
    private static final GroupCoordinatorMetrics METRICS = new GroupCoordinatorMetrics();

    private final ModelCluster cluster;
    private final GroupCoordinatorConfig config;
    private final GroupConfigManager groupConfigs;
    /** The newest record of each key, in the order in which they were written: the log after its compaction. */
    private final Map<ApiMessage, CoordinatorRecord> log = new LinkedHashMap<>();
    private long memberIds;
    private GroupTimers timers;
    private GroupTasks tasks;
    private GroupCoordinatorShard shard;
    private GroupMetadata metadata;
    private long loadedNs;
    private long nextOffset;

    /**
     * @param cluster  that it coordinates.
     * @param settings of a broker for groups, such as {@code group.consumer.session.timeout.ms}; the others have
     *                 Kafka's defaults.
     */
    ModelGroups(final ModelCluster cluster, final Map<String, ?> settings)
    {
        this.cluster = cluster;
        final AbstractConfig all = new AbstractConfig(definitions(), settings, false);
        config = new GroupCoordinatorConfig(all);
        groupConfigs = new GroupConfigManager(config, new ShareGroupConfig(all));
        load(0);
    }

    private static ConfigDef definitions()
    {
        final ConfigDef definitions = new ConfigDef(GroupCoordinatorConfig.CONFIG_DEF);
        ShareGroupConfig.CONFIG_DEF.configKeys().values().forEach(definitions::define);
        return definitions;
    }

    /** Loads the groups from the log, as a broker does that becomes the coordinator; timers begin again. */
    void load(final long durationNs)
    {
        if (shard != null)
        {
            shard.onUnloaded();
        }
        loadedNs = cluster.nowNs() + durationNs;
        timers = new GroupTimers(loadedNs / NS_PER_MS);
        tasks = new GroupTasks();
        metadata = new GroupMetadata(cluster.view());
        final GroupCoordinatorShard.Builder builder = new GroupCoordinatorShard.Builder(config, groupConfigs);
        builder.withAuthorizerPlugin(Optional.empty())
            .withSnapshotRegistry(new SnapshotRegistry(new LogContext()))
            .withLogContext(new LogContext())
            .withTime(timers)
            .withTimer(timers)
            .withExecutor(tasks)
            .withCoordinatorMetrics(METRICS)
            .withTopicPartition(LOG);
        shard = builder.build();
        log.values().forEach(this::replay);
        CountedGroup.putAll(shard, timers, this::nextMemberId);
        shard.onLoaded(metadata);
    }

    /** Returns when the groups were, or will be loaded, on the cluster's clock: no session expires sooner after it. */
    public long loadedNs()
    {
        return loadedNs;
    }

    /** Returns why no group can be served now, or {@link Errors#NONE}. */
    Errors error(final ModelBroker broker)
    {
        return cluster.coordinatorId() != broker.id() ? Errors.NOT_COORDINATOR :
            cluster.nowNs() < loadedNs ? Errors.COORDINATOR_LOAD_IN_PROGRESS : Errors.NONE;
    }

    /** Throws what a broker answers that cannot serve a group now. */
    void check(final ModelBroker broker, final String group)
    {
        final Errors error = group.isEmpty() ? Errors.INVALID_GROUP_ID : error(broker);
        error.maybeThrow();
    }

    /** Throws what a broker answers to a member of a classic group whose session timeout is out of range. */
    void checkSessionTimeout(final int timeoutMs)
    {
        if (timeoutMs < config.classicGroupMinSessionTimeoutMs() ||
            timeoutMs > config.classicGroupMaxSessionTimeoutMs())
        {
            throw Errors.INVALID_SESSION_TIMEOUT.exception();
        }
    }

    /**
     * Returns the error with which the coordinator has refused a request.
     *
     * @throws IllegalStateException if it has failed.
     */
    static Errors error(final ApiMessage request, final RuntimeException thrown)
    {
        final Errors error = Errors.forException(thrown);
        if (error == Errors.UNKNOWN_SERVER_ERROR)
        {
            throw new IllegalStateException("The coordinator has failed on " + request, thrown);
        }
        return error;
    }

    /** Lets the ids of a classic group be counted, if this join of a new member is the first of the group. */
    void countIds(final JoinGroupRequestData join)
    {
        if (join.memberId().isEmpty())
        {
            CountedGroup.put(shard, join.groupId(), timers, this::nextMemberId);
        }
    }

    private long nextMemberId()
    {
        return ++memberIds;
    }

    /** Returns when the next timer of a group is due, or {@link Long#MAX_VALUE}. */
    long nextTimerNs()
    {
        final long dueMs = timers.nextMs();
        return dueMs == Long.MAX_VALUE ? dueMs : dueMs * NS_PER_MS;
    }

    /**
     * Runs an operation that writes.
     *
     * @throws RuntimeException what the operation throws, an {@code ApiException} if it refuses the request.
     */
    <T> T write(final Function<GroupCoordinatorShard, CoordinatorResult<T, CoordinatorRecord>> operation)
    {
        advance();
        final T response = apply(operation.apply(shard));
        runTasks();
        return response;
    }

    /** Runs an operation that only reads. */
    <T> T read(final Function<GroupCoordinatorShard, T> operation)
    {
        advance();
        return operation.apply(shard);
    }

    /** The state of a group, the ids of its members, and all that Kafka tells about it. */
    public record Description(String state, List<String> memberIds, String text)
    {
    }

    /** Returns the state of a group now, of either protocol. */
    public Description describe(final String group)
    {
        final ConsumerGroupDescribeResponseData.DescribedGroup described = read((now) ->
            now.consumerGroupDescribe(List.of(group), SnapshotRegistry.LATEST_EPOCH)).get(0);
        if (described.errorCode() == Errors.NONE.code())
        {
            return new Description(described.groupState(),
                described.members().stream().map((member) -> member.memberId()).toList(), described.toString());
        }
        final DescribeGroupsResponseData.DescribedGroup classic = read((now) ->
            now.describeGroups(RequestContext.NO_CLIENT, List.of(group), SnapshotRegistry.LATEST_EPOCH)).get(0);
        return new Description(classic.groupState(),
            classic.members().stream().map((member) -> member.memberId()).toList(), classic.toString());
    }

    /** Runs the timers that are due. */
    void advance()
    {
        final long nowMs = cluster.nowNs() / NS_PER_MS;
        for (GroupTimers.Timeout due = timers.next(nowMs); due != null; due = timers.next(nowMs))
        {
            apply(due.operation().generateRecords());
            runTasks();
        }
        if (metadata.version() != cluster.view().version)
        {
            final GroupMetadata previous = metadata;
            metadata = new GroupMetadata(cluster.view());
            final GroupMetadata.Changes changes = metadata.changesSince(previous);
            shard.onMetadataUpdate(changes, metadata);
            if (!changes.deletedTopics().isEmpty())
            {
                apply(shard.onTopicsDeleted(changes.deletedTopics()));
            }
        }
    }

    private void runTasks()
    {
        for (GroupTasks.Task<?> task = tasks.poll(); task != null; task = tasks.poll())
        {
            apply(task.run());
        }
    }

    private <T> T apply(final CoordinatorResult<T, CoordinatorRecord> result)
    {
        for (final CoordinatorRecord record : result.records())
        {
            log.remove(record.key());
            if (record.value() != null)
            {
                log.put(record.key(), record);
            }
            if (result.replayRecords())
            {
                replay(record);
            }
        }
        if (result.appendFuture() != null)
        {
            result.appendFuture().complete(null);
        }
        return result.response();
    }

    private void replay(final CoordinatorRecord record)
    {
        shard.replay(nextOffset++, NO_PRODUCER_ID, NO_PRODUCER_EPOCH, record);
    }
}
