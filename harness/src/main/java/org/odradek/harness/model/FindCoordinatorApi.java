// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** Answers FindCoordinator requests: one broker coordinates all groups. */
final class FindCoordinatorApi implements ModelBroker.Api
{
    private static final int FIRST_BATCHED = 4;
    /** A share group. */
    private static final int LAST_KEY_TYPE = 2;

    @Override
    public ApiMessage respond(final ModelRequest request)
    {
        final FindCoordinatorRequestData data = (FindCoordinatorRequestData)request.message();
        final MetadataView.Node node = request.broker().view().node(request.broker().cluster().coordinatorId());
        final FindCoordinatorResponseData response =
            new FindCoordinatorResponseData().setThrottleTimeMs(request.throttleMs());
        final Errors error = data.keyType() > LAST_KEY_TYPE ? Errors.INVALID_REQUEST :
            node == null ? Errors.COORDINATOR_NOT_AVAILABLE : Errors.NONE;
        final int id = error == Errors.NONE ? node.id() : -1;
        final String host = error == Errors.NONE ? node.host() : "";
        final int port = error == Errors.NONE ? node.port() : -1;
        if (request.version() < FIRST_BATCHED)
        {
            return response.setErrorCode(error.code()).setErrorMessage(error.message())
                .setNodeId(id).setHost(host).setPort(port);
        }
        for (final String key : data.coordinatorKeys())
        {
            response.coordinators().add(new Coordinator().setKey(key).setErrorCode(error.code())
                .setErrorMessage(error == Errors.NONE ? "" : error.message())
                .setNodeId(id).setHost(host).setPort(port));
        }
        return response;
    }
}
