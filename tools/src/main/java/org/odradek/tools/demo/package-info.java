// SPDX-License-Identifier: Apache-2.0

/**
 * The demo: a paced producer, then the stock client and ours, each alone in a JVM of its own, measured alike.
 */
package org.odradek.tools.demo;
