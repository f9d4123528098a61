// SPDX-License-Identifier: Apache-2.0

/**
 * Contains the interfaces that users implement, the types that their methods receive or return, and the counters and
 * histograms.
 */
package org.odradek.consumer.handler;
