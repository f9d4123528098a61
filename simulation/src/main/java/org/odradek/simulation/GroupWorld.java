// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.ApiMessage;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelGroups;
import org.odradek.harness.model.ModelRequest;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One run of several consumers in one group, whose coordinator is Kafka's own. Rounds have three parts: faults; then
 * the group must become stable, read everything and commit it; then records flow, and nothing may move or be repeated.
 * <p>
 * Members are polled in turn and without waiting. While one is stalled in a handler, the others go on: the handler
 * makes the steps of the world.
 */
final class GroupWorld extends SimulatedCluster
{
    static final String GROUP = "group";
    /** How long members may take to give partitions up, and so the coordinator waits for them to join again. */
    static final int REVOCATION_MS = 60_000;
    /** The guard of a member stops delivery after so many intervals without a confirmed heartbeat. */
    private static final int FENCE_INTERVALS = 8;
    /**
     * A static member of a classic group that comes back after it has missed a rebalance has synced under another id:
     * when the time for that rebalance is over, the coordinator begins another one.
     */
    private static final int PENDING_SYNC_MS = REVOCATION_MS + 10_000;
    private static final int CYCLES = 8;
    /** Of a connection, for the name of the mechanism and the password. */
    private static final int AUTHENTICATION_CYCLES = 2;
    private static final int MAX_INITIAL_DELAY_MS = 3_000;
    /** A send buffer for whole requests to the coordinator. */
    private static final int MIN_SLOW_SEND_BUFFER = 256;
    /** Those after which every record can still be read: the oracles need no model of what may be lost. */
    private static final Set<FaultKind> CLUSTER_KINDS = EnumSet.of(
        FaultKind.CONNECT_REFUSED, FaultKind.CONNECT_UNANSWERED, FaultKind.CONNECTION_RESET,
        FaultKind.CONNECTION_CLOSED, FaultKind.CONNECTION_HALF_OPEN, FaultKind.BROKER_PAUSED, FaultKind.BROKER_CRASHED,
        FaultKind.BROKER_RESTARTED, FaultKind.BROKER_LOST, FaultKind.BROKER_DECOMMISSIONED, FaultKind.LEADER_MOVED,
        FaultKind.PARTITIONS_ADDED, FaultKind.COORDINATOR_MOVED,
        FaultKind.DNS_CHANGED, FaultKind.DNS_FAILED, FaultKind.LYING_FRAME, FaultKind.RESPONSE_LOST,
        FaultKind.RESPONSE_DELAYED, FaultKind.QUOTA, FaultKind.CONTROL_QUOTA, FaultKind.SESSION_EVICTED,
        FaultKind.ERROR_CODE, FaultKind.PARTITION_LEFT_OUT, FaultKind.IMPOSSIBLE_ADDRESS);
    private static final int MAX_MEMBERS = 4;
    /** How often a partition may be assigned until the group is stable. */
    private static final int MOST_LOADINGS = 4;
    /** The last release of Kafka 3. */
    private static final int LAST_3 = 9;
    private static final long MIN_STEP_NS = 100_000;
    private static final long MAX_STEP_NS = 40_000_000;
    /** What several requests in a row may take, and a commit at its interval. */
    private static final long SLACK_NS = TimeUnit.SECONDS.toNanos(60);
    /** The coordinator divides partitions once per second, and each member learns of it with its next heartbeat. */
    static final int ASSIGNMENT_INTERVAL_MS = 1_000;

