// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.security;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.AuthenticationException;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SaslMechanism;
import org.odradek.client.security.ScramMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Authentications that a real broker does not fail on request: hostile servers, errors, broken frames. */
class SaslFaultsTest
{
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final short REFUSED = 58;
    private static final int ILLEGAL_SASL_STATE = 34;
    private static final long SESSION_MS = 60_000;
    /** Sessions are renewed after 95 % of their time at most. */
    private static final long RENEWAL_MS = SESSION_MS / 100 * 96;
    /** Longer than a broker is left alone after a refusal. */
    private static final long REFUSED_MS = 2_000;
    private static final char[] PASSWORD = "canary-password".toCharArray();

    private final OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a", "b", "c");
    private final AtomicLong skippedNs = new AtomicLong();
    private final List<String> errors = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final List<String> values = new ArrayList<>();

    @BeforeEach
    void acceptAll()
    {
        broker.maxVersion(ApiMessageType.SASL_HANDSHAKE, 1).maxVersion(ApiMessageType.SASL_AUTHENTICATE, 2);
        broker.script(ApiMessageType.SASL_HANDSHAKE, (call) -> handshake(call, 0));
        broker.script(ApiMessageType.SASL_AUTHENTICATE, (call) -> authenticate(call, 0, null, "", 0));
    }

    @AfterEach
    void close()
    {
        broker.close();
        assertFalse((errors.toString() + events).contains("canary"), () -> errors + " " + events);
    }

    private static Answer handshake(final ModelPeer.Call call, final int errorCode)
    {
        final SaslHandshakeResponseData response = new SaslHandshakeResponseData().setErrorCode((short)errorCode);
        response.mechanisms().addAll(List.of("FIRST", "SECOND"));
        return call.answer(response);
    }

    private static Answer authenticate(
        final ModelPeer.Call call, final int errorCode, final String message, final String token, final long ms)
    {
        return call.answer(new SaslAuthenticateResponseData().setErrorCode((short)errorCode)
            .setErrorMessage(message).setAuthBytes(token.getBytes(StandardCharsets.UTF_8)).setSessionLifetimeMs(ms));
    }

    private TopicConsumer connect(final SaslMechanism mechanism)
    {
        return TopicConsumer.connect(Reading.withoutTimeouts(Reading.context(broker))
            .nanoClock(() -> System.nanoTime() + skippedNs.get())
            .security(SecuritySettings.sasl(mechanism).withoutTls())
            .errorHandler((error) -> errors.add(error.getMessage()))
            .listener(new ConsumerListener()
            {
                @Override
                public void onConnectionLost(final int nodeId, final String address, final String reason)
                {
                    events.add("lost: " + reason);
                }

                @Override
                public void onConnectionRestored(final int nodeId, final String address)
                {
                    events.add("restored");
                }
            }));
    }

    private TopicConsumer connectPlain()
    {
        return connect(PlainMechanism.plain("alice", PASSWORD));
    }

    private void skipMs(final long ms)
    {
        skippedNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
    }

    private void pollUntil(final TopicConsumer consumer, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + LIMIT_NS;
        while (!condition.getAsBoolean())
        {
            consumer.poll((record) -> values.add(
                record.buffer().getStringWithoutLengthUtf8(record.valueIndex(), record.valueLength())), 10, 5_000_000);
            assertTrue(deadlineNs - System.nanoTime() > 0, () -> values + " " + errors + "\n" + consumer.describe());
        }
    }

    private void assertRefused(final TopicConsumer consumer, final String reason)
    {
        final AuthenticationException thrown =
            assertThrows(AuthenticationException.class, () -> consumer.awaitReady(LIMIT_NS));

        assertTrue(thrown.getMessage().contains(reason), thrown::getMessage);
        assertEquals(List.of(thrown.getMessage()), errors);
        assertEquals(0, broker.requestCount(ApiMessageType.METADATA));
    }

