// SPDX-License-Identifier: Apache-2.0

/**
 * The demo: a paced producer, and the stock client and ours, each measured alone in its own JVM.
 */
package org.odradek.tools.demo;
