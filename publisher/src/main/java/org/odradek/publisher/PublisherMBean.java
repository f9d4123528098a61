// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.ClientMBean;
import org.odradek.client.metrics.ListedCounter;

import javax.management.ObjectName;

/**
 * Shows the counters of a publisher through JMX: one attribute for each counter of {@link PublisherCounters}, such as
 * {@code BytesSent} and {@code Connects}.
 */
public final class PublisherMBean extends ClientMBean
{
    private PublisherMBean(final Publisher publisher)
    {
        super("type=Publisher,clientId=" + ObjectName.quote(publisher.clientId()),
            "Counters of a publisher with client id " + publisher.clientId());
        final PublisherCounters counters = publisher.counters();
        for (final ListedCounter counter : ListedCounter.shownByPublisher())
        {
            final int id = counter.id();
            add(counter.name(), () -> counters.get(id));
        }
    }

    /**
     * Creates an MBean for a publisher, and registers the MBean with the platform MBean server.
     *
     * @return the MBean; close it to unregister it.
     * @throws IllegalStateException if another MBean with the same client id is registered.
     */
    public static PublisherMBean register(final Publisher publisher)
    {
        final PublisherMBean bean = new PublisherMBean(publisher);
        bean.register("a publisher with clientId " + publisher.clientId() +
            " is registered already: give each its own clientId");
        return bean;
    }
}
