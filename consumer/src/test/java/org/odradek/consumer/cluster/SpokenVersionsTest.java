// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.cluster;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.harness.Answer;
import org.odradek.harness.RequestFrame;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests that versions are negotiated for each connection, and reads records with every version.
 */
class SpokenVersionsTest
{
    private static final int FIRST_METADATA_WITH_TOPIC_IDS = 10;
    private static final int LAST_FETCH_BY_NAME = 12;

    /** Error 35 in the layout of version 0, with the one entry that brokers from 2.4 on send. */
    private static final byte[] REFUSED_WITH_TABLE = {0, 35, 0, 0, 0, 1, 0, 18, 0, 0, 0, 2};
    private static final byte[] REFUSED = {0, 35, 0, 0, 0, 0};

    static Stream<Arguments> versions()
    {
        return Stream.of(
            of(ApiMessageType.FETCH, 4, 18), of(ApiMessageType.METADATA, 4, 13),
            of(ApiMessageType.LIST_OFFSETS, 1, 11), of(ApiMessageType.API_VERSIONS, 0, 5)).flatMap((each) -> each);
    }

    private static Stream<Arguments> of(final ApiMessageType type, final int from, final int to)
    {
        return IntStream.rangeClosed(from, to).mapToObj((version) -> Arguments.of(type, version));
    }

    // Behaviour D50, tried 2026-11-30: Metadata is read from version 4 on, also if it names no cluster id (null) and no
    // controller (-1).
    // Behaviour A1, A8, E55.
    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadInEveryVersion(final ApiMessageType type, final int version)
    {
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a", "b").append(0, "c"))
        {
            broker.maxVersion(type, version);
            if (type == ApiMessageType.METADATA)
            {
                broker.change(() -> broker.model().broker().cluster().clusterId(null));
            }
            if (type == ApiMessageType.API_VERSIONS)
            {
                broker.script(type, (call) -> call.version() <= version ? null :
                    Answer.reply(new byte[]{0, 35, 0, 0, 0, 1, 0, 18, 0, 0, 0, (byte)version}));
            }
            else
            {
                if (type == ApiMessageType.METADATA && version < FIRST_METADATA_WITH_TOPIC_IDS)
                {
                    broker.maxVersion(ApiMessageType.FETCH, LAST_FETCH_BY_NAME);
                }
                broker.exactVersions();
            }
            try (Reading reading = Reading.start(Reading.context(broker)))
            {
                reading.untilCount(0, 3);

                assertEquals(List.of("a", "b", "c"), reading.values(0));
                assertEquals(List.of(), reading.errors());
            }
            final List<RequestFrame> requests = broker.peer().requests().stream()
                .filter((request) -> request.apiKey() == type.apiKey()).toList();
            assertEquals(version, requests.get(requests.size() - 1).apiVersion());
            final Set<Integer> connections = new HashSet<>();
            assertTrue(broker.peer().requests().stream().filter((request) -> connections.add(request.connection()))
                .allMatch((request) -> request.apiKey() == ApiMessageType.API_VERSIONS.apiKey()));
            assertTrue(type == ApiMessageType.API_VERSIONS ||
                requests.stream().allMatch((request) -> request.apiVersion() == version), requests::toString);
        }
    }

