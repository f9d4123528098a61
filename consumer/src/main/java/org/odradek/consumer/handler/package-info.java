// SPDX-License-Identifier: Apache-2.0

/**
 * Callback types, which every package of the consumer may use.
 */
package org.odradek.consumer.handler;
