// SPDX-License-Identifier: Apache-2.0
package org.apache.kafka.common.utils;

import java.util.Iterator;

/** Kafka's client has moved its own; parallel-consumer still asks for it here. */
public interface CloseableIterator<T> extends Iterator<T>, AutoCloseable
{
    @Override
    void close();
}
