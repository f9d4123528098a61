// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.tls;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;

/**
 * A server of TLS 1.2 that sends the messages that a test names, in that order, cut or merged into records as the test
 * wants. It takes whatever the client sends: it verifies nothing, and needs no key of a certificate to read it.
 */
public final class HandmadeTls implements ServerTls
{
    /** What a server without any trusted key sends: a client that goes on has not checked the certificate. */
    public static final List<Step> END = List.of(Step.CHANGE_CIPHER_SPEC, Step.FINISHED);

    static final short TLS_1_2 = 0x0303;

    private static final int HEADER_LENGTH = 5;
    private static final int MESSAGE_HEADER_LENGTH = 4;
    private static final int MAX_RECORD_LENGTH = 1 << 14;
    private static final int CLIENT_HELLO = 1;
    private static final int CLIENT_KEY_EXCHANGE = 16;
    private static final int FINISHED = 20;
    /** TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, no session id, no compression, an empty renegotiation_info. */
    private static final byte[] HELLO_END = {(byte)0xC0, 0x2B, 0, 0, 5, (byte)0xFF, 1, 0, 1, 0};
    /** A named curve, which is secp256r1, and the length of the point. */
    private static final byte[] CURVE = {3, 0, 23, HandmadeKeys.POINT_LENGTH};

    private final List<Step> answer;
    private final List<Step> end;
    private final byte[] serverRandom = new byte[HandmadeKeys.RANDOM_LENGTH];
    private final HandmadeKeys keys = new HandmadeKeys();
    private final ByteArrayOutputStream transcript = new ByteArrayOutputStream();
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final ByteArrayOutputStream plaintext = new ByteArrayOutputStream();
    private int recordLength = MAX_RECORD_LENGTH;
    private boolean isMerged;
    private boolean isSealing;
    private boolean isOpening;
    private boolean isFailed;
    private byte[] clientRandom = new byte[HandmadeKeys.RANDOM_LENGTH];
    private byte[] input = {};
    private byte[] messages = {};

    /**
     * @param answer to the client's hello.
     * @param end    that follows the client's Finished, such as {@link #END}.
     */
    public HandmadeTls(final List<Step> answer, final List<Step> end)
    {
        this.answer = answer;
        this.end = end;
        new SecureRandom().nextBytes(serverRandom);
    }

    /** The most bytes that a record holds. */
    public HandmadeTls recordLength(final int length)
    {
        recordLength = length;
        return this;
    }

    /** Has messages that follow one another share their records. */
    public HandmadeTls merged()
    {
        isMerged = true;
        return this;
    }

    byte[] randoms()
    {
        return concat(clientRandom, serverRandom);
    }

    byte[] serverHello()
    {
        return concat(new byte[] {TLS_1_2 >> Byte.SIZE, (byte)TLS_1_2}, serverRandom, new byte[1], HELLO_END);
    }

    byte[] keyParameters()
    {
        return concat(CURVE, keys.point());
    }

