// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.DirectBuffer;
import org.odradek.client.net.RequestFrame;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.PrintableText;
import org.odradek.protocol.WireLimits;
import org.odradek.protocol.WireReader;
import org.odradek.protocol.control.ClassicGroupRequestEncoder;
import org.odradek.protocol.control.JoinGroupResponseFlyweight;
import org.odradek.protocol.control.MetadataResponseFlyweight;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.TreeMap;

/**
 * Assigns the partitions of a classic group as its leader, by the assignor {@code range} without racks. The members of
 * a topic are sorted, static members first, and each member is assigned consecutive partitions. If the partitions
 * cannot be shared evenly, the first members are assigned one partition more.
 */
final class GroupLeader
{
    /** The estimated memory in bytes of the objects of a member, of a topic, and of one topic of one member. */
    private static final int MEMBER_BYTES = 200;
    private static final int TOPIC_BYTES = 100;
    private static final int READER_BYTES = 3 * Integer.BYTES;

    private static final Comparator<Member> STATIC_FIRST = Comparator
        .comparing(Member::instanceId, Comparator.nullsLast(Comparator.naturalOrder()))
        .thenComparing((member) -> new String(member.id, StandardCharsets.UTF_8));

    /**
     * A member with the indexes of its topics and, for each of them, the first partition and the number of partitions
     * that are assigned to the member.
     */
    private record Member(byte[] id, String instanceId, int[] topics, int[] first, int[] count)
    {
        int topicCount()
        {
            int used = 0;
            for (final int partitions : count)
            {
                used += partitions > 0 ? 1 : 0;
            }
            return used;
        }

        int length(final byte[][] names)
        {
            int length = 0;
            for (int i = 0; i < topics.length; i++)
            {
                length += count[i] == 0 ? 0 : ClassicGroupRequestEncoder.partitionsLength(names[topics[i]], count[i]);
            }
            return length;
        }
    }

    private Member[] members = {};
    private byte[][] topics = {};
    private int[] partitionCounts = {};
    private boolean isLeader;
    private boolean isKeeping;
    private boolean hasMissing;
    /** A topic that the brokers did not know at the last count, with the reason; "" for none. */
    private String missing = "";
    private String reported = "";
    /** The members that are assigned nothing. */
    private final BitSet leftOut = new BitSet();
    /** Those of them for whose ids there is no memory; the others are sent an assignment without partitions. */
    private final BitSet unknown = new BitSet();
    /**
     * The first member that is assigned nothing, because its subscription cannot be read or is too large, with the
     * reason; "" for none.
     */
    private String firstLeftOut = "";
    private String reportedLeftOut = "";

    void resign()
    {
        isLeader = false;
        members = new Member[0];
        topics = new byte[0][];
        partitionCounts = new int[0];
    }

    boolean isLeader()
    {
        return isLeader;
    }

    byte[][] topics()
    {
        return topics;
    }

    boolean hasMissing()
    {
        return hasMissing;
    }

    /**
     * Reads the names of the topics of all members that are not left out, and so checks the whole response. A member is
     * left out if it would use more than half of the memory that the members before it have left, and unknown if its id
     * alone would do so.
     */
    TreeMap<byte[], Integer> topics(final JoinGroupResponseFlyweight response)
    {
        final TreeMap<byte[], Integer> names = new TreeMap<>(Arrays::compareUnsigned);
        leftOut.clear();
        unknown.clear();
        firstLeftOut = "";
        long left = WireLimits.MAX_SUBSCRIPTION_BYTES;
        for (int m = 0; response.nextMember(); m++)
        {
            final long idBytes = MEMBER_BYTES + response.idLength() + 2L * response.instanceIdLength();
            final long memberBytes = idBytes + (long)READER_BYTES * response.topicCount();
            final long mostBytes = memberBytes + (long)TOPIC_BYTES * response.topicCount() + response.topicsLength();
            if (response.flaw() != null || mostBytes > left / 2)
            {
                leaveOut(m, response);
                unknown.set(m, idBytes > left / 2);
                left -= unknown.get(m) ? 0 : idBytes;
                continue;
            }
            left -= memberBytes;
            while (response.nextTopic())
            {
                final byte[] name = bytes(response.buffer(), response.topicIndex(), response.topicLength());
                left -= names.putIfAbsent(name, 0) == null ? TOPIC_BYTES + name.length : 0;
            }
        }
        return names;
    }

    private void leaveOut(final int index, final JoinGroupResponseFlyweight response)
    {
        if (leftOut.isEmpty())
        {
            final byte[] id = bytes(response.buffer(), response.idIndex(), response.idLength());
            firstLeftOut = "member " + PrintableText.of(new String(id, StandardCharsets.UTF_8)) +
                ": its subscription " + (response.flaw() != null ? "cannot be read: " + response.flaw() :
                "to " + response.topicCount() + " topics is too large");
        }
        leftOut.set(index);
    }

    /** Returns the sentence about a member that is assigned nothing, once; null for none. */
    String takeLeftOut()
    {
        final boolean isNew = !firstLeftOut.equals(reportedLeftOut) && !firstLeftOut.isEmpty();
        reportedLeftOut = firstLeftOut;
        final int others = leftOut.cardinality() - 1;
        return isNew ? "This member divides the partitions of the group, and assigns none to " + firstLeftOut +
            (others == 0 ? "" : "; nor to " + others + " others") : null;
    }

