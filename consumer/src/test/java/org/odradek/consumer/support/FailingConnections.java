// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.harness.tls.EngineTls;
import org.odradek.harness.tls.NestedCertificate;
import org.odradek.harness.tls.ServerTls;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Main class of a JVM in which one consumer fails again and again to connect, each time in another way, and finds
 * another bad file of its key. It prints the open files, the direct memory and the resident memory, in bytes, after
 * some failures and after each of several rounds of more.
 */
public final class FailingConnections
{
    /** Of a round. */
    public static final int FAILURES = 300;
    private static final int ROUNDS = 3;

    private static final int WARM_UP = 300;
    /** Longer than a broker is left alone that has refused to authenticate. */
    private static final long REFUSED_NS = 60_000_000_000L;
    private static final long LIMIT_NS = 60_000_000_000L;
    private static final String HOST = "127.0.0.1";

    private final HostileCluster cluster = new HostileCluster(1);
    private final AtomicLong skippedNs = new AtomicLong();
    private final AtomicInteger served = new AtomicInteger();
    private final List<Supplier<ServerTls>> servers = new ArrayList<>();
    /** Each has another length than the next. */
    private final List<Path> badFiles = new ArrayList<>();
    private final Path key;
    private final TopicConsumer consumer;

    private FailingConnections(final TlsProviderType provider, final Path folder)
        throws IOException, GeneralSecurityException
    {
        final Identity client = cluster.authority.issue("client");
        final Identity foreign = new CertificateAuthority("other CA").issue("other", HOST);
        final Identity elsewhere = cluster.authority.issue("broker", "elsewhere.example");
        for (final String protocol : HostileCluster.PROTOCOLS)
        {
            servers.add(cluster.nested(protocol, NestedCertificate.DEPTH));
            servers.add(() -> new EngineTls(EngineTls.context(foreign, null), protocol));
            servers.add(() -> new EngineTls(EngineTls.context(elsewhere, null), protocol));
        }
        servers.add(cluster.unsigned(foreign.chain().get(0).getEncoded(), false));
        cluster.front(0).serve(() -> servers.get(served.getAndIncrement() % servers.size()).get());
        key = Files.createSymbolicLink(folder.resolve("client.pem"), client.writePem(folder.resolve("good")));
        final List<String> contents = new ArrayList<>();
        contents.add("no certificate");
        contents.add(client.keyPem());
        contents.add(client.chainPem());
        contents.add(client.keyPem() + client.chainPem().substring(0, 300));
        // The JDK reads this key, and BoringSSL refuses it after the native context was made.
        final Instant now = Instant.now();
        final Identity refused = cluster.authority.issue("client",
            KeyPairGenerator.getInstance("Ed448").generateKeyPair(), now, now.plus(Duration.ofDays(1)));
        for (final String content : contents)
        {
            badFiles.add(Files.writeString(folder.resolve("bad" + badFiles.size()), content));
            if (provider == TlsProviderType.BORINGSSL)
            {
                badFiles.add(refused.writePem(folder.resolve("refused")));
            }
        }
        consumer = TopicConsumer.connect(cluster.context(
            TlsSettings.trust(CertificateStore.pem(cluster.authority.pem())).provider(provider)
                .key(CertificateStore.file(key)))
            .nanoClock(() -> System.nanoTime() + skippedNs.get()).errorHandler((error) -> { }));
    }

    /** @param args the TLS provider, and a folder for certificates. */
    public static void main(final String[] args) throws IOException, GeneralSecurityException
    {
        final FailingConnections connections =
            new FailingConnections(TlsProviderType.valueOf(args[0]), Path.of(args[1]));
        connections.fail(WARM_UP);
        print();
        for (int round = 0; round < ROUNDS; round++)
        {
            connections.fail(FAILURES);
            print();
        }
        connections.consumer.close();
        connections.cluster.close();
    }

    private long count(final int counter)
    {
        return consumer.counters().get(counter);
    }

    private void fail(final int count) throws IOException
    {
        for (int i = 0; i < count; i++)
        {
            // A link is faster to replace than a file.
            Files.delete(key);
            Files.createSymbolicLink(key, badFiles.get(i % badFiles.size()));
            final long failures = count(ConsumerCounters.AUTHENTICATION_FAILURES);
            final long reloads = count(ConsumerCounters.TLS_RELOADS_FAILED);
            final long deadlineNs = System.nanoTime() + LIMIT_NS;
            while (count(ConsumerCounters.AUTHENTICATION_FAILURES) == failures)
            {
                consumer.poll((record) -> { }, 10, 100_000);
                check(deadlineNs - System.nanoTime() > 0, "no connection has failed");
            }
            check(count(ConsumerCounters.TLS_RELOADS_FAILED) == reloads + 1, "file " + i + " was not refused");
            skippedNs.addAndGet(REFUSED_NS);
        }
        check(!cluster.hasPassword(0), "the password was sent");
        check(count(ConsumerCounters.TLS_HANDSHAKES) == 0, "a handshake was completed");
        cluster.front(0).forget();
    }

    private void check(final boolean isRight, final String what)
    {
        if (!isRight)
        {
            throw new AssertionError(what + "\n" + consumer.describe());
        }
    }

    private static void print() throws IOException
    {
        System.gc();
        final long directBytes = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter((pool) -> "direct".equals(pool.getName())).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
        final String resident = Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter((line) -> line.startsWith("VmRSS:")).findFirst().orElseThrow().replaceAll("\\D", "");
        System.out.println(Path.of("/proc/self/fd").toFile().list().length + " " + directBytes + " " +
            (Long.parseLong(resident) << 10));
    }
}
