// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import java.nio.ByteBuffer;
import java.util.Locale;
import javax.net.ssl.SSLException;

/**
 * Refuses a broker that signs the key exchange of TLS 1.2 with SHA-1 or MD5. BoringSSL offers rsa_pkcs1_sha1, and
 * netty-tcnative cannot choose the signatures, so this class reads the signature algorithm of the broker before
 * BoringSSL takes the bytes.
 * <pre>
 * record:             type 1 | version 2 | length 2 | part of a message, or several messages
 * message:            type 1 | length 3 | body
 * ServerKeyExchange:  curve type 1 | curve 2 | length 1 | public key | hash 1 | signature algorithm 1 | signature
 * </pre>
 */
final class HandshakeSignatureCheck
{
    private static final int RECORD_HEADER_LENGTH = 5;
    private static final int CHANGE_CIPHER_SPEC = 20;
    private static final int HANDSHAKE = 22;
    private static final int MESSAGE_HEADER_LENGTH = 4;
    private static final int SERVER_KEY_EXCHANGE = 12;
    private static final int KEY_LENGTH_INDEX = 3;
    private static final int SHA1 = 2;

    private boolean isDone;
    private int recordHeaderBytes;
    private int recordType;
    private int recordRemaining;
    private int messageHeader;
    private int messageIndex;
    private int keyLength;
    private int hash;

    /** Returns true if the value of {@code jdk.tls.disabledAlgorithms}, which may be null, contains SHA1. */
    static boolean isRequired(final String algorithms)
    {
        return algorithms != null && algorithms.toLowerCase(Locale.ROOT).contains("sha1");
    }

    /**
     * Reads the bytes from index {@code from} on, which must follow those of the last call.
     *
     * @throws SSLException if the broker has signed with SHA-1 or MD5.
     */
    void read(final ByteBuffer input, final int from) throws SSLException
    {
        for (int i = from; i < input.limit() && !isDone; i++)
        {
            onByte(input.get(i) & 0xFF);
        }
        assert isConsistent();
    }

    private void onByte(final int value) throws SSLException
    {
        if (recordHeaderBytes == RECORD_HEADER_LENGTH && recordRemaining == 0)
        {
            recordHeaderBytes = 0;
        }
        if (recordHeaderBytes < RECORD_HEADER_LENGTH)
        {
            recordType = recordHeaderBytes == 0 ? value : recordType;
            recordRemaining = recordRemaining << Byte.SIZE & 0xFFFF | value;
            recordHeaderBytes++;
            // Everything after a ChangeCipherSpec is encrypted. Alerts may be between two parts of a message.
            isDone = recordType == CHANGE_CIPHER_SPEC;
            return;
        }
        recordRemaining--;
        if (recordType == HANDSHAKE)
        {
            onHandshakeByte(value);
        }
    }

    private void onHandshakeByte(final int value) throws SSLException
    {
        if (messageIndex < MESSAGE_HEADER_LENGTH)
        {
            messageHeader = messageHeader << Byte.SIZE | value;
        }
        else if (messageHeader >>> 24 == SERVER_KEY_EXCHANGE)
        {
            onKeyExchangeByte(messageIndex - MESSAGE_HEADER_LENGTH, value);
        }
        messageIndex++;
        if (messageIndex >= MESSAGE_HEADER_LENGTH &&
            messageIndex - MESSAGE_HEADER_LENGTH == (messageHeader & 0xFFFFFF))
        {
            messageIndex = 0;
        }
    }

    private void onKeyExchangeByte(final int index, final int value) throws SSLException
    {
        final int hashIndex = KEY_LENGTH_INDEX + 1 + keyLength;
        if (index == KEY_LENGTH_INDEX)
        {
            keyLength = value;
        }
        else if (index > KEY_LENGTH_INDEX && index == hashIndex)
        {
            hash = value;
        }
        else if (index > KEY_LENGTH_INDEX && index == hashIndex + 1)
        {
            isDone = true;
            if (hash <= SHA1)
            {
                throw TlsErrors.failure("the broker signed the handshake with " + name(hash, value) +
                    ", which is too weak (jdk.tls.disabledAlgorithms): let the broker use TLSv1.3, or SHA-256");
            }
        }
    }

    private boolean isConsistent()
    {
        // The header and the rest of a record have their maximum lengths.
        return recordHeaderBytes >= 0 && recordHeaderBytes <= RECORD_HEADER_LENGTH &&
            recordRemaining >= 0 && recordRemaining <= 0xFFFF &&
            // A message ends at the length in its header.
            messageIndex >= 0 && (messageIndex < MESSAGE_HEADER_LENGTH ||
            messageIndex < MESSAGE_HEADER_LENGTH + (messageHeader & 0xFFFFFF)) &&
            // Values of one byte are not negative.
            keyLength >= 0 && hash >= 0;
    }

    private static String name(final int hash, final int signature)
    {
        return hash == 2 && signature == 1 ? "rsa_pkcs1_sha1" :
            hash == 2 && signature == 3 ? "ecdsa_sha1" : "algorithm " + hash + "," + signature;
    }
}
