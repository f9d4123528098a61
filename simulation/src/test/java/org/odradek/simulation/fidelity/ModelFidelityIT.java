// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation.fidelity;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.odradek.harness.model.ModelPartition;
import org.odradek.harness.model.ModelTopic;
import org.odradek.testkit.Await;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

import static org.apache.kafka.common.message.ApiMessageType.API_VERSIONS;
import static org.apache.kafka.common.message.ApiMessageType.FETCH;
import static org.apache.kafka.common.message.ApiMessageType.FIND_COORDINATOR;
import static org.apache.kafka.common.message.ApiMessageType.LIST_OFFSETS;
import static org.apache.kafka.common.message.ApiMessageType.METADATA;
import static org.apache.kafka.common.message.ApiMessageType.OFFSET_COMMIT;
import static org.apache.kafka.common.message.ApiMessageType.OFFSET_FETCH;
import static org.apache.kafka.common.message.ApiMessageType.OFFSET_FOR_LEADER_EPOCH;
import static org.odradek.simulation.fidelity.FidelityRequests.at;
import static org.odradek.simulation.fidelity.FidelityRequests.commit;
import static org.odradek.simulation.fidelity.FidelityRequests.epoch;
import static org.odradek.simulation.fidelity.FidelityRequests.epochs;
import static org.odradek.simulation.fidelity.FidelityRequests.offsets;
import static org.odradek.simulation.fidelity.FidelityRequests.partition;

/**
 * Tests the broker model: it sends the same requests to the model and to a real broker with the same logs, and compares
 * the responses field by field. {@link IntendedDifferences} lists what may differ.
 */
@Tag("slow")
class ModelFidelityIT
{
    private static final String PLAIN = "plain";
    private static final String OLD = "old";
    private static final String TRANSACTIONS = "transactions";
    private static final String EMPTY = "empty";
    private static final String UNKNOWN = "unknown";
    private static final int NO_WAIT = 0;
    /** Of requests that are answered at once: half of it is more than a busy machine takes for an answer. */
    private static final int LONG_WAIT_MS = 20_000;
    /** Of requests that wait. */
    private static final int SHORT_WAIT_MS = 400;

    private static FidelityScene scene;
    private static FidelityRequests requests;

    @BeforeAll
    static void start() throws IOException
    {
        scene = new FidelityScene();
        requests = new FidelityRequests(scene.cluster());
        FidelityLogs.fillPlain(scene.createTopic(PLAIN, 3));
        FidelityLogs.fillOld(scene.createTopic(OLD, 2).partition(0).log());
        FidelityLogs.fillTransactions(scene.createTopic(TRANSACTIONS, 1).partition(0).log());
        scene.createTopic(EMPTY, 2);
        scene.installLogs();
    }

    @AfterAll
    static void close()
    {
        System.out.println("comparisons with a real broker: " + scene.comparisons());
        scene.close();
    }

    @AfterEach
    void assertEqual()
    {
        scene.assertEqual();
    }

    @Test
    void shouldNegotiateVersionsAsABrokerDoes()
    {
        scene.compare("versions", API_VERSIONS, (side, version) -> version < 3 ? new ApiVersionsRequestData() :
            new ApiVersionsRequestData().setClientSoftwareName("a.b-1").setClientSoftwareVersion("1"));
        scene.compare("bad name", API_VERSIONS, 3, 5, (side, version) ->
            new ApiVersionsRequestData().setClientSoftwareName("-").setClientSoftwareVersion("1"));
        scene.compare("empty name", API_VERSIONS, 3, 5, (side, version) -> new ApiVersionsRequestData());
        final String clusterId = scene.cluster().clusterId();
        for (final String id : new String[]{clusterId, "other", null})
        {
            for (final int node : new int[]{1, 9, -1})
            {
                scene.compare("address of " + node, API_VERSIONS, 5, (side, version) -> new ApiVersionsRequestData()
                    .setClientSoftwareName("n").setClientSoftwareVersion("1").setClusterId(id).setNodeId(node));
            }
        }
        for (final int version : new int[]{6, 100})
        {
            scene.compareRaw("version " + version, API_VERSIONS, withVersion(API_VERSIONS, version));
        }
    }