    /** In a message, * is the nonce of the client. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "r=*x,s=c2FsdA==,i=4096 | v=AAAA | has not proved that it knows the password",
        "r=*x,s=c2FsdA==,i=4096 | `` | '' where v= with a value was expected",
        "r=forged,s=c2FsdA==,i=4096 | v=AAAA | nonce does not continue the client's",
        "r=*x,s=c2FsdA==,i=2000000000 | v=AAAA | 4096 to 65536 are accepted",
        "r=*x,s=c2FsdA==,i=1 | v=AAAA | 4096 to 65536 are accepted",
        "m=ext,r=*x,s=c2FsdA==,i=4096 | v=AAAA | requires a SCRAM extension"})
    void shouldRefuseAHostileScramServer(final String first, final String last, final String reason)
    {
        final AtomicInteger messages = new AtomicInteger();
        broker.script(ApiMessageType.SASL_AUTHENTICATE, (call) ->
        {
            final String sent = new String(
                ((SaslAuthenticateRequestData)call.request()).authBytes(), StandardCharsets.UTF_8);
            return authenticate(call, 0, null, messages.getAndIncrement() > 0 ? last :
                first.replace("*", sent.substring(sent.indexOf("r=") + 2)), 0);
        });
        try (TopicConsumer consumer = connect(ScramMechanism.scramSha256("alice", PASSWORD)))
        {
            assertRefused(consumer, reason);
        }
    }

    // Behaviour C35, tried 2026-11-29: A refusal is reported with the message of the broker or the name of the error,
    // and, if the broker does not support the mechanism, with those that it supports; no error, event or description
    // contains a secret.
    @Test
    void shouldNameTheMechanismsOfTheBroker()
    {
        broker.script(ApiMessageType.SASL_HANDSHAKE, (call) -> handshake(call, 33).thenClose());
        try (TopicConsumer consumer = connectPlain())
        {
            assertRefused(consumer, ": the broker does not support the mechanism PLAIN; it supports FIRST, SECOND;");
        }
    }

    // Behaviour C35.
    @Test
    void shouldBoundAndCleanTheWordsOfTheBroker()
    {
        final String words = "no\n\u001b[2Jforged line\n\u0085\u009b\u202e\u2028\u200b" + "x".repeat(20_000);
        broker.script(ApiMessageType.SASL_AUTHENTICATE, (call) -> authenticate(call, REFUSED, words, "", 0));
        try (TopicConsumer consumer = connectPlain())
        {
            assertRefused(consumer, ": no??[2Jforged line??????xxx");
            assertTrue(errors.get(0).length() < 600, errors::toString);
        }
    }

    @Test
    void shouldCleanTheNamesOfTheMechanismsOfTheBroker()
    {
        broker.script(ApiMessageType.SASL_HANDSHAKE, (call) ->
        {
            final SaslHandshakeResponseData response = new SaslHandshakeResponseData().setErrorCode((short)33);
            response.mechanisms().addAll(List.of("A\u202e\u001b[2J\nforged", "B".repeat(20_000), "C".repeat(20_000)));
            return call.answer(response).thenClose();
        });
        try (TopicConsumer consumer = connectPlain())
        {
            assertRefused(consumer, "; it supports A??[2J?forged, BBB");
            assertTrue(errors.get(0).length() < 800, errors::toString);
        }
    }

    // Behaviour B29, C35.
    @Test
    void shouldUseTheNameOfAnErrorWithoutWords()
    {
        broker.script(ApiMessageType.SASL_AUTHENTICATE, (call) -> authenticate(call, 34, null, "", 0));
        try (TopicConsumer consumer = connectPlain())
        {
            assertRefused(consumer, ": ILLEGAL_SASL_STATE;");
        }
    }

    @Test
    void shouldReadWhenEachResponseArrivesInSingleBytes()
    {
        broker.script(ApiMessageType.SASL_HANDSHAKE, (call) -> handshake(call, 0).inPieces(1));
        broker.script(ApiMessageType.SASL_AUTHENTICATE, (call) -> authenticate(call, 0, null, "", 0).inPieces(1));
        try (TopicConsumer consumer = connectPlain())
        {
            assertTrue(consumer.awaitReady(LIMIT_NS), consumer::describe);
            pollUntil(consumer, () -> values.size() == 3);

            assertEquals(List.of("a", "b", "c"), values);
            assertEquals(List.of(), errors);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"SASL_HANDSHAKE", "SASL_AUTHENTICATE"})
    void shouldRefuseALargeFrameBeforeTheBrokerIsKnown(final ApiMessageType type)
    {
        broker.script(type, (call) -> Answer.raw(ByteBuffer.allocate(8).putInt(50_000_000).array()));
        try (TopicConsumer consumer = connectPlain())
        {
            pollUntil(consumer, () -> !errors.isEmpty());

            assertTrue(errors.get(0).contains(
                "a frame of 50000000 bytes where at most 65536 are accepted before the connection is ready"),
                errors::toString);
            assertEquals(0, consumer.counters().get(ConsumerCounters.BUFFERS_GROWN));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 9})
    void shouldReconnectWhenTheBrokerClosesInTheMiddleOfAResponse(final int length)
    {
        final AtomicInteger calls = new AtomicInteger();
        broker.script(ApiMessageType.SASL_AUTHENTICATE, (call) -> calls.getAndIncrement() < 2 ?
            Answer.raw(ByteBuffer.allocate(20).putInt(16).limit(length).array()).thenClose() :
            authenticate(call, 0, null, "", 0));
        try (TopicConsumer consumer = connectPlain())
        {
            pollUntil(consumer, () -> values.size() == 3);

            assertEquals(1, errors.size(), errors::toString);
            assertEquals(0, consumer.counters().get(ConsumerCounters.VERSION_DOWNGRADES));
            assertEquals(0, consumer.counters().get(ConsumerCounters.AUTHENTICATION_FAILURES));
        }
    }

    @Test
    void shouldRefuseANegativeLifetime()
    {
        broker.script(ApiMessageType.SASL_AUTHENTICATE, (call) -> authenticate(call, 0, null, "", -1));
        try (TopicConsumer consumer = connectPlain())
        {
            pollUntil(consumer, () -> !errors.isEmpty());

            assertTrue(errors.get(0).contains("session lifetime -1 where 0 or more was expected"), errors::toString);
        }
    }

    // Behaviour C37.
    @Tag("seconds")
    @Test
    void shouldReconnectWhenARenewalIsRefusedAndLoseNoRecord()
    {
        final AtomicInteger calls = new AtomicInteger();
        broker.script(ApiMessageType.SASL_AUTHENTICATE, (call) ->
        {
            // Of the connection that fetches: after a failure, that of metadata goes to the next broker.
            final boolean isRenewal = broker.peer().requests().stream().anyMatch((request) -> request.connection() ==
                call.frame().connection() && request.apiKey() == ApiMessageType.FETCH.apiKey());
            return isRenewal && calls.getAndIncrement() == 0 ?
                authenticate(call, REFUSED, "Cannot change principals", "", 0).thenClose() :
                authenticate(call, 0, null, "", SESSION_MS);
        });
        try (TopicConsumer consumer = connectPlain())
        {
            pollUntil(consumer, () -> values.size() == 3);
            skipMs(RENEWAL_MS);
            pollUntil(consumer, () -> events.size() == 1);
            skipMs(REFUSED_MS);
            pollUntil(consumer, () -> events.size() == 2);
            broker.append(0, "d");
            pollUntil(consumer, () -> values.size() == 4);
            for (int i = 0; i < 2; i++)
            {
                final long before = consumer.counters().get(ConsumerCounters.REAUTHENTICATIONS);
                skipMs(RENEWAL_MS);
                pollUntil(consumer, () -> consumer.counters().get(ConsumerCounters.REAUTHENTICATIONS) > before);
            }

            assertEquals(List.of("a", "b", "c", "d"), values);
            assertEquals(List.of("lost: Cannot change principals", "restored"), events);
            assertEquals(1, errors.size(), errors::toString);
        }
    }

    /** A broker refuses so if it has renewed the session less than a second ago. */
    @Test
    void shouldNotSuspectAPortWithoutSaslWhenARenewalIsRefused()
    {
        broker.script(ApiMessageType.SASL_AUTHENTICATE, (call) -> authenticate(call, 0, null, "", SESSION_MS));
        try (TopicConsumer consumer = connectPlain())
        {
            pollUntil(consumer, () -> values.size() == 3);
            broker.script(ApiMessageType.SASL_HANDSHAKE, (call) -> handshake(call, ILLEGAL_SASL_STATE));
            skipMs(RENEWAL_MS);
            pollUntil(consumer, () -> !errors.isEmpty());

            assertTrue(errors.get(0).contains("ILLEGAL_SASL_STATE, as a broker does less than a second after it has " +
                "renewed the session"), errors::toString);
        }
    }

