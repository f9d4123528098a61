// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

/**
 * Determines which fetches over one connection are batched. The broker may hold a batched fetch for the latency budget,
 * so that one response brings the batches of that time.
 * <p>
 * Batching begins after 4 or more responses in a row to ordinary fetches if their batches arrived, on average, at most
 * 0.8 budgets apart. Batching ends with a response without a batch, or when the last 8 responses to batched fetches had
 * on average less than 1.25 times as many batches as those responses to ordinary fetches.
 */
final class LatencyBudget
{
    private static final int FEWEST_ORDINARY = 4;
    private static final int MOST_ORDINARY = 64;
    private static final int RECENT = 8;

    private final long budgetNs;
    private int neededOrdinary = FEWEST_ORDINARY;
    private int ordinary;
    private long ordinaryBatches;
    private long ordinaryNs;
    private long held;
    private long heldBatches;
    private final int[] recentBatches = new int[RECENT];
    private long recentSum;
    private long lastResponseNs;
    private boolean hasResponse;

    /** @param budgetNs the latency budget in nanoseconds; with 0 all fetches are ordinary. */
    LatencyBudget(final long budgetNs)
    {
        this.budgetNs = budgetNs;
    }

    void onResponse(final int batchCount, final boolean isBatched, final long nowNs)
    {
        final long elapsedNs = nowNs - lastResponseNs;
        final boolean isFirst = !hasResponse;
        lastResponseNs = nowNs;
        hasResponse = true;
        if (isBatched && isHolding())
        {
            onHeld(batchCount);
        }
        else if (batchCount == 0 || isFirst || budgetNs == 0)
        {
            reset();
        }
        else if (!isHolding())
        {
            onOrdinary(batchCount, elapsedNs);
        }
        assert isConsistent();
    }

    private void onOrdinary(final int batchCount, final long elapsedNs)
    {
        ordinary++;
        ordinaryBatches += batchCount;
        ordinaryNs += elapsedNs;
        // The mean time per batch is compared with 0.8 budgets.
        if (isHolding() && 5 * ordinaryNs > 4 * budgetNs * ordinaryBatches)
        {
            forget();
        }
    }

    private void onHeld(final int batchCount)
    {
        final int slot = (int)(held % RECENT);
        recentSum += batchCount - (held < RECENT ? 0 : recentBatches[slot]);
        recentBatches[slot] = batchCount;
        held++;
        heldBatches += batchCount;
        // The mean of the recent responses is compared with 1.25 times that of the ordinary ones.
        if (batchCount == 0 || held >= RECENT && 4 * recentSum * ordinary < 5 * RECENT * ordinaryBatches)
        {
            reset();
        }
    }

    void reset()
    {
        if (isHolding() && held > 0)
        {
            // Batching has saved a fetch if ordinary fetches, each with as many batches as before, would have been at
            // least one more.
            final boolean hasSaved = heldBatches * ordinary >= (held + 1) * ordinaryBatches;
            neededOrdinary = hasSaved ? FEWEST_ORDINARY : Math.min(MOST_ORDINARY, 2 * neededOrdinary);
        }
        forget();
        assert isConsistent();
    }

    private void forget()
    {
        ordinary = 0;
        ordinaryBatches = 0;
        ordinaryNs = 0;
        held = 0;
        heldBatches = 0;
        recentSum = 0;
    }

    boolean isHolding()
    {
        return ordinary >= neededOrdinary;
    }

    private boolean isConsistent()
    {
        // Ordinary responses are counted up to those that are needed.
        return neededOrdinary >= FEWEST_ORDINARY && neededOrdinary <= MOST_ORDINARY &&
            ordinary >= 0 && ordinary <= neededOrdinary &&
            // Each of these responses had at least one batch.
            ordinaryBatches >= ordinary && (isHolding() || held == 0);
    }
}
