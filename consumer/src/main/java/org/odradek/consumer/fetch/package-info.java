// SPDX-License-Identifier: Apache-2.0

/**
 * The fetch cycle, from a frame to the handler. Uses net.
 */
package org.odradek.consumer.fetch;
