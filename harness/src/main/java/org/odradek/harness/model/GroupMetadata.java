// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataDelta;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataImage;
import org.apache.kafka.coordinator.group.GroupCoordinatorShard.DeletedTopic;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The topics as a group coordinator knows them: a {@link MetadataView}. */
final class GroupMetadata implements CoordinatorMetadataImage
{
    private final MetadataView view;

    GroupMetadata(final MetadataView view)
    {
        this.view = view;
    }

    Changes changesSince(final GroupMetadata previous)
    {
        final List<Uuid> created = new ArrayList<>();
        final List<Uuid> changed = new ArrayList<>();
        final List<DeletedTopic> deleted = new ArrayList<>();
        for (final MetadataView.Topic topic : view.topics())
        {
            (previous.view.topic(topic.id) == null ? created : changed).add(topic.id);
        }
        for (final MetadataView.Topic topic : previous.view.topics())
        {
            if (view.topic(topic.id) == null)
            {
                deleted.add(new DeletedTopic(topic.id, topic.name));
            }
        }
        return new Changes(this, created, changed, deleted);
    }

    @Override
    public Set<Uuid> topicIds()
    {
        final Set<Uuid> ids = new LinkedHashSet<>();
        view.topics().forEach((topic) -> ids.add(topic.id));
        return ids;
    }

    @Override
    public Set<String> topicNames()
    {
        final Set<String> names = new LinkedHashSet<>();
        view.topics().forEach((topic) -> names.add(topic.name));
        return names;
    }

    @Override
    public Optional<TopicMetadata> topicMetadata(final String name)
    {
        return Optional.ofNullable(view.topic(name)).map((topic) -> new Topic(view, topic));
    }

    @Override
    public Optional<TopicMetadata> topicMetadata(final Uuid id)
    {
        return Optional.ofNullable(view.topic(id)).map((topic) -> new Topic(view, topic));
    }

    @Override
    public CoordinatorMetadataDelta emptyDelta()
    {
        return new Changes(this, List.of(), List.of(), List.of());
    }

    @Override
    public long version()
    {
        return view.version;
    }

    @Override
    public boolean isEmpty()
    {
        return !view.topics().iterator().hasNext();
    }

    private record Topic(MetadataView view, MetadataView.Topic topic) implements TopicMetadata
    {
        @Override
        public String name()
        {
            return topic.name;
        }

        @Override
        public Uuid id()
        {
            return topic.id;
        }

        @Override
        public int partitionCount()
        {
            return topic.partitions.length;
        }

        @Override
        public List<String> partitionRacks(final int partition)
        {
            final List<String> racks = new ArrayList<>();
            for (final int replica : topic.partition(partition).replicas)
            {
                final MetadataView.Node node = view.node(replica);
                if (node != null && node.rack() != null)
                {
                    racks.add(node.rack());
                }
            }
            return racks;
        }
    }

    /** What has changed from one view to another. */
    record Changes(
        CoordinatorMetadataImage image,
        Collection<Uuid> createdTopicIds,
        Collection<Uuid> changedTopicIds,
        List<DeletedTopic> deletedTopics) implements CoordinatorMetadataDelta
    {
        @Override
        public Set<Uuid> deletedTopicIds()
        {
            final Set<Uuid> ids = new LinkedHashSet<>();
            deletedTopics.forEach((topic) -> ids.add(topic.id()));
            return ids;
        }
    }
}
