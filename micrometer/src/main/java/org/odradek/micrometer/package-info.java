// SPDX-License-Identifier: Apache-2.0
/**
 * Binds the metrics of a consumer to a registry of Micrometer. It reads the values that the consumer publishes for
 * other threads, and works only on the threads that read the registry.
 */
package org.odradek.micrometer;
