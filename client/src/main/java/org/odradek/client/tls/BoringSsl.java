// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import io.netty.internal.tcnative.Buffer;
import io.netty.internal.tcnative.CertificateVerifier;
import io.netty.internal.tcnative.Library;
import io.netty.internal.tcnative.SSL;
import io.netty.internal.tcnative.SSLContext;
import org.agrona.BufferUtil;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.TlsMaterial;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;

import java.io.ByteArrayInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Security;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Base64;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;

/**
 * Provides TLS by BoringSSL, through the native methods of netty-tcnative.
 * <p>
 * The class SSL of netty-tcnative 2.0.84 cannot be used any more if it was initialized before the library was loaded. A
 * second copy of the library in one class loader replaces the native methods of the first.
 */
final class BoringSsl implements TlsProvider
{
    private static final String TLS_1_2 = "TLSv1.2";
    private static final String LIBRARY = "libnetty_tcnative_linux_";
    private static final String NETTY_LOADER = "io.netty.handler.ssl.OpenSsl";

    private final long context;
    private long chain;
    private long key;
    private int engineCount;
    private boolean isClosed;
    private boolean isFreed;
    /** The engine whose handshake runs now, to which the callbacks belong; null between two handshake steps. */
    private Engine handshaking;
    private final boolean isSha1Disabled =
        HandshakeSignatureCheck.isRequired(Security.getProperty(DISABLED_ALGORITHMS));
    private final TlsSettings settings;
    private final PeerVerifier verifier;
    private final RefusedKeys refusedKeys;
    private final CertificateFactory certificates;

    /**
     * @param settings settings with which BoringSSL can be used, as {@link TlsEngines#unfit} determines.
     * @param material certificates, and no key or a key that can be exported.
     * @throws GeneralSecurityException if BoringSSL refuses the settings, the certificates or the key.
     */
    BoringSsl(
        final TlsSettings settings,
        final TlsMaterial material,
        final CounterWriter counters,
        final RefusedKeys refusedKeys) throws GeneralSecurityException
    {
        this.settings = settings;
        this.refusedKeys = refusedKeys;
        verifier = new PeerVerifier(material.trustManager(), counters, null);
        certificates = CertificateFactory.getInstance("X.509");
        try
        {
            context = SSLContext.make(SSL.SSL_PROTOCOL_TLSV1_2 | SSL.SSL_PROTOCOL_TLSV1_3, SSL.SSL_MODE_CLIENT);
        }
        catch (final Exception ex)
        {
            throw new GeneralSecurityException(ex);
        }
        try
        {
            configure(material);
        }
        catch (final Exception ex)
        {
            close();
            throw new GeneralSecurityException(ex.getMessage(), ex);
        }
    }

    private void configure(final TlsMaterial material) throws Exception
    {
        // Another user of the library may have left errors on this thread.
        SSL.clearError();
        // The suites of TLS 1.3 cannot be chosen, and a list of suites here contains none of them, so it allows TLS 1.2
        // only.
        final boolean hasTls13 = settings.protocols().contains(TLS_1_3) && settings.cipherSuites().isEmpty();
        SSLContext.setOptions(context, SSL.SSL_OP_NO_SSLv2 | SSL.SSL_OP_NO_SSLv3 | SSL.SSL_OP_NO_TLSv1 |
            SSL.SSL_OP_NO_TLSv1_1 | SSL.SSL_OP_NO_COMPRESSION |
            (settings.protocols().contains(TLS_1_2) ? 0 : SSL.SSL_OP_NO_TLSv1_2) |
            (hasTls13 ? 0 : SSL.SSL_OP_NO_TLSv1_3));
        checkSuites();
        SSLContext.setCipherSuite(context, String.join(
            ":", settings.cipherSuites().isEmpty() ? TLS_1_2_SUITES : settings.cipherSuites()), false);
        SSLContext.setSessionCacheMode(context, SSL.SSL_SESS_CACHE_OFF);
        SSLContext.setMaxCertList(context, PeerCertificates.MAX_LENGTH);
        SSLContext.setUseTasks(context, false);
        SSLContext.setVerify(context, SSL.SSL_CVERIFY_REQUIRED, PeerCertificates.MAX_COUNT);
        final Callbacks callbacks = new Callbacks();
        SSLContext.setCertVerifyCallback(context, callbacks);
        SSLContext.setCertificateCallback(context, callbacks::onCertificateRequested);
        if (material.privateKey() != null)
        {
            final StringBuilder pem = new StringBuilder();
            for (final X509Certificate certificate : material.chain())
            {
                pem.append(pem("CERTIFICATE", certificate.getEncoded()));
            }
            chain = withBio(pem.toString().getBytes(StandardCharsets.US_ASCII), SSL::parseX509Chain);
            key = withBio(pem("PRIVATE KEY", material.privateKey().getEncoded()).getBytes(StandardCharsets.US_ASCII),
                (bio) -> SSL.parsePrivateKey(bio, null));
        }
    }

