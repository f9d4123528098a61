// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import javax.net.ssl.SSLException;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks which signatures are refused, wherever reads, records and messages end.
 */
class HandshakeSignatureCheckTest
{
    private static final int CHANGE_CIPHER_SPEC = 20;
    private static final int ALERT = 21;
    private static final int HANDSHAKE = 22;
    private static final int APPLICATION_DATA = 23;
    private static final int SERVER_HELLO = 2;
    private static final int CERTIFICATE = 11;
    private static final int SERVER_KEY_EXCHANGE = 12;
    private static final int SERVER_HELLO_DONE = 14;
    private static final int RSA_SHA1 = 0x0201;
    private static final int RSA_SHA256 = 0x0401;
    private static final String REFUSED = "the broker signed the handshake with rsa_pkcs1_sha1, which is too weak " +
        "(jdk.tls.disabledAlgorithms): let the broker use TLSv1.3, or SHA-256";

    private final Random random = new Random(1);

    private static byte[] join(final byte[]... parts)
    {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (final byte[] part : parts)
        {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] bytes(final int... values)
    {
        final byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++)
        {
            bytes[i] = (byte)values[i];
        }
        return bytes;
    }

    private static byte[] record(final int type, final byte[] content)
    {
        return join(bytes(type, 3, 3, content.length >>> 8, content.length), content);
    }

    private static byte[] message(final int type, final byte[] body)
    {
        return join(bytes(type, body.length >>> 16, body.length >>> 8, body.length), body);
    }

