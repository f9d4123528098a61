// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.NameResolver;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.handler.TransportType;
import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.BrokerConnection;
import org.odradek.consumer.net.ConnectionSettings;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.net.CounterWriter;
import org.odradek.consumer.net.DutyClock;
import org.odradek.consumer.net.MemoryBudget;
import org.odradek.consumer.net.Pollers;
import org.odradek.consumer.net.RequestFrame;
import org.odradek.kafka.common.KafkaException;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.WireWriter;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.function.BooleanSupplier;

/**
 * Asks one broker and waits for the answer. Connects when there is something to ask, and anew after each failure. Used
 * by one thread at a time; a poller belongs to its thread, so another thread begins with a connection of its own.
 */
final class BrokerChannel
{
    /** An answer larger than this is refused. */
    private static final int MAX_FRAME_LENGTH = 1 << 28;
    private static final int FIRST_FRAME_LENGTH = 1 << 16;
    private static final long LONGEST_WAIT_NS = DutyClock.LONGEST_STEP_NS / 2;

    private final String host;
    private final int port;
    private final ConnectionSettings settings;
    private final WireWriter writer = new WireWriter();

    private Thread thread;
    private Poller poller;
    private DutyClock clock;
    private MemoryBudget budget;
    private BrokerConnection connection;

    BrokerChannel(
        final String host, final int port, final int timeoutMs, final int socketBufferLength, final String clientId)
    {
        this.host = host;
        this.port = port;
        final long timeoutNs = timeoutMs * 1_000_000L;
        settings = new ConnectionSettings(
            clientId, timeoutNs, timeoutNs, 0, 0, Math.max(socketBufferLength, 0), MAX_FRAME_LENGTH);
    }

    /**
     * Ask, and once more over a new connection if that fails.
     */
    <T> T ask(final Question<T> question) throws IOException
    {
        try
        {
            return askOnce(question);
        }
        catch (final ClosedByInterruptException ex)
        {
            throw ex;
        }
        catch (final IOException ex)
        {
            return askOnce(question);
        }
    }

    private <T> T askOnce(final Question<T> question) throws IOException
    {
        boolean isDone = false;
        try
        {
            connect();
            final int version = question.version(connection);
            if (version < 0)
            {
                throw new KafkaException(
                    "Broker " + host + ":" + port + " speaks no version of " + question.apiKey() + " that we speak.");
            }
            exchange(question, version);
            connection.checkWhole();
            final T answer = question.read(connection, version);
            connection.release();
            isDone = true;
            return answer;
        }
        catch (final WireFormatException ex)
        {
            throw new KafkaException("The " + question.apiKey() + " answer of broker " + host + ":" + port +
                " cannot be read: " + ex.getMessage(), ex);
        }
        finally
        {
            if (!isDone)
            {
                close();
            }
        }
    }

    private void connect() throws IOException
    {
        if (connection != null && thread != Thread.currentThread())
        {
            close();
        }
        if (connection == null)
        {
            thread = Thread.currentThread();
            poller = Pollers.open(TransportType.NIO);
            clock = new DutyClock(System::nanoTime);
            final CounterWriter counters = new CounterWriter();
            budget = new MemoryBudget(Long.MAX_VALUE, counters);
            final ConsumerEnvironment environment = new ConsumerEnvironment(
                poller, clock, budget, counters, ConsumerListener.NONE, (error) -> {});
            connection = new BrokerConnection(settings, environment, FIRST_FRAME_LENGTH, ApiKey.METADATA);
            connection.open(
                BrokerConnection.NULL_NODE_ID, new BrokerAddress(host, port, NameResolver.SYSTEM, counters));
        }
        await(connection::canSend);
    }

    private <T> void exchange(final Question<T> question, final int version) throws IOException
    {
        final RequestFrame frame = new RequestFrame(
            budget, Math.addExact(RequestHeaderEncoder.maxLength(question.clientId()) + 1, question.maxBodyLength()));
        try
        {
            RequestHeaderEncoder.begin(writer, frame.buffer(), question.apiKey(), version, question.clientId());
            question.write(writer, version);
            final int length = RequestHeaderEncoder.end(writer);
            RequestHeaderEncoder.correlationId(frame.buffer(), connection.nextCorrelationId());
            connection.send(frame, length);
            checkFailures();
            await(connection::hasResponse);
        }
        finally
        {
            frame.free();
        }
    }

    private void await(final BooleanSupplier condition) throws IOException
    {
        while (!condition.getAsBoolean())
        {
            if (Thread.currentThread().isInterrupted())
            {
                throw new ClosedByInterruptException();
            }
            connection.wake();
            final long nowNs = clock.update();
            final int work = connection.doWork(true);
            checkFailures();
            if (work == 0 && !condition.getAsBoolean())
            {
                final long deadlineNs = connection.nextDeadlineNs(nowNs + LONGEST_WAIT_NS);
                poller.await(Math.min(deadlineNs - nowNs, LONGEST_WAIT_NS));
            }
        }
    }

    /**
     * A connection is used until its first failure; it would make itself anew, but what was asked would be forgotten.
     */
    private void checkFailures() throws IOException
    {
        if (connection.failures() != 0)
        {
            throw new IOException("No answer: " + connection);
        }
    }

    void close()
    {
        if (connection != null)
        {
            connection.free();
            connection = null;
            poller.close();
            poller = null;
        }
    }
}