    /**
     * Checks each suite alone: BoringSSL refuses a single suite that it does not have, but ignores such a suite in a
     * list.
     */
    private void checkSuites() throws GeneralSecurityException
    {
        for (final String suite : settings.cipherSuites())
        {
            try
            {
                SSLContext.setCipherSuite(context, suite, false);
            }
            catch (final Exception ex)
            {
                throw new GeneralSecurityException("it does not have the cipher suite " + suite, ex);
            }
        }
    }

    private static String pem(final String type, final byte[] der)
    {
        return "-----BEGIN " + type + "-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) +
            "\n-----END " + type + "-----\n";
    }

    /** Parses PEM, and overwrites the array. */
    private static long withBio(final byte[] pem, final PemParser parser) throws Exception
    {
        final ByteBuffer memory = ByteBuffer.allocateDirect(pem.length).put(pem);
        final long bio = SSL.newMemBIO();
        try
        {
            SSL.bioWrite(bio, BufferUtil.address(memory), pem.length);
            return parser.parse(bio);
        }
        finally
        {
            SSL.freeBIO(bio);
            Arrays.fill(pem, (byte)0);
            BufferUtil.free(memory.clear().put(pem));
        }
    }

    private interface PemParser
    {
        long parse(long bio) throws Exception;
    }

    /** Loads the native library, unless other code in this class loader has loaded it. */
    static synchronized void load() throws Exception
    {
        try
        {
            // Netty's own TLS code is initialized first, because it loads its own copy of the library even if one is
            // loaded.
            Class.forName(NETTY_LOADER, true, BoringSsl.class.getClassLoader());
        }
        catch (final ClassNotFoundException ex)
        {
            // No other part of netty uses the library then.
        }
        if (!isLoaded())
        {
            unpack();
        }
        Library.initialize("provided", null);
        SSL.version();
    }

    private static boolean isLoaded()
    {
        try
        {
            return Buffer.address(ByteBuffer.allocateDirect(1)) != 0;
        }
        catch (final UnsatisfiedLinkError ex)
        {
            return false;
        }
    }