    private static byte[] withVersion(final ApiMessageType type, final int version)
    {
        final byte[] frame = scene.encode(type, (short)0, type.newRequest());
        frame[3] = (byte)version;
        return frame;
    }

    @Test
    void shouldCloseTheConnectionAfterARequestThatItCannotServe()
    {
        final short fetch = FETCH.highestSupportedVersion(false);
        final byte[] valid = scene.encode(FETCH, fetch, requests.fetch(fetch, PLAIN, partition(0, 0)));
        scene.compareRaw("cut off", FETCH, Arrays.copyOf(valid, valid.length - 12));
        scene.compareRaw("cut off in the header", FETCH, Arrays.copyOf(valid, 9));
        scene.compareRaw("empty", FETCH, new byte[0]);
        final byte[] unknownApi = valid.clone();
        unknownApi[0] = 3;
        scene.compareRaw("unknown API", FETCH, unknownApi);
        final byte[] manyTopics = scene.encode(METADATA, (short)1, metadata((short)1, PLAIN));
        manyTopics[8 + 2 + FidelityScene.CLIENT.length()] = 0x7F;
        scene.compareRaw("many topics", METADATA, manyTopics);
        for (final ApiMessageType type : List.of(FETCH, METADATA, LIST_OFFSETS, OFFSET_FOR_LEADER_EPOCH,
            FIND_COORDINATOR, OFFSET_COMMIT, OFFSET_FETCH))
        {
            final short highest = type.highestSupportedVersion(false);
            final byte[] above = scene.encode(type, highest, type.newRequest());
            above[3] = (byte)(highest + 1);
            scene.compareRaw(type + " above its versions", type, above);
            if (type.lowestSupportedVersion() > 0)
            {
                final byte[] below = scene.encode(type, type.lowestSupportedVersion(), type.newRequest());
                below[3] = (byte)(type.lowestSupportedVersion() - 1);
                scene.compareRaw(type + " below its versions", type, below);
            }
        }
    }

    private static MetadataRequestData metadata(final short version, final String... topics)
    {
        return metadata(version, Arrays.stream(topics).map((name) ->
            new MetadataRequestTopic().setName(name)).toList());
    }

    private static MetadataRequestData metadata(final short version, final List<MetadataRequestTopic> topics)
    {
        return new MetadataRequestData().setTopics(topics).setAllowAutoTopicCreation(version < 4);
    }

    @Test
    void shouldReturnTheSameMetadata()
    {
        scene.compare("one topic", METADATA, (side, version) -> metadata(version, PLAIN));
        scene.compare("several topics", METADATA, (side, version) ->
            metadata(version, OLD, UNKNOWN, EMPTY, "a/b", PLAIN));
        scene.compare("the same topic twice", METADATA, (side, version) -> metadata(version, OLD, OLD));
        scene.compare("no topic", METADATA, 1, 13, (side, version) -> metadata(version, List.of()));
        scene.compare("all topics", METADATA, 0, 13, (side, version) ->
            metadata(version, version == 0 ? List.of() : (List<MetadataRequestTopic>)null));
        scene.compare("an id", METADATA, 12, 13, (side, version) -> metadata(version, List.of(
            new MetadataRequestTopic().setName(null).setTopicId(scene.cluster().topic(PLAIN).id()))));
        scene.compare("an unknown id", METADATA, 12, 13, (side, version) -> metadata(version, List.of(
            new MetadataRequestTopic().setName(null).setTopicId(FidelityRequests.UNKNOWN_ID))));
        scene.compare("a name and an id", METADATA, 10, 13, (side, version) -> metadata(version, List.of(
            new MetadataRequestTopic().setName(PLAIN).setTopicId(scene.cluster().topic(PLAIN).id()))));
    }

