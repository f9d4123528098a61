// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * How the brokers of a {@link ModelCluster} authenticate their clients, with one user: by the mechanism PLAIN, or by
 * SCRAM with nonces of a test.
 */
public final class ModelSasl
{
    /** After so many exchanges of SCRAM the password is stored anew, with another salt. */
    private static final int EXCHANGES_OF_A_SALT = 16;

    private final String user;
    private final long sessionLifetimeMs;
    private String password;
    private int rounds;
    private String mechanism = "PLAIN";
    /** Null for PLAIN. */
    private Supplier<String> nonces;
    private int exchanges;

    /**
     * @param user              that is accepted.
     * @param password          that is accepted until {@link #password} changes it.
     * @param sessionLifetimeMs after which a client must authenticate again (connections.max.reauth.ms); 0 for never.
     */
    public ModelSasl(final String user, final String password, final long sessionLifetimeMs)
    {
        this.user = user;
        this.password = password;
        this.sessionLifetimeMs = sessionLifetimeMs;
    }

    /**
     * Has clients exchange messages before that with user and password, as other mechanisms do. Their content does not
     * matter.
     *
     * @param count of messages each way; 0 unless set, as PLAIN has it.
     */
    public ModelSasl rounds(final int count)
    {
        rounds = count;
        return this;
    }

    int rounds()
    {
        return rounds;
    }

    /**
     * Authenticates by SCRAM-SHA-256, without other messages.
     *
     * @param newNonces of the brokers, one for each exchange.
     */
    public ModelSasl scram(final Supplier<String> newNonces)
    {
        return scram("SCRAM-SHA-256", newNonces);
    }

    /**
     * Authenticates by SCRAM-SHA-512, without other messages.
     *
     * @param newNonces of the brokers, one for each exchange.
     */
    public ModelSasl scramSha512(final Supplier<String> newNonces)
    {
        return scram("SCRAM-SHA-512", newNonces);
    }

    private ModelSasl scram(final String newMechanism, final Supplier<String> newNonces)
    {
        mechanism = newMechanism;
        nonces = newNonces;
        return this;
    }

    boolean isScram()
    {
        return nonces != null;
    }

    String mechanism()
    {
        return mechanism;
    }

    String nonce()
    {
        exchanges++;
        return nonces.get();
    }

    byte[] salt()
    {
        return ("salt " + exchanges / EXCHANGES_OF_A_SALT).getBytes(StandardCharsets.US_ASCII);
    }

    String user()
    {
        return user;
    }

    String password()
    {
        return password;
    }

    /** Changes the password. Sessions that exist go on until they authenticate again. */
    public void password(final String newPassword)
    {
        password = newPassword;
    }

    boolean isAccepted(final String givenUser, final char[] givenPassword)
    {
        return user.equals(givenUser) && password.equals(new String(givenPassword));
    }

    long sessionLifetimeMs()
    {
        return sessionLifetimeMs;
    }
}
