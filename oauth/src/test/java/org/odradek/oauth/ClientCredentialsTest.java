// SPDX-License-Identifier: Apache-2.0
package org.odradek.oauth;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Fetches tokens from an https server of the JDK. */
class ClientCredentialsTest
{
    private static final String SECRET = "canary:s\u00e4cret";
    private static final char[] PASSWORD = {'x'};

    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    /** Set by the test, read by the server's thread. */
    private volatile int status = 200;
    private volatile String response = "{\"access_token\":\"abc\",\"expires_in\":100,\"other\":{\"access_token\":1}}";
    /** Between two bytes of the response. */
    private volatile int pauseMs;
    private HttpsServer server;
    private SSLContext serving;
    private SSLContext trusting;

    @BeforeEach
    void start() throws Exception
    {
        final CertificateAuthority authority = new CertificateAuthority("token CA");
        final Identity identity = authority.issue("issuer", "localhost");
        final KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("key", identity.key(), PASSWORD, identity.chain().toArray(new Certificate[0]));
        final KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        serving = SSLContext.getInstance("TLS");
        serving.init(keys.getKeyManagers(), null, null);
        final KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load(null, null);
        trust.setCertificateEntry("ca", identity.chain().get(identity.chain().size() - 1));
        final TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(trust);
        trusting = SSLContext.getInstance("TLS");
        trusting.init(null, trusted.getTrustManagers(), null);

        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(serving));
        server.createContext("/", (exchange) ->
        {
            requests.add(exchange.getRequestURI().getPath() + ' ' +
                exchange.getRequestHeaders().getFirst("Authorization") + ' ' +
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.getResponseHeaders().set("Location", "/elsewhere");
            final byte[] body = response.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            for (int i = 0; i < body.length; i++)
            {
                exchange.getResponseBody().write(body[i]);
                if (pauseMs > 0)
                {
                    exchange.getResponseBody().flush();
                    LockSupport.parkNanos(pauseMs * 1_000_000L);
                }
            }
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop()
    {
        server.stop(0);
    }

    private ClientCredentials credentials()
    {
        return credentials("localhost", server.getAddress().getPort());
    }

    private ClientCredentials credentials(final String host, final int port)
    {
        return new ClientCredentials(
            URI.create("https://" + host + ":" + port + "/token?key=canary"), "id", SECRET.toCharArray())
            .sslContext(trusting).scope("kafka read");
    }

    @Test
    void shouldFetchATokenWithTheCredentials() throws IOException
    {
        final ClientCredentials credentials = credentials();

        assertNull(credentials.token());
        assertEquals(80_000, credentials.fetch());
        assertEquals("abc", new String(credentials.token()));
        final String basic = Base64.getEncoder().encodeToString(
            "id:canary%3As%C3%A4cret".getBytes(StandardCharsets.US_ASCII));
        assertEquals(List.of("/token Basic " + basic + " grant_type=client_credentials&scope=kafka+read"), requests);
    }

    /** Providers whose tokens do not expire send null or 0. */
    @ParameterizedTest
    @ValueSource(strings = {"null", "0", "-1", "\"none\"", "300"})
    void shouldAssumeFiveMinutesWithoutALifetime(final String lifetime) throws IOException
    {
        response = "{\"access_token\":\"abc\",\"expires_in\":" + lifetime + "}";

        assertEquals(240_000, credentials().fetch());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "302 | {} | responded with a redirect (status 302), which is not followed",
        "401 | {\"error\":\"refused\",\"error_description\":\"no\\u000Asuch\"} | 401 and refused (no?such)",
        "401 | {\"error\":\"\\u001b[2J\\u0085\\u009b31m\\u202e\\u2028\\u200b.\"} | 401 and ?[2J??31m???.",
        "401 | {\"error_description\":\"disabled\",\"error\":\"refused\"} | status 401 and refused (disabled).",
        "401 | {\"error_description\":\"disabled\"} | responded with status 401 and disabled.",
        "503 | <html>canary</html> | it responded with status 503.",
        "404 | {\"error\":\"canary | it responded with status 404.",
        "200 | {} | responded with status 200 and no access_token",
        "200 | not JSON canary | its response is not JSON",
        "200 | {\"access_token\":\"\"} | responded with status 200 and no access_token",
        "500 | [1] | status 500 and no access_token"})
    void shouldSayWhyThereIsNoTokenAndKeepTheLast(final int code, final String body, final String reason)
        throws IOException
    {
        final ClientCredentials credentials = credentials();
        credentials.fetch();
        status = code;
        response = body;

        final IOException failure = assertThrows(IOException.class, credentials::fetch);

        assertTrue(failure.getMessage().contains(reason), failure::getMessage);
        assertFalse(failure.toString().contains("canary"), failure::toString);
        assertNull(failure.getCause());
        assertEquals("abc", new String(credentials.token()));
        assertEquals(2, requests.size(), requests::toString);
    }

    @Test
    void shouldRefuseAServerThatIsNotTrusted() throws Exception
    {
        final IOException failure = assertThrows(
            IOException.class, () -> credentials().sslContext(SSLContext.getDefault()).fetch());

        assertTrue(failure.getMessage().contains("it cannot be reached: javax.net.ssl.SSLHandshakeException"),
            failure::getMessage);
        assertFalse(failure.toString().contains("canary"), failure::toString);
        assertNull(failure.getCause());
        assertEquals(List.of(), requests);
    }

    @Test
    void shouldRefuseACertificateOfAnotherHostWhateverTheProcessAccepts()
    {
        final HostnameVerifier before = HttpsURLConnection.getDefaultHostnameVerifier();
        HttpsURLConnection.setDefaultHostnameVerifier((host, session) -> true);
        try
        {
            final ClientCredentials credentials = credentials("127.0.0.1", server.getAddress().getPort());
            final IOException failure = assertThrows(IOException.class, credentials::fetch);

            assertTrue(failure.getMessage().contains("it cannot be reached: java.io.IOException: HTTPS hostname wrong"),
                failure::getMessage);
            assertEquals(List.of(), requests);
        }
        finally
        {
            HttpsURLConnection.setDefaultHostnameVerifier(before);
        }
    }

    @Test
    void shouldRefuseAServerThatTheJvmDoesNotTrustWhateverTheProcessConnectsWith()
    {
        final SSLSocketFactory before = HttpsURLConnection.getDefaultSSLSocketFactory();
        HttpsURLConnection.setDefaultSSLSocketFactory(trusting.getSocketFactory());
        try
        {
            final ClientCredentials credentials = credentials().sslContext(null);
            final IOException failure = assertThrows(IOException.class, credentials::fetch);

            assertTrue(failure.getMessage().contains("it cannot be reached: javax.net.ssl.SSLHandshakeException"),
                failure::getMessage);
        }
        finally
        {
            HttpsURLConnection.setDefaultSSLSocketFactory(before);
        }
    }

    @Test
    void shouldRefusePlainHttp()
    {
        final char[] secret = SECRET.toCharArray();

        final IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class,
            () -> new ClientCredentials(URI.create("http://localhost/token"), "id", secret));

        assertEquals("endpoint is http://localhost: it must be https, because the secret is sent to it",
            refusal.getMessage());
    }

    /** The machine was suspended: the clock goes on, and the time in which a thread sleeps does not. */
    @Test
    void shouldFetchTheNextTokenWhenItsTimeHasPassedInASuspend() throws InterruptedException
    {
        final long hourMs = TimeUnit.HOURS.toMillis(1);
        final long[] timesMs = {0, 1, hourMs};
        final AtomicInteger readings = new AtomicInteger();

        ClientCredentials.sleep(hourMs, 1, () -> timesMs[readings.getAndIncrement()]);

        assertEquals(timesMs.length, readings.get());
    }

    @Test
    void shouldNotWaitLongerIfTheClockIsSetBack() throws InterruptedException
    {
        final AtomicInteger readings = new AtomicInteger();

        ClientCredentials.sleep(5, 1, () -> -1_000_000L * readings.getAndIncrement());

        assertTrue(readings.get() > 1);
    }

    @Test
    void shouldReportEachFailureAndEndWhenInterrupted() throws InterruptedException
    {
        status = 503;
        response = "{}";
        final Thread thread =
            new Thread(credentials().errorHandler((ex) -> Thread.currentThread().interrupt()));

        thread.start();
        thread.join();

        assertEquals(1, requests.size());
    }

    @ParameterizedTest
    @CsvSource({"https://user:canary@localhost/token", "https://canary@localhost:1/token", "https://@localhost/token"})
    void shouldRefuseUserInfo(final URI endpoint)
    {
        final char[] secret = SECRET.toCharArray();

        final IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class,
            () -> new ClientCredentials(endpoint, "id", secret));

        assertEquals("endpoint https://localhost has user info before its host: it must have none, because the " +
            "client id and the secret are given by themselves", refusal.getMessage());
    }

