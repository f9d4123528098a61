// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.odradek.client.security.TokenSource;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes the tokens with which Amazon MSK authenticates IAM users over OAUTHBEARER: a URL that is signed for 15 minutes
 * (Signature Version 4), in Base64. Each takes microseconds and no network, so a new one is made for each
 * authentication. Credentials that rotate come from whatever rotates them; this example reads the environment:
 * {@code SecuritySettings.sasl(OAuthBearerMechanism.oauthBearer(MskIamToken.ofEnvironment())).tls(trustOfJvm())}.
 */
public final class MskIamToken
{
    private static final String ALGORITHM = "AWS4-HMAC-SHA256";
    private static final String EMPTY_HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    private static final int LIFETIME_S = 900;
    private static final DateTimeFormatter TIME =
        DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private final String keyId;
    private final String secretKey;
    private final String region;

    MskIamToken(final String keyId, final String secretKey, final String region)
    {
        this.keyId = keyId;
        this.secretKey = secretKey;
        this.region = region;
    }

    /** Uses AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and, of temporary credentials, AWS_SESSION_TOKEN. */
    public static TokenSource ofEnvironment()
    {
        final Map<String, String> environment = System.getenv();
        final MskIamToken tokens = new MskIamToken(environment.get("AWS_ACCESS_KEY_ID"),
            environment.get("AWS_SECRET_ACCESS_KEY"), environment.get("AWS_REGION"));
        return () -> tokens.token(environment.get("AWS_SESSION_TOKEN"), Instant.now()).toCharArray();
    }

    String token(final String sessionToken, final Instant now)
    {
        final Map<String, String> query = new TreeMap<>();
        query.put("Action", "kafka-cluster:Connect");
        if (sessionToken != null)
        {
            query.put("X-Amz-Security-Token", sessionToken);
        }
        final String host = "kafka." + region + ".amazonaws.com";
        final String url =
            signed("kafka-cluster", host, "/", query, LIFETIME_S, EMPTY_HASH, now) + "&User-Agent=odradek";
        return Base64.getUrlEncoder().withoutPadding().encodeToString(url.getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the URL of a GET request with its signature in the query. */
    String signed(
        final String service,
        final String host,
        final String path,
        final Map<String, String> query,
        final int lifetimeS,
        final String contentHash,
        final Instant now)
    {
        final String time = TIME.format(now);
        final String day = time.substring(0, 8);
        final String scope = day + '/' + region + '/' + service + "/aws4_request";
        final Map<String, String> all = new TreeMap<>(query);
        all.put("X-Amz-Algorithm", ALGORITHM);
        all.put("X-Amz-Credential", keyId + '/' + scope);
        all.put("X-Amz-Date", time);
        all.put("X-Amz-Expires", Integer.toString(lifetimeS));
        all.put("X-Amz-SignedHeaders", "host");
        final StringBuilder text = new StringBuilder();
        all.forEach((key, value) -> text.append(text.isEmpty() ? "" : "&").append(key).append('=').append(
            URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A")));
        final String request = "GET\n" + path + '\n' + text + "\nhost:" + host + "\n\nhost\n" + contentHash;
        try
        {
            final String digest = HexFormat.of().formatHex(
                MessageDigest.getInstance("SHA-256").digest(request.getBytes(StandardCharsets.UTF_8)));
            byte[] key = ("AWS4" + secretKey).getBytes(StandardCharsets.UTF_8);
            for (final String part : new String[]{day, region, service, "aws4_request"})
            {
                key = hmac(key, part);
            }
            final byte[] signature = hmac(key, ALGORITHM + '\n' + time + '\n' + scope + '\n' + digest);
            return "https://" + host + path + '?' + text + "&X-Amz-Signature=" + HexFormat.of().formatHex(signature);
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException("the JDK has no SHA-256", ex);
        }
    }

    private static byte[] hmac(final byte[] key, final String text) throws GeneralSecurityException
    {
        final Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    }
}