    private byte[] noise(final int length)
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] keyExchange(final int algorithm, final int keyLength)
    {
        return message(SERVER_KEY_EXCHANGE, join(bytes(3, 0, 29, keyLength), noise(keyLength),
            bytes(algorithm >>> 8, algorithm, 0, 70), noise(70)));
    }

    /** What a broker sends before the client's key exchange. The certificate holds bytes that look like messages. */
    private byte[] flight(final int algorithm)
    {
        return join(message(SERVER_HELLO, noise(70)),
            message(CERTIFICATE, join(noise(40), keyExchange(RSA_SHA1, 32), noise(40))),
            keyExchange(algorithm, 32), message(SERVER_HELLO_DONE, new byte[0]));
    }

    private static byte[] inRecords(final byte[] messages, final int length)
    {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int start = 0; start < messages.length; start += length)
        {
            all.writeBytes(record(
                HANDSHAKE, Arrays.copyOfRange(messages, start, Math.min(messages.length, start + length))));
        }
        return all.toByteArray();
    }

    /** Passes the bytes in reads that end before the given indexes, into a buffer that keeps what came before. */
    private static void read(final byte[] received, final int... ends) throws SSLException
    {
        final HandshakeSignatureCheck check = new HandshakeSignatureCheck();
        final ByteBuffer input = ByteBuffer.allocateDirect(received.length).put(received);
        int start = 0;
        for (final int end : ends)
        {
            check.read(input.limit(end), start);
            start = end;
        }
        check.read(input.limit(received.length), start);
    }

    private static void assertRefused(final byte[] received, final int... ends)
    {
        assertEquals(REFUSED, assertThrows(SSLException.class, () -> read(received, ends)).getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 100, 16_384})
    void shouldFindTheSignatureInRecordsOfAnyLength(final int recordLength) throws SSLException
    {
        final byte[] weak = inRecords(flight(RSA_SHA1), recordLength);
        final byte[] strong = inRecords(flight(RSA_SHA256), recordLength);

        for (int end = 0; end <= weak.length; end++)
        {
            assertRefused(weak, end);
            read(strong, end);
        }
    }

    @Test
    void shouldFindTheSignatureInReadsOfOneByte() throws SSLException
    {
        final byte[] weak = inRecords(flight(RSA_SHA1), 50);
        final byte[] strong = inRecords(flight(RSA_SHA256), 50);
        final int[] ends = new int[weak.length];
        Arrays.setAll(ends, (i) -> i);

        assertRefused(weak, ends);
        read(strong, ends);
    }

    @Test
    void shouldReadTheRecordBeforeItIsComplete()
    {
        final byte[] flight = flight(RSA_SHA1);
        final int afterSignature = record(HANDSHAKE, flight).length - 4 - 70 - 2;

        assertRefused(Arrays.copyOf(record(HANDSHAKE, flight), afterSignature));
        assertDoesNotThrow(() -> read(Arrays.copyOf(record(HANDSHAKE, flight), afterSignature - 1)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65, 133, 255})
    void shouldFindTheSignatureAfterAKeyOfAnyLength(final int keyLength) throws SSLException
    {
        assertRefused(record(HANDSHAKE, keyExchange(RSA_SHA1, keyLength)));
        read(record(HANDSHAKE, keyExchange(RSA_SHA256, keyLength)));
    }

    @Test
    void shouldFindTheSignatureAfterAlertsAndEmptyRecords()
    {
        final byte[] flight = flight(RSA_SHA1);
        final byte[] warning = record(ALERT, bytes(1, 90));

        assertRefused(join(warning, record(HANDSHAKE, new byte[0]), inRecords(Arrays.copyOf(flight, 60), 60), warning,
            record(HANDSHAKE, new byte[0]), inRecords(Arrays.copyOfRange(flight, 60, flight.length), 9)));
    }

    @ParameterizedTest
    @CsvSource({
        "0x0101, 'algorithm 1,1'", "0x0001, 'algorithm 0,1'", "0x0202, 'algorithm 2,2'", "0x0203, ecdsa_sha1"
    })
    void shouldRefuseEveryWeakHash(final String algorithm, final String name)
    {
        final byte[] received = record(HANDSHAKE, keyExchange(Integer.decode(algorithm), 32));

        assertEquals(REFUSED.replace("rsa_pkcs1_sha1", name),
            assertThrows(SSLException.class, () -> read(received)).getMessage());
    }

    /** SHA-224 to SHA-512 with RSA and ECDSA, RSA-PSS and EdDSA. */
    @ParameterizedTest
    @ValueSource(ints = {
        0x0301, 0x0303, 0x0401, 0x0403, 0x0501, 0x0503, 0x0601, 0x0603, 0x0804, 0x0805, 0x0806, 0x0807, 0x0808, 0x0809
    })
    void shouldAcceptEveryOtherHash(final int algorithm)
    {
        assertDoesNotThrow(() -> read(inRecords(flight(algorithm), 1_000)));
    }

    /** After ChangeCipherSpec, and in TLS 1.3, what looks like a message is encrypted. */
    @Test
    void shouldReadNothingThatIsEncrypted()
    {
        final byte[] encrypted = keyExchange(RSA_SHA1, 32);
        final byte[] hello = record(HANDSHAKE, message(SERVER_HELLO, noise(90)));

        assertDoesNotThrow(() -> read(join(hello, record(APPLICATION_DATA, encrypted))));
        assertDoesNotThrow(() -> read(join(
            hello, record(CHANGE_CIPHER_SPEC, bytes(1)), hello, record(APPLICATION_DATA, encrypted))));
        assertDoesNotThrow(() -> read(join(inRecords(flight(RSA_SHA256), 80), record(CHANGE_CIPHER_SPEC, bytes(1)),
            record(HANDSHAKE, encrypted))));
        assertDoesNotThrow(() -> read(join(hello, record(CHANGE_CIPHER_SPEC, bytes(1)), record(HANDSHAKE, encrypted))));
    }

    @Test
    void shouldReadAnythingWithoutAnotherFailure()
    {
        for (int i = 0; i < 2_000; i++)
        {
            final byte[] received = i % 2 == 0 ? noise(300) : join(bytes(HANDSHAKE, 3, 3, 0xFF, 0xFF), noise(300));
            try
            {
                read(received, 100);
            }
            catch (final SSLException ex)
            {
                assertTrue(ex.getMessage().startsWith("the broker signed"), ex.getMessage());
            }
        }
    }

    @Test
    void shouldFollowTheRulesOfTheJdk()
    {
        assertFalse(HandshakeSignatureCheck.isRequired(null));
        assertFalse(HandshakeSignatureCheck.isRequired("SSLv3, TLSv1, MD5withRSA"));
        assertTrue(HandshakeSignatureCheck.isRequired("SSLv3, rsa_pkcs1_sha1 usage HandshakeSignature"));
        assertTrue(HandshakeSignatureCheck.isRequired("SSLv3, SHA1 usage HandshakeSignature"));
    }
}
