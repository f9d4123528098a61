// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelLog;
import org.odradek.harness.model.ModelPartition;
import org.odradek.harness.model.ModelRequest;
import org.odradek.harness.model.ModelTopic;
import org.odradek.publisher.Compression;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One run of a publisher: a cluster, a network, faults, and a user who publishes, on one thread and in simulated time.
 * Rounds have the four {@link Phase}s. In SETTLING nothing is offered but a record for each partition, until all of
 * these were acknowledged at the first attempt.
 */
final class PublishWorld extends SimulatedCluster
{
    private static final long MAX_BEFORE_WRAP_NS = TimeUnit.MINUTES.toNanos(5);
    private static final long SLACK_NS = TimeUnit.SECONDS.toNanos(20);
    /** What a publisher may have to find out one after the other. */
    private static final int STEPS = 6;
    /** To one broker: for metadata and the producer id, and for records. */
    private static final int CONNECTIONS = 2;
    /** More than a topic has partitions. */
    private static final int KEYS = 100;
    private static final int MAX_OTHER_PARTITIONS = 4;
    /** Those of a consumer only; and records that are deleted cannot be compared. */
    private static final Set<FaultKind> OTHER_KINDS = EnumSet.of(FaultKind.CORRUPT_BATCH, FaultKind.QUOTA,
        FaultKind.SESSION_EVICTED, FaultKind.COORDINATOR_MOVED, FaultKind.RETENTION, FaultKind.CLOCK_WRAPPED);

    final PublishScenario publishing;
    final SimulatedPoller poller;
    final PublishLedger ledger;
    final PublishTraffic traffic;
    final PublishIds ids;
    /** Null if the brokers demand no authentication. */
    private final AuthenticationOracle authentications;
    final PublishUser user;
    /** All that the names of the topics have stood for, in their order. */
    final List<ModelTopic> topics = new ArrayList<>();
    /** The first one may be deleted and created again. */
    private final List<String> names = new ArrayList<>();
    private final Draw draw;
    private final Draw holdDraw;
    private Phase phase = Phase.FAULTS;
    private long phaseNs;
    /** When the topic was created last. */
    private long createdNs;

    PublishWorld(final RunSettings settings, final Consumer<String> lines)
    {
        this(new Scenario(settings), new Draw(settings.seed(), "publish world"), lines);
    }

    private PublishWorld(final Scenario scenario, final Draw draw, final Consumer<String> lines)
    {
        super(scenario, scenario.isOn(FaultKind.CLOCK_WRAPPED) ?
            Long.MAX_VALUE - draw.logBetween(1, MAX_BEFORE_WRAP_NS) : draw.nextLong() >> 1, lines);
        this.draw = draw;
        holdDraw = new Draw(scenario.seed, "high watermarks");
        publishing = new PublishScenario(scenario, network.sendBufferLength);
        trace.text(publishing.toString());
        cluster.withProducers(publishing.minInSyncReplicas).firstProducerEpoch(publishing.firstEpoch);
        for (int id = 0; id < scenario.brokerCount; id++)
        {
            network.addHost(id, scenario.isOn(Feature.RELEASES) ? release(draw) : BrokerRelease.NEWEST);
        }
        createTopic();
        names.add(Scenario.TOPIC);
        onTopicCreated();
        createOthers(new Draw(scenario.seed, "other topics"));
        poller = new SimulatedPoller(this);
        ledger = new PublishLedger(this);
        traffic = new PublishTraffic(this);
        ids = new PublishIds(this);
        user = new PublishUser(this);
        faults = new Faults(this, kinds());
        authentications = sasl == null ? null : new AuthenticationOracle(
            clock, CONNECTIONS, () -> phase == Phase.FAULTS, this::failure);
        observedBy(authentications == null ? new Observer[]{trace, traffic, ids} :
            new Observer[]{trace, traffic, ids, authentications});
        if (scenario.isOn(FaultKind.CLOCK_WRAPPED))
        {
            clock.at(Long.MAX_VALUE - clock.nanoTime() + 1, () -> tookEffect(FaultKind.CLOCK_WRAPPED));
        }
    }

