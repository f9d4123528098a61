// SPDX-License-Identifier: Apache-2.0
package org.odradek.oauth;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import org.agrona.ErrorHandler;
import org.odradek.client.security.TokenSource;
import org.odradek.protocol.PrintableText;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;

/**
 * Fetches tokens with the client credentials grant (RFC 6749, 4.4) and supplies the last one. It runs on a thread of
 * the user until that thread is interrupted:
 * <pre>{@code
 * ClientCredentials tokens = new ClientCredentials(endpoint, clientId, secret).scope("kafka");
 * Thread thread = new Thread(tokens, "tokens");
 * thread.setDaemon(true);
 * thread.start();
 * context.security(SecuritySettings.sasl(OAuthBearerMechanism.oauthBearer(tokens)).tls(...));
 * }</pre>
 * The endpoint must be https, and a redirect is an error, so that no other server receives the secret. A
 * scheduler of the application may call {@link #fetch()} instead.
 */
public final class ClientCredentials implements TokenSource, Runnable
{
    private static final int DEFAULT_TIMEOUT_MS = 10_000;
    private static final int MAX_RESPONSE_LENGTH = 1 << 20;
    private static final double REFRESH_PART = 0.8;
    private static final long DEFAULT_LIFETIME_S = 300;
    private static final long MAX_LIFETIME_S = TimeUnit.DAYS.toSeconds(30);
    private static final long FIRST_BACKOFF_MS = 1_000;
    private static final long MAX_BACKOFF_MS = 60_000;
    private static final long MAX_SLEEP_MS = 10_000;

    private final URI endpoint;
    private final String clientId;
    private final char[] clientSecret;
    private String scope;
    private int timeoutMs = DEFAULT_TIMEOUT_MS;
    private SSLContext sslContext;
    private ErrorHandler errorHandler = (ex) -> System.err.println("odradek: " + ex.getMessage());
    private volatile char[] lastToken;

    /**
     * Creates a source without a token.
     *
     * @param endpoint     the token endpoint, an https URL.
     * @param clientId     the client id.
     * @param clientSecret the secret, which is copied.
     * @throws IllegalArgumentException if the endpoint is not https or has user info, or a value is empty.
     */
    public ClientCredentials(final URI endpoint, final String clientId, final char[] clientSecret)
    {
        if (!"https".equalsIgnoreCase(endpoint.getScheme()) || endpoint.getHost() == null)
        {
            throw new IllegalArgumentException("endpoint is " + endpoint.getScheme() + "://" + endpoint.getHost() +
                ": it must be https, because the secret is sent to it");
        }
        if (endpoint.getRawUserInfo() != null)
        {
            throw new IllegalArgumentException("endpoint https://" + endpoint.getHost() + " has user info before its " +
                "host: it must have none, because the client id and the secret are given by themselves");
        }
        if (clientId.isEmpty() || clientSecret.length == 0)
        {
            throw new IllegalArgumentException("client id and client secret must not be empty");
        }
        this.endpoint = endpoint;
        this.clientId = clientId;
        this.clientSecret = clientSecret.clone();
    }

    /** Sets the scope to request; none by default. */
    public ClientCredentials scope(final String newScope)
    {
        scope = newScope;
        return this;
    }

    /**
     * Sets the longest time of a request in milliseconds, from the connection to the end of the response; the default
     * is 10,000. The lookup of the host is not limited. Through a proxy, this time limits each read instead.
     *
     * @throws IllegalArgumentException if the time is less than 1.
     */
    public ClientCredentials timeoutMs(final int newTimeoutMs)
    {
        if (newTimeoutMs < 1)
        {
            throw new IllegalArgumentException("timeoutMs is " + newTimeoutMs + ": it must be 1 or more");
        }
        timeoutMs = newTimeoutMs;
        return this;
    }

    /** Sets the context whose certificates are trusted; the default is the default context of the JVM. */
    public ClientCredentials sslContext(final SSLContext context)
    {
        sslContext = context;
        return this;
    }

