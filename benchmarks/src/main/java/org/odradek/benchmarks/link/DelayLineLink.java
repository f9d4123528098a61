// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.link;

import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.testkit.BrokerProcess;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.internal.Sockets;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A delay line in front of each server. */
final class DelayLineLink implements Link
{
    private final int window;
    private final String description;
    private final List<DelayLine> lines = new ArrayList<>();
    private LinkConditions conditions = LinkConditions.NONE;
    private DelayLine ofBroker;

    private DelayLineLink(final int window, final String description)
    {
        this.window = window;
        this.description = description;
    }

    /** @param reason why there is no better link. */
    static DelayLineLink withWindow(final String reason)
    {
        return new DelayLineLink(DelayLine.WINDOW, "a delay line with a window of " + DelayLine.WINDOW +
            " bytes in a round trip, because of: " + reason);
    }

    static DelayLineLink withoutWindow()
    {
        return new DelayLineLink(DelayRing.NO_WINDOW, "a delay line without a window");
    }

    private DelayLine open() throws IOException
    {
        final DelayLine line = new DelayLine(window);
        line.set(conditions);
        lines.add(line);
        return line;
    }

    @Override
    public BrokerSettings at(final BrokerSettings settings) throws IOException
    {
        ofBroker = open();
        return settings.outside(Sockets.HOST, ofBroker.port());
    }

    @Override
    public Settings connection(final Cluster cluster, final BrokerProcess broker)
    {
        ofBroker.target(broker.outsidePort());
        return Settings.of("bootstrap", ofBroker.address());
    }

    @Override
    public String host()
    {
        return Sockets.HOST;
    }

    @Override
    public Settings connection(final int port) throws IOException
    {
        final DelayLine line = open();
        line.target(port);
        return Settings.of("bootstrap", line.address());
    }

    @Override
    public void set(final LinkConditions next)
    {
        conditions = next;
        lines.forEach((line) -> line.set(next));
    }

    @Override
    public boolean isTcp()
    {
        return false;
    }

    @Override
    public String describe()
    {
        return description;
    }

    @Override
    public void close()
    {
        lines.forEach(DelayLine::close);
    }
}