    /** Creates a new folder, inside the folder for temporary files, that only this user can read or write. */
    static Path createFolder() throws IOException
    {
        return Files.createTempDirectory(
            "odradek-tls-", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private static void unpack() throws IOException
    {
        final String name = LIBRARY + ("aarch64".equals(System.getProperty("os.arch")) ? "aarch_64" : "x86_64") + ".so";
        final Path folder = createFolder();
        final Path file = folder.resolve(name);
        try (InputStream in = SSL.class.getClassLoader().getResourceAsStream("META-INF/native/" + name))
        {
            if (in == null)
            {
                throw new FileNotFoundException("netty-tcnative-boringssl-static for this platform is missing");
            }
            Files.copy(in, file);
            System.load(file.toString());
        }
        finally
        {
            Files.deleteIfExists(file);
            Files.deleteIfExists(folder);
        }
    }

    static String version()
    {
        return SSL.versionString();
    }

    /**
     * Returns the name of a host for the handshake, without a dot at its end; null if it cannot be one, such as an IP
     * address or a name with an underscore (RFC 6066, 3).
     */
    static String serverName(final String host)
    {
        final String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        if (name.indexOf(':') >= 0 || name.matches("[0-9.]*"))
        {
            return null;
        }
        try
        {
            return new SNIHostName(name).getAsciiName();
        }
        catch (final IllegalArgumentException ex)
        {
            return null;
        }
    }

    @Override
    public TlsEngine newEngine(final String host, final int port) throws SSLException
    {
        return new Engine(host, port);
    }

    @Override
    public void close()
    {
        isClosed = true;
        freeUnused();
        assert isConsistent();
    }

    /**
     * Frees the native context once it is closed and no engine is left, because an engine may need the callbacks of the
     * context.
     */
    private void freeUnused()
    {
        if (isClosed && !isFreed && engineCount == 0)
        {
            isFreed = true;
            if (chain != 0)
            {
                SSL.freeX509Chain(chain);
            }
            if (key != 0)
            {
                SSL.freePrivateKey(key);
            }
            SSLContext.free(context);
        }
    }

    private boolean isConsistent()
    {
        // The number of engines is never negative.
        return engineCount >= 0 &&
            // The native context is freed after the last engine, and only if no other engine can be created.
            (isFreed ? isClosed && engineCount == 0 : !isClosed || engineCount > 0) &&
            // Between two steps no engine is inside its handshake.
            handshaking == null;
    }

    private final class Callbacks extends CertificateVerifier
    {
        @Override
        public int verify(final long ssl, final byte[][] encoded, final String authType)
        {
            final Engine engine = handshaking;
            if (engine == null)
            {
                return X509_V_ERR_UNSPECIFIED;
            }
            engine.isVerified = false;
            try
            {
                PeerCertificates.check(encoded);
                final X509Certificate[] chain = new X509Certificate[encoded.length];
                for (int i = 0; i < chain.length; i++)
                {
                    chain[i] = (X509Certificate)certificates.generateCertificate(new ByteArrayInputStream(encoded[i]));
                }
                verifier.checkServerTrusted(chain, authType, new HandshakeView(
                    engine.host, engine.port, SSL.getVersion(ssl), settings.verifyHost()));
                engine.isVerified = true;
                engine.isKeyRefused = RefusedKeys.refusedKind(chain[0].getPublicKey()) != null;
                return X509_V_OK;
            }
            catch (final Throwable ex)
            {
                engine.refusal = ex;
                return X509_V_ERR_UNSPECIFIED;
            }
        }

        /**
         * Without a key, BoringSSL sends an empty list of certificates, and the broker decides whether it accepts that.
         */
        void onCertificateRequested(final long ssl, final byte[] keyTypes, final byte[][] issuers)
        {
            final Engine engine = handshaking;
            engine.isCertificateRequested = true;
            try
            {
                if (key != 0)
                {
                    SSL.setKeyMaterial(ssl, chain, key);
                }
            }
            catch (final Exception ex)
            {
                engine.refusal = TlsErrors.ownKeyRefused(ex);
            }
            catch (final Error ex)
            {
                engine.refusal = ex;
            }
        }
    }

    private final class Engine implements TlsEngine
    {
        private static final int PENDING_LENGTH = 18 << 10;

        private final String host;
        private final int port;
        private final long ssl;
        private final long bio;
        private boolean isFreed;
        private boolean isClosedByPeer;
        private boolean isCertificateRequested;
        private boolean isVerified;
        /** True if the certificate of the peer was accepted but BoringSSL will refuse its key. */
        private boolean isKeyRefused;
        private Throwable refusal;
        /** This field is null if SHA-1 is not disabled. */
        private final HandshakeSignatureCheck signatures;

        Engine(final String host, final int port)
        {
            this.host = host;
            this.port = port;
            signatures = isSha1Disabled ? new HandshakeSignatureCheck() : null;
            ssl = SSL.newSSL(context, false);
            engineCount++;
            bio = SSL.bioNewByteBuffer(ssl, PENDING_LENGTH);
            final String serverName = serverName(host);
            if (serverName != null)
            {
                SSL.setTlsExtHostName(ssl, serverName);
            }
        }

        @Override
        public void inspect(final ByteBuffer input, final int from) throws SSLException
        {
            if (signatures != null)
            {
                signatures.read(input, from);
            }
        }

        @Override
        public boolean handshake(final ByteBuffer input, final ByteBuffer output) throws IOException
        {
            final int result;
            final int error;
            assert !isFreed && handshaking == null;
            handshaking = this;
            begin(input);
            try
            {
                result = SSL.doHandshake(ssl);
                error = result > 0 ? SSL.SSL_ERROR_NONE : SSL.getError(ssl, result);
            }
            finally
            {
                end(input);
                handshaking = null;
            }
            if (refusal != null ||
                result <= 0 && error != SSL.SSL_ERROR_WANT_READ && error != SSL.SSL_ERROR_WANT_WRITE)
            {
                throw handshakeFailure(error);
            }
            if (result > 0 && !isVerified)
            {
                throw TlsErrors.peerNotVerified();
            }
            takePending(output);
            return result > 0;
        }

        private void begin(final ByteBuffer input)
        {
            SSL.bioSetByteBuffer(bio, BufferUtil.address(input) + input.position(), input.remaining(), false);
        }

        private void end(final ByteBuffer input)
        {
            input.position(input.limit() - SSL.bioLengthByteBuffer(bio));
            SSL.bioClearByteBuffer(bio);
        }

        @Override
        public void decrypt(final ByteBuffer input, final ByteBuffer destination) throws SSLException
        {
            final long address = BufferUtil.address(destination);
            final int limit = destination.limit();
            final int error;
            int position = destination.position();
            int bytes = 1;
            begin(input);
            try
            {
                while (position < limit && (bytes = SSL.readFromSSL(ssl, address + position, limit - position)) > 0)
                {
                    position += bytes;
                }
                error = bytes > 0 ? SSL.SSL_ERROR_NONE : SSL.getError(ssl, bytes);
            }
            finally
            {
                end(input);
            }
            destination.position(position);
            if (error != SSL.SSL_ERROR_NONE && error != SSL.SSL_ERROR_WANT_READ)
            {
                if (error != SSL.SSL_ERROR_ZERO_RETURN)
                {
                    throw TlsErrors.failed(takeError(), error);
                }
                isClosedByPeer = true;
            }
        }

        private IOException handshakeFailure(final int error)
        {
            final String reason = takeError();
            if (refusal != null)
            {
                return TlsErrors.notTrusted(refusal);
            }
            if (!isKeyRefused && (isVerified || !TlsErrors.isPerhapsRefusedKey(reason)))
            {
                return TlsErrors.failed(reason, error);
            }
            return settings.provider() == TlsProviderType.AUTO && refusedKeys.add(host, port) ?
                TlsErrors.triedByJdk(reason) : TlsErrors.perhapsRefusedKey(reason);
        }

        /**
         * Returns the last error of this thread, and clears its errors, so that the next failing call does not report
         * them.
         */
        private static String takeError()
        {
            final String reason = SSL.getLastError();
            SSL.clearError();
            return reason;
        }

        @Override
        public boolean isTls13()
        {
            return TLS_1_3.equals(SSL.getVersion(ssl));
        }

        @Override
        public boolean isClosedByPeer()
        {
            return isClosedByPeer;
        }

        @Override
        public boolean isCertificateRequested()
        {
            return isCertificateRequested;
        }

        @Override
        public int encrypt(final ByteBuffer source, final ByteBuffer output) throws SSLException
        {
            takePending(output);
            final int length = Math.min(source.remaining(), MAX_PLAINTEXT);
            final int bytes;
            final int error;
            SSL.bioSetByteBuffer(bio, BufferUtil.address(output) + output.position(), output.remaining(), true);
            try
            {
                bytes = SSL.writeToSSL(ssl, BufferUtil.address(source) + source.position(), length);
                error = bytes > 0 ? SSL.SSL_ERROR_NONE : SSL.getError(ssl, bytes);
            }
            finally
            {
                end(output);
            }
            if (error != SSL.SSL_ERROR_NONE)
            {
                throw TlsErrors.failed(takeError(), error);
            }
            return bytes;
        }

        /** Takes all pending bytes, because the native ring buffer may be written safely only while it is empty. */
        private void takePending(final ByteBuffer output)
        {
            if (SSL.bioLengthNonApplication(bio) > 0)
            {
                SSL.bioSetByteBuffer(bio, BufferUtil.address(output) + output.position(), output.remaining(), true);
                SSL.bioFlushByteBuffer(bio);
                end(output);
            }
        }

        @Override
        public void takeOutput(final ByteBuffer output, final boolean isClosing)
        {
            if (isClosing)
            {
                SSL.shutdownSSL(ssl);
            }
            takePending(output);
            SSL.clearError();
        }

        @Override
        public void free()
        {
            if (!isFreed)
            {
                isFreed = true;
                SSL.freeSSL(ssl);
                engineCount--;
                freeUnused();
            }
            assert isConsistent();
        }
    }
}
