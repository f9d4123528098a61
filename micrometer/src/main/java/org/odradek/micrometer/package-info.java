// SPDX-License-Identifier: Apache-2.0
/**
 * Binds the metrics of a consumer or a publisher to a registry of Micrometer. It reads the values that the client shows
 * to other threads, and works only on the threads that read the registry.
 */
package org.odradek.micrometer;