    /** A context that was not initialized throws an IllegalStateException. */
    @Test
    void shouldReportWhateverThrows() throws Exception
    {
        final ClientCredentials credentials = credentials().sslContext(SSLContext.getInstance("TLS"));

        final IOException failure = assertThrows(IOException.class, credentials::fetch);

        assertTrue(failure.getMessage().endsWith(
            "/token: the request failed with java.lang.IllegalStateException."), failure::getMessage);
        assertFalse(failure.toString().contains("canary"), failure::toString);
        assertNull(failure.getCause());
    }

    /** Each read would be in time. */
    @Test
    void shouldNotWaitForEverForAResponseThatDrips()
    {
        pauseMs = 20;
        response = "{\"other\":\"" + "x".repeat(2_000) + "\",\"access_token\":\"abc\"}";
        final ClientCredentials credentials = credentials().timeoutMs(5_000);

        final IOException failure = assertThrows(IOException.class, credentials::fetch);

        assertTrue(failure.getMessage().contains("it is not complete after 5000 ms"), failure::getMessage);
        assertNull(credentials.token());
    }

    /** Each read would be in time. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @SuppressWarnings("try")    // the socket is closed before the thread that may wait for a client is joined
    void shouldNotWaitForEverForHeadersOrAHandshakeThatDrip(final boolean isTls) throws Exception
    {
        try (ServerSocket listening =
            isTls ? serving.getServerSocketFactory().createServerSocket() : new ServerSocket())
        {
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            final Thread dripping = new Thread(() -> drip(listening, isTls ?
                "HTTP/1.1 200 OK\r\nX: ".getBytes(StandardCharsets.US_ASCII) : new byte[] {22, 3, 3, 0x3F, 0}));
            dripping.start();
            final ClientCredentials credentials = credentials("localhost", listening.getLocalPort()).timeoutMs(1_000);

            final IOException failure = assertThrows(IOException.class, credentials::fetch);

            assertTrue(failure.getMessage().contains("SocketTimeoutException: it is not complete after 1000 ms"),
                failure::getMessage);
            // The thread may still wait for a client, if this one had no time to connect.
            listening.close();
            dripping.join();
        }
    }

    /** Until the client closes the connection. */
    private static void drip(final ServerSocket listening, final byte[] beginning)
    {
        try (Socket socket = listening.accept())
        {
            socket.getOutputStream().write(beginning);
            while (true)
            {
                socket.getOutputStream().write('x');
                LockSupport.parkNanos(20_000_000);
            }
        }
        catch (final IOException ignore)
        {
            // The client has closed the connection.
        }
    }

