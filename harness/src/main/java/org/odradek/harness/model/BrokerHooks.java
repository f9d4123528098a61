// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

import java.nio.ByteBuffer;

/**
 * What a simulation or a test changes in the behaviour of a cluster's brokers. By default nothing is changed. All calls
 * are on the thread that calls the connection.
 */
public interface BrokerHooks
{
    /**
     * Called once for each decoded request, before it is served. The hook may script its response, drop or delay it,
     * throttle the connection or close it.
     *
     * @param request being served.
     */
    default void onRequest(final ModelRequest request)
    {
    }

    /**
     * Called once for each partition of a request that names it, and for each partition of a fetch session.
     *
     * @param request   being served.
     * @param topic     name.
     * @param partition index.
     * @return the error with which the broker answers for the partition, or {@link Errors#NONE} for the usual answer.
     */
    default Errors partitionError(final ModelRequest request, final String topic, final int partition)
    {
        return Errors.NONE;
    }

    /**
     * Called once for each partition of a fetch, sessions included.
     *
     * @param request   being served.
     * @param topic     name.
     * @param requested what the request or its session says about the partition.
     * @return the data of the partition, or null for that of the log.
     */
    default PartitionData fetched(final ModelRequest request, final String topic, final FetchPartition requested)
    {
        return null;
    }

    /**
     * Called for each response before it is encoded, scripted ones included.
     *
     * @param request  that was served.
     * @param response may be changed here.
     */
    default void onAnswer(final ModelRequest request, final ApiMessage response)
    {
    }

    /**
     * Called for each encoded response, before it is sent: a lying broker changes bytes here.
     *
     * @param request that was served.
     * @param frame   with its length field, from position 0 to its limit.
     * @return the frame to send, this one or another.
     */
    default ByteBuffer onResponse(final ModelRequest request, final ByteBuffer frame)
    {
        return frame;
    }
}
