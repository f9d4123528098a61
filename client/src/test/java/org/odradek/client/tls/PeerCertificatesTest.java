// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Checks the bounds of certificates with genuine ones, with all their prefixes, and with nested values. */
class PeerCertificatesTest
{
    private static final int SEQUENCE = 0x30;
    private static final int OCTET_STRING = 0x04;
    private static final int BIT_STRING = 0x03;

    @Test
    void shouldAcceptWhatTheJvmTrusts() throws Exception
    {
        final KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        final Path file = Path.of(System.getProperty("java.home"), "lib", "security", "cacerts");
        try (InputStream in = Files.newInputStream(file))
        {
            store.load(in, null);
        }
        int count = 0;
        for (final String alias : Collections.list(store.aliases()))
        {
            final Certificate certificate = store.getCertificate(alias);
            PeerCertificates.check(new byte[][] {certificate.getEncoded()});
            count++;
        }
        assertTrue(count > 50, count + " certificates");
    }

    @Test
    void shouldRefuseEveryPrefix() throws Exception
    {
        final byte[] whole = issued();
        PeerCertificates.check(new byte[][] {whole});

        for (int length = 1; length < whole.length; length++)
        {
            final byte[][] cut = {Arrays.copyOf(whole, length)};
            assertThrows(CertificateException.class, () -> PeerCertificates.check(cut));
        }
    }

    @Test
    void shouldEndWhateverTheBytesAre() throws Exception
    {
        final Random random = new Random(42);
        final byte[] whole = issued();
        int refused = 0;
        for (int i = 0; i < 100_000; i++)
        {
            final byte[] changed = whole.clone();
            changed[random.nextInt(changed.length)] = (byte)random.nextInt();
            try
            {
                PeerCertificates.check(new byte[][] {changed});
            }
            catch (final CertificateException ex)
            {
                refused++;
            }
        }
        assertTrue(refused > 1_000 && refused < 90_000, refused + " refused");
    }

    @ParameterizedTest
    @CsvSource({
        "48, 32, true", "48, 33, false", "36, 32, true", "36, 33, false", "4, 33, false", "3, 33, false",
        "36, 7500, false", "4, 7500, false", "48, 12000, false"})
    void shouldBoundHowDeepValuesAreNested(final int tag, final int depth, final boolean isAccepted) throws Exception
    {
        final byte[][] chain = {nested(tag, depth)};

        if (isAccepted)
        {
            PeerCertificates.check(chain);
        }
        else
        {
            assertTrue(assertThrows(CertificateException.class, () -> PeerCertificates.check(chain)).getMessage()
                .contains("nested more than 32 deep"));
        }
    }

    @Test
    void shouldBoundValuesOfIndefiniteLength()
    {
        final byte[] indefinite = new byte[10_000];
        for (int i = 0; i < indefinite.length; i += 2)
        {
            indefinite[i] = SEQUENCE;
            indefinite[i + 1] = (byte)0x80;
        }

        assertThrows(CertificateException.class, () -> PeerCertificates.check(new byte[][] {indefinite}));
        assertThrows(CertificateException.class,
            () -> PeerCertificates.check(new byte[][] {wrapped(OCTET_STRING, indefinite)}));
    }

    @Test
    void shouldBoundNumberAndLength() throws Exception
    {
        final byte[] whole = issued();
        final byte[] large = wrapped(SEQUENCE, wrapped(OCTET_STRING, new byte[40_000]));
        PeerCertificates.check(new byte[][] {large});
        final byte[][] many = new byte[11][];
        Arrays.fill(many, whole);
        PeerCertificates.check(Arrays.copyOf(many, 10));

        assertEquals("the broker sent 11 certificates where 1 to 10 are accepted",
            assertThrows(CertificateException.class, () -> PeerCertificates.check(many)).getMessage());
        assertThrows(CertificateException.class, () -> PeerCertificates.check(new byte[0][]));
        assertTrue(assertThrows(CertificateException.class, () -> PeerCertificates.check(new byte[][] {large, large}))
            .getMessage().endsWith("bytes of certificates where at most 65536 are accepted"));
    }

    private static byte[] issued() throws Exception
    {
        final Identity identity = new CertificateAuthority("test CA").issue("broker", "broker.example");
        return identity.chain().get(0).getEncoded();
    }

    private static byte[] nested(final int tag, final int depth) throws IOException
    {
        byte[] value = {};
        for (int i = 0; i < depth; i++)
        {
            value = wrapped(tag, value);
        }
        return value;
    }

    private static byte[] wrapped(final int tag, final byte[] value) throws IOException
    {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final int length = value.length + (tag == BIT_STRING ? 1 : 0);
        out.write(tag);
        if (length < 0x80)
        {
            out.write(length);
        }
        else
        {
            out.write(0x83);
            out.write(length >>> 16);
            out.write(length >>> 8);
            out.write(length);
        }
        if (tag == BIT_STRING)
        {
            out.write(0);
        }
        out.write(value);
        return out.toByteArray();
    }
}