    /** Whether one of the members divides the partitions, and not the coordinator. */
    final boolean isClassic;
    /** Whether the random numbers and the client ids of all members are equal. */
    final boolean isAlike;
    /** What the members are told: AUTO is the classic one with brokers that have no other. */
    final GroupProtocol protocol;
    final int intervalMs;
    final int sessionMs;
    /** After which the guard of a member stops delivery. */
    final int fenceMs;
    /** The cycles in which a member that has lost its coordinator finds it, and sends a heartbeat. */
    final int cycles;
    final GroupLedger ledger;
    final ReadableLog readable;
    private final MemberFaults[] memberFaults;
    private final Moves moves;
    private final Member[] members;
    final Instances instances;
    final MemberLinks links;
    private final GroupLoad load;
    private final Draw draw;
    private Member current;
    private long faultsEndNs;
    private boolean isCalm;
    private boolean isFlowing;
    /** Members that wait, or are in handlers, while others go on. */
    private int waiting;
    /** When the first of the polls ends that wait now: no handler takes longer meanwhile. */
    private long passUntilNs = Long.MAX_VALUE;
    private final Draw paceDraw;
    private final Draw waitDraw;
    /** What the slowest callback of the round takes, and what the slowest listener takes for all partitions. */
    private long slowestNs;
    private long loadingNs;

    GroupWorld(final RunSettings settings, final Consumer<String> lines)
    {
        super(new Scenario(settings), originNs(new Draw(settings.seed(), "group origin")), lines);
        draw = new Draw(scenario.seed, "group");
        paceDraw = new Draw(scenario.seed, "group pace");
        waitDraw = new Draw(scenario.seed, "group waits");
        final Draw ofProtocol = new Draw(scenario.seed, "group protocol");
        isClassic = ofProtocol.oneIn(2);
        final BrokerRelease release = isClassic && ofProtocol.oneIn(2) ?
            new BrokerRelease(3, ofProtocol.below(LAST_3 + 1)) : BrokerRelease.NEWEST;
        isAlike = scenario.isOn(FaultKind.MEMBERS_ALIKE) && new Draw(scenario.seed, "alike").oneIn(3);
        protocol = isClassic && release == BrokerRelease.NEWEST ? GroupProtocol.CLASSIC : GroupProtocol.AUTO;
        // A session outlasts the guard, and the backoff before a connection to a broker that has come back.
        intervalMs = (int)draw.between(1, 5) * 1_000;
        sessionMs = intervalMs * (FENCE_INTERVALS + 1) +
            2 * scenario.reconnectBackoffMaxMs + scenario.retryBackoffMaxMs;
        fenceMs = isClassic ? sessionMs * FENCE_INTERVALS / (FENCE_INTERVALS + 1) + 1 : intervalMs * FENCE_INTERVALS;
        cycles = CYCLES + (sasl == null ? 0 : 2 * (AUTHENTICATION_CYCLES + scenario.authenticationRounds));
        cluster.withGroups(Map.of(
            "group.initial.rebalance.delay.ms", ofProtocol.below(MAX_INITIAL_DELAY_MS),
            "group.consumer.assignment.interval.ms", ASSIGNMENT_INTERVAL_MS,
            "group.consumer.heartbeat.interval.ms", intervalMs,
            "group.consumer.min.heartbeat.interval.ms", intervalMs,
            "group.consumer.session.timeout.ms", sessionMs,
            "group.consumer.max.session.timeout.ms", sessionMs,
            "group.consumer.min.session.timeout.ms", sessionMs));
        for (int id = 0; id < scenario.brokerCount; id++)
        {
            network.addHost(id, release);
        }
        createTopic();
        readable = new ReadableLog(this);
        ledger = new GroupLedger(this);
        links = new MemberLinks(this);
        members = new Member[2 + draw.below(MAX_MEMBERS - 1)];
        Arrays.setAll(members, (i) -> new Member(this, i, null));
        instances = new Instances(this, members);
        memberFaults = new MemberFaults[]{
            new MemberFaults(this, instances.everybody(), draw, FaultKind.USER_STALLED, FaultKind.USER_STALLED,
                FaultKind.CONSUMER_REOPENED, FaultKind.MEMBER_KILLED, FaultKind.MEMBER_CUT_OFF),
            new MemberFaults(this, instances.everybody(), new Draw(scenario.seed, "group endings"),
                FaultKind.MEMBER_CLOSED, FaultKind.THREAD_INTERRUPTED),
            new MemberFaults(this, members, new Draw(scenario.seed, "group closes by another thread"),
                FaultKind.CLOSED_BY_OTHER)};
        moves = new Moves(this, members);
        faults = new Faults(this, kinds());
        load = new GroupLoad(this, draw);
        if (isAlike)
        {
            tookEffect(FaultKind.MEMBERS_ALIKE);
        }
    }