    @Test
    void shouldReturnTheSameRecords()
    {
        for (final ModelTopic topic : scene.cluster().topics())
        {
            for (final ModelPartition partition : topic.partitions())
            {
                for (long offset = -1; offset <= partition.log().endOffset() + 1; offset++)
                {
                    fetch(topic.name(), partition.index(), offset);
                }
            }
        }
        scene.compare("all", FETCH, (side, version) ->
        {
            final FetchRequestData request = requests.fetch(version, PLAIN, partition(0, 0), partition(1, 10));
            requests.add(request, version, TRANSACTIONS, partition(0, 0));
            requests.add(request, version, OLD, partition(0, 3), partition(1, 0));
            requests.add(request, version, PLAIN, partition(2, 2));
            return request;
        });
    }

    private static void fetch(final String topic, final int index, final long offset)
    {
        for (final int version : new int[]{4, 12, 18})
        {
            for (byte isolation = 0; isolation < 2; isolation++)
            {
                final byte level = isolation;
                scene.compare(topic + " level " + level, FETCH, version, (side, v) ->
                    requests.fetch(v, topic, partition(index, offset)).setIsolationLevel(level));
            }
        }
    }

    @Test
    void shouldCutRecordsAtTheSameByte()
    {
        for (final int limit : new int[]{0, 1, 70, 100, 200, 1_000, 11_000, 20_000, 45_000})
        {
            scene.compare("partition limit " + limit, FETCH, 4, (side, version) -> requests.fetch(version, PLAIN,
                partition(0, 0).setPartitionMaxBytes(limit), partition(1, 0).setPartitionMaxBytes(limit),
                partition(2, 0).setPartitionMaxBytes(limit)));
            scene.compare("limit " + limit, FETCH, 18, (side, version) -> requests.fetch(version, PLAIN,
                partition(0, 0), partition(1, 0), partition(2, 0)).setMaxBytes(limit));
            scene.compare("limit " + limit + " in another order", FETCH, 12, (side, version) -> requests.fetch(version,
                PLAIN, partition(2, 6), partition(2, 5), partition(1, 0), partition(0, 7)).setMaxBytes(limit));
        }
    }

    @Test
    void shouldRefuseAFetchWithTheSameErrors()
    {
        scene.compare("unknown topic", FETCH, (side, version) -> requests.fetch(version, UNKNOWN, partition(0, 0)));
        scene.compare("unknown partition", FETCH, (side, version) ->
            requests.fetch(version, PLAIN, partition(7, 0), partition(2, 0), partition(-1, 0)));
        scene.compare("error and data", FETCH, (side, version) ->
        {
            final FetchRequestData request =
                requests.fetch(version, PLAIN, partition(0, 0), partition(1, 1_000)).setMaxWaitMs(LONG_WAIT_MS);
            requests.add(request, version, UNKNOWN, partition(0, 0));
            return request;
        });
        scene.compare("out of range, while waiting", FETCH, (side, version) -> requests.fetch(
            version, PLAIN, partition(0, 1_000), partition(2, 6)).setMaxWaitMs(LONG_WAIT_MS));
        final int leaderEpoch = leaderEpoch();
        for (final int epoch : new int[]{-2, -1, 0, leaderEpoch - 1, leaderEpoch, leaderEpoch + 1})
        {
            scene.compare("leader epoch", FETCH, 9, 18, (side, version) -> requests.fetch(
                version, PLAIN, partition(0, 0).setCurrentLeaderEpoch(epoch), partition(2, 0)));
        }
    }

    private static int leaderEpoch()
    {
        return scene.cluster().topic(PLAIN).partition(0).leaderEpoch();
    }

    @Test
    void shouldFindTheSameDivergence()
    {
        final long end = scene.cluster().topic(PLAIN).partition(0).log().endOffset();
        for (int epoch = -1; epoch <= leaderEpoch() + 1; epoch++)
        {
            for (final long offset : new long[]{0, 20, 28, 29, end})
            {
                final int last = epoch;
                scene.compare("last fetched epoch", FETCH, 12, 18, (side, version) -> requests.fetch(
                    version, PLAIN, partition(0, offset).setLastFetchedEpoch(last)));
            }
        }
    }

