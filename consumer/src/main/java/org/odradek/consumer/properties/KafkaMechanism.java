// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.properties;

import org.odradek.client.security.KerberosLogin;
import org.odradek.client.security.OAuthBearerMechanism;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SaslClientMechanism;
import org.odradek.client.security.SaslMechanism;
import org.odradek.client.security.ScramMechanism;
import org.odradek.client.security.TokenSource;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/** Creates a SASL mechanism from the options of the login module that Kafka uses for this mechanism. */
final class KafkaMechanism
{
    private static final String SERVICE_OPTION = "serviceName";
    private static final String EXTENSION = "extension_";
    private static final String UNSECURED_EXTENSION = "unsecuredLoginExtension_";
    private static final String UNSECURED_SUBJECT = "unsecuredLoginStringClaim_sub";
    private static final long UNSECURED_LIFETIME_SECONDS = 3_600;

    private KafkaMechanism()
    {
    }

    /**
     * @param service   the name of the service for Kerberos, or null.
     * @param tokenFile the file that holds the token of OAUTHBEARER, or null.
     */
    static SaslMechanism of(final String name, final JaasConfig config, final String service, final Path tokenFile)
    {
        final String module = moduleOf(name);
        if (!config.module().equals(module))
        {
            throw new IllegalArgumentException(
                "it names another login module, and sasl.mechanism " + name + " needs " + module);
        }
        return switch (name)
        {
            case "PLAIN" -> PlainMechanism.plain(user(config), password(config));
            case "SCRAM-SHA-256" -> scram(config, ScramMechanism.scramSha256(user(config), password(config)));
            case "SCRAM-SHA-512" -> scram(config, ScramMechanism.scramSha512(user(config), password(config)));
            case "OAUTHBEARER" -> oauthBearer(config.options(), tokenFile);
            default -> gssapi(config.options(), service);
        };
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

    private static String option(final JaasConfig config, final String name)
    {
        final String value = config.options().get(name);
        if (value == null)
        {
            throw new IllegalArgumentException("it lacks the option " + name);
        }
        return value;
    }

    private static String user(final JaasConfig config)
    {
        return option(config, "username");
    }

    private static char[] password(final JaasConfig config)
    {
        return option(config, "password").toCharArray();
    }

    private static SaslMechanism scram(final JaasConfig config, final ScramMechanism mechanism)
    {
        return mechanism.delegationToken(Boolean.parseBoolean(config.options().get("tokenauth")));
    }

    private static SaslMechanism oauthBearer(final Map<String, String> options, final Path tokenFile)
    {
        final String subject = options.get(UNSECURED_SUBJECT);
        if (tokenFile == null && subject == null)
        {
            throw new IllegalArgumentException("it has no " + UNSECURED_SUBJECT + ", and " +
                "sasl.oauthbearer.token.endpoint.url names no file with a token");
        }
        if (subject != null && !subject.matches("[ !#-\\[\\]-~]+"))
        {
            throw new IllegalArgumentException(
                UNSECURED_SUBJECT + " must have visible ASCII characters, without quotes");
        }
        final OAuthBearerMechanism mechanism = OAuthBearerMechanism.oauthBearer(
            tokenFile != null ? TokenSource.file(tokenFile) : () -> unsecuredToken(subject));
        final String prefix = tokenFile != null ? EXTENSION : UNSECURED_EXTENSION;
        options.forEach((name, value) ->
        {
            if (name.startsWith(prefix))
            {
                mechanism.extension(name.substring(prefix.length()), value);
            }
        });
        return mechanism;
    }

    private static char[] unsecuredToken(final String subject)
    {
        final long nowSeconds = System.currentTimeMillis() / 1_000;
        final Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
        final String claims = "{\"sub\":\"" + subject + "\",\"iat\":" + nowSeconds + ",\"exp\":" +
            (nowSeconds + UNSECURED_LIFETIME_SECONDS) + "}";
        return (base64.encodeToString("{\"alg\":\"none\"}".getBytes(StandardCharsets.US_ASCII)) + "." +
            base64.encodeToString(claims.getBytes(StandardCharsets.US_ASCII)) + ".").toCharArray();
    }

    private static SaslMechanism gssapi(final Map<String, String> options, final String service)
    {
        final Map<String, String> login = new HashMap<>(options);
        final String given = login.remove(SERVICE_OPTION);
        return SaslClientMechanism.gssapi(
            given != null ? given : service != null ? service : SaslClientMechanism.DEFAULT_SERVICE_NAME,
            new KerberosLogin(login));
    }
}
