// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.junit.jupiter.api.Test;
import org.odradek.client.PolledSocket;
import org.odradek.harness.model.ModelPartition;
import org.odradek.simulation.RunSettings.LoadProfile;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DistanceTest
{
    private static final int SEEDS = 1_000;
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    /** With a round trip of more than a millisecond, and a window of which a first fetch takes many. */
    private static final long FAR_SEED = 21;
    private static final int FETCH_LENGTH = 1 << 20;
    /** Of a system, to run the thread again. */
    private static final long WAKE_UP_NS = 100_000;

    private static RunSettings settings(final long seed, final LoadProfile load)
    {
        final Set<String> without = Stream.concat(Stream.of(FaultKind.values()), Stream.of(Feature.values()))
            .map(Enum::name).filter((name) -> !name.equals(Feature.DISTANCE.name())).collect(Collectors.toSet());
        return new RunSettings(seed, 1, load, without);
    }

    @Test
    void shouldBeFarInAShareOfTheSeedsAndNeverTooSlow()
    {
        int count = 0;
        for (long seed = 1; seed <= SEEDS; seed++)
        {
            final Distance distance = new Scenario(settings(seed, LoadProfile.DRAWN)).distance;
            count += distance.isFar ? 1 : 0;
            assertTrue(distance.rate() >= 199_000, () -> "bytes per second " + distance);
            assertTrue(distance.tripNs <= TimeUnit.MILLISECONDS.toNanos(100), distance::toString);
            assertTrue(distance.exchangeNs() <= 12 * SECOND_NS, distance::toString);
            assertFalse(new Scenario(settings(seed, LoadProfile.GROUPS)).distance.isFar);
        }

        assertTrue(count > SEEDS / 6 && count < SEEDS / 3, "seeds " + count);
    }

    @Test
    void shouldCarryOneWindowInEachRoundTripOfEachConnection() throws IOException
    {
        final World world = new World(settings(FAR_SEED, LoadProfile.DRAWN), null);
        final Distance distance = world.scenario.distance;
        assertTrue(distance.tripNs > 10 * WAKE_UP_NS && distance.window <= FETCH_LENGTH / 16, distance::toString);
        world.load.fallBehind();
        final ModelPartition longest = world.partitions().stream().max(
            Comparator.comparingLong((partition) -> partition.log().endOffset())).orElseThrow();
        final Fetching[] fetchings = {new Fetching(world, longest), new Fetching(world, longest)};

        while (!fetchings[0].isDone() || !fetchings[1].isDone())
        {
            world.poller.await(SECOND_NS);
            fetchings[0].receive();
            fetchings[1].receive();
        }

        for (final Fetching fetching : fetchings)
        {
            final int trips = (fetching.response.position() - 1) / distance.window;
            assertTrue(trips >= 4, "round trips " + trips);
            final long elapsedNs = fetching.lastNs - fetching.firstNs;
            final long expectedNs = trips * distance.tripNs;
            assertTrue(Math.abs(elapsedNs - expectedNs) <= WAKE_UP_NS,
                () -> elapsedNs + " ns for " + trips + " round trips of " + distance);
            assertTrue(fetching.most <= distance.window, "bytes at a time " + fetching.most);
        }
        assertEquals(fetchings[0].response.position(), fetchings[1].response.position());
    }

    /** A connection over which one partition is fetched once. */
    private static final class Fetching
    {
        private final World world;
        private final PolledSocket socket;
        private final ByteBuffer response = ByteBuffer.allocate(2 * FETCH_LENGTH);
        private long firstNs;
        private long lastNs;
        private int most;

        Fetching(final World world, final ModelPartition partition) throws IOException
        {
            this.world = world;
            final Host host = world.network.hosts().get(partition.leader());
            socket = world.poller.openSocket(0, 0);
            socket.connect(new InetSocketAddress(host.address, host.port));
            assertEquals(1, world.poller.await(SECOND_NS));
            assertTrue(socket.finishConnect());
            socket.readInterest(true);
            final ByteBuffer request = request(partition);
            socket.send(request);
            assertFalse(request.hasRemaining());
        }

        /** A Fetch request of version 4 without a client id, with its length field. */
        private static ByteBuffer request(final ModelPartition partition)
        {
            final byte[] topic = Scenario.TOPIC.getBytes(StandardCharsets.US_ASCII);
            final ByteBuffer request = ByteBuffer.allocate(100).position(Integer.BYTES);
            request.putShort((short)1).putShort((short)4).putInt(7).putShort((short)-1);
            request.putInt(-1).putInt(0).putInt(0).putInt(FETCH_LENGTH).put((byte)0);
            request.putInt(1).putShort((short)topic.length).put(topic);
            request.putInt(1).putInt(partition.index()).putLong(0).putInt(FETCH_LENGTH);
            return request.flip().putInt(0, request.limit() - Integer.BYTES);
        }

        boolean isDone()
        {
            return response.position() > Integer.BYTES &&
                response.position() == Integer.BYTES + response.getInt(0);
        }

        void receive() throws IOException
        {
            final int length = socket.receive(response);
            if (length > 0)
            {
                firstNs = firstNs == 0 ? world.clock.nowNs() : firstNs;
                lastNs = world.clock.nowNs();
                most = Math.max(most, length);
            }
        }
    }
}
