// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.handler.NameResolver;
import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.ConnectionSettings;

/**
 * How to keep up with the cluster.
 *
 * @param bootstrap           brokers the user named.
 * @param resolver            of host names.
 * @param connectionSettings  shared by all connections.
 * @param metadataMaxAgeNs    after which leaders are asked for even if nothing is in doubt.
 * @param rebootstrapTriggerNs after which without an answer to metadata the known brokers are given up.
 * @param retryBackoffNs      before a question is asked again.
 * @param retryBackoffMaxNs   at most.
 * @param controlBufferLength of a connection that does not fetch, in bytes, at the start.
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
}
