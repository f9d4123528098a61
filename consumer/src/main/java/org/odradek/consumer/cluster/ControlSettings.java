// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.cluster;

import org.odradek.consumer.core.Backoff;
import org.odradek.consumer.handler.NameResolver;
import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.ConnectionSettings;

/**
 * The settings of metadata, offset lookups and groups.
 *
 * @param bootstrap           the bootstrap servers.
 * @param resolver            of host names.
 * @param connectionSettings  shared by all connections.
 * @param metadataMaxAgeNs    age at which metadata is requested again.
 * @param rebootstrapTriggerNs time without a metadata response after which the known brokers are forgotten.
 * @param retryBackoffNs      delay of the first retry of a request; it doubles with each retry.
 * @param retryBackoffMaxNs   longest delay of a retry.
 * @param controlBufferLength initial length of the receive buffer of a connection that does not fetch, in bytes.
 */
public record ControlSettings(
    BrokerAddress[] bootstrap,
    NameResolver resolver,
    ConnectionSettings connectionSettings,
    long metadataMaxAgeNs,
    long rebootstrapTriggerNs,
    long retryBackoffNs,
    long retryBackoffMaxNs,
    int controlBufferLength)
{
    private static final long METADATA_BACKOFF_MAX_NS = 10_000_000_000L;

    /** The backoff of metadata requests for something that brokers do not know. */
    public Backoff metadataBackoff()
    {
        return new Backoff(retryBackoffNs, METADATA_BACKOFF_MAX_NS, connectionSettings.random());
    }

    public Backoff retryBackoff()
    {
        return new Backoff(retryBackoffNs, retryBackoffMaxNs, connectionSettings.random());
    }
}
