// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.consumer.support.HostileCluster;
import org.odradek.harness.SizedThread;
import org.odradek.harness.tls.Fault;
import org.odradek.harness.tls.FaultyManagers;
import org.odradek.testkit.internal.Identity;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Connects consumers whose trust manager or key manager throws in the handshake: no poll throws or spins, no password
 * is sent, and nothing stays open.
 */
class ManagerFaultsTest
{
    private static final int FURTHER_POLLS = 50;
    private static final long POLL_NS = 200_000;

    private final HostileCluster cluster = new HostileCluster(1);
    private final Identity client = cluster.authority.issue("client");
    private final Fault fault = new Fault();
    private final FaultyManagers managers = new FaultyManagers(fault);
    private final List<Throwable> thrown = new ArrayList<>();

    @AfterEach
    void close()
    {
        managers.close();
        cluster.close();
    }

    private static List<Throwable> throwables()
    {
        return List.of(new IOException("canary"), new IllegalStateException("canary"), new StackOverflowError(),
            new AssertionError("canary"), new NoClassDefFoundError("canary"), new OutOfMemoryError("canary"));
    }

    private TopicConsumer connect(final TlsProviderType provider, final List<Throwable> errors)
    {
        return TopicConsumer.connect(cluster.context(
            TlsSettings.trust(CertificateStore.pem(cluster.authority.pem())).provider(provider)
                .key(CertificateStore.pem(client.keyPem().toCharArray(), client.chainPem())))
            .errorHandler(errors::add));
    }

    private void poll(final TopicConsumer consumer)
    {
        try
        {
            consumer.poll((record) -> { }, 10, POLL_NS);
        }
        catch (final Throwable ex)
        {
            thrown.add(ex);
        }
    }

    private void assertNoPassword(final TlsProviderType provider, final String step, final Throwable toThrow)
    {
        final List<Throwable> errors = new ArrayList<>();
        thrown.clear();
        fault.reset();
        try (TopicConsumer consumer = connect(provider, errors))
        {
            fault.arm(step, Integer.MAX_VALUE, toThrow);
            while (fault.thrown() == 0)
            {
                poll(consumer);
            }
            for (int i = 0; i < FURTHER_POLLS; i++)
            {
                poll(consumer);
            }
        }
        final String what = step + " throws " + toThrow;
        assertFalse(cluster.hasPassword(0), what);
        final boolean isOutOfMemory = toThrow instanceof OutOfMemoryError;
        assertTrue(thrown.stream().allMatch((ex) -> isOutOfMemory && ex == toThrow), () -> what + ": " + thrown);
        assertEquals(isOutOfMemory ? 0 : 1, errors.size(), () -> what + ": " + errors);
    }

    private Set<String> steps(final TlsProviderType provider)
    {
        final List<Throwable> errors = new ArrayList<>();
        try (TopicConsumer consumer = connect(provider, errors))
        {
            fault.reset();
            assertTrue(consumer.awaitReady(FURTHER_POLLS * 1_000_000_000L), consumer::describe);
        }
        cluster.front(0).forget();
        assertEquals(List.of(), errors);
        return new LinkedHashSet<>(fault.steps());
    }

    @ParameterizedTest
    @CsvSource({"JDK, TLSv1.3, 8", "JDK, TLSv1.2, 8", "BORINGSSL, TLSv1.3, 2", "BORINGSSL, TLSv1.2, 2"})
    void shouldSendNoPasswordWhicheverManagerThrows(
        final TlsProviderType provider, final String protocol, final int stepCount) throws Throwable
    {
        cluster.front(0).serve(cluster.requestingCertificate(protocol));
        SizedThread.run(SizedThread.LARGE_STACK, () ->
        {
            final Set<String> steps = steps(provider);
            assertEquals(stepCount, steps.size(), steps::toString);
            final OpenResources before = new OpenResources();
            for (final String step : steps)
            {
                for (final Throwable toThrow : throwables())
                {
                    assertNoPassword(provider, step, toThrow);
                }
            }
            before.assertReleased();
        });
    }
}