    private void createOthers(final Draw partitionDraw)
    {
        for (int i = 1; i < publishing.topicCount; i++)
        {
            names.add("other-" + i);
            topics.add(cluster.createTopic(names.get(i), 1 + partitionDraw.below(MAX_OTHER_PARTITIONS),
                Math.min(REPLICATION_FACTOR, scenario.brokerCount)));
        }
    }

    /** The names of the topics; the first one may not exist for a while. */
    List<String> names()
    {
        return names;
    }

    /** Returns the number under which the oracles know a partition of a topic. */
    int key(final String topic, final int partition)
    {
        return names.indexOf(topic) * KEYS + partition;
    }

    static int topicOf(final int key)
    {
        return key / KEYS;
    }

    static int partitionOf(final int key)
    {
        return key % KEYS;
    }

    /** Returns how many partitions a topic has, by its index. */
    int partitionCount(final int topic)
    {
        final ModelTopic known = cluster.topic(names.get(topic));
        return known == null ? 0 : known.partitions().size();
    }

    /** Those of all topics. */
    @Override
    List<ModelPartition> partitions()
    {
        final List<ModelPartition> partitions = new ArrayList<>();
        names.stream().map(cluster::topic).filter(Objects::nonNull).forEach(
            (topic) -> partitions.addAll(topic.partitions()));
        return partitions;
    }

    /** A publisher with zstd would stop again and again at a broker before 2.1. */
    @Override
    BrokerRelease release(final Draw releaseDraw)
    {
        final BrokerRelease release = super.release(releaseDraw);
        return publishing.compression == Compression.ZSTD && release.isBefore(2, 1) ? BrokerRelease.NEWEST : release;
    }

    /** Late requests are fenced by a later epoch only, and not by a new id after the last epoch. */
    private Set<FaultKind> kinds()
    {
        final Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
        for (final FaultKind kind : FaultKind.values())
        {
            final boolean isPossible = (kind != FaultKind.PASSWORD_CHANGED || sasl != null) &&
                (kind != FaultKind.REQUEST_LATE || publishing.firstEpoch == 0);
            if (!kind.isOfUser && !OTHER_KINDS.contains(kind) && isPossible)
            {
                kinds.add(kind);
            }
        }
        return kinds;
    }

    @Override
    void run()
    {
        final long endNs = TimeUnit.MINUTES.toNanos(scenario.settings.minutes());
        user.open();
        while (clock.nowNs() < endNs)
        {
            enter(Phase.FAULTS);
            faults.begin();
            stepUntil(Math.min(endNs, clock.nowNs() + TimeUnit.SECONDS.toNanos(draw.between(20, 300))));
            faults.end();
            settle();
            enter(Phase.FLOWING);
            final long failures = user.failures();
            final boolean isAware = isAware();
            stepUntil(clock.nowNs() + TimeUnit.SECONDS.toNanos(draw.between(5, 30)));
            enter(Phase.IDLE);
            stepUntil(clock.nowNs() + TimeUnit.SECONDS.toNanos(draw.between(5, 60)));
            ledger.checkAllAcknowledged();
            check(user.failures() == failures || !isAware, "economy", "nothing to be sent again in a healthy " +
                "cluster, but " + (user.failures() - failures) + " batches were");
            ledger.checkLogs();
        }
        user.close();
        ledger.checkLogs();
    }

    private void settle()
    {
        enter(Phase.SETTLING);
        while (!user.isSettled())
        {
            // New partitions may be found by a refresh of metadata only.
            check(phaseAgeNs() < 3 * boundNs() + TimeUnit.MILLISECONDS.toNanos(
                (long)publishing.deliveryTimeoutMs + scenario.metadataMaxAgeMs),
                "liveness", "a record for each partition to be acknowledged at the first attempt");
            step();
        }
        settledNs.add(phaseAgeNs());
        ledger.checkLogs();
    }

