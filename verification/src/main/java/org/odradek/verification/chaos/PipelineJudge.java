// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.publisher.PublisherListener;
import org.odradek.verification.chaos.ChaosLedger.Slice;
import org.odradek.verification.chaos.PipelineLedger.Outcome;
import org.odradek.verification.chaos.PipelineLedger.Publication;
import org.odradek.verification.chaos.PipelineLedger.Revocation;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Judges a pipeline by the logs of both topics and the ledgers of all incarnations.
 */
final class PipelineJudge
{
    /** The rules, in the order in which the table of a run lists them. */
    enum Rule
    {
        /** Each record of the input is in the output, with its bytes. */
        NOTHING_LOST("each input is in the output at least once"),
        /**
         * The copies of an input are as many as its publications that were acknowledged, and at most one more for each
         * that was given up as perhaps written. So what was published once, and acknowledged, is there exactly once.
         */
        ACKNOWLEDGED_ONCE("each acknowledged publication is in the output exactly once"),
        /** The first copies of a key's inputs, and all copies of one ownership, have the order of the input. */
        IN_ORDER("the output has the order of the input for each key"),
        /** What was committed when a partition was revoked is not processed again, and an ownership repeats nothing. */
        REPEATS_EXPLAINED("an input is processed again only if a restart, a loss or a revocation left it uncommitted"),
        /** Each publication is reported once, nothing has thrown, and no acknowledgement is refused. */
        REPORTED("each publication is reported once, and nothing has thrown"),
        /** A run in which the pipeline neither ends abruptly nor gives up a partition shows nothing. */
        STRUCK("the pipeline has ended abruptly, and partitions were revoked");

        private final String sentence;

        Rule(final String sentence)
        {
            this.sentence = sentence;
        }

        @Override
        public String toString()
        {
            return sentence;
        }
    }

    private static final int PARTITION_SHIFT = 40;

    private final Verdict<Rule> verdict = new Verdict<>(Rule.values());
    private final List<Slice> inputs;
    private final List<Slice> outputs;
    private final List<PipelineLedger> ledgers;
    private final int keyCount;
    private final int abruptEnds;
    private final int failures;
    /** By partition of the input and sequence. */
    private final int[][] copies;
    private final int[][] published;
    private final int[][] acknowledged;
    private final int[][] unknown;
    private final Map<Outcome, Long> outcomes = new HashMap<>();
    private long inputCount;
    private long outputCount;
    private long duplicateCount;
    private long onceCount;
    private long repeatCount;

    /**
     * @param inputs     the records of each partition of the input, by their sequence.
     * @param outputs    the records of each partition of the output, by {@link #input}.
     * @param keyCount   of a partition of the input.
     * @param abruptEnds of incarnations by the run.
     * @param failures   incarnations that have ended because a batch was given up.
     */
    PipelineJudge(
        final List<Slice> inputs,
        final List<Slice> outputs,
        final List<PipelineLedger> ledgers,
        final int keyCount,
        final int abruptEnds,
        final int failures)
    {
        this.inputs = inputs;
        this.outputs = outputs;
        this.ledgers = ledgers;
        this.keyCount = keyCount;
        this.abruptEnds = abruptEnds;
        this.failures = failures;
        copies = counts();
        published = counts();
        acknowledged = counts();
        unknown = counts();
        judgeLog();
        ledgers.forEach(this::judgeLedger);
        for (int p = 0; p < inputs.size(); p++)
        {
            judgeInputs(p);
        }
        ledgers.forEach((ledger) -> ledger.revocations().forEach((revocation) -> judge(ledger, revocation)));
        if (abruptEnds == 0 || revocations() == 0)
        {
            verdict.find(Rule.STRUCK, abruptEnds + " abrupt ends, " + revocations() + " revocations");
        }
        verdict.sumUp(onceCount > 0, summary());
    }

    Verdict<Rule> verdict()
    {
        return verdict;
    }

    /** The number of an input, from the value of a record of the input or the output. */
    static long input(final byte[] value)
    {
        if (value == null || value.length != ChaosRecord.LENGTH)
        {
            return ChaosRecord.BROKEN;
        }
        final int partition = ByteBuffer.wrap(value).getInt(0);
        final long sequence = ChaosRecord.sequence(partition, value);
        return sequence < 0 ? sequence : input(partition, sequence);
    }

    static long input(final int partition, final long sequence)
    {
        return (long) partition << PARTITION_SHIFT | sequence;
    }

    /** The key of a record of the input: its partition, divided into keys that take turns. */
    static int key(final int partition, final long sequence, final int keyCount)
    {
        return partition * keyCount + (int) Math.floorMod(sequence, (long) keyCount);
    }

    static int partition(final long input)
    {
        return (int) (input >> PARTITION_SHIFT);
    }

    static long sequence(final long input)
    {
        return input & (1L << PARTITION_SHIFT) - 1;
    }

    private int[][] counts()
    {
        return inputs.stream().map((slice) -> new int[slice.sequences().length]).toArray(int[][]::new);
    }

    private boolean isInput(final int partition, final long sequence)
    {
        return partition >= 0 && partition < copies.length && sequence >= 0 && sequence < copies[partition].length;
    }

