// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.client.ClientMBean;
import org.odradek.client.CountersFileReader;
import org.odradek.client.core.CountersFile;
import org.odradek.consumer.handler.ConsumerCounters;

import javax.management.ObjectName;

/**
 * Shows the counters of a consumer through JMX: one attribute for each counter of {@link ConsumerCounters}, such as
 * {@code BytesReceived}. If there is a {@link ConsumerContext#countersFile() counters file}, the attributes {@code
 * NextOffsets}, {@code HighWatermarks} and {@code Lags} are arrays that are indexed by partition id and hold -1 for
 * unknown values.
 */
public final class ConsumerMBean extends ClientMBean
{
    private ConsumerMBean(final TopicConsumer consumer)
    {
        super("type=TopicConsumer,topic=" + ObjectName.quote(consumer.topic()) + ",clientId=" +
            ObjectName.quote(consumer.clientId()), "Counters of a consumer of topic " + consumer.topic());
        final ConsumerCounters counters = consumer.counters();
        for (int i = 0; i < ConsumerCounters.count(); i++)
        {
            final int id = i;
            add(ConsumerCounters.name(id), () -> counters.get(id));
        }
        final CountersFile file = consumer.resources.countersFile;
        if (file != null)
        {
            addPartitions("next offsets", file, CountersFileReader.NEXT_OFFSET_TYPE_ID);
            addPartitions("high watermarks", file, CountersFileReader.HIGH_WATERMARK_TYPE_ID);
            addPartitions("lags", file, CountersFileReader.LAG_TYPE_ID);
        }
    }

    private void addPartitions(final String words, final CountersFile file, final int typeId)
    {
        add(words, () -> CountersFileReader.partitionValues(file.reader(), typeId));
    }

    /**
     * Creates an MBean and registers it with the platform MBean server.
     *
     * @param consumer the consumer whose counters the MBean shows.
     * @return the MBean; close it to unregister it.
     * @throws IllegalStateException if another MBean with the same topic and client id is registered, or the
     *                               registration fails.
     */
    public static ConsumerMBean register(final TopicConsumer consumer)
    {
        final ConsumerMBean bean = new ConsumerMBean(consumer);
        bean.register("a consumer of topic " + consumer.topic() + " with clientId " + consumer.clientId() +
            " is registered already: give each its own clientId");
        return bean;
    }
}