    // Behaviour C33.
    @Test
    void shouldRefuseABrokerThatKnowsNoSaslMessages()
    {
        broker.maxVersion(ApiMessageType.SASL_AUTHENTICATE, -1);
        try (TopicConsumer consumer = connectPlain())
        {
            assertRefused(consumer, "the broker does not support SaslAuthenticate");
        }
    }

    @Test
    void shouldReportAMechanismThatThrows()
    {
        final SaslMechanism mechanism = new SaslMechanism()
        {
            @Override
            public String name()
            {
                return "OWN";
            }

            @Override
            public Session begin(final String host)
            {
                throw new IllegalStateException("no login");
            }
        };
        try (TopicConsumer consumer = connect(mechanism))
        {
            assertRefused(consumer, "with OWN at bootstrap server " + broker.address() +
                ": the mechanism failed with IllegalStateException: no login;");
        }
    }

    // Behaviour C33, tried 2026-11-29: The SASL handshake precedes the first message that contains a secret; a broker
    // without SaslAuthenticate is refused.
    @Test
    void shouldSendTheSecretOnlyAfterTheHandshake()
    {
        try (TopicConsumer consumer = connectPlain())
        {
            assertTrue(consumer.awaitReady(LIMIT_NS), consumer::describe);

            final List<Integer> first = broker.peer().requests().stream()
                .filter((request) -> request.connection() == 0).limit(4)
                .map((request) -> (int)request.apiKey()).toList();
            assertEquals(List.of(18, 17, 36, 3), first);
            assertEquals("\0alice\0canary-password", broker.peer().requests().stream()
                .filter((request) -> request.apiKey() == 36).findFirst()
                .map((request) -> new String(request.payload(), StandardCharsets.UTF_8))
                .map((text) -> text.substring(text.indexOf("\0alice"), text.lastIndexOf('\0'))).orElseThrow());
        }
    }
}
