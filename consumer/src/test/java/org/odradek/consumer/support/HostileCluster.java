// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.consumer.ConsumerContext;
import org.odradek.harness.model.BatchTemplate;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelPeer;
import org.odradek.harness.model.ModelSasl;
import org.odradek.harness.model.ModelTopic;
import org.odradek.harness.tls.ChangedTls;
import org.odradek.harness.tls.EngineTls;
import org.odradek.harness.tls.HandmadeTls;
import org.odradek.harness.tls.NestedCertificate;
import org.odradek.harness.tls.ServerTls;
import org.odradek.harness.tls.Step;
import org.odradek.harness.tls.TlsFrontEnd;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Brokers that demand a password over TLS, with a server in front of each that a test may replace by a hostile one.
 * Each broker leads the partition with its number, and has one record there.
 */
public final class HostileCluster implements AutoCloseable
{
    public static final String TOPIC = "secured";
    public static final String PASSWORD = "canary-password";
    public static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

    /** The encrypted messages of a handshake need several of these. */
    private static final int SHORT_RECORD_LENGTH = 300;
    private static final String USER = "alice";
    private static final String HOST = "127.0.0.1";

    public final CertificateAuthority authority = new CertificateAuthority("test CA");
    public final ModelCluster model = new ModelCluster(ModelPeer.clock()).withGroups(Map.of(
        "group.consumer.min.heartbeat.interval.ms", 100, "group.consumer.heartbeat.interval.ms", 100));
    private final Identity identity = authority.issue("broker", HOST);
    private final List<ModelPeer> peers = new ArrayList<>();
    private final List<TlsFrontEnd> fronts = new ArrayList<>();
    private ModelTopic topic;

    public HostileCluster(final int brokerCount)
    {
        model.sasl(new ModelSasl(USER, PASSWORD, 0));
        for (int i = 0; i < brokerCount; i++)
        {
            final ModelPeer peer = ModelPeer.start(model, i, BrokerRelease.NEWEST);
            final TlsFrontEnd front = TlsFrontEnd.start(peer.peer().port(), engine("TLSv1.3"));
            peer.change(() -> peer.broker().address(HOST, front.port()));
            peers.add(peer);
            fronts.add(front);
        }
        peers.get(0).change(() ->
        {
            topic = model.createTopic(TOPIC, brokerCount, 1);
            for (int i = 0; i < brokerCount; i++)
            {
                topic.partition(i).elect(i);
                append(i, "first");
            }
        });
    }

    private void append(final int partition, final String value)
    {
        topic.partition(partition).log().append(BatchTemplate.ofValues(value));
    }

    /** Appends a record to a partition. */
    public void produce(final int partition, final String value)
    {
        peers.get(0).change(() -> append(partition, value));
    }

    /** The server that stands before a broker. */
    public TlsFrontEnd front(final int broker)
    {
        return fronts.get(broker);
    }

    /** TLS that is right. */
    public Supplier<ServerTls> engine(final String protocol)
    {
        return () -> new EngineTls(EngineTls.context(identity, null), protocol);
    }

    /** TLS that is right, and requests a certificate of the client. */
    public Supplier<ServerTls> requestingCertificate(final String protocol)
    {
        return () -> new EngineTls(EngineTls.context(identity, null), protocol).requestingCertificate();
    }

    /** TLS that is right except for the certificate, which overflows the stack of what parses it. */
    public Supplier<ServerTls> nested(final String protocol, final int depth)
    {
        final byte[] certificate = nestedCertificate(depth);
        return () -> new EngineTls(EngineTls.context(identity, certificate), protocol);
    }

    /** TLS 1.3 that is right except for the records that answer the hello of the client. */
    public Supplier<ServerTls> changed(final UnaryOperator<List<byte[]>> change)
    {
        return () -> new ChangedTls(
            new EngineTls(EngineTls.context(identity, null), "TLSv1.3").recordLength(SHORT_RECORD_LENGTH), change);
    }

    public byte[] nestedCertificate(final int depth)
    {
        return NestedCertificate.ofOctetStrings(identity.chain().get(0).getPublicKey(), depth);
    }

    /**
     * A server without the key of its certificate, whose key exchange has no signature.
     *
     * @param isMerged whether its messages share one record.
     */
    public Supplier<ServerTls> unsigned(final byte[] certificate, final boolean isMerged)
    {
        return () ->
        {
            final HandmadeTls tls = new HandmadeTls(List.of(Step.SERVER_HELLO, Step.certificate(certificate),
                Step.UNSIGNED_KEY_EXCHANGE, Step.HELLO_DONE), HandmadeTls.END);
            return isMerged ? tls.merged() : tls;
        };
    }

    /** Returns a context that trusts the brokers. */
    public ConsumerContext context(final TlsProviderType provider)
    {
        return context(TlsSettings.trust(CertificateStore.pem(authority.pem())).provider(provider));
    }

    public ConsumerContext context(final TlsSettings tls)
    {
        return Reading.context(fronts.get(0).address(), TOPIC).security(
            SecuritySettings.sasl(PlainMechanism.plain(USER, PASSWORD.toCharArray())).tls(tls));
    }

    public boolean hasPassword(final int broker)
    {
        return fronts.get(broker).hasReceived(PASSWORD.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void close()
    {
        fronts.forEach(TlsFrontEnd::close);
        peers.forEach(ModelPeer::close);
    }
}
