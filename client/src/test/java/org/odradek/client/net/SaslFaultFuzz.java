// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.client.ClientListener;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.security.FaultyMechanism;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.support.FaultRun;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.harness.fuzz.FuzzTarget;
import org.odradek.harness.tls.Fault;
import org.odradek.protocol.WireFormatException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.SplittableRandom;
import javax.security.sasl.SaslException;

/**
 * Authentications of a connection whose mechanism throws something at the step that an input says, while the input has
 * the broker answer anything. Once an exchange has failed, each further step of it is refused, the mechanism is only
 * asked to close it, once, and the password is left in no frame.
 */
public enum SaslFaultFuzz implements FuzzTarget
{
    SASL_FAULTS;

    private static final String PASSWORD = "canary-password";
    private static final int HEADER_LENGTH = 2;
    private static final int MAX_STEP = 20;
    private static final int CALLS = 10;
    private static final int FRAME_LENGTH = 256;
    private static final int VERSION = 1;

    @Override
    public byte[] seed(final Random random)
    {
        // The calls of an exchange, and of its renewal.
        final byte[] seed = {0, 0, 1, 2, 1, 3, 1, 6, 1, 2, 1, 3, 1, 0, 0, 0};
        seed[0] = (byte)random.nextInt(Fault.KINDS);
        seed[1] = (byte)random.nextInt(MAX_STEP);
        seed[random.nextInt(seed.length)] = (byte)random.nextInt();
        return seed;
    }

    @Override
    public String digest(final byte[] input)
    {
        final MemoryBudget budget = UnlimitedMemory.budget(Long.MAX_VALUE);
        return new Run(ByteBuffer.wrap(Arrays.copyOf(input, HEADER_LENGTH + input.length)), budget).callAll();
    }

    /** The authentications of one connection after another. */
    private static final class Run extends FaultRun
    {
        private final MemoryBudget budget;
        private final FaultyMechanism mechanism =
            new FaultyMechanism(PlainMechanism.plain("alice", PASSWORD.toCharArray()), fault);
        private final RequestFrame frame;
        private final Authentication authentication;

        Run(final ByteBuffer program, final MemoryBudget budget)
        {
            super(program);
            this.budget = budget;
            frame = new RequestFrame(budget, FRAME_LENGTH);
            final ClientSettings settings = new ClientSettings();
            settings.random = new SplittableRandom(1);
            authentication = new Authentication(settings, mechanism, new DutyClock(() -> 0, () -> 0),
                new CounterWriter(), ClientListener.NONE, (error) -> { }, frame);
            arm(MAX_STEP);
        }

        @Override
        protected boolean isExpected(final Throwable ex, final boolean hasFailed)
        {
            return ex instanceof SaslException || !hasFailed && (ex instanceof WireFormatException ||
                ex == throwable && throwable instanceof OutOfMemoryError ||
                ex.getCause() == throwable && throwable instanceof IOException);
        }

        private String callAll()
        {
            connect();
            while (hasNext())
            {
                callNext();
            }
            if (isFailed)
            {
                call(() -> authentication.nextRequest("host"));
                call(() -> authentication.renew("host"));
            }
            end();
            check(!frame.buffer().getStringWithoutLengthAscii(0, frame.buffer().capacity()).contains(PASSWORD),
                "the password is left in the frame");
            frame.free();
            check(mechanism.forbidden().isEmpty(), mechanism.forbidden() + " after a failure");
            check(budget.heldBytes() == 0, "memory is left");
            return failures + " failures, " + fault.steps().size() + " steps";
        }

        private void callNext()
        {
            switch (next() % CALLS)
            {
                case 0 -> connect();
                case 1 -> call(() -> authentication.nextRequest("host"));
                case 2 -> respond(ByteBuffer.allocate(6));
                case 3 -> respond(authenticated(0, new byte[0], next() * 1_000L));
                case 4 -> respond(authenticated(58, new byte[0], 0));
                case 5 -> respond(authenticated(0, new byte[next()], -1 + next()));
                case 6 -> call(() -> authentication.renew("host"));
                case 7 -> respond(ByteBuffer.allocate(1 + next() % 32).put(0, (byte)next()));
                case 8 -> end();
                default -> authentication.isRenewalDue(next());
            }
        }

        /** A response to SaslAuthenticate. */
        private static ByteBuffer authenticated(final int errorCode, final byte[] token, final long lifetimeMs)
        {
            return ByteBuffer.allocate(Short.BYTES * 2 + Integer.BYTES + token.length + Long.BYTES)
                .putShort((short)errorCode).putShort((short)-1).putInt(token.length).put(token).putLong(lifetimeMs);
        }

        private void respond(final ByteBuffer body)
        {
            final byte[] bytes = body.array();
            call(() -> authentication.onResponse(new UnsafeBuffer(bytes), 0, bytes.length));
        }

        private void connect()
        {
            try
            {
                authentication.begin(VERSION, VERSION);
                isFailed = false;
            }
            catch (final SaslException | OutOfMemoryError ex)
            {
                check(ex == throwable, "thrown " + ex);
            }
        }

        private void end()
        {
            try
            {
                authentication.end();
            }
            catch (final OutOfMemoryError ex)
            {
                check(ex == throwable, "thrown " + ex);
            }
        }
    }
}
