// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * What was acknowledged to the writer of the input of a soak, and what its output holds. The threads of both clients
 * write it, and the run reads it. It takes one bit for each record.
 */
final class SoakLedger
{
    /** By partition of the input. */
    private final long[] acked;
    /** By partition of the input; the sequences of the records that are in the output. */
    private final BitSet[] processed;
    private long ackedCount;
    private long processedCount;
    private long repeatCount;
    private long brokenCount;

    /** @param partitionCount of the input. */
    SoakLedger(final int partitionCount)
    {
        acked = new long[partitionCount];
        processed = new BitSet[partitionCount];
        for (int p = 0; p < partitionCount; p++)
        {
            processed[p] = new BitSet();
        }
    }

    /** A record was written to the input. */
    synchronized void onAcked(final int partition)
    {
        acked[partition]++;
        ackedCount++;
    }

    /** @param value of a record of the output. */
    synchronized void onOutput(final byte[] value)
    {
        final long input = PipelineJudge.input(value);
        if (input < 0)
        {
            brokenCount++;
            return;
        }
        final BitSet sequences = processed[PipelineJudge.partition(input)];
        final int sequence = Math.toIntExact(PipelineJudge.sequence(input));
        if (sequences.get(sequence))
        {
            repeatCount++;
        }
        else
        {
            sequences.set(sequence);
            processedCount++;
        }
    }

    /** Records that are in the input, and not in the output yet. A record may be in the output before its report. */
    synchronized long lag()
    {
        return Math.max(0, ackedCount - processedCount);
    }

    /** Records that were written. */
    synchronized long ackedCount()
    {
        return ackedCount;
    }

    /** Records of the output that it held before. */
    synchronized long repeatCount()
    {
        return repeatCount;
    }

    /** Sentences on what is missing or broken, after the last record was acknowledged. */
    synchronized List<String> problems()
    {
        final List<String> problems = new ArrayList<>();
        for (int p = 0; p < acked.length; p++)
        {
            final long missing = acked[p] - processed[p].cardinality();
            if (missing != 0)
            {
                problems.add(missing + " of the " + acked[p] + " records of partition " + p +
                    " of the input are not in the output, the first of them is record " +
                    processed[p].nextClearBit(0));
            }
        }
        if (brokenCount > 0)
        {
            problems.add(brokenCount + " records of the output are broken");
        }
        return problems;
    }
}
