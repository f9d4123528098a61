// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation.fidelity;

import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiMessage;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * All fields in which the responses of the model may differ from those of a real broker, with the reasons. Everything
 * else is compared.
 */
final class IntendedDifferences
{
    private IntendedDifferences()
    {
    }

    /** Makes the fields that may differ equal. */
    static void remove(final ApiMessage real, final ApiMessage model)
    {
        sort(real);
        sort(model);
        nameMembers(real);
        nameMembers(model);
        if (real instanceof ApiVersionsResponseData ofReal && model instanceof ApiVersionsResponseData ofModel)
        {
            // The model has the APIs that a consumer uses; of these the ranges must be equal.
            ofReal.apiKeys().removeIf((api) -> ofModel.apiKeys().find(api.apiKey()) == null);
            // The model has no features: no client of it uses them.
            ofReal.supportedFeatures().clear();
            ofReal.finalizedFeatures().clear();
            ofReal.setFinalizedFeaturesEpoch(ofModel.finalizedFeaturesEpoch());
        }
        if (real instanceof MetadataResponseData ofReal)
        {
            // A broker stores the offsets of groups in a topic, which the model does not have.
            ofReal.topics().removeIf((topic) -> Topic.GROUP_METADATA_TOPIC_NAME.equals(topic.name()));
        }
        if (real instanceof FetchResponseData ofReal && model instanceof FetchResponseData ofModel)
        {
            // Brokers draw the ids of sessions at random; that one is granted must be equal.
            ofReal.setSessionId(Integer.signum(ofReal.sessionId()));
            ofModel.setSessionId(Integer.signum(ofModel.sessionId()));
        }
        if (real instanceof InitProducerIdResponseData ofReal && model instanceof InitProducerIdResponseData ofModel)
        {
            // Each counts on its own; that an id is given must be equal.
            ofReal.setProducerId(Math.min(0, ofReal.producerId()));
            ofModel.setProducerId(Math.min(0, ofModel.producerId()));
        }
        if (real instanceof ProduceResponseData produced)
        {
            // Texts for people.
            produced.responses().forEach((topic) -> topic.partitionResponses().forEach((partition) ->
                partition.setErrorMessage(null).setRecordErrors(List.of())));
        }
        if (real instanceof SaslHandshakeResponseData ofReal && model instanceof SaslHandshakeResponseData ofModel)
        {
            // The model has one mechanism, which must be one of those of the broker.
            ofReal.mechanisms().retainAll(ofModel.mechanisms());
        }
        nameProofs(real);
        nameProofs(model);
    }

    /** Brokers draw nonces and salts of SCRAM at random, and the iterations are a setting; a test checks signatures. */
    private static void nameProofs(final ApiMessage response)
    {
        if (response instanceof SaslAuthenticateResponseData authenticated)
        {
            final String message = new String(authenticated.authBytes(), StandardCharsets.UTF_8);
            authenticated.setAuthBytes(message
                .replaceFirst("^r=(nonceOfTheClient).+,s=.+,i=\\d+$", "r=$1 and that of a broker")
                .replaceFirst("^v=.+$", "v=a signature").getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Brokers draw the ids of members of classic groups at random; who they are must be equal. */
    private static void nameMembers(final ApiMessage response)
    {
        if (response instanceof JoinGroupResponseData join)
        {
            join.setLeader(join.leader().equals(join.memberId()) ? "itself" : withoutNumber(join.leader()));
            join.setMemberId(withoutNumber(join.memberId()));
            join.members().forEach((member) -> member.setMemberId(withoutNumber(member.memberId())));
            join.members().sort(Comparator.comparing((member) -> Arrays.toString(member.metadata())));
        }
        if (response instanceof LeaveGroupResponseData leave)
        {
            leave.members().forEach((member) -> member.setMemberId(withoutNumber(member.memberId())));
        }
        if (response instanceof DescribeGroupsResponseData described)
        {
            described.groups().forEach((group) -> group.members().forEach((member) ->
                member.setMemberId(withoutNumber(member.memberId()))));
            described.groups().forEach((group) -> group.members().sort(
                Comparator.comparing((member) -> Arrays.toString(member.memberMetadata()))));
        }
    }

    private static String withoutNumber(final String memberId)
    {
        return memberId.replaceFirst("-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "-number");
    }

    /** Brokers answer from hash maps,
        except to a fetch; the model answers in the order of the request or of creation. */
    private static void sort(final ApiMessage response)
    {
        if (response instanceof ApiVersionsResponseData versions)
        {
            versions.apiKeys().sort(Comparator.comparing(ApiVersion::apiKey));
        }
        if (response instanceof MetadataResponseData metadata)
        {
            metadata.topics().sort(
                Comparator.comparing(MetadataResponseTopic::name, Comparator.nullsFirst(Comparator.naturalOrder())));
        }
        if (response instanceof ListOffsetsResponseData offsets)
        {
            offsets.topics().forEach((topic) ->
                topic.partitions().sort(Comparator.comparing(ListOffsetsPartitionResponse::partitionIndex)));
        }
        if (response instanceof ProduceResponseData produced)
        {
            produced.responses().forEach((topic) ->
                topic.partitionResponses().sort(Comparator.comparing(PartitionProduceResponse::index)));
        }
        if (response instanceof OffsetCommitResponseData commit)
        {
            commit.topics().forEach((topic) ->
                topic.partitions().sort(Comparator.comparing(OffsetCommitResponsePartition::partitionIndex)));
        }
        if (response instanceof OffsetFetchResponseData committed)
        {
            committed.topics().forEach((topic) ->
                topic.partitions().sort(Comparator.comparing(OffsetFetchResponsePartition::partitionIndex)));
            committed.groups().forEach((group) -> group.topics().forEach((topic) ->
                topic.partitions().sort(Comparator.comparing(OffsetFetchResponsePartitions::partitionIndex))));
        }
    }
}