    // Behaviour E55, tried 2026-11-29: Fetch requests name a topic by its id in versions that have ids, and otherwise
    // by its name.
    // Behaviour A8.
    @Test
    void shouldReadByNameWhenMetadataHasNoTopicId()
    {
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a").maxVersion(ApiMessageType.METADATA, 9);
            Reading reading = Reading.start(Reading.context(broker)))
        {
            reading.untilCount(0, 1);

            assertTrue(broker.peer().requests().stream().filter((request) -> request.apiKey() == 1)
                .allMatch((request) -> request.apiVersion() == 12));
        }
    }

    /** Brokers before 2.4 may send stale epochs. */
    // Behaviour D39, tried 2026-11-29: Leader epochs from Metadata below version 9 are not used.
    // Behaviour E54, tried 2026-11-29: A fetch request contains the known leader epoch of each partition, or -1 if the
    // epoch is not known.
    @ParameterizedTest
    @CsvSource({"8, -1", "9, 5"})
    void shouldTrustLeaderEpochsOnlyFromMetadata9(final int version, final int leaderEpoch)
    {
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a")
            .maxVersion(ApiMessageType.METADATA, version))
        {
            final Set<Integer> epochs = ConcurrentHashMap.newKeySet();
            broker.script(0, (requested) ->
            {
                epochs.add(requested.currentLeaderEpoch());
                return null;
            });
            try (Reading reading = Reading.start(Reading.context(broker)))
            {
                reading.untilCount(0, 1);
            }
            assertEquals(Set.of(leaderEpoch), epochs);
        }
    }

    // Behaviour A2, tried 2026-11-29: If a server responds with UNSUPPORTED_VERSION and a table of versions,
    // ApiVersions is sent again on the same connection, in the highest version that the table offers for ApiVersions,
    // or in version 0 if that version is not lower.
    // Behaviour A3, tried 2026-11-29: If a server responds with UNSUPPORTED_VERSION without a table of versions,
    // ApiVersions is sent again in version 0.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRetryTheVersionProbeWithALowerVersion(final boolean hasTable)
    {
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a"))
        {
            broker.script(ApiMessageType.API_VERSIONS, (call) -> call.version() <= (hasTable ? 2 : 0) ? null :
                Answer.reply(hasTable ? REFUSED_WITH_TABLE : REFUSED));
            try (Reading reading = Reading.start(Reading.context(broker)))
            {
                reading.untilCount(0, 1);

                assertEquals(List.of(), reading.errors());
            }
            final List<Integer> versions = broker.peer().requests().stream()
                .filter((request) -> request.apiKey() == 18 && request.connection() == 0)
                .map((request) -> (int)request.apiVersion()).toList();
            assertEquals(List.of(5, hasTable ? 2 : 0), versions);
        }
    }

    /**
     * librdkafka's mock broker sends the error in the layout of the requested version; Kafka sends it in version 0.
     */
    // Behaviour A3.
    @Test
    void shouldRetryWithVersion0WhenTheRefusalCannotBeRead()
    {
        final byte[] refusedInLayout3 = {0, 35, 2, 0, 18, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0};
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a"))
        {
            broker.script(ApiMessageType.API_VERSIONS,
                (call) -> call.version() == 0 ? null : Answer.reply(refusedInLayout3));
            try (Reading reading = Reading.start(Reading.context(broker)))
            {
                reading.untilCount(0, 1);

                assertEquals(List.of(), reading.errors());
            }
            assertEquals(List.of(5, 0), broker.peer().requests().stream()
                .filter((request) -> request.apiKey() == 18 && request.connection() == 0)
                .map((request) -> (int)request.apiVersion()).toList());
        }
    }

    // Behaviour A5, tried 2026-11-29: Each further version probe on a connection has a lower version, whatever versions
    // the server offers.
    // Behaviour A2, A4.
    @ParameterizedTest
    @ValueSource(bytes = {5, 6, 127, -1})
    void shouldProbeVersionsOnlyTwicePerConnection(final byte offered)
    {
        try (OneTopicBroker broker = OneTopicBroker.start(1))
        {
            broker.script(ApiMessageType.API_VERSIONS, (call) ->
                Answer.reply(new byte[]{0, 35, 0, 0, 0, 1, 0, 18, 0, 0, (byte)(offered >> 7), offered}));
            try (Reading reading = Reading.start(Reading.context(broker)))
            {
                reading.until("the error", () -> !reading.errors().isEmpty());

                assertTrue(reading.hasError("ApiVersions version 0 answered with UNSUPPORTED_VERSION"),
                    () -> reading.errors().toString());
            }
            assertEquals(List.of(5, 0), broker.peer().requests().stream()
                .filter((request) -> request.connection() == 0).map((request) -> (int)request.apiVersion()).toList());
        }
    }

    // Behaviour A4, tried 2026-11-29: After any other error of ApiVersions, or a refusal of version 0, the connection
    // is closed, and ApiVersions is not sent again on it.
    @Test
    void shouldReportThatTheVersionProbeIsRefused()
    {
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a"))
        {
            broker.script(ApiMessageType.API_VERSIONS, (call) -> call.frame().connection() > 0 ? null :
                call.answer(new ApiVersionsResponseData().setErrorCode((short)42)));
            try (Reading reading = Reading.start(Reading.context(broker)))
            {
                reading.untilCount(0, 1);

                assertTrue(reading.hasError("answered with INVALID_REQUEST"), () -> reading.errors().toString());
            }
            assertEquals(List.of(5), broker.peer().requests().stream()
                .filter((request) -> request.connection() == 0).map((request) -> (int)request.apiVersion()).toList());
        }
    }

    // Behaviour A10, tried 2026-11-29: Versions are negotiated again on each new connection; only the version of
    // ApiVersions is remembered (see 6).
    // Behaviour A8, A9.
    @ParameterizedTest
    @MethodSource("unsupported")
    void shouldReportWhichRequestHasNoCommonVersion(final ApiMessageType type, final String name)
    {
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a").maxVersion(type, -1);
            Reading reading = Reading.start(Reading.context(broker)))
        {
            reading.until("the error", () -> reading.hasError("supports no version of " + name));
            assertEquals(0, broker.requestCount(type));

            broker.maxVersion(type, type.highestSupportedVersion(true));
            reading.untilCount(0, 1);
            assertEquals(List.of("a"), reading.values(0));
        }
    }

    static Stream<Arguments> unsupported()
    {
        return Stream.of(Arguments.of(ApiMessageType.FETCH, "Fetch"), Arguments.of(ApiMessageType.METADATA, "Metadata"),
            Arguments.of(ApiMessageType.LIST_OFFSETS, "ListOffsets"));
    }
}
