// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.odradek.harness.tls.Fault;

import java.util.ArrayList;
import java.util.List;
import javax.security.sasl.SaslException;

/** A mechanism that throws before or after what another one does, at the steps of a {@link Fault}. */
public final class FaultyMechanism implements SaslMechanism
{
    private final List<String> forbidden = new ArrayList<>();
    private int responses;
    private final SaslMechanism mechanism;
    private final Fault fault;

    public FaultyMechanism(final SaslMechanism mechanism, final Fault fault)
    {
        this.mechanism = mechanism;
        this.fault = fault;
    }

    /** The calls of exchanges that had thrown or were closed before. */
    public List<String> forbidden()
    {
        return forbidden;
    }

    /** How many messages the caller was given. */
    public int responses()
    {
        return responses;
    }

    @Override
    public String name()
    {
        return mechanism.name();
    }

    @Override
    public Session begin(final String host) throws SaslException
    {
        fault.step("before begin");
        final Session session = mechanism.begin(host);
        fault.step("after begin");
        return new FaultySession(session);
    }

    /** One exchange. */
    private final class FaultySession implements Session
    {
        private final Session session;
        private boolean isFailed;
        private boolean isClosed;

        FaultySession(final Session session)
        {
            this.session = session;
        }

        private void step(final String name)
        {
            if (isFailed)
            {
                forbidden.add(name);
            }
            final int thrown = fault.thrown();
            try
            {
                fault.step(name);
            }
            finally
            {
                isFailed |= fault.thrown() > thrown;
            }
        }

        @Override
        public byte[] respond(final byte[] challenge) throws SaslException
        {
            step("before respond");
            final byte[] message = session.respond(challenge);
            step("after respond");
            responses++;
            return message;
        }

        @Override
        public boolean isComplete()
        {
            step("before isComplete");
            final boolean isComplete = session.isComplete();
            step("after isComplete");
            return isComplete;
        }

        @Override
        public String hint()
        {
            step("hint");
            return session.hint();
        }

        @Override
        public void close()
        {
            if (isClosed)
            {
                forbidden.add("a second close");
            }
            isClosed = true;
            isFailed = true;
            session.close();
            fault.step("close");
        }
    }
}
