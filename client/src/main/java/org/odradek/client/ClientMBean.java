// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

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
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/**
 * Shows the counters of a client through JMX. Only the reading thread does work. Closing the client does not unregister
 * the MBean; closing the MBean does.
 */
public abstract class ClientMBean implements DynamicMBean, AutoCloseable
{
    private final ObjectName name;
    private final String description;
    private final Map<String, Supplier<Object>> attributes = new TreeMap<>();

    /**
     * Creates one without attributes.
     *
     * @param keys        of the name, with their values.
     * @param description of the MBean.
     */
    protected ClientMBean(final String keys, final String description)
    {
        try
        {
            name = new ObjectName("org.odradek:" + keys);
        }
        catch (final MalformedObjectNameException ex)
        {
            throw new IllegalArgumentException(ex);
        }
        this.description = description;
    }

    /**
     * Adds an attribute.
     *
     * @param words of its name: "bytes received" becomes "BytesReceived".
     * @param value which any thread may ask for.
     */
    protected final void add(final String words, final Supplier<Object> value)
    {
        attributes.put(Arrays.stream(words.split(" "))
            .map((word) -> Character.toUpperCase(word.charAt(0)) + word.substring(1)).collect(Collectors.joining()),
            value);
    }

    /**
     * Registers with the platform MBean server.
     *
     * @param refusal sentence if another MBean with the same name is registered.
     * @throws IllegalStateException with that sentence.
     */
    protected final void register(final String refusal)
    {
        try
        {
            ManagementFactory.getPlatformMBeanServer().registerMBean(this, name);
        }
        catch (final InstanceAlreadyExistsException ex)
        {
            throw new IllegalStateException(refusal, ex);
        }
        catch (final JMException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** The name under which the MBean is registered. */
    public final ObjectName name()
    {
        return name;
    }

    @Override
    public final Object getAttribute(final String attribute) throws AttributeNotFoundException
    {
        final Supplier<Object> value = attributes.get(attribute);
        if (value == null)
        {
            throw new AttributeNotFoundException(attribute);
        }
        return value.get();
    }

    @Override
    public final AttributeList getAttributes(final String[] names)
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
    public final void setAttribute(final Attribute attribute) throws AttributeNotFoundException
    {
        throw new AttributeNotFoundException(attribute.getName() + " cannot be set");
    }

    @Override
    public final AttributeList setAttributes(final AttributeList list)
    {
        return new AttributeList();
    }

    @Override
    public final Object invoke(final String action, final Object[] parameters, final String[] signature)
    {
        throw new UnsupportedOperationException(action);
    }

    @Override
    public final MBeanInfo getMBeanInfo()
    {
        final MBeanAttributeInfo[] infos = attributes.entrySet().stream()
            .map((entry) -> new MBeanAttributeInfo(entry.getKey(), entry.getValue().get().getClass().getName(),
                entry.getKey(), true, false, false))
            .toArray(MBeanAttributeInfo[]::new);
        return new MBeanInfo(getClass().getName(), description, infos, null, null, null);
    }

    /** Unregister. */
    @Override
    public final void close()
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