    /** @param response a response that {@link #topics(JoinGroupResponseFlyweight)} has checked. */
    void lead(final JoinGroupResponseFlyweight response, final TreeMap<byte[], Integer> names)
    {
        isLeader = true;
        isKeeping = response.isAssignmentSkipped();
        topics = names.keySet().toArray(new byte[0][]);
        partitionCounts = new int[topics.length];
        for (int t = 0; t < topics.length; t++)
        {
            names.put(topics[t], t);
        }
        members = new Member[response.memberCount() - unknown.cardinality()];
        int used = 0;
        final int[] lastMember = new int[topics.length];
        int[] indexes = new int[16];
        for (int m = 0; response.nextMember(); m++)
        {
            if (unknown.get(m))
            {
                continue;
            }
            final byte[] id = bytes(response.buffer(), response.idIndex(), response.idLength());
            final String instanceId = response.instanceIdLength() == WireReader.NULL_LENGTH ? null :
                response.buffer().getStringWithoutLengthUtf8(response.instanceIdIndex(), response.instanceIdLength());
            int count = 0;
            while (!leftOut.get(m) && response.nextTopic())
            {
                final int topic = names.get(bytes(response.buffer(), response.topicIndex(), response.topicLength()));
                if (lastMember[topic] != m + 1)
                {
                    lastMember[topic] = m + 1;
                    indexes = count < indexes.length ? indexes : Arrays.copyOf(indexes, 2 * count);
                    indexes[count++] = topic;
                }
            }
            members[used++] = new Member(id, instanceId, Arrays.copyOf(indexes, count), new int[count], new int[count]);
        }
        Arrays.sort(members, STATIC_FIRST);
    }

    private static byte[] bytes(final DirectBuffer buffer, final int index, final int length)
    {
        final byte[] bytes = new byte[length];
        buffer.getBytes(index, bytes);
        return bytes;
    }

    /**
     * A topic that the brokers do not know, or do not describe to this client, keeps its last number of partitions,
     * which is 0 at first.
     *
     * @return true if a number has changed.
     */
    boolean countPartitions(final MetadataResponseFlyweight metadata)
    {
        boolean isChanged = false;
        int known = 0;
        missing = "";
        while (metadata.nextTopic())
        {
            final int topic = indexOf(metadata);
            if (topic >= 0 && metadata.topicErrorCode() != ErrorCode.NONE)
            {
                missing = missing.isEmpty() ? missing(topic, metadata.topicErrorCode()) : missing;
            }
            else if (topic >= 0)
            {
                known++;
                isChanged |= partitionCounts[topic] != metadata.partitionCount();
                partitionCounts[topic] = metadata.partitionCount();
            }
        }
        hasMissing = known < topics.length;
        return isChanged;
    }

    private String missing(final int topic, final short errorCode)
    {
        return "topic " + PrintableText.of(new String(topics[topic], StandardCharsets.UTF_8)) + " (" +
            ErrorCode.name(errorCode) + ")";
    }

    /** Returns the sentence about a topic that was not counted, once; null for none. */
    String takeMissing()
    {
        final boolean isNew = !missing.equals(reported) && !missing.isEmpty();
        reported = missing;
        return isNew ? "This member divides the partitions of the group, and cannot count those of " + missing +
            ": no member is assigned them; this member tries again." : null;
    }

    private int indexOf(final MetadataResponseFlyweight metadata)
    {
        int low = 0;
        int high = topics.length - 1;
        while (low <= high)
        {
            final int middle = low + high >>> 1;
            final int order = compare(topics[middle], metadata);
            if (order == 0)
            {
                return middle;
            }
            low = order < 0 ? middle + 1 : low;
            high = order < 0 ? high : middle - 1;
        }
        return -1;
    }

    private static int compare(final byte[] name, final MetadataResponseFlyweight metadata)
    {
        final int length = Math.max(0, metadata.topicLength());
        for (int i = 0; i < name.length && i < length; i++)
        {
            final int order = (name[i] & 0xFF) - (metadata.buffer().getByte(metadata.topicIndex() + i) & 0xFF);
            if (order != 0)
            {
                return order;
            }
        }
        return name.length - length;
    }

    int encode(
        final ClassicGroupRequestEncoder request, final RequestFrame frame, final int version, final int generationId)
    {
        final Member[] assigned = isLeader && !isKeeping ? members : new Member[0];
        divide(assigned);
        int length = request.maxFrameLength();
        for (final Member member : assigned)
        {
            length = Math.addExact(
                length, ClassicGroupRequestEncoder.maxAssignmentLength(member.id, member.length(topics)));
        }
        request.beginSync(frame.ofLength(length), version, generationId, assigned.length);
        for (final Member member : assigned)
        {
            request.assignment(member.id, member.topicCount(), member.length(topics));
            for (int i = 0; i < member.topics.length; i++)
            {
                if (member.count[i] > 0)
                {
                    request.partitions(topics[member.topics[i]], member.first[i], member.count[i]);
                }
            }
            request.endAssignment();
        }
        return request.endSync();
    }

    private void divide(final Member[] assigned)
    {
        final int[] readers = new int[topics.length];
        final int[] position = new int[topics.length];
        for (final Member member : assigned)
        {
            for (final int topic : member.topics)
            {
                readers[topic]++;
            }
        }
        for (final Member member : assigned)
        {
            for (int i = 0; i < member.topics.length; i++)
            {
                final int topic = member.topics[i];
                final int each = partitionCounts[topic] / readers[topic];
                final int rest = partitionCounts[topic] % readers[topic];
                final int at = position[topic]++;
                member.first[i] = each * at + Math.min(at, rest);
                member.count[i] = each + (at < rest ? 1 : 0);
            }
        }
    }
}
