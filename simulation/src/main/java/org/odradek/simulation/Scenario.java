// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.CorruptBatchPolicy;
import org.odradek.consumer.FetchSessionMode;
import org.odradek.consumer.IsolationLevel;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.simulation.RunSettings.LoadProfile;

import java.util.concurrent.TimeUnit;

/** What a seed draws before the run begins: the size of the cluster, the consumer's settings, the rate of faults. */
final class Scenario
{
    static final String TOPIC = "simulated";

    private static final int STEADY_MIN_BYTES = 1 << 16;
    private static final int MAX_BROKERS = 5;
    private static final int MAX_PARTITIONS = 12;
    /** Little more than what the receive buffer must hold. */
    static final int MAX_RECEIVE_LENGTH = 1_200_000;
    static final String USER = "user";
    static final String PASSWORD = "secret of the user";
    /** A receive buffer for a response to a first fetch, or for the largest usual batch. */
    static final int FIRST_BUFFER = 1_048_588 + 65_536;
    private static final int MAX_FETCH_CONNECTIONS = 8;
    private static final int MAX_ROUNDS = 6;
    /** The cycles that SCRAM takes in addition to PLAIN: another message, and a derivation in two steps. */
    private static final int SCRAM_ROUNDS = 3;
    /** To connect, to authenticate with the last message, and to find a coordinator. */
    private static final int OTHER_ROUNDS = 6;
    /** Of a request and its response, of the least latency. */
    private static final int MAX_LATENCIES = 8;
    private static final int MIN_LIFETIME_MS = 20_000;
    private static final int MAX_LIFETIME_MS = 120_000;
    private static final int FAULT_EVERY_MIN_MS = 500;
    private static final int FAULT_EVERY_MAX_MS = 20_000;

    final long seed;
    final RunSettings settings;
    final int brokerCount;
    final int partitionCount;
    /** The mean time between two faults of any kind. */
    final long faultEveryMs;
    final int fetchMaxWaitMs;
    final int latencyBudgetMs;
    final int requestTimeoutMs;
    final int connectTimeoutMs;
    final int reconnectBackoffMs;
    final int reconnectBackoffMaxMs;
    final int retryBackoffMs;
    final int retryBackoffMaxMs;
    final int metadataMaxAgeMs;
    /** Whether brokers demand authentication. */
    final boolean isAuthenticated;
    /** After which a connection must authenticate again, or 0. */
    final long sessionLifetimeMs;
    /** Messages each way before that with the password. */
    final int authenticationRounds;
    /** Whether the mechanism is SCRAM, and not PLAIN after some rounds. */
    final boolean isScram;
    final Distance distance;
    private final Draw draw;

