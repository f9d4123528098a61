// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.security.SaslMechanism;

import java.nio.file.Path;

/**
 * Makes a mechanism of SASL from the login module that Kafka uses for it.
 */
final class KafkaMechanism
{
    private KafkaMechanism()
    {
    }

    /**
     * @param name      of the mechanism, one of Kafka's.
     * @param config    the login module and its options.
     * @param service   name of the service for Kerberos, or null.
     * @param tokenFile that holds the token of OAUTHBEARER, or null.
     * @throws IllegalArgumentException with what is wrong, without a secret.
     */
    static SaslMechanism of(final String name, final JaasConfig config, final String service, final Path tokenFile)
    {
        final String module = moduleOf(name);
        if (!config.module().equals(module))
        {
            throw new IllegalArgumentException(
                "it names " + config.module() + ", and sasl.mechanism " + name + " needs " + module);
        }
        throw new IllegalArgumentException("SASL is not supported yet");
    }

    private static String moduleOf(final String mechanism)
    {
        return switch (mechanism)
        {
            case "PLAIN" -> "org.apache.kafka.common.security.plain.PlainLoginModule";
            case "OAUTHBEARER" -> "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule";
            case "GSSAPI" -> "com.sun.security.auth.module.Krb5LoginModule";
            default -> "org.apache.kafka.common.security.scram.ScramLoginModule";
        };
    }
}
