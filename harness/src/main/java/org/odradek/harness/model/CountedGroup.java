// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.coordinator.group.GroupCoordinatorShard;
import org.apache.kafka.coordinator.group.GroupMetadataManager;
import org.apache.kafka.coordinator.group.classic.ClassicGroup;
import org.apache.kafka.coordinator.group.classic.ClassicGroupState;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * A classic group whose coordinator counts the ids of new members instead of drawing them at random. The order of the
 * members, and so the choice of a leader, depends on their ids: with random ones, no run could be repeated.
 */
final class CountedGroup extends ClassicGroup
{
    private final LongSupplier ids;

    private CountedGroup(final String id, final Time time, final LongSupplier ids)
    {
        super(new LogContext(), id, ClassicGroupState.EMPTY, time);
        this.ids = ids;
    }

    private CountedGroup(final ClassicGroup loaded, final Time time, final LongSupplier ids)
    {
        super(new LogContext(), loaded.groupId(), loaded.currentState(), time, loaded.generationId(),
            loaded.protocolType(), loaded.protocolName(), Optional.ofNullable(loaded.leaderOrNull()),
            Optional.of(loaded.currentStateTimestampOrDefault()));
        this.ids = ids;
        loaded.allMembers().forEach(this::add);
        setSubscribedTopics(loaded.subscribedTopics());
    }

    @Override
    public String generateMemberId(final String clientId, final Optional<String> instanceId)
    {
        return instanceId.orElse(clientId) + "-" + new UUID(0, ids.getAsLong());
    }

    /** Makes the ids of a group counted ones from now on, which does not exist, or has just been loaded. */
    static void put(final GroupCoordinatorShard shard, final String id, final Time time, final LongSupplier ids)
    {
        final Map<String, Object> groups = groups(shard);
        final Object group = groups.get(id);
        if (group == null)
        {
            groups.put(id, new CountedGroup(id, time, ids));
        }
        else if (group.getClass() == ClassicGroup.class)
        {
            groups.put(id, new CountedGroup((ClassicGroup)group, time, ids));
        }
    }

    /** Makes the ids of all groups counted ones that have just been loaded. */
    static void putAll(final GroupCoordinatorShard shard, final Time time, final LongSupplier ids)
    {
        List.copyOf(groups(shard).keySet()).forEach((id) -> put(shard, id, time, ids));
    }

    /** The groups that the coordinator knows, which it does not offer for change. */
    @SuppressWarnings("unchecked")
    private static Map<String, Object> groups(final GroupCoordinatorShard shard)
    {
        try
        {
            final Field manager = GroupCoordinatorShard.class.getDeclaredField("groupMetadataManager");
            final Field groups = GroupMetadataManager.class.getDeclaredField("groups");
            manager.setAccessible(true);
            groups.setAccessible(true);
            return (Map<String, Object>)groups.get(manager.get(shard));
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalStateException("The coordinator of Kafka holds its groups elsewhere.", ex);
        }
    }
}