    Scenario(final RunSettings settings)
    {
        this.settings = settings;
        seed = settings.seed();
        draw = new Draw(seed, "scenario");
        final boolean isTrickle = settings.load() == LoadProfile.TRICKLE;
        distance = new Distance(seed, isOn(Feature.DISTANCE) &&
            (settings.load() == LoadProfile.DRAWN || settings.load() == LoadProfile.LOW));
        brokerCount = distance.brokers(1 + draw.below(MAX_BROKERS));
        partitionCount = distance.partitions((int)draw.logBetween(1, MAX_PARTITIONS));
        faultEveryMs = settings.load() == LoadProfile.LOW ?
            draw.between(FAULT_EVERY_MIN_MS, 4 * FAULT_EVERY_MIN_MS) :
            draw.logBetween(FAULT_EVERY_MIN_MS, FAULT_EVERY_MAX_MS);
        fetchMaxWaitMs = settings.load() == LoadProfile.DRAWN ?
            (int)draw.logBetween(10, 4_000) : (int)draw.between(500, 2_000);
        latencyBudgetMs = isTrickle || draw.oneIn(3) ? (int)draw.logBetween(1, Math.min(1_000, fetchMaxWaitMs)) : 0;
        requestTimeoutMs = fetchMaxWaitMs + (int)draw.logBetween(1_500, 20_000);
        connectTimeoutMs = (int)draw.logBetween(500, 10_000);
        reconnectBackoffMs = (int)draw.logBetween(10, 500);
        reconnectBackoffMaxMs = (int)draw.logBetween(reconnectBackoffMs, 10_000);
        retryBackoffMs = (int)draw.logBetween(10, 500);
        retryBackoffMaxMs = (int)draw.logBetween(retryBackoffMs, 5_000);
        metadataMaxAgeMs = (int)draw.logBetween(20_000, 300_000);
        final Draw saslDraw = new Draw(seed, "authentication");
        isAuthenticated = isOn(Feature.AUTHENTICATION) && !isTrickle && saslDraw.oneIn(3);
        sessionLifetimeMs = saslDraw.oneIn(4) ? 0 : saslDraw.logBetween(MIN_LIFETIME_MS, MAX_LIFETIME_MS);
        // A member that leaves tries a new connection after a second, in which that must have been authenticated.
        final long latencyNs = SimulatedNetwork.drawMinLatencyNs(new Draw(seed, "network"));
        final long possible = TimeUnit.SECONDS.toNanos(1) / (MAX_LATENCIES * latencyNs) - OTHER_ROUNDS;
        final int drawn = saslDraw.below(MAX_ROUNDS + 1);
        isScram = settings.load() == LoadProfile.GROUPS && isOn(Feature.SCRAM) && possible >= SCRAM_ROUNDS &&
            saslDraw.oneIn(2);
        authenticationRounds = settings.load() != LoadProfile.GROUPS ? 0 :
            isScram ? SCRAM_ROUNDS : (int)Math.max(0, Math.min(drawn, possible));
    }

    /** Returns whether the seed has a fault or a feature, and the settings of the run allow it. */
    boolean isOn(final Enum<?> faultOrFeature)
    {
        return new Draw(seed, faultOrFeature.name()).chance(0.7) && settings.isAllowed(faultOrFeature);
    }

    /** Returns whether some batches are larger than the receive buffer may become. Far away it may become larger. */
    boolean hasOversizedBatches()
    {
        return isOn(Feature.OVERSIZED_BATCHES) && settings.load() == LoadProfile.DRAWN && !distance.isFar;
    }

    /** Returns the setting of connections to each leader that fetch; 0 lets the consumer follow the distance. */
    int fetchConnections()
    {
        final Draw connections = new Draw(seed, "connections");
        return connections.oneIn(3) ? 2 + connections.below(7) : connections.oneIn(3) ? 1 : 0;
    }

    /** Returns the direct memory for the responses of each leader. */
    long fetchMemory()
    {
        return context().bootstrapServers("any:1").conclude().fetchMemory();
    }

    /** Returns the largest number of connections to a leader that fetch. */
    int mostFetchConnections()
    {
        final int fixed = fetchConnections();
        return fixed > 0 ? fixed : (int)Math.max(1, Math.min(MAX_FETCH_CONNECTIONS, fetchMemory() / FIRST_BUFFER));
    }

