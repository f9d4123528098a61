// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fuzz;

import org.apache.kafka.common.protocol.ApiMessage;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.NodeEndpointsFlyweight;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.control.ApiVersionsResponseFlyweight;
import org.odradek.protocol.control.ConsumerGroupHeartbeatResponseFlyweight;
import org.odradek.protocol.control.ControlSeeds;
import org.odradek.protocol.control.DescribeGroupsResponseFlyweight;
import org.odradek.protocol.control.FindCoordinatorResponseFlyweight;
import org.odradek.protocol.control.GroupErrorFlyweight;
import org.odradek.protocol.control.JoinGroupResponseFlyweight;
import org.odradek.protocol.control.ListOffsetsResponseFlyweight;
import org.odradek.protocol.control.MetadataResponseFlyweight;
import org.odradek.protocol.control.OffsetCommitResponseFlyweight;
import org.odradek.protocol.control.OffsetFetchResponseFlyweight;
import org.odradek.protocol.control.OffsetForLeaderEpochResponseFlyweight;
import org.odradek.protocol.control.ResponseTopic;
import org.odradek.protocol.control.SaslAuthenticateResponseFlyweight;
import org.odradek.protocol.control.SaslHandshakeResponseFlyweight;
import org.odradek.protocol.control.SyncGroupResponseFlyweight;
import org.odradek.protocol.fetch.AbortedTransactionsFlyweight;
import org.odradek.protocol.fetch.FetchResponseFlyweight;
import org.odradek.protocol.fetch.FetchSeeds;
import org.odradek.protocol.produce.InitProducerIdResponseFlyweight;
import org.odradek.protocol.produce.ProduceResponseFlyweight;
import org.odradek.protocol.produce.ProduceSeeds;
import org.odradek.protocol.record.RecordMemory;
import org.odradek.protocol.record.RecordSeeds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/**
 * Reads whole responses. The first byte of an input selects the version; the response follows, from the first byte
 * after the correlation id.
 */
final class ResponseWalks
{
    private static final int MAX_SEED_LENGTH = 1_000;

    /** Reads one response of one version. */
    @FunctionalInterface
    interface Response
    {
        void read(RecordMemory memory, int index, int limit, int version, Readout readout);
    }

    private ResponseWalks()
    {
    }

    static Surroundings.Walk of(final ApiKey apiKey, final Response response)
    {
        return (memory, index, limit, readout) ->
        {
            if (index < limit)
            {
                final int versions = apiKey.maxVersion() - apiKey.minVersion() + 1;
                final int version = apiKey.minVersion() + (memory.buffer().getByte(index) & 0xFF) % versions;
                response.read(memory, index + 1, limit, version, readout);
            }
        };
    }

    /** Small responses of random versions. */
    static Function<Random, byte[]> seeds(final ApiKey apiKey)
    {
        return (random) ->
        {
            byte[] seed = seed(apiKey, random);
            while (seed.length > MAX_SEED_LENGTH)
            {
                seed = seed(apiKey, random);
            }
            return seed;
        };
    }

    private static byte[] seed(final ApiKey apiKey, final Random random)
    {
        final int choice = random.nextInt(apiKey.maxVersion() - apiKey.minVersion() + 1);
        final int version = apiKey.minVersion() + choice;
        final ApiMessage response = switch (apiKey)
        {
            case FETCH -> FetchSeeds.response(version, random, () -> RecordSeeds.recordSet(random));
            case PRODUCE -> ProduceSeeds.produce(version, random);
            case INIT_PRODUCER_ID -> ProduceSeeds.initProducerId(version, random);
            default -> ControlSeeds.response(apiKey, version, random);
        };
        final byte[] frame = KafkaFrames.response(apiKey, version, response, Cases.unknownTags(random));
        // The byte before the response makes room for the choice of the version.
        frame[ResponseHeader.LENGTH - 1] = (byte) choice;
        return Arrays.copyOfRange(frame, ResponseHeader.LENGTH - 1, frame.length);
    }

    static void apiVersions(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        final ApiVersionsResponseFlyweight response =
            new ApiVersionsResponseFlyweight().wrap(memory.buffer(), index, limit, version);
        readout.values(response);
        for (final ApiKey apiKey : ApiKey.values())
        {
            readout.value("minVersion", response.minVersion(apiKey))
                .value("maxVersion", response.maxVersion(apiKey))
                .value("commonVersion", response.commonVersion(apiKey));
        }
    }

    static void listOffsets(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        final ListOffsetsResponseFlyweight response =
            new ListOffsetsResponseFlyweight().wrap(memory.buffer(), index, limit, version);
        readout.values(response);
        while (response.nextPartition())
        {
            readout.values(response);
        }
        readout.value("further", response.nextPartition());
    }

    static void offsetForLeaderEpoch(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        final OffsetForLeaderEpochResponseFlyweight response =
            new OffsetForLeaderEpochResponseFlyweight().wrap(memory.buffer(), index, limit, version);
        readout.values(response);
        while (response.nextPartition())
        {
            readout.values(response);
        }
        readout.value("further", response.nextPartition());
    }

    static void findCoordinator(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        readout.values(new FindCoordinatorResponseFlyweight().wrap(memory.buffer(), index, limit, version));
    }