    @Test
    void shouldWaitForTheSameRequests()
    {
        scene.compare("nothing to read", FETCH, 10, (side, version) ->
            requests.fetch(version, EMPTY, partition(0, 0)).setMaxWaitMs(SHORT_WAIT_MS));
        scene.compare("too few bytes", FETCH, 10, (side, version) ->
            requests.fetch(version, PLAIN, partition(2, 0)).setMaxWaitMs(SHORT_WAIT_MS).setMinBytes(100_000));
        scene.compare("enough bytes", FETCH, 10, (side, version) ->
            requests.fetch(version, PLAIN, partition(1, 0)).setMaxWaitMs(LONG_WAIT_MS).setMinBytes(40_000));
        scene.compare("more than may be sent", FETCH, 10, (side, version) -> requests.fetch(version, PLAIN,
            partition(1, 0)).setMaxWaitMs(LONG_WAIT_MS).setMinBytes(40_000).setMaxBytes(10_000));
        scene.compare("partition limit below the minimum", FETCH, 10, (side, version) -> requests.fetch(version, PLAIN,
            partition(1, 0).setPartitionMaxBytes(10_000)).setMaxWaitMs(SHORT_WAIT_MS).setMinBytes(40_000));
        scene.compare("no partition", FETCH, 10, (side, version) ->
            requests.fetch(version, PLAIN).setMaxWaitMs(LONG_WAIT_MS));
        scene.compare("no topic", FETCH, 10, (side, version) ->
            requests.session(side, -1).setSessionId(0).setMaxWaitMs(LONG_WAIT_MS));
        scene.compare("no minimum", FETCH, 10, (side, version) ->
            requests.fetch(version, EMPTY, partition(0, 0)).setMaxWaitMs(LONG_WAIT_MS).setMinBytes(0));
        scene.compare("open transaction", FETCH, 10, (side, version) -> requests.fetch(version, TRANSACTIONS,
            partition(0, lastStable())).setMaxWaitMs(SHORT_WAIT_MS).setIsolationLevel((byte)1));
    }

    private static long lastStable()
    {
        return scene.cluster().topic(TRANSACTIONS).partition(0).log().lastStableOffset();
    }

    @Test
    void shouldKeepFetchSessionsAsABrokerDoes()
    {
        for (final int version : new int[]{7, 12, 13, 18})
        {
            step("open", version, (request, v) -> requests.add(request.setSessionEpoch(0), v, PLAIN,
                partition(0, 0), partition(1, 0).setPartitionMaxBytes(15_000), partition(2, 0)));
            step("again, all data", version, (request, v) -> request.setSessionEpoch(1));
            step("one moves on", version, (request, v) ->
                requests.add(request.setSessionEpoch(2), v, PLAIN, partition(1, 40)));
            step("limited to one", version, (request, v) -> request.setSessionEpoch(3).setMaxBytes(100));
            step("limited to the next", version, (request, v) -> request.setSessionEpoch(4).setMaxBytes(100));
            step("wrong epoch", version, (request, v) -> request.setSessionEpoch(7));
            step("unknown session", version, (request, v) -> request.setSessionEpoch(5).setSessionId(12345));
            step("the right epoch", version, (request, v) -> request.setSessionEpoch(5));
            step("one goes, one comes", version, (request, v) ->
            {
                requests.forget(request.setSessionEpoch(6), v, PLAIN, 0);
                requests.add(request, v, EMPTY, partition(1, 0));
                requests.add(request, v, PLAIN, partition(2, 6));
            });
            step("nothing new", version, (request, v) -> request.setSessionEpoch(7).setMaxWaitMs(SHORT_WAIT_MS));
            step("out of range", version, (request, v) ->
                requests.add(request.setSessionEpoch(8), v, PLAIN, partition(2, 1_000)));
            step("still out of range", version, (request, v) -> request.setSessionEpoch(9).setMaxWaitMs(LONG_WAIT_MS));
            step("in range again", version, (request, v) ->
                requests.add(request.setSessionEpoch(10), v, PLAIN, partition(2, 6)));
            step("unknown partition", version, (request, v) ->
                requests.add(request.setSessionEpoch(11), v, PLAIN, partition(9, 0)));
            step("unknown topic", version, (request, v) ->
            {
                requests.forget(request.setSessionEpoch(12), v, PLAIN, 9);
                requests.add(request, v, UNKNOWN, partition(0, 0));
            });
            step("with and without ids", version >= 13 ? 12 : 13, (request, v) -> request.setSessionEpoch(13));
            step("all forgotten", version, (request, v) ->
            {
                requests.forget(request.setSessionEpoch(13), v, PLAIN, 1, 2);
                requests.forget(request, v, EMPTY, 1);
                requests.forget(request, v, UNKNOWN, 0);
            });
            step("after its end", version, (request, v) -> request.setSessionEpoch(14));
            step("open", version, (request, v) -> requests.add(request.setSessionEpoch(0), v, PLAIN, partition(2, 0)));
            step("replace", version, (request, v) ->
                requests.add(request.setSessionEpoch(0), v, PLAIN, partition(0, 0)));
            step("close", version, (request, v) -> request.setSessionEpoch(-1));
            step("after its end", version, (request, v) -> request.setSessionEpoch(1));
            step("open without partitions", version, (request, v) -> request.setSessionId(0).setSessionEpoch(0));
        }
    }

