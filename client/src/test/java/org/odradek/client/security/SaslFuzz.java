// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.apache.kafka.common.security.scram.internals.ScramFormatter;
import org.odradek.harness.fuzz.FuzzTarget;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import java.util.function.Function;
import javax.security.sasl.SaslException;

/**
 * The code that reads the SASL messages of a broker. An input holds these messages, with a byte 0 between two of them.
 * An exchange must end, with a reason or complete; and it is complete only if the broker has done what it must do.
 */
public enum SaslFuzz implements FuzzTarget
{
    SCRAM(SaslFuzz::beginScram, SaslFuzz::isProved, SaslFuzz::scramSeed),
    OAUTHBEARER(SaslFuzz::beginBearer, (messages) -> messages[0].isEmpty(), SaslFuzz::bearerSeed);

    private static final String NONCE = "client-nonce";
    private static final String PASSWORD = "pencil";
    private static final int MAX_ITERATIONS = 64;
    private static final int MAX_STEPS = 16;
    private static final int MAX_SALT_LENGTH = 20;

    private final Function<String, SaslMechanism.Session> begin;
    private final Function<String[], Boolean> mayComplete;
    private final Function<Random, String> seeds;

    SaslFuzz(
        final Function<String, SaslMechanism.Session> begin,
        final Function<String[], Boolean> mayComplete,
        final Function<Random, String> seeds)
    {
        this.begin = begin;
        this.mayComplete = mayComplete;
        this.seeds = seeds;
    }

    @Override
    public byte[] seed(final Random random)
    {
        return seeds.apply(random).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String digest(final byte[] input)
    {
        final String[] messages = new String(input, StandardCharsets.ISO_8859_1).split("\0", -1);
        final SaslMechanism.Session session = begin.apply(NONCE);
        final StringBuilder outcome = new StringBuilder();
        try
        {
            exchange(session, messages, outcome);
        }
        catch (final SaslException refusal)
        {
            final String reason = refusal.getMessage();
            check(!reason.contains(PASSWORD) || String.join("", messages).contains(PASSWORD), "it shows the password");
            outcome.append("refused: ").append(reason);
        }
        check(!session.isComplete() || mayComplete.apply(messages), "complete without a proof");
        outcome.append(session.isComplete()).append(session.hint());
        session.close();
        return Integer.toHexString(outcome.toString().hashCode());
    }

    private static void exchange(
        final SaslMechanism.Session session, final String[] messages, final StringBuilder outcome) throws SaslException
    {
        session.respond(new byte[0]);
        for (final String message : messages)
        {
            final byte[] challenge = message.getBytes(StandardCharsets.ISO_8859_1);
            byte[] response = null;
            for (int i = 0; i < MAX_STEPS && response == null && !session.isComplete(); i++)
            {
                response = session.respond(challenge);
            }
            check(response != null || session.isComplete(), "an exchange without an end");
            outcome.append(Arrays.hashCode(response)).append(' ');
            if (session.isComplete())
            {
                return;
            }
        }
    }

    private static void check(final boolean isRight, final String what)
    {
        if (!isRight)
        {
            throw new AssertionError(what);
        }
    }

    private static SaslMechanism.Session beginScram(final String nonce)
    {
        return ScramMechanism.scramSha256("user", PASSWORD.toCharArray()).iterations(1, MAX_ITERATIONS)
            .beginWith(nonce);
    }

    /** Compares the signature with that of kafka-clients. */
    private static boolean isProved(final String[] messages)
    {
        final String first = utf8(messages[0]);
        final String[] attributes = first.split(",", 4);
        final byte[] signature = signature(first, Base64.getDecoder().decode(attributes[1].substring(2)),
            Integer.parseInt(attributes[2].substring(2)));
        final String last = utf8(messages[1]).split(",", 2)[0];
        return last.startsWith("v=") && Arrays.equals(signature, Base64.getDecoder().decode(last.substring(2)));
    }

    private static String utf8(final String message)
    {
        return new String(message.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    private static byte[] signature(final String first, final byte[] salt, final int iterations)
    {
        try
        {
            final ScramFormatter formatter = new ScramFormatter(
                org.apache.kafka.common.security.scram.internals.ScramMechanism.SCRAM_SHA_256);
            final String signed = "n=user,r=" + NONCE + "," + first + ",c=biws," + first.split(",")[0];
            return formatter.hmac(formatter.serverKey(formatter.saltedPassword(PASSWORD, salt, iterations)),
                signed.getBytes(StandardCharsets.UTF_8));
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private static String scramSeed(final Random random)
    {
        final byte[] salt = new byte[1 + random.nextInt(MAX_SALT_LENGTH)];
        random.nextBytes(salt);
        final int iterations = 1 + random.nextInt(MAX_ITERATIONS);
        final String first = "r=" + NONCE + random.nextInt(100) + ",s=" + Base64.getEncoder().encodeToString(salt) +
            ",i=" + iterations + (random.nextBoolean() ? "" : ",x=extension");
        final String last = "v=" + Base64.getEncoder().encodeToString(signature(first, salt, iterations));
        return first + '\0' + (random.nextInt(4) == 0 ? "e=other-error" : random.nextBoolean() ? last : last + ",x=y");
    }

    private static SaslMechanism.Session beginBearer(final String nonce)
    {
        try
        {
            return OAuthBearerMechanism.oauthBearer(() -> "token".toCharArray()).begin("localhost");
        }
        catch (final SaslException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private static String bearerSeed(final Random random)
    {
        return switch (random.nextInt(3))
        {
            case 0 -> "";
            case 1 -> "{\"status\":\"invalid_token\",\"scope\":\"" + random.nextInt(100) + "\"}";
            default -> "{\"status\":\"invalid_token\"}\0{\"status\":\"" + random.nextInt(100) + "\"}";
        };
    }
}
