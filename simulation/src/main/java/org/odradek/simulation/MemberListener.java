// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.agrona.ErrorHandler;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GroupState;

/** Passes the events of a {@link Member} to the oracles. In some rounds it throws, as error handlers then do, too. */
final class MemberListener implements ConsumerListener, ErrorHandler
{
    private final GroupWorld world;
    private final Member member;
    private final Draw draw;
    private final Draw errorDraw;
    private boolean isThrowing;
    private boolean isThrowingErrors;

    MemberListener(final GroupWorld world, final Member member)
    {
        this.world = world;
        this.member = member;
        draw = new Draw(world.scenario.seed, "callbacks of member " + member.number);
        errorDraw = new Draw(world.scenario.seed, "errors of member " + member.number);
    }

    /** Draws whether callbacks throw in a round. */
    void draw()
    {
        isThrowing = draw.oneIn(2) && world.scenario.isOn(FaultKind.CALLBACK_THREW);
        isThrowingErrors = errorDraw.oneIn(2);
    }

    private void throwSometimes(final String callback)
    {
        if (isThrowing && draw.oneIn(2))
        {
            world.tookEffect(FaultKind.CALLBACK_THREW);
            if (isThrowingErrors)
            {
                throw new PlantedError(callback);
            }
            throw new PlantedException(callback);
        }
    }

    @Override
    public void onPartitionAssigned(final int partition, final long nextOffset)
    {
        member.note("assigned", partition, nextOffset);
        member.handler().onAssigned(partition, nextOffset);
        world.ledger.onAssigned(member, partition, nextOffset);
        member.handler().load();
        member.handler().calls().forget(partition);
        member.handler().calls().onEvent(partition);
        throwSometimes("onPartitionAssigned");
    }

    @Override
    public void onPartitionRevoked(final int partition, final long nextOffset, final long committedOffset)
    {
        member.note("revoked", partition, committedOffset);
        world.ledger.onRevoked(member, partition, nextOffset, committedOffset);
        member.handler().calls().forget(partition);
        member.handler().calls().onEvent(partition);
        throwSometimes("onPartitionRevoked");
    }

    @Override
    public void onPartitionLost(final int partition, final long nextOffset, final long committedOffset)
    {
        member.note("lost", partition, nextOffset);
        world.ledger.onLost(member, partition, nextOffset, committedOffset);
        member.handler().calls().forget(partition);
        member.handler().calls().onEvent(partition);
        throwSometimes("onPartitionLost");
    }

    @Override
    public void onAcknowledgementRefused(
        final int partition, final long acknowledgedOffset, final long nextOffset)
    {
        member.note("refused", partition, acknowledgedOffset);
        world.ledger.check(LateSink.isFalse(acknowledgedOffset), "acknowledgement", "member " + member.number +
            " to take the acknowledgement of offset " + acknowledgedOffset + " of partition " + partition);
        member.handler().calls().onEvent(partition);
        throwSometimes("onAcknowledgementRefused");
    }

    @Override
    public void onGroupState(final GroupState state, final int memberEpoch, final String reason)
    {
        member.note(state.toString(), member.number, memberEpoch);
        member.rules.onGroupState(state, reason);
        member.handler().calls().onEvent(-1);
        throwSometimes("onGroupState");
    }

    @Override
    public void onError(final Throwable error)
    {
        world.trace.text("error of member " + member.number + ": " + error.getMessage());
        throwSometimes("onError");
    }
}