    private interface Step
    {
        void prepare(FetchRequestData request, short version);
    }

    private static void step(final String name, final int version, final Step step)
    {
        scene.compare("session: " + name, FETCH, version, (side, v) ->
        {
            final FetchRequestData request = requests.session(side, NO_WAIT);
            step.prepare(request, v);
            return request;
        });
    }

    @Test
    void shouldFindTheSameOffsets()
    {
        for (final long timestamp : new long[]{-1, -2, -3, -4, -5, -6, -7, 0, 999, 1_000, 1_001, 1_002, 1_003, 1_500,
            1_501, 2_000, 3_002, 5_000, 6_000, 6_001, 21_000, 21_001, 22_000, 31_400, 31_500, 31_501, 1L << 40})
        {
            scene.compare("time " + timestamp, LIST_OFFSETS, (side, version) ->
                offsets(PLAIN, at(0, timestamp), at(1, timestamp), at(2, timestamp)));
            scene.compare("time " + timestamp, LIST_OFFSETS, (side, version) -> offsets(OLD, at(0, timestamp)));
            scene.compare("time " + timestamp, LIST_OFFSETS, (side, version) -> offsets(EMPTY, at(0, timestamp)));
            scene.compare("time " + timestamp, LIST_OFFSETS, 2, 11, (side, version) ->
                offsets(TRANSACTIONS, at(0, timestamp)).setIsolationLevel((byte)1));
            scene.compare("time " + timestamp, LIST_OFFSETS, (side, version) ->
                offsets(TRANSACTIONS, at(0, timestamp)));
        }
        scene.compare("unknown topic", LIST_OFFSETS, (side, version) -> offsets(UNKNOWN, at(0, -1)));
        scene.compare("unknown partition", LIST_OFFSETS, (side, version) -> offsets(PLAIN, at(2, -1), at(9, -1)));
        scene.compare("twice", LIST_OFFSETS, (side, version) -> offsets(PLAIN, at(2, -1), at(2, -2), at(1, -1)));
        for (int epoch = -1; epoch <= leaderEpoch() + 1; epoch++)
        {
            final int current = epoch;
            scene.compare("leader epoch", LIST_OFFSETS, 4, 11, (side, version) ->
                offsets(PLAIN, at(0, -1).setCurrentLeaderEpoch(current), at(2, -2)));
        }
    }

    @Test
    void shouldFindTheSameEpochEnds()
    {
        for (int epoch = -1; epoch <= leaderEpoch() + 1; epoch++)
        {
            final int asked = epoch;
            scene.compare("epoch", OFFSET_FOR_LEADER_EPOCH, (side, version) ->
                epochs(version, PLAIN, epoch(0, asked), epoch(1, asked), epoch(2, asked)));
            scene.compare("epoch of old", OFFSET_FOR_LEADER_EPOCH, (side, version) ->
                epochs(version, OLD, epoch(0, asked), epoch(1, asked)));
            scene.compare("current epoch", OFFSET_FOR_LEADER_EPOCH, (side, version) ->
                epochs(version, PLAIN, epoch(0, 1).setCurrentLeaderEpoch(asked), epoch(7, 0)));
        }
        scene.compare("unknown topic", OFFSET_FOR_LEADER_EPOCH, (side, version) ->
            epochs(version, UNKNOWN, epoch(0, 0)));
    }

