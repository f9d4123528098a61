// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.ClientListener;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.security.SaslMechanism;
import org.odradek.client.support.UnlimitedMemory;

import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import javax.security.sasl.SaslException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertThrowsExactly;

/** Tests what happens to the Errors of a mechanism, at each step in which it may throw one. */
class AuthenticationTest
{
    private static final int VERSION = 1;
    private static final byte[] NO_ERROR_AND_NO_MECHANISMS = new byte[Short.BYTES + Integer.BYTES];

    private enum Step
    {
        BEGIN, IS_COMPLETE, RESPOND, CLOSE
    }

    private final RequestFrame frame = new RequestFrame(UnlimitedMemory.budget(Long.MAX_VALUE), 1 << 10);
    private final List<Throwable> errors = new ArrayList<>();
    private Step failing;
    private Error toThrow;

    @AfterEach
    void free()
    {
        frame.free();
    }

    private void take(final Step step)
    {
        if (step == failing)
        {
            throw toThrow;
        }
    }

    private final class Mechanism implements SaslMechanism
    {
        @Override
        public String name()
        {
            return "TEST";
        }

        @Override
        public Session begin(final String host)
        {
            take(Step.BEGIN);
            return new Session()
            {
                @Override
                public byte[] respond(final byte[] challenge)
                {
                    take(Step.RESPOND);
                    return new byte[1];
                }

                @Override
                public boolean isComplete()
                {
                    take(Step.IS_COMPLETE);
                    return false;
                }

                @Override
                public void close()
                {
                    take(Step.CLOSE);
                }
            };
        }
    }

    private void authenticate(final Error error, final Step step) throws IOException
    {
        toThrow = error;
        failing = step;
        final DutyClock clock = new DutyClock(() -> 0, () -> 0);
        final Authentication authentication = new Authentication(new ClientSettings(), new Mechanism(), clock,
            new CounterWriter(), ClientListener.NONE, errors::add, frame);
        authentication.begin(VERSION, VERSION);
        authentication.nextRequest("host");
        authentication.onResponse(
            new UnsafeBuffer(NO_ERROR_AND_NO_MECHANISMS), 0, NO_ERROR_AND_NO_MECHANISMS.length);
        authentication.nextRequest("host");
        authentication.end();
    }

    /** So that it ends the poll. */
    @ParameterizedTest
    @EnumSource
    void shouldRethrowWhatAnAssertOfOursHasThrown(final Step step)
    {
        final AssertionError ofAnAssert = new AssertionError();

        assertSame(ofAnAssert, assertThrows(AssertionError.class, () -> authenticate(ofAnAssert, step)));
        assertEquals(List.of(), errors);
    }

    @ParameterizedTest
    @EnumSource(names = "CLOSE", mode = EnumSource.Mode.EXCLUDE)
    void shouldTakeOtherErrorsAsAFailureOfTheMechanism(final Step step)
    {
        final AssertionError ofAUser = new AssertionError("of a user");

        assertSame(ofAUser, assertThrows(SaslException.class, () -> authenticate(ofAUser, step)).getCause());
    }

    /** Such as a KDC: the client connects again after a backoff, and reports no refused credentials. */
    @ParameterizedTest
    @EnumSource(names = "CLOSE", mode = EnumSource.Mode.EXCLUDE)
    void shouldNotTakeItAsARefusalIfSomethingCannotBeReached(final Step step)
    {
        final Error unreachable = new Error("no login", new SaslException("no ticket", new ConnectException("no KDC")));

        assertEquals("the mechanism failed with Error: no login",
            assertThrowsExactly(IOException.class, () -> authenticate(unreachable, step)).getMessage());
    }

    @Test
    void shouldReportOtherErrorsOfAClose() throws IOException
    {
        authenticate(new AssertionError("of a user"), Step.CLOSE);

        assertEquals(1, errors.size());
    }
}
