// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientListener;
import org.odradek.client.NameResolver;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.protocol.ApiKey;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Responses that are held, early or unexpected must not make the poller spin.
 */
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
class BrokerConnectionTest
{
    private static final int REQUEST_LENGTH = 12;
    private static final int BUFFER_LENGTH = 1_000;
    private static final int TIMEOUT_MS = 20_000;
    private static final int MORE_THAN_SYSTEMS_BUFFER = 1 << 25;
    /** Version 5 of ApiVersions: only Fetch 4 to 12 is supported. */
    private static final byte[] VERSIONS = {0, 0, 2, 0, 1, 0, 4, 0, 12, 0, 0, 0, 0, 0, 0};

    private final List<String> events = new ArrayList<>();
    private long skippedNs;
    private final CounterWriter counters = new CounterWriter();
    private final MemoryBudget budget = UnlimitedMemory.budget(Long.MAX_VALUE);
    private final DutyClock clock = new DutyClock(() -> System.nanoTime() + skippedNs, System::currentTimeMillis);
    private final Loopback loopback = new Loopback(Loopback.IPV4, 1);
    private final Poller poller;
    private final RequestFrame request;
    private final BrokerConnection connection;
    private Socket peer;

    BrokerConnectionTest(final TransportType type) throws IOException
    {
        poller = Pollers.open(type);
        final ClientListener listener = new ClientListener()
        {
            @Override
            public void onConnectionLost(final int nodeId, final String address, final String reason)
            {
                events.add(reason);
            }

            @Override
            public void onConnectionRestored(final int nodeId, final String address)
            {
                events.add("restored " + nodeId);
            }
        };
        final ClientSettings settings = new ClientSettings();
        settings.reconnectBackoffMs = TIMEOUT_MS;
        settings.reconnectBackoffMaxMs = TIMEOUT_MS;
        settings.receiveBufferMaxLength = BUFFER_LENGTH;
        request = new RequestFrame(budget, REQUEST_LENGTH);
        connection = new BrokerConnection(
            new PlainEnvironment(
                settings, poller, clock, budget, counters, listener, (error) -> events.add(error.getMessage())),
            BUFFER_LENGTH, ApiKey.FETCH, settings.reconnectBackoff(), 0);
    }

    @BeforeEach
    void open() throws IOException
    {
        open(7);
    }

    private void open(final int nodeId) throws IOException
    {
        connection.open(nodeId, new BrokerAddress(
            Loopback.IPV4, loopback.address().getPort(), true, NameResolver.SYSTEM, clock, counters));
        await(() -> connection.state() == ConnectionState.NEGOTIATING);
        peer = loopback.accept();
    }

    @AfterEach
    void close() throws IOException
    {
        connection.free();
        request.free();
        poller.close();
        peer.close();
        loopback.close();
        assertEquals(0, budget.heldBytes());
    }

    private void await(final BooleanSupplier condition)
    {
        while (!condition.getAsBoolean())
        {
            clock.update();
            connection.doWork(true);
            if (!condition.getAsBoolean())
            {
                poller.await(10_000_000);
            }
        }
    }

    private void negotiate() throws IOException
    {
        respond(readRequest(), VERSIONS);
        await(connection::isReady);
    }

    /** @return the correlation id. */
    private int readRequest() throws IOException
    {
        final DataInputStream in = new DataInputStream(peer.getInputStream());
        final byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return ByteBuffer.wrap(bytes).getInt(Integer.BYTES);
    }

    private void respond(final int correlationId, final byte[] body) throws IOException
    {
        peer.getOutputStream().write(ByteBuffer.allocate(8 + body.length)
            .putInt(4 + body.length).putInt(correlationId).put(body).array());
    }

    private int sendRequest() throws IOException
    {
        final int correlationId = connection.nextCorrelationId();
        request.buffer().putInt(0, REQUEST_LENGTH - Integer.BYTES, BIG_ENDIAN);
        connection.send(request, REQUEST_LENGTH);
        readRequest();
        return correlationId;
    }