    private static ApiMessage coordinator(final short version, final int type, final String... keys)
    {
        final FindCoordinatorRequestData request = new FindCoordinatorRequestData().setKeyType((byte)type);
        return version < 4 ? request.setKey(keys[0]) : request.setCoordinatorKeys(List.of(keys));
    }

    @Test
    void shouldServeGroupsAsABrokerDoes()
    {
        Await.until("a coordinator", () -> scene.isRealCoordinatorReady());
        scene.compare("group", FIND_COORDINATOR, (side, version) -> coordinator(version, 0, "g"));
        scene.compare("empty group", FIND_COORDINATOR, (side, version) -> coordinator(version, 0, ""));
        scene.compare("groups", FIND_COORDINATOR, 4, 6, (side, version) -> coordinator(version, 0, "g", "", "h"));
        scene.compare("unknown type", FIND_COORDINATOR, 1, 6, (side, version) -> coordinator(version, 9, "g"));
        scene.compare("nothing committed", OFFSET_FETCH, (side, version) ->
            requests.committed(version, "g", PLAIN, 0, 2));
        scene.compare("unknown topic", OFFSET_FETCH, (side, version) -> requests.committed(version, "g", UNKNOWN, 0));
        scene.compare("all of nothing", OFFSET_FETCH, 2, 10, (side, version) -> requests.committed(version, "g", null));
        scene.compare("commit", OFFSET_COMMIT, (side, version) ->
            requests.commit(version, "g" + version, PLAIN, commit(0, 5), commit(2, version)));
        for (int group = 2; group <= 10; group++)
        {
            final String name = "g" + group;
            scene.compare("committed", OFFSET_FETCH, (side, version) ->
                requests.committed(version, name, PLAIN, 0, 1, 2));
            scene.compare("all", OFFSET_FETCH, 2, 10, (side, version) -> requests.committed(version, name, null));
        }
        scene.compare("stable", OFFSET_FETCH, 7, 10, (side, version) ->
            requests.committed(version, "g6", PLAIN, 0).setRequireStable(true));
        scene.compare("commit with epoch", OFFSET_COMMIT, 6, 10, (side, version) ->
            requests.commit(version, "e", PLAIN, commit(0, 5).setCommittedLeaderEpoch(version)));
        scene.compare("committed with epoch", OFFSET_FETCH, (side, version) ->
            requests.committed(version, "e", PLAIN, 0));
        scene.compare("commit for an unknown topic", OFFSET_COMMIT, (side, version) ->
            requests.commit(version, "g", UNKNOWN, commit(0, 5)));
        scene.compare("commit for an unknown partition", OFFSET_COMMIT, (side, version) ->
            requests.commit(version, "p", PLAIN, commit(0, 5), commit(8, 5)));
        scene.compare("long metadata", OFFSET_COMMIT, (side, version) -> requests.commit(version, "m", PLAIN,
            commit(0, 5).setCommittedMetadata("x".repeat(5_000)), commit(1, 6)));
        scene.compare("null metadata", OFFSET_COMMIT, (side, version) ->
            requests.commit(version, "n", PLAIN, commit(0, 5).setCommittedMetadata(null)));
        scene.compare("negative offset", OFFSET_COMMIT, (side, version) ->
            requests.commit(version, "n", PLAIN, commit(0, -5)));
        scene.compare("committed", OFFSET_FETCH, (side, version) -> requests.committed(version, "n", PLAIN, 0));
        scene.compare("commit of a member", OFFSET_COMMIT, (side, version) ->
            requests.commit(version, "x", PLAIN, commit(0, 5)).setMemberId("m").setGenerationIdOrMemberEpoch(3));
        scene.compare("empty group", OFFSET_COMMIT, (side, version) ->
            requests.commit(version, "", PLAIN, commit(0, 5)));
        scene.compare("empty group", OFFSET_FETCH, (side, version) -> requests.committed(version, "", PLAIN, 0));
    }
}