    /** Returns how long it may take until a record is acknowledged, once everything is repaired. */
    long boundNs()
    {
        return SLACK_NS + TimeUnit.MILLISECONDS.toNanos(STEPS * ((long)publishing.requestTimeoutMs +
            scenario.connectTimeoutMs + scenario.reconnectBackoffMaxMs + scenario.retryBackoffMaxMs));
    }

    /** Whether nothing may fail any more. That a topic was created again may be noticed with a refresh only. */
    boolean isHealthy()
    {
        return phase != Phase.FAULTS && (phase != Phase.SETTLING || phaseAgeNs() > boundNs()) && isAware();
    }

    private boolean isAware()
    {
        return !isRecreated() || clock.nowNs() - createdNs >
            TimeUnit.MILLISECONDS.toNanos(scenario.metadataMaxAgeMs) + boundNs();
    }

    /** Whether a topic was ever deleted and created again. */
    boolean isRecreated()
    {
        return topics.size() > names.size();
    }

    private void enter(final Phase newPhase)
    {
        phase = newPhase;
        phaseNs = clock.nowNs();
        onPhase(newPhase);
        user.onPhase();
    }

    /** Throws what an oracle has found, unless something is right. */
    void check(final boolean isRight, final String oracle, final String message)
    {
        if (!isRight)
        {
            throw failure(oracle, message);
        }
    }

    /** As above, for a check that runs so often that its message takes much of the time. */
    void check(final boolean isRight, final String oracle, final Supplier<String> message)
    {
        if (!isRight)
        {
            throw failure(oracle, message.get());
        }
    }

    private SimulationFailure failure(final String oracle, final String message)
    {
        return new SimulationFailure(
            oracle, clock.nowNs(), "expected " + message + ".\n" + publishing + "\n" + user.describe());
    }

    /** A publisher was opened. */
    void onOpen()
    {
        ledger.onOpen();
        traffic.onOpen();
        ids.onOpen();
        if (authentications != null)
        {
            authentications.onOpen(null);
        }
    }

    @Override
    void step()
    {
        user.step();
        onStep();
    }

    Phase phase()
    {
        return phase;
    }

    long phaseAgeNs()
    {
        return clock.nowNs() - phaseNs;
    }

    /** What was committed with acks=all is never lost; what was not may be, when another broker leads. */
    @Override
    long firstOffsetToLose(final ModelLog log)
    {
        return log.highWatermark();
    }

    /** A follower that has not got the last records may become the leader: then these are lost. */
    @Override
    void endHold(final ModelPartition partition)
    {
        final ModelLog log = partition.log();
        final long end = holdDraw.between(log.highWatermark(), log.endOffset());
        final boolean isLost = holdDraw.oneIn(2);
        for (final int replica : partition.replicas())
        {
            if (isLost && replica != partition.leader() && cluster.broker(replica).isUp())
            {
                partition.electUncleanly(replica, end);
                tookEffect(FaultKind.UNCLEAN_ELECTION);
                break;
            }
        }
        super.endHold(partition);
    }

    @Override
    void onTopicCreated()
    {
        topics.add(cluster.topic(Scenario.TOPIC));
        createdNs = clock.nowNs();
    }

    @Override
    void onAnswer(final ModelRequest request, final ApiMessage response)
    {
        if (trace.hasText())
        {
            trace.text(request.message() + "\n  " + response);
        }
        if (response instanceof ProduceResponseData produced)
        {
            ledger.onAnswer((ProduceRequestData)request.message(), produced);
        }
    }

    @Override
    void onSocketsChanged()
    {
        poller.onChange();
    }

    @Override
    long records()
    {
        return ledger.records();
    }
}