    /**
     * A static leader of a classic group that comes back is not told what it had divided: it cannot notice partitions
     * that were added while it was away.
     */
    private Set<FaultKind> kinds()
    {
        final Set<FaultKind> kinds = EnumSet.copyOf(CLUSTER_KINDS);
        if (hasStaticClassic())
        {
            kinds.remove(FaultKind.PARTITIONS_ADDED);
        }
        return kinds;
    }

    private boolean hasStaticClassic()
    {
        return isClassic && Arrays.stream(members).anyMatch((member) -> member.isStatic);
    }

    /** The clock of every fourth run overflows within minutes. */
    private static long originNs(final Draw draw)
    {
        return draw.oneIn(4) ? Long.MAX_VALUE - draw.below(1_000_000_000) * 200L : draw.nextLong() >> 1;
    }

    @Override
    void run()
    {
        final long endNs = TimeUnit.MINUTES.toNanos(scenario.settings.minutes());
        while (clock.nowNs() < endNs)
        {
            drawPace();
            load.begin();
            faultsEndNs = clock.nowNs() + TimeUnit.SECONDS.toNanos(draw.between(20, 300));
            Arrays.stream(memberFaults).forEach(MemberFaults::begin);
            faults.begin();
            stepUntil(faultsEndNs);
            faults.end();
            settle();
            isCalm = true;
            flow();
            moves.run();
            isCalm = false;
        }
        isCalm = true;
        for (final Member member : members)
        {
            member.end();
        }
    }

    /**
     * In some rounds handlers take long, until the next round begins; but not if a heartbeat takes several sends, which
     * no system needs, because the rest of it would wait for the next batches.
     */
    private void drawPace()
    {
        final boolean isSlow = paceDraw.oneIn(2) && network.sendBufferLength >= MIN_SLOW_SEND_BUFFER;
        slowestNs = 0;
        loadingNs = 0;
        for (final Member member : instances.everybody())
        {
            member.draw(isSlow && scenario.isOn(FaultKind.HANDLER_SLOW));
            slowestNs = Math.max(slowestNs, member.pace().slowestNs());
            loadingNs = Math.max(loadingNs, member.pace().loadingNs() * partitions().size());
        }
        if (slowestNs > 0)
        {
            tookEffect(FaultKind.HANDLER_SLOW);
        }
    }

    private void settle()
    {
        load.end();
        for (final Member member : instances.everybody())
        {
            member.repair();
        }
        final long startNs = clock.nowNs();
        final long boundNs = TimeUnit.MILLISECONDS.toNanos(2L * sessionMs + 4L * intervalMs +
            6L * (scenario.requestTimeoutMs + scenario.connectTimeoutMs + scenario.reconnectBackoffMaxMs +
            scenario.retryBackoffMaxMs)) + SLACK_NS + (isClassic ? rebalancesNs() : 0) +
            2 * (ledger.unreadBatches() + cycles) * slowestNs + MOST_LOADINGS * loadingNs;
        final long stableNs = TimeUnit.MILLISECONDS.toNanos(
            ASSIGNMENT_INTERVAL_MS + intervalMs + (hasStaticClassic() ? PENDING_SYNC_MS : 0));
        long settledSinceNs = clock.nowNs();
        while (clock.nowNs() - settledSinceNs < stableNs)
        {
            ledger.check(settledSinceNs - startNs < boundNs, "liveness", "a stable group that has read and committed " +
                "everything " + boundNs / 1e9 + " s after the last fault");
            stepUntil(clock.nowNs() + MAX_STEP_NS);
            settledSinceNs = isSettled() ? settledSinceNs : clock.nowNs();
        }
        settledNs.add(settledSinceNs - startNs);
    }

