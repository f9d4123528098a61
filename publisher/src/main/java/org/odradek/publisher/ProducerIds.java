// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.DirectBuffer;
import org.odradek.client.cluster.ControlRequest;
import org.odradek.client.net.ClientEnvironment;
import org.odradek.client.net.RequestFrame;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.produce.InitProducerIdRequestEncoder;
import org.odradek.protocol.produce.InitProducerIdResponseFlyweight;

import java.util.Arrays;

/**
 * Requests the producer id with which partitions begin, and another id when a partition has exhausted its id. The other
 * partitions continue with the ids that they have.
 */
final class ProducerIds extends ControlRequest
{
    static final long NULL_ID = -1;

    private final ClientEnvironment environment;
    private final InitProducerIdRequestEncoder request;
    private final InitProducerIdResponseFlyweight response = new InitProducerIdResponseFlyweight();
    private long producerId = NULL_ID;
    private short epoch;
    private byte[] clusterId;
    private boolean isWanted;
    private boolean hasTemporaryError;
    private short refusal;
    private short reportedError;

    ProducerIds(final ClientEnvironment environment)
    {
        super(ApiKey.INIT_PRODUCER_ID, environment.settings().retryBackoff());
        this.environment = environment;
        request = new InitProducerIdRequestEncoder(environment.settings().clientId);
    }

    long producerId()
    {
        return producerId;
    }

    short epoch()
    {
        return epoch;
    }

    void want()
    {
        isWanted = true;
    }

    /** Returns true once after the brokers have reported the id of another cluster, and then requests another id. */
    boolean takeOtherCluster()
    {
        final byte[] known = environment.identity().clusterId();
        if (known == null || known == clusterId)
        {
            return false;
        }
        final boolean isOther = clusterId != null && !Arrays.equals(known, clusterId);
        clusterId = known;
        if (isOther)
        {
            producerId = NULL_ID;
            isWanted = true;
        }
        return isOther;
    }

    boolean isWanted()
    {
        return isWanted;
    }

    /** Returns true once after each temporary error. */
    boolean takeTemporaryError()
    {
        final boolean hadTemporaryError = hasTemporaryError;
        hasTemporaryError = false;
        return hadTemporaryError;
    }

    void onUnsupported()
    {
        isWanted = false;
        backoff().failed(environment.clock().nowNs());
        refusal = ErrorCode.UNSUPPORTED_VERSION;
        report(refusal);
    }

    /**
     * Returns the error with which the brokers have refused an id permanently, until {@link #endRefusal} is called or
     * an id arrives; 0 for no refusal.
     */
    short refusal()
    {
        return refusal;
    }

    void endRefusal()
    {
        refusal = ErrorCode.NONE;
    }

    @Override
    public int encode(final RequestFrame frame, final int version)
    {
        return request.build(frame.ofLength(request.maxFrameLength()), version);
    }

    @Override
    public boolean onResponse(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        response.wrap(buffer, index, limit, version);
        throttleTimeMs = response.throttleTimeMs();
        final short errorCode = response.errorCode();
        if (errorCode == ErrorCode.NONE && response.producerId() == producerId)
        {
            // This id has been used up.
            return false;
        }
        if (errorCode == ErrorCode.NONE)
        {
            producerId = response.producerId();
            epoch = response.producerEpoch();
            isWanted = false;
            refusal = ErrorCode.NONE;
        }
        else if (!isRetriable(errorCode))
        {
            isWanted = false;
            refusal = errorCode;
        }
        else
        {
            hasTemporaryError = true;
        }
        report(errorCode);
        return errorCode == ErrorCode.NONE;
    }

    private void report(final short errorCode)
    {
        if (errorCode != reportedError && errorCode != ErrorCode.NONE &&
            errorCode != ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
        {
            environment.error("InitProducerId was answered with " + ErrorCode.name(errorCode) + (
                errorCode == ErrorCode.CLUSTER_AUTHORIZATION_FAILED ?
                ": brokers before 3.0 demand the ACL IdempotentWrite on the cluster of an idempotent publisher; " +
                    "grant it, or use Acks.LEADER, which may duplicate; nothing is published." :
                isRetriable(errorCode) ? "; the publisher requests an id again." : "; nothing is published."));
        }
        reportedError = errorCode;
    }

    @Override
    public void onLost()
    {
        // The id is still wanted, so it is requested again.
    }

    @Override
    public String toString()
    {
        return (producerId == NULL_ID ? "no producer id" : "producer id " + producerId + " from epoch " + epoch) +
            (reportedError == ErrorCode.NONE ? "" : ", last answer " + ErrorCode.name(reportedError)) +
            (isWanted ? ", wanted" : "");
    }
}
