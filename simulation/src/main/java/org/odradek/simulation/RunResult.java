// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;


import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * What a run has come to.
 *
 * @param settings of the run.
 * @param timeNs   simulated.
 * @param records  delivered.
 * @param effects  faults that took effect, by the ordinals of {@link FaultKind}.
 * @param settled  times in ns that the consumer took to catch up after the last fault of each round.
 * @param digest   of the trace.
 * @param failure  that ended the run, or null.
 */
record RunResult(
    RunSettings settings, long timeNs, long records, long[] effects, List<Long> settled, long digest, Throwable failure)
{
    /** In the place of an oracle's name if a run has ended otherwise. */
    static final String CRASH = "crash";

    /**
     * Makes a run.
     *
     * @param settings of the run.
     * @param lines    receives the text of the trace, or null.
     * @return its result.
     */
    static RunResult of(final RunSettings settings, final Consumer<String> lines)
    {
        final SimulatedCluster world = switch (settings.load())
        {
            case GROUPS -> new GroupWorld(settings, lines);
            case PUBLISH -> new PublishWorld(settings, lines);
            case TRICKLE -> new TrickleWorld(settings, lines);
            default -> new World(settings, lines);
        };
        Throwable failure = null;
        try
        {
            world.run();
        }
        catch (final RuntimeException | Error ex)
        {
            failure = ex;
        }
        return new RunResult(settings, world.clock.nowNs(), world.records(), world.effects(),
            world.settledNs, world.trace.digest(), failure);
    }

    boolean isClean()
    {
        return failure == null;
    }

    /** Returns the name of the oracle that ended the run, or {@link #CRASH}. */
    String oracle()
    {
        return failure instanceof SimulationFailure ? ((SimulationFailure)failure).oracle() : CRASH;
    }

    long effectCount()
    {
        return LongStream.of(effects).sum();
    }

    /** Returns what failed, how to repeat it, and the code of a test that repeats it. */
    String describeFailure()
    {
        return (oracle().equals(CRASH) ? "The run crashed: " + failure : failure.getMessage()) +
            "\nTest: assertClean(" + settings.toCode() + ")" +
            "\nFAILED: seed " + settings.seed() + ". Repeat it with ./odradek simulate " + settings.toOptions() +
            " --trace";
    }
}
