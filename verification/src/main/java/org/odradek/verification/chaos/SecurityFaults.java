// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.config.ConfigResource;
import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerSecurity;
import org.odradek.testkit.SecureListener;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The faults of TLS and SASL. {@link FaultKind} describes each of them.
 */
final class SecurityFaults
{
    private static final String KEY_STORE = "listener.name.outside.ssl.keystore.location";
    private static final int ITERATIONS = 8_192;
    private static final int CUTS = 12;
    /** Handshakes and first requests take about this many bytes in a direction. */
    private static final int MAX_BYTES = 6_000;
    private static final int RECORDS = 500;
    /** More records than the frames hold that are received before a cut: to deliver them, the consumer must connect. */
    private static final int RECORDS_AFTER_CUT = 4_000;

    private SecurityFaults()
    {
    }

    static String rotateCertificates(final ChaosTopic topic, final Random random)
    {
        topic.cluster().security().replaceAuthority();
        reconnect(topic.cluster());
        topic.awaitDelivered(RECORDS_AFTER_CUT);
        topic.cluster().security().dropLastAuthority();
        reconnect(topic.cluster());
        topic.awaitDelivered(RECORDS_AFTER_CUT);
        return "another authority issues the certificates";
    }

    static String showExpiredCertificate(final ChaosTopic topic, final Random random)
    {
        final BrokerSecurity security = topic.cluster().security();
        final Instant now = Instant.now();
        final int errors = topic.ledger().errors().size();
        security.showCertificate(now.minus(Duration.ofHours(2)), now.minus(Duration.ofHours(1)));
        reconnect(topic.cluster());
        awaitError(topic, errors, "expired");
        topic.awaitWritten(RECORDS);
        security.showCertificate(now.minus(Duration.ofHours(1)), now.plus(Duration.ofDays(1)));
        reconnect(topic.cluster());
        topic.awaitDelivered(RECORDS_AFTER_CUT);
        return "certificates expired and were renewed";
    }

    static String changePassword(final ChaosTopic topic, final Random random)
    {
        final int errors = topic.ledger().errors().size();
        password(topic.cluster(), "another-" + random.nextInt());
        topic.cluster().cut();
        awaitError(topic, errors, "Cannot authenticate");
        topic.awaitWritten(RECORDS);
        password(topic.cluster(), BrokerSecurity.PASSWORD);
        topic.awaitDelivered(RECORDS_AFTER_CUT);
        return "the password was wrong for a while";
    }

    /** Half of the cuts are armed where everything is connected, so that they hit records that are received. */
    static String cutHandshakes(final ChaosTopic topic, final Random random)
    {
        int handshakes = 0;
        for (int i = 0; i < CUTS; i++)
        {
            final boolean isHandshake = random.nextBoolean();
            handshakes += isHandshake ? 1 : 0;
            for (int id = 1; id <= ChaosCluster.BROKER_COUNT; id++)
            {
                if (isHandshake)
                {
                    topic.cluster().proxy(id).cut();
                }
                topic.cluster().proxy(id).cutAfter(1 + random.nextInt(MAX_BYTES));
            }
            topic.awaitDelivered(RECORDS_AFTER_CUT);
        }
        return CUTS + " times all connections cut after at most " + MAX_BYTES + " bytes, " + handshakes +
            " times from their first byte on";
    }

    /** Lets the brokers read their certificates, and our consumer connect again. */
    private static void reconnect(final ChaosCluster cluster)
    {
        final Map<ConfigResource, Collection<AlterConfigOp>> changes = new HashMap<>();
        for (int id = 1; id <= ChaosCluster.BROKER_COUNT; id++)
        {
            changes.put(new ConfigResource(ConfigResource.Type.BROKER, Integer.toString(id)),
                List.of(new AlterConfigOp(
                    new ConfigEntry(KEY_STORE, cluster.security().keyStore(SecureListener.SSL).toString()),
                    AlterConfigOp.OpType.SET)));
        }
        ChaosCluster.await(cluster.brokers().admin().incrementalAlterConfigs(changes).all());
        cluster.cut();
    }

    private static void password(final ChaosCluster cluster, final String password)
    {
        ChaosCluster.await(cluster.brokers().admin().alterUserScramCredentials(List.of(
            new UserScramCredentialUpsertion(BrokerSecurity.USER,
                new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, ITERATIONS), password))).all());
    }

    /**
     * Cuts connections until the consumer reports an error with this text, because brokers apply a change after a
     * while. Only a consumer that still gets in is cut off again: cuts that come faster than it can try would prevent
     * the error.
     */
    private static void awaitError(final ChaosTopic topic, final int from, final String text)
    {
        final long[] cutAt = {topic.ledger().deliveries() + RECORDS_AFTER_CUT};
        Await.until("an error of the consumer with '" + text + "'", ChaosCluster.LIMIT_MS, () ->
        {
            if (topic.ledger().deliveries() >= cutAt[0])
            {
                topic.cluster().cut();
                cutAt[0] = topic.ledger().deliveries() + RECORDS_AFTER_CUT;
            }
            final List<String> errors = topic.ledger().errors();
            return errors.subList(from, errors.size()).stream().anyMatch((error) -> error.contains(text));
        });
    }
}
