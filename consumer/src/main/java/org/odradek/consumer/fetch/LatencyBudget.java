// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

/**
 * Decides which fetches from one broker are batched. The broker answers an ordinary fetch at its first byte. It holds a
 * batched fetch for the latency budget, so that one response, and one wake-up, brings all batches of that time.
 * <p>
 * That pays only while at least two batches arrive within each budget. A fetch is batched after several responses in
 * a row that were as dense, and the first sparse response ends it: then a batched fetch may have brought nothing, which
 * an ordinary one would not have been sent for. If until then batched fetches have not saved at least one, more dense
 * responses are needed for the next attempt. So a budget costs no more fetches than none, also where records come in
 * bursts.
 */
final class LatencyBudget
{
    private static final int BATCHES_PER_BUDGET = 2;
    private static final int FEWEST_DENSE = 4;
    private static final int MOST_DENSE = 64;

    private final long budgetNs;
    private int neededDense = FEWEST_DENSE;
    /** Dense responses to ordinary fetches in a row, up to {@link #neededDense}; those that follow are batched. */
    private int dense;
    private long ordinaryBatches;
    /** What batched fetches have brought beyond as many ordinary ones, in batches times {@link #neededDense}. */
    private long surplus;
    private long lastResponseNs;
    private boolean hasResponse;

    /** @param budgetNs that a record may be late, or 0: then all fetches are ordinary. */
    LatencyBudget(final long budgetNs)
    {
        this.budgetNs = budgetNs;
    }

    /**
     * @param batchCount in the response; batches that are not delivered count, too.
     * @param nowNs      time of the duty cycle.
     */
    void onResponse(final int batchCount, final long nowNs)
    {
        final long elapsedNs = nowNs - lastResponseNs;
        final boolean isDenseResponse = budgetNs > 0 && hasResponse && batchCount > 0 &&
            elapsedNs <= batchCount * budgetNs / BATCHES_PER_BUDGET;
        lastResponseNs = nowNs;
        hasResponse = true;
        if (!isDenseResponse)
        {
            reset();
            return;
        }
        if (isDense())
        {
            surplus += (long)batchCount * neededDense - ordinaryBatches;
        }
        else
        {
            ordinaryBatches += batchCount;
            dense++;
        }
        assert isConsistent();
    }

    /** A response was not an ordinary one: its density says nothing. */
    void reset()
    {
        if (isDense())
        {
            // Whether ordinary fetches, each with as many batches as before, would have been at least one more.
            neededDense = surplus >= ordinaryBatches ? FEWEST_DENSE : Math.min(MOST_DENSE, 2 * neededDense);
        }
        dense = 0;
        ordinaryBatches = 0;
        surplus = 0;
        assert isConsistent();
    }

    /** Returns true if the next fetch may be batched. */
    boolean isDense()
    {
        return dense >= neededDense;
    }

    private boolean isConsistent()
    {
        // Dense responses are counted up to those that are needed.
        return neededDense >= FEWEST_DENSE && neededDense <= MOST_DENSE && dense >= 0 && dense <= neededDense &&
            // Each of them had a batch at least, and without any nothing is known.
            ordinaryBatches >= dense && (dense > 0 || ordinaryBatches == 0 && surplus == 0);
    }
}
