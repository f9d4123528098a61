// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.client.ClientException;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;

import java.util.UUID;

/** Opens the consumers of a {@link Member}, one after another. */
final class Opening
{
    private static final String NAME = "member-";

    private final GroupWorld world;
    private final Member member;
    private final MemberClock time;
    private final MemberListener listener;
    private int incarnation;

    Opening(final GroupWorld world, final Member member, final MemberClock time, final MemberListener listener)
    {
        this.world = world;
        this.member = member;
        this.time = time;
        this.listener = listener;
    }

    /** Returns a consumer, or null if no name can be looked up. */
    TopicConsumer open(final SimulatedPoller poller, final MemberHandler handler)
    {
        final GroupSettings group = new GroupSettings(GroupWorld.GROUP)
            .commitPolicy(member.isExplicit ? CommitPolicy.explicit() :
                handler.isAcknowledging() ? CommitPolicy.acknowledged(member.commitIntervalMs) :
                CommitPolicy.delivered(member.commitIntervalMs))
            .protocol(world.protocol)
            .revocationTimeoutMs(GroupWorld.REVOCATION_MS)
            .revocationHandler(handler::onRevoking);
        if (world.isClassic)
        {
            group.sessionTimeoutMs(world.sessionMs).heartbeatIntervalMs(world.intervalMs);
        }
        if (member.isStatic)
        {
            group.instanceId(member.instanceId);
        }
        incarnation++;
        final Draw ids = new Draw(world.scenario.seed, "member id " + member.number + "." + incarnation);
        group.memberId(new UUID(ids.nextLong(), ids.nextLong()).toString());
        try
        {
            return connect(group, poller, handler.workers());
        }
        catch (final ClientException ex)
        {
            return null;
        }
    }

    private TopicConsumer connect(
        final GroupSettings group, final SimulatedPoller poller, final MemberWorkers workers)
    {
        final String ofMember = world.isAlike ? "" : member.number + ".";
        final ConsumerContext context = world.scenario.context()
            .clientId(world.isAlike ? NAME : NAME + member.number)
            .bootstrapServers(world.network.bootstrapServers())
            .poller(poller)
            .nanoClock(time)
            .epochClock(world.clock)
            .random(new Draw(world.scenario.seed, "member " + ofMember + incarnation))
            .nameResolver(world.network)
            .listener(listener)
            .errorHandler(listener)
            .startPosition(StartPosition.earliest())
            .group(group);
        return workers == null ? TopicConsumer.connect(context) : workers.open(context);
    }
}
