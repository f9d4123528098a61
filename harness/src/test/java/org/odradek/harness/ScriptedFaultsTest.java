// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.testkit.internal.Sockets;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

@Timeout(30)
class ScriptedFaultsTest
{
    private static final short METADATA = 3;

    private final Answer honest = Answer.reply(new byte[]{1});
    private final Answer lie = Answer.reply(new byte[]{2});
    private final Answer other = Answer.reply(new byte[]{3});
    private final ScriptedFaults faults = ScriptedFaults.over((request) -> honest);

    private static RequestFrame request(final int apiKey)
    {
        return new RequestFrame(0, (short) apiKey, (short) 0, 0, new byte[0]);
    }

    private static RequestFrame fetch(final int version, final int... partitions)
    {
        final FetchTopic topic = new FetchTopic();
        if (version >= 13)
        {
            topic.setTopicId(new Uuid(1, 2));
        }
        else
        {
            topic.setTopic("topic");
        }
        for (final int partition : partitions)
        {
            topic.partitions().add(new FetchPartition().setPartition(partition));
        }
        final ByteBuffer header = MessageUtil.toByteBufferAccessor(new RequestHeaderData()
            .setRequestApiKey((short) 1).setRequestApiVersion((short) version).setCorrelationId(9).setClientId("x"),
            (short) (version >= 12 ? 2 : 1)).buffer();
        final ByteBuffer body = MessageUtil.toByteBufferAccessor(
            new FetchRequestData().setTopics(List.of(topic)), (short) version).buffer();
        final byte[] payload = ByteBuffer.allocate(header.remaining() + body.remaining()).put(header).put(body).array();
        return new RequestFrame(0, (short) 1, (short) version, 9, payload);
    }

    private List<Answer> answers(final int apiKey, final int count)
    {
        final List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            answers.add(faults.apply(request(apiKey)));
        }
        return answers;
    }

    @Test
    void shouldCountRequestsOfEachKindForItself()
    {
        faults.onRequest(METADATA, 2, (request) -> lie);

        assertEquals(List.of(honest, honest, honest), answers(18, 3));
        assertEquals(List.of(honest, lie, honest), answers(METADATA, 3));
    }

    @Test
    void shouldRepeatAFaultAndTakeTheFirstThatFits()
    {
        faults.onEvery(METADATA, 3, (request) -> lie).onRequest(METADATA, 3, (request) -> other)
            .onRequest(METADATA, 4, (request) -> other);

        assertEquals(List.of(honest, honest, lie, other, honest, lie), answers(METADATA, 6));
        faults.heal();
        assertEquals(List.of(honest, honest, honest), answers(METADATA, 3));
        assertThrows(IllegalArgumentException.class, () -> faults.onEvery(METADATA, 0, (request) -> lie));
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 7, 11, 12, 13, 18})
    void shouldKnowWhichPartitionsAFetchAsksFor(final int version)
    {
        faults.onPartition(5, (request) -> lie);

        assertSame(honest, faults.apply(fetch(version, 0, 4, 6)));
        assertSame(lie, faults.apply(fetch(version, 0, 5)));
        assertSame(honest, faults.apply(fetch(version)));
        assertSame(honest, faults.apply(request(METADATA)));
    }

    @Test
    void shouldScriptAPeer() throws IOException
    {
        faults.onRequest(METADATA, 2, (request) -> lie.inPieces(1)).onRequest(METADATA, 3, (request) -> Answer.close());
        try (ScriptedPeer peer = ScriptedPeer.start(faults); Socket socket = new Socket(Sockets.HOST, peer.port()))
        {
            final DataInputStream input = new DataInputStream(socket.getInputStream());
            assertEquals(1, ask(socket, input));
            assertEquals(2, ask(socket, input));
            assertEquals(-1, ask(socket, input));
        }
    }

    /** Returns the only byte of the body, or -1 if there was no answer. */
    private static int ask(final Socket socket, final DataInputStream input) throws IOException
    {
        final DataOutputStream output = new DataOutputStream(socket.getOutputStream());
        output.writeInt(8);
        output.writeShort(METADATA);
        output.writeShort(0);
        output.writeInt(7);
        final byte[] answer = input.readNBytes(9);
        return answer.length == 0 ? -1 : answer[8];
    }
}