    @Test
    void shouldRefuseATimeoutThatWouldBeNone()
    {
        assertEquals("timeoutMs is 0: it must be 1 or more", assertThrows(
            IllegalArgumentException.class, () -> credentials().timeoutMs(0)).getMessage());
    }

    @Test
    void shouldFetchATokenAfterEveryKindOfFailure() throws Exception
    {
        final ClientCredentials credentials = credentials().sslContext(SSLContext.getInstance("TLS"));
        final CountDownLatch failed = new CountDownLatch(1);
        final Thread thread = new Thread(credentials.errorHandler((ex) ->
        {
            credentials.sslContext(trusting);
            failed.countDown();
            throw new IllegalStateException("error handler");
        }));

        thread.start();
        failed.await();
        while (credentials.token() == null && thread.isAlive())
        {
            Thread.onSpinWait();
        }

        assertEquals("abc", new String(credentials.token()));
        thread.interrupt();
        thread.join();
    }

    /** An Error from the TLS of the JVM, and one from the error handler. */
    @Test
    void shouldFetchATokenAfterAnError() throws Exception
    {
        final SSLContext failing = SSLContext.getInstance("TLS");
        failing.init(null, new TrustManager[]{new FailingTrust()}, null);
        final ClientCredentials credentials = credentials().sslContext(failing);
        final List<String> failures = Collections.synchronizedList(new ArrayList<>());
        final Thread thread = new Thread(credentials.errorHandler((ex) ->
        {
            failures.add(ex.getMessage());
            credentials.sslContext(trusting);
            throw new AssertionError("error handler");
        }));

        thread.start();
        while (credentials.token() == null && thread.isAlive())
        {
            Thread.onSpinWait();
        }

        assertEquals("abc", new String(credentials.token()));
        thread.interrupt();
        thread.join();
        assertTrue(failures.get(0).endsWith("/token: the request failed with java.lang.NoClassDefFoundError."),
            failures::toString);
        assertFalse(failures.get(0).contains("canary"), failures::toString);
    }

    /** Throws an Error at each certificate. */
    private static final class FailingTrust implements X509TrustManager
    {
        @Override
        public void checkServerTrusted(final X509Certificate[] chain, final String authType)
        {
            throw new NoClassDefFoundError("canary");
        }

        @Override
        public void checkClientTrusted(final X509Certificate[] chain, final String authType)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public X509Certificate[] getAcceptedIssuers()
        {
            return new X509Certificate[0];
        }
    }
}
