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
 * Shows the counters of a client through JMX. Closing the client does not unregister the MBean; {@link #close()} does.
 */
public abstract class ClientMBean implements DynamicMBean, AutoCloseable
{
    private final ObjectName name;
    private final String description;
    private final Map<String, Supplier<Object>> attributes = new TreeMap<>();

    /**
     * Creates an MBean without attributes, and does not register it.
     *
     * @param keys        key properties of the object name, such as "type=Consumer,name=a".
     * @param description the text that JMX tools show for the MBean.
     * @throws IllegalArgumentException if the keys do not form an object name.
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
     * Adds an attribute, which can be read but not set.
     *
     * @param words name of the attribute in words: "bytes received" becomes "BytesReceived".
     * @param value supplies the value, which must not be null; any thread may call the supplier.
     */
    protected final void add(final String words, final Supplier<Object> value)
    {
        attributes.put(Arrays.stream(words.split(" "))
            .map((word) -> Character.toUpperCase(word.charAt(0)) + word.substring(1)).collect(Collectors.joining()),
            value);
    }

    /**
     * Registers this MBean with the platform MBean server.
     *
     * @param refusal message of the exception if another MBean with the same name is registered.
     * @throws IllegalStateException if another MBean with the same name is registered, or the registration fails.
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

    /** Returns the object name under which this MBean is registered. */
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

    /** Unregisters this MBean. A second call does nothing. */
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