    /** Returns the settings of the consumer without the objects of the world. */
    ConsumerContext context()
    {
        final Draw settingsDraw = new Draw(seed, "context");
        // Smaller responses could not keep up with the rate of a steady load.
        final int leastBytes = settings.load() == LoadProfile.STEADY ? STEADY_MIN_BYTES : 1;
        final int fetchMaxBytes = Math.max(leastBytes, (int)settingsDraw.logBetween(512, 1 << 20));
        final ConsumerContext context = new ConsumerContext()
            .topic(TOPIC)
            .fetchMaxWaitMs(fetchMaxWaitMs)
            .latencyBudgetMs(latencyBudgetMs)
            .fetchMaxBytes(fetchMaxBytes)
            .fetchConnections(fetchConnections())
            .requestTimeoutMs(requestTimeoutMs)
            .connectTimeoutMs(connectTimeoutMs)
            .reconnectBackoffMs(reconnectBackoffMs, reconnectBackoffMaxMs)
            .retryBackoffMs(retryBackoffMs, retryBackoffMaxMs)
            .metadataMaxAgeMs(metadataMaxAgeMs)
            .expectedLeaders(brokerCount)
            .startPosition(StartPosition.earliest())
            .offsetResetPolicy(settingsDraw.pick(new OffsetResetPolicy[]{
                OffsetResetPolicy.earliest(), OffsetResetPolicy.latest(), OffsetResetPolicy.nearest(),
                OffsetResetPolicy.fail()}))
            .handlerErrorPolicy(new Draw(seed, "handler errors").pick(HandlerErrorPolicy.values()))
            .corruptBatchPolicy(settingsDraw.pick(CorruptBatchPolicy.values()))
            .isolationLevel(isOn(Feature.READ_COMMITTED) ?
                IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED)
            .fetchSession(isOn(Feature.SESSIONS) ? FetchSessionMode.ON : FetchSessionMode.AUTO);
        if (settingsDraw.oneIn(3))
        {
            final int minBytes = (int)settingsDraw.logBetween(1, Math.min(fetchMaxBytes, 10_000));
            context.fetchMinBytes(latencyBudgetMs > 0 ? 1 : minBytes);
        }
        if (settingsDraw.oneIn(2))
        {
            context.partitionMaxBytes(Math.max(leastBytes, (int)settingsDraw.logBetween(100, fetchMaxBytes)));
        }
        distance.applyTo(context);
        if (hasOversizedBatches())
        {
            context.receiveBufferMaxLength(MAX_RECEIVE_LENGTH);
        }
        if (isAuthenticated)
        {
            context.security(SecuritySettings.sasl(isScram ?
                new SeededScram(USER, PASSWORD.toCharArray(), new Draw(seed, "client nonces")) : new RoundsMechanism(
                PlainMechanism.plain(USER, PASSWORD.toCharArray()), authenticationRounds)).withoutTls());
        }
        if (isOn(Feature.RACKS))
        {
            context.clientRack(rack(settingsDraw.below(brokerCount)));
        }
        return context;
    }

    /**
     * Draws a release. A leader that names a replica to read from supposes that the replica can be read from; a broker
     * of 0.11 authenticates with raw messages, which are not spoken.
     */
    BrokerRelease release(final Draw releaseDraw)
    {
        final BrokerRelease release = BrokerRelease.ALL.get(releaseDraw.below(BrokerRelease.ALL.size()));
        // From metadata without the ids of topics a publisher does not learn that a topic was created again.
        final boolean isBlind = settings.load() == LoadProfile.PUBLISH && isOn(FaultKind.TOPIC_RECREATED) &&
            release.isBefore(2, 8);
        return isBlind || isOn(Feature.RACKS) && release.isBefore(2, 4) || isAuthenticated && release.isBefore(1, 0) ?
            BrokerRelease.NEWEST : release;
    }

    static String rack(final int number)
    {
        return "rack-" + number;
    }

    /** Returns the values that were drawn, for a human. */
    @Override
    public String toString()
    {
        return "brokers " + brokerCount + ", partitions " + partitionCount + ", a fault every " + faultEveryMs +
            " ms, fetchMaxWaitMs " + fetchMaxWaitMs + ", latencyBudgetMs " + latencyBudgetMs +
            ", requestTimeoutMs " + requestTimeoutMs + ", connectTimeoutMs " + connectTimeoutMs +
            ", reconnectBackoffMs " + reconnectBackoffMs + " to " + reconnectBackoffMaxMs +
            ", retryBackoffMs " + retryBackoffMs + " to " + retryBackoffMaxMs +
            ", metadataMaxAgeMs " + metadataMaxAgeMs +
            (isAuthenticated ? ", authenticated for " + sessionLifetimeMs + " ms in " + authenticationRounds +
            (isScram ? " cycles of SCRAM" : " rounds") : "") +
            ", fetchConnections " + fetchConnections() + (distance.isFar ? ", " + distance : "");
    }
}
