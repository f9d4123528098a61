// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

/**
 * Determines which fetches from one broker are batched. The broker answers an ordinary fetch when it has the first byte
 * of records. It holds a batched fetch for the latency budget, so that one response, and one wake-up, brings all
 * batches of that time.
 * <p>
 * This saves fetches while batches arrive more often than once in a budget. Fetches are batched after several responses
 * to ordinary fetches whose batches came, on average, within 0.8 budgets of each other. Batching ends with a response
 * without any batch, because an ordinary fetch would still wait for records. It also ends after eight responses in a
 * row that bring less than 1.25 times as many batches each as the ordinary responses before. If batching has not saved
 * at least one fetch until then, the next attempt needs more ordinary responses. So a budget that saves no fetches
 * causes hardly more fetches than no budget, also if records arrive in bursts.
 */
final class LatencyBudget
{
    private static final int FEWEST_ORDINARY = 4;
    private static final int MOST_ORDINARY = 64;
    private static final int RECENT = 8;

    private final long budgetNs;
    private int neededOrdinary = FEWEST_ORDINARY;
    /**
     * The number of responses to ordinary fetches in a row, up to {@link #neededOrdinary}; the fetches after these are
     * batched.
     */
    private int ordinary;
    /**
     * The number of batches in these responses. The next field is the time in nanoseconds in which the responses
     * arrived.
     */
    private long ordinaryBatches;
    private long ordinaryNs;
    /**
     * The number of responses to batched fetches since batching began. The next field is the number of their batches.
     */
    private long held;
    private long heldBatches;
    /** The numbers of batches of the last responses to batched fetches, in turn. The next field is their sum. */
    private final int[] recentBatches = new int[RECENT];
    private long recentSum;
    private long lastResponseNs;
    private boolean hasResponse;

    /** @param budgetNs the time in nanoseconds by which a record may be delayed; with 0 all fetches are ordinary. */
    LatencyBudget(final long budgetNs)
    {
        this.budgetNs = budgetNs;
    }

    /**
     * @param batchCount the number of batches in the response; batches that are not delivered count, too.
     * @param isBatched  true if the fetch was batched.
     * @param nowNs      the time of the duty cycle.
     */
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

    /**
     * Ends batching and forgets the measurements, because a response was disturbed or had no batch, or because batching
     * has brought too little.
     */
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

    /** Returns true if the next fetch may be batched. */
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
