// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.support.GroupReader;
import org.odradek.consumer.support.HostileCluster;
import org.odradek.consumer.support.Reading;
import org.odradek.harness.SizedThread;
import org.odradek.harness.tls.Fault;
import org.odradek.harness.tls.FaultyTrust;
import org.odradek.harness.tls.NestedCertificate;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import java.nio.file.Path;
import java.security.cert.CertificateEncodingException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Has servers whose TLS is wrong on purpose answer whole consumers: no poll throws or spins, no password is sent to
 * them, and other brokers are read.
 */
class HostileServersTest
{
    private static final String STORE_PASSWORD = "changeit";
    private static final int FURTHER_POLLS = 50;
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long CLOSE_NS = TimeUnit.MILLISECONDS.toNanos(300);

    private final HostileCluster cluster = new HostileCluster(2);
    private final Fault fault = new Fault();

    @AfterEach
    void close()
    {
        cluster.close();
    }

    /** A certificate that any authority may have issued. */
    private static byte[] foreignCertificate() throws CertificateEncodingException
    {
        return new CertificateAuthority("other CA").issue("other", "127.0.0.1").chain().get(0).getEncoded();
    }

    /** Polls whatever the polls throw, as a careless program does, and closes. */
    private void poll(final ConsumerContext context, final List<Throwable> thrown)
    {
        final List<Throwable> errors = new ArrayList<>();
        final TopicConsumer consumer = TopicConsumer.connect(context.errorHandler(errors::add));
        for (int i = 0; i < FURTHER_POLLS || errors.isEmpty() && thrown.isEmpty(); i++)
        {
            attempt(thrown, () -> consumer.poll((record) -> { }, 10, POLL_NS));
        }
        attempt(thrown, () -> consumer.close(CLOSE_NS));
    }

    private static void attempt(final List<Throwable> thrown, final Runnable call)
    {
        try
        {
            call.run();
        }
        catch (final RuntimeException | Error ex)
        {
            thrown.add(ex);
        }
    }

    private void assertNoPassword(final ConsumerContext context) throws Throwable
    {
        final List<Throwable> thrown = new ArrayList<>();

        SizedThread.run(SizedThread.SMALL_STACK, () -> poll(context, thrown));

        assertFalse(cluster.hasPassword(0), () -> "the password was sent; thrown " + thrown);
        assertEquals(List.of(), thrown);
    }

    @ParameterizedTest
    @CsvSource({"JDK, false", "JDK, true", "BORINGSSL, false", "BORINGSSL, true"})
    void shouldSendNoPasswordAfterACertificateThatOverflowsTheStack(
        final TlsProviderType provider, final boolean isMerged) throws Throwable
    {
        cluster.front(0).serve(cluster.unsigned(cluster.nestedCertificate(NestedCertificate.DEPTH), isMerged));

        assertNoPassword(cluster.context(provider));
    }

    /** Leaves encrypted records out, repeats or exchanges them, or repeats the ServerHello. */
    @ParameterizedTest
    @EnumSource(value = TlsProviderType.class, names = {"JDK", "BORINGSSL"})
    void shouldSendNoPasswordAfterRecordsOfTls13ThatWereChanged(final TlsProviderType provider) throws Throwable
    {
        final List<Consumer<List<byte[]>>> changes = List.of(
            (records) -> records.remove(records.size() - 2),
            (records) -> records.add(records.size() - 1, records.get(records.size() - 1)),
            (records) -> Collections.swap(records, records.size() - 1, records.size() - 2),
            (records) -> records.add(1, records.get(0)));
        final OpenResources resources = new OpenResources();
        for (final Consumer<List<byte[]>> change : changes)
        {
            cluster.front(0).serve(cluster.changed((records) ->
            {
                change.accept(records);
                return records;
            }));
            assertNoPassword(cluster.context(provider));
        }
        resources.assertReleased();
    }