    byte[] finished()
    {
        try
        {
            return keys.isAgreed() ?
                keys.finished(MessageDigest.getInstance("SHA-256").digest(transcript.toByteArray())) :
                new byte[HandmadeKeys.FINISHED_LENGTH];
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** Sends messages now, whatever the client expects. */
    public void send(final List<Step> steps)
    {
        byte[] pending = {};
        for (final Step step : steps)
        {
            final byte[] content = step.content().apply(this);
            if (step.contentType() == Step.HANDSHAKE_TYPE)
            {
                transcript.writeBytes(content);
                pending = concat(pending, content);
            }
            if (step.contentType() != Step.HANDSHAKE_TYPE || !isMerged)
            {
                writeRecords(Step.HANDSHAKE_TYPE, pending);
                pending = new byte[0];
            }
            if (step.contentType() != Step.HANDSHAKE_TYPE)
            {
                writeRecords(step.contentType(), content);
                isSealing |= step.contentType() == Step.CHANGE_CIPHER_SPEC_TYPE && keys.isAgreed();
            }
        }
        writeRecords(Step.HANDSHAKE_TYPE, pending);
    }

    @Override
    public void send(final byte[] bytes)
    {
        writeRecords(Step.DATA_TYPE, bytes);
    }

    private void writeRecords(final int contentType, final byte[] content)
    {
        for (int index = 0; index < content.length; index += recordLength)
        {
            final byte[] piece = Arrays.copyOfRange(content, index, Math.min(content.length, index + recordLength));
            try
            {
                final byte[] body = isSealing ? keys.seal(contentType, piece) : piece;
                output.writeBytes(ByteBuffer.allocate(HEADER_LENGTH + body.length).put((byte)contentType)
                    .putShort(TLS_1_2).putShort((short)body.length).put(body).array());
            }
            catch (final GeneralSecurityException ex)
            {
                throw new IllegalStateException(ex);
            }
        }
    }

    @Override
    public void receive(final byte[] bytes)
    {
        input = concat(input, bytes);
        while (!isFailed && input.length >= HEADER_LENGTH &&
            input.length >= HEADER_LENGTH + uint16(input, 3))
        {
            final int limit = HEADER_LENGTH + uint16(input, 3);
            final byte[] body = Arrays.copyOfRange(input, HEADER_LENGTH, limit);
            final int contentType = input[0];
            input = Arrays.copyOfRange(input, limit, input.length);
            try
            {
                onRecord(contentType, isOpening ? keys.open(contentType, body) : body);
            }
            catch (final GeneralSecurityException ex)
            {
                // The client has other keys, because a message was wrong.
                isFailed = true;
            }
        }
    }

    private void onRecord(final int contentType, final byte[] body) throws GeneralSecurityException
    {
        if (contentType == Step.CHANGE_CIPHER_SPEC_TYPE)
        {
            isOpening = keys.isAgreed();
        }
        else if (contentType == Step.DATA_TYPE)
        {
            plaintext.writeBytes(body);
        }
        else if (contentType == Step.HANDSHAKE_TYPE)
        {
            messages = concat(messages, body);
            while (messages.length >= MESSAGE_HEADER_LENGTH &&
                messages.length >= MESSAGE_HEADER_LENGTH + uint16(messages, 2))
            {
                final int limit = MESSAGE_HEADER_LENGTH + uint16(messages, 2);
                final byte[] message = Arrays.copyOf(messages, limit);
                messages = Arrays.copyOfRange(messages, limit, messages.length);
                transcript.writeBytes(message);
                onMessage(message);
            }
        }
    }

    private void onMessage(final byte[] message) throws GeneralSecurityException
    {
        switch (message[0])
        {
            case CLIENT_HELLO ->
            {
                clientRandom = Arrays.copyOfRange(message, 6, 6 + HandmadeKeys.RANDOM_LENGTH);
                send(answer);
            }
            case CLIENT_KEY_EXCHANGE -> keys.agree(
                Arrays.copyOfRange(message, MESSAGE_HEADER_LENGTH + 1, message.length), clientRandom, serverRandom);
            case FINISHED -> send(end);
            default ->
            {
                // The certificate of the client and its proof are not checked.
            }
        }
    }

    @Override
    public byte[] takeOutput()
    {
        return EngineTls.take(output);
    }

    @Override
    public byte[] takePlaintext()
    {
        return EngineTls.take(plaintext);
    }

    private static int uint16(final byte[] bytes, final int index)
    {
        return (bytes[index] & 0xFF) << Byte.SIZE | bytes[index + 1] & 0xFF;
    }

    static byte[] uint24(final int number)
    {
        return new byte[] {(byte)(number >> 16), (byte)(number >> Byte.SIZE), (byte)number};
    }

    static byte[] concat(final byte[]... parts)
    {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (final byte[] part : parts)
        {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
