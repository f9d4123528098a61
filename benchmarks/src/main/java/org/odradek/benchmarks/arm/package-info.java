// SPDX-License-Identifier: Apache-2.0

/**
 * What the scenarios on live topics share to run their clients in processes of their own: a process that is spoken to
 * in lines, the topic of a case, and what CPU a process has used. Knows no client and no scenario.
 */
package org.odradek.benchmarks.arm;