    static void offsetCommit(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        final OffsetCommitResponseFlyweight response =
            new OffsetCommitResponseFlyweight().wrap(memory.buffer(), index, limit, version);
        readout.values(response);
        while (response.nextPartition())
        {
            readout.values(response);
            topic(response.topic(), readout);
        }
        readout.value("further", response.nextPartition());
    }

    private static void topic(final ResponseTopic topic, final Readout readout)
    {
        if (topic.isById())
        {
            readout.value("topicId", topic.idMostSignificantBits()).value("and", topic.idLeastSignificantBits());
        }
        else
        {
            readout.bytes("topic", topic.index(), topic.length());
        }
    }

    /** The error of the group is at the end of the response. */
    static void offsetFetch(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        final OffsetFetchResponseFlyweight response =
            new OffsetFetchResponseFlyweight().wrap(memory.buffer(), index, limit, version);
        while (response.nextPartition())
        {
            readout.values(response);
            topic(response.topic(), readout);
        }
        readout.values(response);
        readout.value("further", response.nextPartition());
    }

    static void consumerGroupHeartbeat(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        final ConsumerGroupHeartbeatResponseFlyweight response =
            new ConsumerGroupHeartbeatResponseFlyweight().wrap(memory.buffer(), index, limit, version);
        readout.values(response);
        while (response.nextPartition())
        {
            readout.value("assigned", response.partition());
            topic(response.topic(), readout);
        }
        readout.value("further", response.nextPartition());
    }

    static void describeGroups(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        readout.values(new DescribeGroupsResponseFlyweight().wrap(memory.buffer(), index, limit, version));
    }

    static void joinGroup(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        final JoinGroupResponseFlyweight response =
            new JoinGroupResponseFlyweight().wrap(memory.buffer(), index, limit, version);
        readout.values(response);
        while (response.nextMember())
        {
            readout.values(response);
            while (response.nextTopic())
            {
                readout.values(response);
            }
        }
        readout.value("further", response.nextMember());
    }

    static void syncGroup(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        final SyncGroupResponseFlyweight response =
            new SyncGroupResponseFlyweight().wrap(memory.buffer(), index, limit, version);
        readout.values(response);
        while (response.nextPartition())
        {
            readout.value("assigned", response.partition());
            topic(response.topic(), readout);
        }
        readout.value("further", response.nextPartition());
    }

    /** A heartbeat is read by the same class. */
    static void leaveGroup(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        readout.values(new GroupErrorFlyweight(ApiKey.LEAVE_GROUP).wrap(memory.buffer(), index, limit, version));
    }

    static void saslHandshake(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        final SaslHandshakeResponseFlyweight response =
            new SaslHandshakeResponseFlyweight().wrap(memory.buffer(), index, limit, version);
        readout.values(response);
        while (response.nextMechanism())
        {
            readout.values(response);
        }
        readout.value("further", response.nextMechanism());
    }

    static void saslAuthenticate(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        readout.values(new SaslAuthenticateResponseFlyweight().wrap(memory.buffer(), index, limit, version));
    }

    /** Reads the response twice, because a walk may be repeated; the second time without the partitions. */
    static void metadata(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        final MetadataResponseFlyweight response =
            new MetadataResponseFlyweight().wrap(memory.buffer(), index, limit, version);
        for (int round = 0; round < 2; round++)
        {
            while (response.nextBroker())
            {
                readout.values(response);
            }
            while (response.nextTopic())
            {
                readout.values(response);
                while (round == 0 && response.nextPartition())
                {
                    readout.values(response);
                }
            }
            response.resetTopics();
            response.resetBrokers();
        }
        readout.values(response);
    }

    static void produce(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        final ProduceResponseFlyweight response =
            new ProduceResponseFlyweight().wrap(memory.buffer(), index, limit, version);
        while (response.nextPartition())
        {
            readout.values(response);
        }
        readout.values(response);
        readout.value("further", response.nextPartition());
        final NodeEndpointsFlyweight endpoints = response.nodeEndpoints();
        while (endpoints.next())
        {
            readout.values(endpoints);
        }
    }

    static void initProducerId(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        readout.values(new InitProducerIdResponseFlyweight().wrap(memory.buffer(), index, limit, version));
    }

    static void fetch(
        final RecordMemory memory, final int index, final int limit, final int version, final Readout readout)
    {
        final FetchResponseFlyweight response = new FetchResponseFlyweight();
        final List<int[]> recordSets = new ArrayList<>();
        try
        {
            response.wrap(memory.buffer(), index, limit, version);
            readout.values(response);
            while (response.nextPartition())
            {
                readout.values(response);
                recordSets.add(new int[]{response.recordsIndex(), response.recordsLength()});
                final AbortedTransactionsFlyweight aborted = new AbortedTransactionsFlyweight().wrap(memory.buffer(),
                    response.abortedTransactionsIndex(), limit, response.abortedTransactionCount(), version >= 12);
                while (aborted.next())
                {
                    readout.values(aborted);
                }
            }
            readout.value("further", response.nextPartition());
            final NodeEndpointsFlyweight endpoints = response.nodeEndpoints();
            while (endpoints.next())
            {
                readout.values(endpoints);
            }
        }
        finally
        {
            // A caller that has only the first part of a frame reports these values.
            readout.value("cutOff", response.isRecordSetCutOff()).value("partition", response.partition());
        }
        for (final int[] recordSet : recordSets)
        {
            RecordSetWalk.read(memory, recordSet[0], recordSet[0] + recordSet[1], readout);
        }
    }
}
