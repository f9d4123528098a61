// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.ErrorHandler;
import org.odradek.client.ClientCounters;
import org.odradek.client.ClientException;
import org.odradek.protocol.ErrorCode;

/** Counts batches that were acknowledged or given up, and reports them to the user's listener. */
final class PublisherEvents
{
    private final PublisherListener listener;
    private final ErrorHandler errorHandler;
    private final PublisherCounters counters;

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

    void failed(final FailedBatch batch, final int length, final int batchLength)
    {
        counters.add(PublisherCounters.BATCHES_FAILED, 1);
        counters.add(PublisherCounters.RECORDS_FAILED, batch.count());
        if (batch.reason() == FailureReason.REFUSED || batch.reason() == FailureReason.EXPIRED)
        {
            error(describe(batch, length, batchLength));
        }
        try
        {
            listener.onFailed(batch);
        }
        catch (final Exception ex)
        {
            onThrown("onFailed of the listener", ex);
        }
    }

    private static String describe(final FailedBatch batch, final int length, final int batchLength)
    {
        final boolean isOne = batch.count() == 1;
        final long first = batch.firstPosition();
        final long last = first + batch.count() - 1;
        return "Partition " + batch.partition() + " of topic " + batch.topic() + " stops, because its " +
            (isOne ? "record " + first + " was " : "records " + first + " to " + last + " were ") +
            (batch.reason() == FailureReason.REFUSED ? "refused" : "not acknowledged in time") +
            (batch.errorCode() == ErrorCode.NONE ? "" : " with " + ErrorCode.name(batch.errorCode())) +
            (isOne || batch.refusedPosition() == FailedBatch.NO_POSITION ? "" :
            " because of record " + batch.refusedPosition()) +
            (batch.message() == null ? "" : " ('" + batch.message() + "')") +
            (isTooLarge(batch.reason(), batch.errorCode()) ? ": the batch has " + length + " bytes, batchLength is " +
            batchLength + ", and it must not be above max.message.bytes of the topic" : "") +
            (isOne ? "; it " : "; they ") +
            (batch.isMaybeWritten() ? "may have been written" : isOne ? "was not written" : "were not written") +
            "; skipFailed goes on after " + (isOne ? "it." : "them.");
    }

    static boolean isTooLarge(final FailureReason reason, final short errorCode)
    {
        return reason == FailureReason.REFUSED &&
            (errorCode == ErrorCode.MESSAGE_TOO_LARGE || errorCode == ErrorCode.RECORD_LIST_TOO_LARGE);
    }

    void claimAborted(final String topic, final int partition)
    {
        counters.add(PublisherCounters.CLAIMS_ABORTED, 1);
        error("A record that was claimed for partition " + partition + " of topic " + topic +
            " was neither committed nor aborted before the publisher worked or was closed: it is aborted. Claim in a " +
            "try statement that closes the RecordClaim.");
    }

    void error(final String message)
    {
        counters.addOfClient(ClientCounters.ERRORS, 1);
        errorHandler.onError(new ClientException(message));
    }

    void onThrown(final String call, final Exception ex)
    {
        counters.addOfClient(ClientCounters.LISTENER_ERRORS, 1);
        errorHandler.onError(new ClientException(
            "An exception was thrown in " + call + "; the call counts as done.", ex));
    }
}
