// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.ErrorHandler;
import org.odradek.consumer.handler.ConsumerException;
import org.odradek.protocol.ErrorCode;

/** Counts the ends of batches and reports them to the user's listener, whose exceptions never leave it. */
final class PublisherEvents
{
    private final PublisherListener listener;
    private final ErrorHandler errorHandler;
    private final PublisherCounters counters;

    /** @param errorHandler that does not throw. */
    PublisherEvents(
        final PublisherListener listener, final ErrorHandler errorHandler, final PublisherCounters counters)
    {
        this.listener = listener;
        this.errorHandler = errorHandler;
        this.counters = counters;
    }

    PublisherCounters counters()
    {
        return counters;
    }

    /** Records that were accepted, and neither acknowledged nor given up yet. */
    long outstanding()
    {
        return counters.get(PublisherCounters.RECORDS) - counters.get(PublisherCounters.RECORDS_ACKNOWLEDGED) -
            counters.get(PublisherCounters.RECORDS_FAILED);
    }

    void acknowledged(
        final String topic, final int partition, final long firstPosition, final int count, final long baseOffset)
    {
        counters.add(PublisherCounters.BATCHES_ACKNOWLEDGED, 1);
        counters.add(PublisherCounters.RECORDS_ACKNOWLEDGED, count);
        try
        {
            listener.onAcknowledged(topic, partition, firstPosition, count, baseOffset);
        }
        catch (final Exception ex)
        {
            onThrown("onAcknowledged of the listener", ex);
        }
    }

    void failed(
        final String topic,
        final int partition,
        final long firstPosition,
        final int count,
        final FailureReason reason,
        final short errorCode,
        final boolean isMaybeWritten)
    {
        counters.add(PublisherCounters.BATCHES_FAILED, 1);
        counters.add(PublisherCounters.RECORDS_FAILED, count);
        if (reason == FailureReason.REFUSED || reason == FailureReason.EXPIRED)
        {
            errorHandler.onError(new ConsumerException("Partition " + partition + " of topic " + topic +
                " stops, because its records " + firstPosition + " to " + (firstPosition + count - 1) + (
                reason == FailureReason.REFUSED ? " were refused" : " were not acknowledged in time") +
                (errorCode == ErrorCode.NONE ? "" : " with " + ErrorCode.name(errorCode)) +
                (isMaybeWritten ? "; they may have been written" : "; they were not written") +
                "; skipFailed goes on after them."));
        }
        try
        {
            listener.onFailed(topic, partition, firstPosition, count, reason, errorCode, isMaybeWritten);
        }
        catch (final Exception ex)
        {
            onThrown("onFailed of the listener", ex);
        }
    }

    /** A claim was open when the publisher began to work or to close. */
    void claimAborted(final String topic, final int partition)
    {
        counters.add(PublisherCounters.CLAIMS_ABORTED, 1);
        errorHandler.onError(new ConsumerException("A record that was claimed for partition " + partition +
            " of topic " + topic + " was neither committed nor aborted before the publisher worked or was closed: it " +
            "is aborted. Claim in a try statement that closes the RecordClaim."));
    }

    /** @param call of the user's code. */
    void onThrown(final String call, final Exception ex)
    {
        counters.add(PublisherCounters.LISTENER_ERRORS, 1);
        errorHandler.onError(new ConsumerException(
            "An exception was thrown in " + call + "; the call counts as done.", ex));
    }
}
