// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.client.CountersFileReader;
import org.odradek.client.core.CountersFile;
import org.odradek.consumer.handler.ConsumerCounters;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.ObjectName;

/**
 * Shows the counters of a consumer through JMX: one attribute for each of {@link ConsumerCounters}, such as {@code
 * BytesReceived}. If there is a {@link StatusSettings#countersFile() counters file}, the attributes {@code
 * NextOffsets}, {@code HighWatermarks} and {@code Lags} are arrays by partition id, with -1 for unknown values. Only
 * the reading thread does work. Closing the consumer does not unregister the MBean; closing the MBean does.
 */
public final class ConsumerMBean implements DynamicMBean, AutoCloseable
{
    private final String topic;
    private final ObjectName name;
    private final Map<String, Supplier<Object>> attributes = new TreeMap<>();

    private ConsumerMBean(final TopicConsumer consumer) throws JMException
    {
        topic = consumer.topic();
        name = new ObjectName("org.odradek:type=TopicConsumer,topic=" + ObjectName.quote(topic) +
            ",clientId=" + ObjectName.quote(consumer.clientId()));
        final ConsumerCounters counters = consumer.counters();
        for (int i = 0; i < ConsumerCounters.count(); i++)
        {
            final int id = i;
            attributes.put(attributeName(ConsumerCounters.name(id)), () -> counters.get(id));
        }
        final CountersFile file = consumer.resources.countersFile;
        if (file != null)
        {
            addPartitions("NextOffsets", file, CountersFileReader.NEXT_OFFSET_TYPE_ID);
            addPartitions("HighWatermarks", file, CountersFileReader.HIGH_WATERMARK_TYPE_ID);
            addPartitions("Lags", file, CountersFileReader.LAG_TYPE_ID);
        }
    }

    private void addPartitions(final String attribute, final CountersFile file, final int typeId)
    {
        attributes.put(attribute, () -> CountersFileReader.partitionValues(file.reader(), typeId));
    }

    /**
     * Register with the platform MBean server.
     *
     * @param consumer whose counters to show.
     * @return the MBean; close it to unregister it.
     * @throws IllegalStateException if another MBean with the same topic and client id is registered.
     */
    public static ConsumerMBean register(final TopicConsumer consumer)
    {
        try
        {
            final ConsumerMBean bean = new ConsumerMBean(consumer);
            ManagementFactory.getPlatformMBeanServer().registerMBean(bean, bean.name);
            return bean;
        }
        catch (final InstanceAlreadyExistsException ex)
        {
            throw new IllegalStateException("a consumer of topic " + consumer.topic() + " with clientId " +
                consumer.clientId() + " is registered already: give each its own clientId", ex);
        }
        catch (final JMException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** "bytes received" becomes "BytesReceived". */
    private static String attributeName(final String counterName)
    {
        return Arrays.stream(counterName.split(" "))
            .map((word) -> Character.toUpperCase(word.charAt(0)) + word.substring(1)).collect(Collectors.joining());
    }

    /** The name under which the MBean is registered. */
    public ObjectName name()
    {
        return name;
    }

    @Override
    public Object getAttribute(final String attribute) throws AttributeNotFoundException
    {
        final Supplier<Object> value = attributes.get(attribute);
        if (value == null)
        {
            throw new AttributeNotFoundException(attribute);
        }
        return value.get();
    }

    @Override
    public AttributeList getAttributes(final String[] names)
    {
        final AttributeList list = new AttributeList();
        for (final String attribute : names)
        {
            if (attributes.containsKey(attribute))
            {
                list.add(new Attribute(attribute, attributes.get(attribute).get()));
            }
        }
        return list;
    }

    @Override
    public void setAttribute(final Attribute attribute) throws AttributeNotFoundException
    {
        throw new AttributeNotFoundException(attribute.getName() + " cannot be set");
    }

    @Override
    public AttributeList setAttributes(final AttributeList list)
    {
        return new AttributeList();
    }

    @Override
    public Object invoke(final String action, final Object[] parameters, final String[] signature)
    {
        throw new UnsupportedOperationException(action);
    }

    @Override
    public MBeanInfo getMBeanInfo()
    {
        final MBeanAttributeInfo[] infos = attributes.entrySet().stream()
            .map((entry) -> new MBeanAttributeInfo(entry.getKey(), entry.getValue().get().getClass().getName(),
                entry.getKey(), true, false, false))
            .toArray(MBeanAttributeInfo[]::new);
        return new MBeanInfo(ConsumerMBean.class.getName(), "Counters of a consumer of topic " + topic, infos, null,
            null, null);
    }

    /** Unregister. */
    @Override
    public void close()
    {
        try
        {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        }
        catch (final InstanceNotFoundException ignore)
        {
            // Other code has unregistered it.
        }
        catch (final JMException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