    /**
     * Sets the handler of the errors of {@link #run()}, which is called on the thread that runs. The handler receives
     * the exceptions of {@link #fetch()}. By default errors are written to the standard error stream.
     */
    public ClientCredentials errorHandler(final ErrorHandler handler)
    {
        errorHandler = handler;
        return this;
    }

    /** Returns the last token that was fetched, or null before the first. */
    @Override
    public char[] token()
    {
        return lastToken;
    }

    /**
     * Fetches tokens until the thread is interrupted, each when 80 percent of the last one's lifetime have passed.
     * After a failure it waits and tries again; the wait doubles from 1 to 60 seconds.
     */
    @Override
    public void run()
    {
        long backoffMs = FIRST_BACKOFF_MS;
        try
        {
            while (!Thread.currentThread().isInterrupted())
            {
                long waitMs;
                try
                {
                    waitMs = fetch();
                    backoffMs = FIRST_BACKOFF_MS;
                }
                catch (final IOException | Error ex)
                {
                    report(ex);
                    waitMs = backoffMs;
                    backoffMs = Math.min(MAX_BACKOFF_MS, 2 * backoffMs);
                }
                sleep(waitMs, MAX_SLEEP_MS, System::currentTimeMillis);
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Sleeps in parts of at most {@code partMs}, because the time in which the machine is suspended does not count as
     * sleep.
     */
    static void sleep(final long waitMs, final long partMs, final LongSupplier epochMs) throws InterruptedException
    {
        final long startNs = System.nanoTime();
        final long endMs = epochMs.getAsLong() + waitMs;
        long leftMs = waitMs;
        while (leftMs > 0)
        {
            Thread.sleep(Math.min(leftMs, partMs));
            // A clock that is set back must not prolong the wait.
            final long sleptMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
            leftMs = Math.min(endMs - epochMs.getAsLong(), waitMs - sleptMs);
        }
    }

    private void report(final Throwable ex)
    {
        try
        {
            report(ex instanceof IOException failure ? failure : failed(ex));
        }
        catch (final Error ignore)
        {
            // Memory has run out again: nothing can be reported, and nothing may end the thread.
        }
    }

    private void report(final IOException failure)
    {
        try
        {
            errorHandler.onError(failure);
        }
        catch (final RuntimeException | Error ex)
        {
            System.err.println("odradek: the error handler of a token source failed with " + ex.getClass().getName() +
                " when it received: " + failure.getMessage());
        }
    }

    /**
     * Fetches a token on the calling thread.
     *
     * @return the time in milliseconds after which to fetch the next token.
     * @throws IOException if no token was fetched; the message is one sentence without a secret. The last token stays
     *                     in use.
     */
    public long fetch() throws IOException
    {
        HttpsURLConnection connection = null;
        try
        {
            connection = (HttpsURLConnection)endpoint.toURL().openConnection();
            return read(connection, send(connection));
        }
        catch (final RuntimeException ex)
        {
            throw failed(ex);
        }
        finally
        {
            if (connection != null)
            {
                connection.disconnect();
            }
        }
    }

    private int send(final HttpsURLConnection connection) throws IOException
    {
        // Any library of the process may have set another factory or verifier for all connections.
        connection.setSSLSocketFactory(new DeadlineSocketFactory(
            (sslContext == null ? defaultContext() : sslContext).getSocketFactory(), timeoutMs));
        // Asked only after the check of the JDK has found that the certificate is not of the host.
        connection.setHostnameVerifier((host, session) -> false);
        connection.setInstanceFollowRedirects(false);
        connection.setConnectTimeout(timeoutMs);
        connection.setReadTimeout(timeoutMs);
        connection.setUseCaches(false);
        connection.setDoOutput(true);
        connection.setRequestProperty("Authorization", "Basic " + Base64.getEncoder().encodeToString(
            (encoded(clientId) + ':' + encoded(new String(clientSecret))).getBytes(StandardCharsets.US_ASCII)));
        connection.setRequestProperty("Content-Type", "application/x-www-form-urlencoded");
        connection.setRequestProperty("Accept", "application/json");
        final String body = "grant_type=client_credentials" + (scope == null ? "" : "&scope=" + encoded(scope));
        try (OutputStream out = connection.getOutputStream())
        {
            out.write(body.getBytes(StandardCharsets.US_ASCII));
            return connection.getResponseCode();
        }
        catch (final IOException ex)
        {
            throw failed("it cannot be reached: " + ex);
        }
    }

    private SSLContext defaultContext() throws IOException
    {
        try
        {
            return SSLContext.getDefault();
        }
        catch (final NoSuchAlgorithmException ex)
        {
            throw failed(ex);
        }
    }

    private static String encoded(final String text)
    {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private long read(final HttpsURLConnection connection, final int status) throws IOException
    {
        if (status / 100 == 3)
        {
            throw failed("it responded with a redirect (status " + status + "), which is not followed");
        }
        final byte[] content;
        try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream())
        {
            content = in == null ? new byte[0] : in.readNBytes(MAX_RESPONSE_LENGTH);
        }
        catch (final IOException ex)
        {
            throw failed("its response cannot be read: " + ex);
        }
        final Response response = new Response();
        try
        {
            response.read(content);
        }
        catch (final IOException ex)
        {
            // Its message may quote the response.
            throw failed(status == HttpsURLConnection.HTTP_OK ?
                "its response is not JSON" : "it responded with status " + status);
        }
        if (status != HttpsURLConnection.HTTP_OK || response.token == null || response.token.isEmpty())
        {
            throw failed("it responded with status " + status +
                " and " + (response.reason() == null ? "no access_token" : response.reason()));
        }
        lastToken = response.token.toCharArray();
        return (long)(TimeUnit.SECONDS.toMillis(Math.min(MAX_LIFETIME_S, response.lifetimeS)) * REFRESH_PART);
    }

    /** Leaves out the message of an unexpected exception, which may quote the header with the secret. */
    private IOException failed(final Throwable ex)
    {
        final IOException failure = failed("the request failed with " + ex.getClass().getName());
        failure.setStackTrace(ex.getStackTrace());
        return failure;
    }

    /** Creates an exception without a cause, because the message of a cause may quote the provider or a proxy. */
    private IOException failed(final String reason)
    {
        return new IOException("No token from " + endpoint.getScheme() + "://" + endpoint.getAuthority() +
            endpoint.getPath() + ": " + PrintableText.of(reason) + ".");
    }

    private static final class Response
    {
        private static final JsonFactory JSON = new JsonFactory();

        private String token;
        private String error;
        private String errorDescription;
        private long lifetimeS = DEFAULT_LIFETIME_S;

        void read(final byte[] content) throws IOException
        {
            try (JsonParser parser = JSON.createParser(content))
            {
                if (parser.nextToken() != JsonToken.START_OBJECT)
                {
                    return;
                }
                while (parser.nextToken() == JsonToken.FIELD_NAME)
                {
                    final String name = parser.currentName();
                    parser.nextToken();
                    readField(name, parser);
                    parser.skipChildren();
                }
            }
        }

        private void readField(final String name, final JsonParser parser) throws IOException
        {
            switch (name)
            {
                case "access_token" -> token = parser.getValueAsString();
                case "expires_in" -> lifetimeS = lifetime(parser.getValueAsLong());
                case "error" -> error = parser.getValueAsString();
                case "error_description" -> errorDescription = parser.getValueAsString();
                default ->
                {
                    // Other fields, such as token_type and scope, are not used.
                }
            }
        }

        /** Returns the lifetime in seconds; some providers send 0 or null for a token that does not expire. */
        private static long lifetime(final long expiresIn)
        {
            return expiresIn > 0 ? expiresIn : DEFAULT_LIFETIME_S;
        }

        String reason()
        {
            if (error != null && errorDescription != null)
            {
                return error + " (" + errorDescription + ")";
            }
            return error == null ? errorDescription : error;
        }
    }
}