    private static Stream<Arguments> throwables()
    {
        return Stream.of(new IllegalStateException("canary"), new StackOverflowError(), new AssertionError("canary"),
            new NoClassDefFoundError("canary")).flatMap((toThrow) -> Stream.of(
                Arguments.of(toThrow, false), Arguments.of(toThrow, true)));
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void shouldSendNoPasswordAfterTheTrustManagerOfTheUserHasThrown(final Throwable toThrow, final boolean isMerged)
        throws Throwable
    {
        cluster.front(0).serve(cluster.unsigned(foreignCertificate(), isMerged));
        fault.arm(FaultyTrust.BEFORE, Integer.MAX_VALUE, toThrow);

        assertNoPassword(cluster.context(
            TlsSettings.trustOfJvm().sslContext(FaultyTrust.context(cluster.authority.certificate(), fault))));

        assertTrue(fault.thrown() > 0);
    }

    /** A member that closes polls, to leave its group: also while the connection to the coordinator is being made. */
    @ParameterizedTest
    @MethodSource("throwables")
    void shouldSendNoPasswordWhenAMemberOfAGroupCloses(final Throwable toThrow, final boolean isMerged)
        throws Throwable
    {
        final byte[] certificate = foreignCertificate();
        SizedThread.run(SizedThread.LARGE_STACK, () ->
        {
            final GroupReader member = new GroupReader(cluster.context(TlsSettings.trustOfJvm().sslContext(
                FaultyTrust.context(cluster.authority.certificate(), fault))).group(new GroupSettings("group")));
            GroupReader.until("stable", List.of(member), () -> member.consumer().group().state() == GroupState.STABLE);
            fault.arm(FaultyTrust.BEFORE, Integer.MAX_VALUE, toThrow);
            cluster.front(0).serve(cluster.unsigned(certificate, isMerged));
            cluster.front(0).cut();
            cluster.front(0).forget();
            final List<Throwable> thrown = new ArrayList<>();
            attempt(thrown,
                () -> GroupReader.until("a certificate", List.of(member), () -> fault.thrown() > 0));
            attempt(thrown, () -> member.consumer().close(CLOSE_NS));

            assertFalse(cluster.hasPassword(0), () -> "the password was sent; thrown " + thrown);
            assertEquals(List.of(), thrown);
        });
    }

    @ParameterizedTest
    @EnumSource(value = TlsProviderType.class, names = {"JDK", "BORINGSSL"})
    void shouldGoOnReadingWhenARotatedKeyHasNoCertificate(final TlsProviderType provider, @TempDir final Path folder)
    {
        final Identity client = cluster.authority.issue("client");
        final Path key = client.writePkcs12(folder.resolve("client.p12"), STORE_PASSWORD);
        try (Reading reading = Reading.start(cluster.context(
            TlsSettings.trust(CertificateStore.pem(cluster.authority.pem())).provider(provider)
                .key(CertificateStore.file(key).password(STORE_PASSWORD.toCharArray())))))
        {
            reading.untilCount(0, 1);
            reading.untilCount(1, 1);
            client.writePkcs12WithoutCertificate(key, STORE_PASSWORD);
            cluster.front(0).cut();
            cluster.produce(0, "second");
            reading.untilCount(0, 2);
            assertTrue(reading.hasEvent("not reloaded: certificate store " + key + " is not usable"),
                () -> reading.events().toString());

            client.writePkcs12(key, STORE_PASSWORD);
            cluster.front(0).cut();
            cluster.produce(0, "third");
            reading.untilCount(0, 3);
            assertEquals(1, reading.consumer().counters().get(ConsumerCounters.TLS_RELOADS));
            assertEquals(1, reading.consumer().counters().get(ConsumerCounters.TLS_RELOADS_FAILED));
        }
    }

    private static Stream<Arguments> overflows()
    {
        return Stream.of(TlsProviderType.JDK, TlsProviderType.BORINGSSL).flatMap((provider) ->
            HostileCluster.PROTOCOLS.stream().map((protocol) -> Arguments.of(provider, protocol)));
    }

    @ParameterizedTest
    @MethodSource("overflows")
    void shouldGoOnReadingFromOtherBrokersWhenACertificateOverflowsTheStack(
        final TlsProviderType provider, final String protocol) throws Throwable
    {
        cluster.front(1).serve(cluster.nested(protocol, NestedCertificate.DEPTH));

        SizedThread.run(SizedThread.SMALL_STACK, () -> readOn(provider));
    }

    /** Larger than what the JDK's TLS accepts. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void shouldGoOnReadingFromOtherBrokersWhenTheCertificateIsAsLargeAsAllowed(final String protocol)
        throws Throwable
    {
        cluster.front(1).serve(cluster.nested(protocol, NestedCertificate.GREATEST_DEPTH));

        SizedThread.run(SizedThread.SMALL_STACK, () -> readOn(TlsProviderType.BORINGSSL));
    }

    /** The broker of partition 1 is hostile at first. */
    private void readOn(final TlsProviderType provider)
    {
        try (Reading reading = Reading.start(cluster.context(provider)))
        {
            reading.untilCount(0, 1);
            reading.until("an error of the other broker", () -> !reading.errors().isEmpty());
            cluster.produce(0, "second");
            reading.untilCount(0, 2);
            assertEquals(0, reading.count(1));
            assertFalse(cluster.hasPassword(1));

            cluster.front(1).serve(cluster.engine("TLSv1.3"));
            reading.untilCount(1, 1);
            assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
        }
    }
}