    /**
     * What the members of a classic group may take in addition: a join that was lost is repeated after the time that
     * the coordinator holds one, and the leader looks for new partitions from time to time.
     */
    private long rebalancesNs()
    {
        return TimeUnit.MILLISECONDS.toNanos(3L * REVOCATION_MS + 2L * scenario.metadataMaxAgeMs);
    }

    /** Whether all members that are there own what they are to own, and the coordinator agrees. */
    boolean isStable()
    {
        int present = 0;
        for (final Member member : members)
        {
            if (!member.isAbsent() && !member.isStable())
            {
                return false;
            }
            present += member.isAbsent() ? 0 : 1;
        }
        final ModelGroups.Description group = cluster.groups().describe(GROUP);
        return group.state().equals("Stable") && group.memberIds().size() == present && ledger.isAllOwned();
    }

    private boolean isSettled()
    {
        // A member whose request is not answered sends nothing else to the coordinator meanwhile.
        return Arrays.stream(members).noneMatch(Member::isAbsent) && isStable() &&
            ledger.isAllRead() && !links.isAnyResponseLost();
    }

    /** Nothing fails: nothing moves, members send as many heartbeats as they should, and commit when they should. */
    private void flow()
    {
        load.begin();
        isFlowing = true;
        final long startNs = clock.nowNs();
        final long[] rebalances = new long[members.length];
        final long[] heartbeats = new long[members.length];
        for (int i = 0; i < members.length; i++)
        {
            rebalances[i] = members[i].rebalances();
            heartbeats[i] = members[i].heartbeats();
        }
        final long connects = links.goneConnects();
        stepUntil(startNs + TimeUnit.SECONDS.toNanos(draw.between(5, 40)) + 2 * cycles * slowestNs);
        ledger.check(links.goneConnects() - connects <= members.length, "connect storm", "at most " + members.length +
            " connects to brokers that are gone, not " + (links.goneConnects() - connects));
        for (int i = 0; i < members.length; i++)
        {
            ledger.checkStability(startNs, rebalances[i] == members[i].rebalances());
            ledger.checkHeartbeats(members[i], startNs, members[i].heartbeats() - heartbeats[i]);
        }
        isFlowing = false;
    }

    /** Lets the other members go on while one is in a handler, which does not outlast the faults. */
    void stall(final long durationNs)
    {
        goOn(Math.min(clock.nowNs() + durationNs, isStriking() ? faultsEndNs : Long.MAX_VALUE));
    }

    private void goOn(final long untilNs)
    {
        final boolean isInterrupted = beginWait(untilNs);
        final Member stalled = current;
        stepUntil(Math.min(untilNs, passUntilNs));
        endWait(stalled, isInterrupted);
    }

    /** Others are polled on this thread: the interrupt is kept from them. */
    private boolean beginWait(final long untilNs)
    {
        current.waitUntil(untilNs);
        waiting++;
        return Thread.interrupted();
    }

