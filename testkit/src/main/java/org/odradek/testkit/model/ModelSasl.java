// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.model;

/**
 * How the brokers of a {@link ModelCluster} authenticate their clients: by the mechanism PLAIN, with one user. It has
 * no randomness, as SCRAM has; what differs between mechanisms is not the concern of the model.
 */
public final class ModelSasl
{
    /** The name of the only mechanism. */
    public static final String MECHANISM = "PLAIN";

    private final String user;
    private final long sessionLifetimeMs;
    private String password;
    private int rounds;

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
