// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.core;

import org.odradek.consumer.security.OAuthBearerMechanism;
import org.odradek.consumer.security.SecuritySettings;

/** What the connections of every client take from its security settings. */
public final class ClientSecurity
{
    private ClientSecurity()
    {
    }

    /** Sets the mechanism and the hosts that a client may connect to. */
    public static void apply(final SecuritySettings security, final Settings settings)
    {
        settings.mechanism = security.mechanism();
        if (settings.mechanism instanceof OAuthBearerMechanism bearer)
        {
            settings.mechanismProblem = bearer::problem;
        }
        settings.allowedHosts = security::isAllowed;
    }
}