    private void endWait(final Member waiter, final boolean isInterrupted)
    {
        waiting--;
        current = waiter;
        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether a poll waits, which no other member should delay. */
    boolean isPassing()
    {
        return passUntilNs < Long.MAX_VALUE;
    }

    /** Whether a member waits, so that the one that is polled should not. */
    boolean isWaiting()
    {
        return waiting > 0;
    }

    /** The thread of a member runs. */
    void enter(final Member member)
    {
        current = member;
    }

    /** What a handler has taken passes before its thread waits. No other handler delays a close meanwhile. */
    @Override
    void beforeAwait()
    {
        if (current.aheadNs() > 0)
        {
            final long untilNs = clock.nowNs() + current.aheadNs();
            final long outerNs = passUntilNs;
            passUntilNs = current.isClosing ? Math.min(outerNs, untilNs) : outerNs;
            goOn(untilNs);
            passUntilNs = outerNs;
        }
    }

    @Override
    public void onAwait(final long startNs, final long timeoutNs, final int ready)
    {
        super.onAwait(startNs, timeoutNs, ready);
        // Members that are polled while another one waits do so as often as something occurs on a connection.
        if (!isWaiting())
        {
            current.onAwait();
        }
    }

    /** Lets the other members go on while one waits. */
    @Override
    void pass(final SimulatedPoller poller, final long untilNs)
    {
        final Member waiter = current;
        final long outerNs = passUntilNs;
        final boolean isInterrupted = beginWait(untilNs);
        passUntilNs = Math.min(outerNs, untilNs);
        stepMembers();
        passUntilNs = outerNs;
        endWait(waiter, isInterrupted);
        final long endNs = Math.min(untilNs, clock.nowNs() + waitDraw.logBetween(MIN_STEP_NS, MAX_STEP_NS));
        while (clock.nowNs() < endNs && !poller.isChanged())
        {
            clock.advance(endNs);
        }
    }

    private void stepMembers()
    {
        for (final Member member : instances.everybody())
        {
            current = member;
            member.step();
        }
    }

    @Override
    void step()
    {
        stepMembers();
        links.check();
        if (isFlowing)
        {
            ledger.checkCommits();
        }
        if (clock.nowNs() < faultsEndNs)
        {
            Arrays.stream(memberFaults).forEach(MemberFaults::step);
        }
        clock.spend(draw.logBetween(MIN_STEP_NS, MAX_STEP_NS));
    }

    @Override
    public void onConnect(final Link link)
    {
        super.onConnect(link);
        links.onConnect(link, current);
    }

    @Override
    public void onLinkChanged(final Link link)
    {
        super.onLinkChanged(link);
        links.onAnswered(link);
    }

    @Override
    public void onClose(final Link link)
    {
        super.onClose(link);
        links.onClose(link);
    }

    @Override
    public void onRequest(final Link link, final ByteBuffer frame)
    {
        super.onRequest(link, frame);
        links.onRequest(link);
    }

    @Override
    public void onResponse(final Link link, final ByteBuffer frame)
    {
        super.onResponse(link, frame);
        links.onAnswered(link);
    }

    @Override
    void onAnswer(final ModelRequest request, final ApiMessage response)
    {
        if (trace.hasText() && request.type() != ApiMessageType.FETCH)
        {
            trace.text(request.clientId() + " " + request.message() + "\n  " + response);
        }
        links.ownerOf(request.connection()).onAnswer(request, response);
        if (isClassic && request.type() != ApiMessageType.FETCH)
        {
            // What one member asks for may complete what others wait for.
            clock.after(1, network::serve);
        }
    }

    @Override
    void onLie(final ModelRequest request)
    {
        links.ownerOf(request.connection()).onUnread();
    }

    @Override
    void onSocketsChanged()
    {
        for (final Member member : instances.everybody())
        {
            member.poller.onChange();
        }
    }

    @Override
    long records()
    {
        return ledger.records();
    }

    /** Whether nothing fails, and nothing that has failed has consequences. */
    boolean isCalm()
    {
        return isCalm;
    }

    /** Whether faults occur. */
    boolean isStriking()
    {
        return clock.nowNs() < faultsEndNs;
    }

    /** What it takes to load the states of all partitions. */
    long loadingNs()
    {
        return loadingNs;
    }

    /** What the slowest handler of the round takes for a batch. */
    long slowestNs()
    {
        return slowestNs;
    }

    /** Returns since when a session that was not renewed has run, because a coordinator that is loaded renews all. */
    long sessionStartNs(final long renewedNs)
    {
        return Math.max(renewedNs, cluster.groups().loadedNs());
    }

    String describe()
    {
        final StringBuilder text =
            new StringBuilder("the coordinator knows ").append(cluster.groups().describe(GROUP).text());
        for (final Member member : instances.everybody())
        {
            text.append("\n").append(member);
        }
        return text.toString();
    }
}
