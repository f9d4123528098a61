// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** Answers InitProducerId requests of idempotent producers: each gets an id that no other has had. */
final class InitProducerIdApi implements ModelBroker.Api
{
    @Override
    public ApiMessage respond(final ModelRequest request)
    {
        final InitProducerIdRequestData data = (InitProducerIdRequestData)request.message();
        final InitProducerIdResponseData response =
            new InitProducerIdResponseData().setThrottleTimeMs(request.throttleMs());
        final boolean isConsistent = data.producerId() == -1 == (data.producerEpoch() == -1);
        if (!isConsistent || data.transactionalId() != null)
        {
            // There are no transactions.
            return response.setProducerEpoch((short)-1).setErrorCode(
                (isConsistent ? Errors.NOT_COORDINATOR : Errors.INVALID_REQUEST).code());
        }
        final ModelCluster cluster = request.broker().cluster();
        return response.setProducerId(cluster.nextProducerId()).setProducerEpoch(cluster.firstProducerEpoch());
    }
}