    /** Counts the copies, and judges the order of the first ones. */
    private void judgeLog()
    {
        final long[] next = LongStream.range(0, (long) copies.length * keyCount).map((key) -> key % keyCount).toArray();
        for (int p = 0; p < outputs.size(); p++)
        {
            final Slice slice = outputs.get(p);
            for (int i = 0; i < slice.sequences().length; i++)
            {
                final long input = slice.sequences()[i];
                final int partition = partition(input);
                final long sequence = sequence(input);
                outputCount++;
                if (input < 0 || !isInput(partition, sequence))
                {
                    verdict.find(
                        Rule.NOTHING_LOST, "offset " + i + " of output " + p + " holds no input (" + input + ")");
                    continue;
                }
                if (copies[partition][(int) sequence]++ > 0)
                {
                    duplicateCount++;
                    continue;
                }
                final int key = key(partition, sequence, keyCount);
                if (sequence != next[key])
                {
                    verdict.find(Rule.IN_ORDER, "offset " + i + " of output " + p + " holds input " + partition + "-" +
                        sequence + " before input " + partition + "-" + next[key]);
                }
                next[key] = sequence + keyCount;
            }
        }
    }

    /** Counts publications and their outcomes, and judges the order within each ownership. */
    private void judgeLedger(final PipelineLedger ledger)
    {
        verdict.findings(Rule.REPORTED).addAll(ledger.problems());
        final Map<Long, Publication> last = new HashMap<>();
        final Map<Long, Publication> lastWritten = new HashMap<>();
        for (final Publication publication : ledger.publications())
        {
            if (!isInput(publication.partition, publication.sequence))
            {
                verdict.find(
                    Rule.NOTHING_LOST, ledger.name() + " has got " + publication + ", which is not in the log");
                continue;
            }
            final int index = (int) publication.sequence;
            final int key = key(publication.partition, publication.sequence, keyCount);
            final long tenure = (long) key << Integer.SIZE | publication.epoch;
            final Publication before = last.put(tenure, publication);
            if (before != null && publication.sequence != before.sequence + keyCount)
            {
                verdict.find(
                    Rule.REPEATS_EXPLAINED, ledger.name() + " has processed " + publication + " after " + before);
            }
            outcomes.merge(publication.outcome, 1L, Long::sum);
            published[publication.partition][index]++;
            switch (publication.outcome)
            {
                case ACKNOWLEDGED -> acknowledged[publication.partition][index]++;
                case UNKNOWN -> unknown[publication.partition][index]++;
                case NONE -> verdict.find(Rule.REPORTED, ledger.name() + " has no report on " + publication);
                default ->
                {
                }
            }
            if (publication.offset != PublisherListener.NULL_OFFSET)
            {
                judgeOffset(ledger, publication, lastWritten.put(tenure, publication));
            }
        }
    }

    private void judgeOffset(final PipelineLedger ledger, final Publication publication, final Publication before)
    {
        final Slice slice = outputs.get(publication.output);
        if (publication.offset >= slice.to() || slice.sequenceAt(publication.offset) !=
            input(publication.partition, publication.sequence))
        {
            verdict.find(Rule.ACKNOWLEDGED_ONCE, ledger.name() + " has an acknowledgement of " + publication +
                " at offset " + publication.offset + ", which holds something else");
        }
        if (before != null && publication.offset <= before.offset)
        {
            verdict.find(Rule.IN_ORDER, ledger.name() + " has got " + publication + " to offset " + publication.offset +
                ", and " + before + " to offset " + before.offset);
        }
    }

    private void judgeInputs(final int partition)
    {
        for (int i = 0; i < copies[partition].length; i++)
        {
            final String name = "input " + partition + "-" + i;
            final int count = copies[partition][i];
            final int least = acknowledged[partition][i];
            final int most = least + unknown[partition][i];
            inputCount++;
            if (inputs.get(partition).sequences()[i] != i)
            {
                verdict.find(Rule.NOTHING_LOST, name + " is not in the input");
            }
            if (count == 0)
            {
                verdict.find(Rule.NOTHING_LOST, name + " is not in the output, and was published " +
                    published[partition][i] + " times");
            }
            if (count < least || count > most)
            {
                verdict.find(Rule.ACKNOWLEDGED_ONCE, name + " is in the output " + count +
                    " times, and was acknowledged " + least + " times, and perhaps written " + (most - least) +
                    " times");
            }
            onceCount += published[partition][i] == 1 && least == 1 && count == 1 ? 1 : 0;
            repeatCount += Math.max(0, published[partition][i] - 1);
        }
    }

    private void judge(final PipelineLedger owner, final Revocation revocation)
    {
        for (final PipelineLedger ledger : ledgers)
        {
            for (final Publication again : ledger.publications())
            {
                if (again.partition == revocation.partition() && again.sequence < revocation.committedOffset() &&
                    again.ns - revocation.ns() > 0)
                {
                    verdict.find(Rule.REPEATS_EXPLAINED, ledger.name() + " has processed " + again + " after " +
                        owner.name() + " gave it up at offset " + revocation.committedOffset());
                }
            }
        }
    }

    private long revocations()
    {
        return ledgers.stream().mapToLong((ledger) -> ledger.revocations().size()).sum();
    }

    private String summary()
    {
        final long lost = ledgers.stream().mapToLong(PipelineLedger::lost).sum();
        return inputCount + " inputs, " + onceCount +
            " of them published once and acknowledged, and in the output exactly once; " + outputCount +
            " outputs, " + duplicateCount + " of them duplicates; " + repeatCount + " publications repeated, " +
            outcomes.getOrDefault(Outcome.UNKNOWN, 0L) + " given up as perhaps written, " +
            outcomes.getOrDefault(Outcome.NOT_WRITTEN, 0L) + " as not written; " + ledgers.size() +
            " incarnations, " + abruptEnds + " of them ended abruptly, " + failures +
            " by themselves after a batch was given up; " + revocations() + " partitions revoked, " + lost +
            " lost.";
    }
}