    /** A level-triggered poller that reports unread bytes ends each of these waits. */
    private void assertPollerSleeps()
    {
        int ended = 0;
        for (int i = 0; i < 10; i++)
        {
            ended += poller.await(20_000_000) > 0 ? 1 : 0;
            clock.update();
            connection.doWork(true);
        }
        assertTrue(ended <= 2, ended + " of 10 waits ended early");
    }

    /** The connections of metadata and of a coordinator move from one broker to another. */
    @ParameterizedTest
    @ValueSource(ints = {7, 8})
    void shouldReportARestoredConnectionOnlyToTheBrokerThatWasLost(final int nodeId) throws IOException
    {
        negotiate();
        respond(sendRequest(), new byte[100]);
        await(connection::hasResponse);
        connection.release();
        sendRequest();
        peer.close();
        await(() -> !events.isEmpty());
        skippedNs = TimeUnit.MILLISECONDS.toNanos(2 * TIMEOUT_MS);

        open(nodeId);
        negotiate();

        assertEquals(nodeId == 7 ? List.of("restored 7") : List.of(), events.subList(1, events.size()));
    }

    @Test
    void shouldNotSpinWhileAResponseIsHeldAndTheNextArrives() throws IOException
    {
        negotiate();
        respond(sendRequest(), new byte[100]);
        await(connection::hasResponse);
        respond(sendRequest(), new byte[200]);

        assertPollerSleeps();
        assertEquals(108, connection.response().received());
        connection.release();
        await(connection::hasResponse);
        assertEquals(208, connection.response().received());
        connection.release();
        assertPollerSleeps();
        assertEquals(List.of(), events);
    }

    @Test
    void shouldNotSpinWhileAnOversizedResponseIsHeld() throws IOException
    {
        negotiate();
        respond(sendRequest(), new byte[10 * BUFFER_LENGTH]);
        await(connection::hasResponse);

        assertTrue(connection.response().isOversized());
        assertPollerSleeps();
        assertEquals(List.of(), events);
    }

    @Test
    void shouldNotSpinWhenThePeerClosesWhileAResponseIsHeld() throws IOException
    {
        negotiate();
        respond(sendRequest(), new byte[100]);
        await(connection::hasResponse);
        peer.close();

        assertPollerSleeps();
        assertTrue(connection.hasResponse());
        connection.release();
        await(() -> !connection.isReady());
        assertEquals(ConnectionState.IDLE, connection.state());
    }

    @Test
    void shouldReportAFrameThatNoRequestWasSentFor() throws IOException
    {
        negotiate();
        respond(77, new byte[100]);
        await(() -> !connection.isReady());

        assertPollerSleeps();
        assertEquals(List.of("correlation id 77 where no response was expected"), events);
        assertEquals(ConnectionState.BACKING_OFF, connection.state());
    }

    @Test
    void shouldReportAWrongFrameWhileVersionsAreNegotiated() throws IOException
    {
        respond(78, VERSIONS);
        await(() -> connection.state() == ConnectionState.BACKING_OFF);

        assertPollerSleeps();
        assertTrue(events.get(0).contains("correlation id 78 where 1 was expected"), events::toString);
    }

    @Test
    void shouldNotSpinOverPartOfAFrame() throws IOException
    {
        negotiate();
        sendRequest();
        peer.getOutputStream().write(new byte[] {0, 0, 1});

        assertPollerSleeps();
        assertFalse(connection.hasResponse());
        assertEquals(List.of(), events);
    }

    @Test
    void shouldReadWhileThereIsNoRoomForTheRestOfARequest() throws IOException
    {
        negotiate();
        final RequestFrame large = new RequestFrame(budget, MORE_THAN_SYSTEMS_BUFFER);
        large.buffer().putInt(0, MORE_THAN_SYSTEMS_BUFFER - Integer.BYTES, BIG_ENDIAN);
        connection.nextCorrelationId();
        connection.send(large, MORE_THAN_SYSTEMS_BUFFER);
        for (int i = 0; i < 100; i++)
        {
            if (i == 50)
            {
                peer.shutdownOutput();
            }
            poller.await(5_000_000);
            clock.update();
            connection.doWork(false);
        }
        large.free();

        assertEquals(ConnectionState.BACKING_OFF, connection.state());
        assertTrue(events.get(0).contains("closed by the broker before it answered"), events::toString);
    }
}
