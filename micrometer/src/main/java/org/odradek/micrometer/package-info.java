// SPDX-License-Identifier: Apache-2.0
/**
 * Binds the metrics of a consumer or a publisher to a registry of Micrometer. The classes read the values that the
 * client shows to other threads. All their work is done on the threads that read the registry.
 */
package org.odradek.micrometer;
